"""`/subscribe` and `/unsubscribe`: the channels an assistant hears."""

from __future__ import annotations

from typing import Any

from evennia.comms.models import ChannelDB
from evennia.utils.dbserialize import deserialize

from ..base import Refusal
from ..plain import plain

MODES = ("mention", "all", "never")


class ChannelMixin:
    """The switches /subscribe and /unsubscribe."""

    def do_subscribe(self) -> None:
        """Let an assistant hear a channel."""
        usage = "aisetup/subscribe <key> = <channel> [mention, all or never]"
        script, npc, wanted = self._channel_command(usage)
        name, _space, last = wanted.rpartition(" ")
        mode = last.lower() if name and last.lower() in MODES else None
        channel = self._channel(name.strip() if mode else wanted)
        mode = mode or "mention"
        if not channel.access(npc, "listen") and not self.is_admin:
            raise Refusal(
                f"{plain(npc.key)} may not listen to {plain(channel.key)}: that channel's 'listen' "
                "lock keeps it out."
            )
        channel.connect(npc)
        # Evennia would send the lines to connected accounts only.
        channel.send_to_online_only = False
        channels = {**(deserialize(script.db.channels) or {}), channel.key.lower(): mode}
        script.db.channels = channels
        does = {
            "mention": "answers when it is named",
            "all": "answers everything",
            "never": "answers nothing",
        }[mode]
        self.msg(f"{plain(npc.key)} hears {plain(channel.key)} now and {does} there.")

    def do_unsubscribe(self) -> None:
        """Let an assistant leave a channel."""
        script, npc, wanted = self._channel_command("aisetup/unsubscribe <key> = <channel>")
        channels = deserialize(script.db.channels) or {}
        if wanted.lower() not in channels:
            heard = ", ".join(sorted(channels)) or "none"
            raise Refusal(
                f'{plain(npc.key)} does not hear "{plain(wanted, 40)}"; it hears: {plain(heard)}.'
            )
        del channels[wanted.lower()]
        script.db.channels = channels
        channel = ChannelDB.objects.filter(db_key__iexact=wanted).first()
        if channel is not None:
            channel.disconnect(npc)
        self.msg(f"{plain(npc.key)} does not hear {plain(wanted)} any more.")

    def _channel_command(self, usage: str) -> tuple[Any, Any, str]:
        script = self.assistant(self.lhs, usage)
        npc = self.with_character(script)
        self.need_keeper(script)
        if not self.rhs:
            raise Refusal(f"Usage: {usage}")
        return script, npc, self.rhs.strip()

    def _channel(self, name: str) -> Any:
        """A channel the caller may listen to themselves, so that no NPC spies for them."""
        open_to_caller = [
            channel for channel in ChannelDB.objects.all() if channel.access(self.caller, "listen")
        ]
        for channel in open_to_caller:
            names = (channel.key, *channel.aliases.all())
            if name.lower() in (str(one).lower() for one in names):
                return channel
        known = ", ".join(sorted(channel.key for channel in open_to_caller)) or "none"
        raise Refusal(f'There is no channel "{plain(name, 40)}". There are: {plain(known)}.')
