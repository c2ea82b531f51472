"""The inspector's panel: it shows any thing of any kind, can be pinned, and follows links."""

from __future__ import annotations

from typing import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import GoTo, Inspect, Select
from slotscope.gui.panels.decisions_model import EVENT, SENTENCE
from slotscope.gui.panels.inspector import InspectorPanel, WhyView
from slotscope.gui.theme import Theme, apply, load_theme
from slotscope.model.reporting.explain import THIN_SPACE
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import Found, Thing
from slotscope.model.whys.asking import why
from tests.gui.painted import colours_at
from tests.gui.windows import on_screen
from tests.runs import ran

#: What is inspected in each kind of system.
THINGS = {
    "dra-classroom": (Thing("server", 2), Thing("job", 90)),
    "queues-classroom": (Thing("server", 1), Thing("queue", 2)),
    "jrs-classroom": (Thing("server", 2), Thing("token", 44)),
    "moldable-classroom": (Thing("server", 3), Thing("class", 0)),
}
EVENTS = 200


def framed(scenario: str) -> Frame:
    """A frame with the histories of the scenario's things."""
    session = ran(scenario, events=EVENTS)
    for thing in THINGS[scenario]:
        session.histories.want(thing)
    while session.histories.due:
        session.histories.search(0.0)
    return session.frame()


@pytest.fixture(scope="module", params=list(THINGS))
def frame(request: pytest.FixtureRequest) -> Frame:
    return framed(request.param)


@pytest.fixture(scope="module")
def theme(qapp) -> Theme:
    theme = load_theme("light")
    apply(qapp, theme)
    return theme


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme) -> InspectorPanel:
    return on_screen(qtbot, InspectorPanel(theme), 440, 500)


def things_of(frame: Frame) -> tuple[Thing, Thing]:
    return THINGS[frame.info.scenario_name]


def note(panel: InspectorPanel) -> str:
    return panel._note.text() if panel._stack.currentWidget() is panel._note else ""


def click(view, model, qtbot: QtBot, row: int, column: int) -> None:
    view.scrollTo(model.index(row, column))
    place = view.visualRect(model.index(row, column)).topLeft() + QPoint(6, 4)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


class TestShown:
    def test_nothing_selected_says_what_can_be_clicked(self, panel, frame):
        panel.set_frame(frame)
        for what in frame.info.kind.inspector.things:
            assert f"a {what}" in note(panel)
        assert note(panel).startswith("Nothing selected: click a server")

    def test_all_that_the_model_says_stands_there(self, panel, frame):
        panel.set_frame(frame)
        for thing in things_of(frame):
            panel.set_selection(Select.of(thing))
            said = frame.info.kind.inspector.describe(frame, thing)
            assert note(panel) == ""
            assert panel.heading.text() == said.title
            text = panel.now.facts.text()
            for section in said.sections:
                assert section.title in text
                for fact in section.facts:
                    assert fact.value.split("<")[0].split("'")[0] in text
            lines = () if said.table is None else said.table.lines
            assert panel.now.table.isVisible() == bool(lines)
            if lines:
                model = panel.now.model
                assert model.rowCount() == len(lines)
                cells = [model.index(0, n).data() for n in range(model.columnCount())]
                assert tuple(cells) == lines[0].cells
            assert panel.now.curve.isVisible() == (said.curve is not None)

    def test_the_history_is_the_one_that_was_found(self, panel, frame):
        panel.set_frame(frame)
        for thing in things_of(frame):
            panel.set_selection(Select.of(thing))
            found = frame.histories[thing]
            model = panel.history.model
            assert found.entries and model.rowCount() == len(found.entries)
            for place in (0, len(found.entries) - 1):
                assert model.entry(place).event == found.entries[place].event
                assert model.index(place, SENTENCE).data() == found.entries[place].sentence
            if found.complete:
                assert "All of history" in panel.history.how_far.text()

    def test_what_is_absent_is_said(self, panel, frame):
        panel.set_frame(frame)
        panel.set_selection(Select(job=10**6))
        assert "has not arrived yet after event 200" in panel.now.facts.text()
        panel.set_selection(Select(server=10**6))
        assert "servers 1 to" in panel.now.facts.text()

    def test_another_run_leaves_nothing_behind(self, panel, frame):
        panel.set_frame(frame)
        panel.set_selection(Select.of(things_of(frame)[0]))
        panel.forget()
        other = framed("moldable-classroom" if frame.info.system != "moldable" else "dra-classroom")
        panel.set_frame(other)
        assert note(panel).startswith("Nothing selected")
        panel.set_selection(Select(server=1))
        assert panel.history.model.rowCount() == 0
        assert panel.history.view.empty_note == "Nothing found yet."

    def test_colours_follow_the_theme(self, panel, theme):
        frame = framed("moldable-classroom")
        panel.set_frame(frame)
        panel.set_selection(Select.of(Thing("class", 0)))
        assert theme.ink(theme.rejection) in panel.now.facts.text()
        dark = load_theme("dark")
        panel.set_theme(dark)
        assert dark.ink(dark.rejection) in panel.now.facts.text()

    @pytest.mark.parametrize("size", [(300, 200), (420, 300), (1000, 300)])
    def test_it_is_not_blank(self, panel, frame, size):
        panel.resize(*size)
        panel.set_frame(frame)
        panel.set_selection(Select.of(things_of(frame)[1]))
        assert len(colours_at(panel.grab().toImage(), 2, 2)) > 15


class TestPointing:
    @pytest.fixture(scope="class")
    @classmethod
    def frame(cls) -> Frame:
        return framed("jrs-classroom")

    @pytest.fixture
    def asked(self, panel) -> list[object]:
        seen: list[object] = []
        panel.intent.connect(seen.append)
        return seen

    def test_what_is_new_is_asked_for_once(self, panel, frame, asked):
        panel.set_frame(frame)
        for thing in (Thing("server", 0), Thing("job", 3)):
            panel.set_selection(Select.of(thing))
            assert asked.pop() == Inspect(thing)
        panel.set_selection(Select())
        assert asked == []

    def test_a_hidden_one_asks_for_nothing_until_it_is_seen(self, panel, frame, asked):
        panel.hide()
        panel.set_frame(frame)
        panel.set_selection(Select(server=0))
        assert asked == []
        panel.show()
        assert asked == [Inspect(Thing("server", 0))]

    def test_a_click_on_the_history_goes_there(self, panel, frame, qtbot, asked):
        panel.set_frame(frame)
        panel.set_selection(Select(server=2))
        click(panel.history.view, panel.history.model, qtbot, 1, SENTENCE)
        assert asked[-1] == GoTo(frame.histories[Thing("server", 2)].entries[1].event)

    def test_enter_in_the_history_goes_there(self, panel, frame, qtbot, asked):
        panel.set_frame(frame)
        panel.set_selection(Select(server=2))
        view = panel.history.view
        view.setFocus()
        view.setCurrentIndex(panel.history.model.index(0, EVENT))
        qtbot.keyClick(view, Qt.Key.Key_Return)
        assert asked[-1] == GoTo(frame.histories[Thing("server", 2)].entries[0].event)

    def test_a_click_on_a_line_inspects_its_thing(self, panel, frame, qtbot, asked):
        server = next(n for n in range(3) if frame.state.jobs_on[n])
        panel.set_frame(frame)
        panel.set_selection(Select(server=server))
        click(panel.now.table, panel.now.model, qtbot, 0, 1)
        assert asked[-1] == Select.of(panel.now.model.line(0).thing)

    def test_a_link_leads_to_what_it_names(self, panel, frame, asked):
        panel.set_frame(frame)
        panel.set_selection(Select.of(Thing("token", 44)))
        link = next(name for name, thing in panel.now._things.items() if thing.what == "server")
        panel.now.facts.linkActivated.emit(link)
        assert asked[-1] == Select.of(panel.now._things[link])

    def test_a_line_of_the_algorithm_changes_nothing(self, panel, frame):
        panel.set_frame(frame)
        panel.set_selection(Select(server=2))
        panel.set_selection(Select(line=(2, 16)))
        assert panel.heading.text() == "Server 3"
        panel.set_selection(Select())
        assert note(panel)

    def test_a_pinned_inspector_stays(self, panel, frame):
        panel.pin(Thing("server", 1))
        panel.set_frame(frame)
        panel.set_selection(Select(server=2))
        assert panel.heading.text() == "Server 2"

    @pytest.mark.parametrize("searching", [False, True])  # a complete history may still be searched for later events
    def test_where_nothing_has_happened_both_lines_say_so(self, panel, frame, searching):
        panel.history.show_found(frame, Found((), 1, EVENTS, searching, complete=True))
        assert "All of history: 0 events" in panel.history.how_far.text()
        assert panel.history.view.empty_note == "Nothing happened to it."
        panel.history.show_found(frame, Found((), 9, EVENTS, searching, complete=False))
        assert panel.history.view.empty_note == "Nothing found yet."

    def test_searching_says_how_far_and_goes_further(self, panel, qtbot, asked):
        session = ran("moldable-classroom", events=400)
        thing = Thing("class", 0)
        session.histories.want(thing)
        session.histories.search(0.0)
        panel.set_selection(Select.of(thing))
        panel.set_frame(session.frame())
        assert "searching on (Esc stops it)" in panel.history.how_far.text()
        while session.histories.due:
            session.histories.search(0.0)
        panel.set_frame(session.frame())
        assert "search on</a>" in panel.history.how_far.text()
        panel.history.how_far.linkActivated.emit("further")
        assert asked[-1] == Inspect(thing, further=True)


def test_a_double_click_on_a_line_of_tokens_inspects_the_token(qtbot: QtBot, theme: Theme) -> None:
    from slotscope.gui.kinds.phases.tokens import TokensPanel

    panel = TokensPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(700, 700)
    panel.show()
    panel.set_frame(framed("jrs-classroom"))
    asked: list[object] = []
    panel.intent.connect(asked.append)
    lines = panel.lines
    place = next(n for n, line in enumerate(lines.lines) if hasattr(line, "token"))
    life = lines.lines[place]
    height = next(y for y in range(lines.height()) if lines.life_at(y) is life)
    double: Callable[..., None] = qtbot.mouseDClick
    for press, floating in ((qtbot.mouseClick, False), (double, True)):
        press(lines, Qt.MouseButton.LeftButton, pos=QPoint(40, height + 3))
        expected = Select(server=life.server, floating=floating, thing=Thing("token", life.token))
        assert asked[-1] == expected


def test_a_click_on_a_lane_inspects_the_queue(qtbot: QtBot, theme: Theme) -> None:
    from slotscope.gui.kinds.queue.queues import QueuesPanel

    panel = QueuesPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(700, 700)
    panel.show()
    panel.set_frame(framed("queues-classroom"))
    asked: list[object] = []
    panel.intent.connect(asked.append)
    lanes = panel.lanes
    height = next(y for y in range(lanes.height()) if lanes._queue_at(QPoint(3, y)) == 2)
    qtbot.mouseClick(lanes, Qt.MouseButton.LeftButton, pos=QPoint(3, height + 4))
    assert asked[-1] == Select.of(Thing("queue", 2))


def test_numbers_of_an_answer_are_not_broken_at_the_end_of_a_line(qtbot: QtBot) -> None:
    session = ran("moldable-sublinear", events=1)
    parent = QWidget()
    qtbot.addWidget(parent)
    view = WhyView(load_theme("light"), parent)
    view.show_answer(why(session.bench, session.timeline, 1))
    assert "4\u00a0000 servers" in view.text.text()
    assert THIN_SPACE not in view.text.text()
