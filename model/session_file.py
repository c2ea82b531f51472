"""A session as one file: scenario, seed, exact state, place in history, layout.

The file is a zip archive of ``session.json``, ``scenario.toml`` and the states as ``.npz``:
the first state of the run (so that history can be walked again) and the present one.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from model.errors import ScenarioError
from model.state import from_arrays, to_arrays
from model.systems.reservation.state import ReservationState

#: Version of the format; files of another version are refused.
VERSION = 1


@dataclass(frozen=True)
class Place:
    """Which run it is, and where it stands."""

    name: str
    event: int
    substep: int
    digest: str
    layout: str = ""
    trace: tuple[str, ...] = ()
    fork_event: int = 0  #: the event at which this run left another one; 0: it did not
    fork_time: float = 0.0
    fork_arrivals: int = 0
    version: int = VERSION


def write_session(path: Path, scenario: str, place: Place, first: Any, present: Any) -> None:
    """Write a session.

    Raises
    ------
    ScenarioError
        If the file cannot be written.
    """
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("session.json", json.dumps(asdict(place), indent=1))
            archive.writestr("scenario.toml", scenario)
            archive.writestr("first.npz", _packed(first))
            archive.writestr("present.npz", _packed(present))
    except OSError as error:
        raise ScenarioError(
            f"cannot be written: {error.strerror or error}", where=str(path)
        ) from None


def read_session(path: Path) -> tuple[str, Place, ReservationState, ReservationState]:
    """The scenario's text, the place, the first and the present state.

    Raises
    ------
    ScenarioError
        If the file is absent, damaged, or of another version.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("session.json"))
            scenario = archive.read("scenario.toml").decode()
            first = _unpacked(archive.read("first.npz"))
            present = _unpacked(archive.read("present.npz"))
        if data.get("version") != VERSION:
            raise ScenarioError(
                f"found version {data.get('version')}, allowed: {VERSION}", where=str(path)
            )
        place = Place(**{**data, "trace": tuple(data["trace"])})
    except OSError as error:
        reason = error.strerror or str(error)
        raise ScenarioError(f"cannot be read: {reason}", where=str(path)) from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile, KeyError, ValueError, TypeError,
            AttributeError, EOFError, NotImplementedError, RuntimeError) as error:  # fmt: skip
        raise ScenarioError(f"not a saved session: {error}", where=str(path)) from None
    return scenario, place, first, present


def _packed(state: Any) -> bytes:
    buffer = io.BytesIO()
    arrays: dict[str, Any] = to_arrays(state)
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _unpacked(data: bytes) -> ReservationState:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return from_arrays(ReservationState, arrays)
