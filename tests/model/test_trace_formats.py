"""Formats that every kind of system reads: small files made from each data set's documentation."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from pathlib import Path
from typing import Any, Callable

import pytest

from slotscope.model.errors import TraceError
from slotscope.model.scenario.load import edited, load_scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.traces.formats import read_jobs
from slotscope.model.traces.job_table import WIDTH, AskedJobs
from slotscope.model.traces.jobs import RecordedJobs
from tests.model.trace_files import DAY, google_2019, packing, pai_instances, pai_tasks, philly

SECOND = 10**6


def told(jobs: RecordedJobs) -> list[tuple[float, float]]:
    """Arrivals and durations in seconds."""
    return [(at / SECOND, lasts / SECOND) for at, lasts in zip(jobs.arrival, jobs.duration, strict=True)]


def left(jobs: RecordedJobs) -> dict[str, int]:
    return {item.reason: item.count for item in jobs.report.left_out}


def amounts(jobs: RecordedJobs) -> dict[str, list[float]]:
    return {demand.name: [amount / 10**9 for amount in demand.amount] for demand in jobs.demands}


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_google_2019(tmp_path: Path, ending: str) -> None:
    jobs = read_jobs([google_2019(tmp_path / f"instance_events.{ending}")], AskedJobs())
    assert told(jobs) == [(700, 290), (701, 100)]  # from SCHEDULE to FINISH of the completed attempt
    assert amounts(jobs) == {"cpu": [0.0625, 0.125], "memory": [0.03125, 0.25]}  # the latest request
    assert jobs.priority.tolist() == [2, 0]
    assert left(jobs)["evicted"] == 1
    assert len(left(jobs)) == len(jobs.report.left_out)  # each reason is listed once
    assert left(jobs)["of alloc sets, which are reservations for tasks"] == 1
    assert left(jobs)["still running when the files end"] == 1


def test_google_2019_of_one_time_in_any_order(tmp_path: Path) -> None:
    """BigQuery's rows come in any order: a job is evicted, submitted, queued and scheduled again at the same time."""
    rows = [(700, 0), (700, 1), (700, 2), (705, 3), (709, 4), (709, 0), (709, 1), (709, 3), (720, 6), (730, 0)]
    header = "time,type,collection_id,instance_index,resource_request.cpus,resource_request.memory\n"
    for number, order in enumerate([rows[::-1], rows[1::2] + rows[::2]]):
        path = tmp_path / f"{number}.csv"
        path.write_text(header + "".join(f"{time * 10**6},{kind},7,0,0.5,0.25\n" for time, kind in order))
        jobs = read_jobs([path], AskedJobs())
        assert told(jobs) == [(709, 11)]
        assert {why: count for why, count in left(jobs).items() if count} == {
            "evicted": 1,
            "still waiting when the files end": 1,
        }


def test_azure_packing(tmp_path: Path) -> None:
    jobs = read_jobs([packing(tmp_path / "packing_trace_zone_a_v1.sqlite")], AskedJobs())
    assert told(jobs) == [(0.5 * DAY, DAY), (2 * DAY, 0.25 * DAY)]
    assert amounts(jobs) == {
        "core": [0.0625, 0.25],
        "memory": [0.125, 0.25],
        "hdd": [0, 0],
        "ssd": [0.05, 0.1],
        "nic": [0.025, 0.1],
    }
    assert jobs.priority.tolist() == [1, 0]
    assert list(left(jobs).values()) == [1, 1, 1]
    assert "machines are of kind 16" in jobs.report.notes[0]


def test_alibaba_pai(tmp_path: Path) -> None:
    tasks = pai_tasks(tmp_path / "pai_task_table.csv")
    jobs = read_jobs([tasks], AskedJobs(("gpu",)))
    assert told(jobs) == [(100, 50), (100, 50), (200, 38)]
    assert amounts(jobs) == {"cpu": [4, 4, 6], "memory": [8, 8, 29.296875], "gpu": [0.25, 0.25, 0.5]}
    assert list(left(jobs).values()) == [1, 1]
    whole = read_jobs([tasks], AskedJobs(columns=(WIDTH,)))
    assert (told(whole), whole.width.tolist()) == ([(100, 50), (200, 38)], [2, 1])
    each = read_jobs([pai_instances(tmp_path / "pai_instance_table.csv"), tasks], AskedJobs())
    assert told(each) == [(101, 40), (103, 47)]
    assert left(each) == {"of a task that is not in the table of tasks": 1}


def test_philly(tmp_path: Path) -> None:
    jobs = read_jobs([philly(tmp_path / "cluster_job_log")], AskedJobs())
    assert told(jobs)[0][1] == 74 + 2 * DAY + 20_422  # the sum of both attempts
    assert jobs.width.tolist() == [8]
    assert amounts(jobs) == {"gpu": [8]}
    assert list(left(jobs).values()) == [1, 1]


SCENARIOS = ("dra-google", "queues-google", "jrs-azure", "moldable-swf")
FILES: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "instance_events.json": (google_2019, SCENARIOS),
    "packing.sqlite": (packing, SCENARIOS),
    "pai_task_table.csv": (pai_tasks, ("queues-alibaba", "moldable-swf")),
    "cluster_job_log": (lambda path: philly(path, later=True), ("moldable-swf",)),
}


@pytest.mark.parametrize("name", sorted(FILES))
def test_kinds_play_it(tmp_path: Path, name: str) -> None:
    written, scenarios = FILES[name]
    path = written(tmp_path / name)
    for known in scenarios:
        scenario = load_scenario(known)
        changes: dict[str, Any] = {"run": {"until": 10}} if known == "queues-alibaba" else {}
        if known == "moldable-swf":  # as many servers as these few jobs use are too few
            changes = {"servers": {"count": 100}}
        bench = open_bench(edited(scenario, changes), trace=(str(path),))
        assert bench.report is not None
        assert bench.report.kept >= 2


def damaged(path: Path) -> Path:
    with sqlite3.connect(packing(path)) as database:
        database.execute("DROP TABLE vmType")
    database.close()
    return path


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "vm.sqlite": (damaged, "no such table: vmType; allowed is a database with the tables vm and vmType"),
    "half.sqlite": (lambda path: path.write_bytes(b"SQLite format 3\0" + b"x" * 50), "allowed is a database with"),
    "log": (lambda path: path.write_text('[{"jobid": "a", "attempts": 3}]'), "row 1, column 'attempts'"),
    "torn": (lambda path: path.write_text('[{"jobid": "a", "attempts": ['), "found text that is not JSON"),
    "tasks.csv": (lambda path: path.write_text("j,t,x,Failed,1,2,3,4,5,MISC\n"), "row 1, column 'inst_num': found 'x'"),
    "instances.csv": (pai_instances, "found instances alone"),
    "e.csv": (
        lambda path: path.write_text("time,type,collection_id\n1,11,2\n"),
        "row 2, column 'type': found '11'; allowed is 0 to 10",
    ),
    "e.json": (lambda path: path.write_text('{"collection_id": "1", "type": 0'), "row 1: found"),
    "torn.csv.gz": (
        lambda path: path.write_bytes(gzip.compress(b"arrival,duration\n" + os.urandom(9000))[:7000]),
        "found a gzip file that ends too early",
    ),
    "other.txt": (lambda path: path.write_text("what\n"), "found a file of another format; allowed are tables of jobs"),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_is_wrong_is_told_in_a_line(tmp_path: Path, name: str) -> None:
    write, problem = WRONG[name]
    write(tmp_path / name)
    with pytest.raises(TraceError) as error:
        read_jobs([tmp_path / name], AskedJobs())
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_a_second_file_is_told_by_its_first(tmp_path: Path) -> None:
    rows = json.loads(philly(tmp_path / "a").read_text())
    (tmp_path / "b").write_text(json.dumps(rows))
    assert len(read_jobs([tmp_path / "a", tmp_path / "b"], AskedJobs())) == 2
