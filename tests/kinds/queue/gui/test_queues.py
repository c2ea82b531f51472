"""The Queues panel: which jobs wait where, in which order, at a cost that does not grow with the queue."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.queue.colours import look_color, look_ink, queue_name
from slotscope.gui.kinds.queue.queues import QueuesPanel, job_words, lane_words
from slotscope.gui.kinds.queue.queues_layout import MOST_CELLS
from slotscope.gui.kinds.queue.queues_painting import more_words, role_of
from slotscope.gui.kinds.queue.queues_reading import (
    Focus,
    JobCell,
    first_in_line,
    focus_of,
    lane_names,
    lane_top,
    lanes,
)
from slotscope.gui.painting.colour import contrast
from slotscope.gui.theme import TEXT_CONTRAST, load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.queue.facts import waiting_records
from slotscope.model.kinds.queue.state import FREE, WAITING, QueueState, empty_state
from slotscope.model.reporting.explain import amount
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Evict, Place, Record
from tests.gui.painted import colours, svg_of
from tests.gui.windows import panel_fixture
from tests.runs import ran

MANY = 100_000


def crowd(frame: Frame, count: int, seed: int = 1) -> QueueState:
    """A state in which this many jobs wait and none is in service."""
    numbers, layout = frame.info.numbers, frame.info.facts.layout
    sizes = numbers.sizes.sample(np.random.default_rng(seed), count)
    room = 1 << count.bit_length()
    state = empty_state(numbers.servers, numbers.resources, layout.queues, records=room)
    queues = layout.queue_of(sizes)
    state.job_number[:count] = np.arange(count)
    state.job_size[:count], state.job_room[:count] = sizes, layout.room_of(sizes)
    state.job_queue[:count] = queues
    state.job_service[:count] = 10.0
    state.number[FREE], state.number[WAITING] = room - count, count
    for queue in range(layout.queues):
        mine = np.flatnonzero(queues == queue)
        state.queue_length[queue] = len(mine)
        if len(mine):
            state.first_waiting[queue], state.last_waiting[queue] = mine[0], mine[-1]
            state.job_next[mine[:-1]], state.job_previous[mine[1:]] = mine[1:], mine[:-1]
    return state


def session(name: str, policy: str, events: int) -> Session:
    return ran(name, policy, events=events, kernel=True)


@pytest.fixture(scope="module")
def vqs() -> Frame:
    return session("queues-vqs-unstable", "vqs", 3000).frame()


@pytest.fixture(scope="module")
def small() -> Frame:
    """Fourteen virtual queues."""
    return session("queues-small-jobs", "vqs", 600).frame()


@pytest.fixture(scope="module")
def one() -> Frame:
    """A single queue."""
    return session("queues-wide-jobs", "fifo-ff", 600).frame()


panel = panel_fixture(QueuesPanel, 900, 460)


# -- looks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_virtual_queues_can_be_told_apart(theme: str) -> None:
    known = load_theme(theme)
    assert len({(look_color(known, look), known.type_style(look).texture) for look in range(40)}) == 40
    for look in range(40):
        assert contrast(look_ink(known, look), known.panel) >= TEXT_CONTRAST


def test_queues_are_called_as_in_the_paper(vqs: Frame, one: Frame) -> None:
    assert queue_name(13, 14) == "VQ₁₃"
    assert queue_name(0, 1) == "Q"
    names = lane_names(vqs.info.facts, vqs.info.numbers)
    assert [name.text for name in names] == ["VQ₀", "VQ₁", "VQ₂", "VQ₃"]
    assert names[2].interval == (Fraction(1, 3), Fraction(1, 2))
    assert [name.text for name in lane_names(one.info.facts, one.info.numbers)] == ["Q"]


# -- reading -------------------------------------------------------------------------------------


def test_lanes_hold_the_first_of_each_queue_in_order_of_arrival(small: Frame) -> None:
    queues = small.info.facts.layout.queues
    found = lanes(small, Focus(), 20, range(queues))
    waiting = waiting_records(small.state)
    assert sum(lane.length for lane in found) == len(waiting) > 100
    assert max(lane.length for lane in found) > 20
    for lane in found:
        mine = [record for record in waiting if small.state.job_queue[record] == lane.queue]
        assert lane.length == len(mine)
        assert [job.record for job in lane.first] == mine[:20]
        for job in lane.first:
            units = int(small.state.job_size[job.record, 0])
            assert job.share == pytest.approx(float(small.info.numbers.fraction(units)))


def test_a_long_line_is_walked_no_further_than_it_is_drawn(one: Frame) -> None:
    steps: list[int] = []

    class Counted:
        def __getitem__(self, record: int) -> int:
            steps.append(record)
            return record + 1

    state: Any = SimpleNamespace(first_waiting=np.array([0]), job_next=Counted())
    assert first_in_line(state, 0, 30) == list(range(30))
    assert len(steps) <= 30


def test_a_lane_is_as_high_as_the_largest_job_needs(vqs: Frame, small: Frame) -> None:
    assert lane_top(vqs.info.numbers) == 1
    assert lane_top(small.info.numbers) == Fraction(1, 4)


class TestFocus:
    """What the last sub-step is about."""

    @staticmethod
    def frame(frame: Frame, *records: Record, over: bool = False, running: bool = False) -> Frame:
        steps: dict[str, Any] = {"last_records" if over else "records": records}
        return replace(frame, running=running, **steps)

    def test_the_job_that_is_compared(self, vqs: Frame) -> None:
        step = Record("head_of_line", values={"job": 7, "server": 0})
        found = focus_of(self.frame(vqs, step), None)
        assert (found.looked_at, found.placed, found.arrived) == (7, (), None)

    def test_all_that_were_placed_in_the_slot_the_last_one_first(self, vqs: Frame) -> None:
        steps = (Place(job=3, server=0), Place(job=5, server=1))
        assert focus_of(self.frame(vqs, *steps), None).placed == (5, 3)
        assert focus_of(self.frame(vqs, *steps, over=True), None).placed == (5, 3)

    def test_nothing_while_it_runs(self, vqs: Frame) -> None:
        step = self.frame(vqs, Place(job=3, server=0), running=True)
        assert focus_of(step, 9) == Focus(selected=9)

    def test_an_evicted_job(self, vqs: Frame) -> None:
        found = focus_of(self.frame(vqs, Evict(job=4, server=0)), None)
        assert (found.evicted, found.looked_at) == (4, None)
        assert role_of(JobCell(0, 4, 0.5, 1), found, None) == "rejection"

    def test_a_job_that_has_just_arrived_if_nothing_else_is_named(self, vqs: Frame) -> None:
        state = crowd(vqs, 3)
        assert focus_of(replace(vqs, state=state), None).arrived == 0
        state.job_arrival[:3] = -1
        assert focus_of(replace(vqs, state=state), None).arrived is None


def test_jobs_just_placed_and_jobs_deep_in_line_are_read(small: Frame) -> None:
    state = crowd(small, 4000)
    queue = int(np.argmax(state.queue_length))
    deep = int(state.last_waiting[queue])
    on_server = int(state.first_waiting[queue])
    state.job_server[on_server] = 0
    state.first_waiting[queue] = state.job_next[on_server]
    focus = Focus(looked_at=deep, placed=(on_server,))
    (lane,) = lanes(replace(small, state=state), focus, 10, [queue])
    assert lane.deep is not None
    assert (lane.deep.record, [job.record for job in lane.placed]) == (deep, [on_server])
    assert len(lane.first) == 10


# -- words ---------------------------------------------------------------------------------------


def test_a_job_is_told_with_its_size_queue_and_wait(vqs: Frame) -> None:
    record = int(waiting_records(vqs.state)[0])
    arrival = int(vqs.state.job_arrival[record])
    size = {1: "0.6", 2: "0.4"}[int(vqs.state.job_queue[record])]
    text = job_words(vqs, record)
    assert text.startswith(f"job {int(vqs.state.job_number[record])}\n")
    assert f"size {size} of a server" in text
    assert f"I{'₁' if size == '0.6' else '₂'} = (1/" in text
    waited = f"{int(vqs.time) - arrival:,}".replace(",", "\u202f")
    assert f"waits for {waited} slots" in text


def test_several_resources_are_told_with_their_units() -> None:
    frame = session("queues-two-resources", "bf-js", 1500).frame()
    record = int(waiting_records(frame.state)[0])
    text = job_words(frame, record)
    assert "cores CPU, " in text
    assert "GB memory; " in text
    assert "of a server's" in text


def test_a_rounded_job_says_what_it_takes() -> None:
    frame = session("queues-classroom", "vqs", 50).frame()
    frame = replace(frame, state=crowd(frame, 40))
    least = frame.info.numbers.units(Fraction(1, 10))
    (record, *_) = np.flatnonzero(frame.state.job_size[:, 0] == least)
    assert "takes 0.125 on a server, rounded up" in job_words(frame, int(record))


def test_where_servers_differ_shares_are_of_a_largest_one() -> None:
    frame = session("queues-pools", "vqs-bf", 1500).frame()
    record = int(np.argmax(frame.state.job_server >= 0))
    share = frame.info.numbers.fraction(frame.state.job_size[record, 0])
    assert f"size {amount(4 * share)} = {amount(share)} of a largest server" in job_words(frame, record)
    assert lane_words(frame, 2).startswith("VQ₂, sizes in I₂ = (1/3, 1/2] of a largest server")


def test_a_lane_is_told(vqs: Frame, one: Frame) -> None:
    length = int(vqs.state.queue_length[2])
    assert lane_words(vqs, 2) == (f"VQ₂, sizes in I₂ = (1/3, 1/2] of a server\n{length} jobs wait")
    assert lane_words(one, 0).startswith("the queue of all jobs\n")


# -- the panel -----------------------------------------------------------------------------------


def test_every_queue_has_its_lane(panel: QueuesPanel, vqs: Frame) -> None:
    panel.set_frame(vqs)
    lengths = [panel.lanes.lane(queue).length for queue in range(4)]  # type: ignore[union-attr]
    assert lengths == vqs.state.queue_length.tolist()
    theme = load_theme("light")
    assert {look_color(theme, queue) for queue in range(4)} <= colours(panel.lanes)


def test_a_crowd_collapses_and_nobody_is_lost(panel: QueuesPanel, one: Frame) -> None:
    panel.set_frame(replace(one, state=crowd(one, MANY)))
    shown = panel.lanes.shown(0)
    assert 12 <= shown <= MOST_CELLS
    lane = panel.lanes.lane(0)
    assert lane is not None
    assert lane.length == MANY
    assert len(lane.first) <= MOST_CELLS
    assert more_words(MANY - shown) == f"+ 99\u202f{MANY - shown - 99_000:03d} more"
    assert panel.lanes.longest >= MANY


def test_a_moment_has_one_scale(panel: QueuesPanel, vqs: Frame) -> None:
    """The scale does not depend on earlier moments; during a run it never shrinks, or it would change all the time."""
    panel.set_frame(vqs)
    longest = panel.lanes.longest
    for running in (True, False):
        for frame in (replace(vqs, state=crowd(vqs, 30_000)), vqs):
            panel.set_frame(replace(frame, running=running))
        assert (panel.lanes.longest == longest) is not running


def test_a_logarithmic_scale_shows_short_queues_beside_long_ones(panel: QueuesPanel, small: Frame) -> None:
    panel.set_frame(replace(small, state=crowd(small, 30_000)))
    theme = load_theme("light")
    linear = colours(panel.lanes)
    before = panel.lanes.grab().toImage()
    panel.lanes.switch.click()
    assert panel.lanes.switch.isChecked()
    assert panel.lanes.grab().toImage() != before
    assert theme.selection in colours(panel.lanes) - linear


def test_the_job_of_the_present_step_is_outlined(qtbot: QtBot, panel: QueuesPanel, vqs: Frame) -> None:
    panel.set_frame(replace(vqs, running=True))
    run = load_theme("light").run
    assert run not in colours(panel.lanes)
    record = int(vqs.state.first_waiting[1])
    step = Record("head_of_line", values={"job": int(vqs.state.job_number[record]), "server": 0})
    panel.set_frame(replace(vqs, records=(step,)))
    assert run in colours(panel.lanes)
    box = panel.lanes.box_of(record)
    assert box is not None
    pixel = panel.lanes.grab().toImage().pixelColor(round(box.left()) - 2, round(box.center().y()))
    assert pixel.name() == run


def test_a_placed_job_stands_at_the_gate(panel: QueuesPanel) -> None:
    opened = session("queues-classroom", "vqs-bf", 40)
    for _ in range(3000):
        opened.step_into()
        frame = opened.frame()
        if frame.records and isinstance(frame.records[-1], Place):
            break
    panel.set_frame(frame)
    placed = frame.records[-1]
    assert isinstance(placed, Place)
    (record,) = np.flatnonzero(frame.state.job_number == placed.job)
    lane = panel.lanes.lane(int(frame.state.job_queue[record]))
    assert lane is not None
    assert lane.placed[0].number == placed.job
    layout = panel.lanes.layout_of_lanes
    box = layout.placed(lane.queue, 0, panel.lanes.height_of(lane.placed[0]))
    image = panel.lanes.grab().toImage()
    edge = image.pixelColor(round(box.left()) - 2, round(box.center().y()))
    assert edge.name() == load_theme("light").run
    assert "waited in VQ" in panel.ruler.marker.words[0]  # type: ignore[union-attr]


def point_at(panel: QueuesPanel, record: int) -> QPoint:
    box = panel.lanes.box_of(record)
    assert box is not None
    return box.center().toPoint()


def test_pointing_at_a_job_marks_its_size_and_tells_about_it(qtbot: QtBot, panel: QueuesPanel, vqs: Frame) -> None:
    panel.set_frame(vqs)
    QApplication.processEvents()
    record = int(vqs.state.first_waiting[2])
    place = point_at(panel, record)
    qtbot.mouseMove(panel.lanes, place)
    told = "waits in VQ₂, for 1/3 < 0.4 ≤ 1/2"
    qtbot.waitUntil(lambda: panel.ruler.marker is not None and told in panel.ruler.marker.words[0])
    assert panel.ruler.marker is not None
    assert (panel.ruler.marker.share, panel.ruler.marker.role) == (Fraction(2, 5), "focus")
    event = QHelpEvent(QEvent.Type.ToolTip, place, panel.lanes.mapToGlobal(place))
    QApplication.sendEvent(panel.lanes, event)
    assert QToolTip.text() == job_words(vqs, record)
    QToolTip.hideText()


def test_the_job_under_the_mouse_may_leave(panel: QueuesPanel, vqs: Frame) -> None:
    panel.set_frame(replace(vqs, running=True))
    panel.lanes.job_hovered.emit(int(vqs.state.job_number[vqs.state.first_waiting[1]]))
    assert panel.ruler.marker is not None
    early = crowd(vqs, 1)  # fewer records than before, without the job
    panel.set_frame(replace(vqs, state=early, running=True))
    assert panel.ruler.marker is None


def test_a_click_selects_the_job_everywhere(qtbot: QtBot, panel: QueuesPanel, vqs: Frame) -> None:
    panel.set_frame(vqs)
    QApplication.processEvents()
    record = int(vqs.state.first_waiting[1])
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.lanes, Qt.MouseButton.LeftButton, pos=point_at(panel, record))
    assert caught.args[0] == Select(job=int(vqs.state.job_number[record]))
    panel.set_selection(caught.args[0])
    assert load_theme("light").focus in colours(panel.lanes)


def test_only_lanes_in_view_are_read(qtbot: QtBot, panel: QueuesPanel, small: Frame) -> None:
    panel.resize(700, 240)
    panel.set_frame(small)
    qtbot.waitUntil(lambda: panel.lanes.lane(13) is None)
    assert panel.lanes.lane(0) is not None
    bar = panel.area.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: panel.lanes.lane(13) is not None)
    assert panel.lanes.lane(0) is None


def test_a_higher_panel_has_all_lanes_that_are_in_view_then(qtbot: QtBot, panel: QueuesPanel, small: Frame) -> None:
    panel.set_frame(small)
    for height, count in ((120, 3), (200, 6)):
        panel.resize(700, height)
        for _ in range(5):
            QApplication.processEvents()
        assert panel.lanes.queues_in_view() == range(count)
        assert all(panel.lanes.lane(queue) for queue in range(count))


def test_little_room_is_for_the_lanes(qtbot: QtBot, panel: QueuesPanel, vqs: Frame) -> None:
    panel.set_frame(vqs)
    assert panel.ruler.isVisible()
    panel.resize(420, 110)
    qtbot.waitUntil(lambda: not panel.ruler.isVisible())
    panel.resize(900, 600)
    qtbot.waitUntil(panel.ruler.isVisible)
    qtbot.waitUntil(lambda: panel.ruler.geometry().bottom() <= panel.body.height())
    assert panel.area.geometry().bottom() <= panel.ruler.geometry().top()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_and_another_run(panel: QueuesPanel, vqs: Frame, one: Frame, theme: str) -> None:
    known = load_theme(theme)
    panel.set_theme(known)
    panel.set_frame(vqs)
    assert {known.panel, known.raised, look_color(known, 1)} <= colours(panel)
    panel.set_frame(one)
    assert look_color(known, None) in colours(panel.lanes)


def test_the_picture_saves_as_vectors(panel: QueuesPanel, vqs: Frame, tmp_path: Path) -> None:
    panel.set_frame(vqs)
    text = svg_of(panel, tmp_path)
    assert "to the servers" in text
    assert "VQ₁" in text
