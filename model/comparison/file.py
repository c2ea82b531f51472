"""A comparison as one file: a zip archive with the saved session of each lane."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from model.api import Session
from model.comparison.comparison import Comparison, Run
from model.errors import ScenarioError, UserError

#: Version of the format; files of another version are refused.
VERSION = 1

_CONTENTS = "comparison.json"


def save_run(run: Run, path: Path, layout: str = "") -> None:
    """Save a session, or all lanes of a comparison, with a window's layout.

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    if isinstance(run, Session):
        run.save(path, layout)
        return
    with TemporaryDirectory() as folder:
        names = [f"lane-{place + 1}.slotscope" for place in range(len(run.sessions))]
        for name, session in zip(names, run.sessions, strict=True):
            session.save(Path(folder) / name)
        contents = {"version": VERSION, "lanes": names, "layout": layout}
        try:
            with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(_CONTENTS, json.dumps(contents, indent=1))
                for name in names:
                    archive.write(Path(folder) / name, name)
        except OSError as error:
            reason = error.strerror or str(error)
            raise ScenarioError(f"cannot be written: {reason}", where=str(path)) from None


def load_run(path: Path, kernel: bool = True) -> Run:
    """Reopen what :func:`save_run` saved, exactly where it stood.

    Raises
    ------
    UserError
        If the file cannot be read, or a saved state is not reached again.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            several = _CONTENTS in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        several = False  # a session's own reader says what is wrong with it
    return _load_lanes(path, kernel) if several else Session.load(path, kernel)


def _load_lanes(path: Path, kernel: bool) -> Comparison:
    with TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(path) as archive:
                contents = json.loads(archive.read(_CONTENTS))
                if contents["version"] != VERSION:
                    raise ScenarioError(f"found version {contents['version']}, allowed: {VERSION}",
                                        where=str(path))  # fmt: skip
                names = [str(name) for name in contents["lanes"]]
                for name in names:
                    (Path(folder) / Path(name).name).write_bytes(archive.read(name))
                layout = str(contents["layout"])
        except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
            raise ScenarioError(f"not a saved comparison: {error}", where=str(path)) from None
        return Comparison(_sessions(path, Path(folder), names, kernel), layout)


def _sessions(path: Path, folder: Path, names: list[str], kernel: bool) -> list[Session]:
    """The lanes, all on the workload of the first (a trace is read once)."""
    sessions: list[Session] = []
    try:
        for name in names:
            beside = sessions[0] if sessions else None
            sessions.append(Session.load(folder / Path(name).name, kernel, beside))
    except UserError as error:
        raise ScenarioError(error.message, where=f"{path}, lane {len(sessions) + 1}") from None
    return sessions
