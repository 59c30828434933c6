"""
The text half of the output gate: what a model says is printed, never obeyed.

Two steps, so that a memory of what was said is kept in plain words while a client is sent the
escaped form::

    line = speakable(answer, speaker="Bram")                  # plain words: for journal and memory
    npc.at_say(for_speech(line), msg_self=True)               # for the room
    npc.location.msg_contents(f"{name} {for_emote(line)}")    # for a pose

`sanitize_speech` is both steps for speech. An empty result means: say nothing.

Which way a line goes decides its escapes, because Evennia reads markup in three passes and each
destination meets only some of them:

==================  ==================================  ===============  =========================
pass                reads                               `at_say`         `msg_contents`, pose
==================  ==================================  ===============  =========================
funcparser          `$You()`, `$pron(...)`, `\\`         not the speech   `$` and `\\` escaped
`str.format_map`    `{name}`                            not the speech   `{` `}` doubled
client (ANSI, MXP)  `|r`, `|500`, `|/`, `|lc...`, `{{`  `|` doubled      `|` doubled
==================  ==================================  ===============  =========================

Every escape is undone by the pass it is meant for: a player sees the single character. They show
only where a pass is skipped, that is, when a line made for one destination is sent to the other.
A directed `at_say` that is no whisper formats the speech itself unless `msg_receivers` is given:
give it.

Three things cannot be escaped and are changed instead. Evennia looks for MXP links after it has
undone `||`, so the bars of `|lc`, `|lu`, `|lt` and `|le` go. The bar of `|/` goes too, because
lines to screen readers are parsed twice and a forged line is worse than a lost bar. Characters
nobody can see (control, format, bidirectional, zero-width) are left out.

"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

#: Longest line an NPC says unless its keeper allows more; characters as a player sees them.
DEFAULT_MAX_LENGTH = 500

#: What may be allowed: colours and styles, never links, breaks or blinking.
_COLOUR = re.compile(
    r"(?:[nrgybmcwxRGYBMCWXhHuUiIsS]|!?[RGYBMCWX]|\[[RGYBMCWXrgybmcwx]"
    r"|\[?[0-5]{3}|\[?=[a-z]|\[?#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3}))\Z"
)

_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor, MXP line modes
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS
    r"|\x1b[ -/]*[0-~]?"
)
_THINK_OPEN = re.compile(r"<(think|thinking|thought|reasoning)\b[^<>]{0,80}>", re.IGNORECASE)
_THINK_CLOSE = re.compile(r"</(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_CHAT_TOKEN = re.compile(r"<\|[A-Za-z_]{1,30}\|>")
_ROLE = r"(?:assistant|ai|npc|bot|reply|response|answer)"
_SAYS = r"\s+(?:says?|said|replies|answers|whispers)"
_BREAK_CODE = re.compile(r"\|+/")
_DOUBLED_BRACE = re.compile(r"\{{2,}")
_FUNC_MARK = re.compile(r"\\*\$|\\+")
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "\u2018": "\u2019"}

#: Letters and symbols that show nothing.
_BLANK = "\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5"

#: Marks that may stand on one letter; more climb over neighbouring lines.
_MAX_MARKS = 4
_MARK_RUN = re.compile(r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{5,}")


class _Seen(dict[int, str | None]):
    """A translation table that keeps what can be seen, and turns any blank into a space."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        category = unicodedata.category(char)
        shown: str | None = char
        if category in ("Zs", "Zl", "Zp") or char in "\t\v\f\r\x1c\x1d\x1e\x85" or char in _BLANK:
            shown = " "
        elif category in ("Cc", "Cf", "Cs") and char != "\n":
            shown = None
        self[code] = shown
        return shown


_SEEN = _Seen()


def sanitize_speech(
    text: str,
    *,
    max_length: int = DEFAULT_MAX_LENGTH,
    allowed_colours: Collection[str] = frozenset(),
    speaker: str = "",
    others: Collection[str] = (),
) -> str:
    """
    What a model said, ready to be handed to `at_say`: `for_speech` of `speakable`.

    Args:
        text: The model's answer.
        max_length: Cap in characters, as in `speakable`.
        allowed_colours: Codes that stay alive, as in `for_speech`.
        speaker: The NPC's name, as in `speakable`.
        others: Names of the others present, as in `speakable`.

    Returns:
        One escaped line, "" when nothing sayable is left. Do not escape it again.

    """
    line = speakable(text, max_length=max_length, speaker=speaker, others=others)
    return for_speech(line, allowed_colours=allowed_colours)


def speakable(
    text: str,
    *,
    max_length: int = DEFAULT_MAX_LENGTH,
    speaker: str = "",
    others: Collection[str] = (),
) -> str:
    """
    The words of a model's answer: one line, in plain text, as a player is meant to read it.

    Reasoning blocks, chat tokens, terminal escapes and unseen characters are dropped; line breaks
    become spaces; a label ("Bram:") and quotes around the whole go. Where the model went on to
    write somebody else's part, the answer ends. Stage directions stay: they are only text.

    Args:
        text: The model's answer, of any length.
        max_length: Cap in characters; a longer line ends with "..." after a whole word.
        speaker: The NPC's name; a label with it is removed.
        others: Names of the others present; a line labelled with one of them ends the answer.

    Returns:
        The line, "" when nothing sayable is left. It is not escaped: it goes to memory, and to a
        client only through `for_speech` or `for_emote`.

    """
    text = _ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n")).translate(_SEEN)
    text = _CHAT_TOKEN.sub("", _without_reasoning(text))
    text = _own_part(text[: 8 * max_length + 2000], speaker, others)
    text = _MARK_RUN.sub(lambda match: match[0][:_MAX_MARKS], text)
    text = " ".join(_BREAK_CODE.sub(" ", text).split())
    text = _unquoted(text)
    if not any(unicodedata.category(char)[0] in "LNPS" for char in text):
        return ""
    return _capped(text, max_length)


def for_speech(
    text: str,
    *,
    allowed_colours: Collection[str] = frozenset(),
    inlines_parsed: bool = False,
) -> str:
    """
    Plain words, escaped for `at_say`: a client shows exactly them.

    Args:
        text: Plain words, from `speakable`.
        allowed_colours: Colour codes without their bar ("r", "n", "500", "=m", "#ff0000") that
            stay alive. A line that uses one ends with a reset.
        inlines_parsed: True in a game with `FUNCPARSER_PARSE_OUTGOING_MESSAGES_ENABLED`, where
            every line to a client is parsed for `$Func()`.

    Returns:
        The escaped words. For `msg_contents` and poses it is the wrong form: use `for_emote`.

    Raises:
        ValueError: Something other than a colour was to be allowed.

    """
    text = _for_client(text, allowed_colours)
    return _for_funcparser(text) if inlines_parsed else text


def for_emote(
    text: str,
    *,
    allowed_colours: Collection[str] = frozenset(),
    inlines_parsed: bool = False,
) -> str:
    """
    Plain words, escaped to be part of a `msg_contents` text: a client shows exactly them.

    Args:
        text: Plain words, from `speakable`.
        allowed_colours: As in `for_speech`.
        inlines_parsed: As in `for_speech`.

    Returns:
        The escaped words. In `at_say` their escapes would show: use `for_speech` there.

    Raises:
        ValueError: Something other than a colour was to be allowed.

    """
    text = _for_client(text, allowed_colours)
    if text.endswith(("|", "|n")):
        # telnet looks at the last characters of a line before it reads `||`
        text += "|n"
    if inlines_parsed:
        text = _for_funcparser(text)
    return _for_funcparser(text.replace("{", "{{").replace("}", "}}"))


def _for_client(text: str, allowed_colours: Collection[str]) -> str:
    """Bars doubled but for allowed colours, and links broken."""
    unfit = sorted(code for code in allowed_colours if not _COLOUR.match(code))
    if unfit:
        raise ValueError(f"not colour codes: {', '.join(map(repr, unfit))}")
    codes = "|".join(re.escape(code) for code in sorted(allowed_colours, key=len, reverse=True))
    code = rf"\|(?:{codes})" if codes else r"(?!)"
    # A client without colours strips the codes first, and only then looks for links.
    text = re.sub(rf"\|(?=(?:{code}|\|)*(?:l[cute]|/))", "", text)
    text = _DOUBLED_BRACE.sub(lambda match: match[0] * 2, text)
    parts = re.split(f"({code})", text)
    parts[::2] = [words.replace("|", "||") for words in parts[::2]]
    if len(parts) > 1 and parts[-2] != "|n":
        parts.append("|n")
    return "".join(parts)


def _for_funcparser(text: str) -> str:
    """Undone by one pass of Evennia's funcparser: it drops the last of a run of backslashes."""
    return _FUNC_MARK.sub(lambda match: "\\" + match[0], text)


def _without_reasoning(text: str) -> str:
    """The text after and between reasoning blocks; an unclosed one hides all that follows."""
    said = []
    while opening := _THINK_OPEN.search(text):
        said.append(text[: opening.start()])
        closing = _THINK_CLOSE.search(text, opening.end())
        text = text[closing.end() :] if closing else ""
    said.append(text)
    # Some models' templates open the block in the prompt, so that only its end is in the answer.
    return _THINK_CLOSE.split("".join(said))[-1]


def _own_part(text: str, speaker: str, others: Collection[str]) -> str:
    """The part spoken by the speaker, without labels."""
    names = [re.escape(name) for name in {speaker, *speaker.split()[:1]} if name.strip()]
    own = "|".join([*sorted(names, key=len, reverse=True), _ROLE])
    label = re.compile(
        rf"\s*[*_\[(]{{0,3}}(?:{own})[\])]?"
        rf"(?:(?:{_SAYS})?[*_]{{0,3}}\s*:[*_]{{0,3}}|{_SAYS}[*_]{{0,3}}\s*,(?=\s*[\"“«]))\s*",
        re.IGNORECASE,
    )
    theirs = [re.escape(name) for name in others if name.strip()]
    stranger = re.compile(
        rf"\s*[*_\[]{{0,3}}(?:{'|'.join([*theirs, 'user', 'human', 'player'])})"
        rf"\]?[*_]{{0,3}}\s*:",
        re.IGNORECASE,
    )
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and stranger.match(line):
            break
        line = label.sub("", line, count=1) if label.match(line) else line
        if line.strip():
            lines.append(line)
    return "\n".join(lines)


def _unquoted(text: str) -> str:
    """The text without one pair of quotes that encloses all of it."""
    while len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        inner = text[1:-1]
        if text[0] in inner or text[-1] in inner:
            break
        text = inner.strip()
    return "" if text in _QUOTES or text in _QUOTES.values() else text


def _capped(text: str, max_length: int) -> str:
    """At most so many characters, cut after a word where there is one."""
    if len(text) <= max_length:
        return text
    room = max(max_length - 3, 0)
    cut = text[: room + 1].rfind(" ")
    kept = text[: cut if cut > room // 2 else room]
    return (kept.rstrip(" ,;:-.") + "...")[:max_length]
