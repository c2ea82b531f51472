"""The content of a film: a few panels with the sentences of a moment, in the film's size, outside the window."""

from __future__ import annotations

from typing import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QWidget

from slotscope.gui import theme as themes
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.panel import Panel
from slotscope.gui.panels import COMPARISON, SENTENCES, panels_of
from slotscope.gui.panels.wording import clock_text, event_told, sentence
from slotscope.gui.presenting.pad import mark_over
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.motion import come_to_rest, lay_out, steps
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.gui.window.application import application
from slotscope.model.errors import UserError
from slotscope.model.lessons.marks import Mark
from slotscope.model.reporting.frame import Frame

#: Percentage of the width for the panels beside the first one, by the number of policies.
_BESIDE = {1: 42, 2: 34, 3: 28}

#: Initial height of a caption in lines; it grows with a longer caption, and does not shrink again.
_CAPTION_LINES = 2

_MARGIN = 12


def panels_in_lecture(system: str, lanes: int) -> tuple[str, ...]:
    """The panels that lecture mode shows by default."""
    roles = PANEL_ROOMS[system].roles
    return roles.servers, COMPARISON.name if lanes > 1 else roles.beside


def panel_classes(system: str, names: Sequence[str], lanes: int = 1, where: str = "--panel") -> list[type[Panel]]:
    """The classes of the named panels; *where* is the option with the names. Raises UserError if one is unknown."""
    entries = {entry.name: entry for entry in panels_of(system)}
    if lanes > 1:
        entries[COMPARISON.name] = COMPARISON
    for name in names:
        if name not in entries:
            raise UserError(f"found '{name}', allowed: {', '.join(entries)}", where=where)
    return [entries[name].load() for name in names]


def show_at_rest(panel: Panel, frame: Frame) -> None:
    """Have a panel show a moment, with animations finished. Raises UserError if the panel fails."""
    panel.set_frame(frame)
    lay_out(panel)
    come_to_rest(panel)
    _check(panel)


def _check(panel: Panel) -> None:
    if panel.fault is not None:
        raise UserError(f"the panel '{panel.name}' failed: {panel.fault.sentence}")


class FilmStage(QWidget):
    """Shows moments of one run, or of several side by side: the first panel for each, the others for the first."""

    def __init__(
        self,
        frame: Frame,
        labels: Sequence[str],
        names: Sequence[str],
        theme: Theme,
        size: tuple[int, int],
        marks: Sequence[Mark] = (),
    ) -> None:
        """*marks* are drawn on the panels at all moments."""
        lanes = frame.lanes
        first, *others = panel_classes(frame.info.system, names, len(lanes))
        themes.apply(application(), theme, lecture=True)
        super().__init__()
        self.setAutoFillBackground(True)
        self._firsts = [first(theme) for _ in lanes]
        self._others = [panel(theme) for panel in others]
        self._labels = list(labels) or [frame.info.policy_title]
        self._heads = [QLabel(textFormat=Qt.TextFormat.PlainText) for _ in lanes]
        self._captions = [self._caption() for _ in lanes] if SENTENCES not in names else []
        self._marks = marks
        self._lay_out(len(lanes))
        self.resize(*size)
        self.setFixedSize(*size)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.show()
        self.setFocus()  # else the first panel would get the focus, and its focus ring

    def _caption(self) -> QLabel:
        label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        label.setMinimumHeight(_CAPTION_LINES * label.fontMetrics().lineSpacing())
        return label

    def _lay_out(self, lanes: int) -> None:
        layout = in_row(self, margins=(_MARGIN, _MARGIN // 2, _MARGIN, _MARGIN), spacing=_MARGIN)
        grid = QGridLayout()
        grid.setSpacing(_MARGIN // 2)
        grid.setRowStretch(1, 1)
        for lane in range(lanes):
            grid.addWidget(self._heads[lane], 0, lane)
            grid.addWidget(self._firsts[lane], 1, lane)
            grid.setColumnStretch(lane, 1)
        for lane, caption in enumerate(self._captions):
            grid.addWidget(caption, 2, lane)
        layout.addLayout(grid, 100 - _BESIDE[lanes])
        if self._others:
            others = in_column(None, *((panel, 1) for panel in self._others), spacing=_MARGIN)
            layout.addLayout(others, _BESIDE[lanes])

    def show_frame(self, frame: Frame) -> None:
        """Show a moment, at the start of the animation towards it. Raises UserError if a panel fails."""
        for lane, part in enumerate(frame.lanes):
            self._firsts[lane].set_frame(part)
            when = clock_text(part.info, part.time)
            self._heads[lane].setText(f"{self._labels[lane]}    {event_told(part)}    {when}")
            if self._captions:
                self._say(self._captions[lane], sentence(part))
        for panel in self._others:
            panel.set_frame(frame)
        lay_out(self)
        for panel in (*self._firsts, *self._others):
            _check(panel)
        self._mark()

    def _mark(self) -> None:
        """Put the marks over the panels, once these show something."""
        marks, self._marks = self._marks, ()
        for lane, panel in (*enumerate(self._firsts), *((0, panel) for panel in self._others)):
            mark_over(panel, lane, marks)

    def _say(self, caption: QLabel, text: str) -> None:
        caption.setText(text)
        needed = caption.heightForWidth(caption.width())
        if needed > caption.minimumHeight():
            caption.setMinimumHeight(needed)

    def pictures(self, milliseconds: float) -> Iterator[QImage]:
        """Yield pictures of the animation towards the shown moment, one per step of *milliseconds*.

        The last one shows the moment at rest.
        """
        for _ in steps(self, milliseconds):
            yield self.picture()
        yield self.picture()

    def picture(self) -> QImage:
        """The current picture."""
        QApplication.processEvents()
        return self.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
