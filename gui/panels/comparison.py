"""The comparison: measures of the policies, paired differences, and decisions that differ."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Hashable, Iterable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QWidget

from slotscope.gui.intents import Differ
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.language.words import tr
from slotscope.gui.panel import Panel
from slotscope.gui.panels.columns import scrolled
from slotscope.gui.panels.comparison_curves import LaneCurves
from slotscope.gui.panels.comparison_table import (
    LaneMeasures,
    caption,
    lane_ink,
    measured_lanes,
    reasons,
    table_rows,
    table_text,
)
from slotscope.gui.panels.wording import job_words, significant
from slotscope.gui.theme import current_fonts
from slotscope.gui.widgets.boxes import push_button
from slotscope.gui.widgets.kept_picture import once_laid_out
from slotscope.gui.widgets.labels import MOST_REMEMBERED, shape_of
from slotscope.gui.widgets.rows import STRETCH, in_column, in_row
from slotscope.model.comparison.differences import Difference
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame

_BUTTONS = (
    ("first", "First that differs", "Go to the first decision that differs", ""),
    ("previous", "Previous", "Previous difference", "Back to just before the previous job that is not decided alike."),
    (
        "next",
        "Next",
        "Next difference",
        "On to just before the next job that is not decided alike; Esc stops the search.",
    ),
)

#: Heights in pixels, at the usual font size except for the last: of the panel from which the measures are
#: explained; and the least ones of curves, in lecture mode and otherwise, and of measures.
_ROOMY, _LOW_PLOT, _LEAST_PLOT, _LEAST_MEASURES = 460, 75, 120, 60


class ComparisonPanel(Panel):
    """How the policies differ: in numbers, over time, and job by job."""

    name = "comparison"
    title = "Comparison"
    summary = "Measures of the policies side by side, with paired differences on the same jobs."

    def build(self) -> None:
        """Create the measures, the curves, and the sentence on the decision that differs."""
        self._lanes: tuple[LaneMeasures, ...] = ()
        self._sizes: dict[
            Hashable, tuple[int, int]
        ] = {}  # sizes of the measures, by what determines them: Qt computes them by a complete layout
        self.table = _text(self.body)
        self.caption = _text(self.body)
        self.sentence = _text(self.body)
        self.curves = LaneCurves(self.theme, self.body)
        self.curves.event_picked.connect(self.go_to)
        self.where = QCheckBox()
        self.where.setAccessibleName(tr("What else counts as a difference"))
        self._named = ""  # the kind of system for which the controls are worded
        self.where.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.buttons = {name: self._button(name, text, title, tip) for name, text, title, tip in _BUTTONS}
        self._where_row = -1
        self.controls = self._row()
        self._fill_measures()
        in_column(
            self.body, self.measures, (self.curves, 1), self.controls, self.sentence, margins=(0, 0, 0, 6), spacing=4
        )
        self.sentence.setContentsMargins(10, 0, 10, 0)
        self.ground(self.body, self.measures.viewport(), self._inside)
        self.follow_theme(self.curves)

    def build_ahead(self) -> Iterator[None]:
        """Build the plots, one per step."""
        return self.curves.build_ahead()

    def _fill_measures(self) -> None:
        self._inside = QWidget()
        self._rows = in_column(self._inside, self.table, self.caption, STRETCH, margins=(10, 6, 10, 0), spacing=2)
        self.measures = scrolled(self._inside, self.body)
        self.measures.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _row(self) -> QWidget:
        controls = QWidget(self.body)
        self._control_rows = in_row(None, *self.buttons.values(), STRETCH, spacing=3), in_row(None, STRETCH)
        self._both_rows = in_column(controls, *self._control_rows, margins=(10, 0, 6, 0), spacing=0)
        self._place_where(0)
        return controls

    def _place_where(self, row: int) -> None:
        """Move the check box to the row of the buttons (0), or below it (1)."""
        if row != self._where_row:
            self._where_row = row
            self._control_rows[row].insertWidget(0 if row else len(self.buttons), self.where)
            self._both_rows.invalidate()  # Qt would do so later, but sizes are needed now

    def _fit_where(self) -> None:
        """Give the check box its own row if it would be cut beside the buttons."""
        wanted = sum(one.sizeHint().width() + 3 for one in (*self.buttons.values(), self.where))
        self._place_where(int(wanted + 16 > self.body.width()))

    def _button(self, name: str, text: str, title: str, tip: str) -> QPushButton:
        text, title, tip = tr(text), tr(title), tr(tip)
        button = push_button(text)
        button.setObjectName(f"difference-{name}")
        button.setAccessibleName(title)
        button.setToolTip(f"{title}\n{tip}")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(lambda: self.intent.emit(Differ(name, self.where.isChecked())))
        return button

    def _name_decisions(self, system: str) -> None:
        """Word the controls for a kind of system."""
        if system == self._named:
            return
        self._named = system
        words, first = PANEL_ROOMS[system].decisions, self.buttons["first"]
        self.where.setText(tr(words.where))
        self.where.setToolTip(tr(words.where_tip))
        first.setToolTip(f"{first.accessibleName()}\n{tr(words.first)}")

    # Frames.

    def why_not(self, frame: Frame) -> str:
        """A note if only one policy runs."""
        return (
            "" if frame.comparison is not None else tr("One policy runs alone; Compare, above, puts others beside it.")
        )

    def show_frame(self, frame: Frame) -> None:
        """Show a frame's numbers, curves and sentences; during a run a few times a second."""
        if not self.numbers_due(frame):
            return
        self._name_decisions(frame.info.system)
        compared = frame.info.kind.compares_decisions
        for button in self.buttons.values():
            button.setVisible(compared)
        for part in (self.where, self.sentence):  # in lecture mode each lane's log tells its decision
            part.setVisible(compared and not current_fonts().lecture)
        self._lanes = measured_lanes(frame)
        self.table.setToolTip(reasons(self._lanes))
        self.caption.setText(f'<span style="color:{self.theme.muted}">{caption(frame)}</span>')
        self.sentence.setText(self._told(frame))
        self.arrange()
        once_laid_out(self.curves, partial(self.curves.show_frame, frame))  # deferred: the first time takes long

    def arrange(self) -> None:
        """Give the measures the height that they need, but leave some for the curves.

        In lecture mode, where nobody scrolls, the curves are hidden first if room is short, then the buttons, then the
        last measures.
        """
        if self.frame is None or self.frame.comparison is None or not self._lanes:
            return
        hall, scale = current_fonts().lecture, current_fonts().scale
        self.caption.setVisible(self.body.height() >= _ROOMY * scale)
        said = 0 if self.sentence.isHidden() else self.sentence.heightForWidth(self.body.width())
        room = self.body.height() - said - 20
        (least, wanted), left_out = self._tell(self.frame, 0), 0
        while hall and wanted > room and left_out + 1 < len(self.frame.info.kind.measures):
            left_out += 1
            least, wanted = self._tell(self.frame, left_out)
        self._fit_where()
        curves, buttons = int((_LOW_PLOT if hall else _LEAST_PLOT) * scale), self.controls.sizeHint().height()
        self.controls.setHidden(hall and wanted > room - buttons)
        room -= 0 if self.controls.isHidden() else buttons
        self.curves.setHidden(hall and wanted > room - curves)
        self.measures.setMinimumWidth(least)
        if self.curves.isHidden():
            self.measures.setFixedHeight(max(_LEAST_MEASURES, room))
        else:
            self.measures.setFixedHeight(max(_LEAST_MEASURES, min(wanted, room - curves)))

    def _tell(self, frame: Frame, left_out: int) -> tuple[int, int]:
        """Write all but the last *left_out* measures; returns the minimum width and the height that they need."""
        least = wanted = 0
        for narrow in (False, True):
            least, wanted = self._write(table_text(frame, self._lanes, self.theme, left_out, narrow))
            if least <= self.body.width():
                break
        return least, wanted

    def _write(self, text: str) -> tuple[int, int]:
        """Write the measures; returns the minimum width and the height that they need."""
        self.table.setText(text)
        explained = "" if self.caption.isHidden() else self.caption.text()
        width = self.measures.viewport().width()
        look = shape_of(text), shape_of(explained), width, self.table.font().toString()
        if look not in self._sizes:
            if len(self._sizes) >= MOST_REMEMBERED:
                self._sizes.clear()
            self._sizes[look] = self._inside.minimumSizeHint().width(), self._rows.heightForWidth(width) + 2
        return self._sizes[look]

    def _told(self, frame: Frame) -> str:
        standing = frame.comparison
        assert standing is not None
        if not frame.info.kind.compares_decisions:
            return ""
        found, first = standing.found, standing.first
        if found is not None and self._stands_before(frame, found):
            return self._difference(frame, found, "Next")
        if first is not None:
            return self._difference(frame, first, "First decision that differs")
        if not standing.whole:
            told = tr("{count} jobs are compared; {button} goes on with the rest.")
            return told.format(count=grouped(standing.decided), button=self.buttons["first"].text())
        if not standing.decided:
            return tr("No job has arrived yet.")
        jobs = tr("1 job") if standing.decided == 1 else tr("{count} jobs").format(count=grouped(standing.decided))
        return tr(PANEL_ROOMS[frame.info.system].decisions.alike).format(jobs=jobs)

    @staticmethod
    def _stands_before(frame: Frame, found: Difference) -> bool:
        event = frame.next_event
        return event is not None and event.job == found.job and event.time == found.time

    def _difference(self, frame: Frame, found: Difference, title: str) -> str:
        """A sentence per lane on what it does with the job, and why."""
        assert frame.comparison is not None
        time = significant(found.time, 6)
        job = job_words(frame.info, found.type, found.job)
        lines = [f"<b>{title}:</b> {escape(job)} at t = {time}"]
        lanes = zip(frame.lanes, frame.comparison.labels, found.rows, strict=True)
        for lane, (one, label, row) in enumerate(lanes):
            ink = lane_ink(self.theme, lane)
            said = escape(one.info.narrator.row(row))
            lines.append(f'<b style="color:{ink}">{escape(label)}</b>, event {grouped(int(row["event"]))}: {said}')
        return "<br>".join(lines)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The measures of every lane, and their differences from the first."""
        if self.frame is None or self.frame.comparison is None:
            return None
        names = ["policy", "measure", "mean", "half_width", "difference", "paired_half_width"]
        return names, table_rows(measured_lanes(self.frame))


def _text(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
