"""
What a good model answers in each scenario, so that what is made of it can be seen without one.

A record names the lines it rests on by a piece of their text.

"""

from __future__ import annotations

from typing import Any

#: Records of the one call for a talk, by scenario.
EXTRACTED: dict[str, list[dict[str, Any]]] = {
    "e1_user_self_disclosure": [
        {
            "what": "memory",
            "text": "张丽华的老伴去年过世了 · 她一直没跟谁好好聊过。",
            "lines": ["老伴过世"],
            "impact": -9,
            "tags": ["vulnerability", "identity-bearing"],
        },
        {
            "what": "memory",
            "text": "张丽华 62 岁 · 是退休的中学语文老师 · 住在沈阳。",
            "lines": ["我叫张丽华", "中学语文老师"],
            "impact": "+1",
            "tags": ["identity-bearing"],
        },
        {
            "what": "entity",
            "text": "Mochi",
            "kind": "pet",
            "lines": ["黑猫叫 Mochi"],
        },
        {"what": "about", "text": "张丽华养了一只黑猫叫 Mochi。", "lines": ["黑猫叫 Mochi"]},
        {"what": "summary", "text": "张丽华介绍了自己 · 提到老伴去年过世。"},
    ],
    "e2_user_only_asks": [
        {"what": "summary", "text": "Char asked what music and places the other likes."},
    ],
    "e3_buried_shock": [
        {
            "what": "memory",
            "text": "Char 的母亲两年前去世 · 一直没跟人说过。",
            "lines": ["我妈两年前走了"],
            "impact": -9,
            "tags": ["vulnerability"],
        },
        {"what": "summary", "text": "Char 聊天气时提到母亲两年前去世。"},
    ],
    "e4_correction": [
        {
            "what": "memory",
            "text": "Char 只有一个妹妹 · 另一个是表妹 · 之前说有两个妹妹是说错了。",
            "lines": ["我只有一个妹妹"],
            "impact": 0,
            "tags": ["correction"],
        },
        {"what": "summary", "text": "Char 更正了自己只有一个妹妹。"},
    ],
    "e5_reflection_abstraction": [{"what": "summary", "text": "Char 今天还行 · 只是有点累。"}],
    "e8_bilingual": [
        {
            "what": "memory",
            "text": "Char 今天看了印象派画展 · 在莫奈的睡莲前站了很久 · 觉得很平静。",
            "lines": ["我今天去看了一个画展", "I felt so calm"],
            "impact": 4,
            "tags": [],
        },
        {"what": "summary", "text": "Char 讲了今天看的莫奈画展。"},
    ],
}

#: What a reflection over the scenario's events concludes: questions, then insights on "*", all.
REFLECTED = {
    "e5_reflection_abstraction": (
        ["Char 的生活最近有什么变化"],
        "Char 正处在换城市、换工作、分手之后的孤独过渡期。",
    ),
    "e3_buried_shock": (["Char 最近承受着什么"], "Char 把丧母之痛藏在闲聊里。"),
}
