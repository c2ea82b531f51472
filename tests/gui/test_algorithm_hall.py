"""The pseudocode in lecture mode: in large type, the running function is fully visible with its values."""

from __future__ import annotations

from typing import Iterator

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.panels.algorithm import AlgorithmPanel
from slotscope.gui.panels.algorithm_layout import document_of
from slotscope.gui.theme import apply, load_theme
from slotscope.model.api import Session
from slotscope.model.reporting.records import Line
from tests.gui.windows import on_screen
from tests.own_policies import opened
from tests.runs import ran

#: Ten lines, most of them longer than the width of the panel.
LONG = """\
from slotscope.model.kinds.reservation.policies.base import Admit, OwnPolicy, Reject, Remember, say


class Policy(OwnPolicy):
    memory = 2

    def arrival(self, view, job):
        room = view.with_room(job.type)
        yield say("servers_that_were_compared", with_room=len(room), turned_away=view.memory[1], of_type=job.type)
        fullest = max(room, key=lambda server: view.configuration[server].sum(), default=-1)
        yield say("the_fullest_server_was_found", fullest=fullest, jobs_on_it=view.configuration[fullest].sum())
        if len(room) > 1 and view.jobs_in_system[job.type] < 2 * view.servers and view.memory[0] >= 0:
            yield Remember(numbers=(view.memory[0] + 1, view.memory[1] + 0.5), start=0)
            yield Admit(server=fullest, values={"room_there": len(room), "admitted_so_far": view.memory[0]})
        else:
            yield Reject(values={"room_there": len(room), "turned_away": view.memory[1]})
"""


@pytest.fixture
def panel(qtbot, theme):
    return on_screen(qtbot, AlgorithmPanel(theme), 700, 300)


def steps_into(session: Session, hall: AlgorithmPanel, qtbot: QtBot, count: int) -> Iterator[Line]:
    """Step *count* times, and yield the marked lines, each once it is in view.

    Gliding is ended at once: a fifth of a second per line would be most of the time of these tests.
    """
    view = hall.view
    for _ in range(count):
        session.step_into()
        hall.set_frame(session.frame())
        if view.picture.current is not None:
            view._glide.setCurrentTime(view._glide.duration())
            qtbot.waitUntil(lambda: view._glide.state() == view._glide.State.Stopped)
            yield view.picture.current


@pytest.mark.slow
class TestHall:
    """The panel as in lecture mode at 1280x720: beside the servers, with lecture fonts."""

    @pytest.fixture
    def hall(self, panel, qapp):
        apply(qapp, panel.theme, lecture=True)
        panel.set_theme(panel.theme)
        panel.resize(608, 515)
        yield panel
        apply(qapp, panel.theme)

    @pytest.mark.parametrize(
        ("scenario", "policy", "algorithms"),
        [
            ("dra-classroom", "dra", {1, 2}),
            ("dra-vms", "dra-no-migration", {1, 2}),
            ("dra-pools", "dra", {1, 2}),
            ("dra-pools", "dra-preemption", {1, 2}),
            ("queues-classroom", "bf-js", {1, 2}),
            ("queues-classroom", "vqs-bf", {1, 2}),
            ("jrs-classroom", "jrs", {1, 2}),
            ("moldable-classes", "greedy-p", {1}),
        ],
    )
    def test_the_function_is_whole_with_its_values(self, hall, qtbot, scenario, policy, algorithms):
        session, seen = Session.open(scenario, policy, kernel=False), set()
        session.run(events=40)
        view = hall.view
        for current in steps_into(session, hall, qtbot, 60):
            function = view.code.function_of(view.code.place[current])
            assert view._type().pointSizeF() >= 16
            assert all(view.is_whole(view.code.lines[place].line) for place in function), (current, session.frame())
            seen.add(current.algorithm)
        assert seen == algorithms

    @pytest.mark.parametrize("height", [470, 480, 490, 500, 507, 508, 509, 510, 511, 512, 513, 514])
    def test_what_fits_is_painted_to_the_last_line(self, hall, qtbot, height):
        """At any height: at its edges, lines of the panel end between pixels."""
        session, view = Session.open("dra-pools", "dra", kernel=False), hall.view
        hall.resize(608, height)
        session.run(events=39)
        for line in steps_into(session, hall, qtbot, 40):
            current = view.code.place[line]
            top, bottom = view._extent(view.code.function_of(current))
            wanted = view.code.function_of(current) if bottom - top <= view.viewport().height() else [current]
            assert {*wanted} <= {place for place, _ in view._seen()}

    def test_its_type_stays_where_only_a_scroll_bar_comes_and_goes(self, hall, qapp):
        session, seen = Session.open("dra-classroom", "resources/policies/reservation_template.py", kernel=False), []
        hall.resize(608, 230)  # too low for the values of a decision, but not for a departure without values
        for _ in range(60):
            session.step()
            hall.set_frame(session.frame())
            qapp.processEvents()
            seen.append((hall.view._setting, hall.view.verticalScrollBar().isVisible()))
        settings, bars = zip(*seen, strict=True)
        assert {*bars} == {True, False} and [*settings] == sorted(settings)

    def test_the_line_stays_in_view_in_another_theme(self, hall, qtbot):
        session, view = Session.open("dra-classroom", kernel=False), hall.view
        session.run(events=1)
        for step, current in enumerate(steps_into(session, hall, qtbot, 40)):
            hall.set_theme(load_theme(("light", "dark")[step % 2]))
            qtbot.waitUntil(lambda line=current: view.is_whole(line))

    def test_nothing_of_a_lowered_letter_is_painted_over(self, hall, qtbot):
        session = ran("dra-classroom", events=40)
        assert [*steps_into(session, hall, qtbot, 12)]
        view = hall.view
        assert view._set_as.tight
        line = Line(2, 7)  # its X-hat has a subscript
        placed = view._placed[view.code.place[line]]
        assert placed.document.size().height() > view._layout.row
        top = round(placed.bottom - view.verticalScrollBar().value())
        image = view.viewport().grab().toImage()
        ground = image.pixel(image.width() - 4, top + 1)
        assert any(image.pixel(x, top) != ground for x in range(60, 400))

    def test_so_is_a_users_of_ten_long_lines_of_which_the_current_one_is_not_cut(self, hall, qtbot, tmp_path):
        session, view, cut = opened(tmp_path, LONG), hall.view, 0
        session.run(events=6)
        for line in steps_into(session, hall, qtbot, 30):
            current = view.code.place[line]
            assert view._type().pointSizeF() >= 16
            assert all(view.is_whole(view.code.lines[place].line) for place in view.code.function_of(current))
            texts = [placed.document.toPlainText() for placed in view._placed]
            assert texts[current] == view.code.plain[current]
            assert all(
                value.base.x() + value.document.idealWidth() <= 608 for one in view._placed for value in one.values
            )
            cut += sum(text.endswith("…") for text in texts)
        assert cut


def test_where_letters_stand_is_found_anew_once_a_line_is_wrapped_otherwise(qapp: QApplication) -> None:
    text = document_of("so many words that the last wraps <span style='font-size: 40pt'>K</span>", QFont())
    on_one_line = text.ascent
    text.setTextWidth(120)
    assert text.ascent < on_one_line
    text.setTextWidth(-1)
    assert text.ascent == on_one_line
