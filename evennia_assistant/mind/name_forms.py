"""
Which words somebody answers to, and the words of a line to look for them in.

"Old Bram the Innkeeper" answers to his whole name, to "Old Bram", "Bram" and "Innkeeper" and to
his aliases, but never to "old" or "the": a word that is only grammar or description is nobody's
name. A word that is a name and ordinary English too ("Rose", "Will") is a form marked
`ambiguous`, so that whoever reads the line can ask for better evidence.

"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from evennia_assistant.mind.percept import SpeakerKind

# ruff: noqa: RUF001 - the typographic apostrophes are data here


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Grammar and generic forms of address: never a name on their own.
NEVER = _words(
    """
    a an and the of or to in on at by for from with without under over near into s
    i me my we us our you your he him his she her hers it its they them their this that
    is are was be been am has have had do does did not no yes
    der die das den dem des ein eine und zu vom zum zur le la les l un une et du des aux el los las
    y e o il lo gli i di da de del della dos das van von af av och den det ter ten bin ibn al
    sir lady lord dame miss mr mrs ms mister missus madam maam master mistress saint st
    man men woman women boy girl lad lass one thing person people folk guy someone somebody
    """
)

#: Describing words: part of a full name, never a name on their own.
ADJECTIVES = _words(
    """
    old young elder younger big small little large huge tiny tall short fat thin slim stout lean
    great good bad mad wild wise brave bold fair ugly pretty beautiful handsome poor rich humble
    black white red green blue brown grey gray golden silver bronze yellow purple pink dark light
    pale bright bald bearded scarred wounded tired sleepy drunk drunken grumpy gruff happy sad
    merry jolly angry quiet loud silent shy friendly kind cruel evil holy unholy dead undead
    ancient aged new weary dusty dirty ragged hooded cloaked masked armed armored armoured blind
    deaf mute lame crippled one-eyed eyed haired limping mysterious strange local royal noble
    common lone lonely lost first second third last north south east west northern southern
    eastern western upper lower high low head chief senior junior apprentice retired fierce gentle
    cheerful cheery nervous stern famous infamous real true fine nice lovely sweet dear grim cold
    """
)

#: Nouns that only say where somebody belongs, unless they end the name ("the city guard").
PLACES = _words(
    """
    city town village castle keep tower inn tavern bar pub shop store market street road harbor
    harbour dock dockside port ship sea river forest wood woods hill mountain desert swamp temple
    church chapel abbey guild palace court house home farm mill mine night day dawn winter summer
    stone iron steel gold wooden bronze leather silk war peace time world water fire ice wind
    fish ale beer wine bread stew horse dog cat rat wolf bear potion magic weapon weapons armor
    body travelling traveling wandering serving stable kitchen
    """
)

#: Titles people call their holder by, though the name goes on after them.
TITLES = _words(
    """
    captain doctor father mother sister brother sergeant corporal lieutenant commander admiral
    general marshal colonel major mayor king queen prince princess baron baroness duke duchess
    count countess earl abbot abbess bishop priest priestess judge sheriff constable professor
    magister archmage wizard uncle aunt auntie granny grandma grandpa grandfather grandmother
    inspector chancellor warden steward butler cook barkeep bartender innkeeper guard smith
    blacksmith merchant bard healer ranger hunter knight squire monk friar nurse
    """
)

#: Names that are ordinary English words as well.
AMBIGUOUS = _words(
    """
    will may mark bill rose hope faith grace joy art dawn june april august summer autumn winter
    rain storm sky star sunny sandy misty holly ivy violet lily daisy iris jasmine basil sage
    olive ginger pepper cherry amber ruby pearl jade crystal gem opal angel chance chase clay
    cliff dale drew forest frank gene glen grant harry heath jack jay jewel lance lane max
    melody mercy miles nick noble norm pat patience patty penny pierce prudence ray red reed
    rich rob robin rocky rod rusty shadow skip sue tate temperance trinity trip trust verity
    victor wade wolf woody bell blaze bliss breeze brook can charity comfort constance destiny
    fern finch flint fox harmony haven hazel honor honour justice lark liberty light love luck
    moon merry raven reason river rowan serenity silver sorrow stone swift thorn truth unity
    valor virtue wit young ash bear buck bud buster cash colt dash gale gore peace pip rip
    ripple beau
    """
)

#: Ambiguous names that also begin questions: "Will you ...", "May I ...".
AUXILIARY_NAMES = frozenset({"will", "may", "can"})

_SPACELESS = (
    "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_TOKEN = re.compile(rf"[{_SPACELESS}]|[^\W_{_SPACELESS}]+(?:['’ʼ][^\W_{_SPACELESS}]+)*")
_ONE_SPACELESS = re.compile(rf"[{_SPACELESS}]")
_CLITICS = frozenset({"s", "ll", "d", "ve", "re", "m"})
_ACCENTS = re.compile("[\u0300-\u036f]")
_ORIGIN = frozenset({"of", "from", "at", "in"})
_SEPARATE = frozenset({"the", "a", "an", "and", "&", "der", "die", "das", "le", "la", "el", "il"})


@dataclass(frozen=True, slots=True)
class Addressee:
    """
    Somebody a line may be addressed to.

    Args:
        id: Entity id (`"#12"`).
        names: The names they go by here, the key first.
        aliases: Other words they answer to.
        kind: What they are.

    """

    id: str
    names: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    kind: SpeakerKind = "player"


@dataclass(frozen=True, slots=True)
class Form:
    """
    One sequence of words that names somebody.

    Args:
        tokens: The folded words.
        whole: True for a full name or alias, False for a part of a name.
        ambiguous: True for a single word that is ordinary English as well.
        common: True for a single word that may be a common noun ("innkeeper").

    """

    tokens: tuple[str, ...]
    whole: bool
    ambiguous: bool
    common: bool


@dataclass(frozen=True, slots=True)
class Token:
    """
    One word of a line.

    Args:
        text: The word, folded.
        base: The word without a possessive or contracted ending: "bram" of "Bram's".
        start: Where it begins in the line.
        end: Where it ends in the line.
        clitic: True when `base` is shorter than `text`.
        capital: True when it is written with a capital.

    """

    text: str
    base: str
    start: int
    end: int
    clitic: bool
    capital: bool


def fold(text: str) -> str:
    """The text without case, accents and typographic apostrophes, for comparing words."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    return unicodedata.normalize("NFC", plain).replace("’", "'").replace("ʼ", "'")


def tokenize(text: str) -> list[Token]:
    """
    The words of a line, in order; in scripts without spaces every character is one.

    Args:
        text: The line, normalised to NFC by the caller when offsets matter.

    Returns:
        The words, with their places in `text`.

    """
    tokens = []
    for match in _TOKEN.finditer(text):
        written = match.group()
        word = fold(written)
        stem, mark, ending = word.rpartition("'")
        clitic = bool(mark) and ending in _CLITICS
        # "James' stew": an apostrophe straight after an s, before a space, is a possessive.
        after = text[match.end() : match.end() + 2]
        if not clitic and word.endswith("s") and after in ("' ", "’ "):
            clitic, stem = True, word
        base = stem if clitic else word
        tokens.append(Token(word, base, match.start(), match.end(), clitic, written[:1].isupper()))
    return tokens


def is_spaceless(text: str) -> bool:
    """True when the text begins with a character of a script that writes without spaces."""
    return _ONE_SPACELESS.match(text) is not None


@lru_cache(maxsize=4096)
def name_forms(names: tuple[str, ...], aliases: tuple[str, ...] = ()) -> tuple[Form, ...]:
    """
    Every form somebody with these names answers to, without doubles.

    Args:
        names: Full names ("Old Bram the Innkeeper").
        aliases: Words they answer to as they stand.

    Returns:
        The forms, whole names before parts of names.

    """
    found: dict[tuple[str, ...], Form] = {}
    common_nouns = TITLES | {
        fold(segment[-1])
        for name in names
        for number, segment in enumerate(_segments(name))
        if number or fold(name).startswith(("the ", "a ", "an "))
    }

    def add(text: str, *, whole: bool) -> None:
        tokens = tuple(token.text for token in tokenize(unicodedata.normalize("NFC", text)))
        if not tokens or tokens in found:
            return
        single = len(tokens) == 1
        ambiguous = single and tokens[0] in AMBIGUOUS
        common = ambiguous or (single and (text[:1].islower() or tokens[0] in common_nouns))
        found[tokens] = Form(tokens, whole, ambiguous, common)

    for name in names:
        add(name, whole=True)
    for alias in aliases:
        if not all(token.text in NEVER for token in tokenize(alias)):
            add(alias, whole=True)
    for name in names:
        for segment in _segments(name):
            if len(segment) > 1:
                add(" ".join(segment), whole=False)
            for position, word in enumerate(segment):
                if _stands_alone(fold(word), head=position == len(segment) - 1):
                    add(word, whole=False)
    return tuple(found.values())


def _stands_alone(word: str, *, head: bool) -> bool:
    """True when this word of a name may be used for the whole of it."""
    if word in NEVER or word in ADJECTIVES:
        return False
    if len(word) == 1:
        return False
    return head or word in TITLES or word not in PLACES


def _segments(name: str) -> Iterator[list[str]]:
    """The parts of a name that name its bearer: [Old Bram], [Innkeeper]; not what follows "of"."""
    for part in name.split(","):
        segment: list[str] = []
        for raw in part.split():
            word = raw.strip(".,;:!?\"'“”«»()[]")
            folded = fold(word)
            if folded in _ORIGIN:
                break
            if folded in _SEPARATE:
                if segment:
                    yield segment
                segment = []
            elif word:
                segment.append(word)
        if segment:
            yield segment
