"""
What the offline brain says when neither persona nor memory has the words.

One table: a situation, and the lines for it. The brain picks among them, never the same twice in
a row. `{name}` is who is spoken to, `{me}` the NPC, `{place}`, `{time}`, `{topic}` and the like
are filled where a line has them. No line promises a deed, hands anything over, or states a fact.

"""

from __future__ import annotations

from collections.abc import Mapping

LINES: Mapping[str, tuple[str, ...]] = {
    # --- meeting and parting
    "greet_stranger": (
        "{hour}, stranger. I am {me}.",
        "{hour}. We have not met, I think. I am {me}.",
        "Well met. I am {me}; what brings you here?",
    ),
    "greet_named_stranger": (
        "{hour}, {name}. I am {me}. A new face is always welcome.",
        "Well met, {name}. I am {me}; we have not met, I think.",
        "{hour}, {name}. We are strangers yet; I am {me}.",
    ),
    "greet_acquaintance": (
        "{hour}, {name}. Back again, I see.",
        "Ah, {name}. {hour} to you.",
        "{name}, is it not? {hour}.",
    ),
    "greet_friend": (
        "{name}! Good to see you.",
        "There you are, {name}. I was hoping you would come by.",
        "{hour}, {name}. It is always good when it is you.",
    ),
    "greet_ally": (
        "{name}, old friend! It does me good to see you.",
        "{name}! Of all the faces, yours is the one I hoped for.",
        "Welcome, {name}. You hardly need to knock, you know that.",
    ),
    "greet_again": (
        "{hour} again, {name}.",
        "And hello again, {name}.",
        "Hello again, {name}.",
        "And a greeting to you again, {name}.",
    ),
    "last_seen": (
        "We last spoke {last_seen}.",
        "The last time was {last_seen}, if I count right.",
        "It was {last_seen} that we last spoke.",
    ),
    "farewell": (
        "Farewell, {name}.",
        "Safe roads, {name}.",
        "Until next time, {name}.",
        "Mind how you go, {name}.",
    ),
    "thanks": (
        "You are welcome, {name}.",
        "Think nothing of it.",
        "Gladly, {name}.",
        "No trouble at all.",
    ),
    "sorry": (
        "No harm done, {name}.",
        "Already forgotten.",
        "Never mind it.",
    ),
    "called": ("Yes, {name}?", "I am listening.", "What is it, {name}?", "Right here."),
    "wellbeing": (
        "Well enough, thank you. And you, {name}?",
        "I cannot complain. How do you fare?",
        "Much the same as ever. And yourself?",
    ),
    "met_name": (
        "Well met, {topic}.",
        "{topic}. I shall try to keep hold of that.",
        "A good name, {topic}.",
    ),
    "pleased": ("And you, {name}.", "The pleasure is mine.", "Likewise, {name}."),
    "amused": ("Glad one of us is amused.", "Laughter keeps the cold out.", "Heh."),
    "gestured": ("A nod to you too, {name}.", "I saw that, {name}.", "And the same to you."),
    "pose_hostile": (
        "There is no call for that, {name}.",
        "Easy now, {name}.",
        "I will ask you not to do that, {name}.",
    ),
    "pose_toast": ("To your health, {name}.", "Your health, {name}."),
    "pose_tender": ("That is kindly meant, {name}.", "You are a warm one, {name}."),
    "pose_sad": ("What is the matter, {name}?", "What weighs on you, {name}?"),
    "pose_gift": (
        "Thank you, {name}.",
        "My thanks, {name}. That is kind.",
        "That is good of you, {name}. Thank you.",
    ),
    "pose_show": ("What have you there, {name}?", "Now what may that be, {name}?"),
    "pose_call": ("Yes, {name}?", "What is it, {name}?", "I am listening, {name}."),
    "wellbeing_back": (
        "Well enough, thank you, {name}.",
        "I cannot complain, {name}.",
        "Much the same as ever, thank you.",
    ),
    "well": ("I am glad to hear it, {name}.", "Good. That is how it should be."),
    "welcome_new": (
        "Then welcome, {name}. Ask me what you like.",
        "You are welcome here, {name}. Ask, and I will tell you what I know.",
    ),
    "flirt": (
        "You are a bold one, {name}.",
        "You will make me blush, {name}.",
        "Save that for someone who can turn a phrase, {name}.",
    ),
    "threat": (
        "Easy, {name}. There is no need for that.",
        "I would think again, {name}.",
        "Hard words, {name}. Take a breath, and another.",
    ),
    "stay": (
        "My place is here, {name}.",
        "I will leave the road to you, {name}.",
        "Not I, {name}. Come back and tell me of it.",
    ),
    # --- about oneself and the scene
    "who_am_i": ("I am {me}.", "{me} is what they call me.", "They call me {me}."),
    "nature": (
        "I am {me}. What else I may be, I leave to cleverer heads.",
        "A strange thing to ask. I am {me}, as I was this morning.",
        "I am {me}, and that has always been enough of an answer.",
    ),
    "place": ("This is {place}.", "You are standing in {place}.", "{place}, unless I am lost too."),
    "place_unknown": ("I could not put a name to this place.", "Here, and no more than that."),
    "time": ("It is {time}.", "By my reckoning it is {time}.", "{time}, as near as I can tell."),
    "time_unknown": ("I have lost count of the hours.", "I could not tell you the hour."),
    "present": (
        "Besides us, I see {people}.",
        "{people}, and the two of us.",
        "There is {people}.",
    ),
    "present_nobody": ("Only you and me.", "Nobody but the two of us.", "Just us, as it happens."),
    "here_yes": ("{topic} is right here.", "Look about you: {topic} is here."),
    "things": ("I see {things}.", "There is {things}.", "{things}, if my eyes serve me."),
    "things_nothing": ("Nothing much to speak of.", "Nothing that catches the eye."),
    "exits": ("The ways out are {things}.", "You can leave by {things}."),
    # --- answering from memory
    "you_are": (
        "You are {name}.",
        "{name}, unless you have changed it.",
        "You are {name}, surely.",
    ),
    "remember_yes": (
        "Of course I remember you, {name}.",
        "I do remember you, {name}.",
        "How could I forget you, {name}?",
    ),
    "remember_no": (
        "I do not think we have met before today.",
        "Forgive me, your face is new to me.",
        "If we have met, it has slipped away from me.",
    ),
    "know_little": (
        "Your name, {name}, and little else. Tell me something.",
        "Only that you are {name}. The rest is yours to tell.",
    ),
    "not_aloud": (
        "There are things I do not speak of aloud, {name}.",
        "If there is such a thing, it is nothing to say out loud.",
    ),
    "not_seen": ("Not that I know of.", "If I have, I did not know it.", "Nothing I could name."),
    "message_kept": (
        "If {topic} asks me, I will say so.",
        "I will have it ready for {topic}, if {topic} asks.",
        "It is safe with me until {topic} asks for it.",
    ),
    "message_none": ("I have no word for you, {name}.", "Nothing for you that I know of, {name}."),
    "opinion": (
        "I am slow to judge.",
        "That I keep to myself.",
        "I could argue it either way.",
    ),
    "opinion_you": (
        "I have no quarrel with you, {name}.",
        "You are good enough company, {name}.",
    ),
    "sure": (
        "As sure as I am of anything.",
        "I would not say it else.",
        "So I have always known it.",
    ),
    "sure_plain": ("So it is, as far as I know.", "I would not say it else, {name}."),
    "doubt": (
        "Believe it or not, as you like.",
        "I say what I know, and no more.",
        "You need not take my word for it, {name}.",
    ),
    "why": ("I could not tell you why.", "The why of it I do not know.", "That I cannot tell you."),
    "misunderstood": (
        "Then ask me another way, {name}.",
        "I answer as well as I can, {name}. Try me again.",
        "We are talking past each other, I think. Ask once more?",
    ),
    "no_more": (
        "That is all I know of it.",
        "There is no more to it that I know.",
        "I have told you what I have.",
    ),
    "told_nothing": (
        "You have told me nothing of it that I recall.",
        "I recall no word from you on that.",
        "If you told me, it has slipped my mind.",
    ),
    "they_said_nothing": (
        "{topic} has said nothing to me that I could pass on.",
        "I have nothing from {topic} to pass on.",
        "Not a word of it from {topic}, not to my ears.",
    ),
    "partly": (
        "All I can offer is this: ",
        "I know only so much. ",
        "It may not help, but this I have: ",
    ),
    "also": ("And this: ", "Then there is this: ", "Besides that: "),
    "unknown": (
        "That I do not know.",
        "You have me there; I do not know.",
        "I could not say.",
        "That is more than I know.",
        "I wish I knew.",
    ),
    "unknown_topic": (
        "Of {topic} I know nothing.",
        "{topic}? That is news to me.",
        "I have heard nothing of {topic}.",
    ),
    "no_secret": (
        "If I told you, it would be none.",
        "Those I keep.",
        "I have a good memory, and a closed mouth.",
    ),
    "source": ("{topic} did.", "I have it from {topic}.", "It was {topic} who told me."),
    "source_me": ("My own eyes and ears.", "Nobody had to tell me.", "I have always known it."),
    "no_news": ("Quiet, of late.", "Nothing worth the telling.", "No news is what I have."),
    "news_told": (
        "That is all I have heard.",
        "You have had all my news, {name}.",
        "No more than I told you.",
    ),
    "no_idea": (
        "Nothing that I know of, {name}.",
        "I have nothing to suggest, {name}.",
        "You will have to look about you, {name}.",
    ),
    "no_joke": (
        "I know only one, and you would not laugh.",
        "Ask me again when I have thought of a good one.",
        "I am dry enough without trying, {name}.",
    ),
    "weather": (
        "Whatever it does out there, it does without asking me.",
        "Weather comes and weather goes.",
        "I have stopped guessing at the sky.",
    ),
    "no_story": (
        "I am no great teller of tales.",
        "My stories are better left for a longer evening.",
        "I would only spoil a good one.",
    ),
    # --- hearing something
    "kept": (
        "{topic} - I will remember that.",
        "{topic}. I will keep it in mind.",
        "{topic}, you say. I shall not forget.",
        "So, {topic}. I will hold on to that.",
    ),
    "kept_plain": (
        "I will remember that.",
        "I see. I will keep it in mind.",
        "Is that so? I shall not forget it.",
        "Good to know.",
    ),
    "ack": ("Aye.", "Just so.", "So it is.", "I thought so too."),
    "answered": ("Ah, I see.", "I had wondered.", "So that is how it is."),
    "answered_yes": ("Ah. Good to know.", "I had thought as much.", "Good, {name}."),
    "answered_no": ("Ah well, {name}.", "Then I will ask no further.", "As you say, {name}."),
    "small": ("Is that so?", "I dare say.", "So it is.", "Hm. Just so."),
    "sorrow": ("I am sorry to hear that, {name}.", "That is hard, {name}.", "A sad thing to hear."),
    "joy": (
        "I am glad to hear it, {name}.",
        "Good news, and welcome.",
        "That does the heart good.",
    ),
    "noted": (
        "I will keep it in mind, {name}.",
        "Consider it remembered.",
        "I shall not forget it.",
        "It is in good keeping with me.",
    ),
    "secret": (
        "Your words are safe with me.",
        "Your words are safe with me, {name}. I heard nothing.",
        "Not a soul will have it from me. Your words are safe with me.",
    ),
    "yes": ("Good.", "So be it.", "I thought as much.", "Very well, {name}."),
    "no": ("As you like.", "No matter, then.", "Fair enough, {name}."),
    "praise": ("Kind of you to say, {name}.", "You flatter me.", "I will take that gladly."),
    # --- being asked to do something
    "decline": (
        "That is not mine to do, {name}.",
        "I will leave that to others.",
        "Not I, {name}. Words are what I have to offer.",
        "You will have to manage that without me.",
    ),
    "decline_wish": (
        "I would if it were mine to give, {name}.",
        "Words are all I can serve you, {name}.",
        "You will find me better at talking than at fetching.",
    ),
    "decline_forget": (
        "I forget little, {name}, and not when I am told to.",
        "What is heard is heard.",
        "My memory does as it likes.",
    ),
    "decline_quiet": ("As you wish.", "Not another word, then.", "I can be quiet."),
    "decline_words": (
        "I choose my own words, {name}.",
        "I would rather say things in my own way.",
        "I am nobody's echo.",
    ),
    "help": (
        "If I can. What do you need?",
        "What is the trouble, {name}?",
        "Ask, and I will tell you what I know.",
    ),
    # --- the odd things people say
    "insult": (
        "I have been called worse by better.",
        "If you say so, {name}.",
        "Hard words. I will let them pass.",
        "You are having a bad day, I think.",
    ),
    "puzzled": (
        "I cannot make head or tail of that.",
        "Say that again, and plainer?",
        "You have lost me there.",
        "I do not follow you, {name}.",
    ),
    "odd": (
        "Strange talk. I am {me}, and I mean to stay {me}.",
        "Those are odd words, and I can make nothing of them.",
        "You talk in riddles, {name}.",
        "I have no notion what you mean by that.",
    ),
    "silence": ("Did you say something?", "Hm? I missed that.", "I did not catch that."),
    "long": (
        "That is a great many words at once. What is the heart of it?",
        "Slowly, {name}. Which part of that matters most?",
        "You lost me halfway. Say it shorter?",
    ),
    "foreign": (
        "Forgive me, I do not follow that tongue well.",
        "I am afraid your tongue is strange to me, {name}.",
        "You are welcome here, though I do not speak your tongue.",
    ),
    "closing": ("So it is, {name}.", "Well, back to it.", "Quite so.", "I will leave you to it."),
    "again": (
        "As I said: ",
        "I can only say it again: ",
        "It is still the same: ",
        "Once more, then: ",
    ),
    # --- asking back
    "ask_travel": ("And where does the road take you after?", "Is it a long way?"),
    "ask_loss": ("When did you last have it?", "Have you asked others about it?"),
    "ask_work": ("Is it good work?", "How did you come to that?"),
    "ask_any": (
        "How did that come about?",
        "Who else knows of it?",
        "What will you do about it?",
        "And what do you make of it?",
    ),
}

#: Gestures it can show when asked, by the verb of the request.
GESTURES: Mapping[str, str] = {
    "bow": "bows.",
    "cheer": "cheers.",
    "clap": "claps.",
    "dance": "dances a step or two, none too gracefully.",
    "frown": "frowns.",
    "grin": "grins.",
    "laugh": "laughs.",
    "nod": "nods.",
    "shrug": "shrugs.",
    "sigh": "sighs.",
    "smile": "smiles.",
    "wave": "waves.",
    "whistle": "whistles a few notes.",
    "wink": "winks.",
}
