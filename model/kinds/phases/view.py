"""The read-only view that policies have of a system with phases; it is always current."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Protocol, Sequence, TypeVar

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.numbers import (
    CHOICE_KEY,
    REQUEST_KEY,
    ROUTE_KEY,
    TIMER_KEY,
    TOKEN_KEY,
    VIRTUAL_TOKEN_KEY,
    PhaseNumbers,
    PhaseTables,
)
from slotscope.model.kinds.phases.state import NEXT_REQUEST, NEXT_VIRTUAL, REAL, PhaseState
from slotscope.model.systems import random_words
from slotscope.model.systems.view import PolicyView


class PhaseJob(NamedTuple):
    """A job that arrives, moves or departs, as policies see it."""

    number: int
    type: int  #: the phase in which it arrives, to which it moves, or from which it departs
    server: int = -1  #: the server on which it moves, or from which it departs
    virtual: bool = False


class Choices(Protocol):
    """The source of a policy's random choices: the run's random words, or a script."""

    def pool(self, job: int, shares: NDArray[np.float64]) -> int:
        """The pool of an arriving job; *shares* [P] are cumulative probabilities."""

    def token(self, job: int, count: int) -> int:
        """The position of the token that an arriving job takes, of *count*; -1: none."""

    def virtual_token(self, count: int) -> int:
        """The position of the token that a virtual arrival takes, out of *count*."""

    def ticked(self, server: int, shares: NDArray[np.float64]) -> int:
        """The type whose timer rang; *shares* [I] are cumulative probabilities."""

    def requested(self, step: int, shares: NDArray[np.float64]) -> int:
        """The type of one step of a case-2 chain; *shares* [I] are cumulative probabilities."""

    def one_of(self, job: int, draw: int, count: int) -> int:
        """Draw number *draw* of an arriving job: a number below *count*."""


def first_at_least(shares: NDArray[np.float64], number: float) -> int:
    """The first index whose cumulative share reaches *number* in (0, 1]."""
    return min(int(np.searchsorted(shares, number, side="left")), len(shares) - 1)


class RandomChoices:
    """Random choices; each is drawn by a random word that depends only on what is chosen.

    *timer* is the number of the timer that has just rung, if one has.
    """

    def __init__(self, tables: PhaseTables, state: PhaseState, timer: int = -1) -> None:
        self._key = tables.key
        self._state = state
        self._timer = timer

    def _word(self, key: int, number: int, draw: int) -> Any:
        return random_words.random_word(self._key[key], number, draw)

    def _below(self, key: int, number: int, draw: int, count: int) -> int:
        return random_words.below(self._word(key, number, draw), count)

    def _share(self, key: int, number: int, draw: int, shares: NDArray[np.float64]) -> int:
        return first_at_least(shares, random_words.uniform(self._word(key, number, draw)))

    def pool(self, job: int, shares: NDArray[np.float64]) -> int:
        """See :class:`Choices`."""
        return self._share(ROUTE_KEY, job, 0, shares) if len(shares) > 1 else 0

    def token(self, job: int, count: int) -> int:
        """See :class:`Choices`."""
        return self._below(TOKEN_KEY, job, 0, count) if count else -1

    def virtual_token(self, count: int) -> int:
        """See :class:`Choices`."""
        return self._below(VIRTUAL_TOKEN_KEY, int(self._state.number[NEXT_VIRTUAL]), 0, count)

    def ticked(self, server: int, shares: NDArray[np.float64]) -> int:
        """See :class:`Choices`."""
        return self._share(TIMER_KEY, self._timer, 1, shares)

    def requested(self, step: int, shares: NDArray[np.float64]) -> int:
        """See :class:`Choices`."""
        return self._share(REQUEST_KEY, int(self._state.number[NEXT_REQUEST]), step, shares)

    def one_of(self, job: int, draw: int, count: int) -> int:
        """See :class:`Choices`."""
        return self._below(CHOICE_KEY, job, draw, count)


#: Several servers, by their numbers.
Places = Sequence[int] | NDArray[np.intp]

_Rows = TypeVar("_Rows", bound=NDArray[Any])


def _apart(rows: _Rows) -> _Rows:
    """A copy, unless the rows are a copy already, as the rows of several servers are."""
    return rows if rows.base is None else rows.copy()


class PhaseView(PolicyView):
    """The state as the policy sees it in one event."""

    numbers: PhaseNumbers
    _state: PhaseState

    def __init__(self, numbers: PhaseNumbers, state: PhaseState, choices: Choices) -> None:
        super().__init__(numbers, state)
        self.choices = choices

    @property
    def jobs(self) -> int:
        """Z: real jobs in the system."""
        return int(self._state.number[REAL])

    # Tokens.

    @property
    def pools(self) -> int:
        """P, the number of pools."""
        return len(self._state.token_count)

    def tokens(self, pool: int, job_type: int) -> int:
        """Tokens of a type in a pool."""
        return int(self._state.token_count[pool, job_type])

    def all_tokens(self, pool: int) -> int:
        """Tokens of all types in a pool."""
        return int(self._state.token_count[pool].sum())

    def token_server(self, pool: int, job_type: int, position: int) -> int:
        """The server of the token at a position of its list (0: the oldest)."""
        return int(self._state.token_server[pool, job_type, position])

    def token_number(self, pool: int, job_type: int, position: int) -> int:
        """The number of the token at a position of its list (0: the oldest)."""
        return int(self._state.token_number[pool, job_type, position])

    @property
    def next_virtual(self) -> int:
        """The number of the next virtual job."""
        return int(self._state.number[NEXT_VIRTUAL])

    def idle_backup(self, pool: int) -> int:
        """The idle backup server of lowest number."""
        return int(self._state.backup_idle[pool])

    # Servers.

    @property
    def servers(self) -> int:
        """The number of servers in sight: the normal ones, or all that were ever in use and some idle ones."""
        return len(self._state.jobs_on)

    def observed(self, server: int) -> int:
        """The index of the observed configuration in the lattice."""
        return int(self._state.observed[server])

    def observed_configuration(self, server: int) -> tuple[int, ...]:
        """Real and virtual jobs in each phase."""
        return tuple((self._state.real[server] + self._state.virtual[server]).tolist())

    def is_paused(self, server: int) -> bool:
        """Whether the server holds a token."""
        return bool(self._state.tokens_on[server])

    def tokens_on(self, server: int) -> int:
        """The number of tokens of a server."""
        return int(self._state.tokens_on[server])

    def timer_runs(self, server: int) -> bool:
        """Whether a timer of the server runs."""
        return bool(self._state.timer_number[server] >= 0)

    def jobs_on(self, server: int) -> int:
        """Real jobs on a server."""
        return self._state.jobs_on.item(server)

    def jobs_on_each(self, servers: Places) -> NDArray[np.int32]:
        """[s] real jobs on some servers."""
        return _apart(self._state.jobs_on[servers])

    def configuration(self, server: int) -> tuple[int, ...]:
        """K: real jobs in each phase."""
        return tuple(self._state.real[server].tolist())

    def use(self, server: int | Places) -> NDArray[np.int64]:
        """[D] units that the real jobs need now; [s, D] of several servers."""
        return _apart(self._state.use[server])

    def peak_use(self, server: int | Places) -> NDArray[np.int64]:
        """[D] units that the real jobs may need at most; [s, D] of several servers."""
        return _apart(self._state.peak_use[server])

    def with_room(self, job_type: int) -> NDArray[np.int64]:
        """[s] the servers, busy or idle, below the service limit and with room for the type's current demand."""
        fits = (self._state.use + self.numbers.demand[job_type] <= self.numbers.capacity).all(axis=1)
        return np.flatnonzero(fits & (self._state.jobs_on < self.numbers.model.most_jobs))

    def busy_servers(self) -> Iterator[int]:
        """Servers with a real job, in order of their numbers."""
        return iter(self._state.jobs_on.nonzero()[0].tolist())

    def first_idle(self) -> int:
        """The idle server of lowest number."""
        return int((self._state.jobs_on == 0).argmax())
