"""
How good or bad a line is, without a model: -1 to 1, from a small lexicon.

It is for what a model has not judged: it gates and breaks ties, so a line in doubt is 0. English
only; a line in another language is 0 as well. Strong words count for themselves and do not add up
to more than 1; "not" within the three words before a word turns it and halves it; a question, and
what only might be, halves it; set phrases that mean something else ("dying to meet you", "a murder
of crows", "good evening") are read first.

    >>> valence_of("My brother was murdered.") < -0.8 < 0.5 < valence_of("I am so happy!")
    True
    >>> valence_of("I am not happy."), valence_of("Not bad."), valence_of("Good evening.")
    (-0.3, 0.25, 0.0)

"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from .insults import is_insult
from .text import stem, words

#: Weight of a word by its stem's family; each family is written as its words.
_LEXICON_TEXT: Mapping[float, str] = {
    -0.95: "murder murdered murderer slaughter massacre rape suicide",
    -0.9: "died dies dead death killed kill killing killer slain drowned executed hanged funeral",
    -0.85: "betrayed betrayal betray traitor tortured torture enslaved",
    -0.8: "dying widow widower orphan orphaned stillborn kidnapped abducted destroyed "
    "devastated heartbroken grief grieve grieving mourn mourning terrified horror horrified",
    -0.7: "war plague attack attacked attacking hate hated despise despised loathe ruined ruin "
    "disaster tragedy tragic agony cruel cruelty abandoned divorce divorced curse cursed doom "
    "poisoned stabbed robbed beaten starving starved",
    -0.6: "stolen steal stole thief thieves afraid scared fear fearful frightened miserable misery "
    "angry furious rage danger dangerous dangerously wounded wound bleeding evil threat threaten "
    "threatened violence violent crying wept weep weeping suffering suffer suffered desperate "
    "despair hopeless enemy horrible terrible awful ashamed shame humiliated lied liar fired "
    "banished exiled imprisoned prison jailed arrested",
    -0.5: "sad sadness unhappy sorrow hurt pain painful lonely sick ill illness fever bad badly "
    "worse worst broken lost fail failed failure disgusting disgust ugly worthless regret sorry "
    "trouble upset worried worry warning hungry hunger fight fought fighting quarrel quarrelled "
    "cheated cheat insult insulted offended jealous accident crippled wicked burnt burned",
    -0.3: "tired exhausted annoyed annoying bored boring dull difficult poor weak unfair rude "
    "disappointed disappointing nervous anxious complain complained refuse refused debt wrong "
    "mistake doubt doubtful alone missing gloomy bitter suspicious",
    0.3: "nice calm agree agreed welcome easy smile smiled smiling "
    "polite pretty tasty clean comfortable interesting curious hope hopeful ready reward healed "
    "cured recover recovered promising relieved relief safe safely saved",
    0.5: "good glad pleased pleasant enjoy enjoyed enjoying kind kindness friend friendly friends "
    "friendship thanks thank thankful grateful gratitude trust trusted trustworthy generous lovely "
    "delicious fun funny laugh laughed laughing brave honest lucky luck gift peace peaceful better "
    "celebrate celebration success succeed succeeded proud pride",
    0.6: "happy happily happiness cheerful great beautiful beautifully wonderful excellent "
    "delighted delight joy joyful admire excited exciting victory won best hero treasure treasured "
    "bless blessed blessing marvellous splendid",
    0.8: "love loved loves loving married marriage wedding betrothed engaged newborn born birth "
    "rescued triumph overjoyed ecstatic bliss miracle",
}


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEGATIONS = _words_of(
    "not no never nobody nothing neither nor without hardly barely cannot cant dont doesnt didnt "
    "isnt wasnt arent werent wont wouldnt couldnt shouldnt havent hasnt hadnt aint"
)
_STRONGER = _words_of("very so really truly extremely utterly terribly deeply absolutely")
_WEAKER = _words_of("slightly somewhat rather little bit quite fairly")
_MAYBE = _words_of("if unless might perhaps maybe suppose imagine pretend dreamed dreamt")
#: What means something else than its words.
_SET_PHRASES = re.compile(
    r"""
    \bgood\ (?:morning|day|evening|night|afternoon|bye|grief|heavens)\b
    | \bfired?\ up\b | \bdying\ (?:to|for)\b | \bto\ die\ for\b | \bkill(?:ing)?\ (?:for|time)\b
    | \bdead\ (?:of|end|tired|sure|certain|right|drunk|serious|centre|center|ahead)\b
    | \bmurder\ of\ crows\b | \bbest\ (?:not|to|be)\b | \bworst\ comes\b | \bhad\ better\b
    | \bbetter\ (?:not|be|go)\b | \blost\ (?:in\ thought|track)\b | \bkind\ of\b | \bpretty\ much\b
    | \bpoor\ (?:thing|soul)\b | \bwelcome\b(?=[!.,]?$) | \bbury\ the\ hatchet\b | \bcold\ war\b
    | \b(?:rat|fly|weed)\ kill(?:er|ing)\b | \bno\ (?:problem|trouble|worr(?:y|ies)|matter|doubt)\b
    | \bwould\ (?:love|hate)\b | \bnever\b(?=\ (?:been|felt|was|were)\ (?:so|more|better)\b)
    | \bthank(?:s|\ you)\b(?=[.,! ]*$) | \bsorry\b(?=\ to\ (?:bother|disturb|trouble))
    """,
    re.VERBOSE,
)
_CLAUSE_END = re.compile(r"[.!,;?\n]+|\bbut\b")
_APOSTROPHE = re.compile(r"['\u2019]")
#: Words before one that may turn it, and what turning leaves of it.
_REACH = 3
_TURNED = -0.5
#: What abuse to the face comes to, at least.
_INSULT = -0.6

#: Weight by word, and by the stem of a word; a stem that two words share has the earlier one's.
_LEXICON: dict[str, float] = {}
for _weight, _text in _LEXICON_TEXT.items():
    for _word in _text.split():
        _LEXICON[_word] = _weight
        _LEXICON.setdefault(stem(_word), _weight)


# The same line is heard by every NPC in a room.
@lru_cache(maxsize=512)
def valence_of(text: str) -> float:
    """
    How good or bad what a text tells is.

    Args:
        text: What was said or happened.

    Returns:
        -1 to 1 in hundredths; 0 for what is neither, or in doubt.

    """
    good = bad = 0.0
    for weight in _weights(text.casefold()):
        if weight > 0:
            good += (1.0 - good) * weight
        else:
            bad += (1.0 + bad) * weight
    value = good + bad
    if is_insult(text):
        value = min(value, _INSULT)
    return round(max(-1.0, min(1.0, value)), 2)


def _weights(text: str) -> Iterator[float]:
    """The weight of each telling word, as its surroundings leave it; each word counts once."""
    seen: set[str] = set()
    plain = _APOSTROPHE.sub("", _SET_PHRASES.sub(" ", _APOSTROPHE.sub("'", text)))
    start = 0
    for end in [*_CLAUSE_END.finditer(plain), None]:
        clause = plain[start : end.start() if end else len(plain)]
        asked = end is not None and "?" in end.group()
        start = end.end() if end else len(plain)
        tokens = words(clause)
        share = 0.5 if asked or not _MAYBE.isdisjoint(tokens) else 1.0
        for position, token in enumerate(tokens):
            root = stem(token)
            weight = _LEXICON.get(token, _LEXICON.get(root))
            if weight is None or root in seen:
                continue
            seen.add(root)
            yield share * _turned(weight, tokens[max(0, position - _REACH) : position])


def _turned(weight: float, before: list[str]) -> float:
    """A word's weight after the words right before it."""
    if not _STRONGER.isdisjoint(before):
        weight = max(-1.0, min(1.0, weight * 1.2))
    if not _WEAKER.isdisjoint(before):
        weight *= 0.6
    if sum(word in _NEGATIONS for word in before) % 2:
        weight *= _TURNED
    return weight
