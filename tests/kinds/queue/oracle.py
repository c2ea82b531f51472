"""A second implementation of schedulers of a queue in slotted time: slow, in rationals.

Nothing here comes from the program.  Its input is the content of an instance file, and its result
one entry per slot, as ``slotscope trace`` prints it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

Amounts = tuple[Fraction, ...]


def vector(value: Any) -> Amounts:
    values = value if isinstance(value, list) else [value]
    return tuple(Fraction(str(item)) for item in values)


@dataclass(eq=False)
class Job:
    number: int
    name: Any
    slot: int
    size: Amounts  # accounted
    share: Fraction  # of a server, before it is rounded up
    service: float
    type: int = -1
    ends: float = float("inf")


@dataclass(eq=False)
class Server:
    jobs: list[Job] = field(default_factory=list)
    configuration: tuple[int, ...] = ()
    stalled: bool = False
    had_departure: bool = False


class Oracle:
    """One algorithm on one instance."""

    def __init__(self, data: dict[str, Any], run: dict[str, Any]) -> None:
        self.algorithm, self.options = run["algo"], run.get("options", {})
        self.capacity = vector(data["capacity"])
        self.servers = [Server() for _ in range(data["L"])]
        self.depth: int = data.get("J") or 0
        self.slots = data["slots"]
        self.waiting: list[Job] = []
        self.partitioned = self.algorithm in {"VQS", "VQS-BF"}
        self.coming = [self.job(number, item) for number, item in enumerate(data["arrivals"])]
        self.configurations = self.all_configurations()

    def job(self, number: int, item: dict[str, Any]) -> Job:
        size = vector(item["size"])
        share = size[0] / self.capacity[0]
        service = item.get("service") or float("inf")
        job = Job(number, item["id"], item["slot"], size, share, service)
        if self.partitioned:
            job.type = self.type_of(share)
            job.size = (max(size[0], self.capacity[0] / 2**self.depth),)
        return job

    def type_of(self, share: Fraction) -> int:
        for m in range(self.depth):
            whole = Fraction(1, 2**m)
            if share > whole * 2 / 3:
                return 2 * m
            if share > whole / 2:
                return 2 * m + 1
        return 2 * self.depth - 1

    def all_configurations(self) -> list[tuple[int, ...]]:
        if self.partitioned:
            return self.reduced()
        if self.algorithm != "MW":
            return []
        sizes = sorted({job.size for job in self.coming}, reverse=True)
        for job in self.coming:
            job.type = sizes.index(job.size)
        ranges = [range(int(self.capacity[0] / size[0]) + 1) for size in sizes]
        feasible = [
            k
            for k in product(*ranges)
            if sum((n * size[0] for n, size in zip(k, sizes, strict=True)), Fraction(0)) <= self.capacity[0]
        ]
        return sorted(feasible, reverse=True)

    def reduced(self) -> list[tuple[int, ...]]:
        big = self.depth
        found: list[dict[int, int]] = []
        found += [{2 * m: 2**m} for m in range(big)]
        found += [{2 * m + 1: 3 * 2 ** (m - 1)} for m in range(1, big)]
        found += [{1: 1, 2 * m: 2**m // 3} for m in range(2, big)]
        found += [{1: 1, 2 * m + 1: 2 ** (m - 1)} for m in range(1, big)]
        return [tuple(k.get(j, 0) for j in range(2 * big)) for k in found]

    # A slot.

    def trace(self) -> list[dict[str, Any]]:
        return [self.slot(t) for t in range(self.slots)]

    def slot(self, t: int) -> dict[str, Any]:
        before = list(self.waiting)
        fresh = [job for job in self.coming if job.slot == t]
        self.waiting = before + fresh
        self.now = t
        self.placed: list[list[Any]] = []
        self.renewed: list[list[Any]] = []
        self.serve_all(before, fresh)
        entry = self.entry(t, fresh)
        for server in self.servers:
            leaving = [job for job in server.jobs if job.ends == t + 1]
            server.had_departure = bool(leaving)
            server.jobs = [job for job in server.jobs if job.ends != t + 1]
            server.stalled = server.stalled and bool(server.jobs)
        return entry

    def entry(self, t: int, fresh: list[Job]) -> dict[str, Any]:
        found: dict[str, Any] = {
            "t": t,
            "arrivals": [job.name for job in fresh],
            "place": self.placed,
            "queue": [job.name for job in self.waiting],
            "servers": [[job.name for job in server.jobs] for server in self.servers],
            "used": [self.told(self.used(server)) for server in self.servers],
            "depart_end": [
                [job.name, place]
                for place, server in enumerate(self.servers)
                for job in server.jobs
                if job.ends == t + 1
            ],
        }
        if self.configurations:
            found["renew"] = self.renewed
        if self.partitioned:
            types = sorted({job.type for job in self.waiting})
            found["VQ"] = {str(j): [job.name for job in self.waiting if job.type == j] for j in types}
        if self.options.get("stall"):
            found["stalled"] = [server.stalled for server in self.servers]
        return found

    @staticmethod
    def told(amounts: Amounts) -> Any:
        texts = [str(amount) for amount in amounts]
        return texts if len(texts) > 1 else texts[0]

    # Used by all algorithms.

    def used(self, server: Server) -> Amounts:
        return tuple(sum((job.size[d] for job in server.jobs), Fraction(0)) for d in range(len(self.capacity)))

    def fits(self, job: Job, server: Server) -> bool:
        return all(
            need + used <= capacity
            for need, used, capacity in zip(job.size, self.used(server), self.capacity, strict=True)
        )

    def place(self, job: Job, server: Server) -> None:
        self.waiting.remove(job)
        server.jobs.append(job)
        job.ends = self.now + job.service
        self.placed.append([job.name, self.servers.index(server)])

    def score(self, job: Job, server: Server) -> Fraction:
        return sum(
            (
                need / whole * used / whole
                for need, used, whole in zip(job.size, self.used(server), self.capacity, strict=True)
            ),
            Fraction(0),
        )

    def largest(self, jobs: list[Job], server: Server) -> Job | None:
        """In one dimension the largest job that fits, in several dimensions the one with the best score."""
        best: Job | None = None
        for job in jobs:
            if self.fits(job, server) and (best is None or self.merit(job, server) > self.merit(best, server)):
                best = job
        return best

    def merit(self, job: Job, server: Server) -> tuple[Fraction, ...]:
        if len(self.capacity) == 1:
            return (job.size[0],)
        shares = [need / whole for need, whole in zip(job.size, self.capacity, strict=True)]
        return self.score(job, server), sum(shares, Fraction(0))

    # The algorithms.

    def serve_all(self, before: list[Job], fresh: list[Job]) -> None:
        match self.algorithm:
            case "FIFO-FF":
                self.first_fit()
            case "BF-J":
                self.best_fit_jobs(list(self.waiting))
            case "BF-S":
                self.best_fit_servers(self.servers)
            case "BF-J/S":
                self.best_fit_servers([server for server in self.servers if server.had_departure])
                self.best_fit_jobs([job for job in fresh if job in self.waiting])
            case _:
                self.with_configurations(before)
        if self.options.get("stall") and not self.configurations and self.waiting:
            for server in self.servers:
                half_empty = all(2 * used < whole for used, whole in zip(self.used(server), self.capacity, strict=True))
                server.stalled = server.stalled or (bool(server.jobs) and half_empty)

    def first_fit(self) -> None:
        for job in list(self.waiting):
            server = next((item for item in self.servers if self.fits(job, item)), None)
            if server is not None:
                self.place(job, server)
            elif not self.options.get("fifo_skip"):
                return

    def best_fit_jobs(self, jobs: list[Job]) -> None:
        for job in jobs:
            best: Server | None = None
            for server in self.servers:
                if server.stalled or not self.fits(job, server):
                    continue
                if best is None or self.score(job, server) > self.score(job, best):
                    best = server
            if best is not None:
                self.place(job, best)

    def best_fit_servers(self, servers: list[Server]) -> None:
        for server in servers:
            while not server.stalled and (job := self.largest(self.waiting, server)):
                self.place(job, server)

    def lengths(self, jobs: list[Job]) -> list[int]:
        return [sum(job.type == j for job in jobs) for j in range(len(self.configurations[0]))]

    def preempt(self, before: list[Job]) -> None:
        """Every server gets the heaviest configuration; jobs that exceed it go back to the queue."""
        seen = before if self.options.get("renew") == "before" else self.waiting
        lengths = self.lengths(seen + [job for server in self.servers for job in server.jobs])
        for server in self.servers:
            jobs, server.jobs = server.jobs, []
            self.prepare(server, lengths)
            for job in jobs:
                if sum(item.type == job.type for item in server.jobs) < server.configuration[job.type]:
                    server.jobs.append(job)
                else:
                    job.service, job.ends = job.ends - self.now, float("inf")
                    self.waiting.append(job)
        self.waiting.sort(key=lambda job: job.number)
        for server in self.servers:
            self.max_weight(server)

    def with_configurations(self, before: list[Job]) -> None:
        if self.options.get("preemptive"):
            self.preempt(before)
            return
        one_by_one = self.options.get("renew_mode") == "sequential"
        seen = before if self.options.get("renew") == "before" else list(self.waiting)
        if not one_by_one:
            for server in self.servers:
                self.prepare(server, self.lengths(seen))
        for server in self.servers:
            if one_by_one:
                left = [job for job in seen if job in self.waiting]
                self.prepare(server, self.lengths(left))
            if not server.stalled:
                {"VQS": self.vqs, "VQS-BF": self.vqs_bf, "MW": self.max_weight}[self.algorithm](server)

    def prepare(self, server: Server, lengths: list[int]) -> None:
        def weight(k: tuple[int, ...]) -> int:
            return sum(a * b for a, b in zip(k, lengths, strict=True))

        most = max(map(weight, self.configurations))
        if not server.jobs:
            server.configuration = next(k for k in self.configurations if weight(k) == most)
            row = server.configuration
            told: Any = {str(j): count for j, count in enumerate(row) if count}
            self.renewed.append([self.servers.index(server), told if self.partitioned else list(row)])
        elif self.options.get("stall") and not server.stalled:
            gamma = Fraction(str(self.options.get("gamma", "1/2")))
            server.stalled = weight(server.configuration) < gamma * most

    def vqs(self, server: Server) -> None:
        k, share = server.configuration, self.capacity[0]
        if k[1]:
            share /= 3
            line = [job for job in self.waiting if job.type == 1]
            if line and all(job.type != 1 for job in server.jobs):
                self.place(line[0], server)
        (other,) = [j for j, count in enumerate(k) if count and j != 1]
        for job in [job for job in self.waiting if job.type == other]:
            taken = sum((item.size[0] for item in server.jobs if item.type == other), Fraction(0))
            if taken + job.size[0] <= share:
                self.place(job, server)
            elif not self.options.get("vqs_skip"):
                return

    def vqs_bf(self, server: Server) -> None:
        def take(j: int) -> bool:
            job = self.largest([job for job in self.waiting if job.type == j], server)
            if job is not None:
                self.place(job, server)
            return job is not None

        k = server.configuration
        if k[1]:
            take(1)
        (other,) = [j for j, count in enumerate(k) if count and j != 1]
        while sum(job.type == other for job in server.jobs) < k[other] and take(other):
            pass
        while job := self.largest(self.waiting, server):
            self.place(job, server)

    def max_weight(self, server: Server) -> None:
        for j, count in enumerate(server.configuration):
            for job in [job for job in self.waiting if job.type == j]:
                if sum(item.type == j for item in server.jobs) < count:
                    self.place(job, server)
