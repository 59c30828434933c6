"""Web pages of the demo game: Evennia's website, web client, admin and API.

`evennia.web.urls` leaves the admin pages to the game.
"""

from django.urls import include, path
from evennia.web.urls import urlpatterns as evennia_urlpatterns

urlpatterns = [path("admin/", include("evennia.web.admin.urls")), *evennia_urlpatterns]
