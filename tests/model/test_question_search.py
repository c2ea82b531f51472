"""The search for a question's hits in the whole history: in slices, as the run goes on, forwards and backwards."""

from __future__ import annotations

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.errors import UserError
from slotscope.model.questions import search
from slotscope.model.running.waiting import GivenUpError, waiting
from tests.runs import ran

QUESTION = "waits and waiting > 5"


@pytest.fixture
def run():
    return ran("queues-vqs-unstable", kernel=True, events=3000)


def hits_of(run, events):
    rows = run.timeline.rows(1, events)
    return rows["event"][(rows["kept"] >= 0) & (rows["waiting"] > 5)].tolist()


def finished(run):
    while run.questions.due:
        run.questions.search(0.01)
    return run.questions.found()


def test_it_finds_what_the_rows_say_and_goes_on_as_the_run_does(run):
    run.questions.want(QUESTION)
    asked = finished(run)
    assert asked.events.tolist() == hits_of(run, 3000)
    assert (asked.hits, asked.last, asked.searching) == (len(asked.events), 3000, False)
    run.run(events=2000)
    assert run.questions.due
    assert finished(run).events.tolist() == hits_of(run, 5000)
    run.seek(10)
    assert not run.questions.found().searching


def test_sentences_of_hits_have_all_reasons(run):
    run.questions.want(QUESTION)
    rows = finished(run).rows
    assert (rows["best_residual"] >= 0).all()
    assert rows["event"].tolist() == finished(run).events[-len(rows) :].tolist()


def test_it_goes_forwards_and_backwards(run):
    run.questions.want(QUESTION)
    hits = hits_of(run, 3000)
    assert run.questions.next_after(0) == hits[0]
    assert run.questions.next_after(hits[0]) == hits[1]
    assert run.questions.last_before(hits[5]) == hits[5]
    assert run.questions.last_before(hits[5] - 1) == hits[4]
    with pytest.raises(UserError, match="found no event up to"):
        run.questions.last_before(hits[0] - 1)


def test_beyond_the_live_end_it_runs_on_and_the_run_stays(run):
    run.questions.want(QUESTION)
    found = run.questions.next_after(3000)
    assert (run.timeline.event, run.timeline.live_end) == (3000, 3000)
    run.seek(found)
    assert found in hits_of(run, found)


@pytest.mark.parametrize("question", ["waiting > 90", "waiting > 90 and was waiting > 90", "waiting > 90 and renewed"])
def test_a_run_that_comes_along_runs_its_way_once(question, monkeypatch):
    plain, run = (Session.open("queues-vqs-unstable") for _ in range(2))
    for each in (plain, run):
        each.questions.want(question)
    expected = plain.questions.next_after(0)
    told, advance = [], type(run.timeline.engine).advance

    def counted(*arguments):
        result = advance(*arguments)
        told.append(result.rows)
        return result

    monkeypatch.setattr(type(run.timeline.engine), "advance", counted)
    assert run.questions.next_after(0, along=True) == expected
    run.seek(expected - 1)
    assert expected > 300
    assert sum(told) <= expected + 2 * max(told)  # the last slice is run again, up to the hit
    plain.seek(expected - 1)
    assert run.timeline.mark() == plain.timeline.mark()
    assert run.timeline.live_end == plain.timeline.live_end
    np.testing.assert_array_equal(run.timeline.samples.table, plain.timeline.samples.table)
    assert run.timeline.extent().keyframes == plain.timeline.extent().keyframes
    assert (run.frame().rows["event"] == plain.frame().rows["event"]).all()


def test_a_search_without_end_can_be_stopped(run):
    run.questions.want("waiting < 0")
    looks: list[str] = []
    with pytest.raises(GivenUpError), waiting(looks.append, lambda: 1):
        run.questions.next_after(3000)
    assert run.timeline.event == 3000


def test_a_stopped_search_goes_on_only_if_asked_again(run):
    run.questions.want(QUESTION)
    run.questions.stop()
    assert not run.questions.due
    run.questions.want(QUESTION)
    assert run.questions.due


def test_mistakes_and_silence_find_nothing(run):
    assert run.questions.found() is None
    run.questions.want("watis")
    asked = run.questions.found()
    assert "nearest: waits" in asked.fault
    assert not asked.searching
    with pytest.raises(UserError, match="watis"):
        run.questions.next_after(0)
    run.questions.want("")
    assert run.questions.found() is None
    assert np.array_equal(run.frame().state.number, run.timeline.state.number)


def test_wherever_one_stands_the_rows_of_the_hits_around_are_at_hand(run, monkeypatch):
    """Also after the newest rows were fetched again, and after the run went on."""
    monkeypatch.setattr(search, "MOST_ROWS", 60)
    monkeypatch.setattr(search, "NEAR", 10)
    run.questions.want(QUESTION)
    hits = np.array(hits_of(run, 3000))
    assert len(hits) > 300
    for event in (3000, 0, int(hits[150]), int(hits[155]) - 1, int(hits[-1]) + 1, 3000):
        run.seek(event)
        while run.questions.due:
            run.questions.search(0.001)
        found, place = run.questions.found().rows["event"].tolist(), np.searchsorted(hits, event, "right")
        assert set(hits[max(0, place - 10) : place + 10].tolist()) <= set(found)
        assert found == [hit for hit in hits.tolist() if found[0] <= hit <= found[-1]]
        assert len(found) <= 60
        assert not run.questions.found().searching
    run.run(events=500)
    assert finished(run).rows["event"].tolist() == hits_of(run, 3500)[-60:]


def test_rows_around_where_one_stands_come_before_the_rest_of_a_long_history(run, monkeypatch):
    """They are there even if the search is stopped."""
    monkeypatch.setattr(search, "MOST_ROWS", 60)
    monkeypatch.setattr(search, "NEAR", 10)
    hits = hits_of(run, 3000)
    run.run(events=300_000)
    run.seek(hits[50])
    run.questions.want(QUESTION)
    while set(hits[41:61]) - set(run.questions.found().rows["event"].tolist()):
        assert run.questions.found().searching
        run.questions.search(0.0001)
    run.questions.stop()
    assert run.questions.found().last < 150_000
    assert not set(hits[41:61]) - set(run.questions.found().rows["event"].tolist())
