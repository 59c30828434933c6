"""The examples in docstrings do what they say."""

import doctest

import pytest

from evennia_assistant.llm import structured
from evennia_assistant.testing import scripted_model, scripted_server


@pytest.mark.parametrize(
    "module",
    [scripted_model, scripted_server, structured],
    ids=lambda module: module.__name__.rpartition(".")[2],
)
def test_examples_run(module):
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.attempted and not result.failed
