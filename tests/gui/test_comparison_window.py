"""Policies side by side in the window: real keys and clicks, real runs behind them."""

from __future__ import annotations

from pathlib import Path
from weakref import ref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from slotscope.gui.app import open_in
from slotscope.gui.intents import ApplyScenario, BreakAt, GoTo, RunUntil, Select
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import companions_of, panels_of
from slotscope.gui.running.goals import Goal
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.differences import DIFFERENCES
from slotscope.model.kinds.reservation.questions import VOCABULARY
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.running.origin import Moment
from tests.gui import overflowing
from tests.gui.painted import colours_at
from tests.gui.windows import SIZE, at_rest, open_anew, press, rest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

Key, Button = Qt.Key, Qt.MouseButton
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def alone(qtbot: QtBot, tidy_window: MainWindow) -> MainWindow:
    """A complete window with one policy, at event 0 of dra-vms."""
    open_anew(qtbot, tidy_window, "dra-vms", "dra")
    tidy_window.resize(SIZE[0], 1000)
    at_rest(qtbot, tidy_window, lambda: tidy_window.frame.engine == "kernel")
    return tidy_window


@pytest.fixture
def window(qtbot: QtBot, alone: MainWindow) -> MainWindow:
    """The same window with first fit beside DRA."""
    alone.compare.compare(("first-fit",))
    at_rest(qtbot, alone, lambda: len(alone.frame.companions) == 1)
    qtbot.wait(50)
    return alone


@pytest.mark.parametrize(
    ("policies", "moment", "said"),
    [
        (
            ("dra", "first-fit"),
            Moment((20, 40)),
            "found the events 20,40, allowed: numbers at which the policies stand",
        ),
        (("dra",), Moment((9, 9)), "found 9,9, the events of 2 policies, allowed: those of at most 1"),
    ],
)
def test_a_moment_that_a_command_names_and_there_is_not_is_told_to_the_terminal_too(
    qtbot: QtBot,
    alone: MainWindow,
    capfd: pytest.CaptureFixture[str],
    policies: tuple[str, ...],
    moment: Moment,
    said: str,
) -> None:
    with qtbot.waitSignal(alone.worker.refused) as refused:
        open_in(alone, "dra-classroom", policies, None, moment, ())
    assert said in refused.args[0]
    assert f"slotscope: --event: {said}" in capfd.readouterr().err


def choose(window: MainWindow, text: str) -> None:
    """Trigger an entry of the menu without showing it: Qt's offscreen platform warns of popup menus."""
    window.compare.fill_menu()
    entry(window, text).trigger()


def entry(window: MainWindow, text: str) -> QAction:
    (action,) = [one for one in window.compare.menu.actions() if one.text() == text]
    return action


def moment(window: MainWindow) -> tuple[int, int, int]:
    """The events of both lanes, and the number of sub-steps shown."""
    frame = window.frame
    return (frame.event, frame.companions[0].event, len(frame.records) + len(frame.companions[0].records))


# Starting and ending.


def test_the_menu_puts_a_policy_beside_and_takes_it_away(qtbot: QtBot, alone: MainWindow) -> None:
    before = set(alone.docks)
    choose(alone, "first-fit")
    at_rest(qtbot, alone, lambda: len(alone.frame.companions) == 1)
    assert set(alone.docks) - before == {"servers-2", "decisions-2", "reward-2", "comparison"}
    assert alone.docks["servers-2"].windowTitle() == "First fit: Servers"
    assert alone.docks["servers"].windowTitle() == "DRA: Servers"
    assert "DRA | First fit" in alone.windowTitle()
    choose(alone, "dra-periodic")
    at_rest(qtbot, alone, lambda: len(alone.frame.companions) == 2)
    companions = companions_of("reservation")
    assert len(alone.docks) == len(panels_of("reservation")) + 2 * len(companions) + 1
    alone.compare.fill_menu()
    assert entry(alone, "first-fit").isChecked()
    assert not entry(alone, "best-fit").isEnabled()  # at most three policies
    choose(alone, "first-fit")
    at_rest(qtbot, alone, lambda: len(alone.frame.companions) == 1)
    assert alone.frame.companions[0].info.policy_name == "dra-periodic"
    choose(alone, "End comparison")
    at_rest(qtbot, alone, lambda: not alone.frame.companions)
    assert set(alone.docks) == before
    assert alone.docks["servers"].windowTitle() == "Servers"
    assert " | " not in alone.windowTitle()


@pytest.mark.parametrize("lecture", [False, True])
def test_every_lane_has_every_panel_and_builds_it_when_asked(qtbot: QtBot, window: MainWindow, lecture: bool) -> None:
    """A number key raises the first policy's panel; pressed again, the next policy's."""
    if lecture:
        press(qtbot, window, Key.Key_L)
        qtbot.waitUntil(lambda: window.lecture.on)
    for name in ("groups", "algorithm", "lp"):
        key = Key(Key.Key_1 + window.area.roles.numbered.index(name))
        assert f"{name}-2" not in window.docks  # panels that nobody looks at are not built
        shown = []
        for _ in range(3):
            press(qtbot, window, key)
            qtbot.wait(20)
            qtbot.waitUntil(window.updatesEnabled)
            shown.append(
                next(
                    dock.lane
                    for dock in window.docks.values()
                    if dock.panel.name == name and dock.seen and dock.isVisible()
                )
            )
        assert shown == [0, 1, 0]
    other = window.docks["groups-2"]
    assert other.windowTitle() == f"First fit: {other.panel.title}"
    press(qtbot, window, Key.Key_Right)
    at_rest(qtbot, window, lambda: window.frame.event == 1)
    press(qtbot, window, Key(Key.Key_1 + window.area.roles.numbered.index("groups")))
    press(qtbot, window, Key(Key.Key_1 + window.area.roles.numbered.index("groups")))
    rest(qtbot, window, lambda: other.panel.frame is window.frame.companions[0])


def test_the_view_menu_has_further_panels_of_each_policy(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    (menu,) = [action.menu() for action in window.view_menu.actions() if action.text() == "Panels of First fit"]
    titles = {dock.panel.title for name, dock in window.docks.items() if name == dock.panel.name}
    offered = {action.text() for action in menu.actions()}
    assert offered == titles - {"Comparison", "Scenario"}
    entry = next(one for one in menu.actions() if one.text() == window.docks["lp"].panel.title)
    entry.trigger()
    qtbot.waitUntil(lambda: window.docks["lp-2"].seen)
    path = tmp_path / "two.slotscope"
    window.control.save(path, window.area.layouts.text())
    qtbot.waitUntil(lambda: str(path) in window.status.said.text())
    window.compare.compare(())
    at_rest(qtbot, window, lambda: not window.frame.companions)
    assert "lp-2" not in window.docks
    assert "Panels of First fit" not in [one.text() for one in window.view_menu.actions()]
    window.open_path(path)
    at_rest(qtbot, window, lambda: bool(window.frame.companions))
    qtbot.waitUntil(lambda: "lp-2" in window.docks and not window.docks["lp-2"].isHidden())


def test_a_policy_put_beside_a_run_catches_up(qtbot: QtBot, alone: MainWindow) -> None:
    alone.control.go_to(5000)
    at_rest(qtbot, alone, lambda: alone.frame.event == 5000)
    alone.compare.compare(("first-fit",))
    at_rest(qtbot, alone, lambda: bool(alone.frame.companions))
    frame = alone.frame
    assert frame.event == 5000
    assert frame.time == frame.companions[0].time
    assert abs(frame.companions[0].event - 5000) < 200


def test_the_first_picture_of_lanes_waits_for_nothing_that_was_decided_before(qtbot: QtBot, alone: MainWindow) -> None:
    alone.control.run(Goal(event=300, express=True))
    at_rest(qtbot, alone, lambda: alone.frame.event == 300)
    known: list[bool] = []
    alone.worker.framed.connect(lambda frame: frame.comparison and known.append(frame.comparison.whole))
    alone.compare.compare(("first-fit",))
    qtbot.waitUntil(lambda: True in known)
    assert known[:2] == [False, True]
    at_rest(qtbot, alone, lambda: alone.frame.comparison.decided > 100)
    assert alone.frame.comparison.whole


def test_a_variant_is_typed_in_and_faults_stand_beside_the_field(qtbot: QtBot, alone: MainWindow) -> None:
    choose(alone, "Other parameters ...")
    (dialog,) = alone.findChildren(QDialog, "variant")
    field = dialog.findChild(QLineEdit)
    fault = dialog.findChild(QLabel, "fault")
    accept = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok)
    for text, said in (
        ("", "found nothing"),
        ("dra:reservation_factor=-3", "reservation_factor"),
        ("nix", "no policy is called 'nix'"),
        ("dra:choices=5", "unknown key"),
    ):
        field.clear()
        qtbot.keyClicks(field, text)
        qtbot.mouseClick(accept, Button.LeftButton)
        qtbot.waitUntil(lambda said=said: said in fault.text())
        assert dialog.isVisible()
        assert not alone.frame.companions
    field.clear()
    qtbot.keyClicks(field, "dra:reservation_factor=20")
    qtbot.keyClick(field, Key.Key_Return)
    at_rest(qtbot, alone, lambda: len(alone.frame.companions) == 1)
    assert alone.compare.labels[1].endswith("factor 20")
    qtbot.waitUntil(lambda: not alone.findChildren(QDialog, "variant"))


def test_another_seed_keeps_the_companions(qtbot: QtBot, window: MainWindow) -> None:
    window.transport.seed.setValue(9)
    at_rest(qtbot, window, lambda: window.frame.info.seed == 9)
    assert window.frame.companions[0].info.seed == 9
    assert window.frame.companions[0].info.policy_name == "first-fit"


# One set of controls for all lanes.


def test_keys_move_all_lanes(qtbot: QtBot, window: MainWindow) -> None:
    for event in (1, 2, 3):
        press(qtbot, window, Key.Key_Right)
        at_rest(qtbot, window, lambda event=event: moment(window) == (event, event, 0))
    press(qtbot, window, Key.Key_Left)
    at_rest(qtbot, window, lambda: moment(window) == (2, 2, 0))
    press(qtbot, window, Key.Key_Right, SHIFT)
    at_rest(qtbot, window, lambda: moment(window) == (2, 2, 1))
    assert window.frame.records and not window.frame.companions[0].records
    press(qtbot, window, Key.Key_Down, SHIFT)
    at_rest(qtbot, window, lambda: moment(window) == (3, 3, 0))
    press(qtbot, window, Key.Key_Home)
    at_rest(qtbot, window, lambda: moment(window) == (0, 0, 0))
    press(qtbot, window, Key.Key_End)
    at_rest(qtbot, window, lambda: moment(window) == (3, 3, 0))


def test_the_lane_stepped_into_can_be_chosen(qtbot: QtBot, window: MainWindow) -> None:
    window.compare.follow(1)
    press(qtbot, window, Key.Key_Right, SHIFT)
    at_rest(qtbot, window, lambda: moment(window) == (0, 0, 1))
    assert window.frame.companions[0].records and not window.frame.records


def test_a_run_keeps_the_clocks_together(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_Space)
    rest(qtbot, window, lambda: window.frame.event > 500)
    assert window.frame.running
    assert window.frame.time == window.frame.companions[0].time
    press(qtbot, window, Key.Key_Space)
    at_rest(qtbot, window, lambda: True)
    for name in ("servers-2", "decisions-2", "comparison"):
        part = window.docks[name].part(window.frame)
        assert window.docks[name].panel.frame is part


def test_ctrl_right_runs_to_a_decision_that_differs(qtbot: QtBot, window: MainWindow) -> None:
    kind = next(iter(DIFFERENCES))
    window.transport.kind.setCurrentText(kind)
    press(qtbot, window, Key.Key_Right, CTRL)
    at_rest(qtbot, window, lambda: window.frame.comparison.found is not None)
    found = window.frame.comparison.found
    assert found == window.frame.comparison.first
    assert window.frame.next_event.job == found.job
    assert window.frame.next_event.kind == ARRIVAL
    window.compare.compare(())
    at_rest(qtbot, window, lambda: not window.frame.companions)
    kinds = [window.transport.kind.itemText(n) for n in range(window.transport.kind.count())]
    assert kinds == list(VOCABULARY.event_kinds)


def test_the_buttons_of_the_panel_go_to_differences(qtbot: QtBot, window: MainWindow) -> None:
    panel = window.docks["comparison"].panel
    places = []
    for name in ("first", "next", "next", "previous"):
        before = window.frame
        qtbot.mouseClick(panel.buttons[name], Button.LeftButton)
        at_rest(
            qtbot,
            window,
            lambda before=before: window.frame.event != before.event and window.frame.comparison.found is not None,
        )
        places.append(window.frame.comparison.found.job)
        assert window.frame.next_event.job == places[-1]
    assert places[0] < places[1] < places[2]
    assert places[3] == places[1]
    qtbot.waitUntil(lambda: "Next:" in panel.sentence.text())
    assert "rejected" in panel.sentence.text()
    assert "admitted to server" in panel.sentence.text()


# Intents of the docks of further lanes.


def test_a_click_in_another_log_goes_there(qtbot: QtBot, window: MainWindow) -> None:
    window.control.run_until(time=5.0)
    at_rest(qtbot, window, lambda: window.frame.time > 4.9)
    other = window.docks["decisions-2"].panel
    target = window.frame.companions[0].event - 30
    other.intent.emit(GoTo(target))
    at_rest(qtbot, window, lambda: window.frame.companions[0].event == target)
    row = window.frame.companions[0].rows[-1]
    assert window.frame.time == row["time"]
    other.intent.emit(RunUntil(event=target + 20))
    qtbot.wait(50)
    other.intent.emit(BreakAt(target + 5))
    assert "first policy" in window.status.said.text()


def test_a_server_chosen_in_one_lane_is_not_pointed_at_in_another(qtbot: QtBot, window: MainWindow) -> None:
    window.docks["servers-2"].panel.intent.emit(Select(server=7, job=3))
    assert window.docks["servers-2"].panel.selection == Select(server=7, job=3)
    assert window.docks["servers"].panel.selection == Select(job=3)
    window.docks["servers"].panel.intent.emit(Select(server=2))
    assert window.docks["servers"].panel.selection == Select(server=2)
    assert window.docks["servers-2"].panel.selection == Select()


def test_an_inspector_of_another_lane_shows_that_lane(qtbot: QtBot, window: MainWindow) -> None:
    window.docks["servers-2"].panel.intent.emit(Select(server=7, floating=True))
    (dock,) = [dock for name, dock in window.docks.items() if name.startswith("inspector-")]
    press(qtbot, window, Key.Key_Right)
    at_rest(qtbot, window, lambda: moment(window) == (1, 1, 0))
    assert dock.panel.frame is window.frame.companions[0]
    window.compare.compare(())
    at_rest(qtbot, window, lambda: not window.frame.companions)
    assert not any(name.startswith("inspector-") for name in window.docks)


# Pictures, layouts, files.


def colours(dock: object) -> int:
    return len(colours_at(dock.panel.grab().toImage(), 3, 3))


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 720)])
@pytest.mark.parametrize("policies", [("first-fit",), ("first-fit", "dra:reservation_factor=20")])
def test_every_lane_is_seen_side_by_side(
    qtbot: QtBot, alone: MainWindow, size: tuple[int, int], policies: tuple[str, ...]
) -> None:
    alone.resize(*size)
    alone.compare.compare(policies)
    at_rest(qtbot, alone, lambda: len(alone.frame.companions) == len(policies))
    alone.control.run_until(time=14.0)
    at_rest(qtbot, alone, lambda: alone.frame.time > 13.9)
    qtbot.wait(100)
    for stem in ("servers", "decisions"):
        row = [alone.docks[stem if lane == 0 else f"{stem}-{lane + 1}"] for lane in range(len(policies) + 1)]
        lefts = [dock.geometry().left() for dock in row]
        assert lefts == sorted(set(lefts))
        assert len({dock.geometry().top() for dock in row}) == 1
        widths = [dock.width() for dock in row]
        assert max(widths) < 1.3 * min(widths)
        for dock in row:
            assert dock.isVisible() and dock.geometry().right() <= alone.width()
            assert colours(dock) > 3, f"{dock.objectName()} paints nothing"
            assert "oo small" not in dock.panel._note.text()
    servers = [dock.panel for dock in alone.docks.values() if dock.panel.name == "servers"]
    assert len({panel.height() for panel in servers}) == 1  # otherwise their scales would differ
    comparison = alone.docks["comparison"]
    assert colours(comparison) > 6
    assert comparison.panel.curves.height() >= 90
    assert "±" in comparison.panel.table.text()


def test_the_controls_of_a_comparison_are_whole_beside_three_policies(qtbot: QtBot, alone: MainWindow) -> None:
    """The setting for what counts as a difference has its own line on a small screen, else it is beside the buttons."""
    alone.compare.compare(("dra-no-migration", "first-fit"))
    at_rest(qtbot, alone, lambda: len(alone.frame.companions) == 2)
    panel = alone.docks["comparison"].panel
    beside = []
    for width in (1900, 1280):
        alone.resize(width, 720)
        alone.settle()
        qtbot.wait(100)
        assert panel.where.isVisible() and not overflowing.cut(panel.controls)
        beside.append(panel.where.y() < panel.buttons["first"].geometry().bottom())
    assert beside == [True, False]


def test_the_comparison_panel_saves_what_it_shows(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.control.run_until(time=14.0)
    at_rest(qtbot, window, lambda: window.frame.time > 13.9)
    dock = window.docks["comparison"]
    dock.save_series(tmp_path / "two.csv")
    lines = (tmp_path / "two.csv").read_text().splitlines()
    assert lines[0].startswith("policy,measure,mean")
    assert {line.split(",")[0] for line in lines[1:]} == {"DRA", "First fit"}
    dock.save_picture(tmp_path / "two.png")
    assert (tmp_path / "two.png").stat().st_size > 5000


def test_layouts_are_kept_apart(qtbot: QtBot, window: MainWindow) -> None:
    window.docks["decisions-2"].close()
    window.compare.compare(())
    at_rest(qtbot, window, lambda: not window.frame.companions)
    assert not window.docks["algorithm"].isHidden()
    window.compare.compare(("first-fit",))
    at_rest(qtbot, window, lambda: bool(window.frame.companions))
    assert window.docks["decisions-2"].isHidden()
    window.reset_layout()
    assert not window.docks["decisions-2"].isHidden()


def test_no_menu_outlives_its_comparison(qtbot: QtBot, window: MainWindow) -> None:
    """Qt's wrapped menus keep the submenus of their entries alive, if Qt created these."""
    (offered,) = [action.menu() for action in window.view_menu.actions() if action.text() == "Panels of First fit"]
    left = ref(offered)
    del offered
    window.compare.compare(())
    at_rest(qtbot, window, lambda: not window.frame.companions)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert left() is None


def test_a_hall_sees_all_lanes(qtbot: QtBot, alone: MainWindow) -> None:
    press(qtbot, alone, Key.Key_L)
    alone.compare.compare(("first-fit",))
    at_rest(qtbot, alone, lambda: bool(alone.frame.companions))
    qtbot.wait(100)
    shown = {name for name, dock in alone.docks.items() if not dock.isHidden()}
    assert shown == {"servers", "servers-2", "decisions", "decisions-2", "comparison"}
    press(qtbot, alone, Key.Key_L)
    qtbot.wait(50)
    assert not alone.docks["reward-2"].isHidden()
    alone.compare.compare(())
    at_rest(qtbot, alone, lambda: not alone.frame.companions)
    assert not alone.docks["algorithm"].isHidden()


def test_a_comparison_is_saved_and_reopened_where_it_stood(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.control.go_to(700, 2)
    at_rest(qtbot, window, lambda: moment(window)[::2] == (700, 2))
    place = moment(window)
    path = tmp_path / "two.slotscope"
    window.control.save(path, "")
    qtbot.waitUntil(lambda: str(path) in window.status.said.text())
    window.compare.compare(())
    at_rest(qtbot, window, lambda: not window.frame.companions)
    window.open_path(path)
    at_rest(qtbot, window, lambda: bool(window.frame.companions) and moment(window) == place)
    assert isinstance(window.worker.session, Comparison)


def test_carrying_on_under_other_rules_is_refused_in_one_line(qtbot: QtBot, window: MainWindow) -> None:
    window.control.go_to(50)
    at_rest(qtbot, window, lambda: window.frame.event == 50)
    data = window.frame.info.scenario.model_dump(mode="json")
    window.control.apply(ApplyScenario(data, True))
    qtbot.waitUntil(lambda: "end the comparison" in window.status.said.text())
    assert window.frame.event == 50
    window.control.apply(ApplyScenario(data, False))
    at_rest(qtbot, window, lambda: window.frame.event == 0)
    assert len(window.frame.companions) == 1
