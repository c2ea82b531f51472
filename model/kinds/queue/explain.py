"""Sentences about servers with a queue in slotted time.

Servers are numbered from 1 in sentences, virtual queues as in the paper from VQ₀.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.rows import FLAG_EMPTY, FLAG_EVICTED
from slotscope.model.reporting.explain import Narrator, amount, counted, grouped, plural
from slotscope.model.reporting.letters import subscript
from slotscope.model.reporting.records import Event, Evict, Place, Record, Remember, Renew, Stall
from slotscope.model.systems.outcome import FLAG_CONFIGURED, FLAG_FORCED

#: The most products of a weight that are written out.
MOST_TERMS = 4

Values = Mapping[str, Any]


def amounts(value: Fraction | Sequence[Fraction]) -> str:
    """A size in one resource, or in each of several."""
    if isinstance(value, Fraction):
        return amount(value)
    return f"({', '.join(amount(one) for one in value)})"


class QueueNarrator(Narrator):
    """Words the records of one run.

    - *numbers*: Servers and the units of sizes.
    - *facts*: The policy's virtual queues and configurations.
    - *job_name*: The name of a job, by its number.
    """

    def __init__(self, numbers: QueueNumbers, facts: QueueFacts, job_name: Callable[[int], str]) -> None:
        self._numbers = numbers
        self._facts = facts
        self._name = job_name

    # Rows.

    def _row(self, row: np.void) -> str:
        """One sentence for a slot: what happened, who waits and why."""
        parts = [counts] if (counts := self._counts(row)) else []
        if row["renewed"]:
            parts.append(f"{counted(int(row['renewed']), 'server')} got another configuration")
        if row["stalled"]:
            parts.append(f"{counted(int(row['stalled']), 'server')} stalled")
        if int(row["flags"]) & FLAG_EVICTED:
            parts.append("jobs went back to the queue")
        parts = parts or ["nothing changes"]
        if int(row["flags"]) & FLAG_FORCED:
            parts.append("the fork decides of one job")
        if int(row["flags"]) & FLAG_CONFIGURED:
            parts.append("the fork decides one configuration")
        if row["kept"] >= 0:
            parts.append(self._kept(row))
        if row["waiting"]:
            count = int(row["waiting"])
            parts.append(f"{grouped(count)} {_wait(count)}")
        elif int(row["flags"]) & FLAG_EMPTY:
            parts.append("the queue is empty")
        return "; ".join(parts)

    def _counts(self, row: np.void) -> str:
        parts: list[str] = []
        for field, verb in (("departed", "left"), ("arrived", "arrived")):
            if count := int(row[field]):
                jobs = "" if parts else f" {plural(count, 'job')}"
                parts.append(f"{grouped(count)}{jobs} {verb}")
        if count := int(row["placed"]):
            jobs = "" if parts else f" {plural(count, 'job')}"
            first = "" if count == 1 else "first "
            parts.append(
                f"{grouped(count)}{jobs} placed ({first}{self._job(row['job'])} on server {row['server'] + 1})"
            )
        elif row["departed"] == 1 and not row["arrived"]:
            return f"{self._job(row['job'])} left server {row['server'] + 1}"
        return ", ".join(parts)

    def job_name(self, number: int) -> str:
        """The name of a job."""
        return self._name(number)

    def why_waits(self, row: np.void) -> str:
        """Why the row's kept job waits; empty if the row does not tell."""
        return "; ".join(self._reasons(row))

    @property
    def passed_over(self) -> str:
        """Why a job waits although a server has room for it, as far as the policy's facts tell."""
        return "it is not its turn" if self._facts.in_line else "the policy has not placed it"

    def _kept(self, row: np.void) -> str:
        why = self.why_waits(row)
        return f"{self._job(row['kept'])} waits{': ' if why else ''}{why}"

    def _reasons(self, row: np.void) -> list[str]:
        """The reasons why a job that has just arrived waits, as far as the row tells."""
        size, free = int(row["kept_size"]), int(row["best_residual"])
        shown, reasons = amount(self._numbers.amount(size)), []
        if row["serving"] >= 0:
            reasons = self._configurations(int(row["kept_queue"]), int(row["serving"]), shown)
        if reasons and not self._by_size:
            return reasons
        if 0 <= free < size:
            which = f"{self._numbers.resource_names[0]} " if self._numbers.resources > 1 else ""
            reasons.append(f"{which}residual {amount(self._numbers.amount(free))} < {shown} on the best server")
        elif free >= 0 and not reasons:
            reasons.append(
                "no server has room in all resources"
                if self._numbers.resources > 1
                else f"residual {amount(self._numbers.amount(free))} on the best server holds its "
                f"{shown}, but {self.passed_over}"
            )
        return reasons

    def _configurations(self, queue: int, serving: int, size: str) -> list[str]:
        """What the servers' active configurations offer to a job of a virtual queue."""
        if not self._facts.intervals:
            if not serving:
                return [f"no server's configuration has a place for size {size}"]
            return [f"the places for size {size} on {counted(serving, 'server')} are taken"]
        asked = self._asked(queue)
        first = f"size {size} is in {self._queue(queue)}"
        if not serving:
            return [first, f"no server's configuration has {asked}"]
        if self._by_size:
            return [first]
        take = "takes" if serving == 1 else "take"
        return [first, f"{counted(serving, 'server')} {_have(serving)} {asked} and {take} no more now"]

    @property
    def _by_size(self) -> bool:
        """Whether a job that fits a server is placed there whatever the active configurations are (VQS-BF)."""
        return bool(self._facts.intervals) and not self._facts.reserves

    def _asked(self, queue: int) -> str:
        """k₁ = 1, or k_j > 0 for the queues of which a server may hold several jobs."""
        most = int(self._facts.configurations[:, queue].max())
        return f"k{subscript(queue)} {'= 1' if most == 1 else '> 0'}"

    # Events and sub-steps.

    def event(self, event: Event) -> str:
        """A few words for a slot that is about to begin."""
        return f"slot {grouped(int(event.time))} begins"

    def _action(self, record: Record) -> str:
        match record:
            case Place(job=job, server=server, values=values):
                return self._placed(job, server, values)
            case Renew(server=server, configuration=configuration, values=values):
                return self._renewed(server, configuration, values)
            case Stall(server=server, values=values):
                why = self._stalled(server, values)
                return f"server {server + 1} is stalled until it is empty{': ' * bool(why)}{why}"
            case Evict(job=job, server=server):
                return f"{self._job(job)} goes back from server {server + 1} to the queue"
            case Remember():
                return "the policy notes what it has observed"
        return ""

    def _placed(self, job: int, server: int, values: Values) -> str:
        size = f" {_bracketed(values['size'])}" if "size" in values else ""
        text = f"{self._job(job)}{size} goes to server {server + 1}"
        wording = _REASONS.get(values.get("reason", ""))
        if values.get("reason") == "forced":
            return f"{text}: the fork decides so"
        if wording is None:
            return text
        told_values = {"free": amounts(values["free"]), "queue": self._queue(values["queue"])}
        if "share" in values:
            told_values["share"] = amounts(values["share"])
        return f"{text}: {wording.format(**told_values)}"

    def _renewed(self, server: int, configuration: int, values: Values) -> str:
        name = self._facts.configuration_names[configuration]
        renewed = f"server {server + 1}{' is empty' if values.get('empty', True) else ''}"
        if "forced" in values:
            return f"{renewed} and gets {name}: the fork decides so"
        if "weight" not in values:
            return f"{renewed}: its configuration is now {name}"
        if not values["weight"]:
            return f"{renewed}: all weights are 0, {name} is the first"
        weight = weighed(self._facts.configurations[configuration], values["lengths"], values["weight"])
        return f"{renewed}: {name} has the largest weight, {weight}"

    def _stalled(self, server: int, values: Values) -> str:
        if values.get("reason") == "light":
            least = values["gamma"] * values["largest"]
            return f"its configuration's weight {values['weight']} is below γ·{values['largest']} = {amount(least)}"
        if values.get("reason") == "half_empty":
            whole = [self._numbers.amount(int(units), d) for d, units in enumerate(self._numbers.capacity[server])]
            capacity = amounts(whole[0] if len(whole) == 1 else whole)
            return f"{amounts(values['used'])} in use is below half of {capacity}, and jobs wait"
        return ""

    def _substep_arrival(self, values: Values) -> str:
        text = f"{self._job(values['job'])} arrives: size {amounts(values['size'])}"
        if not self._facts.intervals:
            return text
        queue, size = values["queue"], values["size"]
        low, high = (self._numbers.amount(end) for end in self._facts.intervals[queue])
        depth = len(self._facts.intervals) // 2
        least = self._numbers.amount(int(self._numbers.largest[0]) >> depth)
        rounded = f", rounded up to {amount(least)}," if size < least else ""
        return f"{text}{rounded} is in ({low}, {high}], it joins {self._queue(queue)}"

    def _substep_departure(self, values: Values) -> str:
        return f"{self._job(values['job'])} leaves server {values['server'] + 1}"

    def _substep_servers_that_fit(self, values: Values) -> str:
        job, count = self._job(values["job"]), values["servers"]
        if count:
            return f"{counted(count, 'server')} {_have(count)} room for {job} {_bracketed(values['size'])}"
        return f"no server has room for {job}: {self._lacking(values['most_free'], values['size'])}"

    def _lacking(self, free: Any, size: Any) -> str:
        if isinstance(size, Fraction):
            return f"residual {amount(free)} < {amount(size)} on the best server"
        names = self._numbers.resource_names
        for name, left, need in zip(names, free, size, strict=True):
            if left < need:
                return f"{name} residual {amount(left)} < {amount(need)} on the best server"
        return f"none has {amounts(size)} of {' and '.join(names)} left at once"

    def _substep_largest_that_fits(self, values: Values) -> str:
        left = f"server {values['server'] + 1} has {amounts(values['free'])} left"
        job = f"{self._job(values['job'])} {_bracketed(values['size'])}"
        if values["waiting"] == 1:
            return f"{left}: {job}, the only one that waits, fits"
        word = "is the largest that fits" if self._numbers.resources == 1 else "has the best score of those that fit"
        return f"{left}: of {counted(values['waiting'], 'job')} that wait, {job} {word}"

    def _substep_nothing_fits(self, values: Values) -> str:
        left = f"server {values['server'] + 1} has {amounts(values['free'])} left"
        if not values["waiting"]:
            return f"{left}; no job waits"
        if values["waiting"] == 1:
            return f"{left}: the only job that waits does not fit"
        return f"{left}: none of {counted(values['waiting'], 'job')} that wait fits"

    def _substep_blocked(self, values: Values) -> str:
        behind = values["behind"]
        text = f"{self._job(values['job'])} is the head of the line and fits nowhere"
        return f"{text}; {counted(behind, 'job')} behind it {_wait(behind)} too" if behind else text

    def _substep_reserved_share(self, values: Values) -> str:
        queue = self._queue(values["queue"])
        text = f"server {values['server'] + 1} keeps 2/3 for {queue}"
        if values["present"]:
            return f"{text}, where a job of it is"
        if not values["waiting"]:
            return f"{text}, which is empty: it stays reserved"
        return f"{text}, and none is there: {counted(values['waiting'], 'job')} {_wait(values['waiting'])}"

    def _substep_head_of_line(self, values: Values) -> str:
        fits = "≤" if values["fits"] else ">"
        return (
            f"{self._job(values['job'])} of {self._queue(values['queue'])}: size {amounts(values['size'])} {fits} "
            f"{amounts(values['free'])} left for it on server {values['server'] + 1}"
        )

    def _substep_counted(self, values: Values) -> str:
        queue, wanted = values["queue"], values["wanted"]
        if not self._facts.intervals:
            return (
                f"server {values['server'] + 1} has {values['present']} of {wanted} "
                f"{plural(wanted, 'job')} of size {self._size(queue)}"
            )
        return (
            f"server {values['server'] + 1} has {values['present']} {plural(values['present'], 'job')} of "
            f"{self._queue(queue)}, k{subscript(queue)} = {wanted}"
        )

    def _substep_none_fits(self, values: Values) -> str:
        queue, waiting = self._queue(values["queue"]), values["waiting"]
        if not waiting:
            return f"no job waits in {queue}"
        none = (
            f"none of {counted(waiting, 'job')} in {queue} fits"
            if waiting > 1
            else f"the only job in {queue} does not fit"
        )
        return f"{none} in the {amounts(values['free'])} left on server {values['server'] + 1}"

    def _job(self, number: Any) -> str:
        return f"job {self._name(int(number))}"

    def _size(self, queue: int) -> str:
        """The size of the jobs in a queue for a single size."""
        units = self._numbers.values[queue]
        sizes = [self._numbers.amount(one, d) for d, one in enumerate(units)]
        return amounts(sizes[0] if len(sizes) == 1 else sizes)

    def _queue(self, queue: int) -> str:
        return self._facts.layout.names[queue]


def weighed(configuration: Iterable[int], lengths: Iterable[int], weight: int) -> str:
    """The product <k, Q> with its terms, unless there are many: "1·1 + 1·0 = 1"."""
    terms = [f"{int(k)}·{int(q)}" for k, q in zip(configuration, lengths, strict=True) if k]
    return f"{' + '.join(terms)} = {weight}" if len(terms) <= MOST_TERMS else str(weight)


def _bracketed(size: Any) -> str:
    return f"({amount(size)})" if isinstance(size, Fraction) else amounts(size)


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def _wait(count: int) -> str:
    return "waits" if count == 1 else "wait"


#: Why a job goes to a server, by the reason that the policy gives.
_REASONS: dict[str, str] = {
    "least_residual": "its residual {free} is the least that holds the job",
    "best_score": "it is the best score",
    "first_fit": "it is the first with room, {free} is left",
    "largest": "it is the largest that fits in {free}",
    "reserved_share": "2/3 of it is kept for {queue}",
    "head_of_line": "{share} is left for {queue}",
    "largest_of_queue": "it is the largest of {queue} that fits in {free}",
    "configuration": "the configuration has a place for it",
}
