"""Claims of the tour."""

from __future__ import annotations

import numpy as np
import pytest

from slotscope.model.kinds.reservation.rows import FLAG_ADMITTED
from tests.lessons.claims_dra import TRAINING, groups, placement
from tests.lessons.standing import Standing, claims

TOUR = "tour"


@claims(TOUR, 1)
def there_are_seven_servers(at: Standing) -> None:
    numbers = at.frame.info.scenario
    assert (numbers.servers.count, len(numbers.job_types)) == (7, 3)
    assert groups(at)  # some are orange
    at.says("seven servers", "three types", "**orange**")


@claims(TOUR, 2)
def fourteen_events_have_happened(at: Standing) -> None:
    assert at.frame.event == 14
    at.says("Fourteen")


@claims(TOUR, 3)
def a_job_moves(at: Standing) -> None:
    moved = at.frame.records[-1]
    assert (at.frame.event, len(at.frame.records)) == (14, 2)
    assert (moved.line.algorithm, moved.line.number) == (2, 25)
    assert (moved.job, moved.source + 1, moved.target + 1) == (12, 7, 6)
    at.says("two sub-steps of event 15", "line 25", "job 12", "server 7", "server 6")


@claims(TOUR, 4)
def a_training_job_comes(at: Standing) -> None:
    assert at.run.timeline.next_event.type == TRAINING
    numbers = at.frame.info.numbers
    used = np.dot(placement(at, 7), numbers.demand[:, 0]) / numbers.capacity[0]
    assert 8 * (1 - used) == pytest.approx(7)
    at.says("training job", "server 7", "7 CPUs")


@claims(TOUR, 5)
def it_was_rejected(at: Standing) -> None:
    assert "rejected" in at.sentence
    at.says("rejected", "server 7")


@claims(TOUR, 6)
def the_two_policies_part(at: Standing) -> None:
    first = at.frame.comparison.first
    assert (first.job, first.type) == (15, TRAINING)
    dra, first_fit = first.rows
    assert not dra["flags"] & FLAG_ADMITTED and first_fit["flags"] & FLAG_ADMITTED
    assert int(first_fit["server"]) + 1 == 4
    at.says("first time", "training job 15", "server 4")


@claims(TOUR, 7)
def it_ends_where_it_was(at: Standing) -> None:
    assert at.frame.event == 18
