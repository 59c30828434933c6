"""Facts for the tests of semantic memory."""

from evennia_assistant.mind.fact import Fact, fact_key


def fact(number, text=None, user="bram", **fields):
    return Fact(
        key=fact_key(user, "fact", [number]),
        text=text or f"Anna told {user} of ring {number}.",
        when=1_780_000_000.0 + number,
        audience=fields.pop("audience", "public"),
        entry_ids=(number,),
        **fields,
    )
