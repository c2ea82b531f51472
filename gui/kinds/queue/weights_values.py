"""The weights <k, Q> of all configurations as rows, in one block per pool of servers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import format_number
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import QueueState
from slotscope.model.programs.configurations import ConfigurationSpace
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.letters import subscript

#: Servers are listed by number in pools of up to this many, in larger pools only counted.
MOST_NAMED = 16
#: At most this many configurations of a pool have a row: those in use, then the heaviest.
MOST_ROWS = 128
#: A product of a job count and a queue's length, as (queue's symbol, k_j, Q_j).
Term = tuple[str, int, int]
#: With more sizes than this, the search for MaxWeight's choice would block the window.
MOST_SIZES = 8


@dataclass(frozen=True)
class BestChoice:
    """The feasible configuration of largest weight, counted by true sizes: MaxWeight's choice."""

    counts: tuple[int, ...]  #: [n] jobs of each size, the largest size first
    waiting: tuple[int, ...]  #: [n] waiting jobs of each size

    @property
    def weight(self) -> int:
        """<k, Q>, (5)."""
        return sum(k * q for k, q in zip(self.counts, self.waiting, strict=True))


def waiting_by_size(sizes: NDArray[np.int64], values: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """[n] the number of jobs, of *sizes* [m, D], that have each of the sizes *values* [n][D]."""
    return tuple(int((sizes == np.array(value)).all(axis=1).sum()) for value in values)


def best_choice(values: Sequence[Sequence[int]], capacity: Sequence[int], waiting: Sequence[int]) -> BestChoice | None:
    """The heaviest configuration of a server of *capacity* [D], with MaxWeight's tie-breaking.

    None if the search would take too long, or the sizes have too fine a resolution for it.
    """
    try:
        # A new space each time: it would cache all its answers, and the queue changes all the time.
        space = ConfigurationSpace.from_demands(values, capacity)
        counts = space.max_reward(tuple(waiting), (1 << len(values)) - 1)
    except ValueError:
        return None
    return BestChoice(counts, tuple(waiting))


@dataclass(frozen=True)
class WeightRow:
    """A configuration, its weight now, and the servers on which it is active.

    ``place`` is its index among all configurations, ``named`` lists these servers (counted
    from 0) if the pool is small, ``share`` is their share of the pool's servers.
    """

    place: int
    name: str
    terms: tuple[Term, ...]
    weight: int
    servers: int
    share: float
    named: tuple[int, ...] = ()
    largest: bool = False
    tie: bool = False


@dataclass(frozen=True)
class WeightBlock:
    """The configurations of one pool of servers.

    ``best`` is MaxWeight's choice, in words such as 1×0.6 + 1×0.4.  ``threshold`` is gamma times
    the largest weight if the policy stalls, ``own`` the weights of active configurations on the pool's
    servers, as (weight, number of servers).  ``idle`` counts servers without an active configuration
    yet, and ``hidden`` the configurations without a row.
    """

    heading: str
    servers: int
    rows: tuple[WeightRow, ...]
    hidden: int
    threshold: Fraction | None
    gamma: Fraction | None
    best: BestChoice | None
    best_words: str
    best_terms: tuple[Term, ...]
    own: tuple[tuple[int, int], ...]
    idle: int
    stalled: int

    @property
    def heaviest(self) -> WeightRow:
        """The row of the first configuration of largest weight."""
        return next(row for row in self.rows if row.largest)

    @property
    def top(self) -> int:
        """The largest weight shown, MaxWeight's choice included."""
        return max(self.heaviest.weight, self.best.weight if self.best else 0)

    @property
    def on_largest(self) -> int:
        """The number of servers whose active configuration has the largest weight."""
        return sum(count for weight, count in self.own if weight == self.heaviest.weight)

    @property
    def below(self) -> int:
        """The number of servers whose active configuration has a weight below the threshold."""
        if self.threshold is None:
            return 0
        return sum(count for weight, count in self.own if weight < self.threshold)


# Words.


def in_symbols(terms: tuple[Term, ...]) -> str:
    """The terms in symbols: 1·Q₁ + 2·Q₅."""
    return " + ".join(f"{k}·{queue}" for queue, k, _ in terms) or "0"


def in_numbers(terms: tuple[Term, ...]) -> str:
    """The terms in numbers: 1·3 + 2·4."""
    return " + ".join(f"{k}·{format_number(length)}" for _, k, length in terms) or "0"


def row_sentence(row: WeightRow, servers: int) -> str:
    """The tooltip of a configuration in a pool of *servers*."""
    weight = f"⟨k, Q⟩ = {in_symbols(row.terms)} = {in_numbers(row.terms)}"
    text = f"{row.name}: {weight} = {format_number(row.weight)}"
    if row.largest:
        text += ", the largest"
    elif row.tie:
        text += ", as much as the largest, which comes first in the order of configurations"
    active = f"active on {format_number(row.servers)} of {format_number(servers)} servers"
    named = ", ".join(str(server + 1) for server in row.named)
    return f"{text}. It is {active}{': ' + named if named else ''}."


def best_sentence(block: WeightBlock) -> str:
    """The tooltip of MaxWeight's choice."""
    if block.best is None:
        return ""
    work = f"{in_symbols(block.best_terms)} = {in_numbers(block.best_terms)}"
    return (
        f"MaxWeight would choose {block.best_words or 'no job'}: {work} = {format_number(block.best.weight)}. The "
        "largest weight below is at least 2/3 of it where no size is below 1/2ᴶ: Proposition 1."
    )


def own_sentence(block: WeightBlock) -> str:
    """The tooltip of the servers' own weights."""
    text = (
        f"The servers by the weights of their active configurations: {format_number(block.on_largest)} of "
        f"{format_number(block.servers)} on the largest"
    )
    if block.threshold is not None:
        gamma = significant(float(block.gamma or 0))
        text += f", {format_number(block.below)} below {gamma} × the largest, which stalls them until they are empty"
    if block.idle:
        text += f", {format_number(block.idle)} without a configuration yet"
    return f"{text}."


# From a frame.


def weight_blocks(frame: Frame) -> tuple[WeightBlock, ...]:
    """One block for each pool that has configurations."""
    pools = frame.info.facts.pool_configurations
    return tuple(_block(frame, pool) for pool, (start, stop) in enumerate(pools) if stop > start)


def _block(frame: Frame, pool: int) -> WeightBlock:
    info, state = frame.info, frame.state
    facts: QueueFacts = info.facts
    mine = np.flatnonzero(np.asarray(info.numbers.pool_of) == pool)
    active = state.active[mine]
    rows = tuple(_rows(frame, pool, mine, active))
    start, stop = facts.pool_configurations[pool]
    gamma = facts.gamma or None
    largest = int(frame.derived.weights[start:stop].max())
    own, counts = np.unique(frame.derived.weights[active[active >= 0]], return_counts=True)
    best = _best(frame, pool)
    words, terms = _best_parts(best, info.numbers)
    return WeightBlock(
        heading=_heading(info.numbers, pool) if len(facts.pool_configurations) > 1 else "",
        servers=len(mine),
        rows=rows,
        hidden=stop - start - len(rows),
        threshold=None if gamma is None else gamma * largest,
        gamma=gamma,
        best=best,
        best_words=words,
        best_terms=terms,
        own=tuple(zip(own.tolist(), counts.tolist(), strict=True)),
        idle=int((active < 0).sum()),
        stalled=int(state.stalled[mine].sum()),
    )


def _rows(frame: Frame, pool: int, mine: NDArray[np.int64], active: NDArray[np.int32]) -> Iterator[WeightRow]:
    """The rows of a pool; *mine* [n] are its servers, *active* [n] their active configurations."""
    facts: QueueFacts = frame.info.facts
    start, stop = facts.pool_configurations[pool]
    weights, first = frame.derived.weights, frame.derived.heaviest[pool]
    counts = np.bincount(active[active >= 0], minlength=stop)
    symbols, lengths = queue_symbols(facts), frame.state.queue_length.tolist()
    for place in (start + kept_rows(weights[start:stop], counts[start:stop])).tolist():
        configuration, weight = facts.configurations[place], int(weights[place])
        yield WeightRow(
            place=place,
            name=facts.configuration_names[place].replace("+", " + "),
            terms=tuple(
                (symbols[j], int(configuration[j]), lengths[j]) for j in np.flatnonzero(configuration).tolist()
            ),
            weight=weight,
            servers=int(counts[place]),
            share=int(counts[place]) / len(mine),
            named=tuple(mine[active == place].tolist()) if len(mine) <= MOST_NAMED else (),
            largest=place == first,
            tie=place != first and weight == weights[first] > 0,
        )


def kept_rows(weights: NDArray[np.int64], servers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indices, ascending, of the configurations to show; if very many, those in use and the heaviest."""
    if len(weights) <= MOST_ROWS:
        return np.arange(len(weights))
    rank = np.where(servers > 0, 1, 2)
    rank[np.argmax(weights)] = 0
    return np.sort(np.lexsort((-weights, rank))[:MOST_ROWS])


def queue_symbols(facts: QueueFacts) -> list[str]:
    """[V] Q_j for each virtual queue; j begins at 1 if each size has its own queue, as for job types."""
    first = 0 if facts.intervals else 1
    return [f"Q{subscript(queue)}" for queue in range(first, first + facts.layout.queues)]


def _best(frame: Frame, pool: int) -> BestChoice | None:
    """MaxWeight's choice; None for policies without intervals, whose own configurations are all feasible ones."""
    facts, numbers = frame.info.facts, frame.info.numbers
    if not facts.intervals or not 0 < numbers.types <= MOST_SIZES:
        return None
    state: QueueState = frame.state
    waits = (state.job_number >= 0) & (state.job_server < 0)
    waiting = waiting_by_size(state.job_size[waits], numbers.values)
    return best_choice(numbers.values, numbers.pools[pool].capacity, waiting)


def _best_parts(best: BestChoice | None, numbers: QueueNumbers) -> tuple[str, tuple[Term, ...]]:
    """The choice in words, and its terms; queues are named by the size of their jobs."""
    if best is None:
        return "", ()
    sizes = [significant(float(numbers.amount(value[0]))) for value in numbers.values]
    parts = [(size, k, length) for size, k, length in zip(sizes, best.counts, best.waiting, strict=True) if k]
    words = " + ".join(f"{k}×{size}" for size, k, _ in parts)
    return words, tuple((f"Q({size})", k, length) for size, k, length in parts)


def _heading(numbers: QueueNumbers, pool: int) -> str:
    servers = numbers.pools[pool]
    count = f"{format_number(servers.count)} server{'s' if servers.count != 1 else ''}"
    sizes = (significant(float(numbers.amount(u, d))) for d, u in enumerate(servers.capacity))
    name = f"{servers.name}: " if servers.name else ""
    return f"{name}{count} of {' × '.join(sizes)}"
