"""The Django app: `INSTALLED_APPS += ["evennia_assistant"]` is the installation."""

from django.apps import AppConfig


class EvenniaAssistantConfig(AppConfig):
    """Names the app; nothing is started here, for this also runs in the launcher and the Portal."""

    name = "evennia_assistant"
    verbose_name = "Evennia assistant"
    default_auto_field = "django.db.models.BigAutoField"
