"""A second, simple implementation of moldable jobs: fractions, lists and dictionaries.

It reads the data of a scripted scenario and computes what happens to each job.  It uses nothing of
the model: gaps are searched anew each time, and every integral is summed from the list of events.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any, NamedTuple

Data = dict[str, Any]
Gap = tuple[int, int]  #: first server, number of servers

INFINITE = float("inf")


def exact(value: Any) -> Fraction:
    """The exact value of a number as a scenario writes it."""
    return Fraction(str(value))


@dataclass(frozen=True)
class Job:
    """An arrival of the script."""

    number: int
    name: str
    time: Fraction
    job_class: int
    size: Fraction
    requested: int | None


class Happened(NamedTuple):
    """One event, and the state after it."""

    time: Fraction
    kind: str  #: "arrival" or "departure"
    job: int
    job_class: int
    request: int
    free: int  #: free servers open to the job just before
    pieces: tuple[Gap, ...]  #: the servers that it got or had; empty: it is blocked
    departs: Fraction | None
    jobs: tuple[tuple[int, ...], ...]  #: X_1, ..., X_d of each class
    on: tuple[int | None, ...]  #: the job of each server


class Oracle:
    """Runs a script, and keeps what happened to its jobs."""

    def __init__(self, data: Data) -> None:
        self.servers = int(data["servers"]["count"])
        classes = data["classes"]
        self.names = [item.get("name", "jobs") for item in classes]
        self.speedups = [[exact(factor) for factor in item["speedup"]] for item in classes]
        self.degree = max(len(speedup) for speedup in self.speedups)
        self.rule = data["policy"]
        self.pools, self.open_to = self._divided()
        self.jobs = [self._read(number, item) for number, item in enumerate(data["workload"]["arrivals"])]
        self.on: list[int | None] = [None] * self.servers
        self.running: dict[int, tuple[Gap, ...]] = {}
        self.departs: dict[int, Fraction] = {}
        self.ages: dict[Gap, int] = {}
        self.stamps = 0
        self._look_for_gaps()
        self.events: list[Happened] = []  #: all events, in order
        self._run()

    def _read(self, number: int, item: Data) -> Job:
        job_class = self.names.index(item["class"]) if "class" in item else 0
        return Job(
            number,
            item.get("job") or str(number),
            exact(item["time"]),
            job_class,
            exact(item["size"]),
            item.get("requested"),
        )

    # Pools.

    def _divided(self) -> tuple[list[Gap], list[list[int]]]:
        """The pools, each [first, end); and the pools open to each class, in order of preference."""
        given = self.rule.get("parameters", {})
        shares = given.get("shares", "none")
        if len(self.names) == 1 or shares == "none":
            return [(0, self.servers)], [[0]] * len(self.names)
        ends = [0]
        for name in self.names:
            ends.append(ends[-1] + floor(exact(shares[name]) * self.servers))
        open_to = [[j] for j in range(len(self.names))]
        if given.get("rest") == "common":
            ends.append(self.servers)
            open_to = [[*mine, len(self.names)] for mine in open_to]
        return list(pairwise(ends)), open_to

    def _free(self, pool: int) -> int:
        first, end = self.pools[pool]
        return self.on[first:end].count(None)

    # Gaps.

    def _gaps(self, pool: int) -> list[Gap]:
        """All gaps of a pool, by scanning its servers."""
        first, end = self.pools[pool]
        found, start = [], None
        for server in range(first, end + 1):
            idle = server < end and self.on[server] is None
            if idle and start is None:
                start = server
            elif not idle and start is not None:
                found.append((start, server - start))
                start = None
        return found

    def _look_for_gaps(self) -> None:
        """Give an age to every gap that did not exist before."""
        there = [gap for pool in range(len(self.pools)) for gap in self._gaps(pool)]
        for gap in there:
            if gap not in self.ages:
                self.stamps += 1
                self.ages[gap] = self.stamps
        self.ages = {gap: self.ages[gap] for gap in there}

    def _take(self, job: int, pool: int, count: int) -> list[Gap]:
        """Take the shortest gap that holds the rest of the job, or the longest gap if none does, until it is placed."""
        pieces = []
        while count:
            gaps = self._gaps(pool)
            holding = [gap for gap in gaps if gap[1] >= count]
            if holding:
                start, length = min(holding, key=lambda gap: (min(gap[1], self.degree + 1), -self.ages[gap]))
            else:
                start, length = max(gaps, key=lambda gap: (gap[1], self.ages[gap]))
            used = min(length, count)
            for server in range(start, start + used):
                assert self.on[server] is None
                self.on[server] = job
            pieces.append((start, used))
            count -= used
            self._look_for_gaps()
        return pieces

    # Events.

    def _run(self) -> None:
        place = 0
        while place < len(self.jobs) or self.departs:
            next_arrival = self.jobs[place].time if place < len(self.jobs) else INFINITE
            leaves = min(((time, job) for job, time in self.departs.items()), default=None)
            if leaves is not None and leaves[0] <= next_arrival:
                self._leave(leaves[1], leaves[0])
            else:
                self._arrive(self.jobs[place])
                place += 1

    def _leave(self, number: int, time: Fraction) -> None:
        job, pieces = self.jobs[number], self.running.pop(number)
        free = sum(self._free(pool) for pool in self.open_to[job.job_class])
        del self.departs[number]
        for start, length in pieces:
            for server in range(start, start + length):
                self.on[server] = None
            self._look_for_gaps()
        asked = next(event.request for event in self.events if event.job == number)
        self._note(time, "departure", job, asked, free, pieces, time)

    def _arrive(self, job: Job) -> None:
        open_to = self.open_to[job.job_class]
        free = sum(self._free(pool) for pool in open_to)
        asked = self._asked(job, free)
        width, pieces = min(asked, free), []
        for pool in open_to:
            count = min(width, self._free(pool))
            pieces += self._take(job.number, pool, count)
            width -= count
        departs = None
        if pieces:
            got = sum(length for _, length in pieces)
            departs = job.time + job.size / self.speedups[job.job_class][got - 1]
            self.running[job.number], self.departs[job.number] = tuple(pieces), departs
        self._note(job.time, "arrival", job, asked, free, tuple(pieces), departs)

    def _asked(self, job: Job, free: int) -> int:
        """The request from the script, or by the policy."""
        if job.requested is not None:
            return job.requested
        name, given = self.rule["name"], self.rule.get("parameters", {})
        most = len(self.speedups[job.job_class])
        if name == "greedy":
            return most
        if name == "fixed-width":
            width = given.get("servers", 1)
            return int(width[self.names[job.job_class]] if isinstance(width, dict) else width)
        assert name == "threshold"
        reached = [step for step in given["steps"] if step["free"] <= free]
        asked = max(reached, key=lambda step: step["free"])["servers"] if reached else 1
        return min(int(asked), most)

    def _note(
        self,
        time: Fraction,
        kind: str,
        job: Job,
        asked: int,
        free: int,
        pieces: tuple[Gap, ...],
        departs: Fraction | None,
    ) -> None:
        self.events.append(
            Happened(
                time, kind, job.number, job.job_class, asked, free, pieces, departs, self._counted(), tuple(self.on)
            )
        )

    def _counted(self) -> tuple[tuple[int, ...], ...]:
        jobs = [[0] * len(speedup) for speedup in self.speedups]
        for number, pieces in self.running.items():
            jobs[self.jobs[number].job_class][sum(length for _, length in pieces) - 1] += 1
        return tuple(tuple(row) for row in jobs)

    # Output.

    def lines(self) -> list[Data]:
        """A line for each arrival, as golden traces have them."""
        found = []
        for event in self.events:
            if event.kind == "arrival":
                job = self.jobs[event.job]
                line: Data = {
                    "job": int(job.name) if job.name.isdecimal() else job.name,
                    "arrival": str(job.time),
                    "requested": event.request,
                    "size": str(job.size),
                    "free_before": event.free,
                    "allocated": sum(length for _, length in event.pieces),
                    "blocked": not event.pieces,
                    "departure": str(event.departs) if event.departs is not None else None,
                    "X_after": list(event.jobs[event.job_class]),
                }
                if len(self.names) > 1:
                    line["class"] = self.names[event.job_class]
                found.append(line)
        return found

    # Measures.

    def stays(self) -> list[tuple[Fraction, tuple[tuple[int, ...], ...]]]:
        """The duration of each state, from time 0 to the last event."""
        empty = tuple((0,) * len(speedup) for speedup in self.speedups)
        times = [Fraction(0), *(event.time for event in self.events)]
        states = [empty, *(event.jobs for event in self.events)]
        return [(end - start, state) for (start, end), state in zip(pairwise(times), states, strict=False)]

    def integral(self, value: Any) -> Fraction:
        """The integral of a function of X over time, to the last event."""
        return sum((time * value(state) for time, state in self.stays()), Fraction(0))

    def stats(self) -> Data:
        """The statistics as golden traces have them."""
        return stats_of(self.lines())


def stats_of(lines: list[Data]) -> Data:
    """Blocking and the three mean execution times, from the lines of a trace alone.

    The third is the integral of the number of jobs up to the last arrival, divided by the number of
    admitted jobs.
    """
    admitted = [(exact(line["arrival"]), exact(line["departure"])) for line in lines if not line["blocked"]]
    last = max(exact(line["arrival"]) for line in lines)
    completed = [departs - came for came, departs in admitted if departs <= last]
    spent = sum((min(departs, last) - came for came, departs in admitted), Fraction(0))
    blocked = len(lines) - len(admitted)
    return {
        "N": len(lines),
        "blocked": blocked,
        "Pb": str(Fraction(blocked, len(lines))),
        "D_all": str(_mean([departs - came for came, departs in admitted])),
        "D_completed": str(_mean(completed)),
        "n_completed": len(completed),
        "D_little": str(spent / len(admitted)),
    }


def _mean(values: list[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


def best_allocation(load: Fraction, speedup: list[Fraction]) -> list[Fraction]:
    """The solution y of (P): the one with fewest jobs among those that use one or two widths.

    Every vertex uses at most two, because there are two constraints.
    """
    widths = range(1, len(speedup) + 1)
    found: list[list[Fraction]] = []
    for i in widths:
        for k in range(i, len(speedup) + 1):
            found += _vertex(load, speedup, i, k)
    return min(found, key=sum)


def _vertex(load: Fraction, speedup: list[Fraction], i: int, k: int) -> list[list[Fraction]]:
    """Solutions y of s_i y_i + s_k y_k = load; if i < k all servers are in use."""
    y = [Fraction(0)] * len(speedup)
    if i == k:
        y[i - 1] = load / speedup[i - 1]
        return [y] if i * y[i - 1] <= 1 else []
    base = speedup[i - 1] * k - speedup[k - 1] * i
    if base == 0:
        return []
    y[i - 1] = (load * k - speedup[k - 1]) / base
    y[k - 1] = (speedup[i - 1] - load * i) / base
    return [y] if min(y) >= 0 else []
