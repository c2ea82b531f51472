"""State-space collapse: the state in the plane of the optimum's two widths, animated.

Ghanbarian et al. (2025), Figure 1.
"""

from __future__ import annotations

from typing import Iterable

from PySide6.QtWidgets import QButtonGroup, QDoubleSpinBox, QHBoxLayout, QLabel, QWidget

from slotscope.gui.intents import GoTo
from slotscope.gui.kinds.moldable.collapse_values import (
    CollapsePlane,
    delta_decimals,
    delta_tip,
    delta_words,
    is_ours,
    nearness,
    plane_of,
    share_above,
    tiles,
)
from slotscope.gui.kinds.moldable.collapse_view import NEAR, WHOLE, CollapseView
from slotscope.gui.panels.tiles import TiledPanel
from slotscope.gui.theme import current_fonts
from slotscope.gui.widgets.boxes import ChoiceBox, changed_by_editing, push_button
from slotscope.gui.widgets.rows import in_row
from slotscope.model.kinds.moldable.sampling import PAIR, columns
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.recorder import EVENT_COLUMN, TIME_COLUMN

#: Least panel heights in pixels for tiles above the picture, and for the
#: choices.
_LOW, _LOWEST = 330, 210


class CollapsePanel(TiledPanel):
    """The trail of (x_i1, x_i2) towards y* and around it."""

    name = "collapse"
    title = "State-space collapse"
    summary = "The jobs on the two widths of the optimum, on their way to it and around it."
    needs = frozenset({"moldable"})

    def build(self) -> None:
        """Create the tiles, the choices, and the picture."""
        super().build()
        self._bounds: object = None
        self.plane: CollapsePlane | str = ""
        self.view = CollapseView(self.theme)
        self.view.picked.connect(lambda event: self.intent.emit(GoTo(event)))
        self.view.looked.connect(self._show_look)
        self.follow_theme(self.view)
        self.column.addWidget(self._build_choices())
        self.column.addWidget(self.view, 1)
        self._sentence = QLabel(self.body, wordWrap=True, margin=16)
        self.column.addWidget(self._sentence, 1)
        self._sentence.hide()

    def _build_choices(self) -> QWidget:
        self.choices = QWidget(self.body)
        self.job_class = ChoiceBox()
        self.job_class.setAccessibleName("job class")
        self.job_class.setToolTip("Choose the class of jobs that is shown.")
        self.job_class.activated.connect(self._chosen)
        group = QButtonGroup(self.choices)
        self.whole, self.near = push_button("All"), push_button("Near y*")
        for button, tip, look in (
            (self.whole, "See the whole triangle (0).", WHOLE),
            (self.near, "See the neighbourhood of y*.", NEAR),
        ):
            button.setCheckable(True)
            button.setToolTip(tip)
            button.clicked.connect(lambda _=False, part=look: self.view.look(part))
            group.addButton(button)
        self._group = group
        self._delta_caption = QLabel("δ")
        self.delta = QDoubleSpinBox()
        self.delta.setAccessibleName("delta")
        self.delta.setKeyboardTracking(False)
        changed_by_editing(self.delta)
        self.delta.valueChanged.connect(self._set_delta)
        self._delta_caption.setBuddy(self.delta)
        self._delta_words = QLabel(wordWrap=True)
        where, delta = (self.job_class, self.whole, self.near), (self._delta_caption, self.delta)
        row = in_row(self.choices, *where, *delta, (self._delta_words, 1), margins=(10, 0, 10, 0))
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        return self.choices

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Show the first class of another run."""
        self.job_class.clear()
        self.job_class.addItems(list(frame.info.numbers.class_names))
        self.job_class.setVisible(frame.info.numbers.classes > 1)
        self._begin_class(frame)

    def show_frame(self, frame: Frame) -> None:
        """Move the point with each frame; update the tiles a few times a second."""
        if isinstance(self.plane, str):
            return
        if frame.bounds is not self._bounds:
            self._bounds = frame.bounds
            self.view.set_path(frame)
        self.view.set_frame(frame)
        if self.numbers_due(frame):
            self._write(frame)

    def _begin_class(self, frame: Frame) -> None:
        self._bounds = None
        self.plane = plane_of(frame.info, max(0, self.job_class.currentIndex()))
        known = isinstance(self.plane, CollapsePlane)
        self._sentence.setVisible(not known)
        self.view.setVisible(known)
        if isinstance(self.plane, str):
            self._sentence.setText(self.plane)
        else:
            self._begin_delta(self.plane)
            self.view.begin(self.plane, self.delta.value())
        self.arrange()

    def _begin_delta(self, plane: CollapsePlane) -> None:
        self.delta.blockSignals(True)
        self.delta.setDecimals(delta_decimals(plane))
        self.delta.setRange(0.0, plane.room)
        self.delta.setSingleStep(plane.room / 20)
        self.delta.setValue(plane.proved)
        self.delta.blockSignals(False)
        self.delta.setEnabled(plane.room > 0)
        self.delta.setToolTip(delta_tip(plane))
        self._delta_words.setText(delta_words(plane, self.delta.value()))

    def _write(self, frame: Frame) -> None:
        assert isinstance(self.plane, CollapsePlane)
        above = share_above(self.plane, frame, self.delta.value())
        near = nearness(self.plane, frame)
        self.tiles.set_texts(tiles(self.plane, near, above, is_ours(frame.info)))

    def _chosen(self) -> None:
        if (frame := self.current) is not None:
            self._begin_class(frame)
            self.calm.forget()
            self.show_frame(frame)

    def _set_delta(self, delta: float) -> None:
        if isinstance(self.plane, CollapsePlane) and self.frame is not None:
            self.view.set_delta(delta)
            self._delta_words.setText(delta_words(self.plane, delta))
            self._write(self.frame)

    def _show_look(self, look: str) -> None:
        self._group.setExclusive(False)
        self.whole.setChecked(look == WHOLE)
        self.near.setChecked(look == NEAR)
        self._group.setExclusive(True)

    # The window.

    def arrange(self) -> None:
        known, height = isinstance(self.plane, CollapsePlane), self.height() / current_fonts().scale
        several = self.job_class.count() > 1
        self.tiles.setVisible(known and height >= _LOW)
        self.choices.setVisible((known or several) and height >= _LOWEST)
        for part in (self.whole, self.near, self.delta, self._delta_caption, self._delta_words):
            part.setVisible(known)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The trail as a table."""
        frame = self.frame
        if frame is None or isinstance(self.plane, str):
            return None
        first = int(columns(PAIR, frame.info.numbers.classes)[self.plane.job_class])
        names = ["event", "time", *(f"jobs_on_{width}" for width in self.plane.widths)]
        shown = frame.samples[:, [EVENT_COLUMN, TIME_COLUMN, first, first + 1]]
        return names, shown.tolist()
