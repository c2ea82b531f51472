"""The inspector: servers, jobs, histories, pinning, and what it says when they are gone."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt

from gui.intents import GoTo, Select
from gui.panels.decisions_model import EVENT, SENTENCE
from gui.panels.inspector import InspectorPanel, slots_of
from gui.theme import apply, load_theme
from model.api import Session
from model.systems.reservation.classification import classify
from model.systems.reservation.rows import FLAG_DEPARTED, FLAG_MIGRATED, FLAG_REJECTED


@pytest.fixture(scope="module")
def frame():
    session = Session.open("dra-vms", kernel=False)
    session.run(events=2000)
    for _ in range(500):
        session.run(stop=("rejection",))
        if classify(session.timeline.state).reject_group.any():
            return session.frame()
    raise AssertionError("no rejection while a Reject Group exists")


@pytest.fixture(scope="module", params=["light", "dark"])
def theme(qapp, request):
    theme = load_theme(request.param)
    apply(qapp, theme)
    return theme


@pytest.fixture
def panel(qtbot, theme):
    panel = InspectorPanel(theme)
    panel.resize(440, 500)
    panel.show()
    yield panel
    panel.close()
    panel.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def busy_server(frame) -> int:
    """A server that the newest migration came from or went to, with jobs."""
    rows = frame.rows[(frame.rows["flags"] & FLAG_MIGRATED) != 0]
    return int(rows[-1]["server"])


def note(panel) -> str:
    return panel._note.text() if panel._stack.currentWidget() is panel._note else ""


def click(view, model, qtbot, row: int, column: int) -> None:
    view.scrollTo(model.index(row, column))
    place = view.visualRect(model.index(row, column)).topLeft() + QPoint(6, 4)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


class TestServer:
    def test_nothing_selected_says_what_to_do(self, panel, frame):
        panel.set_frame(frame)
        assert note(panel) == "Nothing selected: click a server."

    def test_a_server_is_described(self, panel, frame):
        server = int(np.flatnonzero(frame.derived.rank == 1)[0])
        panel.set_frame(frame)
        panel.set_selection(Select(server=server))
        assert note(panel) == ""
        assert panel.heading.text() == f"Server {server + 1}"
        k = ", ".join(map(str, frame.state.configuration[server].tolist()))
        text = panel.facts.text()
        assert f"<i>k</i> = ({k}), this is <i>k</i>[1]" in text
        assert f"index {frame.derived.index[server]}, rank 1" in text
        jobs, slots = frame.state.placement[server].sum(), frame.state.configuration[server].sum()
        assert f"{jobs} of {slots} slots filled" in text

    def test_the_reject_group_is_orange(self, panel, frame):
        rejecting = np.flatnonzero(frame.derived.reject_group)
        accepting = np.flatnonzero(~frame.derived.reject_group)
        panel.set_frame(frame)
        orange = panel.theme.ink(panel.theme.reject_group)
        panel.set_selection(Select(server=int(rejecting[0])))
        assert "Reject Group" in panel.facts.text() and orange in panel.facts.text()
        panel.set_selection(Select(server=int(accepting[0])))
        assert "Accept Group" in panel.facts.text() and orange not in panel.facts.text()

    def test_every_slot_is_listed_with_its_job(self, frame):
        for server in range(0, 180, 7):
            slots = slots_of(frame, server)
            jobs = [slot.job for slot in slots if slot.job >= 0]
            known = frame.state.job_number[frame.state.job_server == server]
            assert sorted(jobs) == sorted(known.tolist())
            missing = frame.state.configuration[server] - frame.state.placement[server]
            empty = {slot.type: slot.label for slot in slots if slot.job < 0}
            assert empty == {j: "empty" if n == 1 else f"{n} empty"
                             for j, n in enumerate(missing.tolist()) if n}  # fmt: skip

    def test_slots_say_since_when_and_until_when(self, panel, frame):
        server = busy_server(frame)
        panel.set_frame(frame)
        panel.set_selection(Select(server=server))
        slot = next(slot for slot in panel.slot_model.slots if slot.job >= 0)
        record = int(np.flatnonzero(frame.state.job_number == slot.job)[0])
        assert float(slot.since) == pytest.approx(frame.state.job_arrival[record], abs=1e-3)
        assert float(slot.leaves) == pytest.approx(frame.state.job_departure[record], abs=1e-3)
        assert float(slot.since) < frame.time < float(slot.leaves)

    def test_its_history_holds_the_rows_that_touched_it(self, panel, frame):
        server = busy_server(frame)
        panel.set_frame(frame)
        panel.set_selection(Select(server=server))
        rows = frame.rows
        mine = (rows["server"] == server) | (rows["source"] == server) | (
            rows["first_reassigned"] == server)  # fmt: skip
        assert 0 < mine.sum() < len(rows)
        assert panel.log.rows["event"].tolist() == rows["event"][mine].tolist()
        last = panel.log.rowCount() - 1
        assert panel.log.index(last, SENTENCE).data() == frame.info.narrator.row(rows[mine][-1])

    def test_a_server_of_another_scenario_is_refused_kindly(self, panel, frame):
        panel.set_frame(frame)
        panel.set_selection(Select(server=180))
        assert note(panel) == ("Server 181 is not part of this scenario: it has servers 1 to 180.")

    def test_without_reservation_there_are_no_groups(self, panel):
        session = Session.open("dra-vms", policy="first-fit", kernel=False)
        session.run(events=50)
        panel.set_frame(session.frame())
        panel.set_selection(Select(server=0))
        assert "Group" not in panel.facts.text() and "rank" not in panel.facts.text()
        assert "jobs" in panel.facts.text()


class TestJob:
    def test_a_job_in_service_is_described(self, panel, frame):
        record = int(np.flatnonzero(frame.state.job_server >= 0)[5])
        job, server = int(frame.state.job_number[record]), int(frame.state.job_server[record])
        name = frame.info.numbers.type_names[int(frame.state.job_type[record])]
        panel.set_frame(frame)
        panel.set_selection(Select(job=job))
        assert panel.heading.text() == f"{name} job {job}"
        text = panel.facts.text()
        assert f"type {name}, on" in text and f"server {server + 1}" in text
        assert "in service since" in text and "leaves" in text and "age" in text
        assert not panel.slots.isVisible()

    def test_the_link_leads_to_its_server(self, panel, frame, qtbot):
        record = int(np.flatnonzero(frame.state.job_server >= 0)[5])
        panel.set_frame(frame)
        panel.set_selection(Select(job=int(frame.state.job_number[record])))
        with qtbot.waitSignal(panel.intent) as caught:
            panel.facts.linkActivated.emit("server")
        assert caught.args == [Select(server=int(frame.state.job_server[record]))]

    def test_a_job_that_left_says_at_which_event(self, panel, frame):
        row = frame.rows[(frame.rows["flags"] & FLAG_DEPARTED) != 0][-1]
        panel.set_frame(frame)
        panel.set_selection(Select(job=int(row["job"])))
        event = f"{row['event']:,}".replace(",", "\u2009")
        assert panel.facts.text().startswith(f"It left at event {event}, time")
        assert panel.log.rows["event"].tolist()[-1] == row["event"]

    def test_a_rejected_job_says_so(self, panel, frame):
        row = frame.rows[(frame.rows["flags"] & FLAG_REJECTED) != 0][-1]
        panel.set_frame(frame)
        panel.set_selection(Select(job=int(row["job"])))
        assert "was rejected at event" in panel.facts.text()
        assert "rejected" in panel.log.index(0, SENTENCE).data()

    def test_an_unknown_job_is_said_to_be_absent(self, panel, frame):
        panel.set_frame(frame)
        panel.set_selection(Select(job=10**9))
        assert panel.heading.text() == f"Job {10**9}"
        assert "It is not there after event" in panel.facts.text()
        assert "Nothing happened" in panel.history.empty_note


class TestPointing:
    def test_a_click_on_the_history_goes_there(self, panel, frame, qtbot):
        panel.set_frame(frame)
        panel.set_selection(Select(server=busy_server(frame)))
        with qtbot.waitSignal(panel.intent) as caught:
            click(panel.history, panel.log, qtbot, 1, SENTENCE)
        assert caught.args == [GoTo(int(panel.log.rows[1]["event"]))]

    def test_enter_in_the_history_goes_there(self, panel, frame, qtbot):
        panel.set_frame(frame)
        panel.set_selection(Select(server=busy_server(frame)))
        panel.history.setFocus()
        panel.history.setCurrentIndex(panel.log.index(0, EVENT))
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.keyClick(panel.history, Qt.Key.Key_Return)
        assert caught.args == [GoTo(int(panel.log.rows[0]["event"]))]

    def test_a_click_on_a_slot_selects_its_job(self, panel, frame, qtbot):
        panel.set_frame(frame)
        panel.set_selection(Select(server=busy_server(frame)))
        row = next(n for n, slot in enumerate(panel.slot_model.slots) if slot.job >= 0)
        with qtbot.waitSignal(panel.intent) as caught:
            click(panel.slots, panel.slot_model, qtbot, row, 1)
        assert caught.args == [Select(job=panel.slot_model.slots[row].job)]

    def test_an_empty_slot_selects_nothing(self, panel, frame, qtbot):
        server = int(np.flatnonzero((frame.state.configuration > frame.state.placement)
                                    .any(axis=1))[0])  # fmt: skip
        panel.set_frame(frame)
        panel.set_selection(Select(server=server))
        row = next(n for n, slot in enumerate(panel.slot_model.slots) if slot.job < 0)
        with qtbot.assertNotEmitted(panel.intent, wait=20):
            click(panel.slots, panel.slot_model, qtbot, row, 1)

    def test_a_line_of_the_algorithm_changes_nothing(self, panel, frame):
        panel.set_frame(frame)
        panel.set_selection(Select(server=4))
        panel.set_selection(Select(line=(2, 16)))
        assert panel.heading.text() == "Server 5"
        panel.set_selection(Select())
        assert note(panel)

    def test_a_pinned_inspector_stays(self, panel, frame):
        panel.pin(Select(server=4, floating=True))
        panel.set_frame(frame)
        panel.set_selection(Select(server=9))
        assert panel.heading.text() == "Server 5"

    def test_frames_and_selections_emit_nothing(self, panel, frame):
        seen = []
        panel.intent.connect(seen.append)
        panel.set_frame(frame)
        for chosen in (Select(server=4), Select(job=int(frame.state.job_number.max())), Select()):
            panel.set_selection(chosen)
        assert seen == []


class TestPicture:
    @pytest.mark.parametrize("size", [(420, 300), (700, 260), (1000, 300)])
    def test_it_is_not_blank(self, panel, frame, size):
        panel.resize(*size)
        panel.set_frame(frame)
        panel.set_selection(Select(server=busy_server(frame)))
        image = panel.grab().toImage()
        colours = {image.pixel(x, y) for x in range(0, image.width(), 2)
                   for y in range(0, image.height(), 2)}  # fmt: skip
        assert len(colours) > 20

    def test_slots_show_their_type_s_colour(self, panel, frame):
        panel.set_frame(frame)
        server = busy_server(frame)
        panel.set_selection(Select(server=server))
        first = panel.slot_model.slots[0]
        rect = panel.slots.visualRect(panel.slot_model.index(0, 0))
        image = panel.slots.viewport().grab(rect).toImage()
        found = {image.pixelColor(x, y).name() for x in range(image.width())
                 for y in range(image.height())}  # fmt: skip
        assert panel.theme.type_style(first.type).color in found
