"""A session as one file: scenario, seed, exact state, place in history, layout.

The file is a zip archive of ``session.json``, ``scenario.toml`` and states as ``.npz``: the first
state of the run (so that history can be replayed), the present one, and some in between (so that a
replay to any place is short, and the last events can be shown); and a digest of all these, to detect
damage.  The text of a user policy is included as ``policy.py`` but never run from there, as a session
received from someone else must not bring code along: the policy runs from its own file, if that has not
changed.

Reading checks the file's form and the types of its arrays; :mod:`model.session.bench` checks whether
they are a run of the scenario.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.spec import kind_named
from slotscope.model.questions.breakpoints import MOST_TIMES
from slotscope.model.questions.tracks import MOST_TRACKS
from slotscope.model.scenario.fields import Section, Whole
from slotscope.model.scenario.load import parse_scenario_text
from slotscope.model.scenario.validation import validated
from slotscope.model.session.archive import as_json, damage_as_errors, members_of, packed, unpacked, written
from slotscope.model.systems.state import digest, digest_of_arrays, from_arrays, to_arrays
from slotscope.model.systems.statespec import StateSpec

#: The version of the format.
VERSION = 3

#: The versions that can be read; files of version 2 have no digest of the whole file.
READ = (2, VERSION)

#: An array that states in older files of some kinds of system do not have.
_ADDED = "memory"

#: The most events and jobs of a saved run, as the workload is generated again up to its place.
MOST_EVENTS = 2**31

#: The most states between the first and the present one in a file, and the most bytes of these.
MOST_EARLIER, EARLIER_BYTES = 32, 2**24

Count = Annotated[Whole, Field(ge=0, le=MOST_EVENTS)]
Number = Annotated[str, Field(pattern="^[0-9]{1,18}$")]
Text = Annotated[str, Field(max_length=10_000)]
Expressions = Annotated[tuple[Text, ...], Field(max_length=MOST_TRACKS)]


class SavedBreakpoint(Section):
    """See :class:`slotscope.model.questions.breakpoints.Breakpoint`; one that the run cannot interpret is inactive."""

    what: Count | Text
    times: Annotated[Whole, Field(ge=1, le=MOST_TIMES)] = 1
    since: Count = 0
    on: bool = True


class SessionPlace(Section):
    """The identity of a run, and its place in history."""

    name: Text
    event: Count
    substep: Count
    digest: Text
    layout: Annotated[str, Field(max_length=1_000_000)] = ""
    source: Text = ""  #: see :class:`model.running.origin.Origin`
    policy: Text = ""
    trace: tuple[Text, ...] = ()
    fork_event: Count = 0  #: the event at which this run left another one; 0 if it did not
    fork_time: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    fork_arrivals: Count = 0
    initial_jobs: Count = 0  #: the number of jobs numbered before the first arrival
    job_names: dict[Number, Text] = Field(default_factory=dict)
    stride: Annotated[Whole, Field(ge=1, le=MOST_EVENTS)] = 1  #: the stride of the samples
    forks: dict[Text, Text] = Field(default_factory=dict)  #: names by text, see :class:`model.forks.tree.ForkTree`
    policy_digest: Text = ""  #: the digest of the text of a user policy
    breakpoints: tuple[SavedBreakpoint, ...] = Field(default=(), max_length=1000)
    follow: Expressions = ()  #: see :class:`slotscope.model.questions.tracks.Followed`
    watch: Expressions = ()
    version: int = VERSION


@dataclass(frozen=True)
class Saved:
    """The contents of a session's file."""

    scenario: str  #: TOML
    place: SessionPlace
    first: Any  #: states of the scenario's kind of system
    present: Any
    samples: NDArray[np.float64]
    earlier: tuple[Any, ...] = ()  #: states between first and present, in order; the last one shortly before it
    policy: str = ""  #: the text of a user policy, only for the user to read


def write_session(path: Path, saved: Saved) -> None:
    """Write a session. Raises ScenarioError if the file cannot be written."""
    members = {
        "session.json": saved.place.model_dump_json(indent=1).encode(),
        "scenario.toml": saved.scenario.encode(),
        "first.npz": packed(to_arrays(saved.first)),
        "present.npz": packed(to_arrays(saved.present)),
        "samples.npz": packed({"samples": saved.samples}),
    }
    for place, state in enumerate(saved.earlier):
        members[f"earlier-{place:02}.npz"] = packed(to_arrays(state))
    if saved.policy:
        members["policy.py"] = saved.policy.encode()
    written(path, members, zipfile.ZIP_DEFLATED)


def read_session(path: Path) -> Saved:
    """Read a session. Raises ScenarioError if the file is absent, damaged, or of another version."""
    with damage_as_errors(path, "a saved session"):
        members = members_of(path)
        place = _place(members["session.json"], str(path))
        text = members["scenario.toml"].decode()
        spec = kind_named(parse_scenario_text(text, str(path)).system).spec
        samples = {"samples": (np.dtype(np.float64), 2)}
        present = _state(spec, members["present.npz"])
        return Saved(
            scenario=text,
            place=_as_now(place, present),
            first=_state(spec, members["first.npz"]),
            present=present,
            samples=unpacked(members["samples.npz"], samples)["samples"],
            earlier=tuple(_state(spec, members[name]) for name in sorted(members) if name.startswith("earlier")),
        )


def _place(data: bytes, where: str) -> SessionPlace:
    table = as_json(data)
    if table.get("version") not in READ:
        allowed = " or ".join(map(str, READ))
        found = f"found version {str(table.get('version'))[:20]}, allowed: {allowed}"
        raise ScenarioError(f"{found}; another version of slotscope saved it", where=where)
    try:
        return validated(SessionPlace, table)
    except ScenarioError as error:
        raise error.inside(where) from None


def _state(spec: StateSpec, data: bytes) -> Any:
    types = spec.dtypes
    wanted = {name: (types[name], spec.dimensions(name)) for name in types}
    return from_arrays(spec.state, unpacked(data, wanted, {_ADDED}))


def _as_now(place: SessionPlace, present: Any) -> SessionPlace:
    """*place* with the digest of the present state as it is now, if that differs only by an array added since."""
    before = {name: array for name, array in to_arrays(present).items() if name != _ADDED}
    if place.digest != digest_of_arrays(before):
        return place
    return place.model_copy(update={"digest": digest(present)})
