"""A game whose database and whose facts are both in a real PostgreSQL with pgvector."""

from urllib.parse import parse_qs, urlsplit

import pytest

from evennia_assistant.testing.game import GameProcess

from .conftest import ROOT
from tests.postgres import new_database, postgres

SETTINGS = """
SECRET_KEY = "only for tests"
DATABASES = {{
    "default": {{
        "ENGINE": "django.db.backends.postgresql",
        "NAME": {name!r},
        "USER": "postgres",
        "HOST": {host!r},
    }}
}}
ASSISTANT_MEM0_CONFIG = {{
    "vector_store": {{"provider": "pgvector", "config": {{"connection_string": {address!r}}}}}
}}
"""
CONSOLIDATE = (
    "py from evennia_assistant.typeclasses.script import get_assistant_script as find; "
    "from evennia_assistant.asleep.consolidation import run_sleep_consolidation as night; "
    "script = find('ferryman'); night(script, script.character)"
)


@pytest.fixture(scope="module")
def database():
    return new_database()


@pytest.fixture(scope="module")
def game(tmp_path_factory, database):
    """A copy of the demo game on that server, started."""
    game = GameProcess.copy_of(ROOT, tmp_path_factory.mktemp("postgres") / "demo")
    where = urlsplit(database)
    (game.folder / "server/conf/secret_settings.py").write_text(
        SETTINGS.format(
            name=where.path.strip("/"), host=parse_qs(where.query)["host"][0], address=database
        )
    )
    try:
        game.prepare()
        game.start()
        yield game
    finally:
        game.stop()


def facts(admin):
    admin.send("aimemory/facts ferryman")
    return admin.expect(r"(?s)Facts of .*?\d+ facts?.*?may be told", timeout=20)[0]


def test_what_an_npc_hears_is_a_fact_in_postgres_and_survives_reload_and_restart(
    game, admin, database
):
    for line in ("dig/teleport Ferry", "aisetup/init ferryman"):
        admin.send(line)
        admin.read(quiet=1)
    admin.send("say Ferryman, my brother Oswin is a cooper in Harrow.")
    admin.expect("(?i)ferryman says", timeout=20)
    admin.send(CONSOLIDATE)
    admin.read(quiet=2)
    assert "Oswin" in facts(admin)
    game.reload()
    admin.expect("(?i)restarted|reload", timeout=60)
    admin.read(quiet=1)
    assert "Oswin" in facts(admin)
    admin.send("aimemory/verify ferryman")
    admin.expect("They are what they should be", timeout=20)
    name = urlsplit(database).path.strip("/")
    count = postgres().psql(f"\\c {name}\nSELECT count(*) FROM assistant_facts_hashing_512;")
    assert " 1\n" in count or "\n     1" in count
    assert not (game.folder / "server/assistant/facts").exists()
    game.stop()
    game.start()
    with game.player("again") as again:
        again.login(game.admin, game.password)
        again.read(quiet=1)
        assert "Oswin" in facts(again)
