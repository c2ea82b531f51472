"""The map of the policy: pi, cases and requests are the plan's, dots are the servers now."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.phases.colours import phase_color
from slotscope.gui.kinds.phases.policy_map import PolicyMapPanel
from slotscope.gui.kinds.phases.policy_map_bars import MOST_BARS, heaviest
from slotscope.gui.kinds.phases.policy_map_painting import shade
from slotscope.gui.kinds.phases.policy_map_values import expected_shares
from slotscope.gui.kinds.phases.policy_map_words import lemma_words
from slotscope.model.api import Session
from slotscope.model.kinds.phases.programs.bounds import PhasesBounds
from slotscope.model.kinds.phases.programs.lemma7 import Lemma7
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours
from tests.kinds.phases.gui.policy_map_views import LIGHT, cell_of, moved, run, shown_panel


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
    spot = panel.view.middle_of(cell_of(panel, frame, 0, 8))
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
    below = (panel.view.middle_of(cell) + QPointF(0, 0.36 * side)).toPoint()
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
        corner = panel.view.middle_of(cell) + QPointF(0.4 * side, -0.4 * side)
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
    # A server that another plan has left with more jobs is shown all the same.
    panel.set_frame(moved(stack, [int(np.flatnonzero(jobs == jobs.max())[0])]))
    assert panel.view.counts.sum() == stack.info.facts.normal_servers
    values = panel.view.values
    assert values is not None and not values.cells.cropped


def test_a_given_policy_without_pi_shows_the_time_spent(panel: PolicyMapPanel) -> None:
    session = Session.open("tests/golden/phases/09_two_pools.json", kernel=False)
    session.run(events=5)
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
