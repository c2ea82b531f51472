"""Sentences about moldable jobs: requests, allocations and blocked jobs.

Servers are numbered from 1 in sentences.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, Callable, Iterator, Mapping

import numpy as np

from slotscope.model.kinds.moldable import rows
from slotscope.model.kinds.moldable.facts import MoldableFacts
from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.reporting.explain import Narrator, counted, grouped, quantity
from slotscope.model.reporting.letters import subscript
from slotscope.model.reporting.records import ARRIVAL, Allocate, Event, Record, Reject, Remember
from slotscope.model.systems.outcome import FLAG_FORCED

Values = Mapping[str, Any]

#: Times from this one on are written in whole units.
LONG = 1000.0


class MoldableNarrator(Narrator):
    """Puts the records of one run into words.

    - *numbers*: Servers, classes and speed-ups.
    - *facts*: Requests and pools.
    - *job_name*: The name of a job, by its number.
    - *time_unit*: The scenario's unit of time.
    """

    def __init__(
        self, numbers: MoldableNumbers, facts: MoldableFacts, job_name: Callable[[int], str], time_unit: str
    ) -> None:
        self._numbers = numbers
        self._facts = facts
        self._job_name = job_name
        self._time_unit = time_unit
        rules = facts.rules
        self._several_pools = rules.pools > 1
        self._common = bool(rules.common_pool[0] >= 0)

    # Rows.

    def _row(self, row: np.void) -> str:
        """One sentence for an event: what happened, and why."""
        flags, job_class = int(row["flags"]), int(row["type"])
        job = self.job(int(row["job"]), job_class)
        if flags & rows.FLAG_DEPARTED:
            first = self._departed_row(row, job)
        else:
            asked = int(row["request"])
            asks = self._facts.has_asked(asked)
            first = f"{job} asks for {counted(asked, 'server')}, " if asks else f"{job} arrives, "
            first += "the fork decides otherwise, " if flags & FLAG_FORCED else ""
            first += self._blocked_row(row) if flags & rows.FLAG_BLOCKED else self._allocated_row(row, flags)
        return "; ".join([first, *self._consequences(row, flags)])

    def _departed_row(self, row: np.void, job: str) -> str:
        width, whose = int(row["width"]), self._for_class(int(row["type"]))
        free = int(row["free"]) + width
        return (
            f"{job} departs after {self._lasting(float(row['lasts']))} on {counted(width, 'server')}: "
            f"{grouped(free)} {_are(free)} free{whose}"
        )

    def _blocked_row(self, row: np.void) -> str:
        """Why the job gets no server, although others may be free."""
        if int(row["flags"]) & FLAG_FORCED:
            return "it is blocked"
        if free := int(row["free"]):
            return f"{grouped(free)} {_are(free)} free{self._for_class(int(row['type']))}: the policy turns it away"
        reason = f"{self._none(int(row['type']))} is free: it is blocked"
        others = self._numbers.servers - int(row["busy"])
        if others:
            reason += f", although {grouped(others)} {_are(others)} that it may not take"
        return reason

    def _allocated_row(self, row: np.void, flags: int) -> str:
        width, free, server = int(row["width"]), int(row["free"]), int(row["server"])
        only = "only " if flags & rows.FLAG_PARTIAL and width == free and not flags & FLAG_FORCED else ""
        there = f"{only}{grouped(free)} {_are(free)} free{self._for_class(int(row['type']))}"
        got = neighbours_told(server, width)
        if flags & rows.FLAG_SPLIT:
            got = f"{counted(width, 'server')}, server {grouped(server + 1)} being the first,"
        return f"{there}: it gets {got} for {self._lasting(float(row['lasts']))}"

    def _consequences(self, row: np.void, flags: int) -> Iterator[str]:
        job_class = int(row["type"])
        whose = self._for_class(job_class)
        if flags & rows.FLAG_SPLIT:
            # With common servers, one of their gaps may have been long enough.
            yield (
                "it runs in several pieces"
                if self._common
                else "no gap is long enough, so that it runs in several pieces"
            )
        if flags & rows.FLAG_BELOW:
            least = int(self._facts.tables.least[job_class])
            of_class = f" of class {self._name(job_class)}" if self._numbers.classes > 1 else ""
            yield (f"now two jobs{of_class} run on fewer than i₁ = {least} servers, by Lemma 2 it is at most one")
        if flags & rows.FLAG_FULL and not flags & rows.FLAG_BLOCKED:
            yield f"no server is free any more{whose}"
        if flags & rows.FLAG_FREED:
            yield f"until now none was free{whose}"

    # Events.

    def event(self, event: Event) -> str:
        """A few words for an event that is about to happen."""
        job = self.job(event.job, event.type)
        if event.kind == ARRIVAL:
            return f"{job} arrives, of inherent size {self._lasting(event.service)}"
        return f"{job} departs"

    def event_anywhere(self, event: Event) -> str:
        """A departure, without its job and servers, whose numbers may differ between runs."""
        return "a job departs"

    # Sub-steps.

    def _action(self, record: Record) -> str:
        if isinstance(record, Allocate):
            return self._allocate(record)
        if isinstance(record, Reject):
            return self._reject(record.values)
        return "the policy notes what it has observed" if isinstance(record, Remember) else ""

    def _reject(self, values: Values) -> str:
        if values.get("reason") == "forced":
            return "the fork decides so: the job is blocked"
        if free := values["free"]:
            return f"j = {grouped(free)} {_are(free)} free, but the policy turns the job away"
        return f"j = 0: {self._none(values['type'])} is free, the job is blocked"

    def _allocate(self, record: Allocate) -> str:
        free, got = record.values["free"], record.servers
        asked = record.values.get("request", got)
        if record.values.get("reason") == "forced":
            return f"the fork decides so: it gets {counted(got, 'server')}"
        if not self._facts.has_asked(asked) or got != min(asked, free):  # by a user-written policy
            return f"it gets {counted(got, 'server')} of {grouped(free)} that {_are(free)} free"
        missing = f", {grouped(asked - got)} fewer than it asked for" if got < asked else ""
        least = f"min(i, j) = min({grouped(asked)}, {grouped(free)}) = {grouped(got)}"
        return f"{least}: it gets {counted(got, 'server')}{missing}"

    def _substep_arrival(self, values: Values) -> str:
        return (
            f"{self.job(values['job'], values['type'])} arrives; on one server it would take "
            f"{self._lasting(values['size'])}"
        )

    def _substep_departure(self, values: Values) -> str:
        width = values["width"]
        return f"{self.job(values['job'], values['type'])} departs: {counted(width, 'server')} {_are(width)} free again"

    def _substep_request(self, values: Values) -> str:
        return f"it asks for i = {counted(values['request'], 'server')}, {self._why(values)}"

    def _why(self, values: Values) -> str:
        """Where a request comes from."""
        reason = values["reason"]
        if reason == "scripted":
            return "as its script says"
        if reason == "step":
            there = f"because j = {grouped(values['free'])} {_are(values['free'])} free"
            reached = values["from"]
            return f"{there}, {f'at least {grouped(reached)}' if reached else 'the lowest step'}"
        if reason == "certain" or len(values["widths"]) == 1:
            of_class = "of its class " if self._numbers.classes > 1 else ""
            return f"as every job {of_class}does"
        return _drawn(values)

    # Names.

    def _lasting(self, time: float) -> str:
        """A length of time with its unit."""
        return quantity(time_told(time), self._time_unit)

    def job(self, number: int, job_class: int = -1) -> str:
        """The name of a job; with its class, if that is given and there are several."""
        name = f"job {self._job_name(number)}"
        if self._numbers.classes == 1 or job_class < 0:
            return name
        return f"{name} of class {self._name(job_class)}"

    def _name(self, job_class: int) -> str:
        return self._numbers.class_names[job_class]

    def _for_class(self, job_class: int) -> str:
        """The class for which servers are free, if there are several pools."""
        return f" for class {self._name(job_class)}" if self._several_pools else ""

    def _none(self, job_class: int) -> str:
        """The servers that a class cannot get because none is free: all that are open to it."""
        if not self._several_pools:
            return "no server"
        common = " and no common one" if self._common else ""
        return f"no server of class {self._name(job_class)}{common}"


def neighbours_told(first: int, count: int) -> str:
    """Such as "server 4", "servers 4 and 5", "servers 4 to 6"."""
    start, end = grouped(first + 1), grouped(first + count)
    if count == 1:
        return f"server {start}"
    return f"servers {start} {'and' if count == 2 else 'to'} {end}"


def time_told(time: float) -> str:
    """A length of time in four digits; in whole units if it is long."""
    return f"{time:.4g}" if time < LONG else grouped(round(time))


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _drawn(values: Values) -> str:
    """The part of (0, 1] that contains u; its length is the probability of the request."""
    ends = list(accumulate(values["shares"]))
    place = values["widths"].index(values["request"])
    start = ends[place] - values["shares"][place]
    width = subscript(values["request"])
    return (
        f"drawn by u = {values['uniform']:.4f} in ({_share(start)}, {_share(ends[place])}], a "
        f"part of length p*{width} = {values['shares'][place]:.4g}"
    )


def _share(share: float) -> str:
    """A sum of probabilities, without the rounding errors of floats."""
    return f"{abs(round(share, 4)):.4g}"
