"""The panel of servers of moldable jobs: what it paints, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QStaticText
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.moldable.colours import class_color, width_brush, width_color, width_style
from slotscope.gui.kinds.moldable.servers_content import PoolSection
from slotscope.gui.kinds.moldable.servers_legend import entries, listed_widths
from slotscope.gui.kinds.moldable.servers_raster import empty_color, free_color
from slotscope.gui.kinds.moldable.servers_words import (
    caption_words,
    class_letter,
    header,
    job_labels,
    job_lines,
    job_name,
    server_words,
)
from slotscope.gui.kinds.moldable.wording import class_words, time_words, width_words
from slotscope.gui.painting.colour import contrast, letter_ink
from slotscope.gui.painting.text import Lines
from slotscope.gui.panels.wording import sentence
from slotscope.gui.theme import MARK_CONTRAST, TEXT_CONTRAST
from slotscope.model.kinds.moldable.state import ARRIVED, BLOCKED
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.letters import own_letters, subscript
from tests.gui.painted import area, colours_in, has, pixels, scene_in
from tests.kinds.moldable.gui.servers_views import DARK, LIGHT, Made, filled, run, server_rect, share_of, shown, split


def within(rect: QRectF, by: float = 4.0) -> QRectF:
    return rect.adjusted(by, by, -by, -by)


# Appearance and names of widths and classes.


def test_widths_are_told_apart_by_colour_and_texture() -> None:
    for theme in (LIGHT, DARK):
        assert len({width_color(theme, width) for width in range(1, 25)}) == 24
        for width in range(1, 25):
            assert contrast(width_color(theme, width), theme.panel) >= MARK_CONTRAST
        assert width_style(theme, 1).texture != width_style(theme, 9).texture
        assert width_color(theme, 1) == theme.types[0]
        assert len({class_color(theme, number) for number in range(8)}) == 8
    assert width_brush(LIGHT, 2).textureImage().width() > 0


def test_what_is_written_on_jobs_can_be_read_on_both_parts() -> None:
    for theme in (LIGHT, DARK):
        for width in range(1, 25):
            color, empty = width_color(theme, width), empty_color(theme, width)
            assert contrast(theme.normal, empty) >= TEXT_CONTRAST
            assert contrast(letter_ink(color), color) >= TEXT_CONTRAST
            assert contrast(empty, color) >= 2.0


def test_widths_classes_and_times_in_words() -> None:
    info, several = Made().frame().info, Made("moldable-classes").frame().info
    assert (counted(1, "server"), counted(4, "server"), counted(1, "job")) == ("1 server", "4 servers", "1 job")
    assert width_words(3) == "on 3 servers"
    assert subscript(12) == "₁₂"
    assert own_letters(("rendering", "analysis", "search"), 0) == ("R", "A", "S")
    assert own_letters(("small", "search"), 0) == own_letters(("4 GPUs", "8 GPUs"), 0) == ("A", "B")
    assert (class_words(info, 0), class_letter(info, 0)) == ("", "")
    assert (class_words(several, 2), class_letter(several, 2)) == ("search", "S")
    assert time_words(info, 2.345) == "2.35 minutes"
    assert time_words(several, 2.345) == "2.35"


# Pictures.


def test_a_job_is_a_run_of_the_colour_of_its_width(qtbot: QtBot) -> None:
    made = Made()
    wide, narrow = made.job(3), made.job(1)
    panel = shown(qtbot, made.frame(5.0))
    picture, scene = pixels(panel), scene_in(panel)
    (strip,) = scene.job_strips(wide)[0]
    assert strip.rect.width() > 3 * server_rect(scene, narrow).width()
    low = strip.rect.adjusted(4, strip.rect.height() / 2 + 4, -4, -4)
    assert share_of(area(picture, low), width_color(LIGHT, 3)) > 0.5
    assert not has(area(picture, within(strip.rect)), LIGHT.panel)
    assert has(area(picture, within(server_rect(scene, narrow))), width_color(LIGHT, 1))
    free = area(picture, within(server_rect(scene, 10), 3))
    assert colours_in(free) == {LIGHT.panel}
    around = area(picture, server_rect(scene, 10).adjusted(0, 0, 0, 0))
    assert has(around, LIGHT.empty)


def test_it_fills_as_time_passes(qtbot: QtBot) -> None:
    made = Made()
    record = made.job(2, lasts=10.0)
    panel = shown(qtbot, made.frame(0.0))
    rect = scene_in(panel).job_strips(record)[0][0].rect
    filled_parts, empty_parts = [], []
    for time in (0.0, 2.5, 5.0, 7.5, 10.0):
        panel.set_frame(made.frame(time))
        block = area(pixels(panel), within(rect))
        filled_parts.append(share_of(block, width_color(LIGHT, 2)))
        empty_parts.append(share_of(block, empty_color(LIGHT, 2)))
    assert filled_parts == sorted(filled_parts)
    assert filled_parts[0] == 0.0
    assert filled_parts[2] == pytest.approx(0.5, abs=0.12)
    assert filled_parts[-1] > 0.8
    assert empty_parts == sorted(empty_parts, reverse=True)
    assert empty_parts[-1] == 0.0


def test_small_servers_get_stronger_as_time_passes(qtbot: QtBot) -> None:
    made = Made(servers=20_000)
    made.job(5, lasts=10.0)
    panel = shown(qtbot, made.frame(0.0))
    assert not scene_in(panel).layout.cell.fills
    contrasts = []
    for time in (0.0, 3.0, 6.0, 9.9):
        panel.set_frame(made.frame(time))
        found = area(pixels(panel), within(server_rect(scene_in(panel), 2), 0.6))
        (color,) = colours_in(found)
        contrasts.append(contrast(color, LIGHT.panel))
        assert has(pixels(panel), free_color(LIGHT))
    assert contrasts == sorted(set(contrasts))


def test_a_job_that_got_fewer_has_a_corner(qtbot: QtBot) -> None:
    made = Made()
    made.job(2, asked=5)
    made.job(2)
    panel = shown(qtbot, made.frame(1.0))
    picture, scene = pixels(panel), scene_in(panel)
    for server, marked in ((0, False), (1, True), (3, False)):
        rect = server_rect(scene, server)
        corner = QRectF(rect.right() - 6, rect.top() + 1, 6, 4)
        assert has(area(picture, corner), LIGHT.run) == marked


def test_a_job_that_goes_on_in_the_next_row_is_open_there(qtbot: QtBot) -> None:
    made = Made()
    for _ in range(4):
        made.job(2)
    record = made.job(5)
    panel = shown(qtbot, made.frame(5.0), (900, 430))
    scene = scene_in(panel)
    columns = scene.layout.grids[0].columns
    assert columns == 10
    above, below = scene.job_strips(record)[0]
    assert (above.begins, above.ends) == (True, False)
    assert (below.begins, below.ends) == (False, True)
    picture = pixels(panel)
    middle = above.rect.bottom() - 20
    edge = area(picture, QRectF(above.rect.right() - 3, middle, 2, 8))
    assert colours_in(edge) == {width_color(LIGHT, 5)}
    start = area(picture, QRectF(below.rect.left() + 1, below.rect.bottom() - 20, 2, 8))
    assert colours_in(start) == {width_color(LIGHT, 5)}
    right = server_rect(scene, 9).right()
    assert above.rect.right() > right


def test_pools_are_sections_and_servers_of_none_are_hatched(qtbot: QtBot) -> None:
    made = Made("moldable-classes", 60)
    made.job(4, 0)
    frame = made.frame(1.0)
    panel = shown(qtbot, frame)
    scene, picture = scene_in(panel), pixels(panel)
    assert [section.pool for section in scene.sections] == [0, 1, 2, -1]
    captions = [caption_words(frame, section)[0] for section in scene.sections]
    assert captions[0].startswith("Reserved for rendering: ")
    assert captions[0].endswith(" servers, 4 in use")
    assert captions[1].endswith(" servers, 0 in use")
    assert captions[3] == "In no pool: 1 server, idle for ever"
    idle = area(picture, within(server_rect(scene, 59), 3))
    assert has(idle, LIGHT.reserved)
    assert has(idle, LIGHT.panel)
    assert scene_in(shown(qtbot, Made().frame())).layout.wishes.captions is False
    common = Made("moldable-classes", 60, "greedy-p", {"rest": "common"}).frame()
    assert caption_words(common, PoolSection(3, 59, 60))[0] == "Common to all classes: 1 server, 0 in use"


def test_a_job_may_run_in_its_own_pool_and_in_the_common_one(qtbot: QtBot) -> None:
    made = Made("moldable-classes", 70, "greedy-p", {"rest": "common"})
    own = int(made.state.free[2])
    for _ in range(own - 1):
        made.job(1, 2)
    record = made.job(2, 2)
    panel = shown(qtbot, made.frame(2.0))
    pieces = scene_in(panel).job_strips(record)
    assert len(pieces) == 2
    sections = [scene_in(panel).layout.at(*_pixel(panel, piece[0].rect)) for piece in pieces]
    assert [found[0] for found in sections if found is not None] == [2, 3]


def _pixel(panel: object, rect: QRectF) -> tuple[int, int]:
    scene = scene_in(panel)  # type: ignore[arg-type]
    point = rect.center() - scene.stage.topLeft()
    return int(point.x()), int(point.y())


def test_words_are_legible_on_what_is_filled_and_what_is_not(qtbot: QtBot) -> None:
    made = Made()
    record = made.job(5)
    for time in (1.0, 9.0):
        panel = shown(qtbot, made.frame(time))
        rect = scene_in(panel).job_strips(record)[0][0].rect
        half = rect.height() / 2
        upper = within(rect.adjusted(0, 0, 0, -half), 5)
        lower = within(rect.adjusted(0, half, 0, 0), 5)
        written = [len(colours_in(area(pixels(panel), part))) > 3 for part in (upper, lower)]
        assert written == [time < 5, time > 5]


# Words.


def test_the_header_tells_the_use_the_jobs_and_the_blocked_ones() -> None:
    made = Made()
    made.job(3)
    made.job(2)
    assert header(made.frame())[0].endswith("₁ = 0.250: 5 of 20 servers in use by 2 jobs; 0 of 0 blocked so far")
    made.state.tally[ARRIVED], made.state.tally[BLOCKED] = 8, 2
    assert header(made.frame())[0].endswith("; 2 of 8 blocked so far (25 %)")
    assert len(header(made.frame())[-1]) < 15


def test_labels_tell_the_job_what_it_got_and_what_is_left() -> None:
    made = Made()
    record = made.job(2, asked=3, lasts=8.0)
    of, name, left = job_labels(made.frame(2.0), record, 0)
    assert of == ("2 of 3", "2", "2")
    assert name == ("job 0", "#0")
    assert left == ("6 minutes left", "6 left")
    assert job_labels(made.frame(9.0), record, 0)[2][-1] == "0 left"
    assert job_labels(made.frame(9.0), record, 0, 1) == [of]
    assert job_labels(made.frame(9.0), record, 0, 0) == []
    pieces, record = split()
    names = {server: job_labels(pieces.frame(), record, server)[1] for server in (4, 5, 10, 16)}
    assert names[4] == names[5]
    assert {words[2] for words in names.values()} == {"#20 (1/3)", "#20 (2/3)", "#20 (3/3)"}
    assert {words[0] for words in names.values()} == {f"job 20, piece {piece} of 3" for piece in (1, 2, 3)}
    classes = Made("moldable-classes", 60)
    record = classes.job(4, 0, asked=8)
    assert job_labels(classes.frame(), record, 0)[0] == ("R 4 of 8", "R 4", "4")


def test_of_a_users_policy_that_chooses_no_job_has_asked() -> None:
    frame = run("moldable-classroom", 1, policy="resources/policies/half_of_the_rest.py").frame()
    record = int(frame.state.server_job[0])
    assert job_labels(frame, record, 0)[0] == ("5 servers", "5", "5")
    assert job_lines(frame, record)[1] == "got 5 servers"


def test_tooltips_tell_all_numbers_of_a_job() -> None:
    made = Made("moldable-classes", 60)
    record = made.job(4, 0, asked=8, came=1.0, lasts=2.0)
    words = job_lines(made.frame(1.5), record)
    assert words == [
        "job 0 of class rendering",
        "asked for 8 servers, got 4, all that were free",
        "inherent size 8, 4 times as fast on 4 servers",
        "arrived at 1, departs at 3: 25 % executed, 1.5 left",
        "on servers 1 to 4",
    ]
    pieces, record = split()
    last = job_lines(pieces.frame(), record)[-1]
    assert last.startswith("in 3 pieces, as no gap held it: ")
    assert {"servers 5 to 6", "server 11", "servers 16 to 17"} == set(last.partition(": ")[2].split("; "))


def test_servers_without_a_job_are_told() -> None:
    frame = Made("moldable-classes", 60).frame()
    assert server_words(frame, 0, PoolSection(0, 0, 17)) == "server 1 (reserved for rendering): free"
    assert server_words(frame, 59, PoolSection(-1, 59, 60)) == ("server 60: belongs to no pool and stays idle")
    assert server_words(Made().frame(), 3, PoolSection(0, 0, 20)) == "server 4: free"


def test_jobs_are_called_as_in_sentences() -> None:
    session = run("moldable-classes", 50, servers=60)
    frame = session.frame()
    number = int(frame.rows[-1]["job"])
    assert job_name(frame.info, number) == f"job {number}"
    assert job_name(frame.info, number) in frame.info.narrator.row(frame.rows[-1])
    assert sentence(frame).lower() == frame.info.narrator.row(frame.rows[-1]).lower()
    assert sentence(session.frame(running=True)) == ""
    assert sentence(run().frame()).startswith("Next: job 0 arrives")


ASKING = """
from slotscope.model.kinds.moldable.policies.base import Allocate, OwnPolicy, Reject


class Policy(OwnPolicy):
    title = "Two servers, whatever the request"  # the word alone asks for nothing
    asks = {asks}

    def arrival(self, view, job):
        said = dict(request=4) if self.asks else dict()
        yield Allocate(servers=min(2, view.free(job.type)), values=said) if view.free(job.type) else Reject()
"""


@pytest.mark.parametrize("asks", [True, False])
def test_what_is_said_of_requests_follows_from_what_a_policy_of_ones_own_declares(
    qtbot: QtBot, tmp_path: Path, asks: bool
) -> None:
    (tmp_path / "own.py").write_text(ASKING.format(asks=asks))
    frame = run(policy=str(tmp_path / "own.py"), events=1).frame()
    cell = scene_in(shown(qtbot, frame)).layout.cell
    assert ("partial" in [item.mark for item in entries(frame.info, cell)]) is asks
    said = [frame.info.narrator.row(frame.rows[-1]), job_lines(frame, 0)[0], job_lines(frame, 0)[1]]
    if asks:  # and the text does not claim that only two were free
        assert said[0].startswith("job 0 asks for 4 servers, 20 are free: it gets servers 1 and 2"), said
        assert said[-1] == "asked for 4 servers, got 2"
    else:
        assert said[0].startswith("job 0 arrives, 20 are free: it gets servers 1 and 2"), said
        assert said[-1] == "got 2 servers"


def test_the_legend_explains_what_is_there(qtbot: QtBot) -> None:
    few, many = filled(Made()).frame(), filled(Made(servers=20_000)).frame()
    cells = [scene_in(shown(qtbot, frame)).layout.cell for frame in (few, many)]
    marks = [item.mark for item in entries(few.info, cells[0])]
    assert marks == ["width"] * 5 + ["filling", "free", "partial"]
    short = entries(few.info, cells[0], full=False)  # where a mark would otherwise be left out
    assert [item.mark for item in short] == marks and [item.words for item in short[5:]] == [
        "executed",
        "free",
        "got fewer",
    ]
    assert [item.words for item in entries(few.info, cells[0])[:5]] == ["on 1", "2", "3", "4", "5 servers"]
    assert [item.mark for item in entries(many.info, cells[1])] == ["width"] * 5 + ["growing", "small"]
    classes = Made("moldable-classes", 60).frame().info
    words = [item.words for item in entries(classes, cells[0])]
    assert words[-3:] == ["R rendering", "A analysis", "S search"]
    assert "in no pool" in words
    assert listed_widths(classes) == list(range(1, 11))


def test_a_hall_reads_the_number_of_every_job_in_two_lanes(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 1280 x 720 a block of one server is too narrow for "job 16", so the number alone must be legible."""
    drawn: set[str] = set()
    fitted = Lines.fitted

    def watched(text: Lines, texts: tuple[str, ...], room: float) -> tuple[QStaticText, float]:
        found = fitted(text, texts, room)
        drawn.add(found[0].text())
        return found

    monkeypatch.setattr(Lines, "fitted", watched)
    frame = run(events=24).frame()
    panel = shown(qtbot, frame, (381, 440))
    font = panel.view.font()
    font.setPointSizeF(16.5)
    panel.view.setFont(font)
    drawn.clear()
    panel.grab()
    jobs = frame.state.job_number[frame.state.job_number >= 0].tolist()
    assert max(jobs) >= 10
    assert drawn >= {f"job {job}" if f"job {job}" in drawn else f"#{job}" for job in jobs}
    assert drawn & {f"#{job}" for job in jobs}
