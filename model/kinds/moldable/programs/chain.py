"""The exact Markov chain of a small system of moldable jobs with exponential sizes.

Ghanbarian et al. (2025), Section 2, and Section 6 for classes with servers of their own.  The
states are all states reachable from an empty system; their stationary probabilities solve one sparse
linear system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

#: Chains with more states are refused unless the caller allows more.
MOST_STATES = 20_000

#: Chains with more states are solved by iteration from the uniform distribution; smaller ones by factorization.
MOST_SOLVED = 2_000

#: Most steps of the iteration, and the largest change over their second half at which it ends.  That change is about
#: the error after the first half, which falls by the same factor again in the second.
MOST_STEPS, SETTLED = 100_000, 1e-8

#: The rate of steps (uniformization), as a multiple of the largest rate out of a state.
STEPS = 1.05

#: Largest imbalance of the flows into and out of a state, relative to the largest flow.
BALANCE_TOLERANCE = 1e-8

#: The requests of a policy: (class from 0, free servers open to it, at least 1) -> (i, probability).
Requests = Callable[[int, int], Sequence[tuple[int, float]]]


class ChainTooLargeError(ValueError):
    """The chain has more states than allowed."""


class ChainClass(NamedTuple):
    """A class of jobs.

    If ``own`` is 0 for all classes, the common servers are one pool for all of them.
    """

    arrival_rate: float  #: n lambda_j, the rate for the whole system
    service_rate: float  #: mu_j
    speedup: tuple[float, ...]  #: s_1..s_d
    own: int  #: the class's own servers, which its jobs take before common ones


class Allocation(NamedTuple):
    """The servers of a job."""

    job_class: int
    own: int  #: the number from the class's own servers
    common: int

    @property
    def width(self) -> int:
        """The number of servers."""
        return self.own + self.common


@dataclass(frozen=True, eq=False)
class JobChain:
    """The chain and its stationary distribution."""

    classes: tuple[ChainClass, ...]  #: [l]
    allocations: tuple[Allocation, ...]  #: [K] all possible allocations
    states: NDArray[np.int64]  #: [S, K] the number of jobs with each allocation
    probability: NDArray[np.float64]  #: [S] the stationary distribution
    #: blocked, partial: [S, l] the probability that an arriving job is blocked, or gets fewer servers than it requests
    blocked: NDArray[np.float64]
    partial: NDArray[np.float64]

    def jobs(self, job_class: int) -> NDArray[np.int64]:
        """[S, d_j] the jobs of a class on 1..d_j servers: X_1..X_{d_j}."""
        found = np.zeros((len(self.states), len(self.classes[job_class].speedup)), np.int64)
        for place, allocation in enumerate(self.allocations):
            if allocation.job_class == job_class:
                found[:, allocation.width - 1] += self.states[:, place]
        return found

    def mean(self, values: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
        """The stationary mean of *values* [S, ...]."""
        return np.asarray(np.tensordot(self.probability, values, axes=1), np.float64)


def chain_of(
    classes: Sequence[ChainClass], common: int, requests: Requests, most_states: int = MOST_STATES, known: int = 0
) -> JobChain:
    """The chain of classes with pools, solved.

    - *classes*: [l] their rates and own servers.
    - *common*: The number of servers that every class may take after its own.
    - *requests*: The policy's rule; requests are capped by the free servers.
    - *most_states*: The largest number of states.
    - *known*: The states of other chains, which count towards it.

    Raises ChainTooLargeError if there are more states.
    """
    steps = _Steps(tuple(classes), common, requests)
    rows: list[tuple[int, int, float]] = []
    numbers: dict[tuple[int, ...], int] = {(): 0}
    queue: list[tuple[int, ...]] = [()]
    for source, state in enumerate(queue):  # grows during the loop
        for target, rate in steps.out_of(state):
            if target not in numbers:
                if known + len(queue) >= most_states:
                    raise ChainTooLargeError(f"the chain has more than {most_states:,} states; it needs fewer servers")
                numbers[target] = len(queue)
                queue.append(target)
            rows.append((source, numbers[target], rate))
    states = np.zeros((len(queue), len(steps.allocations)), np.int64)
    for number, state in enumerate(queue):
        states[number, : len(state)] = state
    return JobChain(
        classes=steps.classes,
        allocations=tuple(steps.allocations),
        states=states,
        probability=_stationary(rows, len(queue)),
        blocked=np.array(steps.blocked),
        partial=np.array(steps.partial),
    )


class _Steps:
    """The transitions; allocations are numbered as they occur.

    A state is the number of jobs with each allocation so far, without trailing zeros.
    """

    def __init__(self, classes: tuple[ChainClass, ...], common: int, requests: Requests) -> None:
        self.classes, self.common, self.requests = classes, common, requests
        self.allocations: list[Allocation] = []
        self.blocked: list[list[float]] = []
        self.partial: list[list[float]] = []
        self._number: dict[Allocation, int] = {}

    def out_of(self, state: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], float]]:
        """The next states with their rates; also records the fate of an arrival in this state."""
        own = [one.own for one in self.classes]
        common = self.common
        for jobs, (job_class, mine, shared) in zip(state, self.allocations, strict=False):
            own[job_class] -= jobs * mine
            common -= jobs * shared
        self.blocked.append([0.0] * len(own))
        self.partial.append([0.0] * len(own))
        for job_class, one in enumerate(self.classes):
            for allocation, probability in self._taken(job_class, own[job_class], common):
                number = self._number_of(allocation)
                yield _changed(state, number, 1), one.arrival_rate * probability
        for number, jobs in enumerate(state):
            if jobs:
                allocation = self.allocations[number]
                one = self.classes[allocation.job_class]
                rate = one.service_rate * one.speedup[allocation.width - 1]
                yield _changed(state, number, -1), jobs * rate

    def _taken(self, job_class: int, own: int, common: int) -> Iterator[tuple[Allocation, float]]:
        free = own + common
        if not free:
            self.blocked[-1][job_class] = 1.0
            return
        for i, probability in self.requests(job_class, free):
            if not probability:
                continue
            width = min(i, free)
            mine = min(width, own)
            if width < i:
                self.partial[-1][job_class] += probability
            yield Allocation(job_class, mine, width - mine), probability

    def _number_of(self, allocation: Allocation) -> int:
        if allocation not in self._number:
            self._number[allocation] = len(self.allocations)
            self.allocations.append(allocation)
        return self._number[allocation]


def _changed(state: tuple[int, ...], place: int, by: int) -> tuple[int, ...]:
    jobs = [*state, *([0] * (place + 1 - len(state)))]
    jobs[place] += by
    while jobs and not jobs[-1]:
        jobs.pop()
    return tuple(jobs)


def _stationary(rows: Sequence[tuple[int, int, float]], size: int) -> NDArray[np.float64]:
    """pi with pi Q = 0, from the rates of all transitions."""
    if size == 1:
        return np.ones(1)
    source, target, rate = (np.array(column) for column in zip(*rows, strict=True))
    flow = sparse.csr_matrix((rate, (target, source)), shape=(size, size))
    out = np.asarray(flow.sum(axis=0)).ravel()
    found = _solved(flow, out) if size <= MOST_SOLVED else _settled(flow, out)
    off = np.abs(flow @ found - out * found).max()
    if off > BALANCE_TOLERANCE * (out * found).max():
        raise ArithmeticError(f"flows differ by {off:.2g}: the chain was not solved")
    return found


def _solved(flow: sparse.csr_matrix, out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve by a sparse factorization; with many allocations its factors are far from sparse."""
    # Probabilities are relative to a likely state; relative to others they may overflow.
    balance = (sparse.diags(out) - flow).tocsc()
    reference = int(_after(_step(flow, out), np.full(len(out), 1 / len(out)), MOST_SOLVED).argmax())
    others = np.flatnonzero(np.arange(len(out)) != reference)
    into = -np.asarray(balance[others][:, [reference]].todense()).ravel()
    found = np.ones(len(out))
    found[others] = splu(balance[others][:, others]).solve(into)
    found = np.maximum(found, 0.0)  # rounding can make tiny ones negative
    return np.asarray(found / found.sum(), np.float64)


def _settled(flow: sparse.csr_matrix, out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Iterate until the distribution no longer changes.

    A loss system forgets its past within a few service times, so that this is fast whatever the structure.
    """
    step, steps = _step(flow, out), 64
    mass = np.full(len(out), 1 / len(out))
    while steps < MOST_STEPS:
        before, mass = mass, _after(step, mass, steps)
        mass /= mass.sum()
        if np.abs(mass - before).sum() < SETTLED:
            return mass
        steps *= 2
    raise ChainTooLargeError(
        "the chain settles too slowly: the rates of its classes lie too far apart for so many states"
    )


def _step(flow: sparse.csr_matrix, out: NDArray[np.float64]) -> sparse.csr_matrix:
    """[to, from] the transition probabilities of the uniformized chain."""
    fastest = STEPS * out.max()
    return (flow / fastest + sparse.diags(1 - out / fastest)).tocsr()


def _after(step: sparse.csr_matrix, mass: NDArray[np.float64], steps: int) -> NDArray[np.float64]:
    for _ in range(steps):
        mass = step @ mass
    return mass
