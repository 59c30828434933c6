"""Whether a line says anything, beyond courtesy."""

from __future__ import annotations

from .text import content_terms

#: Words of greeting, parting, thanks and assent; a line of nothing else says nothing to remember.
_COURTESIES = frozenset(
    content_terms(
        "hello hi hey hail greetings welcome good morning evening afternoon day night bye goodbye "
        "farewell thanks thank cheers please sorry yes yeah no ok okay well friend again back"
    )
)


def has_substance(words: str, *names: str) -> bool:
    """
    Whether there is more in a line than common words, courtesies and these names.

    Args:
        words: What was said.
        *names: Names that do not count, such as that of the one who was addressed.

    """
    known = _COURTESIES.union(*(content_terms(name) for name in names))
    return not known.issuperset(content_terms(words))
