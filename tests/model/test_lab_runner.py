"""Experiments that run through, are stopped or killed, and resumed: the result is always the same."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.errors import UserError
from slotscope.model.lab import experiment_module, runner
from slotscope.model.lab.executor import ExecutorError, LocalWorkers, ThisProcess
from slotscope.model.lab.parts import Part, program_version
from slotscope.model.lab.runner import StoppedError, run_plan
from slotscope.model.lab.store import Store
from slotscope.model.lab.sweep import Sweep, axis
from slotscope.model.scenario.load import load_scenario
from tests.model.lab_work import Tiny, numbers_in

ROOT = Path(__file__).resolve().parents[2]

EXECUTORS = {"this process": ThisProcess, "one worker": lambda: LocalWorkers(1), "two workers": lambda: LocalWorkers(2)}


@pytest.fixture(params=EXECUTORS)
def executor(request):
    return EXECUTORS[request.param]()


@pytest.fixture
def store(tmp_path):
    return Store.of(tmp_path, "tiny")


def test_what_is_left_counts_those_that_work_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten equal parts of ten seconds, the first alone and the others three at a time, take forty seconds."""
    parts = [Part("w", seed, "{}", f"part {seed}", 2.0) for seed in range(10)]
    now = [0.0]
    monkeypatch.setattr(runner, "monotonic", lambda: now[0])
    watch = runner._Watch(parts, {}, 3)
    told = []
    for done, seconds in enumerate((10.0, 20.0, 20.1, 20.2, 30.0, 30.1, 30.2, 40.0, 40.1, 40.2), start=1):
        now[0] = seconds
        left = watch.status({part: {} for part in parts[:done]}).seconds_left
        assert left is not None
        told.append(seconds + left)
    assert told[0] == 40
    assert told[-1] == 40.2
    assert all(30 < whole < 60 for whole in told)


class TestResult:
    def test_it_is_that_of_all_parts_in_their_order(self, executor, tmp_path):
        plan = Tiny(7, tmp_path / "log")
        result = run_plan(plan, executor=executor)
        assert [row.ours for row in result.rows] == [number / 3 + 0.1 for number in range(7)]
        assert sorted(numbers_in(plan.log)) == list(range(7))

    def test_no_parts_are_a_result_too(self, executor):
        assert run_plan(Tiny(0), executor=executor).rows == ()

    @pytest.mark.slow
    def test_real_runs_do_not_depend_on_who_carries_them_out(self):
        plan = Sweep(
            "sweep",
            load_scenario("dra-classroom"),
            (axis("servers.count=6,7"),),
            ("dra", "power-of-d:choices=3"),
            5,
            2,
            until=40.0,
        )
        results = [run_plan(plan, executor=make()) for make in EXECUTORS.values()]
        assert results[0] == results[1] == results[2]
        assert {row.what for row in results[0].rows} >= {"reward_rate", "rejection_probability"}

    @given(st.sets(st.integers(0, 8)))
    def test_what_is_there_can_be_shown(self, there):
        plan = Tiny(9)
        parts = plan.parts("quick", None)
        result = plan.result("quick", None, {parts[n]: [n, 0.5] for n in there})
        assert [row.at["number"] for row in result.rows] == sorted(there)


class TestStore:
    def test_finished_parts_are_not_repeated(self, executor, store, tmp_path):
        plan = Tiny(9, tmp_path / "log")
        done = plan.parts("quick", None)[:4]
        for part in done:
            store.add(part, [part.seed, part.seed / 3 + 0.1])
        result = run_plan(plan, executor=executor, store=store)
        assert sorted(numbers_in(plan.log)) == [4, 5, 6, 7, 8]
        assert result == run_plan(Tiny(9, tmp_path / "log"))

    def test_each_part_is_kept_before_the_next_is_told(self, executor, store):
        plan, seen = Tiny(5), []

        def partial(done, total, outcomes):
            kept = Store(store.path)
            seen.append((done, total))
            assert all(kept.outcome(part) == outcomes[part] for part in outcomes)

        run_plan(plan, executor=executor, store=store, partial=partial)
        assert seen == [(done, 5) for done in range(6)]

    def test_what_partial_was_given_does_not_change_later(self):
        seen = []
        run_plan(Tiny(3), partial=lambda done, total, outcomes: seen.append(outcomes))
        assert [len(outcomes) for outcomes in seen] == [0, 1, 2, 3]


class TestProgress:
    def test_it_tells_what_was_kept_and_estimates_the_rest(self, store):
        plan, seen = Tiny(6), []
        parts = plan.parts("quick", None)
        store.add(parts[0], [0, 0.1])
        run_plan(plan, store=store, progress=seen.append)
        assert [(status.done, status.total, status.kept) for status in seen] == [(done, 6, 1) for done in range(1, 7)]
        shares = [status.share for status in seen]
        assert shares == sorted(shares)
        assert shares[0] == pytest.approx(1 / sum(part.length for part in parts))
        assert shares[-1] == 1
        assert seen[0].seconds_left is None
        assert all(status.seconds_left >= 0 for status in seen[1:])
        assert seen[-1].seconds_left == 0


class TestStopping:
    def test_finished_parts_stay(self, executor, store, tmp_path):
        plan = Tiny(9, tmp_path / "log")
        with pytest.raises(StoppedError, match=r"stopped after [3-5] of 9 parts, which are kept"):
            run_plan(
                plan,
                executor=executor,
                store=store,
                cancelled=lambda: len(numbers_in(plan.log)) >= 3 and held(plan, store) >= 3,
            )
        before = held(plan, store)
        assert 3 <= before <= 5
        Path(plan.log).unlink()
        result = run_plan(plan, executor=executor, store=store)
        assert len(numbers_in(plan.log)) == 9 - before
        assert result == run_plan(Tiny(9, tmp_path / "log"))

    def test_a_part_in_hand_is_given_up(self, tmp_path):
        plan = Tiny(4, tmp_path / "log", dict.fromkeys(range(1, 4), "sleeps"))
        with pytest.raises(StoppedError, match=r"stopped after 1 of 4 parts$"):
            run_plan(plan, executor=LocalWorkers(2), cancelled=lambda: len(numbers_in(plan.log)) > 1)
        assert multiprocessing.active_children() == []

    def test_an_exception_of_the_watcher_stops_the_workers(self, tmp_path):
        def partial(done, total, outcomes):
            if done:
                raise KeyboardInterrupt

        plan = Tiny(4, tmp_path / "log", dict.fromkeys(range(1, 4), "sleeps"))
        with pytest.raises(KeyboardInterrupt):
            run_plan(plan, executor=LocalWorkers(2), partial=partial)
        assert multiprocessing.active_children() == []


def held(plan, store):
    return sum(store.holds(part) for part in plan.parts("quick", None))


class TestFaults:
    @pytest.mark.parametrize("workers", [1, 2])
    def test_a_worker_that_dies_is_told_with_its_part(self, workers, store):
        with pytest.raises(ExecutorError) as error:
            run_plan(Tiny(6, how={4: "dies"}), executor=LocalWorkers(workers), store=store)
        assert error.value.line.startswith("number 4: its process ended with code 9;")
        assert "the same command goes on from there" in error.value.line
        assert multiprocessing.active_children() == []

    def test_a_fault_of_the_user_s_is_told_in_its_words(self, executor):
        with pytest.raises(UserError, match="here: found nothing, allowed: something"):
            run_plan(Tiny(3, how={1: "fails"}), executor=executor)

    def test_what_is_unexpected_names_the_part_and_has_a_traceback(self):
        with pytest.raises(RuntimeError, match=r"number 1: Traceback") as error:
            run_plan(Tiny(3, how={1: "breaks"}), executor=LocalWorkers(2))
        assert "ZeroDivisionError: of this part" in str(error.value)

    def test_an_unknown_experiment_is_told(self):
        with pytest.raises(UserError, match="no experiment is called 'dra-fig'"):
            experiment_module("dra-fig")


class TestOrder:
    def test_a_worker_takes_the_longest_after_the_shortest(self, tmp_path):
        plan = Tiny(6, tmp_path / "log")
        run_plan(plan, executor=LocalWorkers(1))
        lengths = [1.0 + number % 3 for number in numbers_in(plan.log)]
        assert lengths == [1, 3, 3, 2, 2, 1]


def test_a_part_can_be_sent_and_described():
    part = Part.of("a.module", 3, {"b": 1, "a": [1.5, None]}, "a label")
    assert part.settings == {"a": [1.5, None], "b": 1}
    assert json.loads(part.text) == part.settings
    assert part == Part("a.module", 3, part.text)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes are killed as on POSIX")
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_again_and_again_it_ends_with_the_same_bytes(workers, tmp_path):
    """SIGKILL at random moments; parts that were finished are never started again."""
    count, folder, whole = 60, tmp_path / "killed", tmp_path / "whole"
    for path in (folder, whole):
        path.mkdir()
    chance, plan = random.Random(workers), Tiny(count, folder / "log", seconds=0.01)
    finished = set()
    for attempt in range(5):
        process = _tiny(folder, workers, count)
        if attempt < 4:
            _wait_for_more(chance.randint(1, 6), Store.of(folder, "tiny").path, process)
            time.sleep(chance.random() / 100)
            process.send_signal(signal.SIGKILL)
            process.wait()
            _wait_for_orphans(plan)
        else:
            assert process.wait() == 0
        assert finished.isdisjoint(numbers_in(plan.log))
        Path(plan.log).write_text("")
        store = Store.of(folder, "tiny")
        finished = {part.seed for part in plan.parts("quick", None) if store.holds(part)}
        assert finished
    assert finished == set(range(count))
    assert _tiny(whole, workers, count).wait() == 0
    for name in ("tiny.csv", "tiny.json"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()


def _wait_for_more(parts, path, process):
    def lines():
        return path.read_bytes().count(b"\n") if path.exists() else 0

    goal = lines() + parts
    while lines() < goal and process.poll() is None:
        time.sleep(0.001)


def _wait_for_orphans(plan):
    """Wait until no new part starts: workers notice that they are orphans when they finish their current part."""
    begun = -1
    while begun != len(numbers_in(plan.log)):
        begun = len(numbers_in(plan.log))
        time.sleep(0.05)


def _tiny(folder, workers, count):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.model.lab_work", str(folder), str(workers), str(count), program_version()],
        cwd=ROOT,
    )


def test_a_script_that_asks_for_workers_is_not_run_again_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = ModuleType("__main__")
    script.__file__ = str(tmp_path / "script.py")  # without "if __name__ ...", as many scripts are
    Path(script.__file__).write_text("raise SystemExit('run once more')\n")
    monkeypatch.setitem(sys.modules, "__main__", script)
    assert run_plan(Tiny(2), executor=LocalWorkers(2)).rows
    assert sys.modules["__main__"] is script
