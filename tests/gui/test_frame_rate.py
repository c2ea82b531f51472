"""How often a run is shown, depending on the time that the drawing thread spends per frame."""

from __future__ import annotations

import pytest

from slotscope.gui.running import pace
from slotscope.gui.running.pace import DRAWING, FRAME_SECONDS, LONGEST_SECONDS, PACED_SECONDS, FrameRate


class Clocks:
    """Both clocks of a frame rate, advanced by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passed = self.worked = 100.0
        monkeypatch.setattr(pace, "monotonic", lambda: self.passed)
        monkeypatch.setattr(pace, "thread_time", lambda: self.worked)

    def frames(self, rate: FrameRate, count: int, cost: float, limited: bool = True) -> float:
        """Draw *count* frames, each as soon as it is due; return the seconds between the last two."""
        for _ in range(count):
            rate.count(limited)
            self.worked += cost
            rate.drawn()
            waited = rate.left
            self.passed += waited
        return waited


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


@pytest.mark.parametrize("cost", [0.0, 0.004, 0.0075, 0.010, 0.013])
def test_drawing_has_its_part_of_a_core_at_a_pace(clocks: Clocks, cost: float) -> None:
    period = clocks.frames(FrameRate(), 100, cost)
    assert PACED_SECONDS <= round(period, 9) <= LONGEST_SECONDS
    assert cost <= (DRAWING + 1e-4) * period
    assert period <= PACED_SECONDS + 1e-4 or cost >= (DRAWING - 1e-4) * period, "and as many frames as that allows"


def test_a_run_at_a_pace_is_seen_to_move_whatever_a_frame_costs(clocks: Clocks) -> None:
    assert clocks.frames(FrameRate(), 50, 0.2) == pytest.approx(LONGEST_SECONDS)


def test_without_a_limit_frames_are_as_many_as_the_eye_sees(clocks: Clocks) -> None:
    assert clocks.frames(FrameRate(), 50, 0.013, limited=False) == pytest.approx(FRAME_SECONDS)


def test_what_was_done_once_is_soon_forgotten(clocks: Clocks) -> None:
    rate = FrameRate()
    clocks.frames(rate, 100, 0.004)
    clocks.worked += 30  # for example a lesson was read
    clocks.frames(rate, 1, 0.004)
    assert clocks.frames(rate, 25, 0.004) == pytest.approx(PACED_SECONDS)


def test_the_rate_is_kept_where_a_frame_comes_late(clocks: Clocks) -> None:
    rate = FrameRate()
    clocks.frames(rate, 10, 0.0)
    clocks.passed += PACED_SECONDS / 4
    assert clocks.frames(rate, 1, 0.0) == pytest.approx(0.75 * PACED_SECONDS)
