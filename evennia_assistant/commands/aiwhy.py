"""`aiwhy`: the chain behind a line an NPC said, down to who told it what, where and when."""

from __future__ import annotations

from typing import Any

from ..mind.audience import may_be_told
from ..mind.entry import when_of
from ..mind.phrases import ago
from .aihistory import heard_line, said_line, unusual_end
from .base import AICommand, Refusal
from .plain import plain
from .shown import memory_in_full, who_may_be_told

#: Taught facts that are shown, and the share of what was said that each must hold.
MOST_TAUGHT = 3
CLOSE = 0.4


class CmdWhy(AICommand):
    """
    see why an NPC said what it said

    Usage:
      aiwhy <npc> [= <turn>]

    Switches:
      all - also what was told in confidence to others. For keepers and Admins; every such look
            is logged

    Shows the last line it said (or that of a turn, by its number in 'aihistory'), what it heard
    before, and every memory it drew on: the words, who said them, when and where, how the NPC came
    to know, and who may be told.

    Examples:
      aiwhy bram
      aiwhy bram = 12
    """

    key = "aiwhy"
    switch_options = ("all",)

    def run(self) -> None:
        """Show the chain behind one turn."""
        script = self.assistant(self.lhs, "aiwhy <npc> [= <turn>]")
        npc = self.with_character(script)
        turn = self._turn(script, npc)
        reader = self.reader(npc)
        if not reader.may(turn.get("audience")):
            raise Refusal(self._kept_back(script, npc, reader, turn))
        lines = self._what_happened(script, npc, turn)
        recalled = turn.get("recalled") or ()
        taught = self._taught(script, turn)
        if recalled or taught:
            lines.append("|wDrew on|n")
        else:
            lines.append("It drew on no memory: it had its persona and the conversation.")
        for used in recalled:
            lines.extend(self._memory(script, used, reader))
        for item in taught:
            words, origin = memory_in_full(item, script.agent.now())
            lines += [f"  {item.id} (always at hand) {words}", f"      {origin}"]
        lines.append(f"Of all this, {who_may_be_told(turn.get('audience'))}.")
        lines.extend(filter(None, [reader.note()]))
        self.page("\n".join(lines))

    def _turn(self, script: Any, npc: Any) -> Any:
        """The turn that was asked for, or the last in which something was said."""
        turns = script.agent.turns.last()
        if self.rhs is None:
            spoken = [turn for turn in turns if turn.get("said")]
            if not spoken:
                raise Refusal(
                    f"{plain(npc.key)} has said nothing yet that is on record. 'aiinteract/whynot "
                    f"{script.db.assistant_key}' tells why it kept silent."
                )
            return spoken[-1]
        typed = self.rhs.strip().lstrip("#")
        for turn in turns:
            if typed == str(turn["id"]):
                return turn
        kept = f"{turns[0]['id']} to {turns[-1]['id']} are kept" if turns else "none is kept yet"
        raise Refusal(f'There is no turn "{plain(typed, 40)}" on record: {kept}.')

    def _kept_back(self, script: Any, npc: Any, reader: Any, turn: Any) -> str:
        key = script.db.assistant_key
        how = (
            f"'aiwhy/all {key} = {turn['id']}' shows it (that is logged)."
            if reader.may_see_all
            else "Only a keeper of the NPC or an Admin may see it."
        )
        open_to_reader = [
            other["id"]
            for other in script.agent.turns.last()
            if other.get("said") and may_be_told(other.get("audience"), reader.listeners)
        ]
        instead = (
            f" The newest you may see is 'aiwhy {key} = {open_to_reader[-1]}'."
            if open_to_reader
            else ""
        )
        return f"Turn {turn['id']} of {plain(npc.key)} is confidential. {how}{instead}"

    def _what_happened(self, script: Any, npc: Any, turn: Any) -> list[str]:
        past = ago(script.agent.now() - when_of(turn["at"]))
        lines = [f"|wWhy {plain(npc.key)} said it|n (turn {turn['id']}, {past})"]
        lines += [f"  {said_line(said)}" for said in turn.get("said", ())] or ["  It said nothing."]
        if unusual_end(turn):
            lines.append(f"  ended: {unusual_end(turn)}")
        if turn.get("failure"):
            lines.append(f"  failed: {plain(turn['failure'], 300)}")
        lines.append("|wHeard|n")
        if turn.get("why"):
            lines.append(f"  nothing: it spoke up of itself ({plain(turn['why'], 20)})")
        for heard in turn.get("heard", ()):
            entry = f", kept as j{heard['entry_id']}" if heard.get("entry_id") else ""
            lines.append(f"  {heard_line(heard)}{entry}")
        tools = [plain(tool["tool"], 60) for tool in turn.get("tools", ())]
        by = plain(turn.get("model") or "no model", 60)
        lines.append(f"|wAnswered by|n {by}{', with ' + ', '.join(tools) if tools else ''}")
        return lines

    def _taught(self, script: Any, turn: Any) -> list[Any]:
        """
        Facts a keeper taught it for everybody that its words come close to.

        Every prompt holds them all, so a record cannot say which of them counted.

        """
        said = " ".join(str(said["text"]) for said in turn.get("said", ()))
        if not said:
            return []
        recalled = {str(used["id"]) for used in turn.get("recalled") or ()}
        found = script.character.memory.recall(
            said,
            listeners=(),
            now=script.agent.now(),
            kinds=("knowledge",),
            exclude=recalled,
            limit=MOST_TAUGHT,
        )
        return [hit.item for hit in found.hits if hit.parts.get("coverage", 0.0) >= CLOSE]

    def _memory(self, script: Any, used: Any, reader: Any) -> list[str]:
        """One memory that was used, or why it is not shown."""
        index, memory_id = script.character.memory.index, str(used["id"])
        item = index.get_for_keeper(memory_id)
        if item is None:
            return [f"  {plain(memory_id, 20)} is no longer kept."]
        if not reader.may(item.audience):
            return [f"  {plain(memory_id, 20)} is confidential."]
        score = used.get("score")
        found = f"score {score:.2f}" if isinstance(score, int | float) else "searched for"
        words, *rest = memory_in_full(item, script.agent.now())
        return [f"  {plain(memory_id, 20)} ({found}) {words}", *(f"      {line}" for line in rest)]
