"""Moldable jobs in the real window: real keys and clicks, real runs behind them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from slotscope.gui.app import make_window
from slotscope.gui.intents import ApplyScenario
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import companions_of, panels_of
from slotscope.gui.panels.scenario_cells import ScenarioCell
from slotscope.gui.panels.scenario_fields import SERVICES
from slotscope.gui.panels.scenario_form import ScenarioPanel
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.moldable.questions import VOCABULARY
from slotscope.model.kinds.moldable.state import BLOCKED
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.running.origin import Moment
from slotscope.model.scenario.load import as_data
from tests.gui.windows import SIZE, at_rest, hall, language, lent_window, open_anew, press, rest, tidy_window

__all__ = ["language", "lent_window", "tidy_window"]  # fixtures

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

Key = Qt.Key
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
CLASSROOM = "moldable-classroom"
SCENARIOS = (CLASSROOM, "moldable-sublinear", "moldable-linear", "moldable-classes")


@pytest.fixture
def window(qtbot: QtBot, tidy_window: MainWindow) -> MainWindow:
    """A complete window at event 0 of the classroom."""
    open_anew(qtbot, tidy_window, CLASSROOM)
    tidy_window.resize(SIZE[0], 1000)
    settled_on(qtbot, tidy_window, CLASSROOM)
    return tidy_window


def show(qtbot: QtBot, window: MainWindow, scenario: str, policy: str | None = None) -> None:
    """Open a scenario, and wait until all its panels are built and the kernel runs it."""
    window.control.open(scenario, policy)
    settled_on(qtbot, window, scenario)


def settled_on(qtbot: QtBot, window: MainWindow, scenario: str) -> None:
    at_rest(
        qtbot,
        window,
        lambda: (
            window.frame.info.scenario_name == scenario and window.area.complete and window.frame.engine == "kernel"
        ),
    )


def moment(window: MainWindow) -> tuple[int, int]:
    """The event, and the number of sub-steps of the event in progress."""
    return window.frame.event, len(window.frame.records)


def written(window: MainWindow, name: str) -> str:
    """The text that a dock's panel shows instead of its picture, or nothing."""
    panel = window.docks[name].panel
    return "" if panel._stack.currentWidget() is panel.body else panel._note.text()


# One policy.


def assert_nothing_is_missing(window: MainWindow) -> None:
    """No panel shows a sentence instead of its picture, except the inspector, as nothing is selected."""
    for name, dock in window.docks.items():
        dock.raise_()  # a panel behind another tab shows nothing
        window.settle()
        assert written(window, name) == "" or name == "inspector"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_opens_steps_and_goes_back(qtbot: QtBot, window: MainWindow, scenario: str) -> None:
    show(qtbot, window, scenario)
    built = [*window.docks]
    assert built == [entry.name for entry in panels_of("moldable")]
    assert window.transport.event_kinds == tuple(VOCABULARY.event_kinds)
    for event in (1, 2, 3):
        press(qtbot, window, Key.Key_Right)
        at_rest(qtbot, window, lambda event=event: moment(window) == (event, 0))
    window.control.go_to(3000)
    at_rest(qtbot, window, lambda: window.frame.event == 3000)
    trail = window.frame.state.trail[0]
    press(qtbot, window, Key.Key_Left)
    at_rest(qtbot, window, lambda: moment(window) == (2999, 0))
    press(qtbot, window, Key.Key_Home)
    at_rest(qtbot, window, lambda: moment(window) == (0, 0))
    press(qtbot, window, Key.Key_End)
    at_rest(qtbot, window, lambda: moment(window) == (3000, 0))
    assert window.frame.state.trail[0] == trail
    assert_nothing_is_missing(window)


def test_a_decision_is_stepped_into_line_by_line(qtbot: QtBot, window: MainWindow) -> None:
    view = window.docks["algorithm"].panel.view
    lines = []
    for substep in (1, 2, 3):
        press(qtbot, window, Key.Key_Right, SHIFT)
        at_rest(qtbot, window, lambda substep=substep: moment(window) == (0, substep))
        window.settle()
        lines.append(view.picture.current)
    assert [line.number for line in lines[1:]] == [2, 3]
    said = [item.text for items in view.picture.beside.values() for item in items.values()]
    assert "<i>j</i> = 20" in said
    press(qtbot, window, Key.Key_Down, SHIFT)
    at_rest(qtbot, window, lambda: moment(window) == (1, 0))
    assert window.frame.agreement is not False


def test_ctrl_right_runs_to_a_blocked_job(qtbot: QtBot, window: MainWindow) -> None:
    window.transport.kind.setCurrentText("blocking")
    press(qtbot, window, Key.Key_Right, CTRL)
    at_rest(qtbot, window, lambda: window.frame.event > 0)
    before = int(window.frame.state.tally[BLOCKED].sum())
    assert window.frame.next_event.kind == ARRIVAL
    press(qtbot, window, Key.Key_Right)
    at_rest(qtbot, window, lambda: int(window.frame.state.tally[BLOCKED].sum()) == before + 1)


def test_a_run_fills_the_panels_of_blocking_and_of_the_optimum(qtbot: QtBot, window: MainWindow) -> None:
    blocking, optimum = (window.docks[name].panel for name in ("blocking", "allocation-lp"))
    window.docks["allocation-lp"].raise_()
    rest(qtbot, window, lambda: window.frame.bounds.finished)
    press(qtbot, window, Key.Key_Space)
    rest(qtbot, window, lambda: window.frame.event > 20)
    press(qtbot, window, Key.Key_Space)
    at_rest(qtbot, window, lambda: True)
    window.control.run_until(time=900.0)
    at_rest(qtbot, window, lambda: window.frame.time > 890)
    window.docks["blocking"].raise_()
    qtbot.waitUntil(lambda: "blocking_probability" in blocking.measured)
    assert blocking.frame.time > 890
    assert optimum.shown.found.support == (1, 2)
    assert "exact chain" in optimum.references.text()


def test_another_policy_goes_on_from_here(qtbot: QtBot, window: MainWindow) -> None:
    window.control.go_to(200)
    at_rest(qtbot, window, lambda: window.frame.event == 200)
    jobs = window.frame.state.jobs.copy()
    data = as_data(window.frame.info.scenario)
    data["policy"] = {"name": "greedy"}
    window.control.apply(ApplyScenario(data, True))
    at_rest(qtbot, window, lambda: window.frame.info.policy_name == "greedy")
    assert window.frame.event == 200
    assert (window.frame.state.jobs == jobs).all()
    press(qtbot, window, Key.Key_Right)
    at_rest(qtbot, window, lambda: window.frame.event == 201)


def test_all_policies_run_in_the_window(qtbot: QtBot, window: MainWindow) -> None:
    for policy in ("greedy", "fixed-width:servers=2", "threshold:steps=[{free=5,servers=2}]"):
        window.control.open(CLASSROOM, policy)
        name = policy.partition(":")[0]
        at_rest(qtbot, window, lambda name=name: window.frame.info.policy_name == name)
        window.control.go_to(300)
        at_rest(qtbot, window, lambda: window.frame.event == 300)
        assert_nothing_is_missing(window)


def test_help_opens_and_themes_change(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_F1)
    qtbot.waitUntil(lambda: bool(window.findChildren(QDialog)))
    for dialog in window.findChildren(QDialog):
        dialog.close()
    press(qtbot, window, Key.Key_D)
    assert window.theme.dark
    press(qtbot, window, Key.Key_L)
    assert window.lecture.on
    visible = {name for name, dock in window.docks.items() if dock.isVisible()}
    assert visible == hall(window)


def test_panels_save_pictures_and_series(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.control.go_to(400)
    at_rest(qtbot, window, lambda: window.frame.event == 400)
    rest(qtbot, window, lambda: window.frame.bounds.finished)
    for name in ("blocking", "allocation-lp", "allocations", "collapse", "moldable-servers"):
        dock = window.docks[name]
        dock.raise_()
        qtbot.wait(60)
        dock.save_picture(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
    for name, least in (("blocking", 100), ("allocation-lp", 6)):
        window.docks[name].save_series(tmp_path / f"{name}.csv")
        assert len((tmp_path / f"{name}.csv").read_text().splitlines()) >= least
    window.docks["decisions"].save_series(tmp_path / "log.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["event"] for row in rows] == list(range(1, 401))
    assert all(row["sentence"].startswith("job ") for row in rows)


# Several policies.


@pytest.fixture
def beside(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """greedy beside greedy(p*)."""
    window.compare.compare(("greedy",))
    at_rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    qtbot.wait(50)
    return window


def test_greedy_runs_beside_greedy_p(qtbot: QtBot, beside: MainWindow) -> None:
    assert "greedy(p*) | greedy" in beside.windowTitle()
    assert len(beside.docks) == len(panels_of("moldable")) + len(companions_of("moldable")) + 1
    for event in (1, 2):
        press(qtbot, beside, Key.Key_Right)
        at_rest(qtbot, beside, lambda event=event: beside.frame.event == event)
    beside.control.run_until(time=700.0)
    at_rest(qtbot, beside, lambda: beside.frame.time > 690)
    own, other = beside.frame, beside.frame.companions[0]
    assert own.time == other.time
    blocked = [int(frame.state.tally[BLOCKED].sum()) for frame in (own, other)]
    assert blocked[1] > 2 * blocked[0]
    comparison = beside.docks["comparison"].panel
    beside.settle()
    low, high = zip(*[curve.extremes() for curve in comparison.curves._curves], strict=True)
    assert min(low) >= 0 and 0.4 < max(high) < 1.1  # shares among enough jobs
    qtbot.waitUntil(lambda: "±" in comparison.table.text())
    for title in ("blocked, %", "mean execution time, minutes", "servers in use, %"):
        assert title in comparison.table.text()


def test_the_first_decision_that_differs_is_told_in_servers(qtbot: QtBot, beside: MainWindow) -> None:
    panel = beside.docks["comparison"].panel
    beside.control.run_until(time=60.0)
    at_rest(qtbot, beside, lambda: beside.frame.time > 55)
    qtbot.mouseClick(panel.buttons["first"], Qt.MouseButton.LeftButton)
    at_rest(qtbot, beside, lambda: beside.frame.comparison.found is not None)
    found = beside.frame.comparison.found
    assert found.admitted(0) != found.admitted(1)
    assert beside.frame.next_event.job == found.job
    qtbot.waitUntil(lambda: "Next:" in panel.sentence.text())
    said = panel.sentence.text()
    assert f"job {found.job} at t = " in said
    assert "is blocked" in said and "it gets" in said and "reject" not in said
    assert panel.where.text() == "or another width"
    assert "server" not in panel.buttons["first"].toolTip().partition("gives servers")[2]


def test_another_number_of_servers_can_count_too(qtbot: QtBot, beside: MainWindow) -> None:
    panel = beside.docks["comparison"].panel
    beside.control.run_until(time=60.0)
    at_rest(qtbot, beside, lambda: beside.frame.time > 55)
    panel.where.setChecked(True)
    qtbot.mouseClick(panel.buttons["first"], Qt.MouseButton.LeftButton)
    at_rest(qtbot, beside, lambda: beside.frame.comparison.found is not None)
    found = beside.frame.comparison.found
    assert found.job == 0  # two servers under one policy, five under the other
    assert found.answers == (2, 5)


def test_the_comparison_ends_as_it_began(qtbot: QtBot, beside: MainWindow) -> None:
    before = {name for name in beside.docks if not name.endswith("-2") and name != "comparison"}
    beside.compare.compare(())
    at_rest(qtbot, beside, lambda: not beside.frame.companions)
    assert set(beside.docks) == before
    assert set(VOCABULARY.event_kinds) == {
        beside.transport.kind.itemText(n) for n in range(beside.transport.kind.count())
    }


# The form.


def form_of(qtbot: QtBot, scenario: str) -> ScenarioPanel:
    session = Session.open(scenario, kernel=False)
    panel = ScenarioPanel(load_theme("light"))
    qtbot.addWidget(panel)
    panel.set_frame(session.frame())
    assert panel.data() == as_data(session.bench.scenario)
    assert not panel.edited
    return panel


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_in_the_form_is_what_it_was(qtbot: QtBot, scenario: str) -> None:
    panel = form_of(qtbot, scenario)
    assert panel.message.text() == "This is what runs."
    assert panel.validate().scenario is not None


def test_load_servers_and_speed_up_are_edited(qtbot: QtBot) -> None:
    panel = form_of(qtbot, CLASSROOM)
    cells = {cell.path: cell for cell in panel._cells}
    cells["workload", "load"].set_text("0.9")
    assert panel.validate().scenario is not None and panel.go_on.isEnabled()
    cells["servers", "count"].set_text("30")
    cells["classes", 0, "speedup"].set_text("1, 1.9, 2.7")
    found = panel.validate().scenario
    assert (float(found.load), found.servers.count) == (0.9, 30)
    assert [float(factor) for factor in found.speedup_of(0)] == [1.0, 1.9, 2.7]
    assert not panel.go_on.isEnabled()  # jobs in service could not be kept


def test_faults_stand_beside_their_fields(qtbot: QtBot) -> None:
    panel = form_of(qtbot, CLASSROOM)
    cells = {cell.path: cell for cell in panel._cells}
    speedup, load = cells["classes", 0, "speedup"], cells["workload", "load"]
    speedup.set_text("1, 1.2, 1.8")
    assert panel.validate().scenario is None
    assert "s_3 - s_2 = 0.6" in speedup.error.text()
    speedup.set_text("1, 1.5")
    load.set_text("1.2")
    assert panel.validate().scenario is None
    assert "(P) has no solution" in load.error.text()
    assert not panel.go_on.isEnabled() and not panel.restart.isEnabled()


def cell_at(panel: ScenarioPanel, *path: str | int) -> ScenarioCell:
    (cell,) = [one for one in panel._cells if one.path == path]
    return cell


def test_a_speed_up_is_a_list_or_a_law(qtbot: QtBot) -> None:
    panel = form_of(qtbot, CLASSROOM)
    assert cell_at(panel, "classes", 0, "speedup", "law").text == "list"
    cell_at(panel, "classes", 0, "speedup", "law").set_text("amdahl")
    assert panel.data()["classes"][0]["speedup"] == {"law": "amdahl", "parallel": 0.9, "degree": 5}
    assert panel.message.text().startswith("Edited, not applied yet.")
    cell_at(panel, "classes", 0, "speedup", "degree").set_text("3")
    found = panel.validate().scenario
    assert found is not None and len(found.speedup_of(0)) == 3
    cell_at(panel, "classes", 0, "speedup", "law").set_text("linear")
    cell_at(panel, "classes", 0, "speedup", "law").set_text("list")
    assert cell_at(panel, "classes", 0, "speedup").text == "1, 2, 3"
    cell_at(panel, "workload", "load").set_text("0.5")
    assert panel.validate().scenario is not None and panel.edited
    panel.reload()
    assert not panel.edited


def test_a_law_that_is_wrong_can_be_left(qtbot: QtBot) -> None:
    panel = form_of(qtbot, "moldable-classes")
    cell_at(panel, "classes", 1, "speedup", "parallel").set_text("2")
    assert panel.validate().scenario is None
    cell_at(panel, "classes", 1, "speedup", "law").set_text("list")
    assert panel.data()["classes"][1]["speedup"] == [1]
    assert panel.validate().scenario is not None


@pytest.mark.parametrize("law", list(SERVICES))
def test_every_law_of_sizes_can_be_chosen(qtbot: QtBot, law: str) -> None:
    panel = form_of(qtbot, "moldable-classes")
    cell_at(panel, "classes", 0, "size", "distribution").set_text(law)
    found = panel.validate().scenario
    assert found is not None and found.classes[0].size.distribution == law
    assert found.classes[0].size.mean == 2  # the mean stays
    paths = {cell.path for cell in panel._cells}
    assert {("classes", 0, "size", name) for name in SERVICES[law].model_fields} <= paths


def test_the_comparison_has_its_key_where_a_command_opened_it(qtbot: QtBot, tmp_path: Path) -> None:
    """The policies are then known before the panels are built."""
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    window = make_window(store, "light")
    qtbot.addWidget(window)
    try:
        window.stand_at("moldable-classroom", ("greedy-p", "greedy"), 1, (), None, Moment((3,)))
        assert "bring-comparison" in [one.objectName() for one in window.actions()]
    finally:
        window.close()
