"""What must hold of every state and what the paper claims of the long run, watched."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from slotscope.gui.intents import BreakAt, GoTo
from slotscope.gui.panel import Panel
from slotscope.gui.panels.monitors_slack import SlackCurve
from slotscope.gui.panels.tiles import LabelPace, paint_ground
from slotscope.gui.panels.wording import significant
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.claims import ClaimReading, claim_readings
from slotscope.model.explain import grouped, plural
from slotscope.model.frame import Frame, RunInfo
from slotscope.model.monitors import Reading, Standing
from slotscope.model.questions.breakpoints import MONITOR

#: How a standing is written: never by its colour alone.
MARKS: dict[Standing, str] = {"holds": "✓ holds", "violated": "✗ violated", "open": "… open"}

#: Longer curves of slack are drawn from so many of their samples.
MOST_POINTS = 400


class MonitorsPanel(Panel):
    """Each invariant and each claim: its statement, where the paper has it, and how it stands."""

    name = "monitors"
    title = "Monitors"
    summary = "What must hold of every state, and what the paper claims of the long run."

    def build(self) -> None:
        """A list of rows that scrolls."""
        self._info: RunInfo | None = None
        self._pace = LabelPace()
        self.rows: dict[str, MonitorRow] = {}
        self._list = QWidget()
        column = QVBoxLayout(self._list)
        column.setContentsMargins(10, 6, 10, 6)
        column.setSpacing(6)
        self._heads = (QLabel("Claims of the long run"), QLabel("Invariants"))
        self._columns = (QVBoxLayout(), QVBoxLayout())
        for head, rows in zip(self._heads, self._columns, strict=True):
            rows.setSpacing(8)
            column.addWidget(head)
            column.addLayout(rows)
        column.addStretch()
        area = QScrollArea(self.body)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._list)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(area)
        self.restyle(self.theme)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self.theme = theme
        paint_ground(self._list, theme)
        for head in self._heads:
            head.setFont(current_fonts().heading)
        for row in self.rows.values():
            row.restyle(theme)

    def show_frame(self, frame: Frame) -> None:
        """Bring every row up to this moment."""
        if frame.info is not self._info:
            self._begin(frame.info)
        if not self._pace.due(frame.running):
            return
        for claim in claim_readings(frame.info, frame.samples, frame.bounds, frame.time):
            self._row(claim.claim.name, self._columns[0]).show_claim(claim)
        for reading in frame.monitors:
            row = self._row(reading.monitor.name, self._columns[1])
            row.show_reading(reading, MONITOR + reading.monitor.name in frame.breakpoints)
            if reading.monitor.slack is not None and len(frame.samples):
                table = frame.samples[:: -(-len(frame.samples) // MOST_POINTS)]
                row.curve.show_series(reading.monitor.slack(frame.info.numbers, frame.info.facts, table))

    def _begin(self, info: RunInfo) -> None:
        for row in self.rows.values():
            row.hide()
            row.deleteLater()
        self.rows, self._info = {}, info

    def _row(self, name: str, column: QVBoxLayout) -> MonitorRow:
        if name not in self.rows:
            row = MonitorRow(self.theme, self._list)
            row.stop.clicked.connect(lambda: self.intent.emit(BreakAt(MONITOR + name)))
            row.text.linkActivated.connect(lambda event: self.intent.emit(GoTo(int(event))))
            column.addWidget(row)
            self.rows[name] = row
        return self.rows[name]


class MonitorRow(QWidget):
    """One monitor: how it stands, what it says, its slack over time, and a switch."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._reading: Reading | ClaimReading | None = None
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.curve = SlackCurve(theme, self)
        self.stop = QCheckBox("Stop", self)
        self.stop.setToolTip("Pause the run where this is found violated.")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        above = QHBoxLayout()
        above.setSpacing(12)
        above.addWidget(self.text, 1)
        above.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(above)
        column.addWidget(self.curve)
        self.curve.hide()
        self.stop.hide()
        self.restyle(theme)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self._theme = theme
        self.text.setFont(current_fonts().body)
        self.curve.restyle(theme)
        self._write()

    def show_reading(self, reading: Reading, stops: bool) -> None:
        """An invariant, and whether the run is to stop where it is violated."""
        self.stop.show()
        self.stop.setChecked(stops)
        self.curve.setVisible(reading.monitor.slack is not None)
        self.curve.setToolTip(f"Slack over time: {reading.monitor.unit}.")
        self._show(reading)

    def show_claim(self, reading: ClaimReading) -> None:
        """A claim of the long run."""
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
        place = " · ".join(escape(part) for part in (together, said.source) if part)
        mark = f'<b style="color:{faint}">{MARKS[reading.standing]}</b>'
        lines = [f"{mark}&nbsp; {escape(said.statement)}", f'<span style="color:{theme.muted}">{place}</span>']
        if now := _now(reading):
            lines.append(f'<span style="color:{ink}">{now}</span>')
        self.text.setText("<br>".join(lines))
        self.setToolTip(_tip(reading))


def _now(reading: Reading | ClaimReading) -> str:
    """What is known of it now, as rich text; empty where its standing says it all."""
    if isinstance(reading, ClaimReading):
        return escape(reading.sentence)
    if reading.standing != "violated":
        return ""
    where = f'<a href="{reading.event}">event {grouped(reading.event)}</a>'
    after = f", sound after event {grouped(reading.since)}" if reading.since >= 0 else ""
    return f"At {where}{after}: {escape(reading.sentence)}"


def _tip(reading: Reading | ClaimReading) -> str:
    if isinstance(reading, ClaimReading):
        slack = "" if reading.slack is None else f" Slack: {significant(reading.slack.mean)}."
        return f"A claim of the long run, judged by the mean since the warm-up and its interval.{slack}"
    times = plural(reading.looked, "state")
    return f"Judged of {times}: now and then while the run goes on, and wherever it rests."
