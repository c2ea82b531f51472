"""A session as one file: scenario, seed, exact state, place in history, layout.

The file is a zip archive of ``session.json``, ``scenario.toml`` and the states as ``.npz``:
the first state of the run (so that history can be walked again) and the present one.  A policy
of one's own is there as ``policy.py``, but is never run from there: a session that somebody
sends must not bring code along.  It runs from its own file, if that has not changed.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from model.errors import ScenarioError
from model.scenario.load import parse_scenario_text
from model.state import from_arrays, to_arrays
from model.systems.kinds import kind_named

#: Version of the format; files of another version are refused.
VERSION = 2


@dataclass(frozen=True)
class Place:
    """Which run it is, and where it stands."""

    name: str
    event: int
    substep: int
    digest: str
    layout: str = ""
    source: str = ""  #: see :class:`model.origin.Origin`
    policy: str = ""
    trace: tuple[str, ...] = ()
    fork_event: int = 0  #: the event at which this run left another one; 0: it did not
    fork_time: float = 0.0
    fork_arrivals: int = 0
    initial_jobs: int = 0  #: jobs numbered before the first arrival
    job_names: dict[str, str] = field(default_factory=dict)
    stride: int = 1  #: of the samples
    policy_digest: str = ""  #: of the text of a policy of one's own
    version: int = VERSION


@dataclass(frozen=True)
class Saved:
    """What a session's file holds."""

    scenario: str  #: TOML
    place: Place
    first: Any  #: states of the scenario's kind of system
    present: Any
    samples: NDArray[np.float64]
    policy: str = ""  #: the text of a policy of one's own, for the user to look up


def write_session(path: Path, saved: Saved) -> None:
    """Write a session.

    Raises
    ------
    ScenarioError
        If the file cannot be written.
    """
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("session.json", json.dumps(asdict(saved.place), indent=1))
            archive.writestr("scenario.toml", saved.scenario)
            archive.writestr("first.npz", _packed(to_arrays(saved.first)))
            archive.writestr("present.npz", _packed(to_arrays(saved.present)))
            archive.writestr("samples.npz", _packed({"samples": saved.samples}))
            if saved.policy:
                archive.writestr("policy.py", saved.policy)
    except OSError as error:
        raise ScenarioError(
            f"cannot be written: {error.strerror or error}", where=str(path)
        ) from None


def read_session(path: Path) -> Saved:
    """Read a session.

    Raises
    ------
    ScenarioError
        If the file is absent, damaged, or of another version.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("session.json"))
            if data.get("version") != VERSION:
                raise ScenarioError(
                    f"found version {data.get('version')}, allowed: {VERSION}", where=str(path)
                )
            text = archive.read("scenario.toml").decode()
            state = kind_named(parse_scenario_text(text, str(path)).system).state
            return Saved(
                scenario=text,
                place=Place(**{**data, "trace": tuple(data["trace"])}),
                first=from_arrays(state, _unpacked(archive.read("first.npz"))),
                present=from_arrays(state, _unpacked(archive.read("present.npz"))),
                samples=_unpacked(archive.read("samples.npz"))["samples"],
            )
    except OSError as error:
        reason = error.strerror or str(error)
        raise ScenarioError(f"cannot be read: {reason}", where=str(path)) from None
    except _DAMAGE as error:
        raise ScenarioError(f"not a saved session: {error}", where=str(path)) from None


#: What reading a damaged archive can raise.
_DAMAGE = (zipfile.BadZipFile, zipfile.LargeZipFile, KeyError, ValueError, TypeError,
           AttributeError, EOFError, NotImplementedError, RuntimeError)  # fmt: skip


def _packed(arrays: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _unpacked(data: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return dict(arrays)
