"""Frames of short runs, made once and shared by the contract tests."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.policies import POLICIES_OF
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario

#: A small scenario of each kind.
SMALL = {
    "reservation": "dra-classroom",
    "queue": "queues-classroom",
    "phases": "jrs-classroom",
    "moldable": "moldable-classroom",
}

#: A scenario of each kind with larger values than the small one, and the number of events to run.
LARGE = {
    "reservation": ("dra-vms", 3000),
    "queue": ("queues-vqs-unstable", 20_000),
    "phases": ("jrs-two-phases", 4000),
    "moldable": ("moldable-linear", 4000),
}

#: Results of the bounds to wait for: the later ones of some kinds take minutes.
ANSWERS = 2

#: Events after which scenarios are examined: the system is busy then.
EVENTS = {"reservation": 60, "queue": 300, "phases": 60, "moldable": 60}


@cache
def scenarios(system: str) -> tuple[str, ...]:
    """The scenarios of a kind that read no trace file."""
    found = [(name, load_scenario(name)) for name in scenario_files()]
    return tuple(name for name, scenario in found if scenario.system == system and scenario.workload.kind != "trace")


def policies() -> list[tuple[str, str]]:
    """(kind, policy) of all registered policies."""
    return [(system, policy) for system in KINDS for policy in POLICIES_OF[system]]


@cache
def bounds_of(scenario: str) -> Any:
    """A scenario's bounds after the first results."""
    found = load_scenario(scenario)
    *_, bounds = islice(kind_named(found.system).all_bounds(found), ANSWERS)
    return bounds


@cache
def frame_of(scenario: str, policy: str | None = None, substeps: int = 0) -> Frame:
    """A frame of a scenario after a few events, with bounds if it is one of the small scenarios."""
    session = Session.open(scenario, policy, kernel=False)
    session.run(events=EVENTS[session.info.system])
    for _ in range(substeps):
        session.step_into()
    session.lookout.look(session.timeline.event, session.timeline.state)
    return session.frame(bounds=bounds_of(scenario) if scenario in SMALL.values() else None)


@cache
def compared_frame(system: str) -> Frame:
    """A frame of a comparison of two policies."""
    first, second = list(POLICIES_OF[system])[:2]
    run = Comparison.open(SMALL[system], (first, second), kernel=False)
    for _ in range(EVENTS[system]):
        run.step()
    return replace(run.frame(), bounds=bounds_of(SMALL[system]))


@cache
def large_frame(system: str, *, compared: bool = False) -> Frame:
    """A frame of a longer run with larger values, of one policy or of two policies compared."""
    scenario, events = LARGE[system]
    run = Comparison.open(scenario, tuple([*POLICIES_OF[system]][:2])) if compared else Session.open(scenario)
    run.run(events=events)
    return replace(run.frame(), bounds=bounds_of(scenario))


@cache
def gone_back(system: str) -> tuple[Frame, Frame]:
    """A late frame of a run, and an early one after going back."""
    session, frames = Session.open(SMALL[system], kernel=False), []
    session.run(events=2000)
    for event in (2000, 30):
        session.seek(event)
        frames.append(session.frame(bounds=bounds_of(SMALL[system])))
    return frames[0], frames[1]


#: Events between the two moments.
LATER = 7


@cache
def moments_of(system: str, *, compared: bool = False) -> tuple[Frame, Frame]:
    """Frames of two moments of a run, of one policy or of two policies compared."""
    first, second = list(POLICIES_OF[system])[:2]
    run: Any = Comparison.open(SMALL[system], (first, second), kernel=False) if compared else None
    run = run or Session.open(SMALL[system], kernel=False)
    frames = []
    for events in (EVENTS[system], LATER):
        for _ in range(events):
            run.step()
        if not compared:
            run.lookout.look(run.timeline.event, run.timeline.state)
        frames.append(replace(run.frame(), bounds=bounds_of(SMALL[system])))
    return frames[0], frames[1]
