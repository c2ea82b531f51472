"""Sparse Markov chains in continuous time: stationary distributions and relative values.

Only what :mod:`model.kinds.phases.programs.process` needs for a policy's chain.  A chain may have nearly closed
sets, which it enters or leaves so rarely that floats cannot tell (once in 10^10 lifetimes).  A solver's result for
such a chain would be noise; so the sets are found and treated apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg
from scipy.sparse.csgraph import connected_components

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

#: Steps of the walk that looks for a likely state.
WALK = 400
#: A reference that is less likely than another state by this factor is replaced by that state.
RARE = 1e-3
#: A set is nearly closed if the chain takes longer than usual to leave it by this factor.
SLOW = 1e5
#: Largest share of all moves that may leave a nearly closed set.
LEAK = 1e-6
#: Largest residual, relative to the rates, of a solution that is not noise.
SOUND = 1e-9
#: Shift that makes a matrix regular that is singular in floats, relative to its largest rate.
REGULAR = 1e-14


@dataclass(frozen=True, eq=False)
class Solved:
    """The long-run behaviour of a chain."""

    shares: Floats  #: [n] the stationary distribution
    often: int  #: a state that is among the likely ones
    gain: float  #: mean income per unit of time
    values: Floats  #: [n] relative values


@dataclass(frozen=True, eq=False)
class _Attempt:
    """The factors of a generator without one state, the reference; the other states; the stationary distribution;
    and the mean times until the reference is reached.
    """

    factors: linalg.SuperLU
    rest: Places
    shares: Floats
    waits: Floats

    def far(self, reference: int, own: Places, slow: float) -> Places:
        """The states from which the reference is reached late, if that is later than usual by the factor *slow*."""
        slowest = float(self.waits.max())
        usual = self.shares[reference] / self.shares[own].sum()
        near = self.waits < slowest / 2
        if slowest * usual <= slow or slowest * self.shares[reference] <= slow * float(self.shares[near].sum()):
            return np.zeros(0, np.int64)
        return np.flatnonzero(~near)


@dataclass(frozen=True, eq=False)
class Mode:
    """A set of states that a chain hardly leaves, a likely state in it, and the chain's gain there."""

    states: Places
    often: int
    gain: float


@dataclass(frozen=True, eq=False)
class LongRun:
    """A chain with one recurrent class."""

    generator: sparse.csr_matrix  #: [n, n] rates, the diagonal less the total rate
    income: Floats  #: [n] income per unit of time in each state
    own: Places  #: the states of the recurrent class

    @cached_property
    def out(self) -> Floats:
        """[n] the total rate out of each state."""
        return np.asarray(-self.generator.diagonal())

    def solved(self, guess: int) -> Solved | Places:
        """The long run; or the states that seem to be a nearly closed set.

        *guess* is a state that may be likely.
        """
        if len(self.out) == 1:
            return Solved(np.ones(1), 0, float(self.income[0]), np.zeros(1))
        return self._solved(guess, SLOW)

    def solved_at_once(self, guess: int) -> Solved | None:
        """The long run of a chain without regard to nearly closed sets; None if floats are not precise
        enough.
        """
        found = self._solved(guess, np.inf)
        return found if isinstance(found, Solved) else None

    def _solved(self, guess: int, slow: float) -> Solved | Places:
        reference = guess if guess in self.own else self._visited()
        tried: set[int] = set()
        while True:
            tried.add(reference)
            attempt = self._attempt(reference)
            if attempt is None:
                better = self._visited()
                if better in tried:
                    return self._far(reference)
            else:
                better = int(self.own[np.argmax(attempt.shares[self.own])])
                rare = attempt.shares[reference] < RARE * attempt.shares[better]
                if not rare or better in tried:
                    break
            reference = better
        far = attempt.far(reference, self.own, slow / float(self.out.max()))
        if len(far):
            return far
        gain = float(attempt.shares[self.own] @ self.income[self.own])
        values = np.zeros(len(self.out))
        values[attempt.rest] = attempt.factors.solve(gain - self.income[attempt.rest])
        return Solved(attempt.shares, better, gain, values)

    def _attempt(self, reference: int) -> _Attempt | None:
        """Solve with one reference; None if the result is noise."""
        matrix, rest = self._without(reference)
        try:
            factors = _factors(matrix)
        except RuntimeError:
            return None
        waits, shares = np.zeros(len(self.out)), np.ones(len(self.out))
        waits[rest] = factors.solve(-np.ones(len(rest)))
        inflow = self.generator[reference, rest].toarray().ravel()
        shares[rest] = np.maximum(factors.solve(-inflow, "T"), 0.0)
        shares /= shares.sum()
        fastest = float(self.out.max())
        fault = np.abs(matrix @ waits[rest] + 1).max(initial=0.0)
        lost = np.abs(shares @ self.generator).max()
        sound = fault <= SOUND * (1e6 + fastest * waits.max()) and lost <= SOUND * fastest
        return _Attempt(factors, rest, shares, waits) if sound and waits.min() >= 0 else None

    def _without(self, reference: int) -> tuple[sparse.csc_matrix, Places]:
        """The generator without one state, and the other states.

        If the state can be reached from all others, the negated matrix is an M-matrix, whose factorization needs no
        pivoting.
        """
        rest = np.flatnonzero(np.arange(len(self.out)) != reference)
        return self.generator[rest][:, rest].tocsc(), rest

    def _far(self, reference: int) -> Places:
        """The states from which the reference is not reached, as far as floats can tell."""
        matrix, rest = self._without(reference)
        tiny = REGULAR * float(self.out.max())
        waits = np.zeros(len(self.out))
        regular = (matrix - tiny * sparse.identity(len(rest))).tocsc()
        waits[rest] = _factors(regular).solve(-np.ones(len(rest)))
        return np.flatnonzero(waits > waits.max() / 2)

    def modes(self, slow: Places) -> list[Mode]:
        """The sets that the chain hardly leaves, that of the largest gain last; *slow* is nearly closed."""
        inside = np.zeros(len(self.out), bool)
        inside[slow] = True
        found = []
        for part in (slow, np.flatnonzero(~inside)):
            for states in closed_sets(self.generator[part][:, part]):
                mode = self._mode(part[states])
                if mode is not None:
                    found.append(mode)
        return sorted(found, key=lambda mode: mode.gain)

    def _mode(self, states: Places) -> Mode | None:
        """A set treated as closed; None if the chain leaves it often."""
        rates = self.generator[states][:, states].tolil()
        rates.setdiag(0.0)
        rates = rates.tocsr()
        staying = np.asarray(rates.sum(axis=1)).ravel()
        generator = (rates - sparse.diags(staying)).tocsr()
        alone = LongRun(generator, self.income[states], np.arange(len(states)))
        solved = alone.solved(-1)
        if not isinstance(solved, Solved):
            return Mode(states, int(states[0]), -np.inf)
        leaving = float(solved.shares @ (self.out[states] - staying))
        if leaving > LEAK * float(solved.shares @ self.out[states]):
            return None
        return Mode(states, int(states[solved.often]), solved.gain)

    def _visited(self) -> int:
        """A likely state of the recurrent class, found by a walk."""
        own = self.own
        if len(own) == 1:
            return int(own[0])
        out = self.out[own]
        rates = self.generator[own][:, own] + sparse.diags(out)
        jumps = (sparse.diags(1 / out) @ rates).T.tocsr()
        at = np.full(len(own), 1 / len(own))
        seen = np.zeros(len(own))
        for step in range(WALK):
            at = jumps @ at
            seen += at * (2 * step > WALK)
        return int(own[np.argmax(seen / out)])


def _factors(matrix: sparse.csc_matrix) -> linalg.SuperLU:
    return linalg.splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def closed_sets(graph: sparse.csr_matrix) -> list[Places]:
    """The states of each recurrent class of a graph, whose entries are the possible moves."""
    count, label = connected_components(graph, connection="strong")
    source, target = graph.nonzero()
    closed = np.ones(count, bool)
    closed[label[source[label[source] != label[target]]]] = False
    order = np.argsort(label, kind="stable")
    ends = np.cumsum(np.bincount(label, minlength=count))
    return [order[ends[name - 1] if name else 0 : ends[name]] for name in np.flatnonzero(closed)]
