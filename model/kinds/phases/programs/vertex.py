"""The vertex of LP (61) in rational arithmetic: from a solver's basis to a proved optimum.

The system of a solver's basis is solved exactly, for primal values and dual prices.  If all values and all reduced
costs have the right sign, the vertex is optimal, whatever the solver's own rounding, and pi(k) = 0 exactly where
the vertex has 0, which Appendix C.2 needs to know.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Sequence

from slotscope.model.kinds.phases.programs.program import SingleServerProgram

#: A sparse linear system: for each equation (or unknown), index -> coefficient.
Sparse = list[dict[int, Fraction]]


@dataclass(frozen=True)
class Vertex:
    """An optimal vertex, exact."""

    values: dict[int, Fraction]  #: column -> value, of the columns with a value other than 0
    prices: tuple[Fraction, ...]  #: [rows] the dual variables


def exact_vertex(program: SingleServerProgram, basic: Sequence[int], loose: Sequence[int]) -> Vertex | None:
    """The vertex of a basis, if it is optimal.

    - *program*: LP (61).
    - *basic*: The basic columns.
    - *loose*: The rows whose slack is basic: they need not hold with equality.

    Returns None if the basis is singular, or not optimal in exact arithmetic.
    """
    free = set(loose)
    tight = [row for row in range(program.rows) if row not in free]
    if len(tight) != len(basic):
        return None
    place = {row: number for number, row in enumerate(tight)}
    columns = program.exact_columns
    across: Sparse = [{} for _ in tight]
    for number, column in enumerate(basic):
        for row, entry in columns[column].items():
            if row in place:
                across[place[row]][number] = entry
    values = solve(across, [program.right_side(row) for row in tight])
    if values is None or min(values, default=Fraction(0)) < 0:
        return None
    phi = program.columns - 1
    down: Sparse = [{place[row]: entry for row, entry in columns[column].items() if row in place} for column in basic]
    gains = [Fraction(int(column == phi)) for column in basic]
    duals = solve(down, gains)
    if duals is None:
        return None
    prices = [Fraction(0)] * program.rows
    for number, row in enumerate(tight):
        prices[row] = duals[number]
    found = {column: value for column, value in zip(basic, values, strict=True) if value}
    vertex = Vertex(found, tuple(prices))
    return vertex if _proved(program, vertex, free) else None


def _proved(program: SingleServerProgram, vertex: Vertex, loose: set[int]) -> bool:
    """Whether the loose rows hold, and no column and no slack has a reduced cost that would improve Phi."""
    columns = program.exact_columns
    for row in loose:
        used = sum(
            (columns[column].get(row, Fraction(0)) * value for column, value in vertex.values.items()), Fraction(0)
        )
        limit = program.right_side(row)
        if used > limit or (used < limit and row != program.budget_row):
            return False
    if not program.model.hard and vertex.prices[program.budget_row] < 0:
        return False
    for number, column in enumerate(columns):
        gain = int(number == program.columns - 1)
        if sum(vertex.prices[row] * entry for row, entry in column.items()) < gain:
            return False
    return True


def solve(equations: Sparse, right: Sequence[Fraction]) -> list[Fraction] | None:
    """The solution of a square sparse system in rationals; None if it is singular.

    Gaussian elimination; each pivot is in a shortest equation, and there in a column with the fewest entries
    (Markowitz), which keeps the numbers short and the system sparse.  Equations are scaled to integers without a
    common divisor.
    """
    rows, sides = [], []
    for equation, side in zip(equations, right, strict=True):
        unit = lcm(side.denominator, *(entry.denominator for entry in equation.values()))
        rows.append({column: entry.numerator * (unit // entry.denominator) for column, entry in equation.items()})
        sides.append(side.numerator * (unit // side.denominator))
    members: list[set[int]] = [set() for _ in rows]
    for number, row in enumerate(rows):
        for column in row:
            members[column].add(number)
    left = set(range(len(rows)))
    order: list[tuple[int, int]] = []
    while left:
        pivot_row = min(left, key=lambda number: (len(rows[number]), number))
        row = rows[pivot_row]
        if not row:
            return None
        pivot = min(row, key=lambda column: (len(members[column]), column))
        left.remove(pivot_row)
        order.append((pivot_row, pivot))
        for column in row:
            members[column].discard(pivot_row)
        for other in list(members[pivot]):
            _subtract(rows, sides, members, pivot_row, other, pivot)
    solution = [Fraction(0)] * len(rows)
    for number, column in reversed(order):
        row = rows[number]
        rest = sum((entry * solution[other] for other, entry in row.items() if other != column), Fraction(0))
        solution[column] = (sides[number] - rest) / row[column]
    return solution


def _subtract(
    rows: list[dict[int, int]], sides: list[int], members: list[set[int]], pivot_row: int, other: int, pivot: int
) -> None:
    """Eliminate the pivot's entry from equation *other* by subtracting a multiple of the pivot's equation."""
    source, target = rows[pivot_row], rows[other]
    common = gcd(source[pivot], target[pivot])
    times, factor = source[pivot] // common, target[pivot] // common
    found = {column: entry * times for column, entry in target.items()}
    for column, entry in source.items():
        value = found.get(column, 0) - factor * entry
        if value:
            found[column] = value
            members[column].add(other)
        elif column in found:
            del found[column]
            members[column].discard(other)
    side = sides[other] * times - factor * sides[pivot_row]
    divisor = gcd(side, *found.values()) or 1
    rows[other] = {column: entry // divisor for column, entry in found.items()}
    sides[other] = side // divisor
