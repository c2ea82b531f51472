"""Google's task_events: against numbers of the real data, and rule by rule."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.errors import TraceError
from slotscope.model.kinds.reservation.traces.workload import dra_jobs, halvings
from slotscope.model.running.waiting import GivenUpError, waiting
from slotscope.model.traces.google import GoogleTasks, read_task_events
from slotscope.model.traces.report import ImportReport
from slotscope.model.traces.task_events import REQUEST_UNIT
from tests.model.trace_files import TRACES, needs_traces, oracle

FILES = {
    "google2011_part_00000": "google2011/task_events/part-00000-of-00500.csv.gz",
    "google2011_job_subset": "google2011/task_events-job_id-mod151eq2.csv.gz",
}
SUBMIT, SCHEDULE, EVICT, FAIL, FINISH, KILL, LOST, UPDATE_PENDING, UPDATE_RUNNING = range(9)
START = 600_000_000


@pytest.fixture(scope="module", params=sorted(FILES))
def real(request: pytest.FixtureRequest) -> tuple[GoogleTasks, dict[str, Any]]:
    return read_task_events([TRACES / FILES[request.param]]), oracle(request.param)


def completed(told: dict[str, Any]) -> dict[str, Any]:
    wanted: dict[str, Any] = told["completed_in_window__submit_gt_0_and_schedule_gt_0_and_FINISH"]
    return wanted


def units(text: str) -> int:
    scaled = Fraction(text) * REQUEST_UNIT
    assert scaled.denominator == 1
    return int(scaled)


def quantiles(values: np.ndarray, wanted: dict[str, Any]) -> dict[str, int]:
    """x[floor(q (n - 1))] of the sorted values, the definition of the published figures."""
    ordered = np.sort(values)
    return {q: int(ordered[int(Fraction(q) * (len(ordered) - 1))]) for q in wanted}


@needs_traces
class TestRealTrace:
    @pytest.mark.slow
    def test_sizes_are_exact(self, real: tuple[GoogleTasks, dict[str, Any]]) -> None:
        tasks, told = real
        wanted = completed(told)
        size = tasks.size
        assert len(tasks) == tasks.report.kept == wanted["n"]
        assert int(tasks.cpu.sum()) == units(wanted["sum_cpu"])
        assert int(tasks.memory.sum()) == units(wanted["sum_mem"])
        assert int(size.sum()) == units(wanted["sum_size"])
        assert len(np.unique(tasks.cpu)) == wanted["distinct_cpu"]
        assert len(np.unique(tasks.memory)) == wanted["distinct_mem"]
        assert len(np.unique(size)) == wanted["distinct_size"]
        pairs = np.unique(np.stack((tasks.cpu, tasks.memory)), axis=1)
        assert pairs.shape[1] == wanted["distinct_cpu_mem_pairs"]
        assert int((tasks.cpu > tasks.memory).sum()) == wanted["cpu_gt_mem"]
        assert int((tasks.cpu < tasks.memory).sum()) == wanted["cpu_lt_mem"]
        size_quantiles = {q: units(text) for q, text in wanted["size_quantiles"].items()}
        assert quantiles(size, size_quantiles) == size_quantiles

    def test_sizes_round_up_to_powers_of_half(self, real: tuple[GoogleTasks, dict[str, Any]]) -> None:
        tasks, told = real
        classes = Counter(f"2^-{halvings(int(size))}" for size in tasks.size)
        assert classes == completed(told)["size_rounded_up_to_power_of_half"]

    def test_times(self, real: tuple[GoogleTasks, dict[str, Any]]) -> None:
        tasks, told = real
        wanted = completed(told)
        runtime, wait = wanted["runtime_us_quantiles"], wanted["wait_us_quantiles"]
        assert quantiles(tasks.runtime, runtime) == runtime
        assert quantiles(tasks.wait, wait) == wait
        assert int(tasks.runtime.sum()) == wanted["runtime_us_sum"]
        assert [tasks.submit.min(), tasks.submit.max()] == wanted["submit_us_first_last"]
        assert [tasks.finish.min(), tasks.finish.max()] == wanted["finish_us_first_last"]
        work = sum(int(s) * int(r) for s, r in zip(tasks.size, tasks.runtime, strict=True))
        assert Fraction(work, REQUEST_UNIT) == Fraction(wanted["sum_size_times_runtime_us"])
        bins = np.bincount((tasks.submit - START) // (300 * 10**6))
        assert len(bins) == wanted["submits_per_300s_bin"]["bins_from_600s"]
        assert bins.max() == wanted["submits_per_300s_bin"]["max"]
        assert bins[:12].tolist() == wanted["submits_per_300s_bin"]["first_12"]
        assert (np.diff(tasks.submit) >= 0).all()

    def test_every_row_and_run_is_accounted_for(self, real: tuple[GoogleTasks, dict[str, Any]]) -> None:
        tasks, told = real
        left = {(item.what, item.reason): item.count for item in tasks.report.left_out}
        events = told["events"]
        assert tasks.report.rows == told["rows"]
        assert left["rows", "at time 0: they tell of tasks that were there before the trace began"]
        for kind, reason in (("EVICT", "evicted"), ("FAIL", "failed"), ("KILL", "killed")):
            assert left.get(("runs", reason), 0) == events[kind]
        still = left.get(("runs", "still running when the files end"), 0)
        assert still == told["tasks_still_running_at_end"]
        waiting = left.get(("runs", "still waiting when the files end"), 0)
        assert waiting == told["tasks_still_pending_at_end"]
        before = left.get(("runs", "submitted or scheduled before the trace began"), 0)
        assert before == told["finish_runs_total"] - completed(told)["n"]
        # Every task of these files begins with a SUBMIT row, so each such row begins one run.
        assert tasks.report.kept + tasks.report.total("runs") == events["SUBMIT"]

    def test_jobs_of_three_priorities(self, real: tuple[GoogleTasks, dict[str, Any]]) -> None:
        tasks, told = real
        wanted = completed(told)
        jobs = dra_jobs(tasks)
        priorities = Counter(str(jobs.types[kind].priority) for kind in jobs.type)
        rewarded = {p: n for p, n in wanted["priority"].items() if p in "012"}
        assert priorities == rewarded
        assert jobs.report.kept == len(jobs.time) == sum(rewarded.values())
        assert jobs.report.total("completed runs") == wanted["n"] - sum(rewarded.values())
        order = [(-kind.priority, -kind.size) for kind in jobs.types]
        assert order == sorted(order)
        assert set(jobs.type.tolist()) == set(range(len(jobs.types)))
        assert jobs.time[0] == 0 and (np.diff(jobs.time) >= 0).all() and (jobs.service > 0).all()


@needs_traces
def test_real_rows_in_parts_give_the_same_tasks(tmp_path: Path) -> None:
    whole = TRACES / FILES["google2011_job_subset"]
    lines = gzip.decompress(whole.read_bytes()).splitlines(keepends=True)
    pieces = [lines[:900], lines[900:901], lines[901::2], lines[902::2]]
    paths = [tmp_path / f"{name}.csv" for name in "dacb"]
    for path, piece in zip(paths, pieces, strict=True):
        path.write_bytes(b"".join(piece))
    tasks, expected = read_task_events(paths[::-1]), read_task_events([whole])
    assert tasks.report.left_out == expected.report.left_out
    assert {"b.csv", "c.csv"} <= set(tasks.report.notes[0].replace(",", "").split())
    columns = ("submit", "schedule", "finish", "cpu", "memory", "priority")
    for name in columns:
        assert sorted(getattr(tasks, name)) == sorted(getattr(expected, name))


def row(
    time: int, kind: int, *, job: int = 1, task: int = 0, priority: int = 0, cpu: str = "0.25", memory: str = "0.125"
) -> str:
    return f"{time},,{job},{task},,{kind},u/+=,0,{priority},{cpu},{memory},0.001,0\n"


def run(start: int, *, length: int = 100, **options: Any) -> list[str]:
    """The rows of a run that completes after waiting for 10 microseconds."""
    return [
        row(start, SUBMIT, **options),
        row(start + 10, SCHEDULE, **options),
        row(start + 10 + length, FINISH, **options),
    ]


def in_order(*runs: list[str]) -> list[str]:
    return sorted((line for lines in runs for line in lines), key=lambda line: int(line.split(",")[0]))


def read(folder: Path, lines: list[str]) -> GoogleTasks:
    path = folder / "events.csv"
    path.write_text("".join(lines), encoding="utf-8")
    return read_task_events([path])


def reasons(report: ImportReport) -> dict[str, int]:
    return {item.reason: item.count for item in report.left_out}


class TestRuns:
    def test_a_task_can_finish_twice(self, tmp_path: Path) -> None:
        tasks = read(tmp_path, run(1000) + run(2000, length=7))
        assert tasks.submit.tolist() == [1000, 2000]
        assert tasks.schedule.tolist() == [1010, 2010]
        assert tasks.finish.tolist() == [1110, 2017]
        assert tasks.runtime.tolist() == [100, 7]
        assert tasks.wait.tolist() == [10, 10]

    @pytest.mark.parametrize(
        ("kind", "reason"), [(EVICT, "evicted"), (FAIL, "failed"), (KILL, "killed"), (LOST, "lost")]
    )
    def test_a_run_that_was_broken_off_does_not_count(self, tmp_path: Path, kind: int, reason: str) -> None:
        broken = [row(1000, SUBMIT), row(1010, SCHEDULE), row(1500, kind)]
        tasks = read(tmp_path, broken + run(2000))
        assert tasks.submit.tolist() == [2000]
        assert reasons(tasks.report) == {reason: 1}

    def test_the_latest_request_and_priority_before_the_finish_count(self, tmp_path: Path) -> None:
        lines = [
            row(1000, SUBMIT, cpu="0.5", memory="0.5", priority=0),
            row(1005, UPDATE_PENDING, cpu="0.4", memory="0.3", priority=1),
            row(1010, SCHEDULE, cpu="0.01562", memory="0.03"),
            row(1020, UPDATE_RUNNING, cpu="1.144e-05", memory="", priority=2),
            row(1030, FINISH, cpu="", memory="", priority=2),
        ]
        tasks = read(tmp_path, lines)
        assert tasks.cpu.tolist() == [units("0.00001144")]
        assert tasks.memory.tolist() == [units("0.03")]
        assert tasks.size.tolist() == [units("0.03")]
        assert tasks.priority.tolist() == [2]
        assert list(reasons(tasks.report).values()) == [2]

    def test_requests_do_not_carry_over_to_the_next_run(self, tmp_path: Path) -> None:
        tasks = read(tmp_path, run(1000) + run(2000, cpu="", memory=""))
        assert tasks.submit.tolist() == [1000]
        assert tasks.report.total("runs") == 1

    @pytest.mark.parametrize("times", [(0, 0, 500), (0, 700, 800)])
    def test_what_began_before_the_window_does_not_count(self, tmp_path: Path, times: tuple[int, int, int]) -> None:
        kinds = (SUBMIT, SCHEDULE, FINISH)
        lines = [row(time, kind) for time, kind in zip(times, kinds, strict=True)]
        tasks = read(tmp_path, lines + run(1000, job=2))
        assert tasks.job.tolist() == [2]
        assert reasons(tasks.report)["submitted or scheduled before the trace began"] == 1

    def test_what_ends_after_the_window_does_not_count(self, tmp_path: Path) -> None:
        lines = [row(1000, SUBMIT), row(1010, SCHEDULE), row(2**63 - 1, FINISH)]
        tasks = read(tmp_path, run(500, job=2) + lines)
        assert tasks.job.tolist() == [2]
        assert reasons(tasks.report) == {"after the end of the trace": 1, "still running when the files end": 1}

    @pytest.mark.parametrize("missing", [SUBMIT, SCHEDULE])
    def test_rows_that_are_not_in_the_files(self, tmp_path: Path, missing: int) -> None:
        lines = [line for line in run(1000) if line.split(",")[5] != str(missing)]
        tasks = read(tmp_path, lines + run(5000, job=2))
        assert tasks.job.tolist() == [2]
        unseen = "finished, but their SUBMIT or SCHEDULE row is not in the files"
        assert reasons(tasks.report) == {unseen: 1}

    def test_what_has_not_ended(self, tmp_path: Path) -> None:
        lines = [
            row(1000, SUBMIT),
            row(1001, SUBMIT, task=1),
            row(1002, SCHEDULE, task=1),
            row(1003, UPDATE_RUNNING, task=2),
            row(1004, SUBMIT),
        ]
        assert reasons(read(tmp_path, lines).report) == {
            "submitted again before they had ended": 1,
            "still running when the files end": 2,
            "still waiting when the files end": 1,
        }

    def test_tasks_stand_in_the_order_of_their_submission(self, tmp_path: Path) -> None:
        tasks = read(tmp_path, in_order(run(1000, length=900), run(1000, task=1), run(1001, task=2)))
        assert tasks.index.tolist() == [0, 1, 2]
        assert tasks.index.dtype == np.int32 and tasks.priority.dtype == np.int16

    @given(st.lists(st.sampled_from([*range(9), SUBMIT, SCHEDULE, FINISH]), max_size=30))
    def test_completed_runs_as_a_pattern_of_event_types(self, kinds: list[int]) -> None:
        """A completed run: SUBMIT, any updates and SCHEDULEs (at least one), FINISH."""
        written = "".join(str(kind) for kind in kinds)
        expected = [(found.start() + 1, found.end()) for found in re.finditer("0[78]*1[178]*4", written)]
        lines = [row(time, kind) for time, kind in enumerate(kinds, 1)]
        with tempfile.TemporaryDirectory() as folder:
            tasks = read(Path(folder), [*lines, row(99, SUBMIT, job=7)])
        assert list(zip(tasks.submit.tolist(), tasks.finish.tolist(), strict=True)) == expected


class TestParts:
    LINES = in_order(*(run(1000 + 40 * task, task=task, length=300) for task in range(20)))

    def parts(self, folder: Path, *cuts: int) -> list[Path]:
        """The lines cut at *cuts*; every second part is gzip'd."""
        paths = []
        for number, (a, b) in enumerate(zip((0, *cuts), (*cuts, len(self.LINES)), strict=True)):
            data = "".join(self.LINES[a:b]).encode()
            path = folder / f"part-{number}.csv{'.gz' * (number % 2)}"
            path.write_bytes(gzip.compress(data) if number % 2 else data)
            paths.append(path)
        return paths

    def test_any_order_of_plain_and_packed_parts(self, tmp_path: Path) -> None:
        one, two, three, four = self.parts(tmp_path, 7, 30, 31)
        tasks = read_task_events([three, one, four, two])
        assert tasks.index.tolist() == list(range(20))
        assert tasks.report.files == tuple(p.name for p in (one, two, three, four))
        assert tasks.report.notes == ()

    def test_a_folder_stands_for_its_parts(self, tmp_path: Path) -> None:
        inner = tmp_path / "trace" / "task_events"
        inner.mkdir(parents=True)
        self.parts(inner, 20, 40)
        (inner / "SHA256SUM").write_text("abc")
        for folder in (inner, inner.parent):
            assert len(read_task_events([folder])) == 20

    def test_parts_that_overlap_are_merged_and_named(self, tmp_path: Path) -> None:
        paths = []
        for name, step in (("even", 0), ("odd", 1)):
            paths.append(tmp_path / f"{name}.csv")
            paths[-1].write_text("".join(self.LINES[step::2]))
        tasks = read_task_events(paths)
        assert tasks.finish.tolist() == [1310 + 40 * task for task in range(20)]
        assert any("even.csv, odd.csv" in line for line in tasks.report.lines())

    def test_a_part_may_begin_at_the_instant_in_which_another_ends(self, tmp_path: Path) -> None:
        first, second = tmp_path / "b.csv", tmp_path / "a.csv"
        first.write_text(row(1000, SUBMIT) + row(2000, SCHEDULE))
        second.write_text(row(2000, FINISH) + row(2000, SUBMIT))
        tasks = read_task_events([second, first])
        assert tasks.finish.tolist() == [2000]
        assert tasks.report.notes == ()

    def test_rows_of_equal_time_keep_the_order_of_the_parts(self, tmp_path: Path) -> None:
        first, second = tmp_path / "b.csv", tmp_path / "a.csv"
        first.write_text(row(1000, SUBMIT) + row(2000, SCHEDULE))
        second.write_text(row(1500, SUBMIT, job=2) + row(2000, FINISH))
        tasks = read_task_events([second, first])
        assert tasks.job.tolist() == [1]
        assert tasks.finish.tolist() == [2000]

    def test_one_part_given_twice(self, tmp_path: Path) -> None:
        (path,) = self.parts(tmp_path)
        packed = tmp_path / f"{path.name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        for paths in ([path, path], [path, packed], [tmp_path]):
            with pytest.raises(TraceError, match="twice"):
                read_task_events(paths)

    def test_progress_rises_to_one(self, tmp_path: Path) -> None:
        seen: list[float] = []
        with waiting(lambda _: None, lambda: 0, counted=lambda _, share: seen.append(share)):
            read_task_events(self.parts(tmp_path, 20, 40))
        assert seen == sorted(seen) and seen[0] > 0 and seen[-1] == 1.0

    def test_it_stops_when_it_is_cancelled(self, tmp_path: Path) -> None:
        seen: list[float] = []
        who = waiting(lambda _: None, lambda: int(len(seen) > 1), counted=lambda _, share: seen.append(share))
        with who, pytest.raises(GivenUpError):
            read_task_events(self.parts(tmp_path, 20, 40))
        assert len(seen) == 2 and seen[-1] < 1.0


class TestJobs:
    @pytest.mark.parametrize(
        ("text", "exponent"),
        [
            ("1", 0),
            ("0.500000000001", 0),
            ("0.5", 1),
            ("0.2505", 1),
            ("0.25", 2),
            ("0.01562", 6),
            ("0.015625", 6),
            ("0.01563", 5),
            ("1e-12", 39),
        ],
    )
    def test_rounding_up_to_a_power_of_half(self, text: str, exponent: int) -> None:
        assert halvings(units(text)) == exponent

    @given(st.integers(1, REQUEST_UNIT))
    def test_rounding_up_is_the_closest(self, size: int) -> None:
        rounded = Fraction(1, 2 ** halvings(size))
        assert rounded / 2 < Fraction(size, REQUEST_UNIT) <= rounded

    @pytest.mark.parametrize("size", [0, -1, REQUEST_UNIT + 1])
    def test_sizes_that_no_server_has(self, size: int) -> None:
        with pytest.raises(ValueError, match="size"):
            halvings(size)

    def mixed(self, folder: Path) -> GoogleTasks:
        requests = [(0, "0.2"), (2, "0.01"), (1, "0.26"), (2, "0.4"), (0, "0.25"), (9, "0.1")]
        runs = [
            run(10**6 * (5 + 2 * i), task=i, length=1_500_000, priority=p, cpu=c, memory="0.01")
            for i, (p, c) in enumerate(requests)
        ]
        return read(folder, in_order(*runs))

    def test_types_times_and_rewards(self, tmp_path: Path) -> None:
        jobs = dra_jobs(self.mixed(tmp_path))
        assert [(kind.priority, kind.size, kind.reward) for kind in jobs.types] == [
            (2, Fraction(1, 2), Fraction(9, 2)),
            (2, Fraction(1, 64), Fraction(9, 64)),
            (1, Fraction(1, 2), Fraction(3, 2)),
            (0, Fraction(1, 4), Fraction(1, 4)),
        ]
        assert jobs.types[0].name == "priority 2, size 1/2"
        assert jobs.type.tolist() == [3, 1, 2, 0, 3]
        assert jobs.time.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
        assert jobs.service.tolist() == [1.5] * 5
        assert jobs.type.dtype == np.int32
        assert reasons(jobs.report) == {"of a priority other than 0, 1, 2": 1}

    def test_compressed_time(self, tmp_path: Path) -> None:
        jobs = dra_jobs(self.mixed(tmp_path), time_scale=Fraction(5, 2))
        assert jobs.time.tolist() == [0.0, 0.8, 1.6, 2.4, 3.2]
        assert jobs.service.tolist() == [0.6] * 5

    def test_the_first_jobs_only(self, tmp_path: Path) -> None:
        jobs = dra_jobs(self.mixed(tmp_path), limit=2)
        assert [kind.priority for kind in jobs.types] == [2, 0]
        assert jobs.type.tolist() == [1, 0]
        assert reasons(jobs.report)["after the first 2 jobs"] == 3
        assert len(dra_jobs(self.mixed(tmp_path), limit=None).time) == 5

    def test_sizes_and_run_times_that_are_no_job(self, tmp_path: Path) -> None:
        lines = in_order(
            run(1000, cpu="0", memory="0.0"),
            run(2000, cpu="1.0001"),
            run(3000, length=0),
            run(4000, cpu="0", memory="1"),
        )
        jobs = dra_jobs(read(tmp_path, lines))
        assert [kind.size for kind in jobs.types] == [1]
        assert jobs.report.total("completed runs") == 3
        assert len(jobs.report.left_out) == 3

    def test_the_report_for_a_person_and_for_a_program(self, tmp_path: Path) -> None:
        report = dra_jobs(self.mixed(tmp_path)).report
        assert report.lines() == [
            "Google ClusterData2011_2 task_events: 18 rows of 1 file (events.csv)",
            "kept: 5 jobs",
            "left out: 1 completed run: of a priority other than 0, 1, 2",
        ]
        assert json.loads(json.dumps(report.as_dict())) == {
            "source": "Google ClusterData2011_2 task_events",
            "files": ["events.csv"],
            "rows": 18,
            "kept": 5,
            "kept_as": "jobs",
            "left_out": [{"what": "completed runs", "reason": "of a priority other than 0, 1, 2", "count": 1}],
            "notes": [],
        }

    def test_no_job_at_all(self, tmp_path: Path) -> None:
        tasks = read(tmp_path, [row(1000, SUBMIT)])
        assert len(tasks) == 0
        with pytest.raises(TraceError, match=r"events\.csv: none of 1 rows"):
            dra_jobs(tasks)

    def test_parameters_that_are_not_positive(self, tmp_path: Path) -> None:
        tasks = self.mixed(tmp_path)
        with pytest.raises(TraceError, match="time_scale: found 0"):
            dra_jobs(tasks, time_scale=0)
        with pytest.raises(TraceError, match="limit: found 0"):
            dra_jobs(tasks, limit=0)
