"""
The NPC itself.

`AssistantCharacter` is ready to use; `AssistantMixin` gives the same to any game's own Character
class::

    class Npc(AssistantMixin, MyCharacter):
        pass

`ExactSpeechMixin` is for player characters: with it, NPCs take a speaker's exact words instead of
reading them out of the line Evennia prints. It is optional.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evennia.objects.objects import DefaultCharacter
from evennia.utils.ansi import strip_ansi
from evennia.utils.dbserialize import deserialize
from evennia.utils.utils import lazy_property, make_iter

from ..awake import following
from ..conf import setting
from ..memory.attribute_value import attribute_value
from ..memory.handler import MemoryHandler
from ..perception.hearing import perceive, perceive_channel, sentient, urgency_of
from ..perception.speaking import speaking
from .script import get_assistant_script


class ExactSpeechMixin:
    """Hands the exact words of `at_say` to listening NPCs."""

    def at_say(self, message: Any, *args: Any, **kwargs: Any) -> Any:
        """As Evennia's, while NPCs can look up the words."""
        receivers = kwargs.get("receivers")
        with speaking(self, strip_ansi(str(message)), make_iter(receivers) if receivers else ()):
            return super().at_say(message, *args, **kwargs)


class AssistantMixin(ExactSpeechMixin):
    """
    Gives a character memory and ears.

    Set by its keeper: `db.persona` (a mapping with `description`, and optionally `voice`,
    `greeting`, `farewell`, `unknown`; or just a text) and `db.knowledge` (a list of lines, or of
    `{"text": ..., "audience": [...]}`).

    """

    is_assistant = True

    @lazy_property
    def memory(self) -> MemoryHandler:
        """All that this NPC remembers."""
        return MemoryHandler(self)

    @property
    def assistant_script(self) -> Any:
        """The script that drives this NPC, None when it has none."""
        script = attribute_value(self.nattributes, "assistant_script")
        if script is None or not script.pk:
            key = self.db.assistant_key
            script = self.ndb.assistant_script = get_assistant_script(key) if key else None
        return script

    def forget_assistant_script(self) -> None:
        """Look the script up anew at the next occasion."""
        self.ndb.assistant_script = None

    def memory_of_persona(self) -> dict[str, Any]:
        """The persona as a plain mapping; a text alone is its description."""
        stored = deserialize(self.db.persona)
        if isinstance(stored, Mapping):
            return dict(stored)
        return {"description": str(stored or self.db.desc or f"{self.key}, who lives here.")}

    # Asleep --------------------------------------------------------------------------------------

    def at_mode_change(self, mode: str, reason: str) -> None:
        """
        Called when this NPC has fallen asleep or woken; does nothing itself.

        Args:
            mode: `awake` or `sleep`, the mode it is in now.
            reason: Why.

        """

    @property
    def asleep(self) -> bool:
        """Whether this NPC sleeps."""
        script = self._listening()
        if script is None:
            return False
        return bool(attribute_value(script.attributes, "operating_mode") == "sleep")

    def get_display_name(self, looker: Any = None, **kwargs: Any) -> str:
        """As the game's; while the NPC sleeps others see so, as `ASSISTANT_ASLEEP_NAME` says."""
        name = super().get_display_name(looker, **kwargs)
        if looker is None or looker is self or not self.asleep or self.ndb.seen_acting:
            return name
        return setting("ASSISTANT_ASLEEP_NAME").replace("{name}", name)

    def get_display_desc(self, looker: Any, **kwargs: Any) -> str:
        """As the game's; while the NPC sleeps a line says so."""
        desc = super().get_display_desc(looker, **kwargs)
        line = setting("ASSISTANT_ASLEEP_DESCRIPTION")
        if not line or not self.asleep:
            return desc
        name = super().get_display_name(looker)
        return f"{desc}\n{line.replace('{name}', name)}"

    # Ears ----------------------------------------------------------------------------------------

    def at_msg_receive(self, text: Any = None, from_obj: Any = None, **kwargs: Any) -> bool:
        """
        Hear what a player's client would show.

        Returns:
            What the class beneath returns, so that a puppeting player goes on seeing everything.

        """
        passed = super().at_msg_receive(text=text, from_obj=from_obj, **kwargs)
        script = self._listening()
        if script is not None and from_obj is not None:
            percept = perceive(
                self,
                text,
                from_obj,
                now=script.agent.now(),
                known_present=script.agent.known_present,
                strict=script.option("strict_audience"),
            )
            if percept is not None:
                script.agent.hear(percept, urgency_of(text))
                if percept.manner == "leave" and not script.agent.asleep:
                    following.somebody_left(script.agent, percept)
        return passed

    def at_post_move(self, source_location: Any, move_type: str = "move", **kwargs: Any) -> None:
        """Take in who is at the new place."""
        super().at_post_move(source_location, move_type=move_type, **kwargs)
        script = self._listening()
        if script is not None:
            script.agent.look_around()

    def at_object_receive(
        self, moved_obj: Any, source_location: Any, move_type: str = "move", **kwargs: Any
    ) -> None:
        """Take in what somebody gives it."""
        super().at_object_receive(moved_obj, source_location, move_type=move_type, **kwargs)
        script = self._listening()
        given = move_type == "give" and source_location not in (None, self)
        if script is not None and given and sentient(source_location):
            script.agent.given(moved_obj, source_location)

    def at_pre_channel_msg(
        self, message: str, channel: Any, senders: Any = None, **kwargs: Any
    ) -> str:
        """Channels call this on every subscriber."""
        return message

    def channel_msg(self, message: str, channel: Any, senders: Any = None, **kwargs: Any) -> None:
        """Hear a channel this NPC was subscribed to."""
        script = self._listening()
        sender = next(iter(make_iter(senders)), None) if senders else None
        if script is None or sender is None:
            return
        percept = perceive_channel(
            self,
            message,
            channel,
            sender,
            now=script.agent.now(),
            strict=script.option("strict_audience"),
        )
        if percept is not None:
            script.agent.hear(percept)

    def at_post_channel_msg(
        self, message: str, channel: Any, senders: Any = None, **kwargs: Any
    ) -> None:
        """Channels call this on every subscriber."""

    def at_object_delete(self) -> bool:
        """The script goes with its character."""
        if not super().at_object_delete():
            return False
        script = self.assistant_script
        if script is not None:
            script.delete()
        return True

    def _listening(self) -> Any:
        """The script, if it is switched on and the server is up."""
        script = self.assistant_script
        if script is None or not attribute_value(script.attributes, "enabled"):
            return None
        return script


class AssistantCharacter(AssistantMixin, DefaultCharacter):
    """An NPC with a mind, on Evennia's own Character."""
