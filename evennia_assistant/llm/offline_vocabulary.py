"""
The words the offline brain goes by: those that ask, those that belong together, other tongues.

"""

from __future__ import annotations

from collections.abc import Mapping

from ..mind.text import content_terms, stem

#: Words a question is asked with, not about.
ASKED_WITH = frozenset(
    stem(word)
    for word in """
    tell know remember recall hear say ask mention whisper talk speak think believe anything
    something everything nothing please time day place person anyone someone anybody somebody
    thing kind sort again ever still maybe perhaps also much many like go get have want need see
    mean happen really well good friend sir madam find make name call buy look use let come next
    past near around along across back way free available possible offer right exactly actually
    """.split()  # noqa: SIM905
)
#: Words that name nothing by themselves ("a lot", "the way").
VAGUE = frozenset(
    content_terms(
        "lot bit thing something anything everything nothing way day night time moment while kind "
        "sort one matter question favour favor place day morning evening week year"
    )
)
#: Words people ask with, and the words a keeper is likely to have answered with.
_KINDRED = """
    eat food hungry hunger starving meal supper dinner breakfast lunch menu > eat food meal stew
    drink thirsty thirst ale beer mead wine menu > drink ale beer mead wine
    bed room sleep lodging stay rent tired sleepy exhausted weary > bed room lodging
    healer heal doctor physician medicine sick ill hurt pain cure > healer heal herbalist doctor
    wound wounded injured injury bleeding cut > wound bleed cut healer
    headache fever > headache fever healer
    inn house tavern > inn house tavern
    ship boat vessel > ship boat vessel sail
    leave depart sail > leave depart sail
    harbour harbor port docks quay > harbour harbor port docks quay
    weather rain snow storm sunny windy wind > weather rain snow storm wind
    marry wife husband family > marry wife husband
    work job employment > work job apprentice
    rumour rumor gossip > rumour rumor gossip
    kid child children son daughter > kid child son daughter
    cost price pay > cost price pay
"""


def _kindred() -> dict[str, frozenset[str]]:
    kin: dict[str, frozenset[str]] = {}
    for group in _KINDRED.strip().splitlines():
        asked, answered = (frozenset(content_terms(part)) for part in group.split(">"))
        for term in asked:
            kin[term] = kin.get(term, frozenset()) | answered - {term}
    return kin


#: Stems that may answer for a stem of a question.
KINDRED: Mapping[str, frozenset[str]] = _kindred()

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
