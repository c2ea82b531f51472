"""The optimum and the global greedy assignment at one workload alpha rho, as the LP panel shows them.

Also a scale from 0 to the optimum with the run, the greedy assignment and its guarantees.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Mapping, Sequence

import numpy as np
from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from slotscope.gui.painting.text import CENTRE
from slotscope.gui.panels.wording import GREEDY_PLAIN, OPTIMUM_PLAIN, THIN
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.chart import Chart
from slotscope.gui.widgets.spoken import describe
from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.programs.bounds import ALWAYS, GUARANTEES, MONOTONE, Guarantee
from slotscope.model.kinds.reservation.programs.greedy import GreedyAssignment, global_greedy
from slotscope.model.kinds.reservation.programs.optimum import ExactOptimum, exact_optimum
from slotscope.model.kinds.reservation.programs.reward_lp import RewardProgram
from slotscope.model.programs.configurations import Configuration
from slotscope.model.reporting.frame import Frame

_MARGIN, _GAP, _THICK = 10.0, 10.0, 10.0
_RESOLUTION = 0.001

#: The guarantees as the paper writes them.
NAMES = {ALWAYS: "1/2", MONOTONE: "1 − 1/e"}


def guarantee_sentence(guarantee: Guarantee) -> str:
    """A guarantee: its ratio, its condition, and its source."""
    source = guarantee.source.rsplit(", ", 1)[-1]
    condition = guarantee.condition.replace("Definition ", "Definition\u00a0")
    return f"≥ {NAMES[guarantee]} {condition}: {source}"


class RatioScale(Chart):
    """A scale from 0 to U*, filled up to the run's reward rate."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "share of the optimum", QSizePolicy.Policy.Fixed)
        self._greedy: float | None = None
        self._run: float | None = None

    @property
    def shares(self) -> tuple[float | None, float | None]:
        """The greedy reward and the run's reward rate, as shares of the optimum."""
        return self._greedy, self._run

    def set_shares(self, greedy: float | None, run: float | None) -> None:
        """Show U^(g) / U*, and the present reward rate over U*, or None if it belongs to another workload."""
        if (greedy, run) != (self._greedy, self._run):
            self._greedy, self._run = greedy, run
            describe(self, "" if run is None else self._run_words(run))
            self.update()

    @staticmethod
    def _run_words(run: float) -> str:
        return f"run now{THIN} {format_number(run, _RESOLUTION)}"

    def sizeHint(self) -> QSize:
        return QSize(200, round(2 * self._metrics().height() + _THICK + 14))

    def paint(self, painter: QPainter) -> None:
        line = QFontMetricsF(painter.font()).height()
        track = QRectF(_MARGIN, line + 4, self.width() - 2 * _MARGIN, _THICK)
        painter.fillRect(track, QColor(self._theme.grid))
        if self._run is not None:
            filled = QRectF(track)
            filled.setWidth(min(1.0, self._run) * track.width())
            painter.fillRect(filled, QColor(self._theme.run))
        self._paint_guarantees(painter, track, line)
        self._paint_bounds(painter, track, line)

    def _paint_guarantees(self, painter: QPainter, track: QRectF, line: float) -> None:
        """Label the guarantees below the scale, and to their left the run's share."""
        measure = QFontMetricsF(painter.font()).horizontalAdvance
        left = track.right()
        for guarantee in sorted(GUARANTEES, key=lambda item: -item.ratio):
            x = track.left() + guarantee.ratio * track.width()
            painter.setPen(QPen(QColor(self._theme.muted), 1.0, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(x, track.top() - 3, x, track.bottom() + 5))
            width = measure(NAMES[guarantee])
            centre = min(x, left - _GAP - width / 2)
            box = QRectF(centre - width, track.bottom() + 5, 2 * width, line)
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(box, CENTRE, NAMES[guarantee])
            left = centre - width / 2
        if self._run is None:
            return
        text = self._run_words(self._run)
        if track.left() + measure(text) < left - _GAP:
            painter.setPen(QColor(self._theme.ink(self._theme.run)))
            box = QRectF(track.left(), track.bottom() + 5, measure(text) + 2, line)
            painter.drawText(box, CENTRE, text)

    def _paint_bounds(self, painter: QPainter, track: QRectF, line: float) -> None:
        """Mark the optimum and the greedy assignment, with labels above the scale."""
        measure = QFontMetricsF(painter.font()).horizontalAdvance
        right = track.right()
        marks: list[tuple[float, str, str]] = [(1.0, OPTIMUM_PLAIN, "optimum")]
        if self._greedy is not None:
            written = format_number(self._greedy, _RESOLUTION)
            marks.append((self._greedy, f"{GREEDY_PLAIN}{THIN} {written}", "greedy"))
        for share, text, role in marks:
            x = track.left() + share * track.width()
            color = self._theme.color(role)
            # The optimum's mark is longer, so that it is visible if both coincide.
            over = 5.0 if role == "optimum" else 1.0
            mark = QRectF(x - 1.5, track.top() - over, 3, track.height() + 2 * over)
            painter.fillRect(mark, QColor(color))
            width = measure(text) + 2
            left = min(x - width / 2, right - width)
            painter.setPen(QColor(self._theme.ink(color)))
            painter.drawText(QRectF(left, 0, width, line), CENTRE, text)
            right = left - _GAP


#: Maximum number of configurations with a row of their own.
MOST_ROWS = 8

Shares = Mapping[Configuration, float]


@dataclass(frozen=True)
class Solution:
    """The optimum and the greedy assignment at the workload alpha rho, per server.

    ``best`` and ``packed`` are x* and x^(g); ``jobs``, ``slots`` and the prices belong to the optimum.
    ``workload_binds`` and ``slots_bind`` tell for each type whether (3.2b) and (3.2c) hold with equality.
    """

    alpha: Fraction
    optimum: Fraction
    greedy: Fraction
    best: Shares
    packed: Shares
    workload: tuple[float, ...]
    jobs: tuple[float, ...]
    slots: tuple[float, ...]
    workload_binds: tuple[bool, ...]
    slots_bind: tuple[bool, ...]
    prices: tuple[float, ...]
    server_price: float


def solve_at(numbers: ReservationNumbers, bounds: Bounds, alpha: Fraction) -> Solution:
    """Solve for the workload alpha rho; at alpha = 1 the solutions in *bounds* are used.

    Raises ValueError if the bounds are not known yet, or if a search takes too long.
    """
    if bounds.optimum is None or bounds.greedy is None:
        raise ValueError("the programs have not been solved yet")
    workload = tuple(alpha * amount for amount in numbers.workload)
    if alpha == 1:
        return _as_proved(bounds.optimum, bounds.greedy, workload)
    known = bounds.optimum.configurations
    proof = exact_optimum(numbers.space, numbers.rewards, workload, known)
    greedy = global_greedy(numbers.space, numbers.rewards, workload)
    return _as_solved(alpha, proof, greedy, workload)


def _as_proved(program: RewardProgram, greedy: GreedyAssignment, workload: Sequence[Fraction]) -> Solution:
    types = range(len(workload))
    best = dict(zip(program.configurations, program.servers, strict=True))
    return Solution(
        alpha=Fraction(1),
        optimum=program.exact,
        greedy=greedy.objective,
        best=best,
        packed=_floats(greedy.fractions()),
        workload=tuple(map(float, workload)),
        jobs=program.jobs,
        slots=tuple(sum(share * k[j] for k, share in best.items()) for j in types),
        workload_binds=tuple(f"workload {j + 1}" in program.binding for j in types),
        slots_bind=tuple(f"slots {j + 1}" in program.binding for j in types),
        prices=program.workload_duals,
        server_price=program.server_dual,
    )


def _as_solved(
    alpha: Fraction, proof: ExactOptimum, greedy: GreedyAssignment, workload: Sequence[Fraction]
) -> Solution:
    slots = [sum((share * k[j] for k, share in proof.servers), Fraction(0)) for j in range(len(workload))]
    return Solution(
        alpha=alpha,
        optimum=proof.value,
        greedy=greedy.objective,
        best=_floats(dict(proof.servers)),
        packed=_floats(greedy.fractions()),
        workload=tuple(map(float, workload)),
        jobs=tuple(map(float, proof.jobs)),
        slots=tuple(map(float, slots)),
        workload_binds=tuple(a == b for a, b in zip(proof.jobs, workload, strict=True)),
        slots_bind=tuple(a == b for a, b in zip(proof.jobs, slots, strict=True)),
        prices=tuple(map(float, proof.workload_prices)),
        server_price=float(proof.server_price),
    )


def _floats(shares: Mapping[Configuration, Fraction]) -> Shares:
    return {configuration: float(share) for configuration, share in shares.items()}


def present_shares(frame: Frame) -> Shares:
    """X_k / L: the share of the servers that have each configuration, of those present."""
    classes = frame.derived
    counts = np.bincount(classes.stack, minlength=len(classes.configurations))
    total = len(classes.stack)
    rows = zip(classes.configurations.tolist(), counts.tolist(), strict=True)
    return {tuple(row): count / total for row, count in rows if count}


@dataclass(frozen=True)
class BarRow:
    """The shares of the servers that have a configuration; None stands for all other configurations."""

    configuration: Configuration | None
    best: float
    packed: float
    present: float

    @property
    def largest(self) -> float:
        """The largest of the three shares."""
        return max(self.best, self.packed, self.present)


def bar_rows(solution: Solution, present: Shares, rewards: Sequence[Fraction]) -> tuple[BarRow, ...]:
    """A row per configuration that a solution uses, by descending reward, and a last row for all others.

    Only the :data:`MOST_ROWS` configurations with the largest shares have rows of their own.
    """

    def reward(row: BarRow) -> tuple[Fraction, Configuration]:
        configuration = row.configuration or ()
        pairs = zip(rewards, configuration, strict=True)
        return sum((a * b for a, b in pairs), Fraction(0)), configuration

    rows = [
        BarRow(k, solution.best.get(k, 0.0), solution.packed.get(k, 0.0), present.get(k, 0.0))
        for k in {*solution.best, *solution.packed, *present}
    ]
    used = [row for row in rows if row.best or row.packed]
    kept = sorted(used, key=lambda row: row.largest, reverse=True)[:MOST_ROWS]
    left = [row for row in rows if row not in kept]
    others = BarRow(
        None, sum(row.best for row in left), sum(row.packed for row in left), sum(row.present for row in left)
    )
    kept.sort(key=reward, reverse=True)
    return (*kept, others) if others.largest else tuple(kept)
