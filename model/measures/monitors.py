"""Invariants of the states of a run, declared once, for verification and for monitoring during a run.

A kind of system declares its invariants as :class:`Monitor` values.  ``slotscope verify`` checks all of
them after every event; a :class:`Lookout` checks them during a run, as often as a bounded share of its
time allows, and remembers the results.
"""

from __future__ import annotations

from itertools import groupby
from time import monotonic, thread_time
from typing import Any, Callable, Iterator, Literal, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

#: The largest share of the time of a run's thread for checking its states; refilling the processor's cache after
#: each check costs as much again.
SHARE = 0.03

#: ``open``: not checked yet, or not judged in a state that violates what the monitor presupposes.
Standing = Literal["holds", "violated", "open"]

Check = Callable[[Any, Any], Iterator[str]]
StepCheck = Callable[[Any, Any, Any], Iterator[str]]
Slack = Callable[[Any, Any, NDArray[np.float64]], NDArray[np.float64]]


def _always(_: Any) -> bool:
    return True


def _unknown(_: Any, __: Any) -> None:
    return None


class Monitor(NamedTuple):
    """An invariant of the states of a run."""

    name: str  #: for scripts
    #: statement, symbols, source: in words; in the paper's notation, or empty; and the place in the paper
    statement: str
    symbols: str
    source: str
    #: functions of (system, state) that yield one sentence for each way in which the state violates it
    checks: tuple[Check, ...]
    stage: int = 0  #: it is judged only in states without violations in earlier stages
    applies: Callable[[Any], bool] = _always  #: whether it is meaningful for a system
    #: whether the policy is to ensure it; it is not judged after a fork has overruled a decision of the policy
    promise: bool = False
    #: those of the checks that a user policy may violate, too, by decisions that the system allows
    decided: tuple[Check, ...] = ()
    #: slack, unit: (numbers, facts, samples [n, width]) to [n], how far each sample was from violating it
    slack: Slack | None = None
    unit: str = ""
    #: functions of (system, state before, state after an event), for what the state after it alone does not show
    steps: tuple[StepCheck, ...] = ()


class Claim(NamedTuple):
    """A bound of a mean, or a property, that a paper proves for the long run."""

    name: str  #: for scripts
    #: statement, symbols, source: in words; in the paper's notation; and the place in the paper
    statement: str
    symbols: str
    source: str
    #: the name among the batches of the mean that is bounded; empty if the kind of system judges the claim itself,
    #: such as whether a queue stays bounded
    measure: str = ""
    side: Literal["at least", "at most"] = "at least"  #: the side of the bound on which the paper claims the mean
    bound: Callable[[Any, Any], float | None] = _unknown  #: (numbers, bounds) to the bound; None while it is unknown
    policy: str = ""  #: the name of the only policy for which it is proved; empty if it is for any


class Reading(NamedTuple):
    """The results of a monitor so far."""

    monitor: Monitor
    standing: Standing
    looked: int  #: the number of events after which it was judged
    #: event, sentence: the earliest event after which it was found violated, and how; -1 if none.  Without a
    #: violation the sentence says why it is not judged.
    event: int = -1
    sentence: str = ""
    since: int = -1  #: the last event before *event* after which it was judged, so that the fault lies between them


def broken(
    monitors: Sequence[Monitor], system: Any, state: Any, overruled: bool = False, before: Any = None
) -> dict[str, list[str]]:
    """The violations in *state*, by the name of each monitor that could be judged; an empty list means that it holds.

    *monitors* are in the order of their stages; *overruled*: a fork has overruled a decision of the policy.
    Without the state *before* the event, monitors with steps are not judged.
    """
    found: dict[str, list[str]] = {}
    for _, stage in groupby(monitors, key=lambda monitor: monitor.stage):
        if any(found.values()):
            break
        for monitor in stage:
            if monitor.applies(system) and not (overruled and monitor.promise) and _judges(monitor, before):
                found[monitor.name] = [line for check in monitor.checks for line in check(system, state)]
                found[monitor.name] += [line for step in monitor.steps for line in step(system, before, state)]
    return found


def _judges(monitor: Monitor, before: Any) -> bool:
    return before is not None or not monitor.steps


def violations(
    monitors: Sequence[Monitor], system: Any, state: Any, overruled: bool = False, before: Any = None
) -> list[str]:
    """All sentences of :func:`broken`; an empty list means that all monitors hold."""
    return [line for lines in broken(monitors, system, state, overruled, before).values() for line in lines]


def impossible(monitors: Sequence[Monitor], system: Any, state: Any) -> list[str]:
    """The violations in *state* that no policy can cause, whatever it decides."""
    bound = [
        monitor._replace(checks=tuple(check for check in monitor.checks if check not in monitor.decided))
        for monitor in monitors
        if not monitor.promise
    ]
    return violations(bound, system, state)


class Lookout:
    """Checks the states of one run now and then, and remembers the results.

    A replayed history is always the same: a violation is kept when a run goes back, until one is found at an
    earlier event.

    *forced* are the decisions that a fork makes instead of the policy, by event; *at* gives the state after an
    event, for monitors with steps.
    """

    def __init__(
        self,
        monitors: Sequence[Monitor],
        system: Any,
        forced: Mapping[int, str] | None = None,
        at: Callable[[int], Any] | None = None,
    ) -> None:
        self._system = system
        self._at = at
        self._forced = dict(forced or {})
        self._readings = {one.name: Reading(one, "open", 0) for one in monitors if one.applies(system)}
        self._judged: dict[str, int] = {}  # the last event after which each monitor was judged
        self._looked = -1
        self._began: tuple[float, float] | None = None  # thread time and clock time of the first call of follow
        self._spent = 0.0  # thread time of all checks, in seconds

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The results of each monitor so far, in the order in which the kind declares them."""
        return tuple(self._readings.values())

    def due(self, event: int) -> bool:
        """Whether a run that rests after *event* was not checked there yet."""
        return event != self._looked

    def follow(self, event: int, state: Any, rests: bool = False, lanes: int = 1) -> tuple[Reading, ...]:
        """Check a run that goes on, if the share of time allows it; see :meth:`look`.

        If the run *rests*, waiting for its pace, the share is of clock time instead of thread time.  Several *lanes*
        that run in the same thread divide the share.
        """
        now = thread_time(), monotonic()
        self._began = self._began or now
        passed = now[rests] - self._began[rests]
        return self.look(event, state) if self.due(event) and self._spent <= SHARE / lanes * passed else ()

    def look(self, event: int, state: Any) -> tuple[Reading, ...]:
        """Judge a state; returns the monitors newly found violated, or violated at an earlier event than before."""
        began = thread_time()
        self._looked = event
        found = []
        first = min(self._forced, default=event + 1)
        if first <= event:
            self._excuse(first)
        monitors = [one.monitor for one in self.readings]
        before = self._at(event - 1) if self._at and event and any(one.steps for one in monitors) else None
        for name, lines in broken(monitors, self._system, state, first <= event, before).items():
            known = self._readings[name]
            now = known._replace(looked=known.looked + (self._judged.get(name) != event))
            if lines and (known.standing != "violated" or event < known.event):
                last = self._judged.get(name, -1)
                since = last if last < event else -1  # after going back, the last judged event may be a later one
                now = now._replace(standing="violated", event=event, sentence=lines[0], since=since)
                found.append(now)
            elif known.standing != "violated":
                now = now._replace(standing="holds")
            self._readings[name] = now
            self._judged[name] = event
        self._spent += thread_time() - began
        return tuple(found)

    def _excuse(self, event: int) -> None:
        """Stop judging what the policy is to ensure, from the event on that a fork decides."""
        told = f"not judged from event {event} on, which the fork decides ({self._forced[event]}) and not the policy"
        for name, reading in self._readings.items():
            if reading.monitor.promise and reading.standing != "violated":
                self._readings[name] = reading._replace(sentence=told)


def stop_line(reading: Reading, label: str = "") -> str:
    """The message about why a run stopped; *label*: the policy, if there are several."""
    whose = f"{label}: " if label else ""
    return f"{whose}Violated after event {reading.event}: {reading.monitor.statement} ({reading.sentence})."
