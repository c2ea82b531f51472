"""Logs in the Standard Workload Format: what is read, left out and refused, and the resulting jobs."""

from __future__ import annotations

import gzip
import json
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from slotscope.model.errors import ScenarioError, TraceError, UserError
from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.kinds.moldable.traces import workload as moldable_workload
from slotscope.model.kinds.moldable.traces.workload import with_trace, workload_of
from slotscope.model.running.waiting import GivenUpError, waiting
from slotscope.model.scenario.load import edited, load_scenario, parse_scenario, scenario_text
from slotscope.model.scenario.workload import BLOCK, JobBlock, Workload
from slotscope.model.traces.swf import (
    CANCELLED,
    NEGATIVE_RUN,
    NO_PROCESSORS,
    NO_RUN,
    NO_SUBMIT,
    PART,
    TOO_LARGE,
    ZERO_RUN,
    ParallelJobs,
    read_swf,
)
from tests.breaking import is_one_line
from tests.kinds.moldable.scenarios import GOOD, HEADER, JOBS, TRACE, job_line, log_file, opened

KTH = "swf/KTH-SP2-1996-2.swf.gz"


def read(folder: Path, text: str) -> ParallelJobs:
    return read_swf([log_file(folder, text)])


def left_out(jobs: ParallelJobs) -> dict[str, int]:
    return {item.reason: item.count for item in jobs.report.left_out}


class TestLog:
    def test_jobs(self, tmp_path: Path) -> None:
        jobs = read(tmp_path, HEADER + JOBS)
        assert jobs.submit.tolist() == [10, 20, 20, 50, 90, 110]
        assert jobs.run.tolist() == [40, 20, 30, 10, 60, 5]
        assert jobs.processors.tolist() == [1, 2, 4, 8, 1, 2]
        assert jobs.machine == 8
        assert (jobs.report.rows, jobs.report.kept, jobs.report.left_out) == (6, 6, ())
        assert jobs.report.lines()[0] == ("log in Standard Workload Format: 6 rows of 1 file (log.swf)")

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            (job_line(1, 5, 10, 2, status=2), PART),
            (job_line(1, -1, 10, 2, status=3), PART),
            (job_line(1, 5, 10, 2, status=4), PART),
            (job_line(1, -1, 10, 2), NO_SUBMIT),
            (job_line(1, 5, -1, -1, status=5), CANCELLED),
            (job_line(1, 5, 0, 2, status=5), CANCELLED),
            (job_line(1, 5, -1, 2), NO_RUN),
            (job_line(1, 5, 0, 2, status=0), ZERO_RUN),
            (job_line(1, 5, -7, 2), NEGATIVE_RUN),
            (job_line(1, 5, 10, -1), NO_PROCESSORS),
            (job_line(1, 5, 10, 0, requested=0), NO_PROCESSORS),
            (job_line(1, 5, 10, 9), TOO_LARGE),
            (job_line(1, 5, 10, -1, requested=9), TOO_LARGE),
        ],
    )
    def test_what_is_left_out_is_counted(self, tmp_path: Path, line: str, reason: str) -> None:
        jobs = read(tmp_path, HEADER + line + JOBS + line)
        assert left_out(jobs) == {reason: 2}
        assert (jobs.report.rows, jobs.report.kept, len(jobs)) == (8, 6, 6)

    @pytest.mark.parametrize(
        ("line", "job"),
        [
            (job_line(1, 0, 10, 2, status=0), (0, 10, 2)),
            (job_line(1, 0, 10, 2, status=5), (0, 10, 2)),
            (job_line(1, 0, 10, 2, status=-1), (0, 10, 2)),
            (job_line(1, 0, 10, -1, requested=3), (0, 10, 3)),
            (job_line(1, 0, 10, 8, requested=3), (0, 10, 8)),
            (job_line(1, "0.25", "1.5e1", "8.0"), (0.25, 15, 8)),
        ],
    )
    def test_what_is_kept(self, tmp_path: Path, line: str, job: tuple[float, ...]) -> None:
        jobs = read(tmp_path, HEADER + line)
        assert (jobs.submit[0], jobs.run[0], jobs.processors[0]) == job
        assert not jobs.report.left_out

    def test_what_stands_for_unknown_processors_is_told(self, tmp_path: Path) -> None:
        jobs = read(tmp_path, HEADER + JOBS + job_line(9, 0, 10, -1, requested=3))
        assert any(note.startswith("of 1 jobs the requested") for note in jobs.report.notes)

    def test_without_a_header_the_largest_job_is_the_machine(self, tmp_path: Path) -> None:
        jobs = read(tmp_path, JOBS + job_line(7, 0, 10, 12))
        assert jobs.machine == 12
        assert any("no header tells MaxProcs" in note for note in jobs.report.notes)

    @pytest.mark.parametrize(("widest", "machine"), [(4, 4), (5, 8)])
    def test_a_log_that_counts_nodes_has_as_many_servers(self, tmp_path: Path, widest: int, machine: int) -> None:
        jobs = read(tmp_path, HEADER + "; MaxNodes: 4\n" + job_line(1, 0, 10, 2) + job_line(2, 5, 10, widest))
        assert jobs.machine == machine
        told = (
            "the header tells 8 processors in 4 nodes, and no job has more than 4: its processors are taken to be nodes"
        )
        assert (told in jobs.report.notes) == (machine == 4)

    def test_jobs_come_in_order_of_time(self, tmp_path: Path) -> None:
        lines = JOBS.splitlines(keepends=True)
        wanted = read(tmp_path, HEADER + JOBS)
        found = read(tmp_path, HEADER + "".join(lines[3:] + lines[:3]))
        assert found.submit.tolist() == wanted.submit.tolist()
        assert found.processors.tolist() == wanted.processors.tolist()

    def test_packing_tabs_blank_lines_and_headers_in_latin_1_change_nothing(self, tmp_path: Path) -> None:
        wanted = read(tmp_path, HEADER + JOBS)
        text = "\n; Note: Universit\xe9\n" + (HEADER + JOBS).replace(" 0 ", "\t0\t").replace("\n", "\r\n\n")
        path = tmp_path / "packed.txt"
        path.write_bytes(gzip.compress(text.encode("latin-1")))
        found = read_swf([path])
        assert found.submit.tolist() == wanted.submit.tolist()
        assert found.machine == 8

    def test_several_files_are_one_log(self, tmp_path: Path) -> None:
        first = log_file(tmp_path, HEADER + JOBS, "first.swf")
        later = HEADER.replace("1000", "2000").replace("MaxProcs: 8", "MaxProcs: 16")
        second = log_file(tmp_path, later + job_line(7, 5, 3, 16), "second.swf")
        third = log_file(tmp_path, job_line(8, 9, 4, 1), "third.swf")
        jobs = read_swf([first, second, third])
        assert jobs.submit[-2:].tolist() == [1005, 1009]
        assert jobs.machine == 16
        assert (jobs.report.rows, jobs.report.files) == (8, ("first.swf", "second.swf", "third.swf"))
        assert read_swf([second, first]).submit[0] == -990  # relative to the first file's time 0

    def test_progress_and_stopping(self, tmp_path: Path) -> None:
        told: list[float] = []
        path = log_file(tmp_path)
        with waiting(lambda _: None, lambda: 0, counted=lambda _, share: told.append(share)):
            read_swf([path, path])
        assert told == sorted(told)
        assert told[-1] == 1
        with waiting(lambda _: None, lambda: 1), pytest.raises(GivenUpError, match="Reading the trace: stopped at"):
            read_swf([path])


LINES = JOBS.splitlines()

# name: the file, and what the error's line must say after the file's name
FAULTS: dict[str, tuple[str, str]] = {
    "nothing": ("", "the file is empty"),
    "a header alone": (HEADER, "found no line of a job; allowed are lines of 18 numbers"),
    "too few fields": (HEADER + " ".join(LINES[0].split()[:5]), "row 7: found 5 fields"),
    "the absent field": (HEADER + " ".join(LINES[0].split()[:3]), "'run time' is the first that is absent"),
    "too many fields": (HEADER + JOBS + LINES[0] + " 7", "row 13: found 19 fields"),
    "another format": (
        "job,submit,run\n1,2,3\n",
        "row 1: found 1 fields, 'job,submit,run'; allowed in the Standard Workload Format are 18 numbers",
    ),
    "a word": (HEADER + job_line(1, 5, "ten", 2), "row 7, column 'run time': found 'ten'; allowed is a number, or -1"),
    "not a number": (JOBS + job_line(1, "nan", 10, 2), "row 7, column 'submit time': found 'nan'"),
    "without end": (job_line(1, 5, "inf", 2), "row 1, column 'run time': found 'inf'"),
    "an underscore": (job_line(1, 5, "1_0", 2), "row 1, column 'run time': found '1_0'"),
    "half a processor": (
        job_line(1, 5, 10, 2.5),
        "row 1, column 'allocated processors': found '2.5'; allowed is a whole number",
    ),
    "beyond all time": (job_line(1, 5, 10**12, 2), "row 1, column 'run time': found '1e+12'"),
    "no blank": (job_line(1, 5, 10, 2).replace(" 10 ", " 10\x1e"), "allowed between the numbers are blanks"),
    "a NUL byte": (HEADER + "\0", "row 7: found a NUL byte"),
}


class TestFaults:
    @pytest.mark.parametrize("name", FAULTS)
    def test_one_line(self, name: str, tmp_path: Path) -> None:
        text, words = FAULTS[name]
        with pytest.raises(TraceError) as raised:
            read(tmp_path, text)
        assert is_one_line(raised.value.line)
        assert raised.value.line.startswith(f"{tmp_path / 'log.swf'}: ")
        assert words in raised.value.line

    def test_damaged_files(self, tmp_path: Path) -> None:
        path = tmp_path / "log.swf.gz"
        packed = gzip.compress((HEADER + JOBS * 50).encode())
        path.write_bytes(packed[:-20])
        with pytest.raises(TraceError, match="gzip file that ends too early"):
            read_swf([path])
        path.write_bytes(packed[:40] + b"\xff\xff\xff" + packed[43:])
        with pytest.raises(TraceError, match="damaged gzip file"):
            read_swf([path])
        path.write_bytes(b"\x80\x81 binary\0")
        with pytest.raises(TraceError, match=r"a NUL byte; .* \(it is named \.gz but is not"):
            read_swf([path])

    def test_no_file(self, tmp_path: Path) -> None:
        for path in (tmp_path / "absent.swf", tmp_path):
            with pytest.raises(TraceError):
                read_swf([path])
        with pytest.raises(TraceError, match="no file was given"):
            read_swf([])

    @given(
        st.lists(
            st.one_of(
                st.text(st.characters(codec="utf-8"), max_size=30),
                st.lists(
                    st.one_of(st.integers(-2, 9), st.floats(), st.text("0-.e;", max_size=3)), min_size=17, max_size=19
                ).map(lambda row: " ".join(map(str, row))),
                st.sampled_from([*LINES, *HEADER.splitlines(), "; MaxProcs: x", "; MaxProcs: 9" + "9" * 40]),
            ),
            max_size=6,
        ).map("\n".join)
    )
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_whatever_a_file_holds(self, tmp_path: Path, text: str) -> None:
        try:
            jobs = read(tmp_path, text)
        except TraceError as error:
            assert is_one_line(error.line)
            return
        assert jobs.report.rows == len(jobs) + sum(item.count for item in jobs.report.left_out)
        assert (jobs.run > 0).all()
        assert ((jobs.processors >= 1) & (jobs.processors <= jobs.machine)).all()
        assert (np.diff(jobs.submit) >= 0).all()


@pytest.fixture(scope="module")
def oracle(shared_traces: Path) -> dict[str, Any]:
    """Figures of the real log, computed by another program."""
    figures = json.loads((shared_traces / "oracle.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = figures["swf_KTH-SP2-1996-2"]
    return found


@pytest.fixture(scope="module")
def jobs(shared_traces: Path) -> ParallelJobs:
    """The jobs of the real log."""
    return read_swf([shared_traces / KTH])


class TestRealLog:
    def test_counts(self, jobs: ParallelJobs, oracle: dict[str, Any]) -> None:
        assert jobs.report.rows == oracle["jobs"]
        assert len(jobs) == jobs.report.kept == oracle["jobs_runtime_gt0_procs_gt0"]
        assert left_out(jobs) == {ZERO_RUN: oracle["runtime_le0"]}
        assert jobs.machine == oracle["MaxProcs_header"]

    def test_processors(self, jobs: ParallelJobs, oracle: dict[str, Any]) -> None:
        assert int((jobs.processors == 1).sum()) == oracle["serial"]
        assert int(jobs.processors.max()) == oracle["max_procs"]
        assert len(np.unique(jobs.processors)) == oracle["distinct_procs"]
        rounded = np.exp2(np.ceil(np.log2(jobs.processors))).astype(int)
        values, counts = (column.tolist() for column in np.unique(rounded, return_counts=True))
        found = dict(zip(map(str, values), counts, strict=True))
        assert found == oracle["procs_rounded_up_to_power_of_two"]

    def test_times(self, jobs: ParallelJobs, oracle: dict[str, Any]) -> None:
        assert [jobs.submit[0], jobs.submit[-1]] == oracle["submit_first_last"]
        assert (jobs.run @ jobs.processors) == oracle["sum_procs_times_runtime"]
        for share, value in oracle["runtime_quantiles"].items():
            assert np.quantile(jobs.run, float(share), method="lower") == value

    def test_the_load_of_rigid_jobs_is_the_utilisation(self, shared_traces: Path, oracle: dict[str, Any]) -> None:
        data = TRACE | {"workload": {"kind": "trace", "work": "linear"}}
        found, _, _ = with_trace(opened(data), (str(shared_traces / KTH),))
        span = oracle["submit_first_last"][1] * oracle["jobs"] / (oracle["jobs"] - 1)
        assert found.servers.count == 100
        assert float(found.load) == pytest.approx(oracle["sum_procs_times_runtime"] / span / 100, rel=1e-3)
        assert float(found.load) == pytest.approx(oracle["utilisation_sum_over_span_times_MaxProcs"], rel=1e-3)

    def test_the_built_in_scenario_takes_it(self, shared_traces: Path) -> None:
        found, recorded, _ = with_trace(scenario_named(), (str(shared_traces / KTH),))
        assert found.load == Fraction(4, 5)
        assert recorded is not None
        block = recorded.block_at(0)
        assert block is not None
        assert float(found.run.until) < block.time[-1]


def scenario_named() -> MoldableScenario:
    scenario = load_scenario("moldable-swf")
    assert isinstance(scenario, MoldableScenario)
    return scenario


def traced(path: Path, **workload: Any) -> tuple[MoldableScenario, Workload]:
    """A scenario with a log, and its jobs."""
    data = TRACE | {"workload": {"kind": "trace"} | workload}
    found, recorded, _ = with_trace(opened(data), (str(path),))
    return found, recorded or workload_of(found)


def block_of(workload: Workload, arrival: int = 0) -> JobBlock:
    block = workload.block_at(arrival)
    assert block is not None
    return block


class TestWorkload:
    @pytest.mark.parametrize(
        ("work", "sizes"),
        [
            ("speed-up", [40, 30, 45, 15, 60, 7.5]),
            ("linear", [40, 40, 120, 80, 60, 10]),
            ("run time", [40, 20, 30, 10, 60, 5]),
        ],
    )
    def test_recorded_jobs(self, tmp_path: Path, work: str, sizes: list[float]) -> None:
        scenario, workload = traced(log_file(tmp_path), work=work)
        block = block_of(workload)
        assert block.time.tolist() == [0, 10, 10, 40, 80, 100]
        assert block.service.tolist() == sizes
        assert not block.type.any()
        assert workload.block_at(6) is None
        mean = sum(sizes) / 6
        assert float(scenario.mean_of(0)) == pytest.approx(mean, rel=1e-8)
        assert float(scenario.load) == pytest.approx(mean / 20 / 8, rel=1e-8)
        assert (scenario.servers.count, scenario.needs_trace) == (8, False)

    def test_a_load_scales_the_times_between_arrivals(self, tmp_path: Path) -> None:
        scenario, workload = traced(log_file(tmp_path), work="linear", load=0.5)
        assert scenario.load == Fraction(1, 2)
        mean = 350 / 6
        gap = mean / 8 / 0.5
        assert block_of(workload).time == pytest.approx(np.array([0, 0.5, 0.5, 2, 4, 5]) * gap)

    def test_servers_of_the_scenario_come_first(self, tmp_path: Path) -> None:
        data = TRACE | {"servers": {"count": 3}}
        found, _, report = with_trace(opened(data), (str(log_file(tmp_path)),))
        assert found.servers.count == 3
        assert found.load == Fraction(1, 2)
        assert "the log's machine has 8 processors" in report.notes

    @pytest.mark.parametrize("speedup", [["1", "1.8", "2.4"], {"law": "power", "exponent": "0.5", "degree": 3}])
    def test_a_job_runs_on_no_more_servers_than_the_log_has(self, tmp_path: Path, speedup: Any) -> None:
        small = HEADER.replace("MaxProcs: 8", "MaxProcs: 2") + "".join(job_line(n, 5 * n, 9, n) for n in (1, 2))
        data = TRACE | {"classes": [TRACE["classes"][0] | {"speedup": speedup}]}
        found, recorded, report = with_trace(opened(data), (str(log_file(tmp_path, small)),))
        assert recorded is not None and found.servers.count == found.classes[0].degree == 2
        assert found.speedup_of(0) == opened(data).speedup_of(0)[:2]
        assert "a job runs on 2 servers at most, where the speed-up is told for 3" in report.notes

    @pytest.mark.parametrize(
        ("servers", "told"), [(800, "such as servers.count = 10"), (20, "such as servers.count = 10"), (10, "")]
    )
    def test_a_machine_that_its_jobs_cannot_fill_is_told(self, tmp_path: Path, servers: int, told: str) -> None:
        lines = "".join(job_line(n, 5 * n, 9, 2) for n in range(100))
        path = str(log_file(tmp_path, f"; MaxProcs: {servers}\n" + lines))
        _, _, report = with_trace(opened(TRACE), (path,))
        notes = [note for note in report.notes if "too few to fill" in note]
        assert [note.partition("; choose fewer, ")[2] for note in notes] == [told] * bool(told)

    def test_a_machine_of_one_processor_is_told_as_one(self, tmp_path: Path) -> None:
        small = HEADER.replace("MaxProcs: 8", "MaxProcs: 1") + "".join(job_line(n, 5 * n, 9, 1) for n in (1, 2))
        _, _, report = with_trace(opened(TRACE), (str(log_file(tmp_path, small)),))
        assert "they offer 1 server a load of" in report.notes[0]

    def test_what_is_read_can_be_written_and_read_again(self, tmp_path: Path) -> None:
        found, _ = traced(log_file(tmp_path), load=0.7)
        assert parse_scenario(tomllib.loads(scenario_text(found))) == found
        again, _, _ = with_trace(found)
        assert again == found

    def test_a_limit(self, tmp_path: Path) -> None:
        data = TRACE | {"workload": {"kind": "trace", "limit": 4}}
        _, recorded, report = with_trace(opened(data), (str(log_file(tmp_path)),))
        assert recorded is not None
        assert len(block_of(recorded).time) == report.kept == 4
        assert [(item.reason, item.count) for item in report.left_out] == [("after the first 4 jobs", 2)]

    @pytest.mark.parametrize("arrivals", ["resampled", "poisson"])
    def test_drawn_jobs_have_the_rate_and_the_sizes_of_the_log(self, tmp_path: Path, arrivals: str) -> None:
        scenario, workload = traced(log_file(tmp_path), arrivals=arrivals, sizes="resampled", load=0.5)
        block = block_of(workload)
        assert len(block.time) == BLOCK
        gaps = np.diff(block.time)
        wanted = float(1 / (scenario.arrival_rates[0] * 8))
        assert abs(gaps.mean() - wanted) <= 4 * gaps.std() / len(gaps) ** 0.5
        if arrivals == "resampled":  # the log's interarrival times are 10, 0, 30, 40 and 20, with mean 20
            assert np.unique((gaps / wanted).round(9)).tolist() == [0, 0.5, 1, 1.5, 2]
        else:
            assert stats.kstest(gaps, stats.expon(scale=wanted).cdf).pvalue > 1e-4
        assert set(block.service.round(6)) == {40, 30, 45, 15, 60, 7.5}
        later = block_of(workload, BLOCK)
        assert later.first[0] == BLOCK
        assert later.time[0] >= block.time[-1]
        again = block_of(workload_of(scenario), BLOCK)
        assert again.time.tolist() == later.time.tolist()
        assert again.service.tolist() == later.service.tolist()
        other = block_of(workload_of(scenario.model_copy(update={"seed": 2})))
        assert (other.service != block.service).any()

    def test_jobs_of_a_branch_come_after_its_start(self, tmp_path: Path) -> None:
        scenario, workload = traced(log_file(tmp_path), arrivals="poisson", sizes="resampled")
        branch = block_of(workload_of(scenario, 1000.0, 7))
        assert branch.time[0] >= 1000
        assert (branch.service != block_of(workload).service).any()

    @pytest.mark.parametrize(
        ("arrivals", "sizes"), [("recorded", "resampled"), ("resampled", "recorded"), ("poisson", "recorded")]
    )
    def test_what_is_recorded_ends_with_the_log(self, tmp_path: Path, arrivals: str, sizes: str) -> None:
        scenario, workload = traced(log_file(tmp_path), arrivals=arrivals, sizes=sizes)
        block = block_of(workload)
        assert len(block.time) == 6
        assert (block.time.tolist() == [0, 10, 10, 40, 80, 100]) == (arrivals == "recorded")
        assert (block.service.tolist() == [40, 30, 45, 15, 60, 7.5]) == (sizes == "recorded")
        with pytest.raises(ScenarioError, match="found recorded jobs, allowed when a run goes on"):
            workload_of(scenario, 5.0, 3)

    def test_a_file_is_read_again_once_it_has_changed(self, tmp_path: Path) -> None:
        path = log_file(tmp_path)
        scenario, _ = traced(path, sizes="resampled")
        assert len(block_of(workload_of(scenario)).time) == 6
        log_file(tmp_path, HEADER + JOBS + job_line(7, 200, 5, 1))
        assert len(block_of(workload_of(scenario)).time) == 7

    def test_long_logs_are_told_by_two_hundred_sizes(self, tmp_path: Path) -> None:
        text = "".join(job_line(n, n, 1 + n % 997, 1 + n % 2) for n in range(1000))
        scenario, workload = traced(log_file(tmp_path, text))
        law = scenario.classes[0].size
        assert law.distribution == "empirical"
        assert len(law.values) == moldable_workload.MOST_TOLD
        assert float(law.mean) == pytest.approx(block_of(workload).service.mean(), rel=1e-8)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (HEADER + job_line(1, 5, 10, 1), "log.swf: found one job that can be used, allowed"),
            (job_line(1, 5, 10, 1) * 3, "found 3 jobs that can be used, all of one time"),
            (
                HEADER + job_line(1, 5, 0, 1),
                "0 jobs that can be used, allowed: jobs of several times, "
                "from which a rate can be told; 1 job: with a run time",
            ),
            ("; MaxProcs: 9000000\n" + JOBS, "servers.count: found 9000000, allowed: a number of at "),
        ],
    )
    def test_logs_that_cannot_be_used(self, tmp_path: Path, text: str, words: str) -> None:
        with pytest.raises(UserError) as raised:
            traced(log_file(tmp_path, text))
        assert is_one_line(raised.value.line)
        assert words in raised.value.line

    def test_no_path_and_no_trace(self, tmp_path: Path) -> None:
        with pytest.raises(ScenarioError, match="found no path of a trace; give its files with"):
            with_trace(opened(TRACE))
        with pytest.raises(ScenarioError, match="found the workload 'poisson' and a trace's path"):
            with_trace(opened(GOOD), (str(log_file(tmp_path)),))

    def test_a_share_gives_way_to_the_rate(self, tmp_path: Path) -> None:
        scenario = edited(opened(TRACE), {"classes": [{"speedup": [1, 1.5], "share": 2}]})
        assert isinstance(scenario, MoldableScenario)
        found, _, _ = with_trace(scenario, (str(log_file(tmp_path)),))
        assert found.classes[0].share is None
        assert found.load == Fraction(1, 2)
