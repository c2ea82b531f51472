"""Cells of the scenario form, their place in the scenario's data, and the check of it all."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any, Callable, Iterable, Literal, NamedTuple, Sequence, get_args, get_origin

import numpy as np
from pydantic import BaseModel
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QImage,
    QPainter,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gui.painting.colour import contrast, mix
from gui.painting.textures import INK, texture_tile
from gui.theme import Theme
from model.assembly import assemble, policy_parameters
from model.errors import UserError
from model.policies import POLICIES, reference_class
from model.scenario.common import Service
from model.scenario.load import Scenario, parse_scenario
from model.scenario.validation import Problem, ValidationFaultError
from model.systems.reservation.numbers import numbers_of
from model.workload import RecordedWorkload

Path = tuple[str | int, ...]
_TAG = re.compile(r"<[^>]*>")

#: The schema of each service distribution, by its name.
SERVICES: dict[str, type[BaseModel]] = {
    get_args(schema.model_fields["distribution"].annotation)[0]: schema
    for schema in get_args(get_args(Service)[0])
}


# The scenario's data.


def dotted(path: Path) -> str:
    """A path as errors write it: ``job_types[2].service.mean``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def value_at(data: Any, path: Path) -> Any:
    """What stands at a path, or None."""
    for part in path:
        known = part < len(data) if isinstance(part, int) else part in data
        if not known:
            return None
        data = data[part]
    return data


def put(data: Any, path: Path, value: Any) -> None:
    """Set what stands at a path; None takes it away.  Tables on the way are made."""
    for part in path[:-1]:
        data = data[part] if isinstance(part, int) else data.setdefault(part, {})
    if value is None:
        data.pop(path[-1], None)
    else:
        data[path[-1]] = value


class Check(NamedTuple):
    """A scenario if the data make one, else what is wrong, and where."""

    scenario: Scenario | None
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...] = ()


def check(data: dict[str, Any], thoroughly: bool = False) -> Check:
    """Validate *data*: its fields, its numbers, and its policy with its parameters.

    *thoroughly* also puts the whole system together, which may take long for a large start.
    """
    try:
        scenario = parse_scenario(data)
        numbers = numbers_of(scenario)
        reference = reference_class(scenario.policy.name)
        parameters = policy_parameters(scenario)
        _try_policy(lambda: reference(numbers, parameters))
        if thoroughly:
            nothing = RecordedWorkload(np.zeros(0), np.zeros(0, np.int32), np.zeros(0))
            assemble(scenario, recorded=nothing)
    except ValidationFaultError as fault:
        return Check(None, fault.problems)
    except UserError as error:
        return Check(None, (Problem(error.where, error.message),))
    return Check(scenario, (), numbers.warnings())


def _try_policy(make: Callable[[], object]) -> None:
    try:
        make()
    except ValueError as error:
        raise ValidationFaultError((Problem("policy.parameters", str(error)),)) from None


class Parameter(NamedTuple):
    """A parameter of a policy, as its schema declares it."""

    name: str
    default: str
    choices: tuple[str, ...]


def parameters_of(policy: str) -> tuple[Parameter, ...]:
    """The parameters of a policy, in order."""
    schema: type[BaseModel] = reference_class(policy).schema
    return tuple(
        Parameter(name, *_default_and_choices(schema, name)) for name in schema.model_fields
    )


def _default_and_choices(schema: type[BaseModel], name: str) -> tuple[str, tuple[str, ...]]:
    field = schema.model_fields[name]
    choices: tuple[str, ...] = ()
    if field.annotation is bool:
        choices = ("true", "false")
    elif get_origin(field.annotation) is Literal:
        choices = tuple(str(choice) for choice in get_args(field.annotation))
    if field.is_required() or field.default is None:
        return "", choices
    plain = schema.model_construct(**{name: field.default}).model_dump(mode="json", include={name})
    return as_text(plain[name]), choices


def as_text(value: Any) -> str:
    """A plain value as one types it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def policy_titles() -> dict[str, str]:
    """The policies by name, with the titles that people know."""
    return {name: reference_class(name).title for name in POLICIES}


# Widgets.


class Chooser(QComboBox):
    """A list to choose from that leaves the wheel to the form unless it has the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Cell(QWidget):
    """A label above a field; *path* says where its value belongs in the data."""

    edited = Signal()

    def __init__(
        self,
        label: str,
        path: Path,
        tip: str,
        choices: Sequence[tuple[str, str]] = (),
        columns: int = 1,
        optional: bool = False,
    ) -> None:
        super().__init__()
        self.path, self.label, self.columns, self.optional = path, label, columns, optional
        self._original: Any = None
        self._original_text = ""
        self._message = ""
        self.caption = QLabel(label, self)
        self.caption.setTextFormat(Qt.TextFormat.RichText)
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
        self.error = QLabel()
        self.error.setWordWrap(True)
        self.error.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.caption)
        column.addWidget(self.field)

    def fill(self, data: Any) -> None:
        """Show what stands at the path in *data*."""
        self._original = value_at(data, self.path)
        self.set_text(as_text(self._original))
        self._original_text = self.text

    def store(self, data: Any) -> None:
        """Put the field's value at the path in *data*; what was not touched stays as it was."""
        text = self.text
        if text == self._original_text:
            value = self._original
        elif self.optional and not text:
            value = None
        else:
            value = text
        put(data, self.path, value)

    @property
    def text(self) -> str:
        """What the field says."""
        if isinstance(self.field, QComboBox):
            return str(self.field.currentData())
        return self.field.text().strip()

    def set_text(self, text: str) -> None:
        """Let the field say *text*."""
        if isinstance(self.field, QComboBox):
            self.field.setCurrentIndex(max(0, self.field.findData(text)))
        else:
            self.field.setText(text)
            self.field.setCursorPosition(0)

    def set_error(self, message: str, theme: Theme) -> None:
        """Show a fault below the field; an empty one takes it away."""
        self._message = message
        ink = theme.ink(theme.rejection)
        self.error.setText(f"{_TAG.sub('', self.label)}: {message}" if message else "")
        self.error.setStyleSheet(f"color: {ink}")
        self.error.setVisible(bool(message))
        border = f"border: 1px solid {ink}; border-radius: 3px; padding: 2px;" if message else ""
        self.field.setStyleSheet(f"{type(self.field).__name__} {{ {border} }}" if border else "")

    def restyle(self, theme: Theme) -> None:
        """Follow another theme."""
        self.caption.setStyleSheet(f"color: {theme.muted}")
        self.set_error(self._message, theme)


class StartCell(Cell):
    """How the servers are at time 0: empty, full of one type, or as the scenario gives them."""

    def __init__(self, names: Sequence[str], given: bool) -> None:
        choices = [("empty", "empty"), *((str(j), "") for j in range(len(names)))]
        if given:
            choices.append(("given", "as given"))
        super().__init__("start", ("initial",), "Start: the servers at time 0.", choices, 2)
        self.set_names(names)

    def set_names(self, names: Sequence[str]) -> None:
        """The job types are called otherwise, or there are more or fewer of them."""
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
        """Show the scenario's start."""
        self._original = value_at(data, self.path) or {"start": "empty"}
        start = self._original["start"]
        full = start == "full" and self._original["type"] in self._names
        self.set_text(str(self._names.index(self._original["type"])) if full else start)
        self._original_text = self.text

    def store(self, data: Any) -> None:
        """Put the start into *data*."""
        text = self.text
        if text.isdigit():
            put(data, self.path, {"start": "full", "type": self._names[int(text)]})
        else:
            put(data, self.path, self._original if text == self._original_text
                else {"start": text})  # fmt: skip


class CellGrid(QWidget):
    """Cells in columns of equal width, as many as the width has room for."""

    def __init__(self, cells: Iterable[Cell] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells: list[Cell] = []
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self.set_cells(cells)

    def set_cells(self, cells: Iterable[Cell]) -> None:
        """Show other cells."""
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
        width = 13 * self.fontMetrics().averageCharWidth()
        columns = max(2, self.width() // width)
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

    def _place(self, cell: Cell, row: int, column: int, span: int) -> None:
        """A cell, and its fault on a line of its own below the whole row."""
        lines = 1 + len(self._cells)
        self._grid.addWidget(cell, row * lines, column, 1, span)
        below = row * lines + 1 + self._cells.index(cell)
        self._grid.addWidget(cell.error, below, 0, 1, self._columns)


def type_pixmap(theme: Theme, job_type: int, side: int, ratio: float, font: QFont) -> QPixmap:
    """A job type's colour and texture with its letter, as on the servers."""
    style = theme.type_style(job_type)
    pixels = round(side * ratio)
    ink = mix(style.color, theme.panel, INK)
    tile = np.ascontiguousarray(texture_tile(style.texture, style.color, ink))
    image = QImage(tile.tobytes(), tile.shape[1], tile.shape[0], QImage.Format.Format_ARGB32)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(QColor(style.color))
    painter = QPainter(pixmap)
    painter.fillRect(pixmap.rect(), QBrush(image))
    letters = QFont(font)
    letters.setBold(True)
    letters.setPixelSize(round(pixels * 0.72))
    painter.setFont(letters)
    dark, light = "#101418", "#ffffff"
    best = max((dark, light), key=lambda ground: contrast(ground, style.color))
    painter.setBrush(QColor(style.color))
    painter.setPen(Qt.PenStyle.NoPen)
    inset = round(pixels * 0.16)
    painter.drawRect(pixmap.rect().adjusted(inset, inset, -inset, -inset))
    painter.setPen(QColor(best))
    painter.drawText(pixmap.rect(), Qt.AlignmentFlag.AlignCenter, style.letter)
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def copied(data: Any) -> dict[str, Any]:
    """A deep copy that may be changed."""
    result: dict[str, Any] = deepcopy(data)
    return result
