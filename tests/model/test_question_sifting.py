"""Which changes of things matter to a condition: leaving the others out changes no answer."""

from __future__ import annotations

import random
from unittest.mock import patch

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.questions import versions
from slotscope.model.questions.counting import ThingValues
from slotscope.model.questions.sifting import NEARLY_ALL, PartColumns, sifted
from slotscope.model.questions.understanding import understood
from slotscope.model.systems.watching import RowChanges
from tests.model.test_question_changes import asked, compared, ready


@pytest.mark.parametrize("values", [1, 3])
@pytest.mark.parametrize("places", [1, 3, 40])
def test_each_version_that_differs_from_that_before_is_found(places: int, values: int) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    draw, changes, before = np.random.default_rng(seed), 300, places - places // 3
    place = draw.integers(0, places, changes)
    then, now = (columns(draw, before + changes, values) for _ in range(2))
    latest, last = dict(zip(range(before), range(before), strict=True)), dict[int, int]()
    previous, expected = [], []
    for change, where in enumerate(place.tolist()):
        version, was = before + change, latest.get(where, -1)
        previous.append(last.get(where, -1))
        touched = was < 0 or differ(then, version, was)
        expected.append((was, touched, touched or differ(now, version, was)))
        latest[where], last[where] = version, change
    none = np.zeros(0, np.int64)
    found = sifted(then, now, RowChanges(none, place, np.array(previous), {}, {}), before)
    matter = [change for change, (*_, matters) in enumerate(expected) if matters]
    assert (found.change is None) == (values > 1) == (len(matter) > NEARLY_ALL * changes)
    kept = [*range(changes)] if found.change is None else matter
    assert found.change is None or found.change.tolist() == matter
    assert [*zip(found.was.tolist(), found.touched.tolist(), strict=True)] == [expected[each][:2] for each in kept]
    assert {touched for _, touched, _ in expected} == {False, True}


def columns(draw: np.random.Generator, versions: int, values: int) -> PartColumns:
    """Random columns with missing numbers, all equal to one another; with few *values* most versions are equal."""
    numbers = draw.integers(0, values, (2, versions)) / 2
    numbers[draw.random(numbers.shape) < (0.2 if values > 1 else 0.02)] = np.nan
    return PartColumns(numbers, draw.random((2, versions)) < (0.9 if values > 1 else 0.99))


def differ(read: PartColumns, one: int, other: int) -> bool:
    alike = np.array_equal(read.numbers[:, one], read.numbers[:, other], equal_nan=True)
    return not (alike and np.array_equal(read.truths[:, one], read.truths[:, other]))


#: Questions about dra-vms, whose events change the index of many servers, and how many changes of a thousand events
#: matter at most.
FEW_MATTER = (
    ("(count server where slots[4] >= index and (jobs[3] <= moved) becomes false) % 2 = 1", 2000),
    ("(count server where was jobs[4] < index or jobs[4] = admitted_so_far[3] % 5) % 2 = 1", 2500),
    ("(count server where not was index > 170 and jobs[3] > moved % 5) % 2 = 1", 2500),
    ("(count server where index > 3 and rank changes or jobs[1] = event % 4) % 2 = 1", 2500),
)


@pytest.mark.parametrize(("text", "most"), FEW_MATTER)
def test_versions_that_differ_in_nothing_that_is_read_are_counted_no_more(text: str, most: int) -> None:
    session, kept = Session.open("dra-vms"), []

    def counted(pairing: versions.Pairing, things: ThingValues, *given: np.ndarray) -> np.ndarray:
        kept.append(len(things.event))
        return counting(pairing, things, *given)

    counting, question = versions.counted_by_event, ready(session, text)
    with patch.object(versions, "counted_by_event", counted):
        found = asked(session, question, 4000)
    assert found.any()
    assert sum(kept) <= most * 4, kept


#: Numbers of servers of dra-classroom, whose events change the index of most servers.
OF_SERVERS = ("index", "rank", "empty", "jobs[1]", "slots[2]", "in_reject_group", "index - jobs[2]", "filled % index")


@pytest.mark.parametrize("turn", range(3))
def test_random_conditions_on_what_changes_much_find_what_looks_find(turn: int) -> None:
    """Clauses about the server alone, the event or the event before, joined in pairs by *and* or *or*."""
    seed = random.randrange(2**32)
    print("seed", seed, turn)
    draw, session = random.Random(seed), Session.open("dra-classroom")

    def clause() -> str:
        one, other = draw.sample(OF_SERVERS, 2)
        now = draw.choice((other, str(draw.randint(0, 4)), "Y[1]", "moved", "event % 5"))
        then = draw.choice((now, f"was ({other})", "was Y[1]"))
        ways = (f"{one} < {then}", f"({one} >= {now}) becomes false", f"({one} = {now}) becomes true")
        return draw.choice((*ways, f"{one} changes", f"not was ({one}) > {then}", f"({one} < {now}) changes"))

    def question() -> str:
        condition = f"{clause()} {draw.choice(('and', 'or'))} {clause()}"
        return f"(count server where {condition}) % 2 = 1" if draw.random() < 0.7 else f"any server where {condition}"

    texts = {text: understood(text, session.info.words) for text in (question() for _ in range(12))}
    assert sum(found.any() for found in compared(session, texts, 300)) > 4
