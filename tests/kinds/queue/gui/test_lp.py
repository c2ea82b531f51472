"""Load and capacity: rho*, its terms, and the pictures behind Section VII.A."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRect
from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.queue.lp import SupportablePanel
from slotscope.gui.kinds.queue.lp_picture import jobs_by_size, types_of
from slotscope.gui.kinds.queue.lp_refining import RefinedBounds
from slotscope.gui.kinds.queue.lp_scale import GUARANTEES, LoadValues, bound_marks, in_a_row, load_text
from slotscope.gui.kinds.queue.lp_values import (
    MOST_ROWS,
    ConfigurationRow,
    configuration_rows,
    in_symbols,
    is_complete,
    limit_sentences,
    load_values,
    policy_title,
    price_table,
    steps,
)
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.queue.programs.bounds import QueueBounds
from slotscope.model.kinds.queue.programs.theorem1 import MOST_REFINED
from tests.gui.painted import colours, svg_of, text_of, type_of
from tests.gui.windows import panel_fixture
from tests.kinds.queue.gui.lp_frames import BF_UNSTABLE, VQS_UNSTABLE, answers, frame_at

panel = panel_fixture(SupportablePanel, 560, 900)


# -- the scale -------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(0, 500), st.floats(10, 80)), min_size=1, max_size=5))
def test_texts_in_a_row_keep_their_order(spots: list[tuple[float, float]]) -> None:
    spots.sort()
    centres, widths = [spot[0] for spot in spots], [spot[1] for spot in spots]
    lefts = in_a_row(centres, widths, 0, 500)
    assert lefts[0] >= -1e-9 and lefts[-1] + widths[-1] <= 500 + 1e-9
    for place in range(len(lefts) - 1):
        assert lefts[place] + widths[place] < lefts[place + 1]


def test_marks_say_what_bounds_the_load() -> None:
    vqs = load_values(answers(VQS_UNSTABLE)[-1])
    assert vqs is not None and vqs.exact
    marks = {text: share for share, text, _ in bound_marks(vqs)}
    assert marks == {"ρ* = L / E[R]": 1.0, "K_{RED}\u202f 0.667": pytest.approx(2 / 3)}
    assert load_text(vqs) == "= 0.700 ρ*"
    both = load_values(answers(BF_UNSTABLE)[-1])
    assert both is not None
    assert [text for _, text, _ in bound_marks(both)] == [
        "ρ* = L / E[R]",
        "K_{RED}\u202f 1.000",
        "K_{RED}, rounded up\u202f 0.900",
    ]


def test_an_unknown_rho_is_an_interval() -> None:
    values = LoadValues(Fraction(9), Fraction(10), Fraction(12), capacity=Fraction(40))
    assert load_text(values) == "= 0.750 to 0.900 ρ*"
    assert [text for _, text, _ in bound_marks(values)] == ["ρ* at least", "at most"]
    assert 1.2 < values.top < 2.5
    near = replace(values, capacity=Fraction(13))
    assert "L / E[R]" in [text for _, text, _ in bound_marks(near)]
    assert replace(values, load=Fraction(30)).top > 3
    assert load_values(answers("queues-two-resources")[-1]) is None


def test_guarantees_are_those_of_the_paper() -> None:
    assert [(item.ratio, item.source) for item in GUARANTEES] == [
        (Fraction(1, 2), "Theorem 2"),
        (Fraction(2, 3), "Theorems 3 and 4"),
    ]
    for guarantee in GUARANTEES:
        assert {policy_title(name) for name in guarantee.policies} == {*guarantee.names.split(", ")}


# -- configurations, limits, prices ----------------------------------------------------------


def test_the_shares_are_those_of_the_solution() -> None:
    frame = frame_at(BF_UNSTABLE, "vqs", 3_000)
    best = frame.bounds.supportable
    assert best is not None
    types = types_of(frame.bounds, frame.info.numbers)
    held = jobs_by_size(frame.state, types, 1)
    rows = configuration_rows(best.shares(), held, ["2", "5"])
    first, second = rows[:2]
    assert (first.configuration, first.best, first.words) == ((0, 2), Fraction(5, 9), "2 of 5")
    assert (second.configuration, second.best) == ((5, 0), Fraction(4, 9))
    assert sum(row.best * sum(row.configuration or ()) for row in rows) == Fraction(10, 3)
    assert sum(row.present for row in rows) == 1
    assert next(row.present for row in rows if row.configuration == tuple(held[0].tolist())) == 1


def test_of_many_configurations_the_largest_shares_are_kept() -> None:
    shares = {(k, 1): Fraction(k + 1, 66) for k in range(11)}
    held = np.array([[10, 1], [0, 1], [7, 7], [10, 1]])
    rows = configuration_rows(shares, held, ["1", "2"])
    assert len(rows) == MOST_ROWS + 1
    assert [row.configuration for row in rows[:2]] == [(10, 1), (9, 1)]
    assert rows[-1] == ConfigurationRow(None, "", Fraction(1 + 2 + 3, 66), 0.5)
    assert rows[0].present == 0.5
    assert rows[-1].name == "others" and rows[0].name == "(10, 1)"


def test_limits_are_told_and_those_of_the_policy_stand_out() -> None:
    theme = load_theme("light")
    vqs = limit_sentences(answers(VQS_UNSTABLE)[-1], "vqs", theme)
    assert "VQS: at most 1/75 jobs per slot; the queue grows by 0.0006" in vqs
    assert theme.ink(theme.rejection) in vqs
    other = limit_sentences(answers(VQS_UNSTABLE)[-1], "bf-js", theme)
    assert theme.ink(theme.rejection) not in other and "1/75" in other
    trap = limit_sentences(answers(BF_UNSTABLE)[-1], "bf-js", theme)
    assert "the load is less" in trap
    assert "(2, 1), a trap (Section VII.A.2)" in trap and trap.index("BF-J/S") < trap.index("VQS")  # its own first
    assert policy_title("no such policy") == "no such policy"


def test_prices_prove_the_optimum() -> None:
    frame = frame_at(BF_UNSTABLE, "vqs", 400)
    numbers, bounds = frame.info.numbers, frame.bounds
    types = types_of(bounds, numbers)
    table = price_table(bounds, numbers, types, load_theme("light"))
    assert [table.count(f">{text}<") for text in ("2/3", "5/3", "10/3", "2.04", "1.02")] == [2, 1, 1, 1, 1]
    assert price_table(QueueBounds(), numbers, (), load_theme("light")) == ""


def test_theorem_1_closes_in() -> None:
    bounds = answers("queues-small-jobs")[-1]
    found = steps(bounds)
    assert [step.cells for step in found] == [2 ** (n + 1) for n in range(MOST_REFINED + 1)]
    for before, after in pairwise(found):
        assert before.lower < after.lower
        assert before.upper is not None and after.upper is not None
        assert after.lower < after.upper < before.upper
    done = [is_complete(answer) for answer in answers("queues-small-jobs")]
    assert done == [False] * (len(done) - 1) + [True]


def test_letters_stand_for_their_names() -> None:
    assert in_symbols("rho* of alpha") == "ρ* of α"


# -- the panel -------------------------------------------------------------------------------


def test_the_numbers_of_section_7_a_1(panel: SupportablePanel) -> None:
    panel.set_frame(frame_at(VQS_UNSTABLE, "vqs", 400))
    assert panel.tiles.shown() == ["2", "1.4", "0.700", "2"]
    assert panel.region.isVisible() and not panel.refining.isVisible()
    assert "Theorem 2" in text_of(panel) and "1/75" in text_of(panel)
    assert panel.series() is not None
    names, rows = panel.series() or ([], [])
    assert [dict(zip(names, row, strict=True)) for row in rows] == [
        {"configuration": "1 1", "share": 1.0, "share_exact": "1"}
    ]


def test_the_numbers_of_section_7_a_2(panel: SupportablePanel) -> None:
    panel.set_frame(frame_at(BF_UNSTABLE, "bf-js", 400))
    assert panel.tiles.shown() == ["3.333", "3.06", "0.918", "3.333"]
    assert "10/3" in text_of(panel)
    assert {row.configuration for row in panel.bars.rows if row.best} == {(5, 0), (0, 2)}


def test_what_is_served_follows_the_run(panel: SupportablePanel) -> None:
    session = Session.open(BF_UNSTABLE, "vqs", kernel=False)
    seen = set()
    bounds = answers(BF_UNSTABLE)[-1]
    for _ in range(60):
        session.run(events=3)
        panel.set_frame(session.frame(bounds=bounds))
        assert panel.region.service is not None
        held = panel.region.service.held
        assert held[0][0] == tuple(
            session.frame().state.job_size[session.frame().state.job_server == 0, 0].tolist().count(size[0])
            for size in panel.region.picture.types
        )
        seen.add(held)
    assert len(seen) > 3


def test_pages_follow_what_is_known(qtbot: QtBot, panel: SupportablePanel) -> None:
    frame = frame_at("queues-small-jobs", "vqs", 50)
    panel.set_frame(replace(frame, bounds=QueueBounds()))
    assert "Computing the supportable workload" in text_of(panel)
    assert panel.findChild(QProgressBar).isVisible()
    panel.set_frame(replace(frame, bounds=answers("queues-small-jobs")[2]))
    assert "Computing better bounds" in text_of(panel)
    assert panel.refining.steps == steps(answers("queues-small-jobs")[2])
    assert not panel.region.isVisible() and not panel.bars.isVisible()
    panel.set_frame(frame)
    assert "Computing" not in text_of(panel)
    assert len(panel.refining.steps) == MOST_REFINED + 1
    names, rows = panel.series() or ([], [])
    assert names == ["cells", "lower", "upper"]
    assert next(iter(rows))[0] == 2
    panel.set_frame(replace(frame, bounds=QueueBounds(problem="No rho* here.")))
    assert text_of(panel) == "No ρ* here."
    assert panel.series() is None


def test_what_cannot_be_solved_is_a_sentence(panel: SupportablePanel) -> None:
    panel.set_frame(frame_at("queues-two-resources", "bf-js", 50))
    assert "With 2 resources ρ* is calculated for few sizes only" in text_of(panel)
    assert not panel.scale.isVisible()
    assert len(panel.tiles.shown()) == 2


def test_another_scenario_starts_anew(panel: SupportablePanel) -> None:
    panel.set_frame(frame_at("queues-classroom", "vqs", 50))
    assert len(panel.bars.rows) > 4
    tall = panel.bars.sizeHint().height()
    assert panel.region.picture is None
    panel.set_frame(frame_at(VQS_UNSTABLE, "vqs", 400))
    assert panel.bars.sizeHint().height() < tall
    assert panel.region.picture is not None


def test_rows_say_their_numbers(qtbot: QtBot, panel: SupportablePanel) -> None:
    panel.set_frame(frame_at(BF_UNSTABLE, "vqs", 3_000))
    qtbot.wait(20)
    bars = panel.bars
    line = bars.height() / (len(bars.rows) + 1)
    assert "2 of 5: 0.5556 of the servers for ρ*" in bars.tip_at(QPointF(0, 1.5 * line))
    assert "(4)" in bars.tip_at(QPointF(0, 1))
    assert bars.label(ConfigurationRow((1, 0, 2), "1 of a + 2 of b", Fraction(0), 0.0), 30)[0] == "1"
    assert "Theorem 1" in panel.refining.tip_at(QPointF())


def test_configurations_are_whole_in_a_hall(qtbot: QtBot, panel: SupportablePanel) -> None:
    """As beside three policies: the numbers are too wide and are left out, and the names get their room."""
    with type_of(lecture=True):
        panel.set_theme(load_theme("light"))
        panel.resize(450, 560)
        panel.set_frame(frame_at("queues-classroom", "vqs", 60))
        bars = panel.bars
        label, left, _ = bars._columns()
        assert len(bars.rows) > 3
        assert all("…" not in bars.label(row, label) for row in bars.rows)
        assert left - label >= 90


def test_the_plane_of_two_sizes_is_whole_in_a_hall(qtbot: QtBot, panel: SupportablePanel) -> None:
    with type_of(lecture=True):
        panel.set_theme(load_theme("light"))
        panel.resize(612, 459)  # beside a lesson's text of three lines, at 1280x720
        panel.set_frame(frame_at(VQS_UNSTABLE, "vqs", 13))
        qtbot.wait(30)
        assert panel.region.mapTo(panel, QPoint(0, panel.region.height())).y() <= panel.height()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_colours_of_meaning_are_there(qtbot: QtBot, panel: SupportablePanel, name: str) -> None:
    theme = load_theme(name)
    panel.set_theme(theme)
    panel.set_frame(frame_at(VQS_UNSTABLE, "vqs", 400))
    qtbot.wait(20)
    assert {theme.panel, theme.optimum, theme.greedy, theme.run} <= colours(panel.scale)
    assert {theme.panel, theme.optimum, theme.greedy} <= colours(panel.region)
    assert {theme.panel, theme.optimum, theme.run} <= colours(panel.bars)
    panel.set_frame(frame_at("queues-small-jobs", "vqs", 50))
    qtbot.wait(20)
    assert {theme.panel, theme.optimum} <= colours(panel.refining)
    assert theme.rejection not in colours(panel.scale)
    over = replace(answers(VQS_UNSTABLE)[-1], workload=Fraction(3))
    panel.set_frame(replace(frame_at(VQS_UNSTABLE, "vqs", 400), bounds=over))
    qtbot.wait(20)
    assert theme.rejection in colours(panel.scale) & colours(panel.region)


@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("size", [(420, 420), (560, 900), (1000, 500), (1500, 900), (340, 260), (640, 400)])
def test_nothing_overlaps(qtbot: QtBot, panel: SupportablePanel, size: tuple[int, int], lecture: bool) -> None:
    with type_of(lecture):
        panel.set_theme(load_theme("light"))
        panel.resize(*size)
        for name in (BF_UNSTABLE, "queues-small-jobs", "queues-classroom"):
            panel.set_frame(frame_at(name, "vqs", 300))
            qtbot.wait(30)
            parts = [
                panel.tiles,
                panel.scale,
                panel.limits,
                panel.region,
                panel.refining,
                panel.bars,
                panel.prices,
                panel.guarantees,
            ]
            shown = [part for part in parts if part.isVisible()]
            boxes = [QRect(part.mapTo(panel, QPoint(0, 0)), part.size()) for part in shown]
            for place, box in enumerate(boxes):
                assert box.left() >= 0 and box.right() <= panel.width()
                assert not any(box.intersects(other) for other in boxes[:place])
            beside = panel.scale.width() < 0.6 * panel.width()
            scale = 1.5 if lecture else 1.0
            wide = size[0] >= 880 * scale or (size[0] >= 600 * scale and size[1] < 560 * scale)
            assert beside == (wide and name != "queues-classroom")


def test_bounds_stay_in_the_plot(qtbot: QtBot, panel: SupportablePanel) -> None:
    panel.set_frame(frame_at("queues-small-jobs", "vqs", 50))
    plot = panel.refining
    assert [text[0] for text, _, _ in plot.labels()] == ["≥", "≤", "ρ"]
    plot.set_steps([RefinedBounds(2, 1.0, None), RefinedBounds(4, 1.2, 9.0), RefinedBounds(8, 1.5, 2.0)], 2.5)
    assert 2.5 < plot.top < 9.0
    assert plot.labels()[-1][2] == "rejection"
    assert plot.grab().toImage().height() == plot.height()


def test_the_picture_saves_as_vectors(qtbot: QtBot, panel: SupportablePanel, tmp_path: Path) -> None:
    panel.set_frame(frame_at(VQS_UNSTABLE, "vqs", 400))
    qtbot.wait(20)
    assert "(2, 0) 2e₂" in svg_of(panel, tmp_path)
