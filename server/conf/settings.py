"""Settings of the demo game: Evennia's own, and what this game changes.

Ports, interface and database come from the environment, so that a second game can run beside a
running one. Secrets (and SECRET_KEY) belong in `secret_settings.py`, which `evennia --initmissing`
makes and git ignores.
"""

import os

from evennia.settings_default import *

SERVERNAME = "The Grey Gull"
GAME_SLOGAN = "where the innkeeper remembers you"

# Loopback unless told otherwise: a demo game with a well-known password is nobody else's business.
_INTERFACE = os.environ.get("ASSISTANT_INTERFACE", "127.0.0.1")
TELNET_INTERFACES = WEBSERVER_INTERFACES = [_INTERFACE]
WEBSOCKET_CLIENT_INTERFACE = _INTERFACE
TELNET_PORTS = [int(os.environ.get("ASSISTANT_TELNET_PORT", 4000))]
WEBSERVER_PORTS = [
    (
        int(os.environ.get("ASSISTANT_WEB_PORT", 4001)),
        int(os.environ.get("ASSISTANT_WEB_INTERNAL_PORT", 4005)),
    )
]
WEBSOCKET_CLIENT_PORT = int(os.environ.get("ASSISTANT_WEBSOCKET_PORT", 4002))
AMP_PORT = int(os.environ.get("ASSISTANT_AMP_PORT", 4006))
AMP_HOST = "127.0.0.1"

DATABASES["default"]["NAME"] = os.environ.get("ASSISTANT_DATABASE") or DATABASES["default"]["NAME"]

INSTALLED_APPS += ["evennia_assistant"]
ROOT_URLCONF = "server.conf.urls"
STATICFILES_DIRS = []

AT_INITIAL_SETUP_HOOK_MODULE = "world.startup"
AT_SERVER_STARTSTOP_MODULE = ["world.startup"]

BASE_ACCOUNT_TYPECLASS = "typeclasses.accounts.Account"
BASE_GUEST_TYPECLASS = "typeclasses.accounts.Guest"
BASE_CHANNEL_TYPECLASS = "typeclasses.channels.Channel"
BASE_CHARACTER_TYPECLASS = "typeclasses.characters.Character"
BASE_EXIT_TYPECLASS = "typeclasses.exits.Exit"
BASE_OBJECT_TYPECLASS = "typeclasses.objects.Object"
BASE_ROOM_TYPECLASS = "typeclasses.rooms.Room"
BASE_SCRIPT_TYPECLASS = "typeclasses.scripts.Script"

# The stock game folder has a stub module for each of these; Evennia's own copies serve as well.
_STOCK = "evennia.game_template.server.conf"
CONNECTION_SCREEN_MODULE = f"{_STOCK}.connection_screens"
MSSP_META_MODULE = f"{_STOCK}.mssp"
WEB_PLUGINS_MODULE = f"{_STOCK}.web_plugins"
SERVER_SERVICES_PLUGIN_MODULES = []
PORTAL_SERVICES_PLUGIN_MODULES = []


def _not_of_the_stock_game(modules):
    return [module for module in modules if not module.startswith("server.conf.")]


LOCK_FUNC_MODULES = _not_of_the_stock_game(LOCK_FUNC_MODULES)
INPUT_FUNC_MODULES = _not_of_the_stock_game(INPUT_FUNC_MODULES)
FUNCPARSER_OUTGOING_MESSAGES_MODULES = _not_of_the_stock_game(FUNCPARSER_OUTGOING_MESSAGES_MODULES)
FUNCPARSER_PROTOTYPE_PARSING_MODULES = _not_of_the_stock_game(FUNCPARSER_PROTOTYPE_PARSING_MODULES)
PROTOTYPE_MODULES = []
FILE_HELP_ENTRY_MODULES = []

# Scripted visitors log in and out far more often than people do.
if os.environ.get("ASSISTANT_FOR_BOTS"):
    CREATION_THROTTLE_LIMIT = LOGIN_THROTTLE_LIMIT = 10_000
    MAX_COMMAND_RATE = 10_000

try:
    from server.conf.secret_settings import *
except ImportError:
    print("secret_settings.py file not found or failed to import.")
