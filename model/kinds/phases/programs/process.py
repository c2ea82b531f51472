"""One server as a decision process, for given prices of throughput and of cost.

Hong, Xie & Wang (2023), Appendix C.1.  With prices w of the throughputs and a price of the cost,
what is left of (61) is a process with one decision in each configuration: wait, or request a job
of some type at once (an impulse).  Howard's policy iteration solves it: a policy that always
does the same thing is evaluated by one sparse system, and improved wherever another decision
would gain.

Policies meet few of all configurations.  Therefore only those are evaluated that a server can
come to, or could come to by one more request; all of K is looked at to prove an optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from slotscope.model.kinds.phases.programs.program import SingleServerProgram, transitions_of
from slotscope.model.kinds.phases.programs.simplex import check_wanted
from slotscope.model.kinds.phases.programs.stationary import LongRun, Mode, Solved, closed_sets

#: The action of a configuration in which the server waits.
WAIT = -1
#: A gain counts if it is this large beside the values that it is the difference of.
GAIN_TOLERANCE = 1e-11
#: Improvements of one policy before the rest is taken for rounding.
MOST_IMPROVEMENTS = 60
#: The least probability of a configuration of a class; floats would make 0 of less.
TINY = 1e-290
#: Times that a policy's classes are made one class before it is given up.
MOST_MODES = 20


@dataclass(frozen=True, eq=False)
class Prices:
    """Dual variables of (61)."""

    types: NDArray[np.float64]  #: [I] of the throughputs: what a request of each type earns
    cost: float  #: of the budget: what a unit of cost rate takes away


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A policy and what it is worth."""

    action: NDArray[np.int64]  #: [C] WAIT, or the type requested at once
    stationary: NDArray[np.float64]  #: [C] pi, positive in its one recurrent class
    gain: float  #: what it earns per unit of time
    value: NDArray[np.float64]  #: [C] the relative value of each configuration, where it is known
    known: NDArray[np.bool_]  #: [C] whether it is


@dataclass(frozen=True, eq=False)
class _Settled:
    """Where chains of requests end: configuration [C], jobs requested [C, I], and the moves of
    jobs from waiting configurations with their ends."""

    end: NDArray[np.int64]
    jobs: NDArray[np.float64]
    moves: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]


class UndecidedError(ArithmeticError):
    """A policy whose chain falls apart in floats: it is left out."""


class Process:
    """The decision process of a program (61), whose prices are to come."""

    def __init__(self, program: SingleServerProgram) -> None:
        model, lattice = program.model, program.lattice
        self.types, self.size = len(model.phases), len(lattice)
        self.configurations = lattice.configurations
        arriving = np.array([rate > 0 for rate in model.arrival_rates])
        self.up = np.where(arriving, lattice.up, -1).astype(np.int64)
        self.arriving = np.flatnonzero(arriving)
        moves = transitions_of(model, lattice)
        self.source, self.target, self.rate = moves.source, moves.target, moves.total
        self.out = np.bincount(self.source, self.rate, self.size)
        shape = (self.size, self.size)
        self.jobs = sparse.csr_matrix((self.rate, (self.source, self.target)), shape=shape)
        #: [C] h, and epsilon at 0, so that the budget's row reads cost @ pi <= epsilon.
        self.cost = np.zeros(self.size)
        if program.budget_row >= 0:
            row = program.matrix[program.budget_row].toarray().ravel()
            self.cost = row[: self.size].copy()
        total = lattice.configurations.sum(axis=1)
        most = int(total.max())
        self._levels = [np.flatnonzero(total == jobs) for jobs in range(most + 1)]
        #: No server requests more jobs per unit of time than so many can end.
        self.most_requests = most * float(max(model.out_rates))
        self.evaluations = 0
        self._often = 0

    def first(self, kind: int, jobs: int) -> NDArray[np.int64]:
        """[C] the policy of a server that is filled up to so many jobs, by one type."""
        action = np.full(self.size, WAIT, np.int64)
        few = self.configurations.sum(axis=1) < jobs
        action[few & (self.up[:, kind] >= 0)] = kind
        return action

    def filled(self, kind: int, budget: float) -> int:
        """The most jobs of one type that cost no more than the budget; at least 1."""
        place, jobs = int(self.up[0, kind]), 1
        while (above := int(self.up[place, kind])) >= 0 and self.cost[above] <= budget:
            place, jobs = above, jobs + 1
        return jobs

    def improved(
        self, action: NDArray[np.int64], prices: Prices, everywhere: bool = False, patience: int = MOST_IMPROVEMENTS
    ) -> Evaluated:
        """A policy that no single decision improves, beginning with *action*.

        With *everywhere* decisions are compared in all of K, and the result is optimal.  After
        *patience* improvements that earn nothing the rest is left: it concerns configurations in
        which a server hardly ever is.
        """
        idle = 0
        found = self.evaluate(action, prices, everywhere)
        for _ in range(MOST_IMPROVEMENTS):
            better = self._better(found, prices)
            if idle == patience or (better == found.action).all():
                break
            before = found.gain
            try:
                found = self.evaluate(better, prices, everywhere)
            except UndecidedError:
                break
            grown = found.gain - before > GAIN_TOLERANCE * abs(found.gain)
            idle = 0 if grown else idle + 1
        return found

    def bound(self, found: Evaluated, prices: Prices) -> float:
        """An upper bound of the gain of every policy, from values that are known everywhere.

        Whatever the values are: no policy earns more than the largest drift while it waits, and
        what a request adds to the values as often as requests are possible.
        """
        drift = self.jobs @ found.value - self.out * found.value - prices.cost * self.cost
        _, requesting = self._advantages(found, prices)
        request = max(float(requesting.max(initial=0.0)), 0.0)
        return float(drift.max()) + self.most_requests * request

    def frequencies(self, found: Evaluated) -> NDArray[np.float64]:
        """[C, I] u of a policy, in its own order of requests."""
        entering = np.bincount(self.target, found.stationary[self.source] * self.rate, self.size)
        requests = np.zeros((self.size, self.types))
        for level in self._levels:
            here = level[(found.action[level] != WAIT) & (entering[level] > 0)]
            kind = found.action[here]
            requests[here, kind] = entering[here]
            np.add.at(entering, self.up[here, kind], entering[here])
        return requests

    def evaluate(self, action: NDArray[np.int64], prices: Prices, everywhere: bool = False) -> Evaluated:
        """The gain and the relative values of a policy; of its best recurrent class.

        Raises GivenUpError if whoever waits has had enough; UndecidedError if it keeps falling into sets that a
        server hardly leaves.
        """
        check_wanted()
        self.evaluations += 1
        for _ in range(MOST_MODES):
            settled = self._settle(action)
            graph = self._graph(settled)
            waiting = np.flatnonzero(action == WAIT)
            classes = [waiting[places] for places in closed_sets(graph[waiting][:, waiting])]
            if len(classes) > 1:
                gains = [self._gain(members, settled, prices) for members in classes]
                members = classes[int(np.argmax(gains))]
                action = self._led_into(action, members, graph, settled)
                continue
            part = waiting
            if not everywhere:
                part = self._in_reach(action, classes[0], graph, settled)
            chain = self._chain(classes[0], part, settled, prices)
            place = int(np.searchsorted(part, self._often))
            here = place < len(part) and part[place] == self._often
            solved: Solved | None
            found = chain.solved(place if here else -1)
            if isinstance(found, Solved):
                solved = found
            else:
                modes = chain.modes(found)
                if len(modes) > 1:
                    action = self._kept_to(modes, action, part, graph, settled)
                    continue
                solved = chain.solved_at_once(modes[0].often if modes else -1)
            if solved is None:
                break
            return self._evaluated(action, classes[0], part, settled, prices, solved)
        raise UndecidedError

    def _kept_to(
        self,
        modes: list[Mode],
        action: NDArray[np.int64],
        part: NDArray[np.int64],
        graph: sparse.csr_matrix,
        settled: _Settled,
    ) -> NDArray[np.int64]:
        """The policy with the best of its *modes* (the last) as its class."""
        best = modes[-1]
        self._often = int(part[best.often])
        left = np.concatenate([part[mode.states] for mode in modes[:-1]])
        action = np.where(np.isin(settled.end, left), WAIT, action)
        return self._led_into(action, part[best.states], graph, settled)

    def _settle(self, action: NDArray[np.int64]) -> _Settled:
        """Follow all chains of requests, from full servers down."""
        end = np.arange(self.size)
        jobs = np.zeros((self.size, self.types))
        for level in self._levels[::-1]:
            here = level[action[level] != WAIT]
            above = self.up[here, action[here]]
            end[here], jobs[here] = end[above], jobs[above]
            jobs[here, action[here]] += 1
        moves = np.flatnonzero(action[self.source] == WAIT)
        return _Settled(end, jobs, moves, self.source[moves], end[self.target[moves]])

    def _graph(self, settled: _Settled) -> sparse.csr_matrix:
        """[C, C] moves between waiting configurations."""
        ones = np.ones(len(settled.moves), np.int8)
        return sparse.csr_matrix((ones, (settled.source, settled.target)), shape=(self.size, self.size))

    def _in_reach(
        self, action: NDArray[np.int64], members: NDArray[np.int64], graph: sparse.csr_matrix, settled: _Settled
    ) -> NDArray[np.int64]:
        """Waiting configurations that a server comes to, perhaps after one more request."""
        inside = np.zeros(self.size, bool)
        inside[members] = True
        inside[0] = True
        passed = inside.copy()
        passed[self.target[settled.moves[inside[settled.source]]]] = True
        for level in self._levels:
            here = level[passed[level] & (action[level] != WAIT)]
            passed[self.up[here, action[here]]] = True
        above = self.up[passed]
        passed[above[above >= 0]] = True
        passed = np.bincount(settled.end[passed], minlength=self.size) > 0
        reached = passed
        fresh = np.flatnonzero(reached)
        while len(fresh):
            after = np.unique(graph[fresh].indices)
            fresh = after[~reached[after]]
            reached[fresh] = True
        return np.flatnonzero(reached)

    def _gain(self, members: NDArray[np.int64], settled: _Settled, prices: Prices) -> float:
        """What a class earns; -inf where it falls apart in floats."""
        solved = self._chain(members, members, settled, prices).solved(-1)
        return solved.gain if isinstance(solved, Solved) else -np.inf

    def _chain(self, members: NDArray[np.int64], part: NDArray[np.int64], settled: _Settled, prices: Prices) -> LongRun:
        """The chain on *part*, which is closed and holds one class, *members*."""
        place = np.full(self.size, -1)
        place[part] = np.arange(len(part))
        inside = place[settled.source] >= 0
        moves = settled.moves[inside]
        source, target = place[settled.source[inside]], place[settled.target[inside]]
        rate = self.rate[moves]
        earned = settled.jobs @ prices.types
        earning = np.bincount(source, rate * earned[self.target[moves]], len(part))
        income = np.asarray(earning - prices.cost * self.cost[part], np.float64)
        shape = (len(part), len(part))
        rates = sparse.csr_matrix((rate, (source, target)), shape=shape)
        # What a move and the requests after it leave as it was is no move.
        stays = np.bincount(source[source == target], rate[source == target], len(part))
        rates.setdiag(stays - self.out[part])
        return LongRun(rates, income, place[members])

    def _evaluated(
        self,
        action: NDArray[np.int64],
        members: NDArray[np.int64],
        part: NDArray[np.int64],
        settled: _Settled,
        prices: Prices,
        solved: Solved,
    ) -> Evaluated:
        self._often = int(part[solved.often])
        value, stationary = np.zeros(self.size), np.zeros(self.size)
        known = np.zeros(self.size, bool)
        value[part], known[part] = solved.values, True
        own = np.searchsorted(part, members)
        # However rarely a server is in a member of the class, it is a member.
        stationary[members] = np.maximum(solved.shares[own] / solved.shares[own].sum(), TINY)
        value = value[settled.end] + settled.jobs @ prices.types
        return Evaluated(action, stationary, solved.gain, value, known[settled.end])

    def _advantages(self, found: Evaluated, prices: Prices) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[C] what waiting once gains, and [C, I] what a request gains; -inf where not known."""
        value = found.value
        out = np.where(self.out > 0, self.out, 1.0)
        income = -prices.cost * self.cost - found.gain
        waiting = (income - self.out * value + self.jobs @ value) / out
        after = np.where(self.up >= 0, value[self.up], 0.0)
        requesting = prices.types + after - value[:, None]
        there = (self.up >= 0) & found.known[self.up] & found.known[:, None]
        waiting[~found.known | (found.action == WAIT)] = -np.inf
        # Waiting at 0 never ends; a server that is never empty is always better.
        waiting[0] = -np.inf
        known_after = np.ones(self.size, bool)
        known_after[self.source[~found.known[self.target]]] = False
        waiting[~known_after] = -np.inf
        return waiting, np.where(there, requesting, -np.inf)

    def _better(self, found: Evaluated, prices: Prices) -> NDArray[np.int64]:
        """[C] the best action of each configuration, if it gains more than rounding."""
        waiting, requesting = self._advantages(found, prices)
        kind = requesting.argmax(axis=1)
        request = requesting[np.arange(self.size), kind]
        scale = np.abs(found.value) + float(np.abs(prices.types).max())
        gains = np.maximum(waiting, request) > GAIN_TOLERANCE * scale
        return np.where(gains, np.where(request >= waiting, kind, WAIT), found.action)

    def _led_into(
        self, action: NDArray[np.int64], members: NDArray[np.int64], graph: sparse.csr_matrix, settled: _Settled
    ) -> NDArray[np.int64]:
        """The same policy, but with *members* as its only class (Lemma 5).

        What does not lead there waits until the server is empty; and an empty server is filled
        up to a configuration of the class that is made of arriving types alone.
        """
        inside = np.zeros(self.size, bool)
        inside[members] = True
        there = inside.copy()
        back = graph.T.tocsr()
        fresh = members
        while len(fresh):
            before = np.unique(back[fresh].indices)
            fresh = before[~there[before]]
            there[fresh] = True
        led = there[settled.end]
        changed = np.where(led, action, WAIT)
        counts = self.configurations[members]
        arriving = np.isin(np.arange(self.types), self.arriving)
        goal = counts[int(np.argmax(((counts == 0) | arriving).all(axis=1)))]
        at = 0
        for kind in range(self.types):
            for _ in range(int(goal[kind])):
                if inside[settled.end[at]]:
                    return changed
                changed[at] = kind
                at = int(self.up[at, kind])
        return changed
