"""U*[rho] of LP (3.2) for very many workloads rho at once.

Psychas & Ghaderi (2022), (3.2).  U* is concave and piecewise linear in rho.  Each piece
belongs to a basis of the program: an optimal basis for one rho is optimal for every rho for
which it is feasible, because its prices do not depend on rho.  So few programs are solved
(exactly), and all other workloads are looked up among the bases found so far.

Where a job's size divides the server whatever the type (powers of 1/2, say), no basis is
needed: servers of one type alone are full, and (3.2) becomes a fractional knapsack, which
the types fill in the order of their reward for a unit of size.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from model.programs.configurations import Configuration, ConfigurationSpace
from model.programs.optimum import Column, ExactOptimum, exact_optimum

#: A basic variable this far below 0 still counts as feasible: rounding in the inverse.
FEASIBLE = 1e-9
#: Workloads that are rounded to this denominator are solved exactly.
WORKLOAD_DENOMINATOR = 10**12
#: Workloads looked at together.
CHUNK = 16_384

Workloads = NDArray[np.float64]


class RewardFunction:
    """U* as a function of the workload; it remembers what it has solved.

    Parameters
    ----------
    space:
        K, over J types.
    rewards:
        [J] u_j >= 0.
    """

    def __init__(self, space: ConfigurationSpace, rewards: Sequence[Fraction]) -> None:
        self._space = space
        self._rewards = tuple(rewards)
        self._divisible = is_divisible(space)
        self._known: dict[Configuration, None] = {}
        self._pieces: list[_Piece] = []

    @property
    def solved(self) -> int:
        """How many programs were solved so far."""
        return len(self._pieces)

    def __call__(self, workloads: Workloads) -> Workloads:
        """[n] U*[rho] for *workloads* [n, J], each >= 0; off by rounding alone (1e-9).

        Raises
        ------
        ValueError
            If a workload is negative, or a search too long.
        """
        workloads = np.asarray(workloads, float)
        if self._divisible:
            return divisible_optimum(self._space, self._rewards, workloads)
        values = np.empty(len(workloads))
        for start in range(0, len(workloads), CHUNK):
            part = slice(start, start + CHUNK)
            values[part] = self._look_up(workloads[part])
        return values

    def _look_up(self, workloads: Workloads) -> Workloads:
        values = np.full(len(workloads), np.nan)
        open_places = np.arange(len(workloads))
        for piece in self._pieces:
            open_places = piece.fill(workloads, values, open_places)
        while len(open_places):
            first = workloads[open_places[0]]
            piece = self._solve(first)
            values[open_places[0]] = piece.at(first)
            open_places = piece.fill(workloads, values, open_places[1:])
        return values

    def _solve(self, workload: NDArray[np.float64]) -> _Piece:
        exact = [Fraction(float(amount)).limit_denominator(WORKLOAD_DENOMINATOR)
                 for amount in workload]  # fmt: skip
        optimum = exact_optimum(self._space, self._rewards, exact, known=self._known)
        self._known.update(dict.fromkeys(optimum.generated))
        piece = _Piece(optimum)
        self._pieces.append(piece)
        return piece


class _Piece:
    """A linear piece of U*: p rho + q wherever its basis is feasible."""

    def __init__(self, optimum: ExactOptimum) -> None:
        columns = np.array([_entries(column) for column in optimum.basis], float).T
        self._inverse = np.linalg.inv(columns)
        self._prices = np.array([float(price) for price in optimum.workload_prices])
        self._constant = float(optimum.server_price)

    def at(self, workload: NDArray[np.float64]) -> float:
        """The value of the piece."""
        return float(workload @ self._prices + self._constant)

    def fill(
        self, workloads: Workloads, values: Workloads, places: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Write the values at those of *places* where the basis is feasible; returns the rest."""
        if not len(places):
            return places
        mine = workloads[places]
        amounts = mine @ self._inverse[:, :-1].T + self._inverse[:, -1]
        feasible = (amounts >= -FEASIBLE).all(axis=1)
        values[places[feasible]] = mine[feasible] @ self._prices + self._constant
        return np.asarray(places[~feasible], np.int64)


def _entries(column: Column) -> tuple[int, ...]:
    """A column of the program, its row of the servers last."""
    kind, vector = column
    if kind == "servers":
        return (*vector, 1)
    sign = 1 if kind == "unserved" else -1
    return (*(sign * entry for entry in vector), 0)


def is_divisible(space: ConfigurationSpace) -> bool:
    """Whether there is one resource and each type that fits fills a server without a rest."""
    if not space.additive or len(space.capacity) != 1:
        return False
    room = space.capacity[0]
    return all(
        room % row[0] == 0 for row, fits in zip(space.demand, space.fits, strict=True) if fits
    )


def divisible_optimum(
    space: ConfigurationSpace, rewards: Sequence[Fraction], workloads: Workloads
) -> Workloads:
    """[n] U*[rho] for *workloads* [n, J] where :func:`is_divisible` holds.

    The types fill the server in the order of reward for a unit of size; the last one that
    finds room may be served in part, as in (3.2).

    Raises
    ------
    ValueError
        If a size does not divide the server.
    """
    if not is_divisible(space):
        raise ValueError("the sizes of the job types do not divide the server")
    room = space.capacity[0]
    fitting = [j for j, fits in enumerate(space.fits) if fits]
    order = sorted(fitting, key=lambda j: rewards[j] / space.demand[j][0], reverse=True)
    values = np.zeros(len(workloads))
    left = np.ones(len(workloads))
    for j in order:
        share = float(Fraction(space.demand[j][0], room))
        taken = np.minimum(workloads[:, j] * share, left)
        left -= taken
        values += taken * float(rewards[j] / Fraction(space.demand[j][0], room))
    return values
