"""The map of the policy: pi, cases and requests equal the plan's, dots are the present servers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.phases.colours import phase_color
from slotscope.gui.kinds.phases.policy_map import PolicyMapPanel
from slotscope.gui.kinds.phases.policy_map_bars import MOST_BARS, heaviest
from slotscope.gui.kinds.phases.policy_map_legend import PolicyMapLegend
from slotscope.gui.kinds.phases.policy_map_painting import shade
from slotscope.gui.kinds.phases.policy_map_values import expected_shares, lemma_words
from slotscope.gui.kinds.phases.policy_map_view import MARGIN
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.phases.programs.bounds import PhasesBounds
from slotscope.model.kinds.phases.programs.chains import Lemma7
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, listed, svg_of, text_of, type_of
from tests.gui.windows import on_screen
from tests.runs import ran

LIGHT = load_theme("light")


def run(name: str, events: int, policy: str | None = None) -> Frame:
    return ran(name, policy, events=events, kernel=True).frame()


def shown_panel(qtbot: QtBot) -> PolicyMapPanel:
    """A panel without a frame, in a window of its own."""
    return on_screen(qtbot, PolicyMapPanel(LIGHT), 1000, 640)


def cell_of(panel: PolicyMapPanel, frame: Frame, *configuration: int) -> int:
    """The cell of a configuration on the map shown."""
    values = panel.view.values
    assert values is not None
    return int(values.cells.cell_of[frame.info.facts.plan.lattice.place(configuration)])


def middle_of(panel: PolicyMapPanel, cell: int) -> QPointF:
    """The middle of a cell in the widget."""
    assert panel.view.places is not None
    return panel.view.places.centre(cell) + QPointF(MARGIN, MARGIN)


def moved(frame: Frame, places: list[int]) -> Frame:
    """The frame with the first servers in other configurations."""
    state = frame.state
    observed = state.observed.copy()
    observed[: len(places)] = places
    return replace(frame, state=state._replace(observed=observed), running=True)


@pytest.fixture(scope="module")
def frame() -> Frame:
    return run("jrs-two-phases", 3000)


@pytest.fixture(scope="module")
def stack() -> Frame:
    return run("jrs-three-phases", 3000)


@pytest.fixture(scope="module")
def pools() -> Frame:
    return run("jrs-fixed-sizes", 3000)


@pytest.fixture
def panel(qtbot: QtBot) -> PolicyMapPanel:
    return shown_panel(qtbot)


# -- servers -------------------------------------------------------------------------------------


def test_every_server_is_on_the_map(panel: PolicyMapPanel, frame: Frame, stack: Frame) -> None:
    for shown in (frame, stack):
        panel.set_frame(shown)
        counts = panel.view.counts
        assert counts.sum() == shown.info.facts.normal_servers
        places, present = np.unique(shown.state.observed, return_counts=True)
        values = panel.view.values
        assert values is not None
        np.testing.assert_array_equal(counts[values.cells.cell_of[places]], present)


def test_servers_move_and_the_picture_below_stays(panel: PolicyMapPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    QApplication.processEvents()
    still = panel.view.still_picture
    assert still is not None
    spot = middle_of(panel, cell_of(panel, frame, 0, 8))
    far = frame.info.facts.plan.lattice.place((0, 8))
    before = panel.view.grab().toImage().pixelColor(spot.toPoint())
    panel.set_frame(moved(frame, [far]))
    after = panel.view.grab().toImage().pixelColor(spot.toPoint())
    assert before.name() != after.name() == LIGHT.run
    assert panel.view.still_picture is still
    panel.resize(panel.width() + 40, panel.height())
    QApplication.processEvents()
    assert panel.view.still_picture is not still


def test_many_servers_of_one_configuration_are_a_disc(panel: PolicyMapPanel, frame: Frame) -> None:
    panel.set_frame(moved(frame, [0]))
    cell = cell_of(panel, frame, 0, 0)
    side = panel.view.places.side if panel.view.places else 0
    below = (middle_of(panel, cell) + QPointF(0, 0.36 * side)).toPoint()
    assert panel.view.grab().toImage().pixelColor(below).name() != LIGHT.run
    panel.set_frame(moved(frame, [0] * 25))
    assert panel.view.grab().toImage().pixelColor(below).name() == LIGHT.run
    assert panel.view.counts[cell] == 25


def test_the_event_and_the_server_pointed_at_are_outlined(panel: PolicyMapPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    server = int(frame.rows["server"][-1])
    observed = frame.state.observed
    values = panel.view.values
    assert values is not None
    cells = values.cells.cell_of
    marks = [(int(cells[observed[server]]), "run")] if server >= 0 else []
    assert list(panel.view.marked) == marks
    panel.set_selection(Select(server=3))
    assert (int(cells[observed[3]]), "focus") in panel.view.marked
    panel.set_selection(Select(server=10_000))
    assert list(panel.view.marked) == marks
    panel.set_frame(replace(frame, running=True))
    assert panel.view.marked == ()


# -- the policy ----------------------------------------------------------------------------------


def test_cells_have_the_shade_of_pi(panel: PolicyMapPanel, frame: Frame) -> None:
    plan = frame.info.facts.plan
    panel.set_frame(moved(frame, [0] * 25))
    values = panel.view.values
    assert values is not None
    picture = panel.view.grab().toImage()
    side = panel.view.places.side if panel.view.places else 0
    for place in np.flatnonzero(plan.pools[0].stationary > 0).tolist():
        cell = int(values.cells.cell_of[place])
        corner = middle_of(panel, cell) + QPointF(0.4 * side, -0.4 * side)
        expected = shade(LIGHT, values.level(float(plan.pools[0].stationary[place])))
        if cell != values.patch:
            assert picture.pixelColor(corner.toPoint()).name() == expected


def test_requests_and_the_budget_are_drawn(panel: PolicyMapPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    seen = colours(panel.view)
    assert {phase_color(LIGHT, 0), phase_color(LIGHT, 1), LIGHT.rejection, LIGHT.focus} <= seen


def test_hard_capacities_have_no_overruns_and_pools_a_choice(panel: PolicyMapPanel, pools: Frame, frame: Frame) -> None:
    panel.set_frame(pools)
    assert LIGHT.rejection not in colours(panel.view)
    assert panel.pool.isVisible() and panel.right.isVisible()
    first = panel.view.values
    panel.pool.setCurrentIndex(2)
    panel.pool.activated.emit(2)
    second = panel.view.values
    assert first is not None and second is not None
    assert not np.array_equal(first.stationary, second.stationary)
    assert panel.view.counts.sum() == pools.info.facts.plan.pools[2].servers
    panel.set_frame(frame)
    assert not panel.pool.isVisible() and not panel.right.isVisible()


def test_only_what_servers_get_to_is_on_the_map(panel: PolicyMapPanel, stack: Frame) -> None:
    plan = stack.info.facts.plan
    panel.set_frame(stack)
    values = panel.view.values
    assert values is not None
    jobs = plan.lattice.configurations.sum(axis=1)
    most = jobs[plan.pools[0].case != 3].max()
    assert values.cells.position.sum(axis=1).max() == most < jobs.max()
    assert (plan.pools[0].stationary[jobs > most] == 0).all()
    # A server that another plan has left with more jobs must still be shown.
    panel.set_frame(moved(stack, [int(np.flatnonzero(jobs == jobs.max())[0])]))
    assert panel.view.counts.sum() == stack.info.facts.normal_servers
    values = panel.view.values
    assert values is not None and not values.cells.cropped


def test_a_given_policy_without_pi_shows_the_time_spent(panel: PolicyMapPanel) -> None:
    session = ran("tests/golden/phases/09_two_pools.json", events=5)
    shown = session.frame()
    panel.set_frame(shown)
    assert panel.tiles.shown()[2] == "–"
    spent = shown.derived.occupancy
    assert spent.max() > 0
    assert panel.bars.rows[0].spent == pytest.approx(spent.max())
    assert panel.bars.rows[0].expected == 0


def test_the_axes_can_be_chosen(panel: PolicyMapPanel, stack: Frame) -> None:
    panel.set_frame(stack)
    assert (panel.right.currentText(), panel.up.currentText()) == ("boot", "steady")
    panel.right.setCurrentIndex(2)
    panel.right.activated.emit(2)
    values = panel.view.values
    assert values is not None
    assert (values.cells.right, values.cells.up, values.cells.third) == (2, 1, 0)
    panel.up.setCurrentIndex(2)
    panel.up.activated.emit(2)
    values = panel.view.values
    assert values is not None
    assert (values.cells.right, values.cells.up) == (1, 2)
    assert (panel.right.currentIndex(), panel.up.currentIndex()) == (1, 2)
    assert panel.view.counts.sum() == stack.info.facts.normal_servers


# -- numbers -------------------------------------------------------------------------------------


def test_the_numbers_are_the_servers_by_case(panel: PolicyMapPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    cases = frame.info.facts.plan.pools[0].case[frame.state.observed]
    away = np.abs(frame.derived.occupancy - frame.info.facts.plan.pools[0].stationary).sum() / 2
    shown = panel.tiles.shown()
    assert shown[0] == str((cases == 1).sum())
    assert shown[1] == str((cases == 3).sum())
    assert shown[2] == f"{100 * away:.1f}\u202f%"


def test_a_moment_has_one_scale_of_bars(panel: PolicyMapPanel, frame: Frame) -> None:
    """The scale does not stay as wide as an earlier bar needed, such as all time in one configuration."""
    panel.set_frame(frame)
    highest = panel.bars._scale.high
    panel.bars.set_rows((panel.bars.rows[0]._replace(spent=1.0),), running=False)
    assert panel.bars._scale.high > highest
    panel.set_frame(frame)
    assert panel.bars._scale.high == highest


def test_bars_compare_pi_with_the_time_spent(panel: PolicyMapPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    rows = panel.bars.rows
    plan = frame.info.facts.plan
    assert len(rows) == MOST_BARS + 1
    assert rows[0].expected == pytest.approx(plan.pools[0].stationary.max())
    assert rows[0].text == "4L + 2H"
    assert sum(row.expected for row in rows) == pytest.approx(1)
    assert sum(row.spent for row in rows) == pytest.approx(1)
    at = plan.lattice.place((4, 2))
    assert rows[0].spent == pytest.approx(frame.derived.occupancy[at])
    assert {LIGHT.optimum, LIGHT.run} <= colours(panel.bars)
    tip = panel.bars.tip_at(QPointF(0, 1.5 * panel.bars.row_height()))
    assert tip.startswith("4L + 2H: π = 0.4")


def test_several_pools_are_expected_in_shares_of_their_servers(pools: Frame) -> None:
    expected = expected_shares(pools.info.facts)
    assert expected.sum() == pytest.approx(1)
    plans = pools.info.facts.plan.pools
    servers = [pool.servers for pool in plans]
    for pool in plans:
        (place,) = np.flatnonzero(pool.stationary > 0)
        assert expected[place] == pytest.approx(pool.servers / sum(servers))
    assert len(heaviest(expected)) == 3


def test_lemma_7_is_told_in_words(panel: PolicyMapPanel, frame: Frame) -> None:
    plan = frame.info.facts.plan
    panel.set_frame(frame)
    assert "is being computed again" in panel.lemma.text()
    panel.set_frame(replace(frame, bounds=PhasesBounds(lemma7=Lemma7(4.6e-16, 0.0))))
    assert "π differs by 4.6·10⁻¹⁶ and u by 0: it holds" in panel.lemma.text()
    told = lemma_words(PhasesBounds(lemma7=Lemma7(0.01, 0.2)), plan)
    assert "it does not hold" in told and "the policy's own" in told
    given = replace(plan, source="given in the scenario")
    assert "optimal policy's" in lemma_words(PhasesBounds(lemma7=Lemma7(0.0, 0.0)), given)
    assert lemma_words(PhasesBounds(problem="no optimum"), plan) == "no optimum"


# -- the mouse -----------------------------------------------------------------------------------


def test_a_click_points_at_the_servers_of_a_cell_in_turn(qtbot: QtBot, panel: PolicyMapPanel, frame: Frame) -> None:
    panel.set_frame(moved(frame, [0] * 25))
    spot = middle_of(panel, cell_of(panel, frame, 0, 0)).toPoint()
    for server in (0, 1, 2):
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=spot)
        assert caught.args == [Select(server=server)]
        panel.set_selection(Select(server=server))
    empty = middle_of(panel, cell_of(panel, frame, 0, 8)).toPoint()
    with qtbot.assertNotEmitted(panel.intent):
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=empty)
    panel.set_selection(Select(server=24))
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [Select(server=0)]


def test_hovering_tells_all_of_a_configuration(
    panel: PolicyMapPanel, frame: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    tips = SimpleNamespace(showText=lambda place, text, view: told.append(text))
    monkeypatch.setattr("slotscope.gui.widgets.chart.QToolTip", tips)
    panel.set_frame(frame)

    def hover(*configuration: int) -> str:
        spot = middle_of(panel, cell_of(panel, frame, *configuration)).toPoint()
        over = QHelpEvent(QHelpEvent.Type.ToolTip, spot, panel.view.mapToGlobal(spot))
        QApplication.sendEvent(panel.view, over)
        return told[-1]

    rests, asks, waits = hover(4, 2), hover(0, 3), hover(0, 0)
    now = int((frame.state.observed == frame.info.facts.plan.lattice.place((4, 2))).sum())
    assert rests.startswith("k = 4L + 2H\ncase 1")
    assert "π = 0.49" in rests and f"{now} of 25 server" in rests and "cost h = 0" in rests
    assert "case 2" in asks and "asks for L" in asks and "u: L" in asks
    assert "case 3" in waits and "asks for k⁰ = 4L + 2H" in waits
    assert "an overrun" in hover(0, 8)
    plan = frame.info.facts.plan
    ticking = plan.lattice.configurations[plan.pools[0].rate.any(axis=1)]
    assert "timers: L at rate" in hover(*ticking[0].tolist())


# -- the window ----------------------------------------------------------------------------------


def near(wanted: str, seen: set[str]) -> bool:
    """Whether a colour was painted, or one that cannot be distinguished from it by eye."""
    one = QColor(wanted)
    apart = (
        max(abs(one.red() - other.red()), abs(one.green() - other.green()), abs(one.blue() - other.blue()))
        for other in map(QColor, seen)
    )
    return min(apart) < 16


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("size", [(280, 240), (560, 640), (1400, 800)])
def test_it_is_drawn_at_any_size(
    panel: PolicyMapPanel, frame: Frame, stack: Frame, pools: Frame, theme: str, lecture: bool, size: tuple[int, int]
) -> None:
    with type_of(lecture):
        look = load_theme(theme)
        panel.set_theme(look)
        panel.resize(*size)
        for shown in (frame, stack, pools):
            panel.set_frame(shown)
            QApplication.processEvents()
            places = panel.view.places
            assert places is not None
            if not places.side:
                assert shown.info is not frame.info and size == (280, 240)
                continue
            seen = colours(panel.view)
            # In a dot of a few pixels all pixels can be smoothed.
            assert look.run in seen or (places.side < 20 and near(look.run, seen))
            # In a tiny cell the servers may cover everything.
            assert shade(look, 1.0) in seen or places.side < 12
            assert not places.legend.isEmpty() or size != (1400, 800)


def test_a_hall_sees_cells_as_large_as_a_brief_legend_leaves_them(panel: PolicyMapPanel) -> None:
    panel.set_frame(run("jrs-classroom", 30))
    with type_of(lecture=True):
        panel.set_theme(LIGHT)
        sides = []
        for width in range(500, 1300, 40):
            panel.resize(width, 460)
            QApplication.processEvents()
            places, view = panel.view.places, panel.view
            assert places is not None and not places.legend.isEmpty(), width
            assert view.values is not None
            legend = PolicyMapLegend(LIGHT, view.values, ("L", "H"))
            whole = view._beside(legend, view.values)
            sides.append((0 if whole.legend.isEmpty() else whole.side, places.side))
        assert all(drawn >= max(whole, 28) for whole, drawn in sides)
        assert any(drawn > 1.5 * whole > 0 for whole, drawn in sides), "a long legend took the room of the map"
        assert sides[-1][0] == sides[-1][1], "where there is room the legend is whole"


def test_in_a_low_panel_the_numbers_stand_beside_the_map(panel: PolicyMapPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    for height, beside in ((190, True), (400, False), (180, True)):
        panel.resize(470, height)
        QApplication.processEvents()
        numbers, seen = panel.tiles.geometry(), panel.view.geometry()
        assert (numbers.left() >= seen.right(), numbers.bottom() <= seen.top()) == (beside, not beside)
        assert panel.tiles.shown()


def test_slices_have_the_width_of_a_low_panel(panel: PolicyMapPanel, frame: Frame, stack: Frame) -> None:
    panel.resize(456, 220)
    for one in (stack, frame, stack):  # a run with three phases may follow a run with two
        panel.set_frame(one)
        QApplication.processEvents()
        assert panel.view.places is not None
        assert panel.view.width() > (440 if one is stack else 200)
        assert panel.view.places.side >= 9


def test_the_name_of_an_axis_is_whole_beside_a_low_map(panel: PolicyMapPanel) -> None:
    panel.resize(260, 180)
    panel.set_frame(run("jrs-classroom", 30))
    QApplication.processEvents()
    image = panel.view.grab().toImage()
    ratio = image.devicePixelRatio()
    edge = [image.pixelColor(x, y).name() for y in range(round(4 * ratio)) for x in range(round(30 * ratio))]
    assert set(edge) == {QColor(LIGHT.panel).name()}


def test_without_room_it_says_so(panel: PolicyMapPanel, stack: Frame) -> None:
    panel.set_frame(stack)
    view = panel.view
    view.setParent(None)
    view.resize(60, 50)
    QApplication.processEvents()
    assert view.places is not None
    assert view.places.side == 0
    assert view.cell_at(QPointF(5, 5)) is None
    assert len(colours(view)) > 1
    view.deleteLater()


def test_policies_without_a_lattice_are_told_so(panel: PolicyMapPanel) -> None:
    panel.set_frame(run("jrs-two-phases", 30, "best-fit"))
    assert "Policy map does not apply to" in text_of(panel)
    assert panel.series() is None


def test_at_the_start_nothing_is_known_of_the_time(panel: PolicyMapPanel) -> None:
    panel.set_frame(Session.open("jrs-two-phases", kernel=False).frame())
    assert panel.tiles.shown()[2].startswith("–")
    assert panel.view.counts[0] == 25


def test_the_picture_saves_as_vectors(panel: PolicyMapPanel, frame: Frame, tmp_path: Path) -> None:
    panel.set_frame(frame)
    assert "4L + 2H" in svg_of(panel, tmp_path)


def test_the_series_are_all_configurations(panel: PolicyMapPanel, pools: Frame) -> None:
    assert panel.series() is None
    panel.set_frame(pools)
    table = listed(panel)
    assert len(table) == 3 * len(pools.info.facts.plan.lattice)
    assert sum(row["servers_now"] for row in table) == pools.info.facts.normal_servers
    for pool in (1, 2, 3):
        mine = [row for row in table if row["pool"] == pool]
        assert sum(row["pi"] for row in mine) == pytest.approx(1)
        assert {row["case"] for row in mine if row["pi"] > 0} == {1}
