"""What every panel must fulfil: early and late in a run, small and large, with its kind of system and others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractAnimation, QCoreApplication, QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QWidget,
)
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.panel import LEAST, Panel
from slotscope.gui.panels import COMPARISON
from slotscope.gui.panels.tiles import TiledPanel
from slotscope.gui.plotting.time_plot import TimePlot
from slotscope.gui.theme import apply, load_theme
from slotscope.gui.widgets import calm
from slotscope.model.kinds.spec import KINDS
from slotscope.model.policies import POLICIES_OF
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import SERVER, Thing
from tests.contract.moments import SMALL, frame_of, gone_back, large_frame, moments_of, scenarios
from tests.contract.pictures import EVERY, frame_for, grid_of, settle, systems_of
from tests.gui.accessible import listening, nameless
from tests.gui.windows import on_screen

#: The message of a panel that has nothing to draw.
NOT_HERE = re.compile("does not apply to|One policy runs alone")

LARGE = (2400, 1500)
_STILL = QAbstractAnimation.State.Stopped
_MIXED = ((LEAST, LARGE), (LARGE, LEAST))

#: Scenarios in which panels have controls that they lack in the small ones.
CONTROLLED = {"PolicyMapPanel": ["jrs-fixed-sizes", "jrs-three-phases"]}


@pytest.fixture(scope="module", params=EVERY, ids=lambda entry: entry.cls)
def entry(request: pytest.FixtureRequest) -> PanelEntry:
    found: PanelEntry = request.param
    return found


@pytest.fixture(scope="module")
def panel(qapp: QApplication, entry: PanelEntry) -> Iterator[Panel]:
    """A panel shared by all tests of its class."""
    theme = load_theme("light")
    apply(qapp, theme)
    made = entry.load()(theme)
    made.resize(560, 420)
    made.show()
    yield made
    made.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(made, QEvent.Type.DeferredDelete)


@pytest.fixture
def moment(entry: PanelEntry) -> Frame:
    return frame_for(entry, systems_of(entry)[0])


def note(panel: Panel) -> str:
    """The message in place of the picture; empty if there is a picture."""
    settle(panel)
    assert panel.fault is None, panel.fault
    return panel._note.text() if panel._note.isVisible() else ""


def show(panel: Panel, frame: Frame) -> None:
    """Show a frame of another run, and select a server."""
    panel.forget()
    panel.set_frame(frame)
    panel.set_selection(Select.of(Thing(SERVER, 0)))


def applies(panel: Panel, frame: Frame) -> bool:
    """Whether a panel draws a frame; if not, check that it says why."""
    show(panel, frame)
    said = note(panel)
    if panel.needs <= frame.info.offers and not NOT_HERE.search(said):
        assert not said and has_colours(panel), frame.info.scenario_name
        return True
    assert NOT_HERE.search(said), frame.info.scenario_name
    return False


def is_drawn(panel: Panel) -> bool:
    """Whether there is a picture that is not blank."""
    return not note(panel) and has_colours(panel)


def has_colours(panel: Panel) -> bool:
    """Whether a settled panel shows more than one plain area."""
    colours = grid_of(panel.grab().toImage()).reshape(-1, 3)
    return len({tuple(colour) for colour in colours.tolist()}) > 3


def test_it_says_what_it_is(panel: Panel, entry: PanelEntry) -> None:
    assert panel.name and panel.title
    assert panel.summary.endswith(".")
    assert note(entry.load()(load_theme("light"))) == ""  # not shown yet
    assert panel.accessibleName() == panel.title


def test_before_anything_ran_it_says_so(panel: Panel) -> None:
    assert note(panel) == "Nothing has run yet."
    panel.set_selection(Select(server=0))
    panel.set_theme(load_theme("light"))
    assert note(panel) == "Nothing has run yet."


@pytest.mark.slow
def test_it_shows_every_scenario_of_its_kinds(panel: Panel, entry: PanelEntry) -> None:
    for system in systems_of(entry):
        shown = [applies(panel, frame_of(scenario)) for scenario in scenarios(system)]
        assert any(shown) or entry is COMPARISON


@pytest.mark.slow
def test_it_shows_every_policy_or_says_what_is_missing(panel: Panel, entry: PanelEntry) -> None:
    for system in systems_of(entry):
        shown = [applies(panel, frame_of(SMALL[system], policy)) for policy in POLICIES_OF[system]]
        assert any(shown) or entry is COMPARISON


def test_a_click_before_the_next_run_is_drawn_does_no_harm(panel: Panel, moment: Frame) -> None:
    show(panel, moment)
    settle(panel)
    panel.forget()
    for child in [panel, *panel.findChildren(QWidget)]:
        if child.isVisible() and not isinstance(child, (QComboBox, QAbstractButton)):
            for x, y in product((0.1, 0.5, 0.9), (0.2, 0.5, 0.8)):
                spot = QPoint(int(x * child.width()), int(y * child.height()))
                QTest.mouseClick(child, Qt.MouseButton.LeftButton, pos=spot)
                QTest.mouseDClick(child, Qt.MouseButton.LeftButton, pos=spot)
                QTest.mouseRelease(child, Qt.MouseButton.LeftButton, pos=spot)  # otherwise a scroll bar goes on paging
    for view in panel.findChildren(QAbstractItemView):
        view.setCurrentIndex(QModelIndex())  # otherwise it scrolls to the click half a second later, in another test
    assert panel.fault is None, panel.fault


def test_of_another_kind_of_system_it_says_that_it_does_not_apply(panel: Panel, entry: PanelEntry) -> None:
    for system in {*KINDS} - {*systems_of(entry)}:
        frame = frame_of(SMALL[system])
        panel.set_frame(frame)
        assert f"does not apply to {frame.info.policy_title}" in note(panel), system
        for theme, size in (("dark", LARGE), ("light", (560, 420))):
            panel.set_theme(load_theme(theme))
            panel.resize(*size)
            settle(panel)
        assert panel.fault is None, (system, panel.fault)


def test_it_shows_the_middle_of_an_event(panel: Panel, entry: PanelEntry) -> None:
    for system in systems_of(entry):
        for substeps in (1, 2):
            assert applies(panel, frame_of(SMALL[system], None, substeps)) or entry is COMPARISON


@pytest.mark.parametrize(
    "size", [LEAST, LARGE, *(pytest.param((one[0], other[1]), marks=pytest.mark.slow) for one, other in _MIXED)]
)
def test_it_takes_any_size(panel: Panel, moment: Frame, size: tuple[int, int]) -> None:
    panel.resize(*size)
    show(panel, moment)
    assert is_drawn(panel)
    assert (panel.width(), panel.height()) == size
    panel.resize(560, 420)
    assert is_drawn(panel)


def test_its_numbers_are_whole_or_leave_their_room(panel: Panel, moment: Frame) -> None:
    """In a low panel digits and captions overlapped."""
    show(panel, moment)
    if isinstance(panel, TiledPanel):
        for height in (500, 60, 90, 150, 400):
            panel.resize(460, height)
            settle(panel)
            whole = panel.tiles.sizeHint().height() - 12
            assert panel.tiles.height() >= whole if panel.tiles.isVisibleTo(panel) else height < 500, height
        panel.resize(560, 420)


def test_it_follows_another_theme_and_comes_back(panel: Panel, moment: Frame) -> None:
    panel.forget()  # other tests have clicked and scrolled in it
    show(panel, moment)
    application, before = QApplication.instance(), None
    assert isinstance(application, QApplication)
    for name in ("dark", "light", "dark", "light"):
        theme = load_theme(name)
        apply(application, theme)
        panel.set_theme(theme)
        assert is_drawn(panel)
        picture = grid_of(panel.grab().toImage())
        dark = picture.mean() < 128
        assert dark == theme.dark
        if before is None and not dark:
            before = picture
    assert before is not None
    assert abs(picture.astype(int) - before).mean() < 4


def test_it_shows_a_selection_of_anything(panel: Panel, moment: Frame) -> None:
    panel.set_frame(moment)
    for selection in (
        Select(),
        Select(line=(0, 0)),
        Select(server=999),
        Select(job=10**9),
        Select(job=1),
        Select(server=0),
    ):
        panel.set_selection(selection)
        assert not NOT_HERE.search(note(panel))
    assert is_drawn(panel)


def test_what_it_exports_has_its_columns(panel: Panel, moment: Frame, tmp_path: Path) -> None:
    panel.set_frame(moment)
    if (series := panel.series()) is not None:
        columns, rows = series
        assert len(set(columns)) == len(columns) > 0
        assert {len([*row]) for row in rows} <= {len(columns)}
    for line in panel.json_lines() or ():
        assert isinstance(json.loads(line), dict)
    panel.save_png(tmp_path / "a.png")
    panel.save_svg(tmp_path / "a.svg")
    assert (tmp_path / "a.png").stat().st_size > 1000
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_another_run_begins_with_nothing_of_the_last(panel: Panel, moment: Frame) -> None:
    panel.set_frame(moment)
    panel.forget()
    assert panel.frame is None
    show(panel, moment)
    assert is_drawn(panel)


def test_between_two_runs_its_controls_do_no_harm(panel: Panel, entry: PanelEntry) -> None:
    """Controls are used after the run was replaced, before the first frame of the new run."""
    for scenario in CONTROLLED.get(entry.cls, [SMALL[systems_of(entry)[0]]]):
        panel.set_frame(frame_for(entry, systems_of(entry)[0]) if entry is COMPARISON else frame_of(scenario))
        settle(panel)
        panel.forget()
        for box in panel.findChildren(QComboBox):
            box.setCurrentIndex(box.count() - 1)
            box.activated.emit(box.currentIndex())
        for spin in panel.findChildren(QAbstractSpinBox):
            spin.stepUp()
        for button in panel.findChildren(QAbstractButton):
            if button.isCheckable():
                button.click()
        for name in ("dark", "light"):
            panel.set_theme(load_theme(name))
        settle(panel)
        show(panel, frame_for(entry, systems_of(entry)[0]))
        assert not note(panel)


def test_ranges_of_axes_fit_the_run_that_is_shown(panel: Panel, entry: PanelEntry) -> None:
    """After a run with larger values, a run has the same ranges as in a new panel."""
    for system in systems_of(entry):
        fresh = entry.load()(load_theme("light"))
        fresh.resize(panel.size())
        fresh.show()
        show(panel, large_frame(system, compared=entry is COMPARISON))
        settle(panel)
        for shown in (panel, fresh):
            show(shown, frame_for(entry, system))
            settle(shown)
        assert ranges(panel) == ranges(fresh), system
        fresh.close()
        fresh.deleteLater()


def ranges(panel: Panel) -> list[object]:
    return [plot.getPlotItem().viewRange() for plot in panel.findChildren(TimePlot)]


def test_its_labels_have_words(panel: Panel, moment: Frame) -> None:
    """No label shows a placeholder or a Python value."""
    panel.set_frame(moment)
    settle(panel)
    for label in panel.findChildren(QLabel):
        assert not {"None", "nan", "Fraction("} & {*label.text().replace(">", " ").split()}


def test_whoever_does_not_see_it_is_told_what_has_changed(panel: Panel, entry: PanelEntry) -> None:
    """If the picture changes, so does the text for screen readers; it is made only while a screen reader is active."""
    for system in systems_of(entry):
        frames = moments_of(system, compared=entry is COMPARISON)
        show(panel, frames[0])
        assert panel.accessibleDescription() == ""
        told, seen = [], []
        with listening():
            for frame in frames:
                panel.set_frame(frame)
                settle(panel)
                told.append(panel.accessibleDescription())
                seen.append(grid_of(panel.grab().toImage()).tolist())
        panel.setAccessibleDescription("")
        assert all(told), system
        assert not {"None", "nan", "Fraction(", "<b>", "<i>"} & {word for words in told for word in words.split()}
        assert seen[0] == seen[1] or told[0] != told[1], (system, told[0])


def test_what_stands_still_in_a_run_comes_though_no_other_frame_does(
    qtbot: QtBot, panel: Panel, entry: PanelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next event may be far away, and numbers beside a picture must belong to the same moment."""
    monkeypatch.setattr(calm, "NEXT_FRAME", 0.01)
    for system in systems_of(entry):
        first, later = (replace(frame, running=True) for frame in moments_of(system, compared=entry is COMPARISON))
        show(panel, first)
        panel.calm.forget()
        panel.set_frame(later)
        wanted = written(panel)
        show(panel, first)
        panel.set_frame(later)
        qtbot.waitUntil(lambda wanted=wanted: written(panel) == wanted)


def written(panel: Panel) -> list[str]:
    """The texts of its visible labels."""
    return [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]


def test_what_can_be_used_in_it_has_a_name(panel: Panel, moment: Frame) -> None:
    show(panel, moment)
    settle(panel)
    assert nameless(panel) == []


def picture_after(qtbot: QtBot, entry: PanelEntry, *frames: Frame) -> QImage:
    """The picture of the last of these frames, after showing the others, each as another step of a lesson."""
    panel = on_screen(qtbot, entry.load()(load_theme("light")), 560, 420)
    for frame in frames:
        panel.forget()
        panel.set_frame(frame)
        settle(panel)
    qtbot.waitUntil(lambda: all(one.state() is _STILL for one in panel.findChildren(QAbstractAnimation)))
    image: QImage = panel.grab().toImage()
    panel.hide()
    return image


@pytest.mark.slow
def test_a_step_of_a_lesson_has_one_picture(qtbot: QtBot, entry: PanelEntry) -> None:
    """It does not depend on what was shown before: scales, widths and curves are reset."""
    for system in systems_of(entry):
        late, early = gone_back(system)
        alone = picture_after(qtbot, entry, early)
        assert alone == picture_after(qtbot, entry, late, early), system
        assert alone == picture_after(qtbot, entry, early, early), system
