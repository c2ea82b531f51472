"""One server as a Markov decision process, for given prices of throughput and of cost.

Hong, Xie & Wang (2023), Appendix C.1.  With prices w of the throughputs and a price of the cost,
(61) becomes a process with one decision in each configuration: wait, or request a job
of some type at once (an impulse).  Howard's policy iteration solves it: a deterministic stationary policy
is evaluated by one sparse system, and improved wherever another decision would gain.

A policy visits few of all configurations.  Therefore only those are evaluated that a server can
reach, or could reach with one more request; a proof of the optimum compares decisions in all of K.
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
#: Smallest gain that counts, relative to the values whose difference it is.
GAIN_TOLERANCE = 1e-11
#: Improvements of one policy after which further ones are taken for rounding.
MOST_IMPROVEMENTS = 60
#: The least probability of a configuration of a class; smaller ones would be 0 as floats.
TINY = 1e-290
#: Attempts to merge a policy's nearly closed sets into one class before it is given up.
MOST_MODES = 20


@dataclass(frozen=True, eq=False)
class Prices:
    """Dual variables of (61)."""

    types: NDArray[np.float64]  #: [I] of the throughputs: the reward of a request of each type
    cost: float  #: of the budget: the charge for a unit of cost rate


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A policy and its value."""

    action: NDArray[np.int64]  #: [C] WAIT, or the type requested at once
    stationary: NDArray[np.float64]  #: [C] pi, positive in its one recurrent class
    gain: float  #: reward per unit of time
    value: NDArray[np.float64]  #: [C] the relative value of each configuration, if it is known
    known: NDArray[np.bool_]  #: [C] whether the value is known


@dataclass(frozen=True, eq=False)
class _Settled:
    """Where chains of requests end: the configuration [C] and the jobs requested [C, I]; and the moves of jobs
    out of waiting configurations, with the configurations in which they end.
    """

    end: NDArray[np.int64]
    jobs: NDArray[np.float64]
    moves: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]


class UndecidedError(ArithmeticError):
    """The chain of a policy falls apart in floats: the policy is left out."""


class Process:
    """The decision process of a program (61); its methods take the prices."""

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
        #: Bound on the jobs that a server requests per unit of time: no more can end.
        self.most_requests = most * float(max(model.out_rates))
        self.evaluations = 0
        self._often = 0

    def first(self, kind: int, jobs: int) -> NDArray[np.int64]:
        """[C] the policy that fills a server up to *jobs* jobs with one type."""
        action = np.full(self.size, WAIT, np.int64)
        few = self.configurations.sum(axis=1) < jobs
        action[few & (self.up[:, kind] >= 0)] = kind
        return action

    def filled(self, kind: int, budget: float) -> int:
        """The largest number of jobs of one type whose cost is within the budget; at least 1."""
        place, jobs = int(self.up[0, kind]), 1
        while (above := int(self.up[place, kind])) >= 0 and self.cost[above] <= budget:
            place, jobs = above, jobs + 1
        return jobs

    def improved(
        self, action: NDArray[np.int64], prices: Prices, everywhere: bool = False, patience: int = MOST_IMPROVEMENTS
    ) -> Evaluated:
        """A policy that no single change of a decision improves, from a search that starts at *action*.

        With *everywhere* decisions are compared in all of K, and the result is optimal.  The search stops after
        *patience* improvements without gain: they concern configurations in which a server hardly ever is.
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
        """An upper bound on the gain of every policy; the values must be known everywhere.

        It holds for any values: no policy earns more than the largest drift while it waits, plus the largest advantage
        of a request at the highest possible rate of requests.
        """
        drift = self.jobs @ found.value - self.out * found.value - prices.cost * self.cost
        _, requesting = self._advantages(found, prices)
        request = max(float(requesting.max(initial=0.0)), 0.0)
        return float(drift.max()) + self.most_requests * request

    def frequencies(self, found: Evaluated) -> NDArray[np.float64]:
        """[C, I] u of a policy: frequencies of its requests, in the order in which the policy makes them."""
        entering = np.bincount(self.target, found.stationary[self.source] * self.rate, self.size)
        requests = np.zeros((self.size, self.types))
        for level in self._levels:
            here = level[(found.action[level] != WAIT) & (entering[level] > 0)]
            kind = found.action[here]
            requests[here, kind] = entering[here]
            np.add.at(entering, self.up[here, kind], entering[here])
        return requests

    def evaluate(self, action: NDArray[np.int64], prices: Prices, everywhere: bool = False) -> Evaluated:
        """The gain and the relative values of a policy, on its best recurrent class.

        Raises GivenUpError if the caller's wait was cancelled; UndecidedError if nearly closed sets remain after
        :data:`MOST_MODES` attempts.
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
        """The policy led into the best of its *modes*, the last, as its only class."""
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
        """[C, C] the possible moves between waiting configurations."""
        ones = np.ones(len(settled.moves), np.int8)
        return sparse.csr_matrix((ones, (settled.source, settled.target)), shape=(self.size, self.size))

    def _in_reach(
        self, action: NDArray[np.int64], members: NDArray[np.int64], graph: sparse.csr_matrix, settled: _Settled
    ) -> NDArray[np.int64]:
        """The waiting configurations that a server can reach, perhaps with one more request."""
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
        """The gain of a class; -inf if its chain falls apart in floats."""
        solved = self._chain(members, members, settled, prices).solved(-1)
        return solved.gain if isinstance(solved, Solved) else -np.inf

    def _chain(self, members: NDArray[np.int64], part: NDArray[np.int64], settled: _Settled, prices: Prices) -> LongRun:
        """The chain on *part*, a closed set with one recurrent class, *members*."""
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
        # A move that requests undo at once is no move.
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
        # A member of the class has a positive probability, however small.
        stationary[members] = np.maximum(solved.shares[own] / solved.shares[own].sum(), TINY)
        value = value[settled.end] + settled.jobs @ prices.types
        return Evaluated(action, stationary, solved.gain, value, known[settled.end])

    def _advantages(self, found: Evaluated, prices: Prices) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[C] the advantage of waiting once, and [C, I] of one request; -inf if not known."""
        value = found.value
        out = np.where(self.out > 0, self.out, 1.0)
        income = -prices.cost * self.cost - found.gain
        waiting = (income - self.out * value + self.jobs @ value) / out
        after = np.where(self.up >= 0, value[self.up], 0.0)
        requesting = prices.types + after - value[:, None]
        there = (self.up >= 0) & found.known[self.up] & found.known[:, None]
        waiting[~found.known | (found.action == WAIT)] = -np.inf
        # A server that waits at 0 stays empty for ever; one that is never empty is always better.
        waiting[0] = -np.inf
        known_after = np.ones(self.size, bool)
        known_after[self.source[~found.known[self.target]]] = False
        waiting[~known_after] = -np.inf
        return waiting, np.where(there, requesting, -np.inf)

    def _better(self, found: Evaluated, prices: Prices) -> NDArray[np.int64]:
        """[C] the best action in each configuration, if it gains more than rounding, else the present one."""
        waiting, requesting = self._advantages(found, prices)
        kind = requesting.argmax(axis=1)
        request = requesting[np.arange(self.size), kind]
        scale = np.abs(found.value) + float(np.abs(prices.types).max())
        gains = np.maximum(waiting, request) > GAIN_TOLERANCE * scale
        return np.where(gains, np.where(request >= waiting, kind, WAIT), found.action)

    def _led_into(
        self, action: NDArray[np.int64], members: NDArray[np.int64], graph: sparse.csr_matrix, settled: _Settled
    ) -> NDArray[np.int64]:
        """The policy changed so that *members* is its only class (Lemma 5).

        Configurations that do not lead there wait until the server is empty; an empty server is filled
        up to a configuration of the class that consists of arriving types alone.
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
