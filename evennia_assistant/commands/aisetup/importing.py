"""`/import`, `/accept`, `/drop` and `/export`: cards, lorebooks and texts, in and out."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from evennia.utils import logger

from ...errors import CardError
from ...memory import card_folder
from ...memory.knowledge import audience_of, text_of
from ...memory.pending_import import PendingImport
from ...mind.card_reading import proposal_of
from ...mind.character_card import as_v2, as_v3, in_picture
from ...perception.hearing import entity_id
from ..base import Refusal
from ..plain import count_of, plain
from .import_shown import shown_import

USAGE = "aisetup/import <key> [= <file or text>]"
FORMS = ("v3", "v2", "lorebook")
#: A line break in a text that is typed on one line, as Evennia shows one.
_BREAK = re.compile(r"\|/")


class ImportMixin:
    """The switches /import, /accept, /drop and /export."""

    def do_import(self) -> None:
        """Have a card, a lorebook or a text wait for acceptance, or show what waits."""
        script, npc, typed = self._of_keeper(USAGE)
        pending = PendingImport(npc)
        if typed:
            content, name, source = _content_of(typed)
            pending.put(
                proposal_of(content, name, npc.key),
                source=source,
                by=entity_id(self.caller) or "",
                when=script.agent.now(),
            )
        if pending.waiting is None:
            raise Refusal(_what_there_is(npc))
        self.page(shown_import(script, npc, pending, self.reader(npc)))

    def do_accept(self) -> None:
        """Take over what waits, as it was shown."""
        usage = "aisetup/accept <key> = <token> [marked]"
        script, npc, typed = self._of_keeper(usage)
        token, _space, more = typed.partition(" ")
        pending = PendingImport(npc)
        if pending.waiting is None:
            raise Refusal(f"Nothing waits to be accepted. Import it first: {USAGE}")
        key = script.db.assistant_key
        if not token or more.strip() not in ("", "marked"):
            raise Refusal(f"Usage: {usage}. 'aisetup/import {key}' shows the token.")
        if token != pending.token:
            raise Refusal(
                f"That is not what would be changed now; look at it again: aisetup/import {key}"
            )
        source = str(pending.waiting["source"])
        diff = pending.accept(token, marked=bool(more))
        logger.log_sec(
            f"Assistant import: {self.caller.key} #{self.caller.pk} had {npc.key} #{npc.pk} take "
            f"over {plain(source, 80)}{' with what is marked' if more else ''}."
        )
        blocks = ", ".join(diff.blocks) or "nothing"
        self.msg(
            f"{plain(npc.key)} took over: of its persona {blocks}; "
            f"{count_of(len(diff.added), 'line')} of knowledge more, {len(diff.removed)} less."
        )

    def do_drop(self) -> None:
        """Throw away what waits."""
        _script, npc, _typed = self._of_keeper("aisetup/drop <key>")
        if not PendingImport(npc).drop():
            raise Refusal(f"Nothing waits to be accepted for {plain(npc.key)}.")
        self.msg(f"Dropped. {plain(npc.key)} is as it was.")

    def do_export(self) -> None:
        """Write an NPC as a character card, or its knowledge as a lorebook."""
        usage = "aisetup/export <key> [= v3, v2 or lorebook, or a picture]"
        script, npc, typed = self._of_keeper(usage)
        form, _space, picture = (typed or "v3").partition(" ")
        form = form.lower()
        if form not in FORMS:
            form, picture = "v3", typed
        if picture and (form == "lorebook" or not picture.lower().endswith(".png")):
            raise Refusal(f"Usage: {usage}")
        reader = self.reader(npc)
        taught = [line for line in npc.memory.knowledge.lines if text_of(line)]
        lines = [line for line in taught if reader.may(audience_of(line))]
        content, ending = _exported(PendingImport(npc), form, lines, picture.strip())
        path = card_folder.write(f"{script.db.assistant_key}.{form}{ending}", content)
        logger.log_sec(
            f"Assistant export: {self.caller.key} #{self.caller.pk} wrote {npc.key} #{npc.pk} to "
            f"{path}."
        )
        told = f"Written: {plain(path)} ({len(content):,} bytes)."
        self.msg(f"{told} {reader.note()}" if reader.withheld else told)

    def _of_keeper(self, usage: str) -> tuple[Any, Any, str]:
        script = self.assistant(self.lhs, usage)
        npc = self.with_character(script)
        self.need_keeper(script)
        return script, npc, (self.rhs or "").strip()


def _content_of(typed: str) -> tuple[bytes, str, str]:
    """What somebody means by a file's name or a pasted text: the content, its name, its source."""
    if card_folder.is_file_name(typed):
        return card_folder.read(typed), typed, typed
    content = _BREAK.sub("\n", typed).encode("utf-8", "replace")
    # Named by what it says: typed once more it is the same, and another text takes nothing away.
    name = f"typed {hashlib.blake2b(content, digest_size=3).hexdigest()}"
    return content, name, "what was typed"


def _what_there_is(npc: Any) -> str:
    found = card_folder.files()
    listed = ", ".join(plain(name, 60) for name in found[:40]) or "none"
    return (
        f"Nothing waits for {plain(npc.key)}. Files in {plain(card_folder.folder())}: {listed}. "
        f"Usage: {USAGE}"
    )


def _exported(
    pending: PendingImport, form: str, lines: list[Any], picture: str
) -> tuple[bytes, str]:
    if form == "lorebook":
        whole = pending.book(lines)
    else:
        whole = (as_v3 if form == "v3" else as_v2)(pending.card(lines))
    if picture:
        return in_picture(card_folder.read(picture), whole), ".png"
    try:
        written = json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False)
    except (TypeError, ValueError) as err:
        raise CardError(f"Something in it cannot be written as JSON: {err}.") from None
    return written.encode("utf-8", "replace"), ".json"
