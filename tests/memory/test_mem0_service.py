"""Mem0's service answers before it has stored: what is told apart is 'not yet' and 'not'."""

import pytest

from evennia_assistant.errors import MemoryFault, SemanticMemoryError
from evennia_assistant.memory.mem0_service import PATIENCE, ServiceRows

from tests.facts import fact


class Service:
    """Stands in for `mem0.MemoryClient`: what was added shows after `late` seconds."""

    def __init__(self, late=0.0):
        self.now, self.late, self.kept, self.removed = 0.0, late, [], []

    def sleep(self, seconds):
        self.now += seconds

    def add(self, text, *, user_id, metadata, infer):
        assert infer is False
        row = {"id": f"s{len(self.kept)}", "memory": text, "metadata": metadata, "user": user_id}
        row.update(created_at=f"{len(self.kept):05d}", shows=self.now + self.late)
        self.kept.append(row)
        return {"status": "PENDING"}

    def get_all(self, *, filters, page, page_size):
        rows = [
            row
            for row in self.kept
            if row["user"] == filters["user_id"] and row["shows"] <= self.now
        ]
        start = (page - 1) * page_size
        more = start + page_size < len(rows)
        return {"results": rows[start : start + page_size], "next": "more" if more else None}

    def search(self, query, *, filters, top_k):
        rows = self.get_all(filters=filters, page=1, page_size=top_k)["results"]
        return {"results": [{**row, "score": 0.5} for row in rows]}

    def delete(self, row_id):
        self.kept = [row for row in self.kept if row["id"] != row_id]


def test_what_shows_late_is_waited_for_and_given_its_id():
    service = Service(late=5.0)
    rows = ServiceRows(service, sleep=service.sleep)
    assert rows.add("bram", [fact(1), fact(2)]) == ["s0", "s1"]
    assert rows.find_by_keys("bram", [fact(2).key, "?"]) == {fact(2).key: "s1"}


def test_what_does_not_show_is_no_success():
    service = Service(late=PATIENCE + 10)
    rows = ServiceRows(service, sleep=service.sleep)
    with pytest.raises(SemanticMemoryError) as caught:
        rows.add("bram", [fact(1)])
    assert caught.value.fault is MemoryFault.DROPPED


def test_all_pages_are_read_and_others_left_alone():
    service = Service()
    rows = ServiceRows(service, sleep=service.sleep)
    rows.add("bram", [fact(n) for n in range(250)])
    rows.add("mary", [fact(1, user="mary")])
    assert [row.fact.entry_ids[0] for row in rows.rows("bram")] == list(range(249, -1, -1))
    rows.delete("bram", ["s250", "s0"])
    assert len(rows.rows("mary")) == 1 and len(rows.rows("bram")) == 249
    assert [row.fact.text for row in rows.get("mary", ["s250", "s1"])] == [
        fact(1, user="mary").text
    ]
    assert len(rows.search("mary", "ring", 5)) == 1 and rows.search("mary", " ", 5) == []
