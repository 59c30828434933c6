"""Asking a model over real HTTP."""

from evennia_assistant.llm.client import get_client
from evennia_assistant.testing import ScriptedModelServer


def test_an_answer_comes_back_and_not_before_the_deferred(wait):
    with ScriptedModelServer("Well met!") as server:
        deferred = get_client(server.config()).chat_completion([{"role": "user", "content": "Hi"}])
        assert not deferred.called
        answer = wait(deferred)
    assert answer.content == "Well met!"
