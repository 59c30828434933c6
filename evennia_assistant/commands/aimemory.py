"""`aimemory`: what an NPC remembers, as far as whoever asks may be told."""

from __future__ import annotations

from typing import Any

from ..memory.profile_record import MENTIONED, UNCERTAIN, audience_of, standing
from ..memory.recall import Recollection, recall_for_keeper
from ..memory.scenes import set_aside
from ..mind.audience import PUBLIC
from ..mind.entry import told as all_told
from ..mind.entry import when_of
from ..mind.phrases import ago
from ..perception.hearing import entity_id
from .aimemory_ahead import AheadViews
from .aimemory_diary import DiaryView
from .aimemory_night import NightViews
from .aisetup.config import closest
from .aisetup.teaching import text_of
from .base import Refusal
from .describing import describe_by_command
from .facts import check_facts, show_facts
from .forgetting import forget_by_command
from .gate import Reader
from .merging import settle_names
from .plain import count_of, plain, quoted
from .scene_lines import scene_lines, scenes_aside
from .shown import memory_line, name_of, who_may_be_told
from .topics import pin, show_topics

#: Memories shown for a question.
HITS = 10


class CmdMemory(NightViews, AheadViews, DiaryView):
    """
    see what an NPC remembers

    Usage:
      aimemory <npc>                        how much there is
      aimemory/journal <npc> [= <words>]    its journal, newest first
      aimemory/profile <npc> [<person>]     whom it knows, or what it knows of one
      aimemory/describe <npc> = <person>: <words>   say who somebody is
      aimemory/merge <npc> [= <one> is <other>]   who may be who; or settle it: "is", "is not"
      aimemory/recall <npc> = <question>    what a question would bring back to it, with scores
      aimemory/facts <npc> [= <words>]      its lasting facts, newest first or by words
      aimemory/topics <npc> [= <topic>]     what its memories are about; those of one topic
      aimemory/pin <npc> = <j12 or fact>    have a memory never fade, or let go of it again
      aimemory/verify <npc> [= heal]        whether these are what they should be; or make them so
      aimemory/reflect <npc> [= now]        what it has to think about; have it do so
      aimemory/expectations <npc> [= <j12> <outcome>]   what it promised and expects
      aimemory/diary <npc> [= <day>]        the days as it wrote them down, and its carry notes
      aimemory/dryrun <npc>                 what tonight would change, tried on a copy
      aimemory/diff <npc>                   what the last night changed
      aimemory/undo <npc>                   take the last night back
      aimemory/forget <npc> = <who or what>[, cascade]   what forgetting would take; then do it

    Switches:
      journal - entries of the journal; with words, those that hold them
      profile - how it stands to people, and what it knows and noticed of them and of things
      describe - in your words, which no night changes; without any it is the NPC's again (keepers)
      merge   - names that may be one entity's, and whose word decides it (keepers settle it)
      recall  - ask its memory as it does itself
      facts   - what nights made of the journal, for good; and what is on its way there
      topics  - its memories sorted by topic, dormant ones too
      pin     - what is pinned never fades (keepers)
      verify  - compare facts and journal, and with "heal" mend what differs. For keepers and Admins
      reflect - the count that leads to a reflection; "= now" has it reflect at once (keepers)
      expectations - open, fulfilled, broken and expired ones; "= j12 broken" says what became of
                one (keepers)
      diary   - what nights wrote of each day (2026-01-05), and what it takes into the next
      dryrun  - the steps of a night on a copy; the model is asked, nothing is changed (keepers)
      diff    - the ledger of the last night: added, changed, retired, with evidence and cost
      undo    - one night back; what it heard since stays (keepers)
      forget  - a person, a thing or one memory (j12, a fact id), shown first (keepers)
      all     - with any of these: also what was told in confidence to others. For keepers and
                Admins; every such look is logged

    You are shown what the NPC might tell you: what was said in the open, and what was said to you.

    Examples:
      aimemory/recall bram = Who lost a ring?
      aimemory/journal/all bram
    """

    key = "aimemory"
    switch_options = (
        "journal",
        "profile",
        "recall",
        "facts",
        "topics",
        "pin",
        "verify",
        "forget",
        "merge",
        "describe",
        "reflect",
        "expectations",
        "diary",
        "dryrun",
        "diff",
        "undo",
        "all",
    )

    def run(self) -> None:
        """Show what the switch says."""
        if "profile" in self.switches:
            # A person's name may follow the NPC's without a sign between them.
            self.lhs, self.rhs = self.who_and_rest()
        script = self.assistant(
            self.lhs, "aimemory[/journal, /profile, /recall, /facts, ...] <npc> [= <...>]"
        )
        npc = self.with_character(script)
        shows = {
            "journal": self._journal,
            "profile": self._profile,
            "recall": self._recall,
            "facts": self._facts,
            "topics": self._topics,
            "pin": self._pin,
            "verify": self._verify,
            "reflect": self._reflect,
            "expectations": self._expectations,
            "diary": self._diary,
            "dryrun": self._dryrun,
            "diff": self._diff,
            "undo": self._undo,
            "forget": self._forget,
            "merge": self._merge,
            "describe": self._describe,
        }
        chosen = next((switch for switch in self.switches if switch in shows), None)
        if chosen is not None:
            shows[chosen](script, npc)
        elif self.rhs is not None:
            raise Refusal(
                "Do you want to ask its memory? aimemory/recall "
                f"{plain(self.lhs, 40)} = {plain(self.rhs, 60)}"
            )
        else:
            self._overview(script, npc)

    def _overview(self, script: Any, npc: Any) -> None:
        memory, key = npc.memory, script.db.assistant_key
        archived = sum(1 for _entry in memory.journal.archived())
        live = count_of(len(memory.journal.entries), "live entry", "live entries")
        taught = sum(bool(text_of(line)) for line in memory.knowledge.lines)
        self.msg(
            f"What {plain(npc.key)} (assistant {key}) remembers:\n"
            f"  journal        {live}, {archived} in the archive\n"
            f"  taught         {count_of(taught, 'fact')}\n"
            f"  people         {len(memory.profiles.store.data)} known\n"
            f"  conversations  {len(memory.working.store.data)} open\n"
            f"{_set_aside(memory.journal.set_aside())}"
            f"{scenes_aside(set_aside(memory.journal))}"
            f"Look closer: aimemory/journal {key}, aimemory/profile {key}, "
            f"aimemory/recall {key} = <question>"
        )

    def _journal(self, script: Any, npc: Any) -> None:
        reader, memory, now = self.reader(npc), npc.memory, script.agent.now()
        live = len(memory.journal.entries)
        words = (self.rhs or "").strip()
        if reader.sees_all:
            wanted = words.casefold()
            every = memory.journal.all_entries()
            entries = [e for e in every if wanted in all_told(e, e["content"]).casefold()]
            entries.reverse()
            withheld = 0
        else:
            here: dict[str, Any] = {
                "listeners": reader.listeners,
                "now": now,
                "archived": False,
                "deep": True,
            }
            visible = memory.search(limit=live, **here)
            withheld = live - len(visible)
            entries = visible
            if words:
                entries = memory.search(query=words, limit=live, semantic=False, **here)
        if not live and not words:
            self.msg(f"{plain(npc.key)} has written nothing in its journal yet.")
            return
        holding = f" that hold {quoted(words, 60)}" if words else ""
        shown = count_of(len(entries), "entry", "entries")
        lines = [f"|wJournal of {plain(npc.key)}|n: {shown}{holding}, newest first."]
        for entry in entries:
            tags = (
                f" [{plain(', '.join(map(str, entry['tags'])), 60)}]" if entry.get("tags") else ""
            )
            lines.append(
                f"j{entry['id']}  {ago(now - when_of(entry['timestamp']))}, importance "
                f"{entry['importance']}, {plain(entry['source_type'], 20)}, "
                f"{who_may_be_told(entry.get('audience'))}{tags}\n    {plain(entry['content'])}"
                f"{scene_lines(entry, raw=reader.sees_all)}"
            )
        archived = 0 if reader.sees_all else memory.journal.store.data["entry_count"] - live
        if archived > 0:
            lines.append(
                "Older entries are in the archive; "
                f"aimemory/recall {script.db.assistant_key} = <question> finds them."
            )
        lines.extend(filter(None, [reader.note(withheld)]))
        self.page("\n".join(lines))

    def _recall(self, script: Any, npc: Any) -> None:
        question = (self.rhs or "").strip()
        if not question:
            raise Refusal("Usage: aimemory/recall <npc> = <question>")
        reader = self.reader(npc)
        now = script.agent.now()
        found = self._ask(npc, question, reader, now)
        said = quoted(question, 80)
        if found.hits:
            lines = [f"{said} brings back to {plain(npc.key)}, in {found.milliseconds:.1f} ms:"]
        else:
            lines = [f"{said} brings nothing back to {plain(npc.key)} that you may be told."]
            if reader.sees_all or not found.gated:
                lines = [f"{said} brings nothing back to {plain(npc.key)}."]
        for hit in found.hits:
            parts = ", ".join(f"{name} {part:.2f}" for name, part in hit.parts.items() if part)
            lines.append(f"{hit.score:6.2f}  {hit.item.id:<6} {memory_line(hit.item, now)}")
            lines.append(f"        |x{who_may_be_told(hit.item.audience)}; {parts}|n")
        if found.gated:
            memories = "memory is" if found.gated == 1 else "memories are"
            them = "it" if found.gated == 1 else "them"
            how = (
                f"add /all to search {them} (that is logged)"
                if reader.may_see_all
                else f"only a keeper of the NPC or an Admin may search {them}"
            )
            lines.append(f"{found.gated} more {memories} confidential; {how}.")
        self.page("\n".join(lines))

    def _facts(self, script: Any, npc: Any) -> None:
        show_facts(self, script, npc)

    def _topics(self, script: Any, npc: Any) -> None:
        show_topics(self, script, npc)

    def _describe(self, script: Any, npc: Any) -> None:
        describe_by_command(self, script, npc)

    def _pin(self, script: Any, npc: Any) -> None:
        pin(self, script, npc)

    def _forget(self, script: Any, npc: Any) -> None:
        forget_by_command(self, script, npc)

    def _merge(self, script: Any, npc: Any) -> None:
        settle_names(self, script, npc)

    def _verify(self, script: Any, npc: Any) -> None:
        if self.rhs and self.rhs.strip().casefold() != "heal":
            raise Refusal(f"Usage: aimemory/verify {script.db.assistant_key} [= heal]")
        check_facts(self, script, npc)

    def _ask(self, npc: Any, question: str, reader: Any, now: float) -> Recollection:
        if reader.sees_all:
            return recall_for_keeper(
                npc.memory.index,
                question,
                keeper=entity_id(self.caller) or self.caller.key,
                now=now,
                limit=HITS,
            )
        asker = next(iter(reader.listeners), None)
        return npc.memory.recall(
            question, listeners=reader.listeners, now=now, limit=HITS, asker=asker
        )

    def _profile(self, script: Any, npc: Any) -> None:
        reader, profiles = self.reader(npc), npc.memory.profiles.store.data
        wanted = (self.rhs or "").strip()
        if not profiles:
            self.msg(f"{plain(npc.key)} knows nobody yet.")
            return
        if not wanted:
            self.page(_people(script, npc, profiles, reader))
            return
        found = npc.memory.profiles.named(wanted)
        if len(found) > 1:
            ids = ", ".join(plain(each["entity_id"], 20) for each in found)
            raise Refusal(f'Several go by "{plain(wanted, 60)}": {ids}. Name one by its #dbref.')
        if found and not reader.may(audience_of(found[0])):
            found = []
        if not found:
            names = {
                str(p["canonical_name"]).casefold(): p
                for p in profiles.values()
                if audience_of(p) == PUBLIC
            }
            close = [names[name]["canonical_name"] for name in closest(wanted.casefold(), names)]
            hint = f" Did you mean {plain(' or '.join(close))}?" if close else ""
            raise Refusal(
                f'{plain(npc.key)} knows nobody called "{plain(wanted, 60)}".{hint} '
                f"'aimemory/profile {script.db.assistant_key}' lists whom it knows."
            )
        self.page("\n".join(_profile_lines(npc, found[0], reader, script.agent.now())))


def _set_aside(items: Any) -> str:
    """What no fact could be made of, newest first, as lines of the overview."""
    if not items:
        return ""
    shown = [f"    j{item['id']}: {plain(item['reason'], 100)}" for item in items[:-4:-1]]
    count = count_of(len(items), "entry", "entries")
    return "\n".join((f"  set aside      {count} no fact could be made of", *shown, ""))


def _standing(profile: Any, now: float) -> str:
    relation = standing(profile, now)
    last = profile["last_seen"]
    if profile["entity_type"] == MENTIONED:
        return f"only told of, {plain(profile['kind'], 20)}"
    if profile["entity_type"] == "object":
        return f"a thing{f', had {ago(now - when_of(last))}' if last else ''}"
    seen = f", last spoke {ago(now - when_of(last))}" if last else ""
    return (
        f"{plain(relation['state'], 20)}, favorability {relation['favorability']:.2f}, "
        f"{count_of(relation['interaction_count'], 'exchange')} in "
        f"{count_of(profile.get('meetings', 0), 'meeting')}{seen}"
    )


def _people(script: Any, npc: Any, profiles: Any, reader: Reader) -> str:
    now = script.agent.now()
    shown = [profile for profile in profiles.values() if reader.may(audience_of(profile))]
    known = sorted(shown, key=lambda p: str(p["last_seen"] or ""), reverse=True)
    lines = [f"|w{plain(npc.key)} knows {count_of(len(known), 'person', 'people')}|n:"]
    for profile in known:
        name = plain(profile["canonical_name"] or name_of(profile["entity_id"]), 40)
        lines.append(f"  {name} {plain(profile['entity_id'], 20)}: {_standing(profile, now)}")
    lines.append(f"One of them: aimemory/profile {script.db.assistant_key} = <person>")
    lines.extend(filter(None, [reader.note()]))
    return "\n".join(lines)


def _sources(held: Any) -> str:
    """The entries something in a profile rests on, in brackets."""
    sources = ", ".join(f"j{number}" for number in held.get("evidence") or ())
    return f" ({sources})" if sources else ""


def _profile_lines(npc: Any, profile: Any, reader: Any, now: float) -> list[str]:
    who = profile["entity_id"]
    name = plain(profile["canonical_name"] or name_of(who), 40)
    lines = [f"|w{plain(npc.key)} on {name}|n ({plain(who, 20)})", f"  {_standing(profile, now)}"]
    if profile["aliases"]:
        lines.append(f"  once known as {plain(', '.join(map(str, profile['aliases'])), 200)}")
    for told, note in profile["names"].items():
        if told != profile["canonical_name"] and reader.may(note.get("audience")):
            lines.append(
                f"  also called {plain(told, 60)}; {who_may_be_told(note.get('audience'))}"
            )
    if profile["merge_status"] == UNCERTAIN:
        key = npc.assistant_script.db.assistant_key
        lines.append(f"  perhaps somebody else it knows; aimemory/merge {key}")
    described = profile.get("description")
    if described and reader.may(described.get("audience")):
        by = ", in a keeper's words" if profile.get("owner_override") else ""
        lines.append(
            f"  described{by}{_sources(described)}: {quoted(described['text'], None)}; "
            f"{who_may_be_told(described.get('audience'))}"
        )
    for key, value in profile["attributes"].items():
        # A settled fact says who may be told as an observation does; without that, nobody.
        held = value if isinstance(value, dict) else {"value": value}
        if reader.may(held.get("audience")):
            lines.append(
                f"  {plain(key, 40)}{_sources(held)}: {plain(held.get('value', ''))}; "
                f"{who_may_be_told(held.get('audience'))}"
            )
    notes = reader.only(profile["observations"])
    for note in notes:
        source = f" (j{note['entry_id']})" if note.get("entry_id") else ""
        lines.append(
            f"  noticed {ago(now - when_of(note['timestamp']))}{source}: "
            f"{quoted(note['text'], None)}; {who_may_be_told(note.get('audience'))}"
        )
    if not notes and not reader.withheld:
        lines.append("  nothing noticed yet")
    lines.extend(filter(None, [reader.note()]))
    return lines
