"""Monitors: invariants of every state, the paper's claims about the long run, and the user's own expectations."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from slotscope.gui.intents import BreakAt, Follow, GoTo
from slotscope.gui.panel import Panel
from slotscope.gui.panels.columns import scrolled
from slotscope.gui.panels.wording import significant
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.boxes import check_box
from slotscope.gui.widgets.question_field import ExpressionField, asleep
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.gui.widgets.scripts import set_scripts
from slotscope.model.measures.claims import ClaimReading, claim_readings
from slotscope.model.measures.monitors import Reading, Standing
from slotscope.model.questions.breakpoints import MONITOR
from slotscope.model.questions.syntax import unless
from slotscope.model.questions.tracks import OWN, own_monitor
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.reporting.frame import Frame

#: The text of each standing, which never depends on colour alone.
MARKS: dict[Standing, str] = {"holds": "✓ holds", "violated": "✗ violated", "open": "… open"}

#: The link that removes an expression of the user's.
_AWAY = "away"

#: The groups of rows, from top to bottom.
_VIOLATED, _OWN, _CLAIMS, _INVARIANTS = range(4)

#: Longer curves of slack are thinned out to so many samples.
MOST_POINTS = 400
_WIDTH, _HEIGHT, _EDGE = 110, 30, 3


class SlackCurve(QWidget):
    """A curve from the start of the run to now, with the zero line."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.values: NDArray[np.float64] = np.zeros(0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_series(self, values: NDArray[np.float64]) -> None:
        """Show [n] equidistant values."""
        self.values = values
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, _HEIGHT)

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        low, high = min(0.0, *self.values, 0.0), max(1e-9, *self.values, 1e-9)
        room = self.height() - 2 * _EDGE

        def place(value: float) -> float:
            return float(_EDGE + room * (high - value) / (high - low))

        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.drawLine(QPointF(0, place(0)), QPointF(self.width(), place(0)))
        across = np.linspace(_EDGE, self.width() - _EDGE, len(self.values))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.run), 1.5))
        painter.drawPolyline(QPolygonF([QPointF(x, place(float(y))) for x, y in zip(across, self.values, strict=True)]))


class MonitorsPanel(Panel):
    """A row per invariant, claim and expression of the user's: its statement, its source, and how it stands."""

    name = "monitors"
    title = "Monitors"
    summary = "What must hold of every state, and what the paper claims of the long run."

    def build(self) -> None:
        """Create the scrolled groups of rows, and the field for expressions."""
        self.rows: dict[str, MonitorRow] = {}
        self._list = QWidget()
        column = in_column(self._list, margins=(10, 6, 10, 6), spacing=6)
        heads = ("Violated", "Of your own", "Claims of the long run", "Invariants")
        self._heads = tuple(map(QLabel, heads))
        self._columns = tuple(QVBoxLayout() for _ in heads)
        for head, rows in zip(self._heads, self._columns, strict=True):
            rows.setSpacing(8)
            column.addWidget(head)
            column.addLayout(rows)
        self.no_stop = QLabel("Judged by means and not at an event, so without Stop.")
        self.no_stop.setToolTip("Looked at often enough, an interval leaves its bound by chance, too.")
        self.no_stop.setWordWrap(True)
        column.insertWidget(column.indexOf(self._columns[_CLAIMS]), self.no_stop)
        column.addStretch()
        area = self._area = scrolled(self._list, self.body)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.ground(self._list)
        self.entry = ExpressionField(
            "watch",
            "what ought to hold always",
            "what ought to hold always, such as event >= 0",
            "Return watches it over all history.",
            self.body,
        )
        self.entry.entered.connect(lambda text: self.intent.emit(Follow(text, "watch")))
        in_column(self.body, area, self.entry)
        self.restyle(self.theme)

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        for head in self._heads:
            head.setFont(current_fonts().heading)
        self.no_stop.setStyleSheet(f"color: {theme.muted}")
        for row in self.rows.values():
            row.restyle(theme)

    def begin(self, frame: Frame) -> None:
        """Remove the rows of the last run's invariants and claims."""
        for row in self.rows.values():
            _discard(row)
        self.rows = {}
        self._area.verticalScrollBar().setValue(0)

    def show_frame(self, frame: Frame) -> None:
        """Update every row to a frame."""
        self.entry.show_frame(frame)
        if not self.numbers_due(frame):
            return
        self._show_own(frame)
        for claim in claim_readings(frame.info, frame.until_now, frame.bounds, frame.time):
            self._row(claim.claim.name, _CLAIMS).show_claim(claim)
        for reading in frame.monitors:
            stop = MONITOR + reading.monitor.name
            row = self._row(reading.monitor.name, _INVARIANTS, stop)
            row.show_reading(reading, stop in frame.breakpoints)
            if reading.monitor.slack is not None and len(frame.samples):
                table = frame.samples[:: -(-len(frame.samples) // MOST_POINTS)]
                row.show_slack(reading.monitor.slack(frame.info.numbers, frame.info.facts, table), reading.monitor.unit)
        self._arrange()

    def _arrange(self) -> None:
        """Put each row into its group; violated ones come first, where they are seen."""
        filled = [0] * len(self._columns)
        for row in self.rows.values():
            column = _VIOLATED if row.violated else row.column
            if self._columns[column].indexOf(row) != filled[column]:
                self._columns[column].insertWidget(filled[column], row)
                if row.violated:
                    self._area.verticalScrollBar().setValue(0)
            filled[column] += 1
        for head, count in zip(self._heads, filled, strict=True):
            head.setVisible(count > 0)
        self.no_stop.setVisible(filled[_CLAIMS] > 0)

    def _show_own(self, frame: Frame) -> None:
        """Update the rows of the user's expressions."""
        wanted = {f"own {text}": text for text in frame.followed.watch}
        for gone in [name for name, row in self.rows.items() if row.own and name not in wanted]:
            _discard(self.rows.pop(gone))
        known = {} if frame.tracked is None else frame.tracked.readings()
        for name, text in wanted.items():
            stop = unless(text)
            row = self._row(name, _OWN, stop, text)
            row.show_reading(known.get(text) or _asleep(text, frame), stop in frame.breakpoints)
            slack = np.zeros(0) if frame.tracked is None else frame.tracked.slack(text)
            row.show_slack(slack[:: max(1, -(-len(slack) // MOST_POINTS))], "the difference of both sides")

    def _row(self, name: str, column: int, stop: str = "", own: str = "") -> MonitorRow:
        if name not in self.rows:
            row = MonitorRow(self.theme, self._list, column, own)
            row.stop.clicked.connect(lambda: self.intent.emit(BreakAt(stop)))
            row.text.linkActivated.connect(lambda link: self._chosen(own, link))
            self.rows[name] = row
        return self.rows[name]

    def _chosen(self, own: str, link: str) -> None:
        """Follow a link: go to an event, or remove an expression of the user's."""
        self.intent.emit(Follow(own, "watch", over=True) if link == _AWAY else GoTo(int(link)))


def _discard(row: MonitorRow) -> None:
    row.hide()
    row.deleteLater()


def _asleep(text: str, frame: Frame) -> Reading:
    """The reading of an expression that has not been evaluated yet, or cannot be."""
    return Reading(own_monitor(text), "open", 0, sentence=asleep(text, frame.info.words, "watch"))


class MonitorRow(QWidget):
    """One monitor: standing, statement, slack over time, and a check box *Stop*; *own* is the user's expression.

    *column* is the row's group unless it is violated.
    """

    def __init__(self, theme: Theme, parent: QWidget, column: int, own: str = "") -> None:
        super().__init__(parent)
        self._theme = theme
        self.column = column
        self.own = own
        self._reading: Reading | ClaimReading | None = None
        self.text = QLabel(self, wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.text.setMinimumHeight(1)  # the height depends on the width: Qt would reserve that of a narrow column
        self.curve = SlackCurve(theme, self)
        self.stop = check_box("Stop", self)
        self.stop.setToolTip(
            "Pause the run just before the event that violates this."
            if own
            else "Pause the run where this is found violated."
        )
        inside = in_column(self, spacing=2)
        above = in_row(None, (self.text, 1), (self.stop, 0, Qt.AlignmentFlag.AlignTop), spacing=12)
        inside.addLayout(above)
        inside.addWidget(self.curve)
        self.curve.hide()
        self.stop.hide()
        self.restyle(theme)

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self.text.setFont(current_fonts().body)
        self.curve.restyle(theme)
        self._write()

    @property
    def violated(self) -> bool:
        """Whether the monitor is violated."""
        return self._reading is not None and self._reading.standing == "violated"

    def show_reading(self, reading: Reading, stops: bool) -> None:
        """Show an invariant's reading, and whether the run stops where it is violated."""
        self.stop.show()
        self.stop.setChecked(stops)
        self._show(reading)

    def show_slack(self, values: NDArray[np.float64], unit: str) -> None:
        """Show [n] distances from violation; without values there is no curve."""
        self.curve.setVisible(len(values) > 0)
        self.curve.setToolTip(f"Slack over time: {unit}.")
        self.curve.show_series(values)

    def show_claim(self, reading: ClaimReading) -> None:
        """Show the reading of a claim about the long run."""
        self._show(reading)

    def _show(self, reading: Reading | ClaimReading) -> None:
        if reading != self._reading:
            self._reading = reading
            self._write()

    def _write(self) -> None:
        reading = self._reading
        if reading is None:
            return
        theme = self._theme
        ink = theme.ink(theme.rejection) if reading.standing == "violated" else theme.normal
        faint = theme.muted if reading.standing == "open" else ink
        said = reading.claim if isinstance(reading, ClaimReading) else reading.monitor
        together = said.symbols.replace(" ", "\N{NO-BREAK SPACE}")
        place = " · ".join(set_scripts(part) for part in (together, said.source) if part)
        mark = f'<b style="color:{faint}">{MARKS[reading.standing]}</b>'
        away = f'&nbsp; <a href="{_AWAY}" style="text-decoration: none">×</a>' if self.own else ""
        statement = escape(said.statement) if self.own else set_scripts(said.statement)
        where = f'<span style="color:{theme.muted}">{place}</span>'
        lines = [f"{mark}&nbsp; {statement}{away}", where]
        if now := _now(reading):
            lines.append(f'<span style="color:{ink}">{now}</span>')
        self.text.setText("<br>".join(lines))
        self.setToolTip(_tip(reading))


def _now(reading: Reading | ClaimReading) -> str:
    """The present reading as rich text; empty if the standing says it all."""
    if isinstance(reading, ClaimReading):
        return escape(reading.sentence)
    if reading.standing != "violated":
        return escape(reading.sentence)
    where = f'<a href="{reading.event}">event {grouped(reading.event)}</a>'
    after = f", sound after event {grouped(reading.since)}" if reading.since >= 0 else ""
    return f"At {where}{after}: {escape(reading.sentence)}"


def _tip(reading: Reading | ClaimReading) -> str:
    if isinstance(reading, ClaimReading):
        slack = "" if reading.slack is None else f" Slack: {significant(reading.slack.mean)}."
        return f"A claim of the long run, judged by the mean since the warm-up and its interval.{slack}"
    times = plural(reading.looked, "state")
    if reading.monitor.source == OWN:
        return f"Judged after every event: of {times} so far."
    return f"Judged of {times}: now and then while the run goes on, and wherever it rests."
