"""The help page on questions: each of its example questions finds what the page says, in its scenario."""

from __future__ import annotations

import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.spec import KINDS
from slotscope.model.questions.asking import answers
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words
from tests.help_pages import code, page, table

ROWS = table(page("questions"), "scenario")

#: Events within which each question has a hit.
ENOUGH = 5000


def test_there_are_five_for_each_kind():
    systems = [Session.open(scenario, kernel=False).info.system for scenario, *_ in ROWS]
    assert {kind: systems.count(kind) for kind in KINDS} == dict.fromkeys(KINDS, 5)


@pytest.mark.parametrize(("scenario", "question"), [(row[0], code(row[1])[0]) for row in ROWS])
def test_it_has_an_answer(scenario, question):
    run = Session.open(scenario)
    asked = [understood(question, Words(run.bench.kind.vocabulary, run.bench.system))]
    found = (len(part.hits(0)) for part in answers(run.bench.system, run.timeline, asked, 0, ENOUGH))
    assert any(found)
