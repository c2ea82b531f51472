"""Other implementations of JRS: as a Python program with ``heapq``, and in C.

All follow the same rules (:class:`model.kinds.phases.programs.rules.Rules`) with the defaults of
JRS, and begin with empty servers.  The Python program draws with ``random``, as such programs do,
so that it agrees only on average; given the run's own random words it must reach the same
integrals and counts, and the one in C always must.
"""

from __future__ import annotations

import ctypes
import random
from heapq import heappop, heappush
from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np

from slotscope.model.kinds.phases.numbers import (
    REAL_KEY,
    REQUEST_KEY,
    ROUTE_KEY,
    TIMER_KEY,
    TOKEN_KEY,
    VIRTUAL_KEY,
    VIRTUAL_TOKEN_KEY,
)
from slotscope.model.kinds.phases.rows import PHASE_ROW
from slotscope.model.running.assembly import Bench
from slotscope.model.systems import random_words
from tests.bench.contestants import TAPE
from tests.bench.native import Pointers, library_of

SOURCE = "requesting.c"


#: Cases of a configuration, see :mod:`model.kinds.phases.programs.policy`.
TIMERS, AT_ONCE = 1, 2


class Outcome(NamedTuple):
    """The results of a way; the integrals are in the order of the state's ``area``."""

    events: int
    areas: tuple[float, ...]
    matched: int
    overflowed: int
    requested: int  #: tokens made
    virtual: int  #: virtual arrivals


#: Prepares a run outside of the measured time.
Way = Callable[[], Callable[[], Outcome]]


class Chance:
    """Random numbers as Python programs draw them, regardless of their key."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def time(self, key: int, number: int, draw: int) -> float:
        """A standard exponential time."""
        return self._random.expovariate(1.0)

    def share(self, key: int, number: int, draw: int) -> float:
        """A number in (0, 1]."""
        return 1.0 - self._random.random()

    def below(self, key: int, number: int, bound: int) -> int:
        """A number below *bound*."""
        return self._random.randrange(bound)


class Words(Chance):
    """The random words of a run."""

    def __init__(self, bench: Bench) -> None:
        self._keys = bench.system.tables.key  # type: ignore[attr-defined]

    def _word(self, key: int, number: int, draw: int) -> Any:
        with np.errstate(over="ignore"):
            return random_words.random_word(self._keys[key], number, draw)

    def time(self, key: int, number: int, draw: int) -> float:
        """See :class:`Chance`."""
        return float(random_words.exponential(self._word(key, number, draw)))

    def share(self, key: int, number: int, draw: int) -> float:
        """See :class:`Chance`."""
        return float(random_words.uniform(self._word(key, number, draw)))

    def below(self, key: int, number: int, bound: int) -> int:
        """See :class:`Chance`."""
        return int(random_words.below(self._word(key, number, 0), bound))


class Job:
    """A job, real or virtual."""

    __slots__ = ("backup", "moves", "number", "phase", "pool", "server", "type", "virtual")

    def __init__(self, number: int, job_type: int, virtual: bool) -> None:
        self.number, self.type, self.phase, self.virtual = number, job_type, job_type, virtual
        self.moves = self.pool = 0
        self.server = -1
        self.backup = False


def first_at_least(shares: list[float], share: float) -> int:
    """The first position whose cumulative share reaches *share*."""
    return next(place for place, upto in enumerate(shares) if upto >= share)


class PlainJrs:
    """An event loop over one ``heapq`` of arrivals, moves and timers."""

    def __init__(self, bench: Bench, chance: Chance) -> None:
        system: Any = bench.system
        rules, tables = system.policy.rules, system.tables
        self.chance, self.workload = chance, system.workload
        self.case, self.rate, self.timer = (rules.case.tolist(), rules.rate.tolist(), rules.timer.tolist())
        self.choice, self.asks, self.route = (rules.choice.tolist(), rules.asks.tolist(), rules.route.tolist())
        self.limit, self.pool_of = rules.limit.tolist(), rules.pool_of.tolist()
        self.up, self.down = tables.up.tolist(), tables.down.tolist()
        self.out_rate, self.next_phase = tables.out_rate.tolist(), tables.next_phase.tolist()
        self.demand, self.capacity, self.weight = (
            tables.demand.tolist(),
            tables.capacity.tolist(),
            tables.weight.tolist(),
        )
        self.power = int(tables.power[0])
        self.phases, servers = len(self.out_rate), len(self.pool_of)
        self.observed, self.held, self.jobs_on = [0] * servers, [0] * servers, [0] * servers
        self.running = [-1] * servers  # the number of each server's timer
        self.use = [[0] * len(self.capacity) for _ in range(servers)]
        self.cost = [0] * servers
        self.tokens: list[list[list[int]]] = [[[] for _ in range(self.phases)] for _ in self.limit]
        self.idle: list[list[int]] = [[] for _ in self.limit]  # backup servers used before
        self.backups = [0] * len(self.limit)
        self.events: list[tuple[Any, ...]] = []  # (time, number of the entry, what, of what)
        self.entries = 0
        self.now = 0.0
        self.active = self.costs = self.waiting = self.virtual = self.on_backup = self.real = 0
        self.areas = [0.0] * 6
        self.timers = self.requests = self.virtuals = 0
        self.matched = self.overflowed = self.made = 0
        for server in range(servers):
            self.new_timer(server)
        self.block = self.workload.block_at(0)
        self.times, self.types = self.block.time.tolist(), self.block.type.tolist()
        self.arrivals = 0
        self.add(self.times[0], self.arrive, 0)

    def add(self, time: float, what: Callable[[Any], None], of: Any) -> None:
        """Schedule an event."""
        heappush(self.events, (time, self.entries, what, of))
        self.entries += 1

    def run(self, count: int) -> Outcome:
        """Run a number of events."""
        left = count
        while left:
            time, _, what, of = heappop(self.events)
            if what == self.ring and self.running[of[0]] != of[1]:
                continue  # the timer was cancelled
            passed = time - self.now
            levels = (self.active, self.costs, self.waiting, self.virtual, self.on_backup, self.real)
            for place, level in enumerate(levels):
                self.areas[place] += level * passed
            self.now = time
            what(of)
            left -= 1
        return Outcome(count, tuple(self.areas), self.matched, self.overflowed, self.made, self.virtuals)

    # Events.

    def arrive(self, number: int) -> None:
        """A real job arrives: Step 2."""
        place = number - int(self.block.first[0])
        job = Job(number, self.types[place], virtual=False)
        self.next_arrival(number + 1)
        shares = self.route[job.type]
        if len(shares) > 1:
            job.pool = first_at_least(shares, self.chance.share(ROUTE_KEY, number, 0))
        tokens = self.tokens[job.pool][job.type]
        self.real += 1
        if not tokens:
            self.overflow(job)
            return
        self.matched += 1
        self.take(job, self.chance.below(TOKEN_KEY, number, len(tokens)))

    def next_arrival(self, number: int) -> None:
        """Schedule the next job's arrival."""
        if number == self.block.end:
            self.block = self.workload.block_at(number)
            self.times, self.types = self.block.time.tolist(), self.block.type.tolist()
        self.add(self.times[number - int(self.block.first[0])], self.arrive, number)

    def overflow(self, job: Job) -> None:
        """Send a job to a backup server."""
        idle = self.idle[job.pool]
        if idle:
            job.server = heappop(idle)
        else:
            job.server = self.backups[job.pool]
            self.backups[job.pool] += 1
        job.backup = True
        self.overflowed += 1
        self.on_backup += 1
        self.active += 1
        self.costs += self.cost_of(self.demand[job.phase])
        self.draw(job)

    def go(self, entry: tuple[Job, int]) -> None:
        """A job changes its phase or departs."""
        job, phase = entry
        if phase == self.phases:
            self.leave(job)
        else:
            self.move(job, phase)
        if not job.backup and not self.held[job.server]:
            self.look(job.server, self.observed[job.server], [0] * self.phases)

    def leave(self, job: Job) -> None:
        """A job departs."""
        server = job.server
        if job.virtual:
            self.virtual -= 1
        else:
            self.real -= 1
            if job.backup:
                heappush(self.idle[job.pool], server)
                self.on_backup -= 1
                self.active -= 1
                self.costs -= self.cost_of(self.demand[job.phase])
                return
            self.jobs_on[server] -= 1
            self.active -= not self.jobs_on[server]
            self.change_use(server, job.phase, -1)
        self.observed[server] = self.down[self.observed[server]][job.phase]

    def move(self, job: Job, phase: int) -> None:
        """A job changes its phase."""
        before, server = job.phase, job.server
        job.phase = phase
        job.moves += 1
        if job.backup:
            self.costs += self.cost_of(self.demand[phase]) - self.cost_of(self.demand[before])
        else:
            if not job.virtual:
                self.change_use(server, before, -1)
                self.change_use(server, phase, 1)
            self.observed[server] = self.up[self.down[self.observed[server]][before]][phase]
        self.draw(job)

    def ring(self, entry: tuple[int, int]) -> None:
        """A timer is due: a proactive request."""
        server, number = entry
        self.running[server] = -1
        pool, place = self.pool_of[server], self.observed[server]
        if self.case[pool][place] != TIMERS:
            self.request(server, list(self.asks[pool][place]))
            return
        share = self.chance.share(TIMER_KEY, number, 1)
        job_type = first_at_least(self.timer[pool][place], share)
        jobs = [0] * self.phases
        jobs[job_type] = 1
        self.look(server, self.up[place][job_type], jobs)

    # Consequences.

    def look(self, server: int, place: int, jobs: list[int]) -> None:
        """Apply case 2 as long as it holds, and make the request; or start a new timer."""
        pool = self.pool_of[server]
        while self.case[pool][place] == AT_ONCE:
            share = self.chance.share(REQUEST_KEY, self.requests, sum(jobs))
            job_type = first_at_least(self.choice[pool][place], share)
            jobs[job_type] += 1
            place = self.up[place][job_type]
        if any(jobs):
            self.request(server, jobs)
        else:
            self.new_timer(server)

    def request(self, server: int, jobs: list[int]) -> None:
        """Make tokens, and apply the limit."""
        pool = self.pool_of[server]
        self.requests += 1
        for job_type, many in enumerate(jobs):
            self.tokens[pool][job_type] += [server] * many
        total = sum(jobs)
        self.held[server] += total
        self.made += total
        self.waiting += total
        self.running[server] = -1
        for job_type, tokens in enumerate(self.tokens[pool]):
            while len(tokens) > self.limit[pool]:
                job = Job(self.virtuals, job_type, virtual=True)
                job.pool = pool
                position = self.chance.below(VIRTUAL_TOKEN_KEY, self.virtuals, len(tokens))
                self.virtuals += 1
                self.virtual += 1
                self.take(job, position)

    def take(self, job: Job, position: int) -> None:
        """Let a job take a token and join its server, whose pause may end."""
        server = job.server = self.tokens[job.pool][job.type].pop(position)
        self.waiting -= 1
        self.held[server] -= 1
        if not job.virtual:
            self.active += not self.jobs_on[server]
            self.jobs_on[server] += 1
            self.change_use(server, job.phase, 1)
        self.observed[server] = self.up[self.observed[server]][job.phase]
        self.draw(job)
        if not self.held[server]:
            self.new_timer(server)

    def new_timer(self, server: int) -> None:
        """Start the timer of a server's configuration, if it has one."""
        rate = self.rate[self.pool_of[server]][self.observed[server]]
        self.running[server] = -1
        if rate > 0:
            number = self.running[server] = self.timers
            self.timers += 1
            time = self.chance.time(TIMER_KEY, number, 0) / rate
            self.add(self.now + time, self.ring, (server, number))

    def draw(self, job: Job) -> None:
        """Draw when and where a job moves."""
        key = VIRTUAL_KEY if job.virtual else REAL_KEY
        time = self.chance.time(key, job.number, 2 * job.moves) / self.out_rate[job.phase]
        where = self.chance.share(key, job.number, 2 * job.moves + 1)
        following = sum(upto < where for upto in self.next_phase[job.phase])
        self.add(self.now + time, self.go, (job, following))

    def change_use(self, server: int, phase: int, jobs: int) -> None:
        """Change the number of real jobs of a phase on a server."""
        use = self.use[server]
        for d, need in enumerate(self.demand[phase]):
            use[d] += jobs * need
        cost = self.cost_of(use)
        self.costs += cost - self.cost[server]
        self.cost[server] = cost

    def cost_of(self, use: list[int]) -> int:
        """h, in units of cost."""
        rows = zip(use, self.capacity, self.weight, strict=True)
        return sum((needs - has) ** self.power * each for needs, has, each in rows if needs > has)


def in_python(bench: Bench, events: int, seed: int = 1) -> Way:
    """The Python program, from empty servers."""

    def prepared() -> Callable[[], Outcome]:
        run = PlainJrs(bench, Chance(seed))
        run.run(events)  # fills the servers
        return lambda: run.run(events)

    return prepared


# C.


#: With the program's own logarithm instead of the system's; no fused multiply-add, which would round only once.
SAME_LOGARITHM = ("-DSAME_LOGARITHM", "-ffp-contract=off")


def compiled_c(folder: Path, *options: str) -> ctypes.CDLL | None:
    """The program in C, or None where no compiler is installed."""
    return library_of(Path(__file__).with_name(SOURCE), folder, *options)


class CompiledJrs:
    """JRS in C from empty servers, with room for a number of events."""

    def __init__(self, bench: Bench, library: ctypes.CDLL, events: int) -> None:
        system: Any = bench.system
        rules, tables = system.policy.rules, system.tables
        types, records = len(tables.out_rate), events + 1
        state = system.raw_state()
        tokens = int(rules.limit.max()) + system.policy.most_tokens + 1
        self._library = library
        self.level, self.area = np.zeros(6, np.int64), np.zeros(6)
        self.tape = np.zeros(min(TAPE, events), PHASE_ROW)
        time, job_type = _arrivals(system.workload, records)
        self._jrs = Pointers.of(
            *_constants(tables, rules),
            time,
            job_type,
            len(time),
            *_fresh(state, tables, rules, records, tokens),
            self.level,
            self.area,
            np.zeros(1),
            np.zeros(types, np.int64),
            state.trail.copy(),
            self.tape,
            0,
            len(self.tape),
            *[0] * 9,
        )
        library.begin(ctypes.byref(self._jrs))

    def run(self, events: int) -> Outcome:
        """Run a number of events."""
        self._library.run(ctypes.byref(self._jrs), ctypes.c_int64(events))
        names = [name for name, _ in self._jrs._fields_][-4:]
        virtual, matched, overflowed, made = (getattr(self._jrs, name) for name in names)
        return Outcome(events, tuple(self.area.tolist()), matched, overflowed, made, virtual)


def _fresh(state: Any, tables: Any, rules: Any, records: int, tokens: int) -> tuple[Any, ...]:
    """Servers, timers, tokens, backup servers and jobs at the start, in the order of those fields."""
    servers, pools, types = len(rules.pool_of), len(rules.limit), len(tables.out_rate)
    return (
        state.observed.copy(),
        np.zeros(servers, np.int32),
        np.zeros(servers, np.int32),
        np.zeros((servers, tables.demand.shape[1]), np.int64),
        np.zeros(servers, np.int64),
        state.timer_due.copy(),
        state.timer_number.copy(),
        state.timer_tree.copy(),
        len(state.timer_tree) // 2,
        np.zeros((pools, types), np.int32),
        np.zeros((pools, types, tokens), np.int32),
        np.zeros((pools, types, tokens), np.int64),
        np.zeros((pools, types, tokens)),
        tokens,
        np.zeros((pools, records), np.int32),
        records,
        np.zeros(pools, np.int32),
        np.zeros((records, 5), np.int64),
        np.arange(records, dtype=np.int32),
        records,
        np.full(records, np.inf),
        np.zeros(records, np.int32),
        0,
    )


def _constants(tables: Any, rules: Any) -> tuple[Any, ...]:
    """The constants, in the order of the fields of the library's structure."""
    types, resources = tables.demand.shape
    return (
        *(types, resources, len(rules.limit), len(rules.pool_of), len(tables.up)),
        *(tables.demand, tables.capacity, tables.weight, tables.power),
        *(tables.up, tables.down, tables.out_rate, tables.next_phase, tables.key),
        *(rules.case, rules.rate, rules.timer, rules.choice, rules.asks, rules.limit, rules.pool_of, rules.route),
    )


def _arrivals(workload: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Times and types of at least so many arrivals."""
    blocks = [workload.block_at(0)]
    while blocks[-1].end < count:
        blocks.append(workload.block_at(blocks[-1].end))
    return (np.concatenate([block.time for block in blocks]), np.concatenate([block.type for block in blocks]))


def in_c(bench: Bench, library: ctypes.CDLL, events: int) -> Way:
    """The program in C, from empty servers."""

    def prepared() -> Callable[[], Outcome]:
        run = CompiledJrs(bench, library, 2 * events)
        run.run(events)  # fills the servers
        return lambda: run.run(events)

    return prepared
