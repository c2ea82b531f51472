"""Tables of jobs: they read back as written, faults give one line, and every kind of system can run them."""

from __future__ import annotations

import csv
import gzip
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.errors import ScenarioError, TraceError, UserError
from slotscope.model.scenario.common import TraceWorkload
from slotscope.model.scenario.load import edited, load_scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.traces import job_table
from slotscope.model.traces.excerpts import EXAMPLE
from slotscope.model.traces.formats import playing, read_jobs
from slotscope.model.traces.job_table import AskedJobs
from slotscope.model.traces.jobs import Needed, demanded

ALL = AskedJobs(("cpu", "memory"), ("width", "priority", "type"))
HEADER = ["arrival", "duration", "cpu [CPU]", "memory [GiB]", "width", "priority", "type"]
ROW = ["0.5", "2", "1.5", "4", "2", "1", "a"]

times = st.integers(0, 10**13)
tables = st.lists(
    st.tuples(
        times,
        times.filter(bool),
        st.integers(0, 10**15),
        st.integers(0, 10**15),
        st.integers(1, 10**6),
        st.integers(0, 10**6),
        st.text("abc,\"' ;é", max_size=4),
    ),
    min_size=1,
    max_size=8,
)


def decimal(value: int, places: int) -> str:
    whole, rest = divmod(value, 10**places)
    return f"{whole}.{rest:0{places}d}".rstrip("0").rstrip(".")


def written(path: Path, rows: list[list[str]], header: list[str] = HEADER) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@given(tables)
def test_what_is_written_is_what_is_read(tmp_path_factory: pytest.TempPathFactory, jobs: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("tables")
    texts = [
        [decimal(at, 6), decimal(s, 6), decimal(c, 9), decimal(m, 9), str(w), str(p), t]
        for at, s, c, m, w, p, t in jobs
    ]
    found = read_jobs([written(folder / "a.csv", texts)], ALL)
    cpu, memory = found.demands
    columns = (found.arrival, found.duration, cpu.amount, memory.amount, found.width, found.priority)
    names = [found.names[place] for place in found.type]
    read = list(zip(*(column.tolist() for column in columns), names, strict=True))
    assert read == sorted(jobs, key=lambda job: job[0])
    assert (found.report.rows, found.report.kept) == (len(jobs), len(jobs))
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    numbers = [[float(text) for text in column] for column in list(zip(*texts, strict=True))[:-1]]
    data = dict(zip(HEADER, [*numbers, [job[-1] for job in jobs]], strict=True))
    parquet.write_table(arrow.table(data), folder / "a.parquet")
    again = read_jobs([folder / "a.parquet"], ALL)
    for name in ("arrival", "duration", "width", "priority", "type"):
        assert np.array_equal(getattr(found, name), getattr(again, name))
    assert all(np.array_equal(one.amount, two.amount) for one, two in zip(found.demands, again.demands, strict=True))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 3)), min_size=1, max_size=40), st.integers(1, 12))
def test_of_a_long_table_the_first_jobs_are_held_and_all_are_counted(
    tmp_path_factory: pytest.TempPathFactory, jobs: list[tuple[int, int]], limit: int
) -> None:
    rows = [[str(at), str(lasts) if lasts >= 0 else "", str(place)] for place, (at, lasts) in enumerate(jobs)]
    path = written(tmp_path_factory.mktemp("long") / "a.csv", rows, ["arrival", "duration", "cpu"])
    asked, held = AskedJobs(("cpu",)), []
    keep_first = job_table._Found._keep_first

    def watched(found: Any, most: int) -> None:
        held.append(found._held)
        keep_first(found, most)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job_table, "_ROWS", 3)
        patch.setattr(job_table._Found, "_keep_first", watched)
        try:
            wanted = read_jobs([path], asked).first(limit)
        except TraceError as error:
            with pytest.raises(TraceError, match=re.escape(str(error))):
                read_jobs([path], asked._replace(limit=limit))
            return
        found = read_jobs([path], asked._replace(limit=limit))
    assert (found.report, found.arrival.tolist()) == (wanted.report, wanted.arrival.tolist())
    assert found.demands[0].amount.tolist() == wanted.demands[0].amount.tolist()
    assert max(held) <= 2 * limit + 3


WRONG = {
    "no duration": (["arrival", "cpu"], ["1", "2"], "found the columns arrival, cpu; 'duration' is absent"),
    "semicolons": (["arrival;duration;cpu"], ["1;2;3"], "found columns with ';' between them; allowed are commas"),
    "no demand": (["arrival", "duration", "cpu"], ["1", "2", "3"], "arrival, duration, cpu; 'memory' is absent"),
    "twice": ([*HEADER, "cores"], [*ROW, "1"], "found the columns cpu [CPU] and cores; allowed is one"),
    "a word": (HEADER, ["soon", *ROW[1:]], "row 2, column 'arrival': found 'soon'; allowed is a number"),
    "not a number": (HEADER, [ROW[0], "nan", *ROW[2:]], "row 2, column 'duration': found 'nan'"),
    "negative": (HEADER, [*ROW[:2], "-1", *ROW[3:]], "row 2, column 'cpu [CPU]': found '-1'; allowed"),
    "half a server": (HEADER, [*ROW[:4], "1.5", *ROW[5:]], "column 'width': found '1.5'; allowed is a whole"),
    "empty": (HEADER, ["", *ROW[1:]], "row 2, column 'arrival': found ''"),
    "too short": (HEADER, ROW[:-1], "row 2: found 6 columns"),
    "a decimal comma": (HEADER, ["1,5", *ROW[1:]], "row 2, column 'arrival': found '1,5'"),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_is_wrong_is_told_in_a_line(tmp_path: Path, name: str) -> None:
    header, row, told = WRONG[name]
    path = written(tmp_path / "jobs.csv", [row], header)
    with pytest.raises(TraceError, match=re.escape(told)) as error:
        read_jobs([path], ALL)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


def test_parquet_that_is_damaged_or_has_texts_is_told_in_a_line(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "jobs.parquet"
    parquet.write_table(arrow.table({"arrival": ["soon"], "duration": [1.0]}), path)
    with pytest.raises(TraceError, match="column 'arrival': found the type string; allowed are numbers"):
        read_jobs([path], AskedJobs())
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(TraceError, match="found damaged Parquet"):
        read_jobs([path], AskedJobs())


def test_parquet_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jobs.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UserError, match=re.escape("pip install 'slotscope[data]'")):
        read_jobs([tmp_path / "jobs.parquet"], AskedJobs())


def test_jobs_that_cannot_run_are_counted(tmp_path: Path) -> None:
    rows = [["3", "", "1"], ["2", "5", "1"], ["1", "0", "1"], ["0", "4", "0"]]
    jobs = read_jobs([written(tmp_path / "jobs.csv", rows, ["arrival", "duration", "cores"])], AskedJobs(("cpu",)))
    assert [(item.count, item.reason) for item in jobs.report.left_out] == [
        (1, "without a duration"),
        (1, "with a duration of 0"),
    ]
    kept, size, factors = demanded(jobs, [Needed("cpu", "", Fraction(8))])
    assert (size.tolist(), factors) == ([[10**9]], (Fraction(1, 10**9),))
    assert [(item.count, item.reason) for item in kept.report.left_out][2:] == [(1, "that ask for nothing")]


def test_a_server_that_is_left_at_a_time_is_free_at_it(tmp_path: Path) -> None:
    rows = [["0", "2", "3"], ["0", "1", "1"], ["1", "1", "2"], ["2", "5", "4"]]
    path = written(tmp_path / "jobs.csv", rows, ["arrival", "duration", "width"])
    assert read_jobs([path], asked=AskedJobs((), ("width",))).busiest() == 5


def test_units_of_the_file_become_those_of_the_scenario(tmp_path: Path) -> None:
    header = ["arrival", "duration", "memory [MiB]", "vCPU [CPU]", "user"]
    jobs = read_jobs(
        [written(tmp_path / "jobs.csv", [["1", "2", "512", "3", "x"]], header)], AskedJobs(("cpu", "memory"))
    )
    needed = [Needed("cores", "vCPU", Fraction(8)), Needed("memory", "GiB", Fraction(64))]
    _, size, factors = demanded(jobs, needed)
    assert [int(one) * factor for one, factor in zip(size[0], factors, strict=True)] == [3, Fraction(1, 2)]
    with pytest.raises(ScenarioError, match=r"resources\.memory\.unit"):
        demanded(jobs, [Needed("memory", "CPU", Fraction(1))])


def test_a_unit_that_nothing_can_be_compared_with_is_told(tmp_path: Path) -> None:
    header = ["arrival", "duration", "memory [MiB]", "cores"]
    jobs = read_jobs([written(tmp_path / "jobs.csv", [["1", "2", "3", "4"]], header)], AskedJobs(("cpu", "memory")))
    needed = [Needed("cpu", "", Fraction(8)), Needed("memory", "", Fraction(64))]
    kept, _, factors = demanded(jobs, needed)
    assert set(factors) == {Fraction(1, 10**9)}
    (note,) = kept.report.notes
    assert note.startswith("'memory' is told in MiB, and the scenario declares no unit for memory")


@pytest.mark.parametrize("name", ["dra-google", "queues-google", "moldable-swf", "jrs-azure"])
def test_every_kind_plays_a_folder_of_tables(name: str, tmp_path: Path) -> None:
    head, *rows = EXAMPLE.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "README.md").write_text("where these come from\n")
    for part in range(2):
        (tmp_path / f"part {part}.csv").write_text("".join([head, *rows[part::2]]), "utf-8")
    bench = open_bench(load_scenario(name), trace=(str(tmp_path),))
    assert bench.report is not None
    assert (bench.report.rows, bench.report.kept, len(bench.report.files)) == (1000, 1000, 2)


@pytest.mark.parametrize("name", ["dra-google", "queues-google", "moldable-swf", "jrs-azure"])
def test_every_kind_plays_the_example(name: str, tmp_path: Path) -> None:
    scenario = load_scenario(name)
    packed = tmp_path / "jobs.csv.gz"
    packed.write_bytes(gzip.compress(EXAMPLE.read_bytes()))
    bench = open_bench(scenario, trace=(str(packed),))
    assert bench.report is not None
    assert (bench.report.rows, bench.report.kept) == (1000, 1000)
    told = bench.scenario.workload
    assert (told.format, told.paths) == ("jobs", (str(packed),))  # type: ignore[union-attr]
    own = edited(scenario, {"workload": scenario.workload.model_dump(mode="json") | {"format": "jobs"}})
    shipped = open_bench(own)
    assert shipped.report is not None
    assert "an example of a table of jobs" in shipped.report.notes[0]


@pytest.mark.parametrize("head", ['arrival,duration,"' + "x" * 140_000 + '"', "arrival,duration,a\rb"])
@pytest.mark.parametrize("name", ["queues-google", "moldable-swf"])
def test_a_first_line_whose_columns_cannot_be_told_apart_is_a_fault_of_the_file(
    name: str, head: str, tmp_path: Path
) -> None:
    table = tmp_path / "jobs.csv"
    table.write_bytes(f"{head}\n0.5,2,1\n".encode())
    with pytest.raises(TraceError, match=r"jobs.csv: row 1: found text that is not comma-separated values"):
        open_bench(load_scenario(name), trace=(str(table),))


def test_lines_may_end_with_carriage_returns_alone(tmp_path: Path) -> None:
    table = tmp_path / "jobs.csv"
    table.write_bytes(EXAMPLE.read_bytes().replace(b"\r", b"").replace(b"\n", b"\r"))
    bench = open_bench(load_scenario("queues-google"), trace=(str(table),))
    assert bench.report is not None
    assert (bench.report.rows, bench.report.kept) == (1000, 1000)
    table.write_bytes(table.read_bytes() + b"late,2,1\r")
    with pytest.raises(TraceError, match="row 1002: found 3 columns"):
        open_bench(load_scenario("queues-google"), trace=(str(table),))


@pytest.mark.parametrize(
    "head", ["submit_time,runtime,cores", "Ankunft;Dauer;CPUs", "# from 3 clusters", '{"arrival": 1, "duration": 2}']
)
@pytest.mark.parametrize(
    "name", ["dra-google", "queues-google", "queues-alibaba", "moldable-swf", "jrs-azure", "jrs-alibaba"]
)
def test_a_table_with_columns_of_other_names_is_told_which_it_needs(name: str, head: str, tmp_path: Path) -> None:
    foreign = tmp_path / "mine.csv"
    foreign.write_text(f"{head}\n0.5,2,1\n")
    with pytest.raises(TraceError, match="is known by its first line: names of columns with commas, 'arrival' and"):
        open_bench(load_scenario(name), trace=(str(foreign),))
    foreign.write_text("0.5,2,1\n")
    with pytest.raises(TraceError) as told:
        open_bench(load_scenario(name), trace=(str(foreign),))
    assert name == "jrs-azure" or "'arrival'" not in str(told.value)


@pytest.mark.parametrize("name", ["dra-google", "queues-google", "queues-alibaba", "jrs-azure", "jrs-alibaba"])
def test_a_log_of_parallel_jobs_is_told_which_scenarios_play_it(name: str, tmp_path: Path) -> None:
    log = tmp_path / "somebody.txt"
    jobs = "".join(f"{number} {60 * number} 1 50 2 -1 -1 2 99 -1 1 5 1 1 1 -1 -1 -1\n" for number in range(1, 9))
    log.write_text(f"; Version: 2.2\n{jobs}")
    with pytest.raises(TraceError, match=r"found a log in Standard Workload Format; .*, such as moldable-swf"):
        open_bench(load_scenario(name), trace=(str(log),))
    assert open_bench(load_scenario("moldable-swf"), trace=(str(log),)).report is not None


def test_a_scenario_without_a_trace_says_so() -> None:
    with pytest.raises(ScenarioError, match=r"found the workload 'poisson' and a trace's path, .* such as dra-google"):
        playing(load_scenario("dra-vms"), TraceWorkload, ("x",), "dra-google")


def test_a_table_without_a_row_has_no_job(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="found no job that can be used"):
        read_jobs([written(tmp_path / "jobs.csv", [])], ALL)


def test_jobs_of_one_file_go_on_in_the_next(tmp_path: Path) -> None:
    first = written(tmp_path / "a.csv", [ROW, ROW])
    second = written(tmp_path / "b.csv", [ROW])
    assert len(read_jobs([first, second], ALL)) == 3
    other = written(tmp_path / "c.csv", [ROW[:4]], HEADER[:4])
    with pytest.raises(TraceError, match="allowed are those of the first file"):
        read_jobs([first, other], ALL)


@pytest.mark.parametrize(("unit", "amount"), [("cores", 2), ("CPU", 2), ("vCPU", 2), ("millicores", 2000), ("", 2)])
def test_cores_may_be_called_so(unit: str, amount: int, tmp_path: Path) -> None:
    def needs(title: str, amount: int) -> list[Any]:
        table = tmp_path / "mine.csv"
        rows = "".join(f"{300 * job},600,{amount},8\n" for job in range(9))
        table.write_text(f"arrival,duration,{title},memory [GiB]\n{rows}")
        bench = open_bench(load_scenario("queues-alibaba"), trace=(str(table),))
        return list(bench.system.workload.block_at(0).size.tolist())

    assert needs(f"cpu [{unit}]" if unit else "cpu", amount) == needs("cpu [CPU]", 2)


def test_a_unit_that_does_not_fit_is_told_with_the_file_and_its_column(tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("arrival,duration,cpu [GiB],memory [GiB]\n0.5,2,1,1\n")
    with pytest.raises(
        ScenarioError, match=r"the unit 'GiB' does not fit; allowed: .*; resources.cpu.unit is "
    ) as told:
        open_bench(load_scenario("queues-alibaba"), trace=(str(table),))
    assert told.value.where == "mine.csv, 'cpu'"
