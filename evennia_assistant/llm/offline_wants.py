"""
What a line may be after, and how sentences open and break.

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
    POSE = "pose"
    SEEN = "seen"
    ABOUT_ME = "about me"
    AGE = "age"
    MESSAGE = "message"
    MESSAGES = "messages"
    WISH = "wish"
    COME = "come"
    FLIRT = "flirt"
    THREAT = "threat"
    DOUBT = "doubt"
    SURE = "sure"
    WHY = "why"
    WHAT = "what"
    JOKE = "joke"
    OPINION = "opinion"
    IDLE = "idle"
    NEWCOMER = "newcomer"
    WEATHER = "weather"
    WELL = "well"
    UNWELL = "unwell"
    ACK = "ack"
    MORE = "more"
    LOST = "lost"
    GIVEN = "given"


HELLO = re.compile(
    r"(?:oh |ah |well )?(?:hello|hallo|hullo|hi|hiya|hey|heya|hail|howdy|greetings|salutations|yo|"
    r"ahoy|(?:very )?good (?:day|morning|evening|afternoon|morrow)|well met|bonjour|hola|ciao|"
    r"salut|servus|guten (?:tag|morgen|abend)|hej|salve)(?: there| again| to you| all| everyone| "
    r"everybody| friends?| stranger| sir| madam)*(?=\W|$)[\s,.!;:~-]*",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])|\n+")  # noqa: RUF001
#: What a sentence may begin with before it comes to the point.
FILLER = re.compile(
    r"^(?:(?:and|so|but|well|oh|ah|um|er|hm+|then) |(?:and|so|but|well|oh|ah|um|er|hm+|then|ok|"
    r"okay|alright|all right|yes|no|i see|excuse me|sorry|by the way|anyway|actually|listen|"
    r"cool|nice|great|right|now), )+(?=\w)"
)
TWO_QUESTIONS = re.compile(
    r",? (?:and|or) (?=(?:who|what|where|when|why|how)\b|(?:is|are|do|does|did|can|could|will|have|"
    r"has) (?:you|i|we|he|she|it|they|there|the|my|your)\b)",
    re.IGNORECASE,
)
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
#: A question of several patterns must not end as an order or a name.
ONLY_WHEN_TOLD = frozenset(
    {Want.NAME_GIVEN, Want.YES, Want.NO, Want.WELL, Want.UNWELL, Want.THREAT, Want.NEWCOMER}
)
