"""
The patterns the offline brain knows lines by, in the order they are tried.

Patterns are matched at the start of a sentence in lower case, without its last punctuation. To
teach it a new kind of line, add a `Want` and its pattern before those that would swallow it. Those
of questions about memory, and of requests, stand in `offline_requests`, and are tried last.

"""

from __future__ import annotations

import re

from .offline_requests import POLITE, REQUESTS
from .offline_wants import Want

_COURTESIES: tuple[tuple[Want, str], ...] = (
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
        r"fine)\b|what's up|sup$|(?:and |what about |how about )?(?:you|yourself)$",
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
        r"what place is this|(?:(?:tell|what (?:can|do) you).{0,24} about |"
        r"describe )this (?:place|inn|house|tavern|town|village)$|where in the world",
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
    (
        Want.WHO_AM_I,
        r"(?:do you know |tell me )?who (?:am i|i am)$|(?:what(?:'s| is)|do you (?:know|"
        r"remember)) my name",
    ),
    (Want.AGE, r"how old are you|what(?:'s| is) your age|(?:may i ask )?your age$"),
    (
        Want.ABOUT_ME,
        r"(?:tell me )?what (?:else )?(?:do|can) you (?:know|remember|recall|tell me|say) "
        r"(?:about|of) me\b|tell me (?:what|all|everything) you (?:know|remember) (?:about|of) "
        r"me\b|(?:do you know|tell me) (?:anything|something) about me\b",
    ),
    (
        Want.MESSAGES,
        r"(?:do you have |have you |is there |are there |did you get )?(?:got )?(?:any|a|some) "
        r"(?:messages?|word|letters?|notes?|mail|news)(?: left| waiting| here)? (?:for me\b|from "
        r")|(?:"
        r"did|has|have) (?:\S+ ){1,3}?(?:leave|left) (?:me )?(?:(?:a|any|some) (?:message|word|"
        r"note|letter)|anything|word)\b|any messages?$|(?:did|has|have) (?:\S+ ){1,2}(?:"
        r"asked?|say|said|told?|tell you|want) (?:anything |something )?(?:for|about|of) me\b|"
        r"(?:did|has) (?:any|some)(?:one|body) (?:ask(?:ed)?|look(?:ed)?) for me\b",
    ),
    (
        Want.MESSAGE,
        r"(?:please |can you |could you |will you |would you |kindly )*(?:(?:tell|let|inform) "
        r"(?!me\b|us\b|everyone|the truth|stor|a )(?P<focus>[^\W\d_]+)(?: know)? "
        r"(?:that |i\b|i'm|to |my |we |it |there |the |about |hello|hi\b)|(?:if|when|should) "
        r"(?P<focus2>[^\W\d_]+) (?:comes?|asks?|arrives?|shows?|turns?|drops?|visits?)\b.*?,? "
        r"(?:please )?(?:tell|let|say)\b|(?:pass on|say|send word|give word) to "
        r"(?P<focus4>[^\W\d_]+)|(?:give|pass(?: on)?|keep|take|leave|deliver) (?:a|"
        r"this|my|the) (?:message|word|note) (?:on )?(?:for|to) (?P<focus3>[^\W\d_]+))",
    ),
    (
        Want.REMEMBER_ME,
        r"(?:do|did|don't|can) (?:you|ye) (?:still )?(?:remember|know|recogni[sz]e|recall) "
        r"(?:me|who i am)\b(?! (?:say|tell))|(?:you )?remember me\b|have we met|"
        r"remember who i am",
    ),
    (
        Want.WHO_TOLD,
        r"who (?:told|said) (?:you )?(?:that|this|so|it)$|how do you know(?: that| this| it)?$|"
        r"says who$|who says (?:so|that|this)$|where did you hear (?:that|this|it)$",
    ),
    (Want.FORGET, rf"{POLITE}forget\b"),
    (
        Want.WHAT_I_TOLD,
        r".*\b(?:what|which|remember|recall|know|forget|forgot(?:ten)?|was|is) (?:about )?(?:my|"
        r"our) (?:\w+ )?secrets?\b|.*\bsecrets? (?:did |have |that )?i (?:'ve )?(?:told?|tell|"
        r"shared?|whisper(?:ed)?|trust(?:ed)?|give|gave|confided?)\b",
    ),
    (
        Want.SECRETS,
        r".*\b(?:tell|know|have|share|what|any) (?:me |us |you |any |a |your )*secrets?\b",
    ),
    (
        Want.SURE,
        r"really$|seriously$|truly$|honestly$|are you (?:sure|certain|serious)|is (?:that|it|"
        r"this) (?:true|so|right|really)\b|for real$|you sure$|are you telling (?:me )?the truth",
    ),
    (
        Want.DOUBT,
        r"(?:you(?:'re| are) (?:a )?(?:lying|liar|wrong|mistaken)|that(?:'s| is) (?:a lie|not "
        r"true|wrong|false|nonsense)|i (?:don't|do not) believe (?:you|it|that)|lies$|nonsense$)",
    ),
    (Want.WHY, r"why(?: is that| not| so| that)?$|how (?:so|come)$"),
    (
        Want.WHAT,
        r"(?:what|huh|eh|pardon|pardon me|what do you mean|what did you (?:just )?say|come again|"
        r"(?:please )?(?:say|repeat|tell me) (?:that|it) again)$",
    ),
    (Want.SECRET, r"(?:can|could|will|do) (?:you|ye) keep a secret|can i trust you"),
    (
        Want.CALLED,
        r"(?:just )?(?:one (?:more )?|another )(?:thing|question)$|wait$|listen(?: to me| here)?$|"
        r"(?:let me|can i|i want to|i must) tell you something|"
        r"guess what|you know what$|excuse me$|innkeeper$|hear me out$|i have (?:a question|"
        r"something to tell you|news)(?: for you)?$",
    ),
    (
        Want.PLEASED,
        r"(?:it is |it's )?(?:so )?(?:good|nice|glad|pleased|great|lovely|a pleasure) to "
        r"(?:see|meet) (?:you|ye)\b",
    ),
    (Want.AMUSED, r"(?:lol|rofl|lmao|heh|(?:ha)+h?|(?:he)+h?|(?:hi)+h?|:\)|xd)(?:[ ,!]|$)"),
    (Want.GESTURED, r"[*_](?P<focus>[^*_]+)[*_]$|\([^()]+\)$|(?:/me|/em|:) ?(?P<focus2>\w.*)$"),
    (
        Want.MORE,
        r"(?:and|so|and then|and so|then|then what|more|go on|carry on|continue|keep going|"
        r"(?:please )?(?:tell|say) me more|tell me more about (?:that|it|this)|(?:what|anything|"
        r"something|who|where) else|what more|and what (?:else|then|happened then))$",
    ),
    (
        Want.LOST,
        r"(?:i (?:don't|do not|didn't) (?:understand|follow|get it|get that)|(?:that's|that is|"
        r"this "
        r"is) not (?:what i (?:asked|meant|said)|an answer)|answer me|answer (?:the|my) question|"
        r"are "
        r"you (?:listening|deaf|there)|you (?:didn't|did not) answer.*|that makes no sense|i'm "
        r"confused|i am confused)$",
    ),
    (
        Want.GIVEN,
        r"(?:here(?:'s| is| are) (?:your|the|my|a|some|two|three|four|one)\b.*|here you (?:go|"
        r"are)\b.*|"
        r"(?:this|it|that) is for you\b.*|(?:please )?(?:take|accept|have) (?:this|these|my "
        r"(?:coins?|"
        r"money|gold|silver))\b.*|keep the change)",
    ),
    (
        Want.WHAT_I_TOLD,
        r".*\bwhat (?:did |was it |have |had )?(?:i|we)(?:'ve)? (?:just )?(?:told?|tell|said|"
        r"say|mentioned?|asked?|whisper(?:ed)?)\b|.*\b(?:remember|recall) (?:what|that|"
        r"anything) i\b|did i (?:tell|say|mention)\b|.*\bwhat do you remember\b(?! (?:of|"
        r"about))|.*\bwhere did i say\b",
    ),
)

PATTERNS: tuple[tuple[Want, re.Pattern[str]], ...] = tuple(
    (want, re.compile(pattern)) for want, pattern in (*_COURTESIES, *REQUESTS)
)
