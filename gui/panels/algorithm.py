"""The policy's pseudocode with the current line and live values."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLabel

from slotscope.gui.intents import Select
from slotscope.gui.language.words import tr
from slotscope.gui.panel import Panel
from slotscope.gui.panels.algorithm_values import Code, values_beside
from slotscope.gui.panels.algorithm_view import PseudocodeView, ShownPseudocode
from slotscope.gui.panels.wording import event_told
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.labels import CutLabel
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Line, Record

#: Width of a panel in characters at which a common sentence fits on one line.
_LONG_SENTENCE = 120
#: Panel heights in lines below which the sentence has one line, or none: the pseudocode has priority.
_LOW, _LOWEST = 9, 6
#: Panel width in characters that is enough for the full header.
_HEADER = 64


class AlgorithmPanel(Panel):
    """The pseudocode as printed in the paper, bound to the run."""

    name = "algorithm"
    title = "Algorithm"
    summary = "The policy's pseudocode, with the current line and its values."

    def build(self) -> None:
        """Create the header, of two lines, and the pseudocode below it."""
        self.where = CutLabel()
        self.agreement = QLabel(self.body)
        self.agreement.setToolTip(
            "Agreement: the event stepped into ran again on the compiled twin, and the digests "
            "of both states were compared."
        )
        self.sentence = CutLabel()
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.sentence.setAccessibleName("what happens now")
        self.view = PseudocodeView(self.theme, self.body)
        self.view.line_chosen.connect(lambda line: self.intent.emit(Select(line=tuple(line))))
        row = in_row(None, (self.where, 1), self.agreement)
        column = in_column(self.body, spacing=0)
        head = in_column(None, row, self.sentence, margins=(10, 6, 8, 6), spacing=2)
        column.addLayout(head)
        column.addWidget(self.view, 1)
        self.restyle(self.theme)

    def restyle(self, theme: Theme) -> None:
        self.view.theme = theme
        self.where.setStyleSheet(f"color: {theme.muted}")
        self.view.typeset()

    def arrange(self) -> None:
        """Give the sentence two lines, one if the panel is wide or low, or none.

        In lecture mode the sentence is shown below the servers instead.
        """
        metrics = QFontMetricsF(self.sentence.font())
        height = self.height() / metrics.lineSpacing()
        self.sentence.setHidden(current_fonts().lecture or height < _LOWEST)
        lines = 1 if height < _LOW or self.width() > _LONG_SENTENCE * metrics.averageCharWidth() else 2
        self.sentence.setFixedHeight(round(lines * metrics.lineSpacing() + 1))

    def begin(self, frame: Frame) -> None:
        """Set the pseudocode of another run's policy."""
        self.view.set_code(Code(frame.info.pseudocode))

    def show_frame(self, frame: Frame) -> None:
        """Mark the line of the last sub-step, and show all values of the event so far."""
        records = frame.records or frame.last_records
        fast = (frame.running or frame.explaining) and not records
        self._head(frame, records, fast)
        self._show_agreement(None if fast else frame.agreement)
        if fast:
            self.view.set_picture(self.view.picture._replace(dimmed=True, past=frame.running))
            return
        beside = values_beside(self.view.code, records, frame.info)
        self.view.set_picture(ShownPseudocode(self.view.code.current(records), beside, False, _line(self.selection)))

    def show_selection(self, selection: Select) -> None:
        """Mark the selected line."""
        self.view.set_picture(self.view.picture._replace(selected=_line(selection)))

    def _head(self, frame: Frame, records: tuple[Record, ...], fast: bool) -> None:
        narrator = frame.info.narrator
        if frame.explaining:
            where, text = event_told(frame), narrator.row(frame.rows[-1])
        elif fast:
            where = tr("running")
            text = tr("Press Space to pause and Shift+Right to step into a decision.")
        elif frame.records:
            where = event_told(frame)
            text = narrator.record(records[-1])
        elif records:
            where = f"{event_told(frame)}, {_steps(len(records))}"
            text = narrator.row(frame.rows[-1]) if len(frame.rows) else narrator.record(records[-1])
        else:
            where = tr("after event {number}").format(number=grouped(frame.event))
            text = tr("Nothing will happen any more.")
            if frame.next_event:
                text = tr("Next: {event}. Shift+Right steps into the decision.")
                text = text.format(event=narrator.event(frame.next_event))
        self.where.say(where)
        self.sentence.say(text)

    def _show_agreement(self, agreement: bool | None) -> None:
        roomy = self.width() > _HEADER * self.fontMetrics().averageCharWidth()
        both = "reference and kernel " if roomy else ""
        texts = {None: "", True: f"✓ {both}agree", False: f"✗ {both}disagree"}
        color = self.theme.ink(self.theme.rejection) if agreement is False else self.theme.muted
        weight = "bold" if agreement is False else "normal"
        style = f"color: {color}; font-weight: {weight}"
        if style != self.agreement.styleSheet():
            self.agreement.setStyleSheet(style)
        _set(self.agreement, texts[agreement])


def _line(selection: Select) -> Line | None:
    return Line(*selection.line) if selection.line is not None else None


def _set(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)


def _steps(count: int) -> str:
    """The number of sub-steps of a completed event, in words."""
    return tr("its only sub-step") if count == 1 else tr("all {count} sub-steps").format(count=grouped(count))
