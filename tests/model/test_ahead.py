"""Pieces made one ahead, in another thread, come in the same order and end the same way as without it."""

from __future__ import annotations

from contextlib import closing
from threading import Event, current_thread
from typing import Any, Iterator

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.questions import asking, looking
from slotscope.model.questions.asking import answers, make_ready
from slotscope.model.questions.understanding import understood
from slotscope.model.running.ahead import ahead, looked_at
from slotscope.model.running.waiting import GivenUpError, waiting


def test_the_next_piece_is_made_while_one_is_looked_at() -> None:
    looked, threads = Event(), set()

    def pieces() -> Iterator[int]:
        for number in range(5):
            threads.add(current_thread())
            if number == 1:
                assert looked.wait(10)  # until the piece before was received
            yield number

    found = []
    for piece in ahead(pieces()):
        looked.set()
        found.append(piece)
    assert found == [0, 1, 2, 3, 4]
    assert len(threads) == 1
    assert current_thread() not in threads


def test_what_goes_wrong_there_goes_wrong_here() -> None:
    def pieces() -> Iterator[int]:
        yield 1
        raise ValueError("the second piece")

    found = ahead(pieces())
    assert next(found) == 1
    with pytest.raises(ValueError, match="the second piece"):
        next(found)


def test_no_thread_is_left_where_no_more_is_wanted() -> None:
    threads = []

    def pieces() -> Iterator[int]:
        while True:
            threads.append(current_thread())
            yield len(threads)

    with closing(ahead(pieces())) as found:
        assert next(found) == 1
    assert len(threads) <= 2
    assert not threads[0].is_alive()


def test_pieces_are_looked_at_at_once_and_come_in_order() -> None:
    second, threads = Event(), set()

    def look(piece: int) -> int:
        threads.add(current_thread())
        if piece == 1:
            second.set()
        assert second.wait(10)  # the first waits until the second is processed, too
        return 10 * piece

    assert list(looked_at((number for number in range(5)), look, 2)) == [0, 10, 20, 30, 40]
    assert len(threads) == 2
    assert current_thread() not in threads
    assert list(looked_at((number for number in range(5)), look, 1)) == [0, 10, 20, 30, 40]
    assert current_thread() in threads


@pytest.mark.parametrize("at_once", [1, 2])
def test_what_goes_wrong_in_a_look_goes_wrong_here_after_what_was_seen_before(at_once: int) -> None:
    found = looked_at((number for number in (2, 1, 0, 3)), lambda piece: 2 // piece, at_once)
    assert [next(found), next(found)] == [1, 2]
    with pytest.raises(ZeroDivisionError):
        next(found)


#: For each kind of system, questions about each kind of thing, and about both together.
ASKED = (
    ("dra-vms", "(any server where index > 5 and empty > 0) or (count job where since < time - 2) % 3 = 1"),
    ("dra-vms", "(any job where server changes) and (any server where rank changes)"),
    ("queues-vqs-unstable", "(any server where used[1] < 0.5) and (count job where arrival > time - 3) % 2 = 0"),
    ("jrs-two-phases", "(any server where was all_jobs < all_jobs) or (any job where phase changes)"),
    ("moldable-sublinear", "(count job where width < request) % 3 = 1 and any server where job % 7 = event % 7"),
)


@pytest.mark.parametrize(("scenario", "text"), ASKED)
def test_answers_are_the_same_with_few_processors_and_with_many(
    scenario: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, found = Session.open(scenario), []
    question = understood(text, session.info.words)
    make_ready(session.bench, session.timeline, [question])
    for processors in (1, 2, 4):
        monkeypatch.setattr(asking, "processors", lambda count=processors: count)
        parts = answers(session.bench.system, session.timeline, [question], 0, 40_000)
        found.append(np.concatenate([part.hits(0)["event"] for part in parts]))
    assert len(found[0]) > 0
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_a_look_that_fails_is_told_though_the_next_one_waits_for_what_it_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "processors", lambda: 2)
    looks, own = [], looking.column_of

    def column_of(*told: Any) -> Any:
        looks.append(told)
        if len(looks) == 20:
            raise ZeroDivisionError
        return own(*told)

    monkeypatch.setattr(looking, "column_of", column_of)
    session = Session.open("dra-vms")
    question = understood("(any server where index = 3) becomes true", session.info.words)
    assert question.recalls
    make_ready(session.bench, session.timeline, [question])
    with pytest.raises(ZeroDivisionError):
        for _ in answers(session.bench.system, session.timeline, [question], 0, 10**6):
            pass


def test_who_waits_stops_it_within_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "processors", lambda: 2)
    session, wishes, slices = Session.open("dra-vms"), [], 0
    question = understood("any server where index = 3", session.info.words)
    make_ready(session.bench, session.timeline, [question])
    with waiting(lambda _: None, lambda: len(wishes)), pytest.raises(GivenUpError):
        for _ in answers(session.bench.system, session.timeline, [question], 0, 10**9):
            slices += 1
            if slices == 3:
                wishes.append(True)
    assert slices <= 4
