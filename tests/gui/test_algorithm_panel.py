"""The pseudocode beside the run: current line, values, header, clicks and keys."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from unittest import mock

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.symbols import SYMBOLS
from slotscope.gui.panels import algorithm_values, algorithm_view
from slotscope.gui.panels.algorithm import AlgorithmPanel
from slotscope.gui.panels.algorithm_layout import HEADING_LEFT, CodeLayout, PlacedLine
from slotscope.gui.panels.algorithm_values import Code, numbers_of, values_beside
from slotscope.gui.panels.algorithm_view import PseudocodeView
from slotscope.gui.theme import apply
from slotscope.model.api import Session
from slotscope.model.policies import reference_class
from slotscope.model.policies.common import PseudocodeLine
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Line, Reassign, Record, Reject
from slotscope.model.running.origin import Moment
from tests.gui.painted import colours_at
from tests.gui.windows import complete_window, on_screen
from tests.runs import ran


@pytest.fixture(scope="module")
def session():
    return ran("dra-vms", events=600)


@pytest.fixture(scope="module")
def steps(session) -> list[Frame]:
    """Frames before an event, after each of its sub-steps, and after the event."""
    frames = [session.frame()]
    session.step_into()
    while session.frame().records:
        frames.append(session.frame())
        session.step_into()
    return [*frames, session.frame()]


@pytest.fixture
def panel(qtbot, theme):
    return on_screen(qtbot, AlgorithmPanel(theme), 700, 300)


def colours(panel) -> set[str]:
    return colours_at(panel.grab().toImage(), 3, 3)


def beside(panel, line: Line) -> list[str]:
    return [item.text for item in panel.view.picture.beside[line].values()]


class TestValues:
    def test_a_value_stands_beside_the_line_that_sets_it(self):
        code = Code(reference_class("dra").pseudocode)
        assert code.line_for("r", Line(1, 8)) == Line(1, 9)
        assert code.line_for("r", Line(1, 2)) == Line(1, 2)
        assert code.line_for("N", Line(1, 2)) == Line(1, 3)
        assert code.line_for("N", Line(1, 8)) == Line(1, 10)
        assert code.line_for("j*", Line(1, 8)) == Line(1, 7)
        assert code.line_for("I*", Line(2, 16)) == Line(2, 14)

    def test_a_value_whose_line_is_far_away_or_elsewhere_stays(self):
        code = Code(reference_class("dra").pseudocode)
        assert code.line_for("X̂k[i]", Line(2, 16)) == Line(2, 16)
        assert code.line_for("r", Line(2, 16)) == Line(2, 16)
        assert code.line_for("r", Line(2, 22)) == Line(2, 22)

    def test_symbols_are_set_with_hats_subscripts_and_true_minus(self, steps):
        info = steps[0].info
        code = Code(info.pseudocode)
        record = Record(
            "count_found",
            Line(1, 8),
            {"i": 2, "configuration": (0, 7), "count": 5, "exhausted": 1, "jobs_left": (-9, 12), "servers_left": 151},
        )
        found = values_beside(code, [record], info)
        texts = {line: [item.text for item in items.values()] for line, items in found.items()}
        assert texts == {
            Line(1, 7): ["<i>j</i>* = regular"],
            Line(1, 8): ["X̂<sub><i>k</i>[2]</sub> = 5"],
            Line(1, 9): ["<i>r</i> = (−9, 12)"],
            Line(1, 10): ["<i>N</i> = 151"],
        }

    def test_only_the_last_sub_step_is_fresh(self, steps):
        info = steps[0].info
        records = [
            Record("servers_scanned", Line(2, 18), {"servers_with_room": 4}),
            Reject(line=Line(2, 22), values={"empty_slots": 0}),
        ]
        found = values_beside(Code(info.pseudocode), records, info)
        assert not found[Line(2, 18)]["servers_with_room"].fresh
        assert found[Line(2, 22)]["empty_slots"].fresh
        assert found[Line(2, 18)]["servers_with_room"].text == "servers with room = 4"

    def test_of_many_sub_steps_only_what_was_said_last_is_worded(self, steps):
        records = [Record("servers_scanned", Line(2, 18), {"servers_with_room": count}) for count in range(5)]
        with mock.patch.object(algorithm_values, "worded", wraps=algorithm_values.worded) as told:
            found = values_beside(Code(steps[0].info.pseudocode), records, steps[0].info)
        assert [item.text for item in found[Line(2, 18)].values()] == ["servers with room = 4"]
        assert told.call_count == 1

    def test_what_a_decision_names_counts_from_one(self, steps):
        info = steps[0].info
        record = Reassign(line=Line(2, 12), server=41, configuration=(0, 0, 0, 1), values={"i": 4, "missing": 2})
        assert numbers_of(record)["server"] == 41
        found = values_beside(Code(info.pseudocode), [record], info)
        texts = [item.text for item in found[Line(2, 12)].values()]
        assert "server 42" in texts
        assert "<i>k</i>[4] = (0, 0, 0, 1)" in texts


def _stand(one: PlacedLine) -> tuple[object, ...]:
    """The place of a line and its values, and their texts."""
    values = [(value.base.toTuple(), value.fresh, value.document.toHtml()) for value in one.values]
    return one.top, one.height, one.document.size().toTuple(), one.document.toPlainText(), values


class TestStepping:
    def test_lines_that_are_wrapped_anew_stand_as_if_they_had_been_set_so(self, panel, steps):
        panel.set_frame(steps[-2])
        code, picture, font = panel.view.code, panel.view.picture, panel.view.font()

        def stand(layout: CodeLayout) -> list[object]:
            return [_stand(one) for one in layout.placed(picture.beside, picture.current)]

        for brief in (False, True):
            layout, stood = CodeLayout(code, font, 700.0, True, brief=brief), []
            for width in (230.0, 420.0, 700.0):
                layout.wrap(width)
                stood.append(stand(layout))
                assert stood[-1] == stand(CodeLayout(code, font, width, True, brief=brief))
            assert stood[0] != stood[-1]

    def test_only_lines_with_other_values_are_set_anew_and_stand_as_if_all_were(self, panel, steps):
        panel.set_frame(steps[0])
        code, font, anew = panel.view.code, panel.view.font(), 0
        layout = CodeLayout(code, font, 420.0, True, brief=True)
        for frame in steps:
            panel.set_frame(frame)
            shown = panel.view.picture.beside, panel.view.picture.current
            with mock.patch.object(layout, "_with_values", wraps=layout._with_values) as setting:
                placed = layout.placed(*shown)
                anew += setting.call_count
                assert layout.placed(*shown) == placed and setting.call_count <= len(code.lines)
            fresh = CodeLayout(code, font, 420.0, True, brief=True).placed(*shown)
            assert [_stand(one) for one in placed] == [_stand(one) for one in fresh]
        assert anew < 0.5 * len(steps) * len(code.lines)

    def test_lines_are_set_and_wrapped_once_also_where_no_type_shows_the_whole_function(self, panel, steps):
        panel.resize(500, 160)
        panel.set_frame(steps[-2])
        with (
            mock.patch.object(algorithm_view, "CodeLayout", wraps=CodeLayout) as made,
            mock.patch.object(CodeLayout, "_text", autospec=True, side_effect=CodeLayout._text) as wrapped,
        ):
            for frame in steps[1:-1]:
                panel.set_frame(frame)
            assert panel.view._too_high()
            assert not wrapped.called
            panel.resize(460, 160)
            panel.grab()
            assert wrapped.called
            assert not made.called

    def test_the_line_and_the_sentence_of_the_sub_step_are_shown(self, panel, steps):
        for number, frame in enumerate(steps[1:-1], 1):
            panel.set_frame(frame)
            begins = {"arrival": Line(2, 17), "departure": Line(2, 23)}[frame.records[0].kind]
            assert panel.view.picture.current == (frame.records[-1].line or begins)
            assert panel.sentence.text() == frame.info.narrator.record(frame.records[-1])
            assert f"sub-step {number}" in panel.where.text()
            assert "601" in panel.where.text()

    def test_a_sentence_longer_than_its_room_ends_in_an_ellipsis(self, panel, steps):
        frame = steps[-1]
        panel.set_frame(frame)
        panel.resize(900, 420)
        assert panel.sentence.shown == [panel.sentence.text()]
        panel.resize(130, 420)
        assert len(panel.sentence.shown) == 2 and panel.sentence.shown[-1].endswith("…")
        assert panel.sentence.toolTip() == frame.info.narrator.row(frame.rows[-1])

    def test_values_of_the_event_so_far_stand_beside_their_lines(self, panel, steps):
        frame = next(frame for frame in steps if frame.records and frame.records[-1].kind == "count_found")
        panel.set_frame(frame)
        values = frame.records[-1].values
        assert beside(panel, Line(1, 8)) == [f"X̂<sub><i>k</i>[{values['i']}]</sub> = {values['count']}"]
        assert beside(panel, Line(1, 10)) == [f"<i>N</i> = {values['servers_left']}"]
        assert Line(2, 14) not in panel.view.picture.beside

    def test_after_the_event_its_last_line_and_all_lines_are_marked(self, panel, steps):
        frame = steps[-1]
        panel.set_frame(frame)
        assert panel.view.picture.current == frame.last_records[-1].line
        visited = {record.line for record in frame.last_records if record.line}
        assert visited <= set(panel.view.picture.beside)
        assert f"all {len(frame.last_records)} sub-steps" in panel.where.text()
        assert panel.sentence.text() == frame.info.narrator.row(frame.rows[-1])

    def test_between_events_the_next_one_is_named(self, panel, steps):
        frame = replace(steps[0], last_records=())
        panel.set_frame(frame)
        assert frame.info.narrator.event(frame.next_event) in panel.sentence.text()
        assert "Shift+Right" in panel.sentence.text()
        assert panel.view.picture.current is None

    def test_the_current_line_is_always_in_view(self, panel, steps, qtbot):
        for frame in [*steps[1:-1], steps[1]]:
            panel.set_frame(frame)
            line = panel.view.picture.current
            if line is None:
                continue
            height = panel.view.viewport().height()
            qtbot.waitUntil(lambda line=line, height=height: 0 <= panel.view.place_of(line).y() <= height)

    def test_another_run_that_stands_in_the_same_line_is_scrolled_to(self, panel, steps, qtbot):
        frame = steps[-2]
        line = frame.records[-1].line
        panel.set_frame(frame)
        qtbot.wait(300)
        panel.set_frame(replace(frame, info=replace(frame.info, seed=frame.info.seed + 1)))
        assert panel.view.verticalScrollBar().maximum() > 0
        qtbot.waitUntil(lambda: panel.view.is_whole(line))

    def test_the_way_to_a_moment_leaves_nothing(self, panel, steps):
        """Sizes and lines of earlier frames have no influence: each step of a lesson is laid out like a first step."""
        view = panel.view
        panel.set_frame(steps[-2])
        alone = view.verticalScrollBar().value(), view._setting
        assert alone[0] > 0
        panel.resize(700, 190)
        panel.set_frame(steps[-1])
        panel.forget()
        panel.set_frame(steps[-2])
        panel.resize(700, 300)
        assert (view.verticalScrollBar().value(), view._setting) == alone

    def test_a_line_in_view_does_not_scroll(self, panel, steps, qtbot):
        first, second = (
            frame
            for frame in steps
            if frame.records
            and frame.records[-1].kind in {"greedy_start", "configuration_found"}
            and frame.records[-1].values.get("i", 1) == 1
        )
        panel.resize(700, 500)
        panel.set_frame(first)
        qtbot.wait(300)
        before = panel.view.verticalScrollBar().value()
        panel.set_frame(second)
        qtbot.wait(300)
        assert panel.view.verticalScrollBar().value() == before

    def test_agreement_is_told(self, panel, steps):
        panel.set_frame(replace(steps[-1], agreement=None))
        assert panel.agreement.text() == ""
        panel.set_frame(replace(steps[-1], agreement=True))
        assert panel.agreement.text() == "✓ reference and kernel agree"
        calm = panel.agreement.styleSheet()
        panel.set_frame(replace(steps[-1], agreement=False))
        assert panel.agreement.text() == "✗ reference and kernel disagree"
        assert panel.theme.ink(panel.theme.rejection) in panel.agreement.styleSheet()
        assert panel.agreement.styleSheet() != calm

    def test_a_fast_run_dims_it_and_says_how_to_step(self, panel, steps):
        panel.set_frame(steps[-1])
        panel.set_frame(replace(steps[-1], running=True, last_records=()))
        assert panel.view.picture.dimmed
        assert panel.where.text() == "running"
        assert "Space" in panel.sentence.text() and "Shift+Right" in panel.sentence.text()
        panel.set_frame(steps[1])
        assert not panel.view.picture.dimmed

    def test_a_fast_run_shows_no_line_and_no_value_of_the_event_that_it_has_left(self, panel, steps, qtbot):
        def inked(frame: Frame) -> int:
            """Pixels of the current line's row that differ from the background by more than rounding."""
            panel.set_frame(frame)
            row, image = panel.view.place_of(current).y(), panel.view.viewport().grab().toImage()
            ground = QColor(panel.theme.panel).lightness()
            return sum(abs(image.pixelColor(x, row).lightness() - ground) > 2 for x in range(image.width()))

        panel.set_frame(steps[-2])
        current = panel.view.picture.current
        assert current is not None and "visited in this event" in panel.view.tip(current)
        qtbot.waitUntil(lambda: panel.view.is_whole(current))
        assert inked(steps[-2]) > panel.view.viewport().width() / 2  # its background is that of a selection
        running = replace(steps[-2], running=True, records=(), last_records=())
        assert inked(running) < panel.view.viewport().width() / 2
        assert "visited" not in panel.view.tip(current)

    def test_frames_emit_nothing(self, panel, steps):
        seen = []
        panel.intent.connect(seen.append)
        for frame in steps:
            panel.set_frame(frame)
        panel.set_selection(Select(line=(2, 14)))
        assert seen == []


class TestPointing:
    def test_a_click_selects_the_line(self, panel, steps, qtbot):
        panel.set_frame(steps[0])
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=panel.view.place_of(Line(1, 3)))
        assert caught.args == [Select(line=(1, 3))]

    def test_a_click_beside_the_lines_does_nothing(self, panel, steps, qtbot):
        panel.set_frame(steps[0])
        with qtbot.assertNotEmitted(panel.intent, wait=20):
            qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(30, 1))

    def test_arrows_walk_along_the_lines(self, panel, steps, qtbot):
        panel.set_frame(steps[0])
        panel.set_selection(Select(line=(1, 13)))
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.keyClick(panel.view, Qt.Key.Key_Down)
        assert caught.args == [Select(line=(2, 1))]
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.keyClick(panel.view, Qt.Key.Key_Up)
        assert caught.args == [Select(line=(1, 12))]

    def test_a_line_selected_elsewhere_is_marked_and_brought_into_view(self, panel, steps, qtbot):
        panel.set_frame(steps[0])
        panel.set_selection(Select(line=(2, 25)))
        assert panel.view.picture.selected == Line(2, 25)
        height = panel.view.viewport().height()
        qtbot.waitUntil(lambda: 0 <= panel.view.place_of(Line(2, 25)).y() <= height)
        panel.set_selection(Select(server=3))
        assert panel.view.picture.selected is None

    def test_a_tooltip_names_the_line_and_its_values(self, panel, steps):
        panel.set_frame(steps[-1])
        line = steps[-1].last_records[-1].line
        assert f"line {line.number}, visited in this event" in panel.view.tip(line)
        assert "not visited" in panel.view.tip(Line(2, 22))


class TestPicture:
    def test_it_is_not_blank(self, panel, steps):
        panel.set_frame(steps[-1])
        assert len(colours(panel)) > 20

    def test_the_marked_line_differs_from_the_others(self, panel, steps, qtbot):
        panel.set_frame(steps[-1])
        qtbot.waitUntil(lambda: panel.view._glide.state() == panel.view._glide.State.Stopped)
        line = panel.view.picture.current
        image = panel.view.viewport().grab().toImage()
        y = panel.view.place_of(line).y()
        marked, plain = image.pixelColor(image.width() - 2, y), panel.theme.panel
        assert marked.name() == panel.theme.selection != plain

    def test_another_run_begins_at_the_first_line(self, panel, steps, qtbot):
        """Even while the panel is still scrolling to the last run's line."""
        panel.set_frame(steps[0])
        panel.set_frame(steps[-1])
        assert panel.view._glide.state() == panel.view._glide.State.Running
        panel.set_frame(Session.open("dra-appendix-c", kernel=False).frame())
        qtbot.waitUntil(lambda: panel.view._glide.state() == panel.view._glide.State.Stopped)
        assert panel.view.verticalScrollBar().value() == 0

    def test_another_policy_brings_its_own_pseudocode(self, panel, steps):
        panel.set_frame(steps[-1])
        other = Session.open("dra-vms", policy="first-fit", kernel=False)
        other.step()
        panel.set_frame(other.frame())
        assert [line.text for line in panel.view.code.lines] == [line.text for line in other.frame().info.pseudocode]
        assert not panel.view.headings
        assert panel.view.tip(Line(1, 3)).startswith("<p>Line 3")

    def test_a_heading_wraps_where_it_is_wider_than_the_panel(self, panel, steps, qtbot):
        queue = Session.open("queues-classroom", policy="vqs", kernel=False)
        queue.step()
        panel.set_frame(queue.frame())
        view = panel.view
        for width in (200, 700):
            panel.resize(width, 400)
            headed = [placed for placed in view._placed if placed.heading is not None]
            assert len(headed) > 2
            for placed in headed:
                above = placed.heading.size()
                assert above.width() + HEADING_LEFT <= view.viewport().width()
                before = [other.bottom for other in view._placed if other.top < placed.top]
                assert placed.top - above.height() >= max(before, default=0)
            tall = max(placed.heading.size().height() for placed in headed)
            assert (tall > view._layout.row) == (width == 200)

    def test_larger_type_makes_larger_lines(self, panel, steps, qapp):
        panel.set_frame(steps[-1])
        before = panel.view.place_of(Line(1, 9)).y() - panel.view.place_of(Line(1, 8)).y()
        apply(qapp, panel.theme, lecture=True)
        panel.set_theme(panel.theme)
        after = panel.view.place_of(Line(1, 9)).y() - panel.view.place_of(Line(1, 8)).y()
        apply(qapp, panel.theme)
        assert after > 1.3 * before


def test_until_its_sub_steps_come_an_event_is_told_and_older_values_are_dim(panel, steps):
    panel.set_frame(steps[-1])
    told = panel.sentence.text()
    panel.set_frame(steps[-2])
    panel.set_frame(replace(steps[-1], last_records=(), explaining=True, agreement=None))
    assert panel.view.picture.dimmed
    assert panel.where.text() == f"event {steps[-1].event}"
    assert panel.sentence.text() == told
    assert not panel.agreement.text()
    panel.set_frame(steps[-1])
    assert not panel.view.picture.dimmed
    assert "all" in panel.where.text()


@pytest.mark.parametrize(
    ("policy", "kind", "text"),
    [
        ("dra", "arrival", "procedure ARRIVAL(j, t)"),
        ("dra", "departure", "procedure DEPARTURE(j, t)"),
        ("dra-periodic", "update", "procedure UPDATE(t)"),
        ("jrs", "arrival", "when a job of type i arrives do"),
        ("jrs", "move", "when a job on ℓ changes phase or departs do"),
        ("jrs", "departure", "when a job on ℓ changes phase or departs do"),
        ("jrs", "tick", "when a timer of server ℓ ticks do"),
        ("greedy-p", "arrival", "when a job arrives and j servers are free do"),
        ("greedy-p", "departure", None),
        ("bf-j", "arrival", None),  # its loop is about all waiting jobs
    ],
)
def test_an_event_that_begins_marks_the_procedure_that_it_enters(policy, kind, text):
    code = Code(reference_class(policy).pseudocode)
    line = code.current([Record("noise", code.lines[-1].line), Record(kind)])
    assert (line and code.plain[code.place[line]]) == text
    assert code.current([]) is None


def test_an_event_that_begins_marks_the_function_of_a_policy_of_ones_own():
    code = Code([PseudocodeLine(Line(1, 9), 0, "def departure(self, view, job):"), PseudocodeLine(Line(1, 10), 1, "…")])
    assert code.current([Record("departure")]) == Line(1, 9)


def test_a_whole_number_that_a_policy_calls_load_is_no_share():
    load = SYMBOLS["load"].word
    assert (load(0.5, None, {}), load(5, None, {})) == ("50 %", "5")


def test_a_picture_of_the_window_shows_the_current_line_whole(qtbot, tmp_path, monkeypatch):
    """The panel scrolls there smoothly; a picture shows the end of the scrolling."""
    monkeypatch.setattr("slotscope.gui.panels.algorithm_view._SCROLL_TIME", 60_000)
    with complete_window(qtbot, tmp_path) as window:
        window.stand_at("dra-classroom", (), None, (), None, Moment((18,)))
        window.settle()
        view = window.docks["algorithm"].panel.findChild(PseudocodeView)
        current = view.picture.current or view.picture.selected
        placed = view._placed[view.code.place[current]]
        seen = view.verticalScrollBar().value()
        assert seen <= placed.top
        assert placed.bottom <= seen + view.viewport().height() + 1


@pytest.mark.parametrize("theme", ["light"], indirect=True)
@pytest.mark.parametrize("height", [250, 330, 420, 560])
def test_no_line_stands_on_another(panel, steps, qtbot, height):
    panel.resize(407, height)
    tight = set()
    for frame in steps:
        panel.set_frame(frame)
        panel.resize(407 + len(tight) % 2, height)  # lay it out again
        view = panel.view
        tight.add(view._setting > 0)
        assert all(placed.height >= view._layout.row - 1 for placed in view._placed)
        assert all(after.top - one.bottom >= -1 for one, after in pairwise(view._placed))
    assert tight != {False} or height != 420


def test_a_line_that_departs_from_the_print_has_the_printed_one_beside_it(panel, steps):
    panel.resize(700, 900)
    panel.set_frame(steps[0])
    view = panel.view
    departing = [line for line in view.code.lines if line.printed]
    assert {line.line for line in departing} == {Line(1, 8), Line(2, 6), Line(2, 20), Line(2, 26)}
    for line in departing:
        (value,) = view._placed[view.code.place[line.line]].values
        assert "in print" in value.document.toPlainText()
    panel.set_frame(steps[-2])
    values = view._placed[view.code.place[Line(1, 8)]].values
    assert len(values) == 1 + len(beside(panel, Line(1, 8)))
