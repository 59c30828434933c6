"""
`docs/tools.md`, made from the tool classes.

Write it with ``python -m evennia_assistant.tools.reference docs/tools.md`` in a game's folder, with
``DJANGO_SETTINGS_MODULE`` set; a test compares it with what there is.

"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .base import Tool, ToolCategory

_HEAD = """# Tools

What an NPC can do. This page is made from the tool classes:
`python -m evennia_assistant.tools.reference docs/tools.md`.

A tool is *everyday* when every NPC is offered it in every conversation. The others are offered
where the option `allowed_tools` of an NPC names them, or where its work calls for them. A tool that
*changes the world*, and every `dangerous` one, is refused unless `allowed_tools` names it; a model
uses a `dangerous` one only where the option `dangerous_tools` names it, too, and where
`dangerous_requires_confirm` is on, a keeper must agree first (`aiexec/waiting`).

Both the NPC and whoever asked must be allowed: by the tool's own lock (`use:all()` unless said),
and by the Evennia locks of whatever it touches. Anything a tool refuses is told to the model as the
reason. Arguments are checked against the types and bounds below before the tool sees them. A result
is a JSON object of at most 4,000 characters; that of a *cacheable* tool, which merely looks, may be
used again in the same turn (tick) or in later ones (session), by exactly those it was found for.

| category | what it means for the turn |
|---|---|
| `safe_chain` | may be followed by more tools |
| `terminal` | speaks, or chooses not to; ends the turn |
| `dangerous` | changes the game; once in a turn at most |
| `async_required` | waits for something outside |

How to write one of your own is in `CONTRIBUTING.md`; `aiexec` tries one by hand.
"""


def page(tools: Mapping[str, Tool]) -> str:
    """
    The whole page.

    Args:
        tools: Tools by name; those of this package are taken, in the order of their names.

    """
    own = [tool for tool in tools.values() if type(tool).__module__.startswith(__package__ or "")]
    parts = [_HEAD, *(_section(tool) for tool in sorted(own, key=lambda tool: tool.name))]
    return "\n".join(parts)


def _section(tool: Tool) -> str:
    promise = " ".join((inspect.getdoc(type(tool)) or "").split("\n\n")[0].split())
    facts = [f"`{tool.category}`"]
    if tool.everyday:
        facts.append("everyday")
    if tool.changes_world or tool.category is ToolCategory.DANGEROUS:
        facts.append("changes the world")
    if tool.cacheable:
        ttl = f", {tool.cache_ttl:g} s" if tool.cache_ttl else ""
        facts.append(f"cacheable ({tool.cache_scope}{ttl})")
    if tool.locks != "use:all()":
        facts.append(f"lock `{tool.locks}`")
    facts.append(f"given up after {tool.timeout:g} s")
    lines = [f"## `{tool.name}`", "", promise, "", f"{', '.join(facts)}.", ""]
    required = tool.parameters.get("required", ())
    for name, schema in tool.parameters.get("properties", {}).items():
        star = ", required" if name in required else ""
        lines.append(f"- `{name}`: {_type(schema)}{star}")
    if tool.parameters.get("properties"):
        lines.append("")
    if tool.refuses:
        lines += [f"Refuses {tool.refuses}.", ""]
    return "\n".join(lines)


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    kinds = schema.get("type", "anything")
    text = kinds if isinstance(kinds, str) else " or ".join(kinds)
    if text == "array":
        text = f"list of {_type(schema.get('items', {}))}, at most {schema.get('maxItems', 'any')}"
    bounds = [
        f"{word} {schema[key]}"
        for key, word in (("minimum", "from"), ("maximum", "to"))
        if key in schema
    ]
    if "maxLength" in schema:
        bounds.append(f"at most {schema['maxLength']} characters")
    return " ".join([text, *([f"({', '.join(bounds)})"] if bounds else [])])


def main(path: str) -> None:
    """Write the page to a file."""
    import django

    django.setup()
    import evennia

    evennia._init()
    from . import all_tools

    Path(path).write_text(page(all_tools()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
