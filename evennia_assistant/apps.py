"""The Django app: `INSTALLED_APPS += ["evennia_assistant"]` is the installation."""

from django.apps import AppConfig


class EvenniaAssistantConfig(AppConfig):
    """Names the app; no mind is started here, for this runs in the launcher and the Portal too."""

    name = "evennia_assistant"
    verbose_name = "Evennia assistant"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have every connection to the database wipe what is deleted."""
        from .memory import secure_delete

        secure_delete.watch()
