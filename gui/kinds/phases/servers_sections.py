"""Which servers are grouped under which caption, and what is on them; independent of pixels.

I phases, D resources.  Servers are identified as in rows of events: by number, or by FIRST_BACKUP - n for backup
server n of its pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from slotscope.model.kinds.phases.facts import PhaseFacts
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.state import FIRST_BACKUP, PhaseState
from slotscope.model.reporting.frame import Frame

Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

#: Least number of places kept for servers without a number.
LEAST_PLACES = 4


class ServerPlace(NamedTuple):
    """Identifies a server: a normal one, or a backup server of a pool."""

    server: int  #: its number, or FIRST_BACKUP - n
    pool: int = -1  #: of a backup server; -1 for others, whose number is unique

    @property
    def is_backup(self) -> bool:
        return self.server <= FIRST_BACKUP

    @property
    def number(self) -> int:
        """Its index among the normal servers, or among its pool's backup servers, from 0."""
        return FIRST_BACKUP - self.server if self.is_backup else self.server


@dataclass(frozen=True, eq=False)
class PhaseSection:
    """The servers under one caption, by number."""

    pool: int  #: their pool; -1 for the backup servers of all pools, or without pools
    backup: bool  #: whether they are backup servers
    server: Integers  #: [n] as in :class:`ServerPlace`
    of_pool: Integers  #: [n] the pool of a backup server; -1 for others

    def __len__(self) -> int:
        return len(self.server)

    def place(self, index: int) -> ServerPlace:
        return ServerPlace(int(self.server[index]), int(self.of_pool[index]))

    def index(self, place: ServerPlace) -> int | None:
        if place.is_backup != self.backup or not len(self):
            return None
        if not self.backup:
            index = place.server - int(self.server[0])
            return index if 0 <= index < len(self) else None
        found = np.flatnonzero((self.server == place.server) & (self.of_pool == place.pool))
        return int(found[0]) if len(found) else None


@dataclass(frozen=True, eq=False)
class PhaseContent:
    """The contents of some servers."""

    #: real, virtual: [S, I] jobs in each phase
    real: Indices
    virtual: Indices
    tokens: Indices  #: [S, I] tokens of each type
    timer: Flags  #: [S] whether a timer runs
    paused: Flags  #: [S] whether it holds a token

    def of(self, chosen: Integers) -> PhaseContent:
        """The contents of the *chosen* ones."""
        return PhaseContent(*(each[chosen] for each in vars(self).values()))


def content_of(state: PhaseState, section: PhaseSection, chosen: Integers) -> PhaseContent:
    """The contents of the *chosen* servers of a section."""
    servers, phases = section.server[chosen], state.real.shape[1]
    if not section.backup:
        timer = np.zeros(len(servers), bool)
        if len(state.timer_number):
            timer = state.timer_number[servers] >= 0
        # take() is much faster than indexing for such short rows
        real, virtual, tokens = (each.take(servers, axis=0) for each in (state.real, state.virtual, state.tokens))
        return PhaseContent(real, virtual, tokens, timer, state.tokens_on[servers] > 0)
    none = np.zeros((len(servers), phases), np.int32)
    record = state.backup_record[section.of_pool[chosen], FIRST_BACKUP - servers]
    busy = np.flatnonzero(record >= 0)
    real = none.copy()
    real[busy, state.job_phase[record[busy]]] = 1
    neither = np.zeros(len(servers), bool)
    return PhaseContent(real, none, none, neither, neither)


class Gatherer:
    """Finds the sections of one run; the number of places for servers without a number changes rarely."""

    def __init__(self, facts: PhaseFacts) -> None:
        self._facts = facts
        self._kept: dict[int, int] = {}

    def sections(self, state: PhaseState) -> tuple[PhaseSection, ...]:
        """The sections of a state: pool by pool, then the backup servers."""
        facts = self._facts
        if not facts.normal_servers:
            room = min(self._room(-1, last_used(state.jobs_on)), len(state.jobs_on))
            return (_section(-1, 0, room),)
        counts = np.bincount(facts.pool_of, minlength=facts.pools).tolist()
        several = len(counts) > 1
        found = [
            _section(pool if several else -1, facts.first_server(pool), count) for pool, count in enumerate(counts)
        ]
        return (*found, self._backups(state))

    def _backups(self, state: PhaseState) -> PhaseSection:
        pools, servers = [], []
        for pool, records in enumerate(state.backup_record):
            room = min(self._room(pool, last_used(records + 1)), len(records))
            pools.append(np.full(room, pool))
            servers.append(FIRST_BACKUP - np.arange(room))
        return PhaseSection(-1, True, np.concatenate(servers), np.concatenate(pools))

    def _room(self, key: int, needed: int) -> int:
        """The number of places for *needed* servers: some spare ones, and the previous number as long as that will do.

        Otherwise cells would change their size with every job that comes or goes.
        """
        kept = self._kept.get(key, 0)
        if not max(needed, LEAST_PLACES) <= kept <= 4 * max(needed, LEAST_PLACES):
            kept = self._kept[key] = rounded_up(max(needed, LEAST_PLACES))
        return kept


def _section(pool: int, first: int, count: int) -> PhaseSection:
    return PhaseSection(pool, False, np.arange(first, first + count), np.full(count, -1))


def last_used(jobs: npt.NDArray[np.signedinteger]) -> int:
    """The number of places up to the last one that is not 0."""
    used = np.flatnonzero(jobs)
    return int(used[-1]) + 1 if len(used) else 0


def rounded_up(count: int) -> int:
    """*count* rounded up, by at most a quarter, to a number of three binary digits and zeros."""
    step = 1 << max(0, count.bit_length() - 3)
    return -(-count // step) * step


def most_use(state: PhaseState, numbers: PhaseNumbers) -> float:
    """The largest share of its capacity that any server's real jobs, or its virtual jobs, need."""
    demand = numbers.demand.astype(np.float64) / numbers.capacity
    virtual = state.virtual @ demand
    alone = demand[state.job_phase[state.backup_record[state.backup_record >= 0]]]
    real = state.use / numbers.capacity
    return float(max(part.max(initial=0.0) for part in (real, virtual, alone)))


def info_has_tokens(frame: Frame) -> bool:
    """Whether the policy has normal servers, tokens and virtual jobs."""
    return bool(frame.info.facts.normal_servers)


def records_on(state: PhaseState, place: ServerPlace, virtual: bool = False) -> list[int]:
    """The records of the real or virtual jobs on a server, the earliest first."""
    if place.is_backup:
        record = int(state.backup_record[place.pool, place.number])
        return [record] if record >= 0 and not virtual else []
    there = (state.job_server == place.server) & (state.job_virtual == int(virtual))
    found = np.flatnonzero(there & (state.job_number >= 0))
    return [int(record) for record in found[np.argsort(state.job_number[found])]]


def place_of(state: PhaseState, record: int) -> ServerPlace | None:
    """The server of the job in a record; None if it is on no server."""
    server = int(state.job_server[record])
    if server == -1:
        return None
    return ServerPlace(server, int(state.job_pool[record]) if server <= FIRST_BACKUP else -1)
