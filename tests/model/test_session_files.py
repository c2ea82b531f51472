"""Damaged or malicious files of sessions: refused with one line before anything runs."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slotscope.model.api import ROWS_OF_LOG, Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.file import load_run, save_run
from slotscope.model.errors import ReplayError, ScenarioError, UserError
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.running.engine import ReferenceEngine
from slotscope.model.session import archive
from slotscope.model.session.file import MOST_EARLIER
from slotscope.model.systems.state import digest, digest_of_arrays, from_arrays
from tests.runs import ran

SCENARIOS = {
    "reservation": "dra-classroom",
    "queue": "queues-classroom",
    "phases": "jrs-two-phases",
    "moldable": "moldable-classroom",
}

Change = Callable[[dict[str, np.ndarray]], Any]


def saved(path: Path, scenario: str, events: int = 120) -> Session:
    """A run of the reference, saved to *path*."""
    session = ran(scenario, events=events)
    session.save(path)
    return session


def members(path: Path) -> dict[str, bytes]:
    """The members of an archive, by name."""
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def write(path: Path, content: dict[str, bytes], sign: bool = True) -> None:
    """Write an archive from its members, with a matching digest unless told otherwise."""
    if sign:
        content = {name: data for name, data in content.items() if name != archive.DIGEST}
        content[archive.DIGEST] = archive._digest(content)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in content.items():
            file.writestr(name, data)


def change(path: Path, system: str, name: str, how: Change) -> None:
    """Change arrays of a state in an archive, and update every digest."""
    content = members(path)
    with np.load(io.BytesIO(content[f"{name}.npz"])) as arrays:
        state = dict(arrays)
    how(state)
    content[f"{name}.npz"] = archive.packed(state)
    if name == "present":
        table = json.loads(content["session.json"])
        table["digest"] = digest(from_arrays(kind_named(system).spec.state, state))
        content["session.json"] = json.dumps(table).encode()
    write(path, content)


def told_of(path: Path) -> str:
    """The line of the error with which a file is refused."""
    with pytest.raises(UserError) as refusal:
        load_run(path, kernel=False)
    assert "\n" not in refusal.value.line
    return refusal.value.line


@pytest.mark.parametrize("system", ["phases", "moldable"])
def test_a_session_from_before_states_had_a_memory_opens(system: str, tmp_path: Path) -> None:
    """Its digest, computed without the memory, is still compared with the state."""
    path = tmp_path / "run.slotscope"
    session = saved(path, SCENARIOS[system])
    content = members(path)
    content |= {"earlier.npz": content.pop("earlier-00.npz")} if "earlier-00.npz" in content else {}  # its former name
    for name in ("first.npz", "present.npz", "earlier.npz"):
        if name in content:
            with np.load(io.BytesIO(content[name])) as arrays:
                state = {key: array for key, array in arrays.items() if key != "memory"}
            content[name] = archive.packed(state)
            if name == "present.npz":
                table = json.loads(content["session.json"]) | {"digest": digest_of_arrays(state)}
                content["session.json"] = json.dumps(table).encode()
    write(path, content)
    again = load_run(path, kernel=False)
    assert digest(again.timeline.state) == digest(session.timeline.state)
    again.seek(3)
    content["session.json"] = json.dumps(table | {"digest": "0" * 32}).encode()
    write(path, content)
    with pytest.raises(
        ReplayError, match=rf"{path}: event \d+: the state has the digest .*, saved was 0{{32}}: one of"
    ):
        load_run(path, kernel=False)


def test_a_file_without_a_digest_that_was_changed_is_told_so(tmp_path: Path) -> None:
    """Each state is valid by itself, but other jobs lead to other states."""
    path = tmp_path / "run.slotscope"
    saved(path, "dra-classroom")
    content = members(path)
    text = content["scenario.toml"].decode()
    content["scenario.toml"] = text.replace("mean = 40", "mean = 41").encode()
    for sign in (False, True):
        write(path, {name: data for name, data in content.items() if name != archive.DIGEST}, sign=sign)
        again = Session.load(path, kernel=False)
        with pytest.raises(ReplayError, match="the replay has drifted; ") as drift:
            again.seek(119)
            again.step()
            again.timeline.mark()
        assert ("no digest.txt and may have been changed by hand" in drift.value.line) is not sign
        assert "please report" in drift.value.line


def test_a_file_has_only_so_many_states_within(tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    saved(path, "dra-classroom")
    content = members(path)
    content |= {f"earlier-{place:02}.npz": content["first.npz"] for place in range(MOST_EARLIER + 1)}
    write(path, content)
    assert f"it has {MOST_EARLIER + 1} earlier states, allowed: at most {MOST_EARLIER}" in told_of(path)


def test_an_archive_of_another_time_is_refused(tmp_path: Path) -> None:
    """Its directory may require a newer version to unpack it."""
    path = tmp_path / "run.slotscope"
    saved(path, "dra-classroom", events=5)
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\1\2") + 6] = 206  # the version needed to extract
    path.write_bytes(data)
    assert "run.slotscope: not a saved session: zip file version 20.6" in told_of(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["first", "present"])
@pytest.mark.parametrize("system", KINDS)
def test_no_field_leads_outside_the_arrays(system: str, name: str, tmp_path: Path) -> None:
    """Each index, count and time of a state is checked against its range, even if the digests match."""
    original = tmp_path / "sound.slotscope"
    saved(original, SCENARIOS[system])
    spec, path = kind_named(system).spec, tmp_path / "run.slotscope"
    bounded = [field for field, like in spec.fields.items() if like.high is not None]
    assert len(bounded) > len(spec.fields) - 3
    for field in bounded:
        path.write_bytes(original.read_bytes())

        def outside(state: dict[str, np.ndarray], field: str = field) -> None:
            array = state[field]
            array.reshape(-1)[-1:] = np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).max

        before = path.read_bytes()
        change(path, system, name, outside)
        if members(path)[f"{name}.npz"] != _inside(before, f"{name}.npz"):
            assert "not a saved session" in told_of(path), field


def _inside(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return file.read(name)


@pytest.mark.parametrize("system", KINDS)
def test_fields_fit_each_other(system: str, tmp_path: Path) -> None:
    """Arrays of valid types and ranges that contradict each other are refused, too."""
    path = tmp_path / "run.slotscope"
    saved(path, SCENARIOS[system])

    def one_more_job(state: dict[str, np.ndarray]) -> None:
        free = np.flatnonzero(state["job_number"] < 0)
        state["job_number"][free[0]] = 10**6

    change(path, system, "first", one_more_job)
    assert "its first state is unsound" in told_of(path)


@pytest.mark.parametrize("system", ["reservation", "queue", "phases"])
def test_what_nobody_has_holds_nothing_that_the_next_job_would_inherit(system: str, tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    saved(path, SCENARIOS[system])

    def on_a_server(state: dict[str, np.ndarray]) -> None:
        state["job_server"][np.flatnonzero(state["job_number"] < 0)[-1]] = 0

    change(path, system, "present", on_a_server)
    assert "job_server of a job record that nobody has is 0, allowed: -1" in told_of(path)


@pytest.mark.parametrize(
    "how",
    [
        lambda state: state.update(trail=state["trail"].astype(np.float64)),
        lambda state: state.update(clock=state["clock"][None]),
        lambda state: state.update(memory=np.array(["__import__('os')"])),
        lambda state: state.update(job_type=state["job_type"][:-1]),
        lambda state: state.update(stamp=np.zeros((10**4, 1), np.int64)),
        lambda state: state.pop("area"),
        lambda state: state.update(number=state["number"][:0]),
    ],
)
def test_types_and_shapes_are_those_of_the_kind(how: Change, tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    saved(path, "dra-classroom", 20)
    change(path, "reservation", "first", how)
    assert "not a saved session" in told_of(path)


def test_a_file_that_unpacks_to_gigabytes_is_refused_by_its_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No member is unpacked if the declared sizes are too large."""
    path = tmp_path / "run.slotscope"
    saved(path, "dra-classroom", 20)
    whole = sum(len(data) for data in members(path).values())
    monkeypatch.setattr(archive, "MOST_BYTES", whole - 1)
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was unpacked"))
    assert f"it unpacks to {whole:,} bytes, allowed: at most {whole - 1:,}" in told_of(path)


def test_an_array_that_only_says_it_is_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    saved(path, "dra-classroom", 20)
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 2)}\n"
    samples = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("samples.npy", samples)
    write(path, members(path) | {"samples.npz": buffer.getvalue()})
    assert "samples has the shape [1099511627776, 2], but 16 bytes" in told_of(path)


def test_a_place_that_its_state_does_not_have_is_not_run_up_to(tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    saved(path, "dra-classroom", 20)
    content = members(path)
    table = json.loads(content["session.json"]) | {"event": 60_000_000}
    write(path, content | {"session.json": json.dumps(table).encode()})
    assert "it stands at event 60000000, but its state is of event 20" in told_of(path)


@pytest.mark.slow
def test_a_far_place_is_shown_without_running_up_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening and showing a run replays only the events of the log, however many precede them."""
    path, run = tmp_path / "run.slotscope", 0
    session = ran("dra-classroom", events=2500)
    session.save(path)
    advance = ReferenceEngine.advance

    def counting(self: Any, state: Any, tape: np.ndarray, task: Any) -> Any:
        nonlocal run
        result = advance(self, state, tape, task)
        run += result.rows
        return result

    monkeypatch.setattr(ReferenceEngine, "advance", counting)
    again = Session.load(path, kernel=False)
    rows = again.frame().rows
    assert rows.tolist() == session.frame().rows.tolist()
    assert len(rows) == ROWS_OF_LOG
    assert run <= 3 * ROWS_OF_LOG


def test_files_of_the_version_before_are_opened_and_looked_at_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    session = saved(path, "dra-classroom")
    content = members(path)
    for name in (archive.DIGEST, "earlier.npz"):
        content.pop(name, None)
    table = json.loads(content["session.json"]) | {"version": 2}
    content["session.json"] = json.dumps(table).encode()
    write(path, content, sign=False)
    again = Session.load(path, kernel=False)
    assert digest(again.timeline.state) == digest(session.timeline.state)
    content["first.npz"] = content["present.npz"]
    write(path, content, sign=False)
    assert "begins at" in told_of(path)


def test_what_a_file_is_instead_is_told_in_words(tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    saved(path, "dra-classroom", events=5)
    whole, content = path.read_bytes(), members(path)
    for data in (whole[: len(whole) // 2], b"", b"hello"):
        path.write_bytes(data)
        assert told_of(path).endswith("not a saved session: it is cut off, or another kind of file")
    write(path, {name: data for name, data in content.items() if name != "present.npz"})
    assert told_of(path).endswith("it lacks 'present.npz'")
    write(path, content | {"session.json": b'{"version": 99}'})
    assert told_of(path).endswith("found version 99, allowed: 2 or 3; another version of slotscope saved it")


def test_a_byte_changed_by_accident_is_told_by_the_digest(tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    saved(path, "dra-classroom", 20)
    content = members(path)
    content["scenario.toml"] = content["scenario.toml"].replace(b"seed", b"seed ")
    write(path, content, sign=False)
    assert "do not have the digest" in told_of(path)


def test_saving_again_leaves_the_old_file_where_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.slotscope"
    session = saved(path, "dra-classroom", 20)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(ScenarioError, match="No space left"):
        session.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_under_which_it_would_not_be_opened_again_is_refused(tmp_path: Path) -> None:
    session = Session.open("dra-classroom", kernel=False)
    for run in (session, Comparison.of([session, Session.open("dra-classroom", kernel=False)])):
        for name in ("run.json", "run"):
            with pytest.raises(ScenarioError, match=r"found a name that ends in '(\.json)?', allowed: \.slotscope"):
                save_run(run, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_saving_again_writes_another_file_in_the_place_of_the_old(tmp_path: Path) -> None:
    """So that a program that dies in between leaves the old file or the new one, complete."""
    session = saved(tmp_path / "a.slotscope", "dra-classroom")
    (tmp_path / "kept").hardlink_to(tmp_path / "a.slotscope")
    before = (tmp_path / "kept").read_bytes()
    session.run(events=10)
    session.save(tmp_path / "a.slotscope")
    assert (tmp_path / "kept").read_bytes() == before != (tmp_path / "a.slotscope").read_bytes()


def test_lanes_of_a_comparison_are_of_one_scenario(tmp_path: Path) -> None:
    """Otherwise a lane would run on jobs of another kind of system."""
    path, other = tmp_path / "two.slotscope", tmp_path / "other.slotscope"
    comparison = Comparison.open("dra-classroom", ["dra", "best-fit"], kernel=False)
    comparison.run(events=20)
    save_run(comparison, path)
    assert load_run(path, kernel=False).info.system == "reservation"
    saved(other, "queues-classroom", 20)
    write(path, members(path) | {"lane-2.slotscope": other.read_bytes()})
    assert "lane 2: found another scenario" in told_of(path)
