"""Names offered to complete an unfinished question: each of them makes it a valid one."""

from __future__ import annotations

import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.spec import KINDS
from slotscope.model.questions.completion import completions
from slotscope.model.questions.understanding import understood
from tests.contract.moments import SMALL


@pytest.fixture(scope="module")
def words():
    return Session.open("dra-classroom", kernel=False).info.words


@pytest.mark.parametrize(
    ("before", "start", "offered"),
    [
        ("rejected_s", 0, ["rejected_so_far[1]", "rejected_so_far[2]", "rejected_so_far[3]"]),
        ("rejected and REJECTED_SO_FAR[2", 13, ["rejected_so_far[2]"]),
        ("server 7 . ra", 11, ["rank"]),
        ("server 7 . ", 11, None),
        ("type = ", 7, ["web", "database", "training"]),
        ("rejected and type != tr", 21, ["training"]),
        ("any server where ran", 17, ["rank"]),
        ("jobs[1] > ", 10, []),
        ("", 0, []),
        ("x", 0, []),
    ],
)
def test_what_is_offered(words, before, start, offered):
    found = completions(words, before)
    assert found[0] == start
    if offered is None:
        assert {"rank", "empty", "jobs[1]"} <= {word.text for word in found[1]}
        assert "rejected" not in {word.text for word in found[1]}
    else:
        assert [word.text for word in found[1]] == offered


@pytest.mark.parametrize("system", KINDS)
def test_every_name_of_the_list_is_offered_with_its_meaning_and_is_understood(system):
    words = Session.open(SMALL[system], kernel=False).info.words
    for word in words.all():
        *lead, name = word.text.split(" . ")
        before = "".join(f"{thing} . " for thing in lead) + name[:3]
        start, found = completions(words, f"1 < {before}")
        assert word._replace(text=name) in found
        assert all(one.about for one in found)
        understood(f"1 < {before}"[4:start] + name, words, truth=False)
