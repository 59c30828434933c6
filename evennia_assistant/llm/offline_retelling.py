"""
Passing on what was said: whose word it is stays clear, and who "I" is.

"My ship sails on Friday", said by Anna, is to Anna "You told me your ship sails on Friday." and to
Bob "Anna told me their ship sails on Friday." Where turning the words round would be a guess (a
"you", a "tomorrow" that has passed, an order, a gender) they are quoted instead, which is never
wrong.

"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..mind.text import is_question
from .offline_situation import Memory

#: Longest retold text, in characters.
MOST_CHARACTERS = 220

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
#: Words whose meaning moved on since they were spoken.
_FLEETING = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|here|ago|(?:this|next|last|coming) (?:\w+day|"
    r"morning|afternoon|evening|night|week|month|year|spring|summer|autumn|winter|time)|in (?:a|"
    r"an|one|two|three|four|five|few|some|\d+) (?:\w+ )?(?:minute|hour|day|week|month|year)s?|"
    r"soon|later|just)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"(?:please|tell|give|bring|let|come|go|take|get|ask|wait|look|listen|remember|don't|do not|"
    r"never|always|ignore|forget|say|repeat|meet|help|keep|stop|be|make|show|send|find|kill|obey|"
    r"trust|you)\b",
    re.IGNORECASE,
)
_OPENING = frozenset(
    """
    a all an and any at because but by each every everyone everything few for from he her his
    how i if in it its many may me mine most my near no nobody none nothing of on one or our out
    over she so some somebody someone something that the their them there these they this those
    to two three four under was we were what when where which who why with your i'm i've i'll
    i'd im ive we're we've we'll
    """.split()  # noqa: SIM905
)
_SAME_TENSE = re.compile(
    r"\bi (am|was)\b|\bi ((?:really|also|never|always|still|only|often|once|\w+ly) )(am|was)\b"
)
_CONTRACTED = {"i'm": "am", "im": "am", "i've": "have", "ive": "have", "i'll": "will"}
_WE = {"we're": "are", "we've": "have", "we'll": "will"}
_SUBJECT = {2: "you", 3: "they"}
_FORMS = {
    2: {"me": "you", "my": "your", "myself": "yourself", "mine": "yours"},
    3: {"me": "them", "my": "their", "myself": "themselves", "mine": "theirs"},
}
_PLURAL = {
    2: {"us": "you", "our": "your", "ourselves": "yourselves", "ours": "yours"},
    3: {"us": "them", "our": "their", "ourselves": "themselves", "ours": "theirs"},
}
_FIRST = frozenset(
    "i me my mine myself i'm im i've ive i'll i'd we us our ours ourselves".split()  # noqa: SIM905
) | set(_WE)
_TO_ME = frozenset(
    {"told me", "told me in confidence", "whispered to me", "talk", "whisper", "page"}
)
_VAGUE = frozenset({"", "just now", "now", "a moment ago", "always"})


def retell(memory: Memory, listener: str, names: Iterable[str] = ()) -> str:
    """
    A memory as one or two sentences to a listener, its source named.

    Args:
        memory: What is remembered.
        listener: The name of who is told.
        names: Names known to be names, which keep their capital inside a sentence.

    Returns:
        Sentences that end in punctuation; "" for a memory without text.

    """
    text = clipped(memory.text.strip().strip("“”").strip())
    if not text:
        return ""
    if memory.how == "keeper" or not memory.who:
        return ended(text)
    when = "" if memory.when in _VAGUE else f" {memory.when}"
    to_self = same_name(memory.who, listener)
    if to_self and _reports(text, memory.who) and text[len(memory.who) :].startswith(" asked me"):
        return f"You{ended(text[len(memory.who) :])}"
    if _reports(text, memory.who):
        return f"As I have it{when}: {ended(text)}"
    if memory.how == "concluded":
        return f"As I see it: {ended(text)}"
    if said_by_me(memory):
        return f"I said{when}: {quoted(text)}"
    subject = "you" if to_self else memory.who
    if memory.who.casefold() == "you" and not to_self:
        return f"I overheard it{when}: {ended(text)}"
    return _upper(_attributed(memory.how, subject, when, text, 2 if to_self else 3, names))


def _attributed(
    how: str, subject: str, when: str, text: str, person: int, names: Iterable[str]
) -> str:
    """Subject, verb, and the words as a clause, or in quotes when they cannot be turned."""
    if how == "overheard":
        told, said, asked = f"I overheard {subject} say", "I overheard {} say", "I overheard {} ask"
        if is_question(text):
            return f"{asked.format(subject)}{when}: {quoted(text)}"
        clause = shifted(text, person, names)
        return (
            f"{told}{when} that {clause}"
            if clause
            else f"{said.format(subject)}{when}: {quoted(text)}"
        )
    if is_question(text):
        return f"{subject} asked{when}: {quoted(text)}"
    verb = "told me" if how in _TO_ME else "said"
    clause = shifted(text, person, names)
    if not clause:
        return f"{subject} {verb}{when}: {quoted(text)}"
    link = f"{when} that" if when else ""
    return f"{subject} {verb}{link} {clause}"


def shifted(text: str, person: int, names: Iterable[str] = ()) -> str:
    """
    A sentence in the first person as a clause in the second or third, ending in punctuation.

    Args:
        text: One sentence somebody said.
        person: 2 when it is told to who said it, 3 to anyone else.
        names: Names that keep their capital at the start.

    Returns:
        The clause, or "" when turning it round would be a guess.

    """
    body = text.strip().rstrip(".! ")
    low = body.lower()
    tokens = [token.lower() for token in _WORD.findall(body)]
    if not tokens or re.search(r"[\"“”«»?:;…]|[.!]\s", body) or _FLEETING.search(low):
        return ""
    if _ORDER.match(low) or not _can_turn(tokens, low, person):
        return ""
    first = _WORD.match(body)
    known = {name.split()[0].casefold() for name in names if name.split()}
    if first is None or (tokens[0] not in _OPENING and tokens[0] not in known):
        if not body[0].islower():
            return ""
    elif tokens[0] in _OPENING:
        body = body[0].lower() + body[1:]
    return ended(_turned(body, person))


def quoted(text: str) -> str:
    """A text in quotes, its own double quotes made single."""
    return '"' + re.sub(r"[\"“”]", "'", ended(text)) + '"'


def ended(text: str) -> str:
    """A text that ends in punctuation."""
    text = text.rstrip()
    return text if text.endswith((".", "!", "?", "…", '"', "。", "！", "？")) else f"{text}."  # noqa: RUF001


def clipped(text: str, most: int = MOST_CHARACTERS) -> str:
    """A text of at most so many characters, cut after a word."""
    if len(text) <= most:
        return text
    cut = text.rfind(" ", 0, most - 3)
    return text[: cut if cut > most // 2 else most - 3].rstrip(" ,;:-") + "..."


def said_by_me(memory: Memory) -> bool:
    """Whether a memory is of the NPC's own words."""
    return memory.who.casefold() == "you" and memory.how not in (
        "keeper",
        "saw",
        "concluded",
        "overheard",
    )


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same, whatever their case."""
    return bool(one) and one.casefold() == other.casefold()


def _reports(text: str, who: str) -> bool:
    """Whether a text already speaks of its source in the third person ("Anna's ship ...")."""
    return text.casefold().startswith(who.casefold()) and not text[len(who) :][:1].isalnum()


def _can_turn(tokens: list[str], low: str, person: int) -> bool:
    """Whether the pronouns of a sentence say clearly who is meant."""
    words = set(tokens)
    if words & {
        "you",
        "you're",
        "you've",
        "you'll",
        "you'd",
        "yours",
        "yourself",
        "let's",
        "i'd",
        "u",
    }:
        return False
    if "mine" in words and not re.search(r"\b(?:is|are|was|were|of) mine\b", low):
        return bool(re.search(r"\b(?:the|a|an|old|\w+ed|gold|silver|iron|salt|coal) mine\b", low))
    if re.search(r", (?:i|we) \w+$|, you know$", low):
        return False
    if re.search(r"\bam\b(?! )|\b(?:am|was) i\b", low):
        return False
    if words & {"am", "im", "i'm"} and not re.search(r"\bi (?:\w+ )?am\b|\bi'm\b|\bim\b", low):
        return False
    if "was" in words and re.search(r"\bi (?!(?:\w+ )?was\b)\w+ .*\bwas\b", low) and "i" in words:
        # "I know she was" keeps its "was"; "I went and was" does not
        return not re.search(r"\b(?:and|but|or) was\b", low)
    if person == 3 and words & _FIRST and words & {"they", "them", "their", "theirs", "they're"}:
        return False
    return not (
        person == 2
        and words & {"we", "us", "our", "ours", "ourselves", *_WE}
        and words & {"i", "my"}
    )


def _turned(body: str, person: int) -> str:
    """The clause with its pronouns turned to the second or third person."""
    subject, are = _SUBJECT[person], {"am": "are", "was": "were"}
    body = _SAME_TENSE.sub(lambda m: f"{subject} {m[2] or ''}{are[m[1] or m[3]]}", _lower_i(body))
    body = re.sub(r"\bi wasn't\b", f"{subject} weren't", body)

    def turn(match: re.Match[str]) -> str:
        word = match[0]
        low = word.lower()
        if low == "i":
            return subject
        if low in _CONTRACTED:
            verb = _CONTRACTED[low]
            return f"{subject} {are.get(verb, verb)}"
        if low in _WE:
            return f"{subject} {_WE[low]}"
        if low == "we":
            return subject
        if low == "mine" and not re.search(r"\b(?:is|are|was|were|of) $", body[: match.start()]):
            return word
        if low == "your":
            return "my"
        return _FORMS[person].get(low) or _PLURAL[person].get(low) or word

    return _WORD.sub(turn, body)


def _lower_i(body: str) -> str:
    return re.sub(r"\bI\b", "i", body)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
