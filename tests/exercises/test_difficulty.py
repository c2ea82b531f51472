"""Difficulty is relative to the run: each level finds a decision, if the run has decisions with a choice."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import pytest

from slotscope.model.api import Session
from slotscope.model.errors import PolicyError, ScenarioError, UserError
from slotscope.model.exercises.exercise import DIFFICULTIES, Exercise, ask_here, exercise_run, next_exercise
from slotscope.model.exercises.posed import verdict
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.running.waiting import GivenUpError, waiting
from slotscope.model.scenario.files import scenario_files
from tests.exercises.test_posing import SEEDS, WHERE, others
from tests.model.test_monitors_violated import LIGHTEST
from tests.own_policies import source, write

#: Finds configurations in another order than by reward, and takes the last server with an empty slot.
SMALLEST_FIRST = source(
    """
    for i, j in enumerate(sorted(range(self.numbers.types), key=lambda j: self.numbers.rewards[j]), 1):
        yield say("configuration_found", i=i, configuration=self.only(j))
    for server in view.empty_servers()[:1]:
        yield Reassign(server=server, configuration=self.only(job.type))
    room = np.flatnonzero(view.empty_slots(job.type))
    yield Admit(server=room[-1]) if len(room) else Reject()
    """,
    """
    reserves_slots = True

    def only(self, j):
        return tuple(int(k == j) for k in range(self.numbers.types))
    """,
)

FROM_THE_LOWEST_RANK = """
from slotscope.model.kinds.reservation.policies import dra

class Policy(dra.Reference):
    @staticmethod
    def source_of(view, job_type):
        groups = view.classification()
        (holders,) = (view.placement[:, job_type] * groups.reject_group).nonzero()
        return int(holders[groups.rank[holders].argmin()]) if len(holders) else -1
"""

FAILS_LATER = source("assert job.number < 15\nyield Reject()")


def after(found: Exercise) -> tuple[int, int]:
    """The place just after the policy's decision: event, sub-step."""
    return (found.event, found.posed.decided) if found.posed.decided else (found.event + 1, 0)


def alike(found: Exercise) -> bool:
    return "decisions are equally hard" in found.posed.words


@lru_cache(1)
def opened(scenario: str) -> tuple[Session, ...]:
    """A session for each policy that can run a scenario; exercises do not change them."""
    found = []
    for policy in ROOMS[Session.open(scenario, kernel=False).info.system].policies:
        with suppress(ScenarioError):
            found.append(Session.open(scenario, policy, 1, kernel=False))
    return tuple(found)


def check(scenario: str, seed: int, most: int) -> None:
    """From the same moment, a harder exercise is at least as hard, and each leaves the run at its own place."""
    for run in (exercise_run(session, seed) for session in opened(scenario)):
        run.timeline.engine.keyframe_every = 10  # it goes back often, and need not replay from the start each time
        for _ in range(most):
            start, found = (run.timeline.event, run.timeline.substep), {}
            for difficulty, among in DIFFICULTIES.items():
                made = found[difficulty] = next_exercise(run, among=among)
                assert (run.timeline.event, run.timeline.substep) == (made.event, made.posed.place)
                assert verdict(made.posed, made.posed.taken).right
                again = ask_here(run, frozenset({made.question.ask}))
                assert again is not None and again.posed.taken == made.posed.taken
                run.seek(*start)
            efforts = [found[difficulty].posed.effort for difficulty in DIFFICULTIES]
            assert 0 < efforts[0] <= efforts[1] <= efforts[2]
            assert not alike(found["any"]) and (not alike(found["hardest"]) or efforts[0] == efforts[2])
            run.seek(*after(found["hardest"]))
            if run.timeline.next_event is None or ask_here(run) is None:
                break


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scenario", [name for name in scenario_files() if "classroom" in name])
def test_each_difficulty_finds_decisions_in_a_classroom_under_each_policy(scenario: str, seed: int) -> None:
    check(scenario, seed, 6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scenario", [name for name in scenario_files() if "classroom" not in name])
def test_each_difficulty_finds_decisions_in_each_scenario_under_each_policy(scenario: str, seed: int) -> None:
    check(scenario, seed, 3)


@pytest.mark.parametrize(("scenario", "policy"), sorted({(scenario, policy or "") for _, scenario, policy in WHERE}))
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_exercises_go_from_decision_to_decision(scenario: str, policy: str, difficulty: str) -> None:
    places, hard = [], []
    for run in (exercise_run(Session.open(scenario, policy or None, kernel=False), 5) for _ in range(2)):
        for _ in range(8):
            found = next_exercise(run, among=DIFFICULTIES[difficulty])
            places.append((found.event, found.posed.place))
            hard.append(found.posed.effort)
            run.seek(*after(found))
    assert places[:8] == places[8:] == sorted(set(places))  # the second run finds the same ones
    if difficulty == "hardest":
        run = exercise_run(Session.open(scenario, policy or None, kernel=False), 5)
        efforts = []
        while run.timeline.event <= places[-1][0]:
            found = next_exercise(run)
            efforts.append(found.posed.effort)
            run.seek(*after(found))
        assert sum(efforts) / len(efforts) < sum(hard) / len(hard) <= max(efforts)


@pytest.mark.parametrize(
    ("scenario", "asks", "told"),
    [("jrs-deadlock", "server", True), ("dra-classroom", "server", False), ("dra-classroom", "ranks", True)],
)
def test_where_all_are_equally_hard_that_is_said(scenario: str, asks: str, told: bool) -> None:
    run = exercise_run(Session.open(scenario, kernel=False), 1)
    assert alike(next_exercise(run, frozenset({asks}), DIFFICULTIES["hardest"])) is told
    assert not alike(next_exercise(run, frozenset({asks})))


def test_where_there_is_never_a_choice_what_is_certain_is_asked() -> None:
    run = exercise_run(Session.open("jrs-deadlock", "jrs:patch=true", kernel=False), 0)
    for among in DIFFICULTIES.values():
        found = next_exercise(run, frozenset({"token"}), among)
        assert found.question.ask == "token" and found.posed.effort == 0


def test_where_none_is_found_the_run_stays() -> None:
    session = Session.open("dra-classroom", "first-fit", kernel=False)
    session.seek(7)
    session.step_into()
    place = session.timeline.event, session.timeline.substep
    for among in DIFFICULTIES.values():
        with pytest.raises(UserError, match=r"no such decision comes \(events looked at: 2000\); allowed: another one"):
            next_exercise(session, frozenset({"migration"}), among)
        assert (session.timeline.event, session.timeline.substep) == place
        assert session.timeline.live_end == 7


def test_who_gives_up_has_the_run_where_it_was() -> None:
    session, told = Session.open("dra-classroom", "first-fit", kernel=False), []
    with waiting(told.append, lambda: 1), pytest.raises(GivenUpError, match="Looking for a decision: stopped"):
        next_exercise(session, frozenset({"migration"}))
    assert session.timeline.live_end == 0


def test_a_run_of_few_events_is_asked_from_its_beginning() -> None:
    run = exercise_run(Session.open("dra-example-2", kernel=False), 3)
    assert run.timeline.event == 0 and next_exercise(run, among=DIFFICULTIES["hardest"]).event < 10


@pytest.mark.parametrize(
    ("scenario", "text", "asks"),
    [
        ("dra-classroom", SMALLEST_FIRST, ("server", "configuration", "ranks")),
        ("dra-classroom", FROM_THE_LOWEST_RANK, ("server", "migration", "configuration", "ranks", "value")),
        ("queues-classroom", LIGHTEST.format(module="vqs"), ("server", "job", "configuration", "value")),
    ],
)
def test_what_a_policy_s_file_decides_is_right(tmp_path: Path, scenario: str, text: str, asks: tuple[str, ...]) -> None:
    run = exercise_run(Session.open(scenario, write(tmp_path, text), kernel=False), 1)
    for ask in asks:
        wrong = 0
        for among in (among for among in DIFFICULTIES.values() for _ in range(3)):
            found = next_exercise(run, frozenset({ask}), among)
            assert found.question.ask == ask and verdict(found.posed, found.posed.taken).right
            for answer in others(found.posed):
                graded = verdict(found.posed, answer)
                assert graded.right is (found.posed.read(answer) == found.posed.taken)
                wrong += not graded.right
            run.seek(*after(found))
        assert wrong


def test_what_fails_later_does_not_hinder(tmp_path: Path) -> None:
    run = Session.open("dra-classroom", write(tmp_path, FAILS_LATER), kernel=False)
    while True:
        try:
            found = next_exercise(run, among=DIFFICULTIES["hardest"])
        except PolicyError as error:
            assert "AssertionError" in error.line
            break
        run.seek(*after(found))
    assert run.timeline.event > 5
