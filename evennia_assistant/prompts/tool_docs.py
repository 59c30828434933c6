"""The tools of an NPC as text, for models without a tool interface and for `{tool_schemas}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..mind.slots import without_tags


def tool_documentation(schemas: Sequence[Mapping[str, Any]]) -> str:
    """
    One line for each tool: name, parameters with type, description.

    Args:
        schemas: The tools in the function form.

    """
    return "\n".join(_line(schema["function"]) for schema in schemas) or "(none)"


def _line(function: Mapping[str, Any]) -> str:
    schema = function.get("parameters") or {}
    required = schema.get("required", ())
    listed = ", ".join(
        _parameter(name, inner, name in required)
        for name, inner in schema.get("properties", {}).items()
    )
    return without_tags(f"- {function['name']}({listed}): {_flat(function.get('description'))}")


def _parameter(name: str, schema: Mapping[str, Any], required: bool) -> str:
    kind = schema.get("type", "any")
    if "enum" in schema:
        kind = " or ".join(map(str, schema["enum"]))
    elif isinstance(kind, list):
        kind = " or ".join(map(str, kind))
    elif kind == "array":
        kind = f"list of {schema.get('items', {}).get('type', 'any')}"
    what = _flat(schema.get("description"))
    return f"{name}{'' if required else '?'}: {kind}{f' ({what})' if what else ''}"


def _flat(text: Any) -> str:
    return " ".join(str(text or "").split())
