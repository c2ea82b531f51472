"""Low panels of servers: stacks keep their share of the height, and captions are shortened or left out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.reservation.servers import ServerGridPanel, ServersPanel
from slotscope.gui.kinds.reservation.servers_grid_view import GridView
from slotscope.gui.kinds.reservation.servers_scene import LADDER
from slotscope.gui.kinds.reservation.servers_stacks import StackView
from slotscope.gui.kinds.reservation.servers_words import caption_lines
from slotscope.gui.painting.text import Symbols
from slotscope.model.api import Session
from slotscope.model.lessons.files import lesson_files
from slotscope.model.reporting.frame import Frame
from tests.kinds.reservation.gui.servers_views import classroom, shown, stacks
from tests.runs import ran

#: The width of the panel in a window of 1280x720, and its height there, lower and higher.
WIDTH, HEIGHTS = 819, (240, 250, 300, 420, 700)

HALL = (819, 250)


@pytest.fixture(scope="module")
def classes() -> Frame:
    return classroom(18).frame()


def stacks_share(view: StackView) -> float:
    """The height of the tallest stack as a share of the panel's."""
    scene = view.scene
    assert scene is not None
    return (scene.y(0) - scene.y(scene.figure.tallest)) / view.height()


@pytest.mark.parametrize("height", HEIGHTS)
def test_stacks_have_their_share_of_a_low_panel(qtbot: QtBot, classes: Frame, height: int) -> None:
    assert stacks_share(stacks(qtbot, classes, (WIDTH, height))) > 0.38


def test_many_servers_have_it_as_well(qtbot: QtBot) -> None:
    session = ran("dra-vms", events=300)
    assert stacks_share(stacks(qtbot, session.frame(), HALL)) > 0.38


@pytest.mark.parametrize("kind", [ServersPanel, ServerGridPanel])
def test_a_question_above_leaves_seven_servers_their_picture(
    qtbot: QtBot, classes: Frame, kind: type[ServersPanel] | type[ServerGridPanel]
) -> None:
    """Above them a question with a curve, at 1280x720: the legend took a third of the rest, and servers had nothing."""
    panel = shown(qtbot, kind, classes, (WIDTH, 102))
    view = panel.findChild(GridView)
    assert view is not None and view.isVisible() and view.scene is not None
    boxes = [view.scene.server_rect(server) for server in range(7)]
    assert all(box is not None and view.rect().contains(box.toAlignedRect()) for box in boxes)
    assert min(box.height() for box in boxes if box is not None) > 50


@pytest.mark.parametrize("events", [0, 300])
def test_over_narrow_stacks_stand_whole_words_or_none(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, events: int
) -> None:
    """The caption "RG" was cut off at the panel's edge, and became dots over stacks as narrow as two digits."""
    session, drawn = Session.open("dra-gcp", kernel=False), []
    if events:
        session.run(events=events)
    draw_first = Symbols.draw_first

    def draw(text: Symbols, painter: QPainter, rect: QRectF, texts: Any, *style: Any) -> None:
        if "RG" in texts:
            words = next((one for one in texts if text.width(one) <= rect.width()), texts[-1])
            drawn.append(text.width(words) <= max(0.0, min(rect.right(), view.width()) - rect.left()))
        draw_first(text, painter, rect, texts, *style)

    view = stacks(qtbot, session.frame(), (330, 220))
    monkeypatch.setattr(Symbols, "draw_first", draw)
    view.grab()
    assert drawn
    assert all(drawn)


def test_the_more_room_the_more_text(qtbot: QtBot, classes: Frame) -> None:
    view = stacks(qtbot, classes, (WIDTH, 240))
    places = []
    for height in range(240, 900, 20):
        view.resize(WIDTH, height)
        assert view.scene is not None
        places.append(LADDER.index(view.scene.rows))
    assert places == sorted(places, reverse=True)
    assert places[0] > 0 == places[-1]


def test_no_number_is_lost_where_two_lines_have_the_room(qtbot: QtBot, classes: Frame) -> None:
    view = stacks(qtbot, classes, HALL)
    assert view._captions is not None
    for caption in view._captions.columns:
        few, many = (caption_lines(caption, rows, False) for rows in (2, 3))
        said = "".join(words[0] for words, _ in few)
        assert all(words[0] in said for words, _ in many)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_no_half_of_a_number_stands_above_a_narrow_column(qtbot: QtBot, classes: Frame, rows: int) -> None:
    captions = stacks(qtbot, classes, HALL)._captions
    assert captions is not None
    assert all(caption_lines(caption, rows, True)[-1][0][-1] == "" for caption in captions.columns)
    for caption in (one for one in captions.columns if one.name):  # in a single line every number has its rank
        ((words, _),) = caption_lines(caption, 1, True)
        assert all(caption.position in one.partition(":")[0] for one in words if one)
        assert words[-2] == f"{caption.position}:"


@pytest.mark.parametrize("split", [False, True])
def test_what_has_no_room_above_a_column_leaves_three_dots(qtbot: QtBot, classes: Frame, split: bool) -> None:
    """At a width of 1024 pixels the captions were left out without a sign that anything was missing."""
    captions = stacks(qtbot, classes, HALL)._captions
    assert captions is not None
    for caption in (one for one in captions.columns if one.counts):
        title, numbers = (words for words, stands_out in caption_lines(caption, 3, split)[split:] if stands_out)
        assert title[-2:] == numbers[-2:] == ("…", "")
        assert "" not in (*title[:-1], *numbers[:-1])
        assert caption.letters.replace(" ", "") in title[-3]


def test_what_a_hidden_legend_says_is_said_below_the_stacks(qtbot: QtBot, classes: Frame) -> None:
    view = stacks(qtbot, classes, (WIDTH, 220))
    view.grab()
    assert view.scene is not None and view.scene.rows.legend == 0
    said = view.words_at(QPointF(20, view.scene.regions.foot.center().y()))
    for words in ("A: web", "B: database", "C: training", "dashed frame: still missing"):
        assert words in said.splitlines()


def test_a_type_that_is_called_by_its_letter_is_named_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    session = ran(str(lesson_files()["dra-4-print"].parent / "scenarios" / "dra-line-8.toml"), events=1)
    written: list[str] = []
    draw = Symbols.draw_in

    def noted(self: Symbols, painter: QPainter, rect: QRectF, text: str, *rest: Any) -> None:
        written.append(text)
        draw(self, painter, rect, text, *rest)

    monkeypatch.setattr(Symbols, "draw_in", noted)
    view = stacks(qtbot, session.frame(), (WIDTH, 220))
    view.grab()
    assert view.scene is not None and view.scene.rows.legend == 0
    assert [text for text in written if text.startswith("A 2")] == ["A 2/3"]


def test_words_of_types_side_by_side_do_not_read_as_one(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    session = ran("dra-vms", events=300)
    view = stacks(qtbot, session.frame(), (500, 250))
    ends: list[tuple[float, float]] = []
    draw = Symbols.draw_in

    def noted(self: Symbols, painter: QPainter, rect: QRectF, text: str, color: str, align: float = 0.0) -> None:
        if view.scene is not None and rect.y() == view.scene.regions.foot.y() and "/" in text:
            half = self.width(text) / 2
            ends.append((rect.center().x() - half, rect.center().x() + half))
        draw(self, painter, rect, text, color, align)

    monkeypatch.setattr(Symbols, "draw_in", noted)
    view._kept.forget()
    view.grab()
    assert view.scene is not None and len(ends) >= 2, ends
    assert all(after[0] - before[1] >= view.scene.text.height / 2 for before, after in pairwise(sorted(ends)))


def test_a_moment_has_one_scale_whatever_was_seen_before(qtbot: QtBot) -> None:
    """A layout that was tried, with or without names on lines of their own, passed its scale on to the next."""
    session = Session.open("dra-vms", kernel=False)
    view = stacks(qtbot, session.frame(), (300, 360))
    session.run(events=300)
    view.set_frame(session.frame())
    fresh = stacks(qtbot, session.frame(), (300, 360))
    assert view.scene is not None
    assert fresh.scene is not None
    assert view.scene.layout.scale == fresh.scene.layout.scale


def test_wanted_configurations_are_written_one_way(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """All by numbers where there is room for all of them, else all by letters."""
    session, titles = Session.open("dra-vms", kernel=False), []
    session.run(events=300)
    draw_first = Symbols.draw_first

    def draw(text: Symbols, painter: QPainter, rect: QRectF, texts: Any, *style: Any) -> None:
        if view.scene is not None and view.scene.regions.header.contains(rect.topLeft()):
            titles.append(next((one for one in texts if text.width(one) <= rect.width()), ""))
        draw_first(text, painter, rect, texts, *style)

    monkeypatch.setattr(Symbols, "draw_first", draw)
    ways = set()
    for width in range(300, 700, 20):
        titles.clear()
        view = stacks(qtbot, session.frame(), (width, 500))
        view.grab()
        named = [title for name, title in pairwise(titles) if name.startswith("\x1fk\x1f[") and name.endswith("]")]
        numbered = {title.startswith("(") for title in named if title}
        assert len(numbered) <= 1, f"{width} {titles}"
        ways |= numbered
    assert ways == {True, False}
