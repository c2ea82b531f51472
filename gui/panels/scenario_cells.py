"""Widgets of the scenario form: cells, grids of cells, and a card for each job type."""

from __future__ import annotations

import re
from typing import Any, Iterable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QLineEdit, QSizePolicy, QToolButton, QWidget

from slotscope.gui.painting.colour import SOFT_BLACK, letter_ink
from slotscope.gui.painting.textures import type_brush
from slotscope.gui.panels.scenario_fields import SERVICES, Path, as_number, as_text, copied, put, value_at
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.boxes import ChoiceBox
from slotscope.gui.widgets.icons import icon
from slotscope.gui.widgets.rows import in_column, in_row

_TAG = re.compile(r"<[^>]*>")


class Chooser(ChoiceBox):
    """A combo box that may be narrower than its texts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)


class ScenarioCell(QWidget):
    """A label above a field; *path* tells where its value belongs in the data."""

    edited = Signal()

    def __init__(
        self,
        label: str,
        path: Path,
        tip: str,
        choices: Sequence[tuple[Any, str]] = (),
        columns: int = 1,
        optional: bool = False,
        words: bool = False,
        default: str = "",
    ) -> None:
        super().__init__()
        self.default = default  #: shown if the scenario has no value
        self.path, self.label, self.columns = path, label, columns
        self.optional, self.words = optional, words
        self._original: Any = None
        self._original_text = ""
        self._message = ""
        self.caption = QLabel(label, self, textFormat=Qt.TextFormat.RichText)
        self.field: QLineEdit | QComboBox
        if choices:
            self.field = Chooser(self)
            for value, title in choices:
                self.field.addItem(title, value)
            self.field.currentIndexChanged.connect(self.edited)
        else:
            self.field = QLineEdit(self)
            self.field.textChanged.connect(self.edited)
        self.field.setMinimumWidth(0)
        self.field.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.field.setToolTip(tip)
        self.field.setAccessibleName(tip)
        self.caption.setBuddy(self.field)
        self.error = QLabel(wordWrap=True)
        self.error.hide()
        in_column(self, self.caption, self.field, spacing=1)

    def fill(self, data: Any) -> None:
        """Show the value at the cell's path in *data*."""
        self._original = value_at(data, self.path)
        self.set_text(as_text(self._original))
        self._original_text = self.text

    def store(self, data: Any) -> None:
        """Write the field's value to the cell's path in *data*; an unedited value is written as it was."""
        text = self.text
        if text == self._original_text:
            value = self._original
        elif self.optional and not text:
            value = None
        else:
            value = self._typed
        put(data, self.path, value)

    @property
    def _typed(self) -> Any:
        if isinstance(self.field, QComboBox):
            return self.field.currentData()
        return self.text if self.words else as_number(self.text)

    @property
    def text(self) -> str:
        """The field's text, or the value of its chosen item."""
        if isinstance(self.field, QComboBox):
            return as_text(self.field.currentData())
        return self.field.text().strip()

    def set_text(self, text: str) -> None:
        """Set the field's text, or choose the item with this value."""
        if isinstance(self.field, QComboBox):
            known = [as_text(self.field.itemData(n)) for n in range(self.field.count())]
            shown = text if text in known else self.default
            self.field.setCurrentIndex(known.index(shown) if shown in known else 0)
        else:
            self.field.setText(text)
            self.field.setCursorPosition(0)

    def set_error(self, message: str, theme: Theme) -> None:
        """Show an error below the field; an empty message removes it."""
        self._message = message
        ink = theme.ink(theme.rejection)
        self.error.setText(f"{_TAG.sub('', self.label)}: {message}" if message else "")
        self.error.setStyleSheet(f"color: {ink}")
        self.error.setVisible(bool(message))
        border = f"border: 1px solid {ink}; border-radius: 3px; padding: 2px;" if message else ""
        self.field.setStyleSheet(f"{type(self.field).__name__} {{ {border} }}" if border else "")

    def restyle(self, theme: Theme) -> None:
        self.caption.setStyleSheet(f"color: {theme.muted}")
        self.set_error(self._message, theme)


class StartCell(ScenarioCell):
    """The state of the servers at time 0: empty, full of one type, or as given in the scenario."""

    def __init__(self, names: Sequence[str], given: bool) -> None:
        choices = [("empty", "empty"), *((str(j), "") for j in range(len(names)))]
        if given:
            choices.append(("given", "as given"))
        super().__init__("start", ("initial",), "Start: the servers at time 0.", choices, 2)
        self.set_names(names)

    def set_names(self, names: Sequence[str]) -> None:
        """Take over changed names, or a changed number, of job types."""
        assert isinstance(self.field, QComboBox)
        self._names = list(names)
        self.field.blockSignals(True)
        while (last := self.field.findData(str(len(names)))) >= 0:
            self.field.removeItem(last)
        for number, name in enumerate(names):
            place = self.field.findData(str(number))
            if place < 0:
                place = number + 1
                self.field.insertItem(place, "", str(number))
            self.field.setItemText(place, f"full of {name}")
        self.field.blockSignals(False)

    def fill(self, data: Any) -> None:
        """Show the initial state of the scenario."""
        self._original = value_at(data, self.path) or {"start": "empty"}
        start = self._original["start"]
        full = start == "full" and self._original["type"] in self._names
        self.set_text(str(self._names.index(self._original["type"])) if full else start)
        self._original_text = self.text

    def store(self, data: Any) -> None:
        """Write the initial state to *data*."""
        text = self.text
        if text.isdigit():
            put(data, self.path, {"start": "full", "type": self._names[int(text)]})
        else:
            put(data, self.path, self._original if text == self._original_text else {"start": text})


class CellGrid(QWidget):
    """Cells in columns of equal width, as many as fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells: list[ScenarioCell] = []
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(5)

    def set_cells(self, cells: Iterable[ScenarioCell]) -> None:
        wanted = list(cells)
        for cell in self._cells:
            if cell not in wanted:
                for widget in (cell, cell.error):
                    self._grid.removeWidget(widget)
                    widget.setParent(None)
                    widget.deleteLater()
        self._cells = wanted
        self._columns = 0
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _arrange(self) -> None:
        spacing = self._grid.horizontalSpacing()
        captions = [cell.caption.sizeHint().width() for cell in self._cells if cell.columns == 1]
        width = max(11 * self.fontMetrics().averageCharWidth(), *captions, 0) + spacing
        columns = max(2, (self.width() + spacing) // width)
        if columns == self._columns:
            return
        self._columns = columns
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        row = column = 0
        for cell in self._cells:
            span = min(cell.columns, columns)
            if column + span > columns:
                row, column = row + 1, 0
            self._place(cell, row, column, span)
            column += span
        for column in range(columns):
            self._grid.setColumnStretch(column, 1)

    def _place(self, cell: ScenarioCell, row: int, column: int, span: int) -> None:
        """Place a cell, and its error on a line of its own below the whole row of cells."""
        lines = 1 + len(self._cells)
        self._grid.addWidget(cell, row * lines, column, 1, span)
        below = row * lines + 1 + self._cells.index(cell)
        self._grid.addWidget(cell.error, below, 0, 1, self._columns)


def type_pixmap(theme: Theme, job_type: int, side: int, ratio: float, font: QFont, letter: str = "") -> QPixmap:
    """A square in a job type's colour and texture with its letter, or another one, as on the servers."""
    style = theme.type_style(job_type)
    pixels = round(side * ratio)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(QColor(style.color))
    painter = QPainter(pixmap)
    painter.fillRect(pixmap.rect(), type_brush(theme, job_type))
    letters = QFont(font)
    letters.setBold(True)
    text = letter or style.letter
    letters.setPixelSize(round(pixels * (0.72 if len(text) == 1 else 0.5)))
    painter.setFont(letters)
    painter.setBrush(QColor(style.color))
    painter.setPen(Qt.PenStyle.NoPen)
    inset = round(pixels * 0.16)
    painter.drawRect(pixmap.rect().adjusted(inset, inset, -inset, -inset))
    painter.setPen(QColor(letter_ink(style.color, SOFT_BLACK)))
    painter.drawText(pixmap.rect(), Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


class TypeCard(QFrame):
    """The fields of one job type."""

    edited = Signal()
    removed = Signal()

    def __init__(self, data: dict[str, Any], resources: tuple[str, ...]) -> None:
        super().__init__()
        self._data = data
        self.swatch = QLabel(self)
        self.remove = QToolButton(self)
        self.remove.setToolTip("Remove: this job type leaves the scenario.")
        self.remove.clicked.connect(self.removed)
        self.cells = self._cells(resources)
        self.mean = self.cells[-1]
        self.service = self.cells[-2]
        self._extra: list[ScenarioCell] = []
        self._theme: Theme | None = None
        self.grid = CellGrid(self)
        in_row(
            self,
            (self.swatch, 0, Qt.AlignmentFlag.AlignTop),
            (self.grid, 1),
            (self.remove, 0, Qt.AlignmentFlag.AlignTop),
            margins=(8, 6, 4, 8),
        )
        for cell in self.cells:
            cell.fill(data)
            cell.edited.connect(self.edited)
        self._one_of(("workload",), ("arrival_rate",))
        self.service.edited.connect(self._show_extra)
        self._show_extra()

    def _cells(self, resources: tuple[str, ...]) -> list[ScenarioCell]:
        kinds = [(kind, kind.replace("-", " ")) for kind in SERVICES]
        return [
            ScenarioCell("name", ("name",), "Name: what the job type is called; each only once.", words=True),
            *(
                ScenarioCell(name, ("demand", name), f"Demand: {name} that one job of this type takes.", optional=True)
                for name in resources
            ),
            ScenarioCell("reward <i>u</i>", ("reward",), "Reward: per unit of time of service."),
            ScenarioCell(
                "workload ρ",
                ("workload",),
                "Workload: arrivals per service time, per server. Give it or the arrival rate.",
                optional=True,
            ),
            ScenarioCell(
                "arrivals λ",
                ("arrival_rate",),
                "Arrival rate: per server and unit of time. Give it or the workload.",
                optional=True,
            ),
            ScenarioCell(
                "service", ("service", "distribution"), "Service: the distribution of service times.", kinds, columns=2
            ),
            ScenarioCell("mean 1/μ", ("service", "mean"), "Mean: of the service times."),
        ]

    @property
    def name(self) -> str:
        """The name of the job type in the form."""
        return self.cells[0].text

    @property
    def all_cells(self) -> list[ScenarioCell]:
        """All visible cells."""
        return self.cells + self._extra

    def _one_of(self, *paths: Path) -> None:
        """Connect fields of which only one may have a value: typing in one clears the others."""
        chosen = [cell for cell in self.cells if cell.path in paths]
        for cell in chosen:
            others = [other for other in chosen if other is not cell]
            cell.field.textEdited.connect(  # type: ignore[union-attr]
                lambda text, others=others: [other.set_text("") for other in others if text]
            )

    def _show_extra(self) -> None:
        kind = self.service.text
        schema = SERVICES[kind]
        names = [name for name in schema.model_fields if name not in {"distribution", "mean"}]
        if [cell.path[1] for cell in self._extra] == names:
            self.grid.set_cells(self.all_cells)
            return
        self._extra = []
        for name in names:
            cell = ScenarioCell(
                name.replace("_", " "),
                ("service", name),
                f"{name.replace('_', ' ').capitalize()}: of the {kind} distribution.",
                columns=2 if len(name) > 10 else 1,
            )
            cell.fill(self._data)
            if not cell.text:
                field = schema.model_fields[name]
                cell.set_text("2" if field.is_required() else as_text(field.default))
            cell.edited.connect(self.edited)
            if self._theme is not None:
                cell.restyle(self._theme)
            self._extra.append(cell)
        self.grid.set_cells(self.all_cells)

    def data(self) -> dict[str, Any]:
        """The job type as edited in the fields; data without a field is kept."""
        data = copied(self._data)
        put(data, ("service",), {})
        for cell in self.all_cells:
            cell.store(data)
        return data

    def restyle(self, theme: Theme, number: int, only: bool) -> None:
        """Apply another theme, or another position in the list."""
        self._theme = theme
        side = round(self.fontMetrics().height() * 1.2)
        ratio = self.devicePixelRatioF()
        self.swatch.setPixmap(type_pixmap(theme, number, side, ratio, self.font()))
        self.remove.setIcon(icon("cancel", theme))
        self.remove.setEnabled(not only)
        self.remove.setAccessibleName(f"remove the job type {self.cells[0].text}")
        self.update()
        for cell in self.all_cells:
            cell.restyle(theme)

    def paintEvent(self, _: QPaintEvent) -> None:
        """Paint the card's background: a stylesheet would colour the fields on it as well."""
        if self._theme is not None:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.raised))
            painter.drawRoundedRect(self.rect(), 4, 4)
