"""The programs and the bound over time, solved in a separate process."""

from __future__ import annotations

import threading
import weakref

import pytest

from slotscope.gui.running import bounds_service
from slotscope.gui.running.bounds_service import BoundsService
from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.programs.bounds import all_bounds
from slotscope.model.lifeline import start_beside
from slotscope.model.scenario.load import Scenario, edited, load_scenario

#: Seconds until a test times out.
PATIENCE = 60


class Answers:
    """The answers of the service so far."""

    def __init__(self, wanted: int) -> None:
        self.found: list[Bounds] = []
        self._wanted = wanted
        self.complete = threading.Event()

    def __call__(self, bounds: Bounds) -> None:
        self.found.append(bounds)
        if len(self.found) >= self._wanted:
            self.complete.set()


@pytest.fixture
def service():
    made = BoundsService()
    yield made
    made.stop()


def test_programs_come_first_then_the_bound_over_time(service: BoundsService) -> None:
    scenario = load_scenario("dra-classroom")
    answers = Answers(2)
    service.request(scenario, answers)
    assert answers.complete.wait(PATIENCE)
    programs, everything = answers.found
    expected = list(all_bounds(scenario))
    assert programs.optimum == expected[0].optimum
    assert programs.infinite is None
    assert everything.infinite is not None
    assert (everything.infinite.reward == expected[1].infinite.reward).all()


def test_a_scenario_of_unknown_workload_has_a_reason_and_a_bound(service: BoundsService) -> None:
    answers = Answers(2)
    service.request(load_scenario("dra-example-2"), answers)
    assert answers.complete.wait(PATIENCE)
    assert "unknown" in answers.found[0].problem
    assert answers.found[1].infinite is not None


def test_a_new_request_ends_the_old_one(service: BoundsService) -> None:
    scenario = load_scenario("dra-vms")
    large = edited(scenario, {"servers": {**scenario.servers.model_dump(mode="json"), "count": 100_000}})
    first, second = Answers(2), Answers(2)
    service.request(large, first)
    service.request(load_scenario("dra-classroom"), second)
    assert second.complete.wait(PATIENCE)
    assert not first.complete.is_set()


def crowded() -> Scenario:
    """A scenario whose programs are solved at once, but whose bound over time takes long."""
    scenario = load_scenario("dra-vms")
    return edited(scenario, {"servers": {**scenario.servers.model_dump(mode="json"), "count": 1_000_000}})


@pytest.mark.parametrize(("known", "said"), [(0, "The programs could not"), (1, "Not all programs could")])
def test_where_the_solver_is_killed_that_is_said_beside_what_is_known(service, monkeypatch, known, said) -> None:
    started = []

    def noted(*given, **how):
        started.append(start_beside(*given, **how))
        return started[-1]

    monkeypatch.setattr(bounds_service, "start_beside", noted)
    first, answers = Answers(known), Answers(known + 1)
    service.request(crowded(), lambda bounds: (first(bounds), answers(bounds)))
    assert not known or first.complete.wait(PATIENCE)
    started[0].kill()
    assert answers.complete.wait(PATIENCE)
    *before, last = answers.found
    assert len(before) == known
    assert last.problem.startswith(f"{said} be solved: its process was killed")
    assert last.optimum == (before[0].optimum if known else None)


def test_when_it_is_stopped_no_thread_holds_the_receiver(service: BoundsService) -> None:
    answers = Answers(2)
    gone = weakref.ref(answers)
    service.request(load_scenario("dra-classroom"), answers)
    del answers
    assert gone() is not None
    service.stop()
    assert gone() is None
