"""
The small words by which an address is recognised.

Only words that carry grammar: greetings, interjections, auxiliaries, determiners. They are English
first, with the commonest greetings and question words of other languages; a name set off by a comma
is recognised in any language without them. All are folded (see `name_forms.fold`).

"""

from __future__ import annotations

import re

# ruff: noqa: RUF001 - punctuation of other scripts is data here


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words that open an address by themselves: "hey Bram", "thanks Bram".
GREETINGS = _words(
    """
    hey hi hello hullo hallo heya hiya yo oi oy ahoy greetings hail howdy evening morning
    afternoon welcome goodbye bye farewell goodnight thanks thank thx ty cheers excuse pardon
    sorry dear congratulations congrats bravo psst attention c'mon cmon ey eh scuse hej hei hola
    salut bonjour bonsoir ciao buongiorno buonasera salve guten servus moin danke merci gracias
    grazie obrigado obrigada ola buenos buenas bom boa tack hoi goedemorgen goedenavond bedankt
    czesc dzien dziekuje ahoj dobry привет здравствуи здравствуите спасибо эи
    """
)

#: Two words that open an address together.
GREETING_PAIRS = frozenset(
    {
        *(
            (good, time)
            for good in ("good", "gute", "buenas", "boa", "bonne", "buona", "dobry")
            for time in (
                "day",
                "night",
                "morrow",
                "nacht",
                "noches",
                "noite",
                "nuit",
                "notte",
                "den",
            )
        ),
        *(("good", what) for what in ("luck", "job", "work", "point", "one", "try", "health")),
        *(("nice", what) for what in ("job", "work", "one", "try", "shot")),
        *(("well", what) for what in ("met", "done", "played", "said")),
        *(("happy", "birthday"), ("merry", "christmas"), ("safe", "travels"), ("take", "care")),
        *(("forgive", "me"), ("pardon", "me"), ("bless", "you"), ("many", "thanks")),
        *(("never", "mind"), ("no", "problem"), ("no", "thanks"), ("to", "you"), ("see", "you")),
        *(("come", "on"), ("good", "old"), ("guess", "what")),
    }
)

#: Words that go on from a greeting: "good morning to you Bram", "thank you so much Bram".
GREETING_TAIL = _words(
    """
    there again to you me my good great dear old friend day night morrow morning evening
    afternoon so very much a lot well met back ho tag abend dias tardes noches dia tarde noite
    gott vielen viele mille muchas dank dobry
    """
)

#: Interjections and conjunctions that may stand before a name at the start of a sentence.
SOFT = _words(
    """
    oh ah ahh aye um uh er erm hm hmm well so and but or ok okay yes yeah yep no nope nah now
    then wow woah whoa aww aw ooh ouch ugh yay woohoo ha haha damn gods indeed truly honestly
    seriously please say look listen wait hush right alright sure fine ja nein oui non si bitte
    also na ach ну да нет
    """
)

#: Praise that may stand there too; before a common noun it only describes ("nice guard").
PRAISE = _words("awesome great cool nice excellent brilliant wonderful amazing perfect")

#: At the end of a sentence, without a comma, a name is called after these ("how are you Bram?").
COMPLETE = _words(
    """
    you u ya me us it there here now today tonight tomorrow again please then too much well
    right up back later ok okay indeed yes no soft first alone everything nothing something
    anything mine yours yet already though doing going yourself far late cold open closed hurry
    sleeping working joking kidding coming leaving staying waiting ready sure alive hungry busy
    asleep drunk serious mad crazy
    """
)

#: Sentences that begin with these ask the one they name at their end.
ASKING = _words(
    """
    i want need i'd i'll can could may will would do are is how what where when why which got
    any give bring show tell pour fetch help please
    """
)

#: A name after these is what they are about, at the end of a sentence too.
TRANSITIVE = _words(
    """
    see saw seen meet met know knew known like love hate ask tell told trust help find found
    kill call visit fear follow hear heard watch thank pay paid fetch get got bring brought wake
    believe remember join serve fight marry leave left stop pass hire save rescue free miss
    bother disturb blame forgive forget recognize mention understand cheat rob owe chase arrest
    protect beat caught at to with of for by in on mean think from into onto about against
    behind beside near under over around through without than as if because that not just even
    only is are was were be been am named who
    """
)

#: A word after these is a verb, or may be one.
BEFORE_VERB = _words(
    """
    you to i we they he she not don't didn't never should would could can will must let's who
    and just even also has have had why that
    """
)

#: A name after these is in apposition ("my friend, Bram"; "a man named Bram").
APPOSED = _words(
    """
    friend brother sister cousin uncle aunt father mother husband wife son daughter nephew niece
    boss host hero dog cat horse neighbour neighbor colleague partner lover enemy rival name
    named called guy man woman fellow someone somebody master namely like one
    """
)
#: What stands before such a word ("my friend, Bram, runs this place").
OWNERS = _words("my our his her their the a this")

#: After these an adjective ends what is said ("that's great Bram").
PREDICATING = _words("that's thats it's its sounds looks so very too not how you're i'm how's")

#: What makes the word after it a noun, so that a name after that noun is called.
DETERMINERS = _words(
    "a an the some any my your our his her their no every each two three four five six ten for of"
)

PERSONS = _words("you i we u ya he she they it there this that anyone the my your these those")
SECOND_PERSON = _words("you i we u ya du")
AUXILIARIES = _words(
    """
    do does did can could will would shall should may might must are is am was were have has had
    don't doesn't didn't can't couldn't won't wouldn't aren't isn't haven't hasn't
    """
)
THIRD_PERSON = _words("is was has does says said told will would can could had seems looks went")
QUESTION_WORDS = _words(
    """
    what whats where wheres who whos how hows why when which whose wie wo warum wann wer combien
    comment pourquoi donde cuanto como quanto perche
    """
)
#: Verbs that a name without a comma is told to do ("Bram give me an ale").
IMPERATIVES = _words(
    """
    give tell show bring get come help please pls plz wanna gimme lemme pour listen look wait
    stop sell buy take let lets go follow open close shut ask answer hand pass make fetch put
    keep hold stay sit stand run hurry drop say speak sing play wake explain describe remember
    forget forgive don't dont watch hear try teach heal attack kill guard protect lend fill
    serve cook check find leave be quit calm pay thanks thank sorry hello hi hey gib bring zeig
    komm hilf sag dame dime
    """
)
FOLLOWING_PERSON = _words(
    "you i i'm i'd i'll i've im we we'd we'll you're your u ya my any got that's thats it's"
)

#: What may cling to a called name: "Bram dear, a word?"
ENDEARMENTS = _words("dear darling love honey sweetie lad lass friend mate")

#: What an unnamed thing is said to be: the word after these is a noun ("need help Bram").
TAKING = _words("sell serve want need make buy got")

#: Joins names to a list.
CONJUNCTIONS = _words("and or und oder et ou y o e & n")

#: Bodies and what is worn: to touch these is to turn to their owner.
BODY = _words(
    """
    hand hands shoulder shoulders arm arms back cheek cheeks eye eyes face hair head leg foot
    feet sleeve side ear ears nose chest knee palm finger fingers elbow neck lips mouth tunic
    apron cloak pocket purse collar hat beard belly wrist forehead gaze direction
    """
)

#: In a pose, a name after these is not what the gesture is for.
UNINVOLVING = _words(
    """
    about until while when whenever as because if that whether like than without ignoring
    avoiding hopes thinks knows believes wonders wishes decides remembers mentions misses since
    though says said concerning regarding where who what how
    """
)
#: "in front of Bram" turns to him, "thinks of Bram" does not.
BEFORE_OF = _words("front ahead hold side")

#: Words for all who are there.
EVERYONE = _words("everyone everybody folks friends people guys lads gentlemen ladies yall y'all")
#: Phrases for them, as the start of a line or the end of a greeting.
ALL_OF_YOU = ("all of you", "you all", "any of you", "one of you", "each of you")
BOTH_OF_YOU = ("you two", "both of you", "you both")
#: Words for whoever is there, as the subject of a question.
ANYONE = _words("anyone anybody someone somebody everyone everybody anyone's")

SENTENCE_END = re.compile(r"[.!?…;\n。！？．‽¿¡]")
CLAUSE_END = re.compile(r"[,:、，：،؛()\[\]–—~*\"“”„«»]|\s[-/]+\s|\s-|-\s|--")

#: What may follow a name that is called, in scripts that write without spaces.
SPACELESS_AFTER = re.compile(
    r"(?:さん|さま|様|君|くん|ちゃん|殿|先生|老板|老闆|大人|大哥|大叔|씨|님|아|야)?"
    r"(?:\s|\Z|[,.!?;:~…、，。！？：；]|你|您|请|請|あなた)"
)
#: What may stand before it.
SPACELESS_BEFORE = re.compile(
    r"(?:\A|[\s,.!?;:~…、，。！？：；「『“\"]|你好|您好|嗨|嘿|喂|哈囉|哈喽|早安|早上好|晚上好|谢谢|謝謝"
    r"|こんにちは|こんばんは|おはよう|ねえ|ねぇ|おい|やあ|ありがとう|안녕|안녕하세요|저기)\s*\Z"
)
