"""The bench of a session: opened for a scenario, or for a saved run, which is checked before any of it is run.

The file's digest only detects accidents; these checks assume nothing about the file, because compiled code relies on
the validity of its state.  First come the shapes and ranges of all arrays, then the consistency of the file's other
data with the states, then the invariants of the kind of system.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise
from typing import Any, Iterator

import numpy as np

from slotscope.model.errors import ScenarioError, UntrustedPolicyError, UserError
from slotscope.model.forks.changes import Course
from slotscope.model.kinds.spec import kind_named
from slotscope.model.measures.monitors import impossible
from slotscope.model.policies import is_file
from slotscope.model.policies.choice import policy_choice
from slotscope.model.running.assembly import Bench, assemble, policy_class, with_changes
from slotscope.model.running.recorder import EVENT_COLUMN, MOST_SAVED, TIME_COLUMN
from slotscope.model.scenario.load import Scenario
from slotscope.model.scenario.workload import ContinuedWorkload
from slotscope.model.session.file import MOST_EARLIER, MOST_EVENTS, Saved

#: The index of the present time in every state's ``clock``.
NOW = 0


def open_bench(
    scenario: Scenario, policy: str | None = None, seed: int | None = None, trace: tuple[str, ...] = ()
) -> Bench:
    """A bench for a scenario; if it plays a trace, from that trace, or from the excerpt that ships."""
    if scenario.workload.kind == "trace" or trace:
        from slotscope.model.traces.excerpts import excerpt_for  # imports all formats, which others do not need
        from slotscope.model.traces.span import shortened

        excerpt = None if trace else excerpt_for(scenario)
        if excerpt is not None:
            scenario, trace = excerpt.fitted(scenario), (str(excerpt.path),)
        resolved, recorded, report = kind_named(scenario.system).with_trace(scenario, trace)
        bench = assemble(resolved, policy, seed, recorded)
        first = () if excerpt is None else (excerpt.note,)
        notes = (*first, *report.notes, *shortened(scenario, resolved))
        return replace(bench, report=replace(report, notes=notes))
    return assemble(scenario, policy, seed)


def saved_bench(saved: Saved, scenario: Scenario, where: str, beside: Bench | None) -> Bench:
    """The bench of a saved session, with the same jobs as *beside* if given; raises as ``Session.load``."""
    place = saved.place
    if place.policy_digest:
        from slotscope.model.policies.own.file import check_unchanged

        check_unchanged(scenario.policy.name, place.policy_digest, where)
    try:
        policy_class(scenario)  # raises if the file names a policy file that the user has not allowed
    except UntrustedPolicyError as error:
        raise error.inside(where) from None
    if beside is None:
        bench = open_bench(scenario, trace=place.trace)
        if place.fork_event:
            workload = jobs_from(scenario, bench, place.fork_time, place.fork_event, place.fork_arrivals)
            bench.system.workload = workload
    elif _same_jobs(scenario, beside.scenario):
        bench = assemble(scenario, recorded=beside.system.workload)
    else:
        raise ScenarioError(
            "found another scenario than that of the first lane, allowed: the same under another policy", where=where
        )
    try:
        bench = with_changes(bench, Course.read(place.policy).changes, named=False)
    except UserError as error:
        raise error.inside(where) from None
    bench.rename_jobs(place.initial_jobs, place.job_names)
    if fault := fault_in(saved, bench):
        raise ScenarioError(f"not a saved session: {fault}", where=where)
    return bench


def _same_jobs(one: Scenario, other: Scenario) -> bool:
    """Whether two scenarios differ at most in their policies."""
    return one.model_copy(update={"policy": other.policy}) == other


def jobs_from(scenario: Scenario, bench: Bench, time: float, event: int, arrivals: int) -> ContinuedWorkload:
    """The arrivals after a fork: from a separate random stream, numbered after those before."""
    workload = bench.kind.workload(scenario, bench.numbers, time, branch=event)
    return ContinuedWorkload(workload, arrivals)


def fault_in(saved: Saved, bench: Bench) -> str:
    """What is wrong with a saved run of *bench*, as a sentence; empty if it is valid."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return next(_faults(saved, bench), "")


def _faults(saved: Saved, bench: Bench) -> Iterator[str]:
    """The faults, the most basic ones first, since later checks rely on earlier ones."""
    states = [("first", saved.first), *(("earlier", state) for state in saved.earlier), ("present", saved.present)]
    for name, state in states:
        like = bench.at(_event_of(state)).system.raw_state()
        for found in bench.kind.spec.faults(state, like):
            yield f"its {name} state is not one of its scenario: {found}"
    yield from _misplaced(saved, bench)
    for name, state in states:
        for found in _broken(bench, state):
            yield f"its {name} state is unsound: {found}"
    yield from _unlike_samples(saved, bench.runs.sample_width)


def _event_of(state: Any) -> int:
    """The event number in a state; 0 if it has none."""
    try:
        return int(state.number[0])
    except (LookupError, ValueError, OverflowError):
        return 0


def _broken(bench: Bench, state: Any) -> Iterator[str]:
    """The violations in a state whose arrays have valid shapes and ranges."""
    system = bench.at(int(state.number[0])).system
    if system.arrivals(state) > MOST_EVENTS:
        yield f"{system.arrivals(state)} jobs have arrived, allowed: at most {MOST_EVENTS}"
    try:
        own = bench.runs.may_fail  # the run of a user policy goes on after it violates a paper's rules or promises
        yield from impossible(bench.kind.monitors, system, state) if own else bench.violations(state)
        following = system.next_event(state)
    except (ArithmeticError, LookupError, ValueError) as error:  # a reference in the state leads nowhere
        yield f"what belongs together does not ({error})"
        return
    if following is not None and not following.time >= state.clock[NOW]:
        yield f"the next event is at {following.time:g}, before the present {state.clock[NOW]:g}"


def _misplaced(saved: Saved, bench: Bench) -> Iterator[str]:
    """The inconsistencies of the file's other data, and of the samples, with the states."""
    place, first, present = saved.place, saved.first, saved.present
    name = bench.root.scenario.policy.name
    if is_file(policy_choice(Course.read(place.policy).policy).name) and not is_file(name):
        yield f"it runs '{name}', but says that it is '{place.policy}'"
    if place.event != present.number[0]:
        yield f"it stands at event {place.event}, but its state is of event {present.number[0]}"
    if len(saved.earlier) > MOST_EARLIER:
        yield f"it has {len(saved.earlier)} earlier states, allowed: at most {MOST_EARLIER}"
    for before, after in pairwise((first, *saved.earlier, present)):
        if after.number[0] < before.number[0] or after.clock[NOW] < before.clock[NOW]:
            yield (f"its state of event {after.number[0]} is said to follow that of event {before.number[0]}")
    fork = (place.fork_event, place.fork_time, place.fork_arrivals)
    start = (int(first.number[0]), float(first.clock[NOW]), int(bench.system.arrivals(first)))
    if fork != start:
        yield f"it goes on from event, time and arrival {fork}, but begins at {start}"


def _unlike_samples(saved: Saved, width: int) -> Iterator[str]:
    table = saved.samples
    if table.shape[1] != width or len(table) > MOST_SAVED:
        yield (f"its samples are {list(table.shape)}, allowed: at most {MOST_SAVED} of {width} numbers")
        return
    events, times = table[:, EVENT_COLUMN], table[:, TIME_COLUMN]
    in_order = (np.diff(events) > 0).all() and (np.diff(times) >= 0).all()
    within = ((events >= 0) & (events <= saved.place.event)).all()
    if not (in_order and within and np.isfinite(times).all()):
        yield "its samples are not in order of events"
