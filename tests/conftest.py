"""Fills Evennia's flat API (`evennia.SESSION_HANDLER` and its like) before tests import it."""

import evennia
from django.conf import settings
from pytest_django.plugin import blocking_manager_key


def pytest_configure(config):
    # Evennia reads its game clock from the database while it fills its flat API, and test modules
    # import from that API, so a session fixture would come too late.
    with config.stash[blocking_manager_key].unblock():
        evennia._init()
    settings.TEST_ENVIRONMENT = True
