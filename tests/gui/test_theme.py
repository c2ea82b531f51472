"""Themes: files are validated, text is legible, job types differ without colour."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

if sys.platform == "linux" and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFontInfo, QFontMetricsF, QImage, QPalette
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QDockWidget,
    QLabel,
    QListWidget,
    QMainWindow,
    QProgressBar,
    QScrollArea,
    QTabBar,
    QTableWidget,
    QTextBrowser,
    QToolBar,
    QToolButton,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from slotscope.gui.painting.colour import contrast, mix
from slotscope.gui.painting.textures import texture_mask
from slotscope.gui.theme import (
    MARK_CONTRAST,
    STYLESHEET,
    TEXT_CONTRAST,
    THEMES,
    Texture,
    Theme,
    apply,
    fonts,
    load_theme,
    palette,
    read_theme,
)
from slotscope.gui.window.dialogs import show_sheet
from slotscope.model.errors import UserError
from slotscope.model.reporting.letters import type_letter

SURFACES = ("window", "panel", "raised", "field", "selection")
MARKS = ("run", "reject_group", "rejection", "migration", "optimum", "greedy", "focus")
COLOURS = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06x}")


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> Theme:
    return load_theme(request.param)


def test_both_themes_come_with_the_program() -> None:
    assert sorted(path.stem for path in THEMES.glob("*.toml")) == ["dark", "light"]
    assert load_theme("dark").dark
    assert not load_theme("light").dark


def test_contrast_of_known_pairs() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#123456", "#123456") == 1


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("text", ["normal", "muted"])
def test_text_is_legible_on_every_surface(theme: Theme, text: str, surface: str) -> None:
    assert contrast(theme.color(text), theme.color(surface)) >= TEXT_CONTRAST


@pytest.mark.parametrize("mark", MARKS)
def test_marks_stand_out_from_the_panel(theme: Theme, mark: str) -> None:
    assert contrast(theme.color(mark), theme.panel) >= MARK_CONTRAST


def test_job_types_stand_out_from_the_panel(theme: Theme) -> None:
    assert len(theme.types) == len(theme.further) == 8
    assert min(contrast(color, theme.panel) for color in theme.palette) >= MARK_CONTRAST


def test_the_run_is_the_strongest_neutral(theme: Theme) -> None:
    others = [theme.color(mark) for mark in MARKS if mark != "run"]
    assert contrast(theme.run, theme.panel) > max(contrast(c, theme.panel) for c in others)
    assert QColor(theme.run).hslSaturation() < 80


@pytest.mark.parametrize(
    ("mark", "hues"),
    [
        ("reject_group", (15, 35)),
        ("rejection", (345, 372)),
        ("migration", (200, 225)),
        ("optimum", (38, 52)),
        ("greedy", (165, 185)),
    ],
)
def test_meanings_keep_their_hue(theme: Theme, mark: str, hues: tuple[int, int]) -> None:
    hue = QColor(theme.color(mark)).hslHue()
    assert hues[0] <= hue <= hues[1] or hues[0] <= hue + 360 <= hues[1]


@given(COLOURS)
def test_ink_makes_any_colour_legible(color: str) -> None:
    for name in ("dark", "light"):
        theme = load_theme(name)
        ink = theme.ink(color)
        assert contrast(ink, theme.panel) >= TEXT_CONTRAST
        if contrast(color, theme.panel) >= TEXT_CONTRAST:
            assert ink == color


@given(COLOURS, COLOURS)
def test_mix_goes_from_one_to_the_other(color: str, other: str) -> None:
    assert mix(color, other, 0) == color
    assert mix(color, other, 1) == other


def test_types_differ_in_more_than_colour(theme: Theme) -> None:
    styles = [theme.type_style(job_type) for job_type in range(64)]
    assert len({style.texture for style in styles[:8]}) == 8
    assert len({(style.color, style.texture) for style in styles}) == 64
    assert len({style.letter for style in styles}) == 64


def test_textures_differ_in_their_pixels() -> None:
    assert len({texture_mask(texture).tobytes() for texture in Texture}) == len(Texture)


@pytest.mark.parametrize(
    ("job_type", "letter"), [(0, "A"), (25, "Z"), (26, "AA"), (27, "AB"), (701, "ZZ"), (702, "AAA")]
)
def test_letters_go_on_behind_z(job_type: int, letter: str) -> None:
    assert type_letter(job_type) == letter


def test_color_by_role(theme: Theme) -> None:
    assert theme.color("optimum") == theme.optimum
    assert theme.color(9) == theme.further[1]
    with pytest.raises(ValueError, match="title"):
        theme.color("title")


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('title = "Light"', "", "title"),
        ("dark = false", 'dark = "no"', "dark"),
        ('grid = "#dde1e6"', 'grid = "grey"', "lines.grid"),
        ('grid = "#dde1e6"', "grid = 7", "lines.grid"),
        ('grid = "#dde1e6"', "", "lines.grid"),
        ('grid = "#dde1e6"', 'grid = "#dde1e6"\ngird = "#000000"', "lines.gird"),
        ("[meanings]", "[sense]", "meanings"),
        ('empty = "#c3cad2"', "empty = [", ""),
    ],
)
def test_a_broken_file_is_told_in_one_line(tmp_path: Path, old: str, new: str, where: str) -> None:
    text = (THEMES / "light.toml").read_text(encoding="utf-8")
    assert old in text
    broken = tmp_path / "broken.toml"
    broken.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_theme(broken)
    assert "\n" not in caught.value.line
    assert str(broken) in caught.value.line
    assert where in caught.value.line


def test_types_must_be_a_list_of_colours(tmp_path: Path) -> None:
    text = (THEMES / "dark.toml").read_text(encoding="utf-8")
    broken = tmp_path / "broken.toml"
    broken.write_text(text[: text.index("types =")] + "types = []\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"slots\.types: a list of 1 to 8 colours"):
        read_theme(broken)


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_an_unreadable_file_is_told(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "theme.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match="cannot be read"):
        read_theme(path)


def test_a_theme_is_frozen(theme: Theme) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        theme.run = "#000000"  # type: ignore[misc]


def test_sizes_of_type(qapp: QApplication) -> None:
    usual, lecture = fonts(), fonts(lecture=True)
    sizes = [font.pointSizeF() for font in (usual.body, usual.heading, usual.display)]
    assert sizes == sorted(set(sizes))
    assert sizes[0] >= 11
    assert lecture.body.pointSizeF() >= 16
    assert lecture.scale == 1.5
    assert {usual.body.family(), usual.heading.family(), usual.display.family()} == {usual.family}
    assert QFontInfo(usual.body).pointSizeF() == pytest.approx(11, abs=0.5)


def test_figures_have_one_width(qapp: QApplication) -> None:
    metrics = QFontMetricsF(fonts().body)
    assert len({metrics.horizontalAdvance(digit * 8) for digit in "0123456789"}) == 1


@pytest.mark.parametrize("lecture", [False, True])
def test_apply_reaches_the_application(qapp: QApplication, theme: Theme, lecture: bool) -> None:
    before = qapp.palette(), qapp.font(), qapp.styleSheet()
    QToolTip.setPalette(QPalette(QColor("red")))  # as a desktop may set it
    try:
        apply(qapp, theme, lecture)
        assert QToolTip.palette().color(QPalette.ColorRole.ToolTipBase).name() == theme.raised
        assert qapp.palette().color(QPalette.ColorRole.Window).name() == theme.window
        assert qapp.font().pointSizeF() == fonts(lecture).body_size
        assert qapp.styleSheet() == STYLESHEET
    finally:
        qapp.setPalette(before[0])
        qapp.setFont(before[1])
        qapp.setStyleSheet(before[2])


def test_the_same_looks_again_reach_into_no_widget(qapp: QApplication, qtbot: QtBot) -> None:
    """Qt restyles every widget when a stylesheet or a font is set, even the same one; colours require neither."""

    class Told(QLabel):
        def changeEvent(self, event: QEvent) -> None:
            told.append(event.type())

    told: list[QEvent.Type] = []
    apply(qapp, load_theme("light"))
    shown = Told()
    qtbot.addWidget(shown)
    shown.show()
    told.clear()
    apply(qapp, load_theme("light"))
    assert told == []
    apply(qapp, load_theme("dark"))
    assert QEvent.Type.PaletteChange in told
    assert QEvent.Type.StyleChange not in told


def sheeted() -> QMainWindow:
    """A window with everything that the stylesheet styles, except for tooltips, which exist only while shown."""
    window = QMainWindow()
    bar, tabs, share = QToolBar(), QTabBar(), QProgressBar(value=40)
    for state in ("plain", "down", "checked"):
        button = QToolButton(text=state, checkable=True, checked=state == "checked", down=state == "down")
        bar.addWidget(button)
    for name in ("fault", "opening"):
        bar.addWidget(QLabel(name, objectName=name))
    for title in ("first", "second"):
        tabs.addTab(title)
    window.addToolBar(bar)
    window.statusBar().addWidget(QLabel("said"))
    window.setCentralWidget(QTableWidget(2, 2))
    for part in (tabs, share):
        dock = QDockWidget("Dock")
        dock.setWidget(part)
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    window.resize(700, 300)
    window.show()
    return window


def seen(window: QMainWindow) -> QImage:
    """The picture of a window after its layout."""
    QApplication.processEvents()
    return window.grab().toImage()


@pytest.mark.parametrize(("before", "after"), [("light", "dark"), ("dark", "light")])
def test_what_the_stylesheet_is_about_looks_in_another_theme_as_if_made_in_it(
    qapp: QApplication, qtbot: QtBot, before: str, after: str
) -> None:
    apply(qapp, load_theme(before))
    switched = sheeted()
    qtbot.addWidget(switched)
    looked = seen(switched)
    apply(qapp, load_theme(after))
    looks, fresh = seen(switched), sheeted()
    qtbot.addWidget(fresh)
    assert looks == seen(fresh) != looked


@pytest.mark.parametrize(("before", "after"), [("light", "dark"), ("dark", "light")])
def test_scroll_bars_of_all_kinds_of_widgets_look_alike(
    qapp: QApplication, qtbot: QtBot, before: str, after: str
) -> None:
    kinds = (QAbstractScrollArea, QScrollArea, QListWidget, QTableWidget)  # text browsers are separate windows
    apply(qapp, load_theme(before))
    areas = [kind() for kind in kinds]
    apply(qapp, load_theme(after))
    areas += [kind() for kind in kinds]
    looks = set()
    for area in areas:
        qtbot.addWidget(area)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        area.resize(200, 200)
        area.show()
        bar = area.verticalScrollBar()
        bar.setRange(0, 100)
        bar.setPageStep(50)
        bar.resize(16, 180)
        looks.add(bar.grab().toImage().pixelColor(8, 150).name())
    assert len(looks) == 1


def test_disabled_text_is_fainter(qapp: QApplication, theme: Theme) -> None:
    colors = palette(theme)
    role, group = QPalette.ColorRole.Text, QPalette.ColorGroup
    usual = colors.color(group.Active, role).name()
    disabled = colors.color(group.Disabled, role).name()
    assert contrast(disabled, theme.field) < contrast(usual, theme.field)


@pytest.mark.parametrize(
    ("text", "html"), [("[there](x)\n\n" * 90, False), ("<p><a href='x'>there</a></p>" * 90, True)]
)
def test_links_of_an_open_page_follow_the_theme(qapp: QApplication, qtbot: QtBot, text: str, html: bool) -> None:
    apply(qapp, load_theme("light"), lecture=False)
    window = QWidget()
    qtbot.addWidget(window)
    page = show_sheet(window, "Help", text, html).findChild(QTextBrowser)
    assert isinstance(page, QTextBrowser)
    page.verticalScrollBar().setValue(300)
    apply(qapp, load_theme("dark"), lecture=False)
    link = page.document().begin().begin().fragment().charFormat()
    assert link.isAnchor() and link.foreground().color() == QColor(load_theme("dark").focus)
    assert page.verticalScrollBar().value() == 300
