"""The panel of tokens: counts, limits and rates equal the run's; its items can be pointed at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.phases.colours import phase_color
from slotscope.gui.kinds.phases.tokens import TokensPanel
from slotscope.gui.kinds.phases.tokens_lines_layout import Life
from slotscope.gui.kinds.phases.tokens_rates import HEADINGS, whole_number
from slotscope.gui.kinds.phases.tokens_words import (
    counts_in,
    limits_shown,
    percent,
    recent_rates,
    row_words,
    shown_types,
    table,
    token_rows,
    usual_span,
)
from slotscope.gui.theme import current_fonts, load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.phases.sampling import EVENT_COLUMN, SCALARS, TIME_COLUMN
from slotscope.model.kinds.phases.state import MATCHED, OVERFLOWED, PAUSED, REQUESTED, TOKENS, VIRTUAL_ARRIVED
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import Thing
from slotscope.model.reporting.letters import own_letters
from tests.gui.painted import colours, series_of, svg_of, type_of
from tests.gui.plot_points import lines_of, points_of, time_reached
from tests.gui.windows import on_screen, panel_fixture
from tests.runs import ran

LIGHT = load_theme("light")


@pytest.fixture(scope="module")
def session() -> Session:
    return ran("jrs-two-phases", events=3000, kernel=True)


@pytest.fixture(scope="module")
def frame(session: Session) -> Frame:
    session.to_live_end()
    while not session.frame().state.number[TOKENS]:
        session.run(events=1)
    return session.frame()


@pytest.fixture(scope="module")
def pools() -> Frame:
    return ran("jrs-fixed-sizes", events=3000, kernel=True).frame()


@pytest.fixture(scope="module")
def many() -> Frame:
    """A frame of six types."""
    return ran("jrs-azure", events=60).frame()


@pytest.fixture(scope="module")
def together() -> Frame:
    return ran("jrs-two-phases", "jrs:limit=all", events=1500, kernel=True).frame()


panel = panel_fixture(TokensPanel, 760, 640)


def points(panel: TokensPanel, name: str) -> np.ndarray:
    """[n, 2] the points of a curve."""
    return points_of(panel.plot, name)


def height_of(panel: TokensPanel, life: Life) -> float:
    """The vertical centre of a token's line."""
    return panel.lines.layout_of_lines.box(panel.lines.lines.index(life)).center().y()


def lives(panel: TokensPanel) -> list[Life]:
    return [line for line in panel.lines.lines if isinstance(line, Life)]


# -- reading -------------------------------------------------------------------------------------


def test_tokens_stand_against_the_limits_of_the_pools(frame: Frame, pools: Frame) -> None:
    (one, two) = token_rows(frame, shown_types(frame))
    assert (one.name, two.name, one.pools) == ("L", "H", (0,))
    assert (*one.tokens, *two.tokens) == tuple(frame.state.token_count[0].tolist())
    assert limits_shown(frame, (one, two)) == {"ηₘₐₓ": 5}
    small, medium, large = token_rows(pools, shown_types(pools))
    plans = pools.info.facts.plan.pools
    assert [len(row.pools) for row in (small, medium, large)] == [2, 2, 1]
    for row in (small, medium, large):
        assert row.limits == tuple(plans[pool].token_limit for pool in row.pools)
        assert sum(row.tokens) == pools.state.token_count[:, row.type].sum()
    shown = limits_shown(pools, (small, medium, large))
    assert shown["large ≤"] == large.limits[0] < shown["small ≤"]


def test_one_limit_for_all_types_is_told(together: Frame) -> None:
    rows = token_rows(together, shown_types(together))
    assert limits_shown(together, rows) == {"ηₘₐₓ in all": 5}


def test_types_that_never_arrive_have_no_row() -> None:
    burst = ran("jrs-burst", events=200).frame()
    assert shown_types(burst) == (0,)


def test_rates_are_counts_over_the_time_since_a_sample(frame: Frame) -> None:
    types = shown_types(frame)
    recent = recent_rates(frame, types)
    assert recent.span == pytest.approx(usual_span(frame), abs=0.1)
    at = np.flatnonzero(frame.samples[:, TIME_COLUMN] <= frame.time - usual_span(frame))[-1]
    before = counts_in(frame.samples[at], 2)
    for place, kind in enumerate(types):
        for count, rate in enumerate(recent.of[place]):
            tally = frame.state.tally[(REQUESTED, MATCHED, VIRTUAL_ARRIVED, OVERFLOWED)[count]]
            assert rate * recent.span == pytest.approx(tally[kind] - before[count, kind])
        of, then = recent.of[place], frame.samples[at, SCALARS + kind]
        more = frame.state.token_count[0, kind] - then
        assert (of.requests - of.matches - of.virtual) * recent.span == pytest.approx(more)


def test_at_the_start_nothing_happens(session: Session) -> None:
    session.seek(0)
    start = session.frame()
    assert all(rate == 0 for of in recent_rates(start, (0, 1)).of for rate in of)
    session.to_live_end()


def test_the_table_holds_every_sample(frame: Frame) -> None:
    names, rows = table(frame)
    listed = [dict(zip(names, row, strict=True)) for row in rows]
    assert [row["event"] for row in listed] == frame.samples[:, EVENT_COLUMN].tolist()
    last = listed[-1]
    assert last["paused_servers"] == frame.state.number[PAUSED]
    assert last["tokens L"] == frame.state.token_count[0, 0]
    assert last["requests H"] == frame.state.tally[REQUESTED, 1]
    assert last["overflows L"] == frame.state.tally[OVERFLOWED, 0]


def test_words_say_how_the_rates_hang_together(frame: Frame, pools: Frame) -> None:
    recent, rows = recent_rates(frame, (0, 1)), token_rows(frame, (0, 1))
    told = row_words(frame, rows[0], recent, 0)
    assert told.startswith(f"type L: {rows[0].tokens[0]} token")
    assert "at most 5" in told and "in the long run 100 jobs arrive" in told
    small = token_rows(pools, (0, 1, 2))[0]
    told = row_words(pools, small, recent_rates(pools, (0, 1, 2)), 0)
    assert f"of at most {small.limits[1]} in pool {small.pools[1] + 1}" in told
    assert percent(0.25) == "25\u202f%"


# -- the panel -----------------------------------------------------------------------------------


def test_the_numbers_are_the_states(panel: TokensPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    shown = panel.tiles.shown()
    assert shown[:2] == [str(frame.state.number[TOKENS]), str(frame.state.number[PAUSED])]
    assert {row.row.name for row in panel.rates.rows} == {"L", "H"}
    assert all(row.arrivals > 0 for row in panel.rates.rows)
    assert panel.rates.most >= max(max(row.rates) for row in panel.rates.rows)


def test_a_moment_has_one_scale_of_rates(panel: TokensPanel, frame: Frame) -> None:
    """The scale does not stay as wide as the larger rates of an earlier moment needed."""
    panel.set_frame(frame)
    most, types = panel.rates.most, shown_types(frame)
    rows = tuple(row._replace(rates=row.rates._replace(requests=100.0)) for row in panel.rates.rows)
    panel.rates.show_rates(rows, recent_rates(frame, types), "minute", (), running=False)
    assert panel.rates.most > most
    panel.set_frame(frame)
    assert panel.rates.most == most


def test_curves_follow_the_samples_up_to_the_limit(panel: TokensPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    assert panel.plot.types == (0, 1)
    for kind in (0, 1):
        curve = points(panel, str(kind))
        assert curve[-1, 0] == pytest.approx(frame.time)
        area = np.trapezoid(curve[:, 1], curve[:, 0])
        times, counts = frame.samples[:, TIME_COLUMN], frame.samples[:, SCALARS + kind]
        assert area == pytest.approx(np.diff(times) @ counts[:-1], rel=0.05)
    assert lines_of(panel.plot)["ηₘₐₓ"] == 5
    assert {phase_color(LIGHT, 0), phase_color(LIGHT, 1)} <= colours(panel.plot)


def test_one_limit_has_a_curve_of_all_tokens(panel: TokensPanel, together: Frame) -> None:
    panel.set_frame(together)
    whole = points(panel, "all")
    assert len(whole) > 10
    assert whole[-1, 1] >= points(panel, "0")[-1, 1]
    assert panel.plot.types == (0, 1)


def test_long_names_leave_the_curves_their_room(qtbot: QtBot, panel: TokensPanel) -> None:
    frame = ran("jrs-azure", events=300).frame()
    names = frame.info.numbers.model.phases
    plot, letters = panel.plot, own_letters(names)
    panel.set_frame(frame)

    def named(expected: tuple[str, ...]) -> bool:
        shown = {label.text.split(" ≤")[0] for label, _, _ in plot._column.placed() if "≤" in label.text}
        return bool(shown) and shown <= set(expected) and plot.getPlotItem().getViewBox().width() > plot.width() / 4

    for width, height in ((460, 300), (1400, 700), (460, 300), (600, 640)):
        panel.resize(width, height)
        qtbot.waitUntil(lambda wide=width >= 600: named(names if wide else letters))


def test_another_run_begins_anew(panel: TokensPanel, frame: Frame, pools: Frame) -> None:
    panel.set_frame(frame)
    panel.set_frame(pools)
    assert panel.plot.types == (0, 1, 2)
    assert [row.row.name for row in panel.rates.rows] == ["small", "medium", "large"]
    panel.set_frame(frame)
    assert panel.plot.types == (0, 1)
    assert points(panel, "0")[-1, 0] == pytest.approx(frame.time)


def test_after_going_back_the_future_is_muted(panel: TokensPanel, session: Session, frame: Frame) -> None:
    panel.set_frame(frame)
    session.seek(900)
    rewound = session.frame()
    panel.set_frame(rewound)
    session.to_live_end()
    assert points(panel, "0")[-1, 0] == pytest.approx(rewound.time)
    assert points(panel, "ahead 0")[-1, 0] == pytest.approx(rewound.extent.live_end_time)
    assert panel.tiles.shown()[0] == str(rewound.state.number[TOKENS])
    assert all(life.used is None or life.used <= rewound.time for life in lives(panel))


def test_a_click_on_a_curve_goes_to_that_moment(qtbot: QtBot, panel: TokensPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    QApplication.processEvents()
    reached = time_reached(qtbot, panel, panel.plot, frame.time / 2, 1.0)
    assert reached == pytest.approx(frame.time / 2, abs=frame.time / 50)


def test_a_line_is_pointed_at_and_picked(qtbot: QtBot, panel: TokensPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    life = lives(panel)[0]
    spot = QPoint(panel.lines.width() // 2, round(height_of(panel, life)))
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.lines, Qt.MouseButton.LeftButton, pos=spot)
    token = Thing("token", life.token)
    assert caught.args == [Select(server=life.server, thing=token)]
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseDClick(panel.lines, Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [Select(server=life.server, floating=True, thing=token)]
    tip = panel.lines.tip_at(QPointF(spot))
    assert f"token {life.token + 1:,}".replace(",", "\u202f") in tip
    assert f"server {life.server + 1}" in tip
    assert "request" in panel.lines.tip_at(QPointF(5, panel.lines.height() - 2))


def test_the_tokens_of_the_server_pointed_at_are_marked(qtbot: QtBot, panel: TokensPanel, frame: Frame) -> None:
    panel.set_frame(replace(frame, running=True))
    assert LIGHT.selection not in colours(panel.lines)
    life = lives(panel)[-1]
    panel.set_selection(Select(server=life.server))
    assert LIGHT.selection in colours(panel.lines)
    panel.set_selection(Select())
    assert LIGHT.selection not in colours(panel.lines)
    qtbot.mouseMove(panel.lines, QPoint(20, round(height_of(panel, life))))
    assert LIGHT.selection in colours(panel.lines)


def test_rates_are_told_where_the_mouse_is(panel: TokensPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    row = panel.rates.sizeHint().height() / 3
    assert panel.rates.tip_at(QPointF(0, 1.5 * row)).startswith("type L")
    assert panel.rates.tip_at(QPointF(0, 2.5 * row)).startswith("type H")
    assert "ηₘₐₓ" in panel.rates.tip_at(QPointF(0, 2))


@pytest.mark.parametrize("wide", [0, 200, 800])
def test_rates_are_never_without_their_unit(panel: TokensPanel, frame: Frame, wide: int) -> None:
    panel.set_frame(frame)
    panel.rates.resize(panel.rates.whole_width + wide, panel.rates.height())
    painter = Mock()
    panel.rates._heading(painter, panel.rates._columns())
    drawn = {call.args[-1]: call.args[0] for call in painter.drawText.call_args_list}
    told = next(text for text in drawn if text.startswith("per "))
    assert QFontMetricsF(current_fonts().body).horizontalAdvance(told) <= drawn[told].width()


def test_while_it_runs_lines_follow_each_event_nearby(panel: TokensPanel) -> None:
    session = ran("jrs-two-phases", events=300)
    for _ in range(20):
        session.run(events=3)
        shown = session.frame(running=True)
        panel.set_frame(shown)
        waits = [life.token for life in lives(panel) if life.used is None]
        tokens = shown.state.token_number
        assert waits == sorted(tokens[tokens >= 0].tolist())[: len(waits)]
        assert bool(waits) == bool((tokens >= 0).any())


def test_policies_without_tokens_are_told_so(panel: TokensPanel) -> None:
    panel.set_frame(ran("jrs-two-phases", "first-fit", events=30).frame())
    words = " ".join(label.text() for label in panel.findChildren(QLabel) if label.isVisible())
    assert "Tokens does not apply to" in words


@pytest.mark.parametrize("height", [240, 320, 400, 600])
@pytest.mark.parametrize("width", [380, 410, 500, 1100])
def test_curves_and_lives_fill_the_width(panel: TokensPanel, frame: Frame, width: int, height: int) -> None:
    panel.set_frame(frame)
    panel.resize(width, height)
    QApplication.processEvents()
    seen = [part.geometry() for part in (panel.plot, panel.lines) if part.isVisible()]
    assert min(part.left() for part in seen) == 0
    assert max(part.right() for part in seen) == panel.body.width() - 1


@pytest.mark.parametrize("width", [260, 270, 420, 900])
def test_how_long_tokens_waited_is_whole_after_many_of_them(panel: TokensPanel, frame: Frame, width: int) -> None:
    """Token numbers of eight digits took the room of the last column."""
    number = frame.state.token_number
    later = frame.state._replace(token_number=np.where(number >= 0, number + 17_000_000, -1))
    panel.set_frame(frame)
    panel.lines.resize(width, 300)
    panel.lines.show_moment(replace(frame, state=later))
    layout = panel.lines.layout_of_lines
    assert layout.right + layout.gap + layout.age <= width
    assert (layout.server > 0) == (width > 300)


def test_a_policy_of_ones_own_without_limits_has_counts_curves_and_lives(panel: TokensPanel) -> None:
    session = ran("jrs-classroom", str(Path(__file__).parents[4] / "resources/policies/asking_servers.py"), events=57)
    frame = session.frame()
    panel.set_frame(frame)
    counts = frame.state.token_count.sum(axis=0)
    rows = token_rows(frame, shown_types(frame))
    assert [sum(row.tokens) for row in rows] == counts.tolist() == [1, 6]
    assert limits_shown(frame, rows) == {}
    assert set(panel.plot.types) == {0, 1}
    waits = {life.token for life in lives(panel) if life.used is None}
    assert waits == set(frame.state.token_number[frame.state.token_number >= 0].tolist())
    told = row_words(frame, rows[0], recent_rates(frame, shown_types(frame)), 0)
    assert told.startswith("type L: 1 token now\n")
    assert panel.grab().toImage().width() > 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("size", [(300, 260), (570, 290), (640, 560), (1300, 700)])
def test_it_is_drawn_at_any_size(
    panel: TokensPanel, frame: Frame, pools: Frame, theme: str, lecture: bool, size: tuple[int, int]
) -> None:
    with type_of(lecture):
        look = load_theme(theme)
        panel.set_theme(look)
        panel.resize(*size)
        for shown in (frame, pools):
            panel.set_frame(shown)
            QApplication.processEvents()
            assert lives(panel)
            kinds = {life.type for life in lives(panel)}
            assert {phase_color(look, kind) for kind in kinds} <= colours(panel.lines)
            if panel.rates.isVisible():
                assert {look.rejection, look.normal} <= colours(panel.rates)
            narrow = size == (300, 260) or (lecture and size == (570, 290))
            assert narrow or (panel.plot.isVisible() and panel.rates.isVisible())


def test_the_picture_saves_as_vectors(panel: TokensPanel, frame: Frame, tmp_path: Path) -> None:
    panel.set_frame(frame)
    assert "waiting now" in svg_of(panel, tmp_path)


def test_the_series_are_the_samples(panel: TokensPanel, frame: Frame) -> None:
    assert panel.series() is None
    panel.set_frame(frame)
    assert len(series_of(panel)[1]) == len(frame.samples)


def test_headings_of_rates_are_whole_in_a_narrow_panel(qtbot: QtBot, frame: Frame) -> None:
    """Long headings get more room than short ones, so that none is cut off while there is room for all."""
    panel = TokensPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.set_frame(frame)
    chart = panel.rates
    measure = chart.fontMetrics().horizontalAdvance
    least = [measure(brief) for _, brief, _ in HEADINGS]
    rates = chart._columns()[2]
    chart.resize(round(chart.width() - rates[-1].right() + rates[0].left() + sum(least) + 60), 300)
    widths = [box.width() for box in chart._columns()[2]]
    assert len(set(widths)) > 1
    assert all(wide >= text for wide, text in zip(widths, least, strict=True))


@pytest.mark.parametrize("short", [0, 40, 80])
def test_no_heading_of_a_rate_is_cut_in_a_film(panel: TokensPanel, frame: Frame, short: int) -> None:
    panel.set_frame(frame)
    chart = panel.rates
    measure = QFontMetricsF(current_fonts().body).horizontalAdvance
    letters = tuple(row.letter for row in chart.rows)
    briefly = sum(measure(brief) for _, brief, _ in HEADINGS)
    chart.resize(round(chart._width_beside(letters) + briefly) - short, chart.height())
    painter = Mock()
    chart._heading(painter, chart._columns())
    drawn = {call.args[-1]: call.args[0] for call in painter.drawText.call_args_list}
    for texts in HEADINGS:
        (told,) = set(texts) & set(drawn)
        assert measure(told) <= drawn[told].width()


def test_a_rate_without_room_has_fewer_digits_and_is_whole() -> None:
    metrics = QFontMetricsF(QApplication.font())
    told = [whole_number(0.019134, metrics.horizontalAdvance(text), metrics) for text in ("0.0191", "0.019", "0.02")]
    assert told == ["0.0191", "0.019", "0.02"]
    assert whole_number(360.4, metrics.horizontalAdvance("360"), metrics) == "360"


def test_a_panel_that_is_built_anew_is_arranged_for_its_size(qtbot: QtBot, frame: Frame) -> None:
    """Also after a fault, when no resize event follows: the lives are beside the curves."""
    panel = on_screen(qtbot, TokensPanel(LIGHT), 1200, 500)
    panel.set_frame(frame)
    panel.try_again()
    qtbot.waitUntil(lambda: panel.lines.isVisible() and panel.lines.x() > panel.plot.geometry().right())
    assert panel.tiles.isVisible()


@pytest.mark.parametrize("width", [380, 500, 1100])
@pytest.mark.parametrize("height", [300, 350, 400, 450, 520])
def test_curves_that_types_leave_no_room_for_give_way(qtbot: QtBot, width: int, height: int, many: Frame) -> None:
    """Each type takes the height of a row of rates from the curve, which is hidden when it would be too low."""
    panel = on_screen(qtbot, TokensPanel(LIGHT), width, height)
    panel.set_frame(many)
    rates, plot = panel.rates, panel.plot
    qtbot.waitUntil(lambda: rates.isHidden() or rates.height() >= rates.sizeHint().height())
    assert plot.isHidden() or plot.height() >= 80
