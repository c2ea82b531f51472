"""Traces for systems with a queue: against numbers of the real data, and rule by rule."""

from __future__ import annotations

import gzip
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.errors import ScenarioError, TraceError, UserError
from slotscope.model.kinds.queue.arrivals import SlottedBlock
from slotscope.model.kinds.queue.numbers import numbers_of
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.kinds.queue.traces.workload import PARTS, queue_jobs, resources, with_jobs, with_trace
from slotscope.model.running.engine import Reason, Task, started
from slotscope.model.running.waiting import GivenUpError, waiting
from slotscope.model.scenario.load import load_scenario, parse_scenario, parse_scenario_text, scenario_text
from slotscope.model.session.bench import open_bench
from slotscope.model.traces.alibaba_pods import pod_jobs, read_pods
from slotscope.model.traces.google import read_task_events
from slotscope.model.traces.report import ImportReport
from slotscope.model.traces.slots import SlottedJobs, slotted
from slotscope.model.traces.task_events import REQUEST_UNIT
from tests.model.trace_files import TRACES, needs_traces, oracle, pod_list, pod_row

GOOGLE = TRACES / "google2011/task_events-job_id-mod151eq2.csv.gz"
PODS = TRACES / "alibaba-gpu-2023/openb_pod_list_default.csv.gz"
REPORT = ImportReport("a test", ("file.csv",), 3, 3, "jobs")
SUBMIT, SCHEDULE, EVICT, FAIL, FINISH = range(5)
START = 600_000_000


def google(**changes: Any) -> QueueScenario:
    workload = {"kind": "trace", "format": "google-task-events", "slot": 0.1} | changes
    data = {"system": "queue", "servers": {"count": 4, "capacity": 1}, "workload": workload}
    return typed(parse_scenario(data))


def pods(capacity: dict[str, Any] | None = None, **changes: Any) -> QueueScenario:
    workload = {"kind": "trace", "format": "alibaba-pods", "resources": "all", "slot": 1}
    data = {
        "system": "queue",
        "workload": workload | changes,
        "servers": {"count": 3, "capacity": capacity or {"cpu": 96_000, "memory": 393_216}},
    }
    return typed(parse_scenario(data))


def typed(scenario: Any) -> QueueScenario:
    assert isinstance(scenario, QueueScenario)
    return scenario


def block(workload: Any) -> SlottedBlock:
    found = workload.block_at(0)
    assert isinstance(found, SlottedBlock)
    return found


def task_row(time: int, kind: int, job: int, cpu: str, memory: str, task: int = 0) -> str:
    return f"{time},,{job},{task},,{kind},user,2,1,{cpu},{memory},0.0001,"


def run_of(job: int, submit: int, schedule: int, finish: int, cpu: str, memory: str) -> list[str]:
    times = ((submit, SUBMIT), (schedule, SCHEDULE), (finish, FINISH))
    return [task_row(START + time, kind, job, cpu, memory) for time, kind in times]


def written(path: Path, lines: list[str]) -> str:
    ordered = sorted(lines, key=lambda line: int(line.split(",")[0])) if path.suffix == ".csv" else lines
    path.write_text("\n".join(ordered) + "\n")
    return str(path)


class TestSlots:
    @given(
        st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 10**9)), min_size=1),
        st.fractions(Fraction(1, 1000), 1000, max_denominator=1000),
        st.fractions(Fraction(1, 100), 100, max_denominator=100),
    )
    def test_slots_are_exact(self, jobs: list[tuple[int, int]], slot: Fraction, scale: Fraction) -> None:
        jobs.sort(key=lambda job: job[0])
        arrival, service = (np.array(column, np.int64) for column in zip(*jobs, strict=True))
        size = np.ones((len(jobs), 1), np.int64)
        found = slotted(arrival, service, size, REPORT, slot, scale)
        assert found.slot.tolist() == [floor((one - jobs[0][0]) * scale / (slot * 10**6)) for one, _ in jobs]
        assert found.service.tolist() == [ceil(one / (slot * 10**6)) for _, one in jobs]
        assert found.slots == found.slot[-1] + 1

    def test_slots_that_are_too_short_are_refused(self) -> None:
        times = np.array([0, 10**12], np.int64)
        with pytest.raises(TraceError, match="longer ones"):
            slotted(times, times + 1, np.ones((2, 1), np.int64), REPORT, Fraction(1, 10**9), Fraction(1))


class TestGoogle:
    def test_times_sizes_and_services(self, tmp_path: Path) -> None:
        path = written(
            tmp_path / "part.csv",
            [
                *run_of(1, 0, 1_000, 1_100_000, "0.25", "0.5"),
                *run_of(2, 999_999, 1_000_000, 1_100_001, "0.1", "0.05"),
                *run_of(3, 1_000_000, 2_000_000, 2_100_000, "0.1", "0.1"),
            ],
        )
        scenario, workload, report = with_trace(google(), (path,))
        jobs = block(workload)
        assert jobs.time.tolist() == [0, 9, 10]
        assert jobs.service.tolist() == [11, 2, 1]
        numbers = numbers_of(scenario)
        assert [numbers.fraction(size) for size in jobs.size[:, 0]] == [
            Fraction(1, 2),
            Fraction(1, 10),
            Fraction(1, 10),
        ]
        assert (report.kept, report.kept_as) == (3, "jobs")
        assert numbers.probabilities == (Fraction(1, 3), Fraction(2, 3))
        assert numbers.arrival_rate == Fraction(3, 11)
        assert numbers.mean_service == Fraction(14, 3)
        # Sizes and services are drawn together: 0.5 stays 11 slots, 0.1 one and a half.
        work = Fraction(1, 2) * 11 + Fraction(1, 10) * 3
        assert numbers.intensity == work / 11 / 4

    def test_beta_compresses_arrivals_only(self, tmp_path: Path) -> None:
        path = written(
            tmp_path / "part.csv",
            [*run_of(1, 0, 0, 1_000_000, "0.25", "0.5"), *run_of(2, 1_600_000, 1_700_000, 2_000_000, "0.1", "0.05")],
        )
        _, workload, _ = with_trace(google(time_scale="5/8"), (path,))
        assert block(workload).time.tolist() == [0, 10]
        assert block(workload).service.tolist() == [10, 3]

    def test_what_is_left_out_is_counted(self, tmp_path: Path) -> None:
        lines = [
            *run_of(1, 0, 10, 100, "0.5", "0.25"),
            *run_of(2, 5, 10, 100, "1.5", "0.25"),
            *run_of(3, 6, 10, 100, "0", "0"),
            *run_of(4, 7, 10, 10, "0.5", "0.25"),
            *run_of(5, 8, 10, 100, "0.75", "0.25"),
            *run_of(6, 9, 10, 100, "0.5", "0.25"),
            task_row(0, SUBMIT, 7, "0.5", "0.5"),
            task_row(0, SCHEDULE, 7, "0.5", "0.5"),
            task_row(START + 50, FINISH, 7, "0.5", "0.5"),
            task_row(START + 50, SUBMIT, 8, "0.5", "0.5"),
            task_row(START + 60, SCHEDULE, 8, "0.5", "0.5"),
            task_row(START + 70, EVICT, 8, "0.5", "0.5"),
            task_row(START + 80, SUBMIT, 9, "0.5", "0.5"),
        ]
        path = written(tmp_path / "part.csv", lines)
        scenario = google(limit=2)
        _, workload, report = with_trace(scenario, (path,))
        assert len(block(workload).time) == 2
        counted = {item.reason.split(" (")[0]: item.count for item in report.left_out}
        assert counted["requested neither CPU nor memory"] == 1
        assert counted["larger than the largest machine"] == 1
        assert counted["finished in the microsecond in which they began"] == 1
        assert counted["submitted or scheduled before the trace began"] == 1
        assert counted["evicted"] == 1
        assert counted["still waiting when the files end"] == 1
        assert counted["after the first 2 jobs"] == 1

    def test_a_size_that_no_server_has_is_left_out(self, tmp_path: Path) -> None:
        path = written(
            tmp_path / "part.csv",
            [
                *run_of(1, 0, 10, 100, "0.90001", "0.25"),
                *run_of(2, 5, 10, 100, "0.25", "0.9"),
                *run_of(3, 6, 10, 100, "0.25", "0.25"),
            ],
        )
        data = {
            "system": "queue",
            "servers": {
                "count": 1,
                "capacity": {"CPU": 1, "memory": "1/2"},
                "pools": [{"name": "other", "count": 1, "capacity": {"CPU": "1/2", "memory": 1}}],
            },
            "workload": {"kind": "trace", "resources": "all"},
        }
        scenario, workload, report = with_trace(typed(parse_scenario(data)), (path,))
        # Memory is a share of the memory of the largest server, which has 1.
        numbers = numbers_of(scenario)
        assert block(workload).time.tolist() == [0, 0, 0]
        sizes = [[numbers.amount(units, d) for d, units in enumerate(row)] for row in block(workload).size]
        wanted = [(0.90001, 0.25), (0.25, 0.9), (0.25, 0.25)]
        for row, pair in zip(sizes, wanted, strict=True):
            for amount, share in zip(row, pair, strict=True):
                assert Fraction(str(share)) <= amount < Fraction(str(share)) + Fraction(1, PARTS)
        assert any("rounded up" in note for note in report.notes)
        pools = [{"name": "other", "count": 1, "capacity": {"CPU": "1/2", "memory": 1}}]
        low = data | {"servers": {"count": 1, "capacity": {"CPU": 1, "memory": "1/5"}, "pools": pools}}
        _, workload, report = with_trace(typed(parse_scenario(low)), (path,))
        assert len(block(workload).time) == 2
        assert report.left_out[-1].reason == "larger than every server"

    def test_the_scenario_with_its_jobs_can_be_written_and_read(self, tmp_path: Path) -> None:
        path = written(tmp_path / "part.csv", run_of(1, 0, 10, 100, "0.0001554", "0.00003"))
        scenario, _, _ = with_trace(google(), (path,))
        again = parse_scenario_text(scenario_text(scenario), "here")
        assert again == scenario
        third, workload, _ = with_trace(typed(again), (path,))
        assert third == scenario
        assert numbers_of(scenario).fraction(int(block(workload).size[0, 0])) == Fraction("0.0001554")

    def test_many_sizes_share_classes(self) -> None:
        count = 1000
        size = np.arange(1, count + 1)[:, None] * (REQUEST_UNIT // count)
        jobs = SlottedJobs(np.arange(count), np.arange(1, count + 1), size, REPORT)
        scenario, workload, _ = with_jobs(google(), jobs, resources(google()))
        assert len(scenario.jobs) == 200
        numbers = numbers_of(scenario)
        assert numbers.types == count
        assert numbers.mean_service == Fraction(count + 1, 2)
        exact = Fraction(sum(k * k for k in range(1, count + 1)), 4 * count**2)
        assert abs(numbers.intensity / exact - 1) < Fraction(1, 1000)
        assert (np.diff(block(workload).size[:, 0]) > 0).all()


class TestPods:
    def test_two_resources_and_times(self, tmp_path: Path) -> None:
        path = pod_list(
            tmp_path / "pods.csv",
            [
                pod_row(1, 0, 5, 65, 12_000, 16_384),
                pod_row(2, 60, 60, 61, 6_000, 0),
                pod_row(3, 125, "130.5", "200.0", 0, 12_288),
            ],
        )
        scenario, workload, report = with_trace(pods(slot=60), (path,))
        jobs, numbers = block(workload), numbers_of(scenario)
        assert jobs.time.tolist() == [0, 1, 2]
        assert jobs.service.tolist() == [1, 1, 2]
        assert [[numbers.amount(units, d) for d, units in enumerate(row)] for row in jobs.size] == [
            [12_000, 16_384],
            [6_000, 0],
            [0, 12_288],
        ]
        assert not any("rounded" in note for note in report.notes)

    def test_what_is_left_out_is_counted(self, tmp_path: Path) -> None:
        path = pod_list(
            tmp_path / "pods.csv",
            [
                pod_row(1, 9, 9, 30),
                pod_row(2, 0, "", ""),
                pod_row(3, 1, 2, ""),
                pod_row(4, 1, 2, 3, 0, 0),
                pod_row(5, 1, 4, 4),
                pod_row(6, 3, 3, 4),
                pod_row(7, 4, 4, 5, 200_000, 1),
            ],
        )
        _, workload, report = with_trace(pods(), (path,))
        assert block(workload).time.tolist() == [0, 6]  # in the order of their creation
        assert [(item.count, item.what) for item in report.left_out] == [
            (1, "pods"),
            (1, "pods"),
            (1, "pods"),
            (1, "pods"),
            (1, "jobs"),
        ]
        assert report.rows == 7
        assert report.kept == 2

    def test_units_of_the_scenario(self, tmp_path: Path) -> None:
        path = pod_list(tmp_path / "pods.csv", [pod_row(1, 0, 0, 9, 1500, 3072)])
        data = {
            "system": "queue",
            "resources": [{"name": "CPU", "unit": "vCPU"}, {"name": "memory", "unit": "GiB"}],
            "servers": {"count": 1, "capacity": {"memory": "64 GiB", "CPU": 96}},
            "workload": {"kind": "trace", "format": "alibaba-pods", "resources": "all", "slot": 1},
        }
        scenario, workload, _ = with_trace(typed(parse_scenario(data)), (path,))
        numbers = numbers_of(scenario)
        amounts = [numbers.amount(units, d) for d, units in enumerate(block(workload).size[0])]
        assert amounts == [3, Fraction(3, 2)]

    def test_a_limit_keeps_the_first(self, tmp_path: Path) -> None:
        path = pod_list(tmp_path / "pods.csv", [pod_row(n, n, n, n + 9) for n in range(5)])
        _, workload, report = with_trace(pods(limit=3), (path,))
        assert len(block(workload).time) == 3
        assert report.left_out[-1].count == 2

    def test_reading_tells_progress_and_can_be_stopped(self, tmp_path: Path) -> None:
        path = Path(pod_list(tmp_path / "pods.csv", [pod_row(n, n, n, n + 9) for n in range(5)]))
        told: list[float] = []
        with waiting(lambda _: None, lambda: 0, counted=lambda _, share: told.append(share)):
            read_pods([path])
        assert told[-1] == 1.0
        with waiting(lambda _: None, lambda: 1), pytest.raises(GivenUpError, match="Reading the trace: stopped at"):
            read_pods([path])


def refused(scenario: QueueScenario, paths: tuple[str, ...]) -> str:
    with pytest.raises(UserError) as caught:
        with_trace(scenario, paths)
    line = caught.value.line
    assert "\n" not in line
    return line


class TestBadInput:
    @pytest.mark.parametrize("make", [google, pods])
    def test_files_that_cannot_be_used(self, tmp_path: Path, make: Any) -> None:
        whole = tmp_path / "whole.csv.gz"
        lines = run_of(1, 0, 10, 100, "0.5", "0.25")
        whole.write_bytes(gzip.compress("\n".join(lines).encode() * 9))
        cut = tmp_path / "cut.csv.gz"
        cut.write_bytes(whole.read_bytes()[:-20])
        empty = tmp_path / "empty.csv"
        empty.write_bytes(b"")
        nothing = tmp_path / "nothing.csv.gz"
        nothing.write_bytes(gzip.compress(b""))
        for path in (cut, empty, nothing, tmp_path / "absent.csv", Path("/dev/null")):
            assert str(path) in refused(make(), (str(path),))

    @pytest.mark.parametrize(
        ("row", "said"),
        [
            ("pod-1,x,1,1,1,,LS,Running,0,9,0", "'cpu_milli': found 'x'"),
            ("pod-1,-1,1,1,1,,LS,Running,0,9,0", "'cpu_milli': found '-1'"),
            ("pod-1,1,nan,1,1,,LS,Running,0,9,0", "'memory_mib': found 'nan'"),
            ("pod-1,1,1,1,1,,LS,Running,,9,0", "'creation_time': found ''"),
            ("pod-1,1,1,1,1,,LS,Running,-1,9,0", "'creation_time': found '-1'"),
            ("pod-1,1,1,1,1,,LS,Running,0,1e99,0", "'deletion_time': found '1e99'"),
            ("pod-1,1,1", "found 3 columns"),
        ],
    )
    def test_rows_of_pods(self, tmp_path: Path, row: str, said: str) -> None:
        path = pod_list(tmp_path / "pods.csv", [pod_row(1, 0, 0, 9), row])
        line = refused(pods(), (path,))
        assert said in line
        assert "row 3" in line

    def test_a_file_without_the_header(self, tmp_path: Path) -> None:
        path = tmp_path / "pods.csv"
        path.write_text(pod_row(1, 0, 0, 9) + "\n")
        assert "found the header" in refused(pods(), (str(path),))

    def test_nothing_that_ran(self, tmp_path: Path) -> None:
        path = pod_list(tmp_path / "pods.csv", [pod_row(1, 0, "", "")])
        assert "none of 1 rows leads to a job" in refused(pods(), (path,))
        path = written(tmp_path / "part.csv", [task_row(START, SUBMIT, 1, "0.5", "0.5")])
        assert "none of 1 rows leads to a job" in refused(google(), (path,))
        path = pod_list(tmp_path / "large.csv", [pod_row(1, 0, 0, 9, 10**6)])
        assert "no job of the trace fits a server" in refused(pods(), (path,))

    def test_scenarios_that_take_no_trace(self) -> None:
        scenario = typed(load_scenario("queues-classroom"))
        assert "workload.kind: found the workload 'poisson'" in refused(scenario, ("x.csv",))
        assert "--trace PATH" in refused(google(), ())
        assert "workload.resources: found 'max'" in refused(pods(resources="max"), ("x.csv",))
        assert "begin with 'cpu' and with 'mem'" in refused(pods({"a": 1, "b": 2}), ("x.csv",))
        assert "servers.capacity: found the resources size" in refused(google(resources="all"), ("x.csv",))
        data = {
            "system": "queue",
            "servers": {"count": 1, "capacity": {"cpu": 1, "memory": 1}},
            "workload": {"kind": "trace"},
        }
        assert "allowed: one" in refused(typed(parse_scenario(data)), ("x.csv",))

    def test_units_that_pods_do_not_have(self) -> None:
        data = {
            "system": "queue",
            "resources": [{"name": "cpu", "unit": "cores"}],
            "servers": {"count": 1, "capacity": {"cpu": 1, "memory": 1}},
            "workload": {"kind": "trace", "format": "alibaba-pods", "resources": "all"},
        }
        assert "resources.cpu.unit" in refused(typed(parse_scenario(data)), ("x.csv",))

    def test_sizes_too_fine_for_exact_units_are_one_line(self, tmp_path: Path) -> None:
        path = written(tmp_path / "part.csv", run_of(1, 0, 10, 100, "0.000000000001", "0.3"))
        data = {"system": "queue", "servers": {"count": 10**6, "capacity": 1}, "workload": {"kind": "trace"}}
        path = written(tmp_path / "part.csv", run_of(1, 0, 10, 100, "0.100000000001", "0"))
        with pytest.raises(ScenarioError, match="fewer digits"):
            with_trace(typed(parse_scenario(data)), (path,))


@needs_traces
class TestRealTraces:
    def test_google(self) -> None:
        wanted = oracle("google2011_job_subset")["completed_in_window__submit_gt_0_and_schedule_gt_0_and_FINISH"]
        jobs = queue_jobs(read_task_events([GOOGLE]))
        assert len(jobs) == wanted["n"]
        assert int(jobs.size.sum()) == Fraction(wanted["sum_size"]) * REQUEST_UNIT
        assert len(np.unique(jobs.size)) == wanted["distinct_size"]
        first, last = wanted["submit_us_first_last"]
        assert jobs.slots == (last - first) // 100_000 + 1
        exact = wanted["runtime_us_sum"] / 100_000
        assert exact <= jobs.service.sum() < exact + len(jobs)

    def test_google_runs(self) -> None:
        bench = open_bench(load_scenario("queues-google"), trace=(str(GOOGLE),))
        state, tape = started(bench.system), np.zeros(4096, bench.system.row_dtype)
        result = bench.reference.advance(state, tape, Task())
        assert result.reason is Reason.END
        assert (tape["arrived"].sum(), tape["placed"].sum(), tape["departed"].sum()) == (487,) * 3

    def test_alibaba(self) -> None:
        wanted = oracle("alibaba_pods_default")
        found = read_pods([PODS])
        assert found.report.rows == wanted["rows"]
        left = {item.reason: item.count for item in found.report.left_out}
        assert left == {"never scheduled (Pending)": wanted["rows_without_scheduled_time"]}
        life = np.sort(found.runtime)
        for q, seconds in wanted["lifetime_s_quantiles_scheduled_to_deletion"].items():
            assert life[int(Fraction(q) * (len(life) - 1))] == seconds * 10**6
        assert len(pod_jobs(found)) == wanted["rows"] - wanted["pod_phase"]["Pending"]
        assert (int(found.cpu.max()), int(found.memory.max())) == (120_200, 737_280)

    def test_alibaba_runs(self) -> None:
        bench = open_bench(pods(slot=60, limit=300), "bf-js", trace=(str(PODS),))
        state, tape = started(bench.system), np.zeros(2000, bench.system.row_dtype)
        result = bench.reference.advance(state, tape, Task())
        assert result.reason is Reason.END
        assert tape["departed"].sum() == tape["arrived"].sum() > 290
