"""
Patterns of what is asked of the memory or the help of an NPC; `offline_patterns` says how they are
matched.

"""

from __future__ import annotations

from .offline_wants import Want

_VERBS = (
    "attack|barter|bring|brew|build|buy|call|carry|cast|catch|chop|clean|climb|close|come|cook|"
    "destroy|dig|draw|drink|drop|eat|enter|escort|execute|fetch|fight|find|fix|follow|forge|get|"
    "give|go|grab|grant|guard|hand|heal|hide|hit|hold|hurry|jump|kick|kill|kneel|leave|lend|let|"
    "lie|lift|light|lock|make|move|obey|open|pass|pay|pick|play|pour|pull|punch|push|put|read|"
    "repair|rob|run|sell|send|serve|show|sing|sit|slay|sleep|stand|stay|steal|swim|take|teach|"
    "teleport|throw|trade|turn|unlock|use|wait|wake|walk|wash|wear|write"
)
_SOME = r"(?:an?|some|the|one|two|three|another|more|your) (?:cup of |mug of |pint of |bowl of )?"
_GESTURE = "bow|cheer|clap|dance|frown|grin|laugh|nod|shrug|sigh|smile|wave|whistle|wink"
POLITE = (
    r"(?:(?:please|now|just|so|then|kindly),? )*(?:(?:can|could|will|would|won't) (?:you|ye) "
    r"(?:please |kindly |maybe |perhaps )?|i (?:want|need|order|command|ask|beg|would like) you "
    r"to |you (?:must|should|have to|need to) )?(?:please )?"
)
_THE_LOT = r"(?:anything|something|everything|all|what|more|a (?:bit|little)|much|aught)"

REQUESTS: tuple[tuple[Want, str], ...] = (
    (
        Want.SEEN,
        r"(?:(?:what|whom?) (?:have|did|do) you (?:see|seen|saw|notice|witness)(?:ed|d)?(?! "
        r"(?:here|around)?$).*|have you (?:noticed|witnessed|seen (?:anything|something|what))\b"
        r".*|what (?:have|did) you (?:see|seen)(?: today| lately| happen.*)?$|(?:did|have) you "
        r"(?:see|seen|notice|spot)(?:ed)? (?:my |the |a |an )?(?P<focus>[^?]+)|what (?:did|has|"
        r"have|is|was|were|are) (?P<focus2>[^?]+?) (?:do|done|doing|up to)(?: here| today| "
        r"lately| just now| then)*)$",
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
        r"is there (?:anything|something) (?:i|we) should know|"
        r"what (?:do|are) (?:people|folk|they|everyone) (?:saying|say|talk(?:ing)? about)|"
        r"what(?:'s| is| has| have)? (?:happened|been happening|going on|happening)"
        r"(?: here| around here| around| lately| today| recently| in (?:the )?\w+| while i was "
        r"\w+)*$|(?:"
        r"what |any |which |(?:do|have) you (?:know|heard?) (?:of )?(?:any )?|tell me (?:"
        r"a |the |some )?)(?:other |more |good |new |local |latest |interesting )*(?:rumou?rs?|"
        r"gossip|news)\b(?! (?:"
        r"of|about|from))",
    ),
    (
        Want.STORY,
        r".*\b(?:tell|sing|share|know) (?:me |us )?(?:a |any |some |another )*(?:good |funny "
        r")?(?:story|stories|tale|tales|legend|legends)\b",
    ),
    (
        Want.JOKE,
        r".*\b(?:tell|sing|share|know|play) (?:me |us |for us |for me )?(?:a |any |some |another "
        r")*(?:good |funny )?(?:jokes?|songs?|riddles?|tune)\b|make me laugh",
    ),
    (
        Want.IDLE,
        r"(?:i(?:'m| am) (?:so |very |a bit )?bored|entertain me|surprise me|tell me something(?: "
        r"interesting| new| else)?$|what (?:can|should|could|do) i do\b(?! (?:with|about|to|if)).*|"
        r"what is there to do|(?:do you have|have you got|is there|got|are there|know of) (?:any |"
        r"a |some )?(?:work|jobs?|quests?|tasks?|missions?|adventures?)\b.*|(?:can|may|could) i "
        r"(?:work|help)(?: you| here| out)*$|i(?:'m| am) looking for (?:work|a job|a quest|"
        r"adventure)|do you need (?:any )?help|(?:give|offer) me (?:a |some )?(?:quest|job|work|"
        r"task)s?$|what now$)",
    ),
    (
        Want.NEWCOMER,
        r"i(?:'m| am| have just| just| only just|'ve just) (?:new (?:here|in|around|to)|a "
        r"(?:stranger|newcomer)|arrived|got here|came (?:here|in)|come (?:here|in))\b.*|this is my "
        r"first (?:time|visit)\b.*|i have never been here\b.*",
    ),
    (
        Want.WEATHER,
        r"how(?:'s| is| was) the weather|what(?:'s| is) the weather|(?:is|will) it (?:going to |"
        r"gonna )?(?:be )?(?:rain|snow|storm|storming|raining|snowing|cold|warm|hot|sunny|windy)\b"
        r"(?! on)|(?:nice|lovely|fine|awful|terrible|bad|foul|horrible|strange) weather|what (?:"
        r"nice|lovely|fine|awful|terrible|bad|foul) weather|(?:do you think )?it(?:'s| is| will| "
        r"looks like)(?: going to)? (?:rain|snow)\w*$",
    ),
    (
        Want.OPINION,
        r"(?:what do you think(?: (?:about|of) (?P<focus>.+))?$|what(?:'s| is) your (?:opinion|"
        r"view) (?:of|on|about) (?P<focus2>.+)|(?:do|don't) you (?:really )?(?:like|trust|love|"
        r"hate|dislike|fear|respect|mind) (?P<focus3>.+)|how do you (?:like|feel about) "
        r"(?P<focus4>.+)|(?:can|should) i trust (?!you)(?P<focus5>.+))",
    ),
    (
        Want.COME,
        r"(?:please |will you |would you |can you |could you |do you want to |want to |would you "
        r"like to |why don't you )*(?:come (?:along|with (?:me|us)|on an? |join |outside|"
        r"over here|here)|(?:come|join|follow|accompany|travel with|go with) (?:me|us)\b|join "
        r"(?:me|us|my|our)|come$|let(?:'s| us) go|go on an adventure|be my (?:friend|companion|"
        r"guide|bodyguard))",
    ),
    (
        Want.FLIRT,
        r".*\b(?:marry me|kiss me|(?:i'm|i am) in love|love you|sleep with (?:me|you)|be my "
        r"(?:husband|wife|lover|love|girlfriend|boyfriend)|your bed|go out with me|hug me|dance "
        r"with me)\b|.*\byou(?:'re| are| look| have) (?:\w+ ){0,3}?(?:beautiful|handsome|"
        r"gorgeous|attractive|pretty|cute|sexy|hot|beautiful eyes|(?:nice|lovely) eyes)$|hey "
        r"(?:sexy|handsome|beautiful)|(?:are you|you) (?:single|married or single)$",
    ),
    (
        Want.THREAT,
        r"(?!.*\?$).*\b(?:i(?:'ll| will| am going to|'m going to|'m gonna|'d) (?:\w+ )?(?:kill|"
        r"stab|hurt|beat|murder|burn|destroy|rob|hit|punch|cut|strangle|end|gut|break|slay) (?:"
        r"you|your|this|it all|everyone|them all)|or (?:i'll|i will|you'll|you will|else|you) "
        r"(?:\w+ )?(?:kill|die|hurt|regret|be sorry|suffer|cut|burn)|or else$|i challenge you|"
        r"fight me|i (?:steal|take|grab|rob|punch|hit|kick|"
        r"slap|attack|stab|kill|push|strangle|draw my (?:sword|knife|dagger)) ?(?:you\b|your\b|on "
        r"you|$)|you(?:'ll| will| are "
        r"going to) (?:die|regret|pay for|suffer)|your money or your life|(?:hand over|give me) "
        r"(?:all )?your (?:money|gold|silver|coins?|purse)|this is a robbery)",
    ),
    (
        Want.ECHO,
        rf"{POLITE}(?:say|repeat|recite|shout|speak|whisper)\b(?! (?:that )?again$| it "
        rf"again$)|repeat after me",
    ),
    (
        Want.REMEMBER_THAT,
        rf"{POLITE}(?:remember|note|don't forget|do not forget|never forget|keep in mind|"
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
        rf"{POLITE}(?:be (?:quiet|silent|still)|shut up|silence|hush|stop talking|stop it|"
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
        rf"{POLITE}(?P<focus>{_GESTURE})(?: (?:for|at|to|with) (?:me|us|him|her|them|"
        rf"everyone|\w+))?(?: please)?$",
    ),
    (
        Want.WISH,
        rf"{POLITE}(?:give|bring|pour|serve|get|sell|fetch|rent|draw|cook) (?:me|us) (?:{_SOME})"
        rf"(?P<focus>.+)|(?:i|we)(?:'d| would) (?:like|love|have) (?:{_SOME})?(?:to (?:buy|rent|"
        rf"order|eat|drink|have|get|try|taste|sleep) ?)?(?:{_SOME})?(?P<focus2>.*)|(?:i|we)(?:'ll| "
        rf"will) (?:have|take|buy|order) (?:{_SOME})(?P<focus3>.+)|(?:i|we) (?:need|want|wish for|"
        rf"order) (?:{_SOME}|to (?:buy|rent|order|eat|drink|have|get|sleep)\b ?)(?P<focus4>.*)|"
        rf"(?:can|could|may|might) (?:i|we) (?:please )?(?:have|get|buy|order|rent|try) (?:{_SOME})"
        rf"(?P<focus5>.+)|(?:{_SOME})(?P<focus6>.+?),? (?:please|for me|for us)$|(?P<focus7>(?:"
        rf"another|one) .+),? please$|how about (?:{_SOME})(?P<focus8>ale|drink|beer|meal|wine|"
        rf"stew|room|bed)$",
    ),
    (
        Want.ORDER,
        rf"{POLITE}(?P<focus>{_VERBS}|(?:tell|ask) (?!me|us))\b(?! (?:you|it) know)(?!ing)|"
        r"(?!no |yes ).* please$",
    ),
    (
        Want.PRAISE,
        r"(?:.*\byou(?:'re| are| look| seem| sound) (?:\w+ ){0,3}?(?:kind|great|wonderful|nice|"
        r"good|"
        r"funny|clever|smart|wise|the best|lovely|amazing|sweet|helpful|a "
        r"gem)\b|i (?:like|adore|admire|trust) you|well done|good (?:work|job)|(?:what an? |"
        r"this is an? |it's an? |you have an? )?(?:very )?(?:nice|lovely|cosy|cozy|fine|"
        r"beautiful|great) (?:work|place|one|inn|house|tavern|room|garden|town)\b)",
    ),
    (
        Want.YES,
        r"(?:yes|yeah|yep|yup|aye|sure|ok|okay|indeed|right|of course|certainly|very well|alright|"
        r"all right|agreed|exactly|true|yes,? (?:i|we|it|they) (?:do|did|am|are|is|have|was))(?:,? "
        r"(?:please|thanks|thank you|then|that's right|indeed|sure))?$",
    ),
    (
        Want.ACK,
        r"(?:how |very |that(?:'s| is) |that sounds |sounds )?(?:nice|cool|interesting|wow|lovely|"
        r"awesome|amazing|strange|odd|funny|good to (?:know|hear)|understood|got it|fair enough|"
        r"makes sense|i (?:see|understand)|hm+|mm+|huh|oh|ah|aha|well|neat|impressive|sad|a pity|"
        r"too bad|no problem|you(?:'re| are) welcome|don't mention it|(?:and )?you too|(?:the )?"
        r"same to you|likewise|i agree|what a (?:shame|pity))$",
    ),
    (
        Want.WELL,
        r"(?:i(?:'m| am) |we(?:'re| are) |i feel )?(?:doing |feeling |very |quite |pretty |all )*"
        r"(?:well|good|fine|great|alright|wonderful|excellent|splendid|happy|not (?:too |so )?bad)"
        r"(?: enough| too)?(?:,? (?:thanks|thank you|then|and you))?$",
    ),
    (
        Want.UNWELL,
        r"(?:i(?:'m| am) |i feel )?(?:not (?:so |very |too )?(?:well|good|great|happy)|bad|"
        r"terrible|awful|sad|lonely|miserable|could be better|poorly|horrible)(?: today| really)?$",
    ),
    (
        Want.NO,
        r"(?:no|nope|nay|never|not really|not at all|nothing|never mind|nevermind|maybe|"
        r"perhaps|i don't know|i do not know|dunno)(?: thanks| thank you)?$",
    ),
)
