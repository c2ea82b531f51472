"""An exact primal simplex method with column generation, in integers.

The linear programs of Psychas & Ghaderi (2022), Section 3 have few rows (J + 1) and very
many columns (one per configuration).  So columns are not stored: the caller
inspects the prices and supplies the column that enters the basis.  Arithmetic is exact (Edmonds'
integer pivoting: one common denominator, divisions without remainder), and the
lexicographic ratio test prevents cycling whatever columns are supplied.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Generic, Hashable, Sequence, TypeVar

from slotscope.model.exact import dot

Label = TypeVar("Label", bound=Hashable)


class ExactSimplex(Generic[Label]):
    """max c x subject to A x = b, x >= 0, from a basis of unit columns.

    - *right*: b, integers >= 0, one per row.
    - *labels*, *costs*: Those of the unit columns, which form the initial basis, one per row.
    """

    def __init__(self, right: Sequence[int], labels: Sequence[Label], costs: Sequence[int]) -> None:
        if any(value < 0 for value in right):
            raise ValueError("the right-hand side must not be negative")
        rows = len(right)
        self.denominator = 1  #: d > 0; the tableau and the prices are integers over d
        self.basis: list[Label] = list(labels)  #: the label of the basic column of each row
        self.pivots = 0  #: columns that entered so far
        self._costs: list[int] = list(costs)
        # Row i: the value of the basic variable, then row i of the inverse of the basis.
        self._tableau = [[value, *(int(i == j) for j in range(rows))] for i, value in enumerate(right)]

    def prices(self) -> list[int]:
        """The dual variable of each row, multiplied by :attr:`denominator`."""
        return [dot(self._costs, column) for column in islice(zip(*self._tableau, strict=True), 1, None)]

    def objective(self) -> Fraction:
        """The value of the present basic solution."""
        return Fraction(dot(self._costs, [row[0] for row in self._tableau]), self.denominator)

    def solution(self) -> dict[Label, Fraction]:
        """The basic variables that are positive."""
        return {
            label: Fraction(row[0], self.denominator)
            for label, row in zip(self.basis, self._tableau, strict=True)
            if row[0]
        }

    def enter(self, label: Label, column: Sequence[int], cost: int) -> None:
        """Let a column with a positive reduced cost enter the basis.

        Raises ArithmeticError if the program is unbounded in the direction of this column.
        """
        direction = [dot(column, row[1:]) for row in self._tableau]
        leaving = self._leaving_row(direction)
        self._pivot(leaving, direction)
        self.basis[leaving] = label
        self._costs[leaving] = cost
        self.pivots += 1

    def _leaving_row(self, direction: Sequence[int]) -> int:
        """The row that is lexicographically smallest after division by its entry in *direction*."""
        candidates = [row for row, entry in enumerate(direction) if entry > 0]
        if not candidates:
            raise ArithmeticError("the linear program is unbounded")
        for place in range(len(self._tableau) + 1):
            if len(candidates) == 1:
                break
            smallest = candidates[:1]
            for row in candidates[1:]:
                first = smallest[0]
                above = self._tableau[row][place] * direction[first] - self._tableau[first][place] * direction[row]
                if above <= 0:
                    smallest = [row] if above < 0 else [*smallest, row]
            candidates = smallest
        return candidates[0]

    def _pivot(self, leaving: int, direction: Sequence[int]) -> None:
        pivot_row = self._tableau[leaving]
        pivot, divisor = direction[leaving], self.denominator
        for index, (row, entry) in enumerate(zip(self._tableau, direction, strict=True)):
            if index == leaving:
                continue
            self._tableau[index] = [
                (value * pivot - entry * other) // divisor for value, other in zip(row, pivot_row, strict=True)
            ]
        self.denominator = pivot
