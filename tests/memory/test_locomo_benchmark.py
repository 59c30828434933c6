"""benchmarks.locomo on a conversation of our own: its numbers must be what it says they are."""

import json

import pytest

from benchmarks import locomo

SAMPLE = {
    "sample_id": "own-1",
    "conversation": {
        "speaker_a": "Anna",
        "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Anna", "dia_id": "D1:1", "text": "I bought a horse at the fair."},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "What is it called?"},
            {"speaker": "Anna", "dia_id": "D1:3", "text": "Thunder.", "blip_caption": "a horse"},
        ],
        "session_2_date_time": "9:00 am on 1 June, 2023",
        "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "My boat sank in the storm."}],
        "session_3_date_time": "9:00 am on 2 June, 2023",
    },
    "qa": [
        {"question": "What did Anna buy?", "evidence": ["D1:1"], "category": 4},
        {"question": "What is Anna's horse called?", "evidence": ["D1:3", "D9:9"], "category": 1},
        {"question": "Never asked.", "evidence": ["D1:1"], "category": 5},
        {"question": "No evidence.", "evidence": ["D7:7"], "category": 2},
    ],
}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "own.json"
    file.write_text(json.dumps([SAMPLE]), encoding="utf-8")
    return file


def test_the_last_line_is_one_json_object_with_the_promised_keys(path, capsys):
    locomo.main([str(path), "--json"])
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["questions"] == 2
    assert result["recall_at_5"] == result["recall_at_10"] == result["recall_at_20"] == 1.0
    assert 0.0 < result["mrr"] <= 1.0
    assert {"ms_p50", "ms_p95", "bm25_recall_at_10"} <= set(result)


def test_people_get_a_table(path, capsys):
    locomo.main([str(path)])
    assert "recall@5" in capsys.readouterr().out


def test_turns_become_memories_as_the_protocol_says(path):
    (conversation,) = locomo.load(path)
    texts = [item.text for item in conversation.items]
    assert texts[0] == "Anna: I bought a horse at the fair."
    assert texts[2] == "Anna: Thunder. [shares a picture: a horse]"
    assert conversation.items[0].when == 1683554160.0
    assert conversation.questions[1].evidence == {"D1:3"}


@pytest.mark.parametrize("content", [None, "{", "{}", "[1]", '[{"sample_id": "x"}]'])
def test_a_file_that_cannot_be_used_ends_with_a_message_and_code_2(tmp_path, capsys, content):
    file = tmp_path / "bad.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(SystemExit) as stopped:
        locomo.main([str(file), "--json"])
    assert stopped.value.code == 2
    assert str(file) in capsys.readouterr().err
