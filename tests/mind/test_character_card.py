"""Cards in every form people have them, and every way in which one can be broken."""

import base64
import copy
import json
import random
import zlib

import pytest

from evennia_assistant.errors import CardError
from evennia_assistant.mind import character_card, png_text
from evennia_assistant.mind.character_card import as_v2, as_v3, data_of, in_picture, json_in

from tests.cards import SERAPHINA, as_bytes, chunk, picture, v2, v3


@pytest.mark.parametrize("card", [v2(), v3(), SERAPHINA], ids=["V2", "V3", "V1"])
def test_a_card_of_every_version_is_read(card):
    assert character_card.is_card(card)
    assert data_of(json_in(as_bytes(card)))["name"] == "Seraphina"


def test_a_picture_with_both_versions_gives_the_better_one():
    png = picture(chara=v2(name="Old"), ccv3=v3(name="New"))
    assert data_of(json_in(png))["name"] == "New"
    assert data_of(json_in(picture(chara=v2(name="Old"))))["name"] == "Old"


@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt"])
def test_packed_text_chunks_are_read_too(kind):
    packed = base64.b64encode(as_bytes(v2()))
    body = {
        b"zTXt": b"chara\0\0" + zlib.compress(packed),
        b"iTXt": b"chara\0\1\0en\0\0" + zlib.compress(packed),
    }[kind]
    png = picture()
    assert json_in(png[:33] + chunk(kind, body) + png[33:]) == v2()


def test_a_card_goes_into_a_picture_and_comes_out_of_it_alone():
    png = in_picture(picture(chara=v2(name="Old"), ccv3=v3(name="Old")), as_v3(v3()["data"]))
    assert json_in(png) == v3()
    assert set(png_text.texts_in(png)) == {"ccv3"}
    assert b"IDAT" in png and png.endswith(chunk(b"IEND", b""))


def test_what_nobody_here_knows_of_a_card_stays_in_it():
    card = v3(from_the_future={"a": [1, None, True]})
    assert as_v3(data_of(card)) == card
    assert as_v2(data_of(v2())) == v2()


def test_v2_gets_nothing_that_only_v3_has():
    assert {"assets", "nickname", "creation_date"}.isdisjoint(as_v2(v3()["data"])["data"])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "no JSON"),
        (b'{"a": NaN}', "NaN"),
        (b"[" * 100_000, "nested too deep|no JSON"),
        (as_bytes({"a": [[[[]]]]}).replace(b"[[[[]]]]", b"[" * 60 + b"]" * 60), "nested too deep"),
        (b'{"name": "' + b"x" * character_card.MAX_JSON + b'"}', "bytes of JSON"),
        (b'{"name": "\xff"}', "no JSON"),
        (picture(), "holds no character card"),
        (picture(chara=v2())[:80], "cut off"),
        (png_text.SIGNATURE, "cut off"),
        (png_text.SIGNATURE + b"\xff\xff\xff\xffIHDR" + b"x" * 40, "cut off"),
    ],
)
def test_a_broken_file_says_why_it_is_not_taken(content, says):
    with pytest.raises(CardError, match=says):
        json_in(content)


def test_a_text_that_unpacks_to_gigabytes_is_refused_before_it_does(monkeypatch):
    monkeypatch.setattr(png_text, "MAX_TEXT", 10_000)
    bomb = b"chara\0\0" + zlib.compress(b"\0" * 5_000_000)
    png = picture()
    with pytest.raises(CardError, match="larger than"):
        json_in(png[:33] + chunk(b"zTXt", bomb) + png[33:])


def test_half_a_character_harms_nothing():
    read = json_in(b'{"name": "a\\ud800b", "first_mes": ""}')
    assert read["name"] == "a?b"


def test_fields_of_the_wrong_kind_are_left_out_and_a_nameless_card_is_none():
    data = data_of(v2(description=["no", "text"], tags="none", character_book=[1]))
    assert {"description", "tags", "character_book"}.isdisjoint(data)
    for name in ("", None, 7, "  "):
        with pytest.raises(CardError, match="no name"):
            data_of(v2(name=name))
    with pytest.raises(CardError, match="no data"):
        data_of({"spec": "chara_card_v3", "data": 3})


def test_reading_changes_nothing_of_what_was_read():
    card = v3()
    before = copy.deepcopy(card)
    data_of(card)["description"] = "other"
    assert card == before


def test_no_mutation_of_a_picture_does_more_than_be_refused():
    whole = picture(ccv3=v3(), chara=v2())
    rng = random.Random(5)
    refused = 0
    for _ in range(400):
        broken = bytearray(whole)
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(8, len(broken))
            broken[at] = rng.randrange(256)
        if rng.random() < 0.3:
            del broken[rng.randrange(8, len(broken)) :]
        try:
            read = json_in(bytes(broken))
            assert read is None or json.dumps(read)
        except CardError as err:
            assert str(err)
            refused += 1
    assert refused > 100
