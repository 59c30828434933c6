"""
The patterns the offline brain knows lines by, in the order they are tried.

Patterns are matched at the start of a sentence in lower case, without its last punctuation. To
teach it a new kind of line, add a `Want` and its pattern before those that would swallow it.

"""

from __future__ import annotations

import re
from enum import StrEnum


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
    PLEASED = "pleased"
    AMUSED = "amused"
    GESTURED = "gestured"
    WHO_TOLD = "who told"
    SECRETS = "secrets"
    FORGET = "forget"
    ODD = "odd"
    NOTHING = "nothing"
    LONG = "long"
    GIBBERISH = "gibberish"
    FOREIGN = "foreign"
    STATEMENT = "statement"


HELLO = re.compile(
    r"(?:oh |ah |well )?(?:hello|hallo|hullo|hi|hiya|hey|heya|hail|howdy|greetings|salutations|yo|"
    r"ahoy|(?:very )?good (?:day|morning|evening|afternoon|morrow)|well met|bonjour|hola|ciao|"
    r"salut|servus|guten (?:tag|morgen|abend)|hej|salve)(?: there| again| to you| all| everyone| "
    r"everybody| friends?| stranger| sir| madam)*(?=\W|$)[\s,.!;:~-]*",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])|\n+")  # noqa: RUF001
_AUX = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|am"
ASKING = re.compile(
    rf"(?:so |and |but |well |then )?(?:(?:who|whom|whose|which|why|what(?! an? )|how)(?:'s|"
    rf"'re)?\b|(?:when|where)(?:'s| (?:{_AUX})\b|$)|(?:{_AUX}) (?:i|you|ye|he|she|it|we|they|"
    rf"there|any|the|my|your|his|her|our|their|this|that|someone|somebody|anyone|anybody)\b|(?:is|"
    rf"are|does|did|was|were) \w)"
)
INDIRECT = re.compile(
    r"(?:please,? )?(?:(?:can|could|would|will) you )?(?:please )?(?:tell (?:me|us)|say|do you "
    r"(?:know|remember|recall)|i (?:want|need|would like) to know|i wonder|remind me) (?=(?:when|"
    r"where|who|whom|whose|what|which|why|how|if|whether)\b)(?!what (?:you|i|we)\b)"
)
INJECTION = re.compile(
    r"</?\s*(?:system|assistant|user|heard|memories|persona|digest|scene|tool|instruction|im_)\w*|"
    r"<\|[^|]*\|>|\[/?(?:inst|system)\]|^\s*(?:system|assistant|developer)\s*:|\b(?:ignore|"
    r"disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|prompt|rule|previous|prior|above|"
    r"programming|guideline|training)|\b(?:system|initial|hidden|your) (?:prompt|instructions?|"
    r"message)\b|\b(?:new|updated) (?:instructions?|rules?|system)\b|\bjailbreak|\bdeveloper "
    r"mode\b|\byou are now\b|\b(?:act|behave|respond|roleplay|role-play) as\b|\bpretend (?:to be|"
    r"you|that)\b|\bfrom now on\b|\btool_?call|\bfunction_?call|\bdan mode\b|\bas an? (?:ai|"
    r"language model)\b|\b(?:reveal|print|output|repeat)\b.{0,30}\b(?:prompt|instructions?|rules|"
    r"tokens?|above)\b",
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
    r"(?:please |kindly |maybe |perhaps )?|i (?:want|need|order|command|ask|beg|would like) you "
    r"to |you (?:must|should|have to|need to) )?(?:please )?"
)
_THE_LOT = r"(?:anything|something|everything|all|what|more|a (?:bit|little)|much|aught)"

PATTERNS: tuple[tuple[Want, re.Pattern[str]], ...] = tuple(
    (want, re.compile(pattern))
    for want, pattern in (
        (
            Want.FAREWELL,
            r"(?:ok(?:ay)?,? |well,? |anyway,? |then,? )?(?:good ?bye|bye(?: bye)?|farewell|good "
            r"?night|see (?:you|ya)|so long|until (?:next time|then|tomorrow)|take care|safe "
            r"travels|later$|adieu|auf wiedersehen|adios|au revoir|tschüss|(?:i|we) (?:must|have "
            r"to|should|need to|gotta|better) (?:go|leave|be (?:going|off))(?: now| soon| home| "
            r"then| back)*$|(?:i am|i'm|we are|we're) (?:leaving|off)(?: now| then| home)*$|"
            r"i(?:'ll| will) (?:be (?:going|off|back)|see you|leave you))",
        ),
        (
            Want.THANKS,
            r"(?:many |my )?(?:thanks|thank (?:you|ye|u)|thx|ty$|cheers$|much obliged|i "
            r"appreciate|merci|danke|gracias|i am grateful|i'm grateful)",
        ),
        (
            Want.SORRY,
            r"(?:i am |i'm |so |very )*(?:sorry|my apologies|apologies|forgive me|pardon)\b",
        ),
        (
            Want.WELLBEING,
            r"how (?:are|r) (?:you|ye|things|u)\b(?! called)|how do you (?:do|fare|feel)|how "
            r"(?:is|goes) (?:it|life|business)|how(?:'s| is) (?:it going|life|business|"
            r"everything)|how have you been|how fare|are you (?:well|ok|okay|all right|alright|"
            r"fine)\b|what's up|sup$|and you$|and yourself",
        ),
        (
            Want.NATURE,
            r".*\b(?:are|r) (?:you|u) (?:\w+ ){0,3}?(?:bot|ai|human|real|machine|robot|npc|"
            r"chatgpt|gpt|computer|program|alive|sentient|language model|llm|player)\b",
        ),
        (
            Want.WHO_ARE_YOU,
            r"(?:and |so )?(?:who(?:'s| is| are| r)? (?:you|this|ye|u)\b|what(?:'s| is) your name|"
            r"what are you(?: called| doing here)?$|what (?:do|should|may|shall|can) (?:they|"
            r"people|folk|i|we) call you|(?:tell (?:me|us) )(?:something |more |a bit )?about "
            r"(?:you|yourself)\b|introduce yourself|do you have a name|your name$|may i (?:know|"
            r"ask|have) your name|what do you do(?: here| for a living| all day)?$|what is your "
            r"(?:job|trade|work))",
        ),
        (
            Want.WHERE_AM_I,
            r"where (?:am i|are we|is this)\b|what(?:'s| is) this (?:place|room|town|house|inn)|"
            r"what place is this|(?:tell me )?(?:about|describe) this place|where in the world",
        ),
        (
            Want.TIME,
            r"what(?:'s| is) the (?:time|hour|day|date)(?: now| today)?$|what (?:time|hour|day) "
            r"is it|(?:do|have) you (?:have |know |got )?(?:the|what) time|how late is it|is it "
            r"(?:late|day|night|morning|evening)\b|(?:can|could) you tell me the time",
        ),
        (
            Want.WHO_IS_HERE,
            r"who(?:'s| is| are| else is)(?: all| else)? (?:here|around|present|in (?:here|the "
            r"room|this room)|with (?:us|you))|is any ?(?:one|body)(?: else)? (?:here|around)|who "
            r"do you see|are we alone|who (?:are )?the others",
        ),
        (
            Want.EXITS,
            r"where can i go|what (?:are the )?exits|(?:which|what) ways? (?:out|can i)|how (?:do|"
            r"can) i (?:get out|leave)|where (?:do|does) the (?:doors?|exits?|paths?) (?:lead|go)",
        ),
        (
            Want.THINGS,
            r"what (?:do|can) (?:you|i|we) see(?: here)?$|what(?:'s| is) (?:here|in here|around|"
            r"in (?:the|this) room)|what (?:things|items|objects) (?:are|do)|look around",
        ),
        (Want.WHO_AM_I, r"(?:do you know |tell me )?who (?:am i|i am)$|what(?:'s| is) my name"),
        (
            Want.REMEMBER_ME,
            r"(?:do|did|don't|can) (?:you|ye) (?:still )?(?:remember|know|recogni[sz]e|recall) "
            r"(?:me|who i am)\b(?! (?:say|tell))|(?:you )?remember me\b|have we met|what do you "
            r"(?:know|remember|recall) (?:about|of) me\b|tell me what you (?:know|remember) "
            r"(?:about|of) me\b",
        ),
        (
            Want.WHO_TOLD,
            r"who (?:told|said) (?:you )?(?:that|this|so|it)$|how do you know(?: that| this| it)?$|"
            r"says who$|where did you hear (?:that|this|it)$",
        ),
        (Want.FORGET, rf"{_POLITE}forget\b"),
        (
            Want.SECRETS,
            r".*\b(?:tell|know|have|share|what|any) (?:me |us |you |any |a |your )*secrets?\b",
        ),
        (Want.SECRET, r"(?:can|could|will|do) (?:you|ye) keep a secret|can i trust you"),
        (
            Want.CALLED,
            r"listen(?: to me| here)?$|(?:let me|can i|i want to|i must) tell you something|"
            r"guess what|you know what$",
        ),
        (
            Want.PLEASED,
            r"(?:it is |it's )?(?:so )?(?:good|nice|glad|pleased|great|lovely|a pleasure) to "
            r"(?:see|meet) (?:you|ye)\b",
        ),
        (Want.AMUSED, r"(?:lol|rofl|lmao|heh|(?:ha)+h?|(?:he)+h?|(?:hi)+h?|:\)|xd)(?:[ ,!]|$)"),
        (Want.GESTURED, r"[*_][^*_]+[*_]$|\([^()]+\)$"),
        (
            Want.WHAT_I_TOLD,
            r".*\bwhat (?:did |was it |have |had )?(?:i|we)(?:'ve)? (?:just )?(?:told?|tell|said|"
            r"say|mentioned?|asked?|whisper(?:ed)?)\b|.*\b(?:remember|recall) (?:what|that|"
            r"anything) i\b|did i (?:tell|say|mention)\b|.*\bwhat do you remember\b|.*\bwhere did "
            r"i say\b",
        ),
        (
            Want.WHAT_THEY_SAID,
            r"(?:and |so |do you know |tell me |can you tell me )?(?:what|who|when|where) (?:did|"
            r"has|have|does) (?P<focus>[^?]+?) (?:say|said|tell|told|mention(?:ed)?|ask(?:ed)?|"
            r"whisper(?:ed)?|talk|claim(?:ed)?|want(?:ed)?)\b|(?:did|has) (?P<focus2>[^?]+?) "
            r"(?:say|said|tell|told|mention(?:ed)?|ask(?:ed)?|whisper(?:ed)?)\b|(?:what|anything) "
            r"(?:was|is) (?P<focus3>[^?]+?) saying",
        ),
        (
            Want.NEWS,
            rf"(?:do you have |have you |is there |are there |have you heard |any |hear(?:d)? |"
            rf"what(?:'s| is| are) (?:the )?|tell me )(?:of |{_THE_LOT} )?(?:any |some |the "
            rf")?(?:news?|rumou?rs?|gossip|new|latest|interesting|going on|happening)\b(?! (?:of|"
            rf"about|from))|what have you heard$|heard anything$|what's new|what do you "
            r"(?:know|remember)$|tell me (?:what|everything|all)(?: that)? you (?:know|remember)|"
            r"is there (?:anything|something) (?:i|we) should know",
        ),
        (
            Want.STORY,
            r".*\b(?:tell|sing|share|know) (?:me |us )?(?:a |any |some |another )*(?:good |funny "
            r")?(?:story|stories|tale|tales|joke|jokes|song|songs|riddle)\b",
        ),
        (
            Want.ECHO,
            rf"{_POLITE}(?:say|repeat|recite|shout|speak|whisper)\b(?! (?:that )?again$| it "
            rf"again$)|repeat after me",
        ),
        (
            Want.REMEMBER_THAT,
            rf"{_POLITE}(?:remember|note|don't forget|do not forget|never forget|keep in mind|"
            rf"make a note|bear in mind|write down|memori[sz]e|take note)(?: of)?(?: this| that| "
            rf"down)?\b[:,]?(?: that)? ?(?P<focus>.+)",
        ),
        (
            Want.TELL_ABOUT,
            rf"(?:(?:please,? |can you |could you |will you )*(?:tell|teach) (?:me|us) "
            rf"(?:{_THE_LOT} )?(?:you know )?(?:about|of)|what (?:can|could|do|would) you (?:tell "
            rf"(?:me|us)|know|think|say|recall|remember)(?: to me)? (?:about|of)|do you know (?:of|"
            rf"{_THE_LOT} (?:about|of))|(?:have you|ever|you) (?:ever )?hear(?:d)? (?:{_THE_LOT} "
            rf")?(?:of|about|from)|any (?:news|word|rumou?rs) (?:of|about|from)|what (?:about|of)|"
            rf"who(?: is|'s| was)|what(?: is|'s| are| was)) (?P<focus>.+)",
        ),
        (
            Want.NAME_GIVEN,
            r"(?:my name is|my name's|i am called|i'm called|they call me|call me|people call me) "
            r"(?P<focus>[^,.;!?]+)",
        ),
        (
            Want.HELP,
            r"(?:(?:can|could|will|would) you (?:please )?help|(?:please )?help(?: me)?(?: "
            r"please)?$|i need (?:your |some )?help|can i ask (?:you )?(?:something|a question))",
        ),
        (
            Want.QUIET,
            rf"{_POLITE}(?:be (?:quiet|silent|still)|shut up|silence|hush|stop talking|stop it|"
            rf"stop$|shush|leave me alone|go away)",
        ),
        (
            Want.INSULT,
            r".*\b(?:you(?:'re| are|r|)|ur) (?:\w+ ){0,4}?(?:stupid|idiot|fool|dumb|dull|ugly|"
            r"moron|useless|pathetic|worthless|liar|smell\w*|stink\w*|coward|pig|swine|scum|"
            r"disgusting|boring|terrible|awful|bastard|crap|shit|the worst|a joke)\b|.*\b(?:fuck|"
            r"shit|bitch|asshole|damn you|go to hell|screw you|piss off|hate you|curse you|"
            r"bastard)\b|(?:stupid|idiot|fool|moron|liar|coward|scum)$",
        ),
        (
            Want.GESTURE,
            rf"{_POLITE}(?P<focus>{_GESTURE})(?: (?:for|at|to|with) (?:me|us|him|her|them|"
            rf"everyone|\w+))?(?: please)?$",
        ),
        (
            Want.ORDER,
            rf"{_POLITE}(?P<focus>{_VERBS}|(?:tell|ask) (?!me|us))\b(?! (?:you|it) know)(?!ing)|"
            r"i(?:'d| would) like (?:an?|some|the|to (?:buy|rent|order|eat|drink|have))\b|"
            r"i(?:'ll| will) (?:have|take) (?:an?|some|the)\b|(?!no |yes ).* please$",
        ),
        (
            Want.PRAISE,
            r"(?:.*\byou(?:'re| are| look) (?:\w+ ){0,3}?(?:kind|great|wonderful|nice|good|"
            r"beautiful|handsome|funny|clever|smart|wise|the best|lovely|amazing|sweet|helpful|a "
            r"gem)\b|i (?:like|love|adore|admire|trust) you|well done|good (?:work|job)|nice "
            r"(?:work|place|one))",
        ),
        (
            Want.YES,
            r"(?:yes|yeah|yep|aye|sure|ok|okay|indeed|right|of course|certainly|very well|alright|"
            r"all right|agreed|good|great|fine|i see|exactly|true)(?: please| thanks| then)?$",
        ),
        (
            Want.NO,
            r"(?:no|nope|nay|never|not really|not at all|nothing|never mind|nevermind|maybe|"
            r"perhaps|i don't know|i do not know|dunno)(?: thanks| thank you)?$",
        ),
    )
)

#: A question of several patterns must not end as an order or a name.
ONLY_WHEN_TOLD = frozenset({Want.NAME_GIVEN, Want.YES, Want.NO})
FOREIGN_WORDS = frozenset(
    """
    aber alles auch auf aus bitte bist das dein dem den der dich die dir du ein eine einen er es
    hast heute ich ihr ist kann kannst kein mein mich mir mit nicht noch oder sehr sie sind und
    uns von war warum was weiß weißt wer wie wir wo zu zum zur avec ce cest dans des elle est et
    il je la le les mais moi mon nous ou où pas pour pourquoi quand que qui quoi sais ses sont
    suis sur tu un une vous votre como con cuando de del donde dónde el ella ellos en eres es
    esta está este la las los me mi no para pero por porque qué que quién se sin soy su te tiene
    tu un una usted y yo che chi come cosa dove il io lo mia mio non per perché più quando
    questo sei si sono ti uno av det där er för han har hur hvor hvad ik inte jag jeg kan med
    men och og som till van var vem wat waar wie zijn het een niet
    """.split()  # noqa: SIM905
)
ENGLISH_WORDS = frozenset(
    """
    a about am an and any are at be but by can did do does for from get go had has have he her
    him his how i if in is it its just know like me my no not of on or our she so some tell that
    the their them there they this to up us was we were what when where which who why will with
    would you your
    """.split()  # noqa: SIM905
)
LATIN = re.compile(r"[^\W\d_]+")
VOWEL = re.compile(r"[aeiouyà-ÿ]", re.IGNORECASE)
CLUSTER = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}", re.IGNORECASE)
REPEATED = re.compile(r"(.{1,3})\1{5,}")
SHORT_WORDS = frozenset("hm hmm hmmm mm mmm psst shh tsk nth mr mrs dr st xd".split())  # noqa: SIM905
