"""A run of one policy or of several side by side: opening it, and bringing it to a moment."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.errors import UserError
from slotscope.model.questions.breakpoints import WatchedLane
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.running.origin import Moment
from slotscope.model.scenario.load import Scenario

Run = Session | Comparison


def too_many_lanes(moment: Moment, lanes: int) -> UserError:
    """The error for a moment of more policies than there are lanes."""
    return UserError(f"found {moment}, the events of {len(moment.events)} policies, allowed: those of at most {lanes}")


def stand_at(run: Run, moment: Moment) -> str | None:
    """Go to a moment of a run, in all its lanes; returns a message if the run ends before that moment.

    Raises UserError if the policies never stand there together, or there are fewer of them.
    """
    lanes = len(lanes_of(run))
    if len(moment.events) > lanes:
        raise too_many_lanes(moment, lanes)
    if isinstance(run, Session) or len(moment.events) == 1:
        run.seek(moment.events[0], moment.substep)
        return _ended_before(run, moment.events[0])
    run.seek_all(moment.events)
    if moment.substep:
        run.sessions[moment.lane].seek(moment.events[moment.lane], moment.substep)
    return None


def _ended_before(run: Run, event: int) -> str | None:
    last = run.timeline.event
    if last >= event:
        return None
    return f"found event {grouped(event)}, allowed: up to {grouped(last)}, the last one: this is the moment after it"


def lanes_of(run: Run) -> tuple[Session, ...]:
    """The sessions of a run: itself, or one for each policy."""
    return run.sessions if isinstance(run, Comparison) else (run,)


def lanes_watched(run: Run) -> list[WatchedLane]:
    """What breakpoints watch in each lane; the label is empty for a single session."""
    labels = run.labels if isinstance(run, Comparison) else ("",)
    return [
        WatchedLane(lane.timeline, lambda lane=lane: lane.readings, label)  # type: ignore[misc]
        for lane, label in zip(lanes_of(run), labels, strict=True)
    ]


def leave_past(run: Run | None) -> None:
    """Stop waiting for earlier decisions of a comparison."""
    if isinstance(run, Comparison):
        run.leave_past()


def past_known(run: Run) -> bool:
    """Whether all earlier decisions of a comparison are known; True for a session."""
    return isinstance(run, Session) or run.past_known


def kinds_of(run: Run) -> tuple[str, ...]:
    """The kinds of event that a run can stop at."""
    return (*run.info.event_kinds, *(run.differences if isinstance(run, Comparison) else ()))


def check_kind(run: Run, kind: str) -> None:
    """Check that a run has a kind of event, which may have been chosen for an earlier run.

    Raises UserError if there is no such kind.
    """
    if kind not in (allowed := kinds_of(run)):
        raise UserError(f"found the kind of event '{kind}', allowed: {', '.join(allowed)}")


def lanes_shown(run: Run) -> tuple[tuple[str, RunInfo], ...]:
    """(label, description) of each lane of a comparison; empty for a session."""
    if not isinstance(run, Comparison):
        return ()
    infos = [session.info for session in run.sessions]
    return tuple(zip(run.labels, infos, strict=True))


def open_run(
    scenario: str | Path | Scenario,
    policies: Sequence[str],
    seed: int | None = None,
    trace: tuple[str, ...] = (),
    kernel: bool = True,
) -> Run:
    """Open a session under one policy (the scenario's if none is given), or a comparison of several.

    Raises UserError with one line that says what is wrong with the scenario, a policy or the trace.
    """
    if len(policies) > 1:
        return Comparison.open(scenario, policies, seed, trace, kernel)
    return Session.open(scenario, policies[0] if policies else None, seed, trace, kernel)
