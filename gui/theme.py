"""Colours, textures and fonts of the window; each theme is one TOML file.

Colours are ``#rrggbb`` strings, which Qt and pyqtgraph both accept.  Everything that paints receives a
:class:`Theme` and can be given another one at any time.
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from PySide6 import QtWidgets
from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication

from slotscope.gui.painting.colour import contrast, mix
from slotscope.model.errors import UserError
from slotscope.model.reporting.letters import type_letter

THEMES = Path(__file__).resolve().parents[1] / "resources" / "themes"
TEXT_CONTRAST = 4.5
MARK_CONTRAST = 3.0
LECTURE_SCALE = 1.5
_BODY_SIZE, _HEADING_SIZE, _DISPLAY_SIZE = 11.0, 13.0, 18.0
_BETWEEN_SIZES = _BODY_SIZE * (1 + LECTURE_SCALE) / 2  # halfway between the body's sizes at a desk and in a lecture
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_FAMILIES = ("Inter", "Noto Sans", "Source Sans 3", "Segoe UI", "Helvetica Neue", "DejaVu Sans", "Liberation Sans")
#: Widgets that need their own outline colour, and its lightening (%) to make up for Fusion's darkening.
_FIELDS = ("QLineEdit", "QAbstractSpinBox", "QComboBox", "QTextEdit", "QPlainTextEdit", "QCheckBox")
_OUTLINE_SHADE = 140
_GREEK_AND_HATS = "Abc019αρσ⋆·−×\u0302\u202f"


class Texture(IntEnum):
    """Fill patterns of job types, distinguishable without colour."""

    PLAIN = 0
    RISING = 1
    DOTS = 2
    HORIZONTAL = 3
    FALLING = 4
    VERTICAL = 5
    GRID = 6
    CHECKS = 7


@dataclass(frozen=True)
class TypeStyle:
    """The look of a job type: colour, texture, and a letter where there is room."""

    color: str
    texture: Texture
    letter: str


@cache
def _legible(color: str, text: str, surface: str) -> str:
    """The first mixture of *color* and *text* that is legible on *surface*."""
    for step in range(21):
        mixed = mix(color, text, step / 20)
        if contrast(mixed, surface) >= TEXT_CONTRAST:
            return mixed
    return text


@dataclass(frozen=True)
class Theme:
    """All colours of one theme, as ``#rrggbb``; field names are those of the theme file."""

    name: str
    title: str
    dark: bool
    window: str
    panel: str
    raised: str
    field: str
    selection: str
    normal: str
    muted: str
    grid: str
    border: str
    focus: str
    run: str
    reject_group: str
    rejection: str
    migration: str
    optimum: str
    greedy: str
    second: str
    third: str
    empty: str
    reserved: str
    types: tuple[str, ...]
    further: tuple[str, ...]

    def color(self, role: str | int) -> str:
        """The colour for a role such as ``optimum``, or for the job type with this index."""
        if isinstance(role, int):
            return self.type_style(role).color
        color = getattr(self, role)
        if not isinstance(color, str) or not _COLOUR.fullmatch(color):
            raise ValueError(f"a theme has no colour called '{role}'")
        return color

    def type_style(self, job_type: int) -> TypeStyle:
        """The style of the job type with the index *job_type*, counted from 0.

        After the last colour they repeat, each with another texture.
        """
        turn, place = divmod(job_type, len(self.palette))
        texture = Texture((place + place // len(self.types) + turn) % len(Texture))
        return TypeStyle(self.palette[place], texture, type_letter(job_type))

    @property
    def palette(self) -> tuple[str, ...]:
        """The colours of job types, before they repeat."""
        return self.types + self.further

    def ink(self, color: str) -> str:
        """*color*, mixed with the text colour until it is legible as text on a panel."""
        return _legible(color, self.normal, self.panel)


#: Fields that hold lists of colours.
_LISTS = ("types", "further")

_TABLES: dict[str, tuple[str, ...]] = {
    "surfaces": ("window", "panel", "raised", "field", "selection"),
    "text": ("normal", "muted"),
    "lines": ("grid", "border", "focus"),
    "meanings": ("run", "reject_group", "rejection", "migration", "optimum", "greedy", "second", "third"),
    "slots": ("empty", "reserved", *_LISTS),
}


@cache
def load_theme(name: str) -> Theme:
    """The theme of this name among those shipped with the program."""
    return read_theme(THEMES / f"{name}.toml")


def read_theme(path: Path) -> Theme:
    """Read and check a theme's file.

    Raises UserError if the file cannot be read, is not TOML, or has missing or unknown fields.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"this theme cannot be read: {error}", where=str(path)) from error
    values: dict[str, Any] = {"name": path.stem}
    _check_keys(data, ("title", "dark", *_TABLES), str(path), "")
    for key, kind in (("title", str), ("dark", bool)):
        if not isinstance(data[key], kind):
            raise UserError(f"{data[key]!r} is not a {kind.__name__}", where=f"{path}: {key}")
        values[key] = data[key]
    for table, keys in _TABLES.items():
        if not isinstance(data[table], dict):
            raise UserError("a table is needed here", where=f"{path}: {table}")
        _check_keys(data[table], keys, str(path), f"{table}.")
        for key in keys:
            values[key] = _colours(data[table][key], key in _LISTS, f"{path}: {table}.{key}")
    return Theme(**values)


def _check_keys(table: dict[str, Any], keys: tuple[str, ...], path: str, prefix: str) -> None:
    for key in keys:
        if key not in table:
            raise UserError("this field is missing", where=f"{path}: {prefix}{key}")
    for key in table:
        if key not in keys:
            allowed = ", ".join(keys)
            raise UserError(f"unknown field; known are {allowed}", where=f"{path}: {prefix}{key}")


def _colours(value: Any, several: bool, where: str) -> str | tuple[str, ...]:
    if several:
        if not isinstance(value, list) or not 1 <= len(value) <= len(Texture):
            raise UserError(f"a list of 1 to {len(Texture)} colours is needed", where=where)
        return tuple(_colour(item, where) for item in value)
    return _colour(value, where)


def _colour(value: Any, where: str) -> str:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value.lower()):
        raise UserError(f"{value!r} is not a colour; write it as '#rrggbb'", where=where)
    return value.lower()


@dataclass(frozen=True)
class Fonts:
    """One font family in three sizes (points), with tabular figures."""

    family: str
    body_size: float
    heading_size: float
    display_size: float

    @property
    def scale(self) -> float:
        """The scale of text, and with it of marks and lines, relative to the normal size."""
        return self.body_size / _BODY_SIZE

    @property
    def lecture(self) -> bool:
        """Whether these are the fonts of lecture mode."""
        return self.scale > 1.0

    @property
    def body(self) -> QFont:
        """The font of controls, tables, axes and sentences."""
        return self._font(self.body_size)

    @property
    def heading(self) -> QFont:
        """The font of panel titles and of labels in pictures."""
        return self._font(self.heading_size)

    @property
    def display(self) -> QFont:
        """The font of the few numbers that must be legible from the last row."""
        return self._font(self.display_size)

    @cached_property
    def metrics(self) -> QFontMetricsF:
        """The font metrics of the body font."""
        return QFontMetricsF(self.body)

    def _font(self, size: float) -> QFont:
        font = QFont(self.family)
        font.setPointSizeF(size)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font


@cache
def fonts(lecture: bool = False) -> Fonts:
    """The window's fonts; in *lecture* mode they are 1.5 times as large."""
    scale = LECTURE_SCALE if lecture else 1.0
    return Fonts(_family(), _BODY_SIZE * scale, _HEADING_SIZE * scale, _DISPLAY_SIZE * scale)


@cache
def _family() -> str:
    """The first installed family that has the letters and signs of the papers."""
    known = set(QFontDatabase.families())
    for family in _FAMILIES:
        if family in known and _has_signs(family):
            return family
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()


def _has_signs(family: str) -> bool:
    metrics = QFontMetrics(QFont(family))
    return all(metrics.inFontUcs4(ord(sign)) for sign in _GREEK_AND_HATS)


_STYLED = "slotscope-styled"


def current_fonts() -> Fonts:
    """The fonts that the application has now, in lecture mode or not."""
    return fonts(lecture=QApplication.font().pointSizeF() > _BETWEEN_SIZES)


def apply(app: QApplication, theme: Theme, lecture: bool = False) -> None:
    """Apply *theme* to the whole application: style, palettes, fonts and stylesheet."""
    from PySide6.QtCore import Qt  # late: the splash screen must not wait for Qt's enums

    type_sizes = fonts(lecture)
    if app.property(_STYLED) is None:  # only once: setting a style visits every widget
        app.setStyle("Fusion")
        # Widgets with a stylesheet would otherwise not inherit the application's font.
        app.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
        app.setProperty(_STYLED, True)
    if app.palette() != palette(theme):  # palettes, too, visit every widget
        app.setPalette(palette(theme))
        for field in _FIELDS:
            app.setPalette(field_palette(theme), field)  # type: ignore[arg-type]  # str, not bytes
        app.setPalette(_button_palette(theme), "QPushButton")  # type: ignore[arg-type]
        # The same for all scroll areas: Fusion derives a scroll bar's shade from the area's base colour.
        app.setPalette(view_palette(theme), "QAbstractScrollArea")  # type: ignore[arg-type]
        QtWidgets.QToolTip.setPalette(palette(theme))  # otherwise it keeps the desktop's palette
        _recolour(app)
    if app.font() != type_sizes.body:
        app.setFont(type_sizes.body)
        app.sendPostedEvents(None, QEvent.Type.ApplicationFontChange)  # now: the caller then fits widgets to the font
    if app.styleSheet() != STYLESHEET:
        app.setStyleSheet(STYLESHEET)
    configure_plots(theme)


def _recolour(app: QApplication) -> None:
    """Polish anew the widgets that the stylesheet matches: Qt keeps the colours that it took from the last palette."""
    app.sendPostedEvents(None, QEvent.Type.ApplicationPaletteChange)  # first: polishing reads widgets' palettes
    kinds = tuple(getattr(QtWidgets, kind) for kind, name in _SHEETED if not name)
    names = {name for _, name in _SHEETED if name}
    for widget in app.allWidgets():
        if isinstance(widget, kinds) or widget.objectName() in names:
            widget.style().polish(widget)


def configure_plots(theme: Theme) -> None:
    """Set pyqtgraph's defaults if it is imported already (importing it takes a second)."""
    if "pyqtgraph" not in sys.modules:
        return
    import pyqtgraph

    pyqtgraph.setConfigOptions(background=theme.panel, foreground=theme.muted, antialias=False, useNumba=False)


def palette(theme: Theme) -> QPalette:
    """The application's palette for *theme*."""
    role = QPalette.ColorRole
    result = QPalette()
    for kind, color in {
        role.Window: theme.window,
        role.WindowText: theme.normal,
        role.Base: theme.field,
        role.AlternateBase: theme.raised,
        role.Text: theme.normal,
        role.Button: theme.raised,
        role.ButtonText: theme.normal,
        role.BrightText: theme.ink(theme.rejection),
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.normal,
        role.PlaceholderText: theme.muted,
        role.Highlight: theme.selection,
        role.HighlightedText: theme.normal,
        role.Link: theme.focus,
        role.LinkVisited: theme.focus,
        role.Mid: theme.border,
        role.Accent: theme.focus,
    }.items():
        result.setColor(kind, QColor(color))
    disabled = QColor(mix(theme.muted, theme.raised, 0.5))
    for kind in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        result.setColor(QPalette.ColorGroup.Disabled, kind, disabled)
    return result


def field_palette(theme: Theme) -> QPalette:
    """The palette of input fields.

    Fusion draws outlines as a darker shade of the window colour, which is invisible on a dark one, and the
    outline of the focused field as a shade of the highlight.
    """
    role, result = QPalette.ColorRole, palette(theme)
    result.setColor(role.Window, QColor(theme.border).lighter(_OUTLINE_SHADE))
    result.setColor(role.Highlight, QColor(theme.focus))
    result.setColor(role.HighlightedText, QColor(theme.panel))
    return result


def _button_palette(theme: Theme) -> QPalette:
    """The palette of framed buttons: Fusion outlines the focused one with a shade of the highlight."""
    result = palette(theme)
    result.setColor(QPalette.ColorRole.Highlight, QColor(theme.focus))
    return result


def view_palette(theme: Theme) -> QPalette:
    """The palette of lists, tables and other scroll areas, whose background is that of panels."""
    result = palette(theme)
    result.setColor(QPalette.ColorRole.Base, QColor(theme.panel))
    return result


#: Only what a palette cannot express; the rest is left to the Fusion style.  It is the same in all themes and in
#: lecture mode: Qt matches a new stylesheet with every widget, and no rule applies to nine in ten of them.
STYLESHEET = """
QToolTip {
    color: palette(tooltip-text); background: palette(tooltip-base); border: 1px solid palette(mid);
    padding: 4px;
}
QLabel#fault { color: palette(bright-text); }
QLabel#opening {
    color: palette(tooltip-text); background: palette(tooltip-base); border: 1px solid palette(mid);
    border-radius: 4px; padding: 10px 18px;
}
QMainWindow::separator { background: palette(window); width: 5px; height: 5px; }
QMainWindow::separator:hover { background: palette(link); }
QDockWidget::title { background: palette(window); padding: 4px 6px; text-align: left; }
QToolBar { background: palette(window); border: none; spacing: 2px; padding: 2px; }
QStatusBar { background: palette(window); }
QStatusBar::item { border: none; }
QToolButton { border: 1px solid transparent; border-radius: 4px; padding: 3px; }
QToolButton:hover { background: palette(alternate-base); border-color: palette(mid); }
QToolButton:checked, QToolButton:pressed {
    background: palette(highlight); border-color: palette(link);
}
QToolButton:focus { border-color: palette(link); }
QHeaderView::section {
    background: palette(alternate-base); color: palette(placeholder-text); border: none; padding: 3px 6px;
    border-bottom: 1px solid palette(mid);
}
QAbstractItemView { border: none; }
QTabBar::tab {
    background: palette(window); color: palette(placeholder-text); padding: 4px 7px;
    border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: palette(tooltip-text); border-bottom-color: palette(link); }
QTabBar::tab:hover { color: palette(tooltip-text); }
QProgressBar {
    background: palette(base); border: 1px solid palette(mid); border-radius: 3px;
    color: palette(tooltip-text); text-align: center;
}
QProgressBar::chunk { background: palette(highlight); }
"""

#: The widget classes in the stylesheet's selectors, each with an object name (empty: all widgets of the class).
_SHEETED = frozenset(re.findall(r"^(Q\w+)#?(\w*).*\{", STYLESHEET, re.MULTILINE))
