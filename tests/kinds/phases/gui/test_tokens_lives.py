"""The lives of tokens: each equals what happened, event by event, whether its job is present or gone."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from slotscope.gui.kinds.phases.tokens_lines import LinesPainter
from slotscope.gui.kinds.phases.tokens_lines_layout import (
    Heading,
    Life,
    LinesLayout,
    arranged,
    covering_span,
    used_lately,
    waiting,
)
from slotscope.gui.kinds.phases.tokens_words import life_words
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.reporting.frame import Frame

Fate = tuple[int, int, int, float, float, bool]


class Diary:
    """The tokens of a run, recorded event by event."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.present: dict[int, tuple[int, int, int, float]] = {}
        self.fates: dict[int, Fate] = {}

    def go_on(self, events: int) -> Frame:
        """Run events one by one, and record which tokens each makes and removes."""
        for _ in range(events):
            self.session.run(events=1)
            self._note(self.session.frame())
        return self.session.frame()

    def _note(self, frame: Frame) -> None:
        state = frame.state
        now = {life.token: (life.type, life.pool, life.server, life.made) for life in waiting(state)}
        taken = {int(state.job_token[record]): record for record in (state.job_token >= 0).nonzero()[0].tolist()}
        for token, record in taken.items():
            if token not in self.fates:
                self.fates[token] = (
                    int(state.job_type[record]),
                    int(state.job_pool[record]),
                    int(state.job_server[record]),
                    float(state.job_token_time[record]),
                    frame.time,
                    bool(state.job_virtual[record]),
                )
        for token in self.present.keys() - now.keys():
            assert self.fates[token][:4] == self.present[token]
        self.present = now


@cache
def diary(name: str, policy: str | None, events: int) -> tuple[Diary, Frame]:
    made = Diary(Session.open(name, policy, kernel=False))
    return made, made.go_on(events)


def fate(life: Life) -> Fate:
    assert life.used is not None
    return life.type, life.pool, life.server, round(life.made, 9), life.used, life.virtual


def rounded(one: Fate) -> Fate:
    return (*one[:3], round(one[3], 9), *one[4:])  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("jrs-two-phases", None),
        ("jrs-burst", None),
        ("jrs-three-phases", None),
        ("jrs-fixed-sizes", None),
        ("jrs-two-phases", "jrs:token_limit=1"),
        ("jrs-classroom", None),
        ("jrs-two-phases", "jrs:limit=all"),
    ],
)
def test_every_life_is_as_it_happened(name: str, policy: str | None) -> None:
    written, frame = diary(name, policy, 900)
    found = used_lately(frame, 10_000)
    assert len({life.token for life in found}) == len(found)
    assert Counter(map(fate, found)) <= Counter(map(rounded, written.fates.values()))
    # No token that was requested within the rows is missing.
    first = float(frame.rows["time"][0])
    expected = Counter(rounded(one) for one in written.fates.values() if one[3] >= first)
    assert Counter(fate(life) for life in found if life.made >= first) == expected
    assert expected.total() > 20
    assert any(life.virtual for life in found)


def test_tokens_of_virtual_jobs_that_left_are_found_too() -> None:
    _, frame = diary("jrs-two-phases", "jrs:token_limit=1", 900)
    there = set(frame.state.job_token.tolist())
    gone = [life for life in used_lately(frame, 10_000) if life.virtual and life.token not in there]
    assert gone
    told = life_words(frame, gone[0])
    assert "by a virtual job, which has left" in told
    assert "ηₘₐₓ = 1 of type" in told


def test_the_last_ones_used_come_first() -> None:
    _, frame = diary("jrs-two-phases", None, 900)
    found = used_lately(frame, 10_000)
    times = [life.used for life in found]
    assert times == sorted(times, reverse=True)  # type: ignore[type-var]
    assert used_lately(frame, 5) == found[:5]
    assert all(life.age(frame.time) == pytest.approx(life.used - life.made) for life in found if life.used is not None)


def test_waiting_tokens_are_the_states_oldest_first() -> None:
    _, frame = diary("jrs-fixed-sizes", None, 900)
    state = frame.state
    found = waiting(state)
    assert [life.token for life in found] == sorted(state.token_number[state.token_number >= 0].tolist())
    assert waiting(state, 2) == found[:2] != found
    ages = [life.age(frame.time) for life in found]
    assert ages == sorted(ages, reverse=True)
    for life in found:
        assert state.tokens[life.server, life.type] > 0
        assert life.used is None
        assert "asks for nothing more" in life_words(frame, life)


def test_requests_at_the_end_of_a_pause_leave_nothing_to_guess() -> None:
    written, frame = diary("jrs-two-phases", "jrs:request_after_pause=true", 600)
    found = used_lately(frame, 10_000)
    assert found
    assert Counter(map(fate, found)) <= Counter(map(rounded, written.fates.values()))


# -- lines ---------------------------------------------------------------------------------------


def life(token: int, made: float, used: float | None = None) -> Life:
    return Life(token, 0, 0, 3, made, used)


@given(st.integers(0, 80), st.integers(0, 80), st.integers(0, 60))
def test_lines_fit_and_the_oldest_and_the_latest_are_shown(waits: int, gone: int, room: int) -> None:
    first = [life(token, float(token)) for token in range(waits)]
    second = [life(100 + token, 0.0, 1.0) for token in range(gone)]
    lines = arranged(first, second, room)
    assert len(lines) <= max(2, room)
    shown = [line for line in lines if isinstance(line, Life)]
    above = [line for line in shown if line.used is None]
    below = [line for line in shown if line.used is not None]
    assert above == first[: len(above)] and below == second[: len(below)]
    assert len(shown) == min(max(0, room - 2), waits + gone)
    heading = lines[0]
    assert isinstance(heading, Heading)
    assert heading.hidden == waits - len(above)
    below_it = lines[1 + len(above)]
    assert isinstance(below_it, Heading) and below_it.text.startswith("none") is (gone == 0)


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=40), st.floats(1e-6, 1e4))
def test_the_span_covers_most_lives_and_rarely_changes(ages: list[float], before: float) -> None:
    lines: list[Any] = [life(place, -age) for place, age in enumerate(ages)]
    span = covering_span(lines, 0.0, 0.0)
    assert sum(age <= span * (1 + 1e-9) for age in ages) >= 0.9 * (len(ages) - 1)
    assert covering_span(lines, 0.0, span) == span
    kept = covering_span(lines, 0.0, before)
    assert kept in (before, span)
    assert covering_span([], 0.0, before) == before


def test_tokens_made_just_now_are_seen_against_the_time_so_far() -> None:
    lines: list[Any] = [life(1, 0.085), life(2, 0.085)]
    assert covering_span(lines, 0.085, 0.0) == 0.1
    assert covering_span(lines, 0.085, 0.5) == 0.5  # the span shown before is kept
    assert covering_span([life(1, 0.0)], 0.0, 0.0) > 0


def test_moments_have_places_from_left_to_right() -> None:
    layout = LinesLayout(600, 300, 20, name=80, server=90, age=60)
    places = [layout.x(ago, 2.0) for ago in (9.0, 2.0, 1.0, 0.0)]
    assert places[0] == places[1] == layout.left < places[2] < places[3] == layout.right
    assert layout.right < 600 - 60
    assert layout.place_at(layout.box(4).center().y()) == 4
    assert LinesLayout(600, 10, 20, 80, 90, 60).room == 0


@given(st.integers(0, 150), st.floats(1e-3, 1e4))
@example(0, 5.0)
def test_numbers_below_the_lines_do_not_touch(qapp: object, width: int, span: float) -> None:
    told: list[tuple[QRectF, str]] = []
    painter: Any = SimpleNamespace(font=QFont, setPen=lambda _: None, drawLine=lambda _: None)
    painter.drawText = lambda box, _, text: told.append((box, text))
    marks: Any = SimpleNamespace(theme=load_theme("light"))
    LinesPainter(painter, LinesLayout(250 + width, 300, 20, 80, 90, 60), marks, span).axis(3)
    metrics, places = QFontMetricsF(QFont()), []
    for box, text in told:
        half = metrics.horizontalAdvance(text) / 2
        places.append((box.center().x() - half, box.center().x() + half))
    assert told[0][1] == "now"
    assert all(right < left for (left, _), (_, right) in pairwise(places))
