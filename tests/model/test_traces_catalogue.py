"""Public traces: downloads with checksums, and the excerpts that ship with the program."""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import threading
from errno import ENOSPC
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Iterator
from zipfile import ZipFile

import pytest

from slotscope.model.api import Session
from slotscope.model.errors import TraceError
from slotscope.model.scenario.load import SYSTEMS, load_scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.traces import catalogue
from slotscope.model.traces.catalogue import PublicTrace, RemoteFile, fetch
from slotscope.model.traces.excerpts import excerpt_for
from slotscope.model.traces.reading import SHIPPED

TEXT = b"some rows\n" * 1000


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path != "/cut.csv":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"x" * 10)
        return None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server with a gzip file, a damaged file and a truncated page, and nothing else."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "rows.csv.gz").write_bytes(gzip.compress(TEXT))
    (tmp_path / "there" / "rows.csv").write_bytes(TEXT)
    with ZipFile(tmp_path / "there" / "rows.zip", "w") as pack:
        pack.write(tmp_path / "there" / "rows.csv", "deep/rows.csv")
    with tarfile.open(tmp_path / "there" / "rows.tar.gz", "w:gz") as tape:
        tape.add(tmp_path / "there" / "rows.csv", "deep/rows.csv")
    (tmp_path / "there" / "torn.tar.gz").write_bytes((tmp_path / "there" / "rows.tar.gz").read_bytes()[:-30])
    (tmp_path / "there" / "torn.csv.gz").write_bytes(gzip.compress(TEXT)[:-9])
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path / "there"))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))  # seconds between checks for shutdown
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def ignore(done: int, size: int) -> None:
    """Ignore progress."""


def test_a_file_is_fetched_once_and_checked_by_what_it_unpacks_to(server: str, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    file = RemoteFile(f"{server}/rows.csv.gz", hashlib.sha256(TEXT).hexdigest())
    found = fetch(file, tmp_path / "a", lambda done, size: told.append((done, size)))
    assert found.checked
    assert gzip.decompress(found.path.read_bytes()) == TEXT
    assert told[-1][0] == told[-1][1] == found.path.stat().st_size
    told.clear()
    assert fetch(file, tmp_path / "a", lambda done, size: told.append((done, size))) == found
    assert not told
    assert not fetch(RemoteFile(file.url), tmp_path / "b", ignore).checked


@pytest.mark.parametrize("archive", ["rows.zip", "rows.tar.gz"])
def test_a_file_is_taken_out_of_its_archive(server: str, tmp_path: Path, archive: str) -> None:
    file = RemoteFile(f"{server}/{archive}", hashlib.sha256(TEXT).hexdigest(), "rows.csv")
    found = fetch(file, tmp_path / "a", ignore)
    assert (found.path, found.checked) == (tmp_path / "a" / "rows.csv", True)
    assert [path.read_bytes() for path in (tmp_path / "a").iterdir()] == [TEXT]
    for wrong in (file._replace(member="other.csv"), file._replace(url=f"{server}/torn.tar.gz")):
        with pytest.raises(TraceError, match=r"found no other\.csv in it|found a damaged archive"):
            fetch(wrong, tmp_path / "b", ignore)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    "there",
    [gzip.compress(TEXT)[:-9], b"\x1f\x8b\x08" + bytes(99), gzip.compress(TEXT)[:40] + b"x" * 50],
    ids=["cut", "empty", "spoilt"],
)
def test_a_damaged_file_that_is_there_is_fetched_again(server: str, tmp_path: Path, there: bytes) -> None:
    (tmp_path / "rows.csv.gz").write_bytes(there)
    found = fetch(RemoteFile(f"{server}/rows.csv.gz", hashlib.sha256(TEXT).hexdigest()), tmp_path, ignore)
    assert found.checked and gzip.decompress(found.path.read_bytes()) == TEXT


@pytest.mark.parametrize(
    ("page", "sha256", "words"),
    [
        ("rows.csv.gz", "0" * 64, "allowed: 0000"),
        ("none.csv", "", "the server answers 404"),
        ("torn.csv.gz", "", "found a damaged gzip file"),
        ("cut.csv", "", "found 10 bytes of 100,000"),
    ],
)
def test_what_is_wrong_leaves_no_file(server: str, tmp_path: Path, page: str, sha256: str, words: str) -> None:
    with pytest.raises(TraceError, match=words) as caught:
        fetch(RemoteFile(f"{server}/{page}", sha256), tmp_path / "to", ignore)
    assert f"{server}/{page}" in caught.value.line
    assert not (tmp_path / "to").exists()


def test_a_full_disk_is_not_taken_for_a_server_that_cannot_be_reached(server: str, tmp_path: Path) -> None:
    def full(done: int, size: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with pytest.raises(TraceError, match="cannot be written: No space left on device"):
        fetch(RemoteFile(f"{server}/rows.csv"), tmp_path / "to", full)
    assert not (tmp_path / "to").exists()


def test_without_a_network_one_line_says_so(slotscope: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = PublicTrace("x", ("dra-google",), 1, "free", (RemoteFile("http://127.0.0.1:9/rows.csv"),))
    monkeypatch.setattr(catalogue, "TRACES", {"nowhere": nowhere})
    said = slotscope("traces fetch nowhere --to here --json")
    assert (said.code, said.out) == (2, "")
    assert "is this machine offline?" in said.err
    assert said.err.count("\n") == 1


def test_fetching_ends_with_the_line_that_opens_it(
    server: str, slotscope: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = PublicTrace("x", ("dra-google",), 1, "free", (RemoteFile(f"{server}/rows.csv.gz"),))
    monkeypatch.setattr(catalogue, "TRACES", {"there": there})
    said = slotscope("traces fetch there --to here")
    assert said.code == 0
    assert "no checksum is known; its SHA-256 is" in said.out
    assert said.out.endswith("slotscope dra-google --trace here/there/rows.csv.gz\n")


def test_all_traces_are_listed_for_scenarios_of_their_kinds(answer: Any, slotscope: Any) -> None:
    listed = answer("traces")["traces"]
    assert {system for item in listed for system in item["systems"]} == set(SYSTEMS)
    text = slotscope("traces").out
    for item in listed:
        assert item["licence"] in text
        assert all(file["url"] in text for file in item["files"])
        assert all(load_scenario(name).workload.kind == "trace" for name in item["scenarios"])
    assert "did you mean 'kth-sp2'" in slotscope("traces fetch kth").err
    assert "found no name" in slotscope("traces fetch").err


SCENARIOS = SHIPPED.parent / "scenarios"
TRACES = ["dra-google", "jrs-alibaba", "jrs-azure", "moldable-swf", "queues-alibaba", "queues-google"]


@pytest.mark.parametrize("name", TRACES)
def test_an_excerpt_opens_where_no_trace_is_given(name: str) -> None:
    scenario = load_scenario(name)
    excerpt = excerpt_for(scenario)
    assert excerpt is not None
    bench = open_bench(scenario)
    assert excerpt.note in bench.report.notes
    line = Session.open(name, kernel=False).info.opening_line(0)
    assert line.startswith(f"slotscope {name} ")
    assert "--trace" not in line


def test_an_excerpt_of_a_tenth_of_the_jobs_keeps_a_tenth_of_the_servers_busy(answer: Any) -> None:
    found = answer("run queues-google")
    assert "one of 10 servers" in found["import"]["notes"][0]
    assert found["metrics"]["used_capacity"]["mean"] > 0.3
    assert answer("run dra-google")["metrics"]["rejected"]["mean"] > 100


def test_every_trace_scenario_has_an_excerpt() -> None:
    names = sorted(path.stem for path in SCENARIOS.glob("*.toml"))
    assert [name for name in names if load_scenario(name).workload.kind == "trace"] == TRACES


@pytest.mark.parametrize(
    ("name", "measure", "least"),
    [("queues-alibaba", "queue_length", 1), ("jrs-alibaba", "real_jobs", 100), ("moldable-swf", "busy", 0.3)],
)
def test_what_stands_in_for_a_trace_loads_the_scenario(name: str, measure: str, least: float, answer: Any) -> None:
    found = answer(f"run {name}")
    assert "may not be passed on" in found["import"]["notes"][0]
    assert found["metrics"][measure]["mean"] > least
    assert not found.get("warnings")
