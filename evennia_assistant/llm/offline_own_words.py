"""
What a keeper wrote about the NPC, in the NPC's own mouth.

"You keep a key under the bar" and "Bram keeps a key under the bar" become "I keep a key under the
bar." What is in no form that can be turned is left as it is, or left out.

"""

from __future__ import annotations

import re

from .offline_retelling import MOST_CHARACTERS, ended

_THIRD = {"is": "am", "was": "was", "has": "have", "does": "do", "goes": "go"}


def own_words(text: str, name: str) -> str:
    """
    A keeper's sentence about the NPC in the NPC's own mouth.

    "You keep a key under the bar" and "Bram keeps ..." become "I keep ..."; a sentence that is
    not about the NPC, or that cannot be turned round safely, stays as it is.

    Args:
        text: One sentence.
        name: The NPC's name.

    """
    text = text.strip()
    if re.match(r"you\b|your\b", text, re.IGNORECASE):
        return _from_second(text)
    about = _after_name(text, name)
    if about is None:
        return text
    verb, _, rest = about.partition(" ")
    if re.search(r"\b(?:he|she|they|him|them|hers|theirs)\b|\b(?:and|or|but) \w+s\b", rest, re.I):
        return text
    first = first_person_verb(verb)
    if first is None:
        return text
    rest = re.sub(r"\b(?:his|her|their)\b", "my", rest)
    rest = re.sub(r"\b(?:himself|herself|themselves|themself)\b", "myself", rest)
    return f"I {first} {rest}".strip()


def introduction(description: str, name: str) -> str:
    """
    What a description lets the NPC say of itself, "" when it is in no form that can be turned.

    Args:
        description: The persona's description, in the first, second or third person.
        name: The NPC's name.

    """
    sentence = re.split(r"(?<=[.!?])\s", description.strip())[0].rstrip(".!? ")
    if not sentence or len(sentence) > MOST_CHARACTERS:
        return ""
    if re.match(r"(?:an?|the) \w", sentence, re.IGNORECASE):
        return f"I am {sentence[0].lower()}{sentence[1:]}."
    if re.match(r"i(?:'m| am| \w)", sentence, re.IGNORECASE):
        return ended(sentence)
    turned = own_words(sentence, name)
    return ended(turned) if turned != sentence else ""


def first_person_verb(verb: str) -> str | None:
    """ "keeps" as "keep"; None for what is no verb in the third person."""
    if verb in _THIRD:
        return _THIRD[verb]
    if not verb.islower() or not verb.isalpha() or not verb.endswith("s") or verb.endswith("ss"):
        return None
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1]


def _from_second(text: str) -> str:
    """ "You are ..., and your ..." as "I am ..., and my ..."."""
    text = re.sub(r"\byou(?:'re| are)\b", "I am", text, flags=re.IGNORECASE)
    text = re.sub(r"\byou were\b", "I was", text, flags=re.IGNORECASE)
    text = re.sub(r"\byou(?='(?:ve|ll|d)\b)", "I", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<=\b(?:to|of|by)) you\b", " me", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<=\bfor) you\b|(?<=\b(?:from|with)) you\b", " me", text, flags=re.IGNORECASE)
    text = re.sub(r"\byou(?=\W*$|[.,;!])", "me", text, flags=re.IGNORECASE)
    text = re.sub(r"\byou\b", "I", text, flags=re.IGNORECASE)
    text = re.sub(r"\byour\b", "my", text, flags=re.IGNORECASE)
    text = re.sub(r"\byours\b", "mine", text, flags=re.IGNORECASE)
    text = re.sub(r"\byourself\b", "myself", text, flags=re.IGNORECASE)
    return text[:1].upper() + text[1:]


def _after_name(text: str, name: str) -> str | None:
    """What follows the NPC's name, or a word of it, at the start of a sentence."""
    for form in (name, *name.split()):
        if form and form[0].isupper() and text.startswith(f"{form} "):
            return text[len(form) + 1 :]
    return None
