"""Sentences about moldable jobs: requests, allocations and blocked jobs."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping

import numpy as np

from model.explain import grouped, plural, told
from model.records import ARRIVAL, Allocate, Event, Record, Reject
from model.systems.moldable.facts import MoldableFacts
from model.systems.moldable.numbers import MoldableNumbers
from model.systems.moldable.rows import (
    FLAG_BELOW,
    FLAG_BLOCKED,
    FLAG_DEPARTED,
    FLAG_FREED,
    FLAG_FULL,
    FLAG_PARTIAL,
    FLAG_SPLIT,
)

Values = Mapping[str, Any]


class MoldableNarrator:
    """Words the records of one run.

    Parameters
    ----------
    numbers:
        Servers, classes and speed-ups.
    facts:
        Requests and pools.
    job_name:
        The name of a job, by its number.
    """

    def __init__(
        self, numbers: MoldableNumbers, facts: MoldableFacts, job_name: Callable[[int], str]
    ) -> None:
        self._numbers = numbers
        self._facts = facts
        self._job_name = job_name

    # Rows.

    def row(self, row: np.void) -> str:
        """One sentence for an event: what happened, and why."""
        flags = int(row["flags"])
        if flags & FLAG_DEPARTED:
            first = self._departed_row(row)
        elif flags & FLAG_BLOCKED:
            first = (f"{self._job(row['job'], row['type'])} asks for {_servers(row['request'])} "
                     f"and is blocked: no server is free{self._for_it(int(row['type']))}")  # fmt: skip
        else:
            first = self._allocated_row(row, flags)
        return "; ".join([first, *self._consequences(row, flags)])

    def _allocated_row(self, row: np.void, flags: int) -> str:
        job, width = self._job(row["job"], row["type"]), int(row["width"])
        got = f"gets {'them' if width > 1 else 'it'}"
        if flags & FLAG_PARTIAL:
            got = f"gets {width}, all that {'are' if width > 1 else 'is'} free" + self._for_it(
                int(row["type"])
            )
        first = f"the first is server {int(row['server']) + 1}" if width > 1 else \
            f"server {int(row['server']) + 1}"  # fmt: skip
        return (f"{job} asks for {_servers(row['request'])} and {got} of "
                f"{grouped(int(row['free']))} free: {first}, for {self._time(row['lasts'])}"
                if not flags & FLAG_PARTIAL else
                f"{job} asks for {_servers(row['request'])} and {got}: {first}, for "
                f"{self._time(row['lasts'])}")  # fmt: skip

    def _departed_row(self, row: np.void) -> str:
        return (f"{self._job(row['job'], row['type'])} departs from {_servers(row['width'])} "
                f"after {self._time(row['lasts'])}")  # fmt: skip

    def _consequences(self, row: np.void, flags: int) -> Iterator[str]:
        if flags & FLAG_SPLIT:
            yield "no gap holds it, so that it runs in several pieces"
        if flags & FLAG_BELOW:
            least = int(self._facts.tables.least[row["type"]])
            yield f"two jobs run on fewer than i₁ = {least} servers at a time"
        if flags & FLAG_FULL and not flags & FLAG_BLOCKED:
            yield "no server is free any more"
        if flags & FLAG_FREED:
            yield "until then none was free"

    # Events.

    def event(self, event: Event) -> str:
        """A few words for an event that is about to happen."""
        job = self._job(event.job, event.type)
        if event.kind == ARRIVAL:
            return f"{job} arrives, of inherent size {self._time(event.service)}"
        return f"{job} departs"

    # Sub-steps.

    def record(self, record: Record) -> str:
        """One sentence for a sub-step."""
        values = record.values
        if isinstance(record, Allocate):
            return self._allocate(record)
        if isinstance(record, Reject):
            return f"j = 0: no server is free{self._for_it(values['type'])}, the job is blocked"
        teller = _TELLERS.get(record.kind)
        return told(record.kind, values) if teller is None else teller(self, values)

    def _allocate(self, record: Allocate) -> str:
        asked, free = record.values["request"], record.values["free"]
        return (f"min(i, j) = min({asked}, {grouped(free)}) = {record.servers}: it gets "
                f"{_servers(record.servers)}")  # fmt: skip

    def _arrival(self, values: Values) -> str:
        return (f"{self._job(values['job'], values['type'])} arrives; on one server it would take "
                f"{self._time(values['size'])}")  # fmt: skip

    def _departure(self, values: Values) -> str:
        return (f"{self._job(values['job'], values['type'])} departs: {_servers(values['width'])} "
                "free again")  # fmt: skip

    def _request(self, values: Values) -> str:
        asked = f"it asks for i = {values['request']} {plural(values['request'], 'server')}"
        reason = values["reason"]
        if reason == "scripted":
            return f"{asked}, as its script says"
        if reason == "step":
            return (f"{asked}: {grouped(values['free'])} are free, at least "
                    f"{grouped(values['from'])}")  # fmt: skip
        if reason == "certain" or len(values["widths"]) == 1:
            return f"{asked}, as every job of its class"
        law = ", ".join(f"p*{_subscript(i)} = {share:.4g}" for i, share
                        in zip(values["widths"], values["shares"], strict=True))  # fmt: skip
        return f"{asked}: drawn by u = {values['uniform']:.4f} from {law}"

    def _job(self, number: int, job_class: int) -> str:
        name = f"job {self._job_name(int(number))}"
        if self._numbers.classes == 1:
            return name
        return f"{name} of class {self._numbers.class_names[int(job_class)]}"

    def _for_it(self, job_class: int) -> str:
        """Whose servers are meant, where classes have servers of their own."""
        if self._facts.rules.pools == 1:
            return ""
        return f" for class {self._numbers.class_names[job_class]}"

    def _time(self, time: float) -> str:
        return f"{float(time):.4g}"


def _servers(count: int) -> str:
    return f"{grouped(int(count))} {plural(int(count), 'server')}"


def _subscript(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


_TELLERS: dict[str, Callable[[MoldableNarrator, Values], str]] = {
    "arrival": MoldableNarrator._arrival,
    "departure": MoldableNarrator._departure,
    "request": MoldableNarrator._request,
}
