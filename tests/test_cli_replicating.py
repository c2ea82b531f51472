"""Replications in parallel: the same results as in sequence, and all end if one fails."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.cli import measuring, replicating
from slotscope.model.cli.replicating import Tell, side_by_side, threads_for
from slotscope.model.errors import UserError
from slotscope.model.running.assembly import assemble
from slotscope.model.running.waiting import GivenUpError
from slotscope.model.scenario.load import load_scenario
from tests.own_policies import source, write


def silent(_done: float, _total: float) -> None:
    """Ignore progress."""


@pytest.mark.parametrize("policies", [["dra"], ["dra", "first-fit"]])
def test_threads_measure_what_one_after_the_other_does(
    policies: list[str], monkeypatch: pytest.MonkeyPatch, slotscope: Any
) -> None:
    seen: set[str] = set()
    measured = measuring.measured

    def noted(*given: Any) -> Any:
        seen.add(threading.current_thread().name)
        return measured(*given)

    printed = []
    for threads in (1, 3):
        for module in ("measuring", "compare"):
            monkeypatch.setattr(f"slotscope.model.cli.{module}.threads_for", lambda *_, n=threads: n)
            monkeypatch.setattr(f"slotscope.model.cli.{module}.measured", noted)
        chosen = " ".join(f"--policy {policy}" for policy in policies)
        printed.append(slotscope(f"run dra-classroom {chosen} --until 40 --replications 4 --seed 3 --json").out)
    assert printed[0] == printed[1]
    assert len(seen) > 1


@pytest.mark.parametrize("beside", ["", "--policy dra "])
def test_a_policy_that_changes_meanwhile_ends_it(
    beside: str, monkeypatch: pytest.MonkeyPatch, slotscope: Any, tmp_path: Path
) -> None:
    path = Path(write(tmp_path, source()))
    command = f"run dra-classroom {beside}--until 20 --replications 3 --policy"
    assert slotscope(command, path).code == 0
    module = "compare" if beside else "measuring"
    measured = measuring.measured

    def saved_meanwhile(*given: Any) -> Any:
        path.write_text(f"{source()}# another text\n")
        return measured(*given)

    monkeypatch.setattr(f"slotscope.model.cli.{module}.measured", saved_meanwhile)
    said = slotscope(command, path)
    assert (said.code, said.out) == (2, "")
    assert f"{path}: found another text than when this began, allowed: one and the same" in said.err


def test_results_come_in_order_and_at_most_so_many_run_at_once() -> None:
    running, most, lock = 0, 0, threading.Lock()
    all_here = threading.Barrier(3)

    def run(opened: int, position: int, tell: Tell) -> tuple[int, int]:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        if position < 3:
            all_here.wait(10)
        tell(1.0)
        with lock:
            running -= 1
        return opened, position

    assert side_by_side(lambda position: 10 * position, run, 7, 3, silent) == [(10 * i, i) for i in range(7)]
    assert most == 3


@pytest.mark.parametrize("fault", [UserError("one cannot go on"), KeyboardInterrupt()])
def test_where_one_fails_the_others_stop(fault: BaseException) -> None:
    stopped = threading.Event()

    def run(_opened: int, position: int, tell: Tell) -> None:
        if position == 1:
            raise fault
        with pytest.raises(GivenUpError):
            while True:
                tell(0.5)
                stopped.wait(0.001)
        stopped.set()

    with pytest.raises(type(fault)):
        side_by_side(lambda position: position, run, 2, 2, silent)
    assert stopped.wait(10)


def test_one_that_cannot_be_opened_stops_those_that_run() -> None:
    def opened(position: int) -> int:
        if position:
            raise UserError("no such file")
        return position

    def run(_opened: int, _position: int, tell: Tell) -> None:
        while True:
            tell(0.5)

    with pytest.raises(UserError, match="no such file"):
        side_by_side(opened, run, 2, 2, silent)


def test_only_kernels_of_the_programs_own_run_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replicating.os, "cpu_count", lambda: 8)
    scenario = load_scenario("dra-classroom")
    assert threads_for(assemble(scenario), 4) == 4
    assert threads_for(assemble(scenario), 16) == 8
    assert threads_for(assemble(scenario, "dra@5:first-fit"), 4) == 4
    assert threads_for(assemble(load_scenario("dra-pools")), 4) == 1  # it runs by the reference only
