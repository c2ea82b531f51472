"""What must hold of every state of a run: said once, for checks and to be watched while it runs.

A kind of system declares its invariants as :class:`Monitor` values.  ``slotscope verify`` asks all of
them after every event; a :class:`Lookout` asks them of a run that goes on, as often as a bounded share
of its time allows, and remembers what it found.
"""

from __future__ import annotations

from itertools import groupby
from time import monotonic, thread_time
from typing import Any, Callable, Iterator, Literal, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

#: The share of the time of a run's thread that looking at its states may take; what is then out of the
#: processor's cache costs as much again.
SHARE = 0.03

#: ``open``: not looked at yet, or not to be judged of a state that breaks what it rests on.
Standing = Literal["holds", "violated", "open"]

Check = Callable[[Any, Any], Iterator[str]]
StepCheck = Callable[[Any, Any, Any], Iterator[str]]
Slack = Callable[[Any, Any, NDArray[np.float64]], NDArray[np.float64]]


def _always(_: Any) -> bool:
    return True


def _unknown(_: Any, __: Any) -> None:
    return None


class Monitor(NamedTuple):
    """Something that must hold of every state."""

    name: str  #: for scripts
    #: statement, symbols, source: in words; as the paper writes it, or empty; and where it has it
    statement: str
    symbols: str
    source: str
    #: functions of the system and a state: each way in which the state breaks it, in a sentence
    checks: tuple[Check, ...]
    stage: int = 0  #: it is judged only of states that break nothing of an earlier stage
    applies: Callable[[Any], bool] = _always  #: whether a system has what it speaks of
    #: whether it is the policy that sees to it: it is not judged once a fork has decided something in its place
    promise: bool = False
    #: those of the checks that a policy of a user's own may break, too, by decisions that the system allows
    decided: tuple[Check, ...] = ()
    #: slack, unit: (numbers, facts, samples [n, width]) to [n] how far each sample was from breaking it
    slack: Slack | None = None
    unit: str = ""
    #: functions of the system and the states before and after an event, for what the state after it does not tell
    steps: tuple[StepCheck, ...] = ()


class Claim(NamedTuple):
    """A bound of a mean, or a judgement, that a paper proves of the long run."""

    name: str  #: for scripts
    #: statement, symbols, source: in words; as the paper writes it; and where it has it
    statement: str
    symbols: str
    source: str
    #: the mean that is bounded, by its name among the batches; empty for what a kind judges itself, such as whether a
    #: queue stays bounded
    measure: str = ""
    side: Literal["at least", "at most"] = "at least"  #: on which side of its bound the paper has the mean
    bound: Callable[[Any, Any], float | None] = _unknown  #: (numbers, bounds) to the bound; None while it is unknown
    policy: str = ""  #: the only one of which it is proved, by its name; empty where it is of any


class Reading(NamedTuple):
    """What is known of a monitor."""

    monitor: Monitor
    standing: Standing
    looked: int  #: after how many events it was judged
    #: event, sentence: the earliest event after which it was found violated, and how; -1 without one.  Of another a
    #: sentence says why it is not judged.
    event: int = -1
    sentence: str = ""
    since: int = -1  #: the last event before that after which it was judged, so that the fault is in between


def broken(
    monitors: Sequence[Monitor], system: Any, state: Any, overruled: bool = False, before: Any = None
) -> dict[str, list[str]]:
    """What *state* breaks, by the name of each monitor that could be judged; empty lists hold.

    *monitors* are in the order of their stages; *overruled*: a fork has decided something in the policy's place.
    Without the state *before* the event steps are not judged.
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
    """Every sentence of :func:`broken`; an empty list says that all is sound."""
    return [line for lines in broken(monitors, system, state, overruled, before).values() for line in lines]


def impossible(monitors: Sequence[Monitor], system: Any, state: Any) -> list[str]:
    """What *state* breaks, and no policy could, whatever it decides."""
    bound = [
        monitor._replace(checks=tuple(check for check in monitor.checks if check not in monitor.decided))
        for monitor in monitors
        if not monitor.promise
    ]
    return violations(bound, system, state)


class Lookout:
    """Looks at the states of one run now and then, and remembers.

    A history is the same whenever it is passed again; so what was found stays when a run goes back, until it is found
    at an earlier event.  *forced* are
    the decisions that a fork makes in the policy's place, by their events; *at* gives the state after an event, for
    what is judged of events.
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
        self._judged: dict[str, int] = {}  # the last event after which each was judged
        self._looked = -1
        self._began: tuple[float, float] | None = None  # when it was first followed, by the thread and by the clock
        self._spent = 0.0  # by looking

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What is known of each monitor, in the order in which the kind declares them."""
        return tuple(self._readings.values())

    def due(self, event: int) -> bool:
        """Whether a run that rests after *event* was not looked at there."""
        return event != self._looked

    def follow(self, event: int, state: Any, rests: bool = False, lanes: int = 1) -> tuple[Reading, ...]:
        """Look at a run that goes on, if there is time for it; see :meth:`look`.

        One that *rests*, since its pace lets it go no further now, has the share of the clock's time; so many *lanes*
        that run in the same thread have it together.
        """
        now = thread_time(), monotonic()
        self._began = self._began or now
        passed = now[rests] - self._began[rests]
        return self.look(event, state) if self.due(event) and self._spent <= SHARE / lanes * passed else ()

    def look(self, event: int, state: Any) -> tuple[Reading, ...]:
        """Judge a state; the monitors that are found violated there, and at no earlier event so far."""
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
                since = last if last < event else -1  # of those before nothing is known where one goes back
                now = now._replace(standing="violated", event=event, sentence=lines[0], since=since)
                found.append(now)
            elif known.standing != "violated":
                now = now._replace(standing="holds")
            self._readings[name] = now
            self._judged[name] = event
        self._spent += thread_time() - began
        return tuple(found)

    def _excuse(self, event: int) -> None:
        """What the policy promises is not judged from an event on that a fork decides."""
        told = f"not judged from event {event} on, which the fork decides ({self._forced[event]}) and not the policy"
        for name, reading in self._readings.items():
            if reading.monitor.promise and reading.standing != "violated":
                self._readings[name] = reading._replace(sentence=told)


def stop_line(reading: Reading, label: str = "") -> str:
    """Why a run stopped; *label*: of which policy of several."""
    whose = f"{label}: " if label else ""
    return f"{whose}Violated after event {reading.event}: {reading.monitor.statement} ({reading.sentence})."
