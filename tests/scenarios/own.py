"""Scenarios of our own, in the form of the scenario files."""

RETRIEVALS = (
    {
        "fixture_id": "own_cat_en",
        "seed": {
            "seed_events": [
                {"description": text}
                for text in (
                    "Anna keeps a black cat called Mochi, whom she took in five winters ago.",
                    "Anna has lately taken to baking bread.",
                    "Anna's mother lives up the river.",
                    "Anna likes to throw dice.",
                    "Anna was born on the third of May.",
                    "Anna keeps the books of the harbour master.",
                    "Anna has had words with the widow she lodges with.",
                    "Anna's cat Mochi was taken to the herb woman last week, breathing badly.",
                    "Anna wants to travel to the islands.",
                    "Anna has begun to learn the fiddle.",
                )
            ]
        },
        "retrieve": {"query": "How has Mochi been lately?", "top_k": 3},
        "invariants": {
            "top3_relevant_min": 2,
            "top3_description_contains_any": ["cat", "Mochi", "herb woman"],
        },
    },
    {
        "fixture_id": "own_cat_ja",
        "seed": {
            "seed_events": [
                {"description": text}
                for text in (
                    "アンナは黒猫のモチを飼っている",
                    "アンナは最近パンを焼くのが好きだ",
                    "アンナの母は川上に住んでいる",
                    "アンナはさいころ遊びが好きだ",
                    "アンナは港の帳簿をつけている",
                    "アンナの猫モチは先週薬師に診てもらった",
                    "アンナは島へ旅をしたい",
                )
            ]
        },
        "retrieve": {"query": "モチは元気か", "top_k": 3},
        "invariants": {"top3_relevant_min": 2, "top3_description_contains_any": ["猫", "モチ"]},
    },
)
