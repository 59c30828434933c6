"""`/tokens`: how an assistant's prompt fills the context window."""

from __future__ import annotations

from ...prompts.assembly import assemble
from ...prompts.measure import Window, measured
from ...prompts.window import context_window, model_of
from ..plain import plain
from .prompting import asked
from .sample import sample_of

USAGE = "aisetup/tokens <key>"


class TokensMixin:
    """The switch /tokens."""

    def do_tokens(self) -> None:
        """Show what each component of a prompt takes, and how full the window is."""
        script, _verb, _rest = asked(self, (), USAGE)
        npc = self.with_character(script)
        context, tools = sample_of(script, npc, asker=self.caller)
        model, budget, most = model_of(script), context.layout.budget, context_window(script)
        window = measured(assemble(context, tools), tools, budget, model, most)
        self.page(shown_window(plain(npc.key), plain(model, 40), window))


def shown_window(name: str, model: str, window: Window) -> str:
    """A measured prompt as a table."""
    lines = [
        f"A prompt of {name}, if you greeted it now (estimated tokens):",
        f"  {'component':<24} {'tokens':>6} {'from':>6} {'share':>6}",
    ]
    for part in window.usage:
        label = part.label if part.number is None else f"{part.number:>4} {part.label}"
        lines.append(f"  {label:<24} {part.tokens:>6} {part.start:>6} {part.share:>6.0%}")
    over = "" if window.tokens <= window.budget else ", |rmore than its budget|n"
    lines.append(f"In all {window.tokens} of at most {window.budget}{over}.")
    lines.append(
        f"That is {window.percent:.1f} % of the {window.model_max} tokens of {model}: "
        f"{window.status['level']}. {window.status['message']}."
    )
    return "\n".join(lines)
