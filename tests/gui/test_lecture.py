"""Lecture mode on a projector of 1280x720: what must be visible, complete and large enough."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from typing import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QFontMetricsF
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QScrollBar, QToolButton
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.phases.servers_words import caption_words
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import SENTENCES, panels_of
from slotscope.gui.panels.columns import HeadedColumns
from slotscope.gui.pictures.picture import ZoomedPicture
from slotscope.gui.presenting.pad import base_of
from tests.gui import overflowing
from tests.gui.halls import PROJECTOR, READ, bring, shown, stand
from tests.gui.painted import Counted
from tests.gui.windows import at_rest, complete_window, hall, press

pytestmark = pytest.mark.slow

HELP = Path(__file__).parents[2] / "resources" / "help"
Key = Qt.Key
SCREEN = (1920, 1080)
DIGITS = (Key.Key_1, Key.Key_2, Key.Key_3, Key.Key_4, Key.Key_5, Key.Key_6, Key.Key_7, Key.Key_8, Key.Key_9)
#: Least height of a server in pixels.
LEAST = 28

#: Classroom scenarios, each with an event.
CLASSROOMS = (("dra-classroom", 30), ("queues-classroom", 20), ("jrs-classroom", 14), ("moldable-classroom", 7))

#: For each of them a lesson and a step with a question, the last two in comparisons.
ASKING = {
    "dra-classroom": ("dra-1-decision", 2),
    "queues-classroom": ("queues-1-slot", 1),
    "jrs-classroom": ("jrs-4-budget", 0),
    "moldable-classroom": ("moldable-1-blocking", 3),
}


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """A window that builds its panels with the first run; tests without a run build them themselves."""
    with complete_window(qtbot, tmp_path, built=False) as made:
        made.resize(*PROJECTOR)
        yield made


def server_height(window: MainWindow, name: str) -> float:
    """The height in pixels of a server in the picture."""
    panel = window.docks[name].panel
    if name == "servers":
        scale = panel.stacks.scene.layout.scale
        return float(scale.strip / scale.group)
    layout = panel.view.scene.layout
    return float((layout.cell if name == "bins" else layout.grids[0].cell).height)


def cut(window: MainWindow) -> list[str]:
    """The texts of labels, buttons and combo boxes above the panels that do not fit."""
    found = overflowing.cut(window.transport)
    strip = window.lecture.strip
    if strip.heightForWidth(strip.width()) > strip.height() + 1:
        found.append("strip of panels")
    return found


def controls_of(window: MainWindow) -> list[QToolButton]:
    """The visible buttons of actions; the last one is that of Run until."""
    buttons = window.transport.findChildren(QToolButton)
    return [one for one in buttons if one.isVisible() and one.defaultAction() is not None]


def sentence_is_whole(window: MainWindow, name: str = SENTENCES) -> bool:
    panel = window.docks[name].panel
    view, row = panel.view, panel.model.present_row()
    needed = view.height_of(row, view.viewport().width())
    top = view.rowViewportPosition(row)
    return row >= 0 and needed <= view.rowHeight(row) and top >= 0 and top + needed <= view.viewport().height() + 1


def moment_of(window: MainWindow) -> list[tuple[int, int]]:
    """The event and the number of sub-steps shown for each policy."""
    assert window.frame is not None
    return [(lane.event, len(lane.records)) for lane in window.frame.lanes]


@pytest.mark.parametrize(("scenario", "event"), CLASSROOMS)
def test_a_hall_sees_servers_one_panel_and_one_sentence(
    qtbot: QtBot, window: MainWindow, scenario: str, event: int
) -> None:
    stand(qtbot, window, scenario, (), event)
    assert shown(window) == hall(window)
    assert QApplication.font().pointSizeF() >= READ
    assert not window.menu_bar.isVisible() and not window.statusBar().isVisible()
    assert cut(window) == []
    assert sentence_is_whole(window)
    said = window.docks[SENTENCES].panel
    assert said.bar.isHidden() and said.view.horizontalHeader().isHidden()
    servers = window.area.roles.servers
    assert server_height(window, servers) >= LEAST
    assert window.docks[servers].width() >= 0.5 * window.width()
    name, step = ASKING[scenario]
    window.lessons.open(name, step)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    qtbot.wait(100)
    window.settle()
    shown_servers = [window.docks[lane].panel for lane in (servers, f"{servers}-2") if lane in shown(window)]
    boxes = [base_of(panel, (0, 0)) for panel in shown_servers]
    assert all(box is not None and box.height() >= LEAST for box in boxes), boxes
    assert len(boxes) == (2 if step == 3 or name == "jrs-4-budget" else 1)
    assert cut(window) == []
    asked = moment_of(window)
    press(qtbot, window, Key.Key_PageDown)
    at_rest(qtbot, window, lambda: not window.lessons.questions.open and moment_of(window) != asked)
    window.settle()
    boxes = [base_of(panel, (0, 0)) for panel in shown_servers]
    assert all(box is not None and box.height() >= LEAST for box in boxes), boxes
    assert cut(window) == []
    if "comparison" in shown(window):
        assert window.docks["comparison"].panel.measures.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize("system", sorted(PANEL_ROOMS))
def test_number_keys_reach_every_panel(qtbot: QtBot, window: MainWindow, system: str) -> None:
    window.panels.show_system(system)
    window.panels.finish()
    press(qtbot, window, Key.Key_L)
    roles = window.area.roles
    names = [entry.load().name for entry in panels_of(system)]
    rest = [name for name in names if name not in roles.numbered]
    order = [*roles.numbered, *rest]
    strip = window.lecture.strip
    assert len(order) == len(names) and len(roles.numbered) <= len(DIGITS)
    letters = {"monitors": Key.Key_M, "track": Key.Key_T, "scenario": Key.Key_S}
    assert list(letters) == rest
    for key, name in [*zip(DIGITS, roles.numbered, strict=False), *((letters[name], name) for name in rest)]:
        press(qtbot, window, key)
        if name not in (roles.servers, SENTENCES):
            assert shown(window) == {roles.servers, SENTENCES, name}
            assert f"href='{name}'" in strip.text()
    for name in order[2:]:
        strip.linkActivated.emit(name)
        assert name in shown(window)


@pytest.mark.parametrize("lecture", [False, True])
def test_a_key_waits_for_no_panel_that_makes_room(qtbot: QtBot, window: MainWindow, lecture: bool) -> None:
    """While the kind of system changes, some docks are already gone though their keys still exist."""
    window.panels.finish()
    if lecture:
        press(qtbot, window, Key.Key_L)
    action = window.findChild(QAction, f"bring-{SENTENCES}")
    dock = window.docks.pop(SENTENCES)
    try:
        action.trigger()
    finally:
        window.docks[SENTENCES] = dock
    assert window.lecture.on is lecture


def test_a_hall_keeps_its_picture_while_panels_of_another_kind_are_built(qtbot: QtBot, window: MainWindow) -> None:
    window.panels.finish()
    press(qtbot, window, Key.Key_L)
    seen: list[tuple[bool, bool]] = []
    note = window.lecture.switched.connect(lambda on: seen.append((on, window.updatesEnabled())))
    window.panels.show_system("queue")
    assert not window.updatesEnabled()
    window.panels.finish()
    window.lecture.switched.disconnect(note)
    assert seen == [(False, False), (True, False)]
    assert window.lecture.on
    qtbot.waitUntil(window.updatesEnabled)


def test_a_hall_sees_the_other_kind_although_the_window_was_about_to_be_painted(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.panels.finish()
    press(qtbot, window, Key.Key_L)
    window.update()
    window.panels.show_system("queue")
    QApplication.processEvents()  # Qt requests painting that is disabled
    qtbot.waitUntil(lambda: window.area.complete and window.lecture.on)
    paints = Counted(window)
    window.update()
    qtbot.waitUntil(lambda: paints.count > 0)


def test_the_servers_and_the_log_take_the_room_on_request(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "dra-classroom", (), 30)
    usual = window.docks[SENTENCES].height()
    bring(qtbot, window, Key.Key_3)
    assert window.docks[SENTENCES].height() > 2.5 * usual
    bring(qtbot, window, Key.Key_3)
    assert abs(window.docks[SENTENCES].height() - usual) <= 2
    bring(qtbot, window, Key.Key_1)
    assert shown(window) == {"servers", SENTENCES}
    assert window.docks["servers"].width() == window.width()
    bring(qtbot, window, Key.Key_1)
    assert shown(window) == {"servers", SENTENCES, "algorithm"}
    bring(qtbot, window, Key.Key_4)
    bring(qtbot, window, Key.Key_1)
    bring(qtbot, window, Key.Key_1)
    assert shown(window) == {"servers", SENTENCES, "reward"}


def test_keys_bring_tabs_to_the_front_outside_of_it(qtbot: QtBot, window: MainWindow) -> None:
    window.panels.finish()
    assert not window.lecture.on
    press(qtbot, window, Key.Key_7)
    assert window.docks["theory"].seen and not window.docks["lp"].seen
    window.transport.seed.setFocus()
    window.transport.seed.selectAll()
    qtbot.keyClick(window.transport.seed, Key.Key_5)
    assert window.transport.seed.text() == "5" and window.docks["theory"].seen


def test_the_usual_layout_comes_back(qtbot: QtBot, window: MainWindow) -> None:
    window.panels.finish()
    window.settle()
    before = {name: dock.geometry() for name, dock in window.docks.items() if dock.seen}
    kept = window.area.layouts.text()
    press(qtbot, window, Key.Key_L)
    press(qtbot, window, Key.Key_5)
    assert window.area.layouts.text() == kept
    press(qtbot, window, Key.Key_L)

    def is_back() -> bool:
        now = {name: window.docks[name].geometry() for name in before}
        return all(
            abs(now[name].width() - place.width()) <= 3 and abs(now[name].height() - place.height()) <= 3
            for name, place in before.items()
        )

    qtbot.waitUntil(is_back)


def test_a_longer_sentence_gets_more_room(qtbot: QtBot, window: MainWindow) -> None:
    for event in (1, 14, 44):
        stand(qtbot, window, "jrs-classroom", (), event)
        assert sentence_is_whole(window)


@pytest.mark.parametrize(
    ("scenario", "policies"),
    [
        ("dra-classroom", ()),
        ("dra-classroom", ("dra", "first-fit")),
        ("queues-classroom", ("vqs", "bf-js")),
        ("moldable-classroom", ("greedy", "greedy-p")),
    ],
)
def test_the_names_of_all_panels_stand_on_two_lines_at_most(
    qtbot: QtBot, window: MainWindow, scenario: str, policies: tuple[str, ...]
) -> None:
    stand(qtbot, window, scenario, policies, 5)
    strip = window.lecture.strip
    assert strip.height() < 3 * QFontMetricsF(QApplication.font()).height()
    assert strip.font().pointSizeF() >= READ and "font-size" not in strip.text()
    assert strip.heightForWidth(strip.width()) <= strip.height() + 1
    said = [SENTENCES, f"{SENTENCES}-2"] if policies else [SENTENCES]
    assert all(sentence_is_whole(window, name) for name in said)


@pytest.mark.parametrize(("scenario", "event"), CLASSROOMS)
def test_a_low_hall_sees_the_servers_in_place_of_the_names_of_panels(
    qtbot: QtBot, window: MainWindow, scenario: str, event: int
) -> None:
    """As with a scale of 150 % on a projector of 1280x720."""
    stand(qtbot, window, scenario, (), event)
    assert not window.lecture.strip.isHidden()
    window.resize(853, 470)
    qtbot.waitUntil(window.lecture.strip.isHidden)
    window.settle()
    servers = window.docks[window.area.roles.servers].panel
    assert any(one.isVisible() and one.scene is not None for one in servers.findChildren(ZoomedPicture))
    window.resize(*PROJECTOR)
    qtbot.waitUntil(lambda: not window.lecture.strip.isHidden())


@pytest.mark.parametrize("scenario", ["dra-classroom", "queues-classroom"])
def test_a_low_hall_sees_the_servers_that_a_lesson_asks_about(qtbot: QtBot, window: MainWindow, scenario: str) -> None:
    window.resize(853, 470)
    stand(qtbot, window, scenario, (), 5)
    lesson, step = ASKING[scenario]
    window.lessons.open(lesson, step)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    window.settle()
    servers = window.docks[window.area.roles.servers].panel
    views = servers.findChildren(ZoomedPicture)
    qtbot.waitUntil(lambda: any(one.isVisible() and one.scene is not None for one in views))
    controls, history = controls_of(window), window.transport.history
    assert not controls and history.isHidden() and window.transport.moment.isVisible()
    window.resize(*PROJECTOR)
    qtbot.waitUntil(lambda: not history.isHidden() and bool(controls_of(window)))
    window.resize(853, 470)
    qtbot.waitUntil(history.isHidden)
    press(qtbot, window, Key.Key_Escape)
    press(qtbot, window, Key.Key_L)
    qtbot.waitUntil(lambda: not window.lecture.on and not history.isHidden() and bool(controls_of(window)))


def test_the_panel_beside_gives_back_what_it_does_not_need(qtbot: QtBot, window: MainWindow) -> None:
    policies = ("dra", "first-fit", "best-fit")
    for scenario in ("dra-gcp", "dra-vms"):
        stand(qtbot, window, scenario, policies, 400)
        qtbot.waitUntil(lambda: window.docks["comparison"].width() < 0.4 * window.width())


def test_the_slowest_pace_is_told_in_full_while_code_is_compiled(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "moldable-classroom", (), 20)
    window.worker.compiling.emit("compiling: 4 of 5 done")
    window.transport.speed.setValue(0)
    assert window.transport._pace.text() == "0.3 sub-steps/s"
    qtbot.waitUntil(lambda: not cut(window))


def test_what_is_compiled_gives_way_to_the_controls_on_a_narrow_projector(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "queues-classroom", (), 30)
    window.worker.compiling.emit("compiling: 4 of 5 done")
    window.resize(1024, 740)
    qtbot.waitUntil(lambda: window.width() == 1024)
    bar = window.transport
    row = (bar.speed, bar._pace, bar._compiling, bar.findChild(QLabel, "next"), bar.kind, controls_of(window)[-1])
    places = [QRect(one.mapTo(bar, QPoint()), one.size()) for one in row]
    assert all(one.right() < other.left() for one, other in pairwise(places))
    assert places[3].left() - (places[2].left() + bar._compiling.contentsRect().right()) >= 10  # the words do not touch


@pytest.mark.parametrize("name", ["dra-vms", "moldable-classroom"])
@pytest.mark.parametrize("width", [640, 768, 955, 1024])
def test_beside_slides_the_controls_are_whole(qtbot: QtBot, window: MainWindow, width: int, name: str) -> None:
    stand(qtbot, window, name, (), 12345, substep=1)
    window.resize(width, 700)
    qtbot.waitUntil(lambda: window.width() == width)
    bar = window.transport
    texts = [bar.scenario, bar.policy, bar.compare, bar.moment.clock, bar.moment.number, bar._pace, bar.kind]
    row = [*texts, bar.speed, *controls_of(window)]

    def laid_out() -> bool:
        places = [QRect(one.mapTo(bar, QPoint()), one.size()) for one in row]
        apart = not any(one.intersects(other) for one, other in combinations(places, 2))
        return apart and all(bar.rect().contains(one) for one in places) and cut(window) == []

    qtbot.waitUntil(laid_out)


def test_a_late_moment_is_told_in_full(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "dra-vms", (), 12345)
    assert cut(window) == []


def test_three_policies_and_their_intervals_have_room(qtbot: QtBot, window: MainWindow) -> None:
    policies = ("bf-js", "vqs", "max-weight")
    window.stand_at("queues-bf-unstable", policies, None, (), 1e6, None)
    qtbot.waitUntil(lambda: window.area.complete)
    press(qtbot, window, Key.Key_L)
    qtbot.wait(50)
    window.settle()
    measures = window.docks["comparison"].panel.measures
    assert measures.horizontalScrollBar().maximum() == 0
    assert all(sentence_is_whole(window, SENTENCES + lane) for lane in ("", "-2", "-3"))


def test_the_measures_of_two_policies_need_no_scrolling(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "jrs-deadlock", ("jrs", "jrs:patch=true"), 20)
    bring(qtbot, window, Key.Key_0)
    window.settle()
    assert window.docks["comparison"].panel.measures.verticalScrollBar().maximum() == 0


def test_the_cells_of_the_map_are_large_enough(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "jrs-deadlock", ("jrs", "jrs:patch=true"), 20)
    bring(qtbot, window, Key.Key_6)
    window.settle()
    assert window.docks["policy-map"].panel.view.places.side >= 20


def test_the_line_of_each_sub_step_is_seen_with_its_values(qtbot: QtBot, window: MainWindow) -> None:
    for substep in (4, 7, 13, 14, 15):
        stand(qtbot, window, "dra-classroom", (), 13, substep)
        view = window.docks["algorithm"].panel.view
        assert view.picture.current is not None and view._type().pointSizeF() >= READ
        found = [line for line, items in view.picture.beside.items() if any(item.fresh for item in items.values())]
        seen = [*found, view.picture.current]  # the view scrolls there once the panel has its size
        qtbot.waitUntil(lambda view=view, seen=seen: all(map(view.is_whole, seen)))


@pytest.mark.parametrize(
    ("scenario", "policies"),
    [
        ("dra-classroom", ("dra", "first-fit")),
        ("jrs-deadlock", ("jrs", "jrs:patch=true")),
        ("moldable-classroom", ("greedy", "greedy-p")),
        ("queues-vqs-unstable", ("vqs", "vqs-bf", "bf-js")),
    ],
)
def test_policies_side_by_side_are_seen_whole(
    qtbot: QtBot, window: MainWindow, scenario: str, policies: tuple[str, ...]
) -> None:
    for size in (PROJECTOR, SCREEN):
        window.resize(*size)
        stand(qtbot, window, scenario, policies, 5)
        lanes = ["", *(f"-{number}" for number in range(2, len(policies) + 1))]
        servers = [window.area.roles.servers + lane for lane in lanes]
        said = [SENTENCES + lane for lane in lanes]
        assert shown(window) == {*servers, *said, "comparison"}
        assert cut(window) == []
        assert [name for name in said if not sentence_is_whole(window, name)] == []
        heights = {window.docks[name].height() for name in servers}
        widths = [window.docks[name].width() for name in servers]
        assert len(heights) == 1 and max(widths) - min(widths) <= 2
        panel = window.docks["comparison"].panel
        assert panel.table.minimumSizeHint().width() <= panel.measures.viewport().width()
        assert window.docks["comparison"].geometry().right() <= window.width()


@pytest.mark.parametrize(
    ("scenario", "policies"),
    [
        ("dra-gcp", ("dra", "first-fit", "best-fit")),
        ("jrs-classroom", ("jrs", "first-fit", "best-fit")),
        ("moldable-classroom", ("greedy-p", "greedy", "fixed-width")),
        ("queues-classroom", ("vqs", "vqs-bf", "bf-js")),
    ],
)
def test_three_policies_are_drawn_with_what_tells_jobs_apart(
    qtbot: QtBot, window: MainWindow, scenario: str, policies: tuple[str, ...]
) -> None:
    stand(qtbot, window, scenario, policies, 20)
    for lane in ("", "-2", "-3"):
        panel = window.docks[window.area.roles.servers + lane].panel
        if scenario == "dra-gcp":
            assert panel.stacks.scene is not None if not lane else panel.grid.scene is not None
            continue
        view = panel.view
        _, stage, legend = view._parts()
        told = view._legend._jobs()[0]
        placed = [item for item, *_ in view._legend.placed(legend.width(), *_looks(view))]
        assert placed[: len(told)] == told and stage.height() > view.least
        assert all(view._legend._width(item) <= legend.width() for item in placed)
        if scenario == "jrs-classroom":
            words = [caption_words(view.scene.frame, section)[-1] for section in view.scene.sections]
            assert all(view._text.width(text) <= stage.width() for text in words)


def _looks(view: ZoomedPicture) -> tuple[object, ...]:
    """The arguments with which the legend was last painted."""
    view.grab()
    (_, *looks), *_ = view._legend._known
    return tuple(looks)


@pytest.mark.parametrize(("scenario", "key"), [("dra-vms", Key.Key_7), ("moldable-classroom", Key.Key_6)])
def test_once_more_turns_the_page_of_one_policy(qtbot: QtBot, window: MainWindow, scenario: str, key: Qt.Key) -> None:
    stand(qtbot, window, scenario, (), 20)
    bring(qtbot, window, key)
    (dock,) = window.lecture._shown()[2]
    bar = max((area.verticalScrollBar() for area in dock.findChildren(QScrollArea)), key=QScrollBar.maximum)
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    seen = [bar.value()]
    while bar.value() < bar.maximum():
        bring(qtbot, window, key)
        seen.append(bar.value())
        assert seen[-1] > seen[-2]
    bring(qtbot, window, key)
    assert bar.value() == 0 and len(seen) >= 2


def test_the_picture_stays_large_above_the_log(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "jrs-classroom", ("jrs", "first-fit", "best-fit"), 30)
    bring(qtbot, window, Key.Key_3)
    window.settle()
    assert server_height(window, "phase-servers") >= LEAST


def test_once_more_is_for_the_next_policy(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "queues-vqs-unstable", ("vqs", "vqs-bf"), 5)
    fixed = {"bins", "bins-2", SENTENCES, f"{SENTENCES}-2"}
    for expected in ("queues", "queues-2", "queues"):
        press(qtbot, window, Key.Key_4)
        assert shown(window) == {*fixed, expected}
    press(qtbot, window, Key.Key_0)
    assert shown(window) == {*fixed, "comparison"}


def test_the_optimum_is_not_cut_beside_two_policies(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "moldable-classroom", ("greedy-p", "greedy"), 30)
    bring(qtbot, window, Key.Key_6)
    window.settle()
    area = window.docks["allocation-lp"].panel.findChild(HeadedColumns)
    assert area.isVisible() and area.horizontalScrollBar().maximum() == 0
