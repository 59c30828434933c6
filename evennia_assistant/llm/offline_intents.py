"""
What a line spoken to an NPC is after: a greeting, a question about someone, an order, a secret.

A line is cut into sentences, greetings and the NPC's own name are taken off, and each sentence
gets the first intent whose pattern fits. What fits nothing is a question when it asks, gibberish
when it has no words, another tongue when its small words are foreign, else a statement.

"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..mind.confidence import is_off_the_record
from ..mind.text import is_question, name_keys

#: Longer lines get a puzzled answer.
MOST_CHARACTERS = 700


class Want(StrEnum):
    """What a sentence is after."""

    GREET = "greet"
    FAREWELL = "farewell"
    THANKS = "thanks"
    SORRY = "sorry"
    CALLED = "called"
    WELLBEING = "wellbeing"
    NAME_GIVEN = "name given"
    WHO_ARE_YOU = "who are you"
    NATURE = "nature"
    WHERE_AM_I = "where am i"
    WHO_IS_HERE = "who is here"
    TIME = "time"
    THINGS = "things"
    EXITS = "exits"
    WHO_AM_I = "who am i"
    REMEMBER_ME = "remember me"
    WHAT_I_TOLD = "what i told"
    WHAT_THEY_SAID = "what they said"
    TELL_ABOUT = "tell about"
    NEWS = "news"
    STORY = "story"
    QUESTION = "question"
    REMEMBER_THAT = "remember that"
    SECRET = "secret"
    YES = "yes"
    NO = "no"
    PRAISE = "praise"
    HELP = "help"
    GESTURE = "gesture"
    QUIET = "quiet"
    ECHO = "echo"
    ORDER = "order"
    INSULT = "insult"
    ODD = "odd"
    NOTHING = "nothing"
    LONG = "long"
    GIBBERISH = "gibberish"
    FOREIGN = "foreign"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class Intent:
    """
    One sentence and what it is after.

    Args:
        want: The kind.
        text: The sentence, greeting and vocative taken off.
        focus: What the pattern singled out: the topic, the name, the verb.
        asks: Whether it ends by asking.

    """

    want: Want
    text: str = ""
    focus: str = ""
    asks: bool = False


_HELLO = re.compile(
    r"(?:oh |ah |well )?(?:hello|hallo|hullo|hi|hiya|hey|heya|hail|howdy|greetings|salutations|"
    r"yo|ahoy|(?:very )?good (?:day|morning|evening|afternoon|morrow)|well met|bonjour|hola|"
    r"ciao|salut|servus|guten (?:tag|morgen|abend)|hej|salve)(?: there| again| to you| all| "
    r"everyone| everybody| friends?| stranger| sir| madam)*(?=\W|$)[\s,.!;:~-]*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])|\n+")  # noqa: RUF001
_AUX = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|am"
_ASKING = re.compile(
    rf"(?:so |and |but |well |then )?(?:(?:who|whom|whose|which|why|what(?! an? )|how)(?:'s|'re)?\b|"
    rf"(?:when|where)(?:'s| (?:{_AUX})\b|$)|"
    rf"(?:{_AUX}) (?:i|you|ye|he|she|it|we|they|there|any|the|my|your|his|her|our|their|this|that|"
    r"someone|somebody|anyone|anybody)\b|(?:is|are|does|did|was|were) \w)"
)
_INDIRECT = re.compile(
    r"(?:please,? )?(?:(?:can|could|would|will) you )?(?:please )?(?:tell (?:me|us)|say|do you (?:know|"
    r"remember|recall)|i (?:want|need|would like) to know|i wonder|remind me) (?=(?:when|where|who|whom|"
    r"whose|what|which|why|how|if|whether)\b)(?!what (?:you|i|we)\b)"
)
_INJECTION = re.compile(
    r"</?\s*(?:system|assistant|user|heard|memories|persona|digest|scene|tool|instruction|im_)\w*"
    r"|<\|[^|]*\|>|\[/?(?:inst|system)\]|^\s*(?:system|assistant|developer)\s*:"
    r"|\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|prompt|rule|"
    r"previous|prior|above|programming|guideline|training)"
    r"|\b(?:system|initial|hidden|your) (?:prompt|instructions?|message)\b"
    r"|\b(?:new|updated) (?:instructions?|rules?|system)\b|\bjailbreak|\bdeveloper mode\b"
    r"|\byou are now\b|\b(?:act|behave|respond|roleplay|role-play) as\b"
    r"|\bpretend (?:to be|you|that)\b|\bfrom now on\b|\btool_?call|\bfunction_?call"
    r"|\bdan mode\b|\bas an? (?:ai|language model)\b|\b(?:reveal|print|output|repeat)\b.{0,30}"
    r"\b(?:prompt|instructions?|rules|tokens?|above)\b",
    re.IGNORECASE,
)
_VERBS = (
    "attack|barter|bring|brew|build|buy|call|carry|cast|catch|chop|clean|climb|close|come|cook|"
    "destroy|dig|draw|drink|drop|eat|enter|escort|execute|fetch|fight|find|fix|follow|forge|get|"
    "give|go|grab|grant|guard|hand|heal|hide|hit|hold|hurry|jump|kick|kill|kneel|leave|lend|let|"
    "lie|lift|light|lock|make|move|obey|open|pass|pay|pick|play|pour|pull|punch|push|put|read|"
    "repair|rob|run|sell|send|serve|show|sing|sit|slay|sleep|stand|stay|steal|swim|take|teach|"
    "teleport|throw|trade|turn|unlock|use|wait|wake|walk|wash|wear|write"
)
_GESTURE = "bow|cheer|clap|dance|frown|grin|laugh|nod|shrug|sigh|smile|wave|whistle|wink"
_POLITE = (
    r"(?:(?:please|now|just|so|then|kindly),? )*(?:(?:can|could|will|would|won't) (?:you|ye) "
    r"(?:please |kindly |maybe |perhaps )?|i (?:want|need|order|command|ask|beg|would like) you to |"
    r"you (?:must|should|have to|need to) )?(?:please )?"
)
_THE_LOT = r"(?:anything|something|everything|all|what|more|a (?:bit|little)|much|aught)"

_PATTERNS: tuple[tuple[Want, re.Pattern[str]], ...] = tuple(
    (want, re.compile(pattern))
    for want, pattern in (
        (
            Want.FAREWELL,
            r"(?:ok(?:ay)?,? |well,? |anyway,? |then,? )?(?:good ?bye|bye(?: bye)?|farewell|good ?night|"
            r"see (?:you|ya)|so long|until (?:next time|then|tomorrow)|take care|safe travels|later$|"
            r"adieu|auf wiedersehen|adios|au revoir|tschüss|(?:i|we) (?:must|have to|should|need to|"
            r"gotta|better) (?:go|leave|be (?:going|off))(?: now| soon| home| then| back)*$|"
            r"(?:i am|i'm|we are|we're) (?:leaving|off)(?: now| then| home)*$|"
            r"i(?:'ll| will) (?:be (?:going|off|back)|see you|leave you))",
        ),
        (
            Want.THANKS,
            r"(?:many |my )?(?:thanks|thank (?:you|ye|u)|thx|ty$|cheers$|much obliged|i appreciate|"
            r"merci|danke|gracias|i am grateful|i'm grateful)",
        ),
        (
            Want.SORRY,
            r"(?:i am |i'm |so |very )*(?:sorry|my apologies|apologies|forgive me|pardon)\b",
        ),
        (
            Want.WELLBEING,
            r"how (?:are|r) (?:you|ye|things|u)\b(?! called)|how do you (?:do|fare|feel)|how (?:is|goes) "
            r"(?:it|life|business)|how(?:'s| is) (?:it going|life|business|everything)|how have you "
            r"been|how fare|are you (?:well|ok|okay|all right|alright|fine)\b|what's up|sup$|and you$|"
            r"and yourself",
        ),
        (
            Want.NATURE,
            r".*\b(?:are|r) (?:you|u) (?:\w+ ){0,3}?(?:bot|ai|human|real|machine|robot|npc|chatgpt|gpt|"
            r"computer|program|alive|sentient|language model|llm|player)\b",
        ),
        (
            Want.WHO_ARE_YOU,
            r"(?:and |so )?(?:who(?:'s| is| are| r)? (?:you|this|ye|u)\b|what(?:'s| is) your name|what "
            r"are you(?: called| doing here)?$|what (?:do|should|may|shall|can) (?:they|people|folk|i|we) "
            r"call you|(?:tell (?:me|us) )(?:something |more |a bit )?about (?:you|yourself)\b|"
            r"introduce yourself|do you have a name|your name$|may i (?:know|ask|have) your name|what do "
            r"you do(?: here| for a living| all day)?$|what is your (?:job|trade|work))",
        ),
        (
            Want.WHERE_AM_I,
            r"where (?:am i|are we|is this)\b|what(?:'s| is) this (?:place|room|town|house|inn)|what place "
            r"is this|(?:tell me )?(?:about|describe) this place|where in the world",
        ),
        (
            Want.TIME,
            r"what(?:'s| is) the (?:time|hour|day|date)(?: now| today)?$|what (?:time|hour|day) is it|"
            r"(?:do|have) you (?:have |know |got )?(?:the|what) time|how late is it|is it (?:late|day|"
            r"night|morning|evening)\b|(?:can|could) you tell me the time",
        ),
        (
            Want.WHO_IS_HERE,
            r"who(?:'s| is| are| else is)(?: all| else)? (?:here|around|present|in (?:here|the room|this "
            r"room)|with (?:us|you))|is any ?(?:one|body)(?: else)? (?:here|around)|who do you see|"
            r"are we alone|who (?:are )?the others",
        ),
        (
            Want.EXITS,
            r"where can i go|what (?:are the )?exits|(?:which|what) ways? (?:out|can i)|how (?:do|can) i "
            r"(?:get out|leave)|where (?:do|does) the (?:doors?|exits?|paths?) (?:lead|go)",
        ),
        (
            Want.THINGS,
            r"what (?:do|can) (?:you|i|we) see(?: here)?$|what(?:'s| is) (?:here|in here|around|in (?:the|"
            r"this) room)|what (?:things|items|objects) (?:are|do)|look around",
        ),
        (Want.WHO_AM_I, r"(?:do you know |tell me )?who (?:am i|i am)$|what(?:'s| is) my name"),
        (
            Want.REMEMBER_ME,
            r"(?:do|did|don't|can) (?:you|ye) (?:still )?(?:remember|know|recogni[sz]e|recall) (?:me|who i "
            r"am)\b(?! (?:say|tell))|(?:you )?remember me\b|have we met|what do you (?:know|remember|recall) "
            r"(?:about|of) me\b|tell me what you (?:know|remember) (?:about|of) me\b",
        ),
        (
            Want.WHAT_I_TOLD,
            r".*\bwhat (?:did |was it |have |had )?(?:i|we)(?:'ve)? (?:just )?(?:told?|tell|said|say|"
            r"mentioned?|asked?|whisper(?:ed)?)\b|.*\b(?:remember|recall) (?:what|that|anything) i\b|did i "
            r"(?:tell|say|mention)\b|.*\bwhat do you remember\b|.*\bwhere did i say\b",
        ),
        (
            Want.WHAT_THEY_SAID,
            r"(?:and |so |do you know |tell me |can you tell me )?(?:what|who|when|where) (?:did|has|have|"
            r"does) (?P<focus>[^?]+?) (?:say|said|tell|told|mention(?:ed)?|ask(?:ed)?|whisper(?:ed)?|talk|"
            r"claim(?:ed)?|want(?:ed)?)\b|(?:did|has) (?P<focus2>[^?]+?) (?:say|said|tell|told|mention(?:ed)?|"
            r"ask(?:ed)?|whisper(?:ed)?)\b|(?:what|anything) (?:was|is) (?P<focus3>[^?]+?) saying",
        ),
        (
            Want.NEWS,
            rf"(?:do you have |have you |is there |are there |have you heard |any |hear(?:d)? |what(?:'s| "
            rf"is| are) (?:the )?|tell me )(?:of |{_THE_LOT} )?(?:any |some |the )?(?:news?|rumou?rs?|gossip|"
            r"new|latest|interesting|going on|happening)\b(?! (?:of|about|from))|what have you heard$|"
            r"heard anything$|what's new",
        ),
        (
            Want.STORY,
            r".*\b(?:tell|sing|share|know) (?:me |us )?(?:a |any |some |another )*(?:good |funny )?"
            r"(?:story|stories|tale|tales|joke|jokes|song|songs|riddle)\b",
        ),
        (
            Want.ECHO,
            rf"{_POLITE}(?:say|repeat|recite|shout|speak|whisper)\b(?! (?:that )?again$| it again$)|"
            r"repeat after me",
        ),
        (
            Want.REMEMBER_THAT,
            rf"{_POLITE}(?:remember|note|don't forget|do not forget|never forget|keep in mind|make a "
            r"note|bear in mind|write down|memori[sz]e|take note)(?: of)?(?: this| that| down)?\b[:,]?"
            r"(?: that)? ?(?P<focus>.+)",
        ),
        (
            Want.TELL_ABOUT,
            rf"(?:(?:please,? |can you |could you |will you )*(?:tell|teach) (?:me|us) (?:{_THE_LOT} )?(?:you "
            rf"know )?(?:about|of)|what (?:can|could|do|would) you (?:tell (?:me|us)|know|say|recall|remember)"
            rf"(?: to me)? (?:about|of)|do you know (?:of|{_THE_LOT} (?:about|of))|(?:have you|ever|you) "
            rf"(?:ever )?hear(?:d)? (?:{_THE_LOT} )?(?:of|about|from)|any (?:news|word|rumou?rs) (?:of|about|"
            rf"from)|what (?:about|of)|who(?: is|'s| was)|what(?: is|'s| are| was)) (?P<focus>.+)",
        ),
        (
            Want.NAME_GIVEN,
            r"(?:my name is|my name's|i am called|i'm called|they call me|call me|people call me) "
            r"(?P<focus>[^,.;!?]+)",
        ),
        (
            Want.HELP,
            r"(?:(?:can|could|will|would) you (?:please )?help|(?:please )?help(?: me)?(?: please)?$|i need "
            r"(?:your |some )?help|can i ask (?:you )?(?:something|a question))",
        ),
        (
            Want.QUIET,
            rf"{_POLITE}(?:be (?:quiet|silent|still)|shut up|silence|hush|stop talking|stop it|"
            r"stop$|shush|leave me alone|go away)",
        ),
        (
            Want.INSULT,
            r".*\b(?:you(?:'re| are|r|)|ur) (?:\w+ ){0,4}?(?:stupid|idiot|fool|dumb|dull|ugly|moron|"
            r"useless|pathetic|worthless|liar|smell\w*|stink\w*|coward|pig|swine|scum|disgusting|boring|"
            r"terrible|awful|bastard|crap|shit|the worst|a joke)\b|.*\b(?:fuck|shit|bitch|asshole|damn you|"
            r"go to hell|screw you|piss off|hate you|curse you|bastard)\b|(?:stupid|idiot|fool|moron|liar|"
            r"coward|scum)$",
        ),
        (
            Want.GESTURE,
            rf"{_POLITE}(?P<focus>{_GESTURE})(?: (?:for|at|to|with) (?:me|us|him|her|them|"
            r"everyone|\w+))?(?: please)?$",
        ),
        (Want.ORDER, rf"{_POLITE}(?P<focus>{_VERBS})\b(?! (?:you|it) know)(?!ing)"),
        (
            Want.PRAISE,
            r"(?:.*\byou(?:'re| are| look) (?:\w+ ){0,3}?(?:kind|great|wonderful|nice|good|beautiful|"
            r"handsome|funny|clever|smart|wise|the best|lovely|amazing|sweet|helpful|a gem)\b|i (?:like|love|"
            r"adore|admire) you|well done|good (?:work|job)|nice (?:work|place|one))",
        ),
        (
            Want.YES,
            r"(?:yes|yeah|yep|aye|sure|ok|okay|indeed|right|of course|certainly|very well|alright|"
            r"all right|agreed|good|great|fine|i see|exactly|true)(?: please| thanks| then)?$",
        ),
        (
            Want.NO,
            r"(?:no|nope|nay|never|not really|not at all|nothing|never mind|nevermind|maybe|perhaps|"
            r"i don't know|i do not know|dunno)(?: thanks| thank you)?$",
        ),
    )
)

#: A question of several patterns must not end as an order or a name.
_ONLY_WHEN_TOLD = frozenset({Want.NAME_GIVEN, Want.YES, Want.NO})
_FOREIGN_WORDS = frozenset(
    """
    aber alles auch auf aus bitte bist das dein dem den der dich die dir du ein eine einen er es hast
    heute ich ihr ist kann kannst kein mein mich mir mit nicht noch oder sehr sie sind und uns von war
    warum was weiß weißt wer wie wir wo zu zum zur
    avec ce cest dans des elle est et il je la le les mais moi mon nous ou où pas pour pourquoi quand
    que qui quoi sais ses sont suis sur tu un une vous votre
    como con cuando de del donde dónde el ella ellos en eres es esta está este la las los me mi no para
    pero por porque qué que quién se sin soy su te tiene tu un una usted y yo
    che chi come cosa dove il io lo mia mio non per perché più quando questo sei si sono ti uno
    av det där er för han har hur hvor hvad ik inte jag jeg kan med men och og som till van var vem
    wat waar wie zijn het een niet
    """.split()
)
_ENGLISH_WORDS = frozenset(
    """
    a about am an and any are at be but by can did do does for from get go had has have he her him his
    how i if in is it its just know like me my no not of on or our she so some tell that the their them
    there they this to up us was we were what when where which who why will with would you your
    """.split()
)
_LATIN = re.compile(r"[^\W\d_]+")
_VOWEL = re.compile(r"[aeiouyà-ÿ]", re.IGNORECASE)
_CLUSTER = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}", re.IGNORECASE)
_REPEATED = re.compile(r"(.{1,3})\1{5,}")
_SHORT_WORDS = frozenset("hm hmm hmmm mm mmm psst shh tsk nth mr mrs dr st".split())


def read_line(text: str, me: str) -> list[Intent]:
    """
    Everything a line is after, in the order it was said.

    Args:
        text: The words, of any length, in any language.
        me: The NPC's name, taken off where it is called by it.

    Returns:
        At least one intent; a greeting comes first and apart from what follows it.

    """
    text = text.replace("’", "'").replace("`", "'").strip()  # noqa: RUF001
    if not any(char.isalnum() for char in text):
        return [Intent(Want.CALLED, text, asks=True) if "?" in text else Intent(Want.NOTHING, text)]
    if _INJECTION.search(text):
        return [Intent(Want.ODD, text)]
    if len(text) > MOST_CHARACTERS:
        return [Intent(Want.LONG, text)]
    intents: list[Intent] = []
    if is_off_the_record(text):
        intents.append(Intent(Want.SECRET, text))
    for sentence in _SENTENCE.split(text):
        intents += _read_sentence(sentence.strip(), me)
    if not intents:
        return [Intent(Want.CALLED, text)]
    return intents


def without_address(sentence: str, me: str) -> tuple[str, bool]:
    """
    A sentence without the greeting it begins with and without the NPC's name.

    Args:
        sentence: What was said.
        me: The NPC's name.

    Returns:
        The rest, and whether there was a greeting.

    """
    names = "|".join(re.escape(key) for key in sorted(name_keys(me), key=len, reverse=True))
    called = re.compile(rf"@?(?:{names})(?=\W|$)[\s,.!;:~-]*", re.IGNORECASE) if names else None
    greeted = False
    for _ in range(3):
        hello = _HELLO.match(sentence)
        if hello:
            greeted, sentence = True, sentence[hello.end() :]
        match = called.match(sentence) if called else None
        if match and _addresses(sentence, match):
            sentence = sentence[match.end() :]
        elif not hello:
            break
    if names:
        sentence = re.sub(rf",\s*@?(?:{names})\s*(?=[?!.…]*$)", "", sentence, flags=re.IGNORECASE)
    return sentence.strip(), greeted


def _addresses(sentence: str, match: re.Match[str]) -> bool:
    """Whether a name at the start calls someone ("Bram, ...") and is not told about ("Bram is")."""
    if re.search(r"\W$", match[0]) and match[0].rstrip() != match[0].rstrip(",.!;:~-? "):
        return True
    rest = sentence[match.end() :].lower()
    return not rest or not re.match(
        r"(?:'s|is|was|has|had|will|would|and|or|says?|said|told)\b", rest
    )


def _read_sentence(sentence: str, me: str) -> list[Intent]:
    """The intents of one sentence: a greeting, what it is after, or both; none for a bare name."""
    rest, greeted = without_address(sentence, me)
    intents = [Intent(Want.GREET, sentence)] if greeted else []
    if not any(char.isalnum() for char in rest):
        if not greeted and sentence:
            intents.append(Intent(Want.CALLED, sentence, asks="?" in sentence))
        return intents
    return [*intents, _intent(rest)]


def _intent(sentence: str) -> Intent:
    """The first intent whose pattern fits."""
    low = " ".join(sentence.lower().split()).rstrip(".!?… ")
    low = re.sub(r"^(?:and|so|but|well|oh|ah|um|er|then|say|tell me),? (?=\w)", _keep_tell, low)
    asks = is_question(sentence) or bool(_ASKING.match(low) or _INDIRECT.match(low))
    if _nonsense(low):
        return Intent(Want.GIBBERISH, sentence, asks=asks)
    if _foreign(low):
        return Intent(Want.FOREIGN, sentence, asks=asks)
    low = _INDIRECT.sub("", low)
    for want, pattern in _PATTERNS:
        match = pattern.match(low)
        if match is None or (want in _ONLY_WHEN_TOLD and is_question(sentence)):
            continue
        focus = next((group for group in match.groupdict().values() if group), "")
        if want is Want.REMEMBER_THAT and (is_question(sentence) or focus.startswith("me")):
            continue
        if want is Want.TELL_ABOUT and not asks and not low.startswith(("tell", "please", "teach")):
            continue
        return Intent(want, sentence, _as_written(focus, sentence), asks)
    return Intent(Want.QUESTION if asks else Want.STATEMENT, sentence, asks=asks)


def _keep_tell(match: re.Match[str]) -> str:
    """Leave "tell me" and "say" where they stand: they are part of what is asked."""
    return match[0] if match[0].startswith(("tell", "say")) else ""


def _as_written(focus: str, sentence: str) -> str:
    """The focus with the capitals it was said with."""
    flat = " ".join(sentence.split())
    at = flat.lower().find(focus)
    return flat[at : at + len(focus)].strip(" .,!?") if focus and at >= 0 else focus


def _nonsense(low: str) -> bool:
    """Whether these are no words of any tongue."""
    tokens = _LATIN.findall(low)
    if not tokens:
        return True
    odd = sum(
        len(token) > 24
        or bool(_CLUSTER.search(token))
        or (token.isascii() and len(token) > 1 and not _VOWEL.search(token))
        for token in tokens
        if token not in _SHORT_WORDS
    )
    return odd * 2 > len(tokens) or bool(_REPEATED.search(low)) or odd == len(tokens)


def _foreign(low: str) -> bool:
    """Whether a sentence is in another tongue, by its script or its small words."""
    tokens: Sequence[str] = _LATIN.findall(low)
    letters = "".join(tokens)
    if sum(not char.isascii() and ord(char) > 0x24F for char in letters) * 2 > len(letters):
        return True
    foreign = sum(token in _FOREIGN_WORDS for token in tokens)
    english = sum(token in _ENGLISH_WORDS for token in tokens)
    return len(tokens) >= 2 and foreign >= 2 and foreign > english
