"""A comparison as one file: a zip archive with the saved session of each lane."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import MOST_LANES, Comparison
from slotscope.model.comparison.runs import Run
from slotscope.model.errors import ChangedPolicyError, PolicyFileError, ScenarioError, UserError
from slotscope.model.scenario.fields import Section
from slotscope.model.scenario.validation import validated
from slotscope.model.session.archive import as_json, damage_as_errors, has_member, members_of, written

#: The version of the format.
VERSION = 2

#: The versions that can be read; files of version 1 have no digest of the whole file.
READ = (1, VERSION)

_CONTENTS = "comparison.json"


class Contents(Section):
    """The contents of the archive: the file names of the lanes' sessions in it, and the layout."""

    version: int = VERSION
    lanes: tuple[str, ...] = Field(min_length=1, max_length=MOST_LANES)
    layout: str = Field(default="", max_length=1_000_000)


def save_run(run: Run, path: Path, layout: str = "") -> None:
    """Save a session, or all lanes of a comparison, with a window's layout.

    Raises UserError if the file cannot be written.
    """
    if isinstance(run, Session):
        run.save(path, layout)
        return
    with TemporaryDirectory() as folder:
        names = [f"lane-{place + 1}.slotscope" for place in range(len(run.sessions))]
        for name, session in zip(names, run.sessions, strict=True):
            session.save(Path(folder) / name)
        contents = Contents(lanes=tuple(names), layout=layout)
        members = {name: (Path(folder) / name).read_bytes() for name in names}
        members[_CONTENTS] = contents.model_dump_json(indent=1).encode()
        written(path, members, zipfile.ZIP_STORED)


def load_run(path: Path, kernel: bool = True) -> Run:
    """Reopen what :func:`save_run` has saved, at the same moment.

    Raises UserError if the file cannot be read, or a saved state is not reproduced.
    """
    if has_member(path, _CONTENTS):
        return _load_lanes(path, kernel)
    return Session.load(path, kernel)  # which reports what is wrong with the file


def _load_lanes(path: Path, kernel: bool) -> Comparison:
    with damage_as_errors(path, "a saved comparison"):
        members = members_of(path)
        contents = validated(Contents, as_json(members[_CONTENTS]))
        lanes = [members[name] for name in contents.lanes]
    if contents.version not in READ:
        allowed = " or ".join(map(str, READ))
        found = f"found version {contents.version}, allowed: {allowed}"
        raise ScenarioError(f"{found}; another version of slotscope saved it", where=str(path))
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"lane-{place}" for place, _ in enumerate(lanes, 1)]
        for lane, data in zip(paths, lanes, strict=True):
            lane.write_bytes(data)
        return Comparison(_sessions(path, paths, kernel), contents.layout)


def _sessions(path: Path, lanes: list[Path], kernel: bool) -> list[Session]:
    """The sessions of the lanes, all on the workload of the first one, so that a trace is read only once."""
    sessions: list[Session] = []
    try:
        for lane in lanes:
            beside = sessions[0] if sessions else None
            sessions.append(Session.load(lane, kernel, beside))
    except ChangedPolicyError as error:
        raise error.inside(f"{path}, lane {len(sessions) + 1}") from None
    except PolicyFileError as error:
        raise error.inside(str(path)) from None
    except UserError as error:
        raise ScenarioError(error.message, where=f"{path}, lane {len(sessions) + 1}") from None
    return sessions
