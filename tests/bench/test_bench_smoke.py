"""Benchmarks at tiny sizes: the compared ways must have the same results.

Times are never checked.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from time import monotonic, process_time, sleep

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QPainter, QPixmap, QRegion
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from slotscope.model.api import Session
from slotscope.model.kinds.queue.rows import QUEUE_ROW
from slotscope.model.kinds.queue.state import WAITING
from slotscope.model.kinds.reservation.rows import EVENT_ROW
from slotscope.model.questions.understanding import understood
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.state import copied, digest
from tests.bench import (
    bench_counts,
    bench_engines,
    bench_history,
    bench_own,
    bench_questions,
    bench_queues,
    bench_references,
    bench_scale,
    bench_start,
    bench_window,
    memory,
    queue_ways,
    repainting,
    timing,
)
from tests.bench import simpy_loss as loss
from tests.bench.__main__ import rows
from tests.bench.literal_cra import LiteralKernel
from tests.bench.spinning import Spinning
from tests.bench.timing import line_of, scaled

pytestmark = pytest.mark.slow

SERVERS = 12
ARRIVALS = (400, 400, 400)
SOON = 2.0


@pytest.mark.parametrize("servers", [2, SERVERS, 65, 180])
def test_cra_from_scratch_reaches_the_kernels_digests(servers: int) -> None:
    bench, state = timing.settled(servers, "dra", SOON)
    kernel, literal = bench.kernel(), LiteralKernel(bench.system)
    one, other = copied(state), copied(state)
    tapes = np.zeros((2, 250), EVENT_ROW)
    for _ in range(8):
        one = kernel.advance(one, tapes[0], Task()).state
        other = literal.advance(other, tapes[1], Task()).state
        assert digest(one) == digest(other)
        assert (tapes[0] == tapes[1]).all()


def outcomes(seed_time: float, folder: Path) -> dict[str, loss.Outcome]:
    bench, state = timing.settled(SERVERS, "first-fit", seed_time)
    ways = bench_engines.loss_contestants(bench, state, ARRIVALS, folder)
    return {name: way()() for name, way in ways.items()}


@pytest.mark.parametrize("time", [0.05, SOON, 5.0])
def test_all_ways_of_first_fit_reject_the_same_jobs(time: float, tmp_path: Path) -> None:
    found = outcomes(time, tmp_path)
    kernel = found.pop("kernel")
    assert {"plain Python", "SimPy, containers", "SimPy, own lists"} < set(found)
    assert len(kernel.rejected) > 20
    for name, outcome in found.items():
        assert outcome[:2] == kernel[:2], name
        if outcome.state is not None:
            assert digest(outcome.state) == digest(kernel.state), name


def test_ways_that_meet_other_jobs_do_not_pass_for_the_same(tmp_path: Path) -> None:
    assert outcomes(SOON, tmp_path)["kernel"][:2] != outcomes(5.0, tmp_path)["kernel"][:2]


def test_a_problem_goes_on_over_the_end_of_a_block_of_arrivals() -> None:
    bench, state = timing.settled(SERVERS, "first-fit", SOON)
    problem = loss.problem_of(bench, state, 40_000)
    assert len(problem.time) == len(problem.type) == len(problem.service) == 40_000
    assert (np.diff(problem.time) > 0).all()
    assert problem.time[0] > problem.now


@pytest.mark.parametrize("case", bench_own.CASES)
def test_policies_of_ones_own_bring_a_kernel(case: tuple[str, str, str]) -> None:
    scenario, example, beside = case
    bench = assemble(load_scenario(scenario), str(bench_own.FOLDER / f"{example}.py"))
    assert bench.system.policy.brought
    assert not assemble(load_scenario(scenario), beside).system.policy.brought


@pytest.mark.parametrize("lent", [False, True])
@pytest.mark.parametrize("case", bench_own.CASES)
def test_without_a_guard_a_policy_of_ones_own_does_the_same(case: tuple[str, str, str], lent: bool) -> None:
    scenario, example, _ = case
    bench = assemble(load_scenario(scenario), str(bench_own.FOLDER / f"{example}.py"))
    tapes = np.zeros((2, 200), bench.system.row_dtype)
    bench.reference.advance(started(bench.system), tapes[0], Task())
    bench_own.bare(bench, lent=lent).advance(started(bench.system), tapes[1], Task())
    told = [name for name in tapes.dtype.names if name != "request"]  # the request of a job is determined by the guard
    assert tapes["trail"].all()
    assert all((tapes[0][name] == tapes[1][name]).all() for name in told)


def test_policies_of_ones_own_print_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """For one kind only: each compiles for ten seconds, and ``verify`` compiles the others."""
    case = bench_own.CASES[0]
    bench_own.bench_case(*case, (20, 20, 5), 1)
    text = capsys.readouterr().out
    for way in ("a kernel of one's own", "its reference", f"{case[2]}, the program's kernel"):
        assert f"| {way} |" in text


def test_where_policies_of_ones_own_run_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    bench_own.bench_process(*bench_own.CASES[0][:2], 5, 1)
    bench_own.bench_kernel_process(*bench_own.CASES[0][:2], 20, 1)
    text = capsys.readouterr().out
    assert "| in one of its own |" in text and "| a kernel in one of its own |" in text


def test_engines_print_tables(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(bench_engines.DRA_EVENTS, SERVERS, (200, 50, 10))
    monkeypatch.setitem(bench_engines.ARRIVALS, SERVERS, (100, 50, 20))
    bench_engines.bench_dra(SERVERS, 1, SOON)
    bench_engines.bench_peers(SERVERS, 1, SOON)
    bench_engines.bench_loss(SERVERS, 1, SOON)
    text = capsys.readouterr().out
    for way in ("kernel", "Numba, CRA from scratch", "reference (Python)", "SimPy, containers"):
        assert f"| {way} |" in text


@pytest.mark.parametrize(
    ("name", "servers"),
    [("queues-wide-jobs", None), ("queues-small-jobs", None), ("queues-vqs-unstable", None), ("queues-wide-jobs", 130)],
)
def test_all_ways_of_best_fit_in_slots_do_the_same(name: str, servers: int | None, tmp_path: Path) -> None:
    bench = bench_queues.bench_of(name, "bf-js", {}, servers)
    state = bench_queues.settled(bench, 300)
    ways = queue_ways.ways_of(bench, state, ARRIVALS, tmp_path)
    found = {title: way()() for title, way in ways.items()}
    kernel = found["kernel"]
    assert {"reference (Python)", "SimPy"} < set(found)
    assert kernel.placed > 300 and kernel.state is not None
    assert kernel.area > 0
    for title, outcome in found.items():
        assert outcome[:3] == kernel[:3], title
        if outcome.state is not None:
            assert digest(outcome.state) == digest(kernel.state), title


def test_a_backlog_is_a_state_that_both_engines_go_on_from() -> None:
    bench = bench_queues.bench_of("queues-wide-jobs", "vqs-bf", {}, None)
    state = bench_queues.backlogged(bench, bench_queues.settled(bench, 200), 500)
    assert state.number[WAITING] >= 500
    ends = [
        engine.advance(copied(state), np.zeros(50, QUEUE_ROW), Task()).state
        for engine in (bench.reference, bench.kernel())
    ]
    assert digest(ends[0]) == digest(ends[1])
    assert not bench.kind.violations(bench.system, ends[0])


def test_queues_print_tables(capsys: pytest.CaptureFixture[str]) -> None:
    bench_queues.bench_ways("queues-wide-jobs", None, ARRIVALS, 1)
    bench_queues.bench_policies("queues-vqs-unstable", None, 1, 200)
    bench_queues.bench_backlog("queues-small-jobs", 1, 2000, 200)
    bench_queues.bench_backlog_in_c("queues-wide-jobs", 1, 2000, 200)
    text = capsys.readouterr().out
    for way in ("kernel", "reference (Python)", "SimPy", "max-weight", "fifo-ff skip"):
        assert f"| {way} |" in text
    assert "2000 wait" in text


def test_history_prints_tables_and_replays_agree(capsys: pytest.CaptureFixture[str]) -> None:
    bench, state = timing.settled(SERVERS, "dra", SOON)
    bench_history.bench_keyframes(bench, state, 1, 1, 12_000)
    bench_history.bench_seeks(SERVERS, SOON, 25_000, 3)
    bench_history.bench_copies(SERVERS, SOON, 1)
    text = capsys.readouterr().out
    assert "keyframes cost" in text
    assert "| to a place (timeline) |" in text
    assert "| digest |" in text


def test_a_saved_run_is_opened_and_gone_through(capsys: pytest.CaptureFixture[str]) -> None:
    bench_history.bench_saved(20_000, 2)
    text = capsys.readouterr().out
    assert "target: opening a saved run of 20000 events" in text
    assert "target: seek in a run of 20000 events just opened" in text


def test_what_replications_share_is_a_small_part_of_them() -> None:
    assert bench_scale.by_amdahl(0.0, 16) == 16
    assert bench_scale.by_amdahl(0.1, 2) == pytest.approx(1 / 0.55)
    part = bench_scale.simulations(load_scenario("dra-vms"), (1,), 1.0, 40.0, "dra")[0]
    assert 0 < bench_scale.locked_share(part) < 1


def test_a_second_thread_is_busy_for_the_share_that_it_is_to_have() -> None:
    began, spent = monotonic(), process_time()
    with Spinning(0.5):
        sleep(0.4)
    assert 0.02 < process_time() - spent < 0.6 * (monotonic() - began) + 0.05


def test_the_window_runs_drawn_and_undrawn(qapp: QApplication, tmp_path: Path) -> None:
    window = bench_window.open_window(scaled(SERVERS), SOON, tmp_path)
    try:
        drawn, undrawn, beside, spun = bench_window.alternate(window, 1, 0.3)
    finally:
        window.close()
        window.deleteLater()
    assert drawn[0].frames > 0
    assert drawn[0].shown["servers"] >= drawn[0].frames // 2, "the view in front stands still"
    assert undrawn[0].events > 0
    assert beside[0].events > 0 and beside[0].frames < drawn[0].frames
    assert spun[0].events > 0 and spun[0].frames < drawn[0].frames
    assert "beside a thread as busy" in bench_window.why_slower(drawn, undrawn, spun)
    assert "speed drawn / undrawn" in bench_window.summary(drawn, undrawn)
    assert "painting" in bench_window.panel_table(drawn)


@pytest.mark.skipif(sys.platform != "linux", reason="starts windows on Linux's virtual screen")
def test_a_start_leaves_its_marks() -> None:
    environment = os.environ | {"PYTHONPATH": str(bench_start.ROOT), "QT_QPA_PLATFORM": "offscreen"}
    found = bench_start.start(bench_start.BARE, environment)
    assert set(found.cpu) == {"first paint"}
    assert found.real["first paint"] > 0


def test_ratios_are_taken_round_by_round() -> None:
    assert timing.ratio([2.0, 30.0, 4.0], [1.0, 10.0, 4.0]) == timing.Spread(2.0, 1.0, 3.0)


def test_targets_of_all_benchmarks_stand_on_one_page(capsys: pytest.CaptureFixture[str]) -> None:
    timing.aim("slow", 2, [5.0, 3.0, 4.0], "s")
    timing.aim_at_c("fast", {"kernel": [1.0, 1.0], "C": [0.95, 0.97]}, "kernel", "C")
    timing.aim_at_c("without a compiler", {"kernel": [1.0]}, "kernel", "C")
    assert rows("Another", "| a table |") == []
    assert [line_of(row) for row in rows("One", capsys.readouterr().out)] == [
        "| One | slow | at most 2 s | 4 (3 to 5) | 2.00 |  | missed |",
        "| One | speed of the kernel / C: fast | at least 0.9 | 0.96 (0.95 to 0.97) | 1.07 |  | reached |",
    ]


def test_a_missed_target_stands_beside_the_limit_that_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    loop = timing.Limit("a bare loop", [2.5, 2.5])
    timing.aim("slow", 2, [5.0], limit=loop, limit_is="4 reads")
    timing.aim("could be fast", 3, [5.0], limit=loop)
    timing.aim("fast", 6, [5.0], limit=loop, limit_is="4 reads")
    timing.aim("scales", 1.9, [1.5], at_least=True, limit=timing.Limit("idle loops", [1.6, 1.8, 1.7]))
    assert [line.split(" | ", 4)[4] for line in capsys.readouterr().out.splitlines()] == [
        "2.5: a bare loop | missed, as the limit misses it; 2.00 of the limit: 4 reads",
        "2.5: a bare loop | missed; 2.00 of the limit",
        "2.5: a bare loop | reached",
        "1.7 (1.6 to 1.8): idle loops | missed, as the limit misses it; 0.88 of the limit",
    ]


@pytest.mark.parametrize("case", ["dra", "power-of-d", *bench_references.OTHERS])
def test_told_decisions_are_those_of_the_reference(case: str) -> None:
    made = bench_references.OTHERS.get(case, lambda: bench_references.of_reservation(case, SERVERS))
    bench, state = made()
    told = bench_references.told(bench, state, 300)
    tapes = np.zeros((2, 300), bench.system.row_dtype)
    known = bench.reference.advance(copied(state), tapes[0], Task()).state
    for _ in range(2):
        assert digest(told.advance(copied(state), tapes[1], Task()).state) == digest(known)
        assert (tapes[0] == tapes[1]).all()


def test_the_least_growth_is_that_of_the_reads_of_a_ring_of_so_many_bytes() -> None:
    after = memory.ring(10 * memory.NEAR)
    assert after.nbytes == 10 * memory.NEAR
    assert [memory.followed(after, 0, reads) for reads in (len(after) - 1, len(after))].index(0) == 1
    limit = memory.grown_by_reads([1e-7, 2e-7], 2, 2**26, "its record")
    few, some = (grown - 1 for grown in limit.found)
    assert few == pytest.approx(2 * some)
    assert few > 0
    assert limit.what.startswith("2 reads of its record, ")


def test_two_threads_are_timed_by_what_each_part_takes_its_thread() -> None:
    parts, carried_out = ["a", "b", "c", "d"], []
    gain, seconds, _ = bench_scale.gain_of_two(parts, lambda part: (carried_out.append(part), sleep(0.02)))
    assert sorted(carried_out) == sorted(2 * parts)
    assert seconds >= 0.01
    assert 1.5 < gain < 2.5


def test_contestants_take_turns() -> None:
    turns: list[str] = []

    def way(name: str) -> timing.Contestant:
        def contestant() -> timing.Work:
            turns.append(f"prepare {name}")
            return lambda: float(turns.append(name) or 1)  # type: ignore[func-returns-value]

        return contestant

    times = timing.interleaved({"a": way("a"), "b": way("b")}, rounds=2)
    assert turns == ["prepare a", "a", "prepare b", "b"] * 3
    assert [len(found) for found in times.values()] == [2, 2]


def test_what_is_counted_is_told_by_event_beside_c(capsys: pytest.CaptureFixture[str]) -> None:
    of_it = "==1== I   refs:      {}\n==1== D   refs:  {}  (9 rd + 9 wr)\n==1== LLd misses:  {} (1 rd + 1 wr)\n"
    counted = {
        "kernel": bench_counts.Counts.told(of_it.format("1,200", "200", "2"), 10),
        "Numba, bare loop": bench_counts.Counts.told(of_it.format("1,150", "200", "2"), 10),
        "C -O3, bare loop": bench_counts.Counts.told(of_it.format("1,000", "200", "2"), 10),
    }
    assert counted["kernel"] == (120, 20, 0.2)
    bench_counts.report("a case", counted)
    found = capsys.readouterr().out
    assert "instructions of the kernel / C -O3, bare loop: a case | at most 1.11111 | 1.2 " in found


def test_a_case_that_is_counted_has_a_kernel_and_c_that_do_as_many_events(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench_counts, "EVENTS", ARRIVALS[0])
    ways = bench_counts.of_queue("queues-wide-jobs", tmp_path)
    assert next(iter(ways)) == "kernel"
    assert len({way()() for way in ways.values()}) == 1


@pytest.mark.parametrize("name", ["dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom"])
def test_questions_are_asked_about_each_field_that_is_declared(name: str) -> None:
    words = Session.open(name, kernel=False).info.words
    texts = list(bench_questions.of_each_field(words))
    for text in texts:
        understood(text, words)
    fields = [*words.each_field(), *(field for one in words.of_thing.values() for field in one.values())]
    asked = [field.name for field in fields if not field.index or words.dimensions[field.index]]
    assert all(any(re.search(rf"\b{name}\b", text) for text in texts) for name in asked)


def test_what_a_step_paints_is_painted_once_more_in_the_same_place(qtbot: QtBot) -> None:
    window = QWidget()
    label = QLabel("937 555", window)
    label.resize(60, 20)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    painted = repainting.Painted(window)
    painted.watch(lambda: label.repaint(40, 0, 20, 10))
    assert painted.parts[label] == QRegion(40, 0, 20, 10)
    painted.record()
    assert painted.again() > 0
    seen, again = QPixmap(label.size()), QPixmap(label.size())
    for canvas in (seen, again):
        canvas.fill(QColor("white"))
    label.render(seen, QPoint(), QRegion(label.rect()), QWidget.RenderFlag(0))
    painter = QPainter(again)
    for region in (QRegion(0, 0, 30, 20), QRegion(30, 0, 30, 20)):
        repainting.paint(painter, QPoint(), region, repainting.recorded(label, region))
    painter.end()
    assert again.toImage() == seen.toImage()
