"""The panel of servers with phases: what it paints."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.phases.colours import phase_color
from slotscope.gui.kinds.phases.servers import entries
from slotscope.gui.kinds.phases.servers_raster import dimmed
from slotscope.gui.kinds.phases.servers_sections import ServerPlace, most_use
from slotscope.gui.kinds.phases.servers_words import brief_caption, caption_words, label_words
from slotscope.gui.kinds.phases.wording import configuration_text, short_configuration
from slotscope.gui.painting.colour import mix
from slotscope.model.kinds.phases.state import FIRST_BACKUP
from slotscope.model.reporting.letters import own_letters
from tests.gui.painted import area, colours_in, has, pixels, scene_in
from tests.kinds.phases.gui.servers_views import DARK, LIGHT, Made, records_of, server_rect, shown

L, H = 0, 1


# Appearance and names of phases.


def test_phases_are_told_apart_by_colour_and_by_letter() -> None:
    for theme in (LIGHT, DARK):
        assert len({phase_color(theme, phase) for phase in range(8)}) == 8
    assert own_letters(("L", "H2", "steady")) == ("L", "H2", "S")
    assert own_letters(("boot", "steady", "peak")) == ("B", "S", "P")
    assert own_letters(("small", "steady")) == ("A", "B")
    assert own_letters(("1 CPU", "2 CPU")) == own_letters(("1", "x2")) == ("A", "B")


def test_configurations_are_written_as_sums() -> None:
    assert configuration_text(("L", "H"), (3, 1)) == "3L + H"
    assert configuration_text(("L", "H"), (0, 0)) == "0"
    assert configuration_text(("boot", "peak"), (1, 2)) == "boot + 2 peak"
    assert short_configuration(("boot", "peak"), (1, 2)) == "B+2P"


# Pictures.


def test_real_jobs_are_filled_and_virtual_ones_hatched(qtbot: QtBot) -> None:
    frame = Made().real(0, L, 3).real(0, H).virtual(1, H).real(1, L).frame()
    panel = shown(qtbot, frame, (1500, 1000))
    picture, scene = pixels(panel), scene_in(panel)
    seen = set()
    for record in records_of(frame.state):
        phase, virtual = int(frame.state.job_phase[record]), bool(frame.state.job_virtual[record])
        (rect,) = scene.job_rects(record)
        inside = area(picture, QRectF(rect.x() + 3, rect.y() + 3, rect.width() / 4, 6))
        color = phase_color(LIGHT, phase)
        drawn = (inside == (0xFF000000 | int(color[1:], 16))).mean()
        assert 0.1 < drawn < 0.7 if virtual else drawn > 0.3
        assert has(inside, mix(LIGHT.panel, color, 0.16)) == virtual
        seen.add((phase, virtual))
    assert seen == {(L, False), (H, False), (H, True)}


def test_heights_are_to_scale_of_the_capacity(qtbot: QtBot) -> None:
    frame = Made().real(0, L, 2).real(0, H, 2).real(1, H, 2).frame()
    scene = scene_in(shown(qtbot, frame))
    numbers, cell = frame.info.numbers, scene.layout.grids[0].cell
    for record in records_of(frame.state):
        need = float(numbers.demand[frame.state.job_phase[record], 0] / numbers.capacity[0])
        (rect,) = scene.job_rects(record)
        assert rect.height() == pytest.approx(need * cell.rim, abs=1)
    assert server_rect(scene, ServerPlace(0)).height() == cell.rim + cell.floor


def test_what_is_above_the_capacity_is_red_and_the_capacity_a_line(qtbot: QtBot) -> None:
    made = Made().real(0, L).real(0, H, 3).real(1, H, 4)
    frame = made.frame()  # units in use on servers of 10: 10, 12 and 0
    panel = shown(qtbot, frame)
    picture, scene = pixels(panel), scene_in(panel)
    for server, over in ((0, False), (1, True), (2, False)):
        rect = server_rect(scene, ServerPlace(server))
        above = area(picture, rect.adjusted(0, -rect.height() * 0.18, -rect.width() * 0.4, -rect.height() - 1))
        assert has(above, LIGHT.rejection) == over
        line = area(picture, rect.adjusted(3, -1, -3, -rect.height()))
        assert has(line, LIGHT.run)
        assert not has(area(picture, rect.adjusted(2, 4, -2, -2)), LIGHT.rejection)
    words = caption_words(frame, scene.sections[0])
    assert "1 above capacity" in words[0]
    assert brief_caption(frame, scene.sections[0]) == words[-2]


def test_a_higher_pile_changes_the_scale_once_and_for_all(qtbot: QtBot) -> None:
    made = Made()
    panel = shown(qtbot, made.real(0, L).frame())
    before = scene_in(panel).layout.grids[0].cell
    panel.set_frame(made.real(0, H, 5).frame())
    high = scene_in(panel).layout.grids[0].cell
    assert most_use(made.state, made.numbers) == 1.6
    assert (before.top, high.top) == (1.25, 1.75)
    assert high.rim < before.rim
    panel.set_frame(Made().frame())
    assert scene_in(panel).layout.grids[0].cell.top == 1.25  # another run


def test_paused_servers_are_dimmed_and_have_their_tokens_above(qtbot: QtBot) -> None:
    made = Made().no_timers().real(0, H, 2).real(1, H, 2).token(1, L).token(1, H).token(1, H)
    frame = made.frame()
    panel = shown(qtbot, frame)
    picture, scene = pixels(panel), scene_in(panel)
    for server, paused in ((0, False), (1, True)):
        inside = area(picture, server_rect(scene, ServerPlace(server)).adjusted(5, 5, -5, -5))
        assert has(inside, phase_color(LIGHT, H)) != paused
        assert has(inside, dimmed(phase_color(LIGHT, H), LIGHT)) == paused
    boxes = [scene.rect(box) for box in scene.token_boxes(0, 1, 3)]
    for box, job_type in zip(boxes, (L, H, H), strict=True):
        assert has(area(picture, box), phase_color(LIGHT, job_type))
    none = scene.rect(scene.token_boxes(0, 0, 1)[0])
    assert colours_in(area(picture, none)) == {LIGHT.panel}
    assert boxes[0].right() <= boxes[1].left() + 1


def test_running_timers_are_drawn(qtbot: QtBot) -> None:
    made = Made()
    running = made.state.timer_number >= 0
    assert running.all()  # at time 0 all servers run the timer of Appendix B.3
    panel = shown(qtbot, made.frame())
    box = scene_in(panel).rect(scene_in(panel).token_boxes(0, 3, 1)[0])
    assert len(colours_in(area(pixels(panel), box))) > 1
    panel.set_frame(made.no_timers().frame())
    assert colours_in(area(pixels(panel), box)) == {LIGHT.panel}


def test_backup_servers_stand_apart_with_one_job_each(qtbot: QtBot) -> None:
    frame = Made().real(0, L).backup(H).backup(L).backup(H).frame()
    panel = shown(qtbot, frame)
    picture, scene = pixels(panel), scene_in(panel)
    assert [section.backup for section in scene.sections] == [False, True]
    lowest = max(server_rect(scene, ServerPlace(server)).bottom() for server in range(25))
    for number, phase in enumerate((H, L, H)):
        rect = server_rect(scene, ServerPlace(FIRST_BACKUP - number, 0))
        assert rect.top() > lowest
        assert rect.width() < server_rect(scene, ServerPlace(0)).width()
        assert has(area(picture, rect.adjusted(3, 3, -3, -3)), phase_color(LIGHT, phase))
    assert caption_words(frame, scene.sections[1])[1:] == ("Backup servers: 3 jobs", "Backup: 3 jobs", "Backup servers")


def test_every_pool_has_a_caption_of_its_own(qtbot: QtBot) -> None:
    made = Made("jrs-fixed-sizes")
    facts = made.frame().info.facts
    first = facts.first_server(1)
    frame = made.real(first, 0).token(first, 0, 1).token(first + 1, 1, 1).frame()
    panel = shown(qtbot, frame)
    scene = scene_in(panel)
    captions = [caption_words(frame, section)[0] for section in scene.sections]
    assert len(captions) == facts.pools + 1 == 4
    servers = facts.plan.pools[1].servers
    assert captions[1].startswith(f"Pool 2: {servers} servers, 1 in use, 2 paused; 2 tokens (")
    assert f"at most {facts.plan.pools[1].token_limit} of a type" in captions[1]
    assert "0 paused; 0 tokens" in captions[0]
    tops = [scene.layout.grids[number].top for number in range(4)]
    assert tops == sorted(set(tops))


def test_of_servers_without_number_those_in_use_are_shown(qtbot: QtBot) -> None:
    made = Made(policy="first-fit").real(0, L, 2).real(5, H)
    panel = shown(qtbot, made.frame())
    scene = scene_in(panel)
    (section,) = scene.sections
    assert 6 <= len(section) <= 8
    assert not scene.layout.grids[0].cell.virtual
    assert not scene.layout.grids[0].cell.token
    assert caption_words(made.frame(), section) == ("Servers: 2 in use",)
    crowded = made.real(5, H, 3).frame()
    assert caption_words(crowded, section) == ("Servers: 2 in use, 1 above capacity", "2 in use, 1 above")
    panel.set_frame(made.real(30, L).frame())
    assert 31 <= len(scene_in(panel).sections[0]) <= 40
    marks = {item.mark for item in entries(made.frame().info, jobs=True)}
    assert marks == {"phase", "rim", "over"}


def test_cells_do_not_jump_with_every_job(qtbot: QtBot) -> None:
    made = Made(policy="first-fit").real(20, L)
    panel = shown(qtbot, made.frame())
    before = scene_in(panel).layout
    for server in (21, 22, 23, 3):
        panel.set_frame(made.real(server, L).frame())
        assert scene_in(panel).layout == before
    panel.set_frame(made.real(24, L).frame())
    assert scene_in(panel).layout != before


def test_each_resource_has_a_bin(qtbot: QtBot) -> None:
    frame = Made(resources=True).real(0, L).real(0, H).frame()
    panel = shown(qtbot, frame, (1200, 700))
    picture, scene = pixels(panel), scene_in(panel)
    cell = scene.layout.grids[0].cell
    for record in records_of(frame.state):
        phase = int(frame.state.job_phase[record])
        left, right = scene.job_rects(record)
        assert left.right() < right.left()
        for rect, need in ((left, (1 / 10, 3 / 10)[phase]), (right, 2 / 8)):
            assert rect.height() == pytest.approx(need * cell.rim, abs=1)
            assert has(area(picture, rect.adjusted(2, 1, -3, -1)), phase_color(LIGHT, phase))
            hit = scene.at(rect.center())
            assert hit is not None
            assert hit.record == record
    words = panel.view.words_at(server_rect(scene, ServerPlace(0)).center())
    assert "use 4 cpu, 4 memory of 10 cpu, 8 memory" in words
    assert entries(frame.info, jobs=True)[-1].words == "in each server: cpu, memory"


def test_labels_tell_number_configuration_and_what_it_does() -> None:
    made = Made().no_timers().real(0, L, 3).virtual(0, H).token(1, L).token(1, L)
    frame = made.frame()
    assert label_words(frame, ServerPlace(0), "number")[-1] == "1"
    assert label_words(frame, ServerPlace(0), "configuration")[0] == "3L + H"
    assert label_words(frame, ServerPlace(1), "doing")[0] == "paused: 2 tokens"
    assert label_words(frame, ServerPlace(2), "doing")[0] == "waits, case 3"
    assert label_words(Made().frame(), ServerPlace(2), "doing")[0] == "timer, rate 1"
