"""Solutions of the single-server problem on disk: numbers and strings, never Python objects."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.programs import single_server, store
from slotscope.model.kinds.spec import kind_named
from slotscope.model.scenario.load import load_scenario


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> JobModel:
    """A model whose solution is stored in a file, in a temporary folder."""
    monkeypatch.setattr(store, "WORTH_A_FILE", -1.0)
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "plans")
    store.forget()
    scenario = load_scenario("jrs-two-phases")
    found = kind_named(scenario.system).numbers(scenario).model
    assert isinstance(found, JobModel)
    return found


def test_a_solution_is_read_as_it_was(model: JobModel, monkeypatch: pytest.MonkeyPatch) -> None:
    first = single_server.solved(model)
    store.forget()
    monkeypatch.setattr(single_server, "_solve", lambda *_: pytest.fail("it was solved again"))
    again = single_server.solved(model)
    for name, value in vars(first).items():
        if name == "parts":
            assert [vars(part).keys() for part in value] == [vars(part).keys() for part in again.parts]
        elif isinstance(value, np.ndarray):
            assert np.array_equal(value, getattr(again, name))
        else:
            assert (value, type(value)) == (getattr(again, name), type(getattr(again, name)))


class Hostile:
    """Makes a folder when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(Path.cwd() / "ran"),)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b"[" * 100_000, pickle.dumps(Hostile()), b"\xff\xfe", b"null"]
)
def test_a_file_that_is_none_runs_nothing_and_is_as_good_as_none(
    model: JobModel, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = single_server.solved(model)
    (file,) = (tmp_path / "plans").iterdir()
    file.write_bytes(content)
    store.forget()
    assert single_server.solved(model).phi == first.phi
    assert not (tmp_path / "ran").exists()


def test_a_solution_of_another_size_is_none(model: JobModel, tmp_path: Path) -> None:
    first = single_server.solved(model)
    (file,) = (tmp_path / "plans").iterdir()
    data = json.loads(file.read_text())
    file.write_text(json.dumps(data | {"stationary": [1.0], "phi": 77.0}))
    store.forget()
    assert single_server.solved(model).phi == first.phi
