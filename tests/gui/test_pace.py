"""The speed slider, its keys, and the pace at which a scenario begins."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from slotscope.gui.running import drive as driving
from slotscope.gui.running.drive import LONGEST_WAIT, Drive
from slotscope.gui.running.goals import Goal
from slotscope.gui.running.pace import NO_LIMIT, REAL_TIME, SLIDER_MOST, Pace, next_position, pace_at, position_of
from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.measures.monitors import Reading
from slotscope.model.questions.breakpoints import Breakpoints, WatchedLane
from slotscope.model.scenario.files import scenario_files

ROUND = [
    "0.3 sub-steps/s",
    "0.5 sub-steps/s",
    "1.0 sub-steps/s",
    "2.0 sub-steps/s",
    "5.0 sub-steps/s",
    "0.001×",
    "0.002×",
    "0.005×",
    "0.01×",
    "0.02×",
    "0.05×",
    "0.1×",
    "0.2×",
    "0.5×",
    "1×",
    "2×",
    "5×",
    "10×",
    "20×",
    "50×",
    "100×",
    "200×",
    "500×",
    "no limit",
]


def walked(position: int, step: int) -> list[str]:
    labels = [pace_at(position).label]
    while (following := next_position(position, step)) != position:
        position = following
        labels.append(pace_at(position).label)
    return labels


def test_keys_go_through_round_paces() -> None:
    assert walked(0, 1) == ROUND
    assert walked(SLIDER_MOST, -1) == ROUND[::-1]


def test_three_presses() -> None:
    slower = faster = position_of(REAL_TIME)
    for _ in range(3):
        slower, faster = next_position(slower, -1), next_position(faster, 1)
    assert (pace_at(slower).label, pace_at(faster).label) == ("0.1×", "10×")


@pytest.mark.parametrize("position", [588, 600, 612])
def test_from_where_it_snaps_a_key_leads_away(position: int) -> None:
    assert pace_at(position) == REAL_TIME
    assert pace_at(next_position(position, 1)) == Pace(time=2)
    assert pace_at(next_position(position, -1)) == Pace(time=0.5)


def test_every_position_has_a_plain_label_and_comes_back() -> None:
    for position in range(SLIDER_MOST + 1):
        pace = pace_at(position)
        assert "e" not in pace.label.removesuffix(" sub-steps/s")
        snapped = pace in (REAL_TIME, NO_LIMIT)
        assert snapped or abs(position_of(pace) - position) <= 1
        assert pace_at(position_of(pace)) == pace


def gaps(session: Session, events: int = 10) -> list[float]:
    """The simulated times of the first events."""
    times = []
    for _ in range(events):
        session.run(events=1)
        times.append(session.timeline.time)
    return times


@pytest.mark.parametrize("name", sorted(scenario_files()))
def test_nobody_waits_long_at_first(name: str) -> None:
    """At the initial pace of the scenario; scenarios with traces need their files."""
    from slotscope.model.scenario.load import load_scenario

    if load_scenario(name).workload.kind == "trace":
        pytest.skip("needs a trace")
    if name.startswith("jrs") and "alibaba" in name:
        pytest.skip("needs a plan that takes long")
    session = Session.open(name, kernel=False)
    assert np.diff(gaps(session), prepend=0.0).max() <= 5 * session.info.usual_pace


def test_recorded_jobs_that_begin_slowly_begin_at_a_faster_pace(tmp_path: Path) -> None:
    rows = []
    for n in range(12):  # one task, then none for half a minute
        start = 600_000_000 + (0 if n == 0 else 30_000_000 + n)
        for kind, at in ((0, start), (1, start + 10), (4, start + 60_000_000)):
            rows.append(f"{at},,{n},0,{n},{kind},user,1,0,0.25,0.25,0.01,0")
    path = tmp_path / "part.csv.gz"
    path.write_bytes(gzip.compress("\n".join(sorted(rows)).encode()))
    session = Session.open("queues-google", kernel=False, trace=(str(path),))
    first = [float(time) for time in session.bench.system.workload.block_at(0).time[:10]]
    assert first[1] - first[0] == 187  # slots
    assert session.info.usual_pace == 256


class Clock:
    """A stand-in for the clock of a drive."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_would_be_waited_for_too_long_is_cut_short_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a trace the first job may arrive hours before the second."""
    monkeypatch.setattr(driving, "monotonic", clock := Clock())
    session, drive = Session.open("dra-classroom", kernel=False), Drive(Breakpoints())
    following = session.timeline.next_event
    assert following is not None
    pace = Pace(time=following.time / (3 * LONGEST_WAIT))
    drive.set_pace(pace, session)
    drive.begin(session, Goal())
    told = []
    for clock.now in np.arange(0.0, 2 * LONGEST_WAIT, 0.5):
        drive.slice(session)
        told.append(drive.told_of_gap)
        if session.timeline.event:
            break
    assert clock.now == pytest.approx(LONGEST_WAIT, abs=0.5)
    assert told[0].startswith("Nothing happens for ")
    assert told[0].endswith(f"the 15 seconds that this takes at {pace.label} are cut to 5.")
    assert set(told[:-1]) == {told[0]}
    drive.set_pace(Pace(time=1000.0), session)
    drive.slice(session)
    assert not drive.told_of_gap


def test_a_monitor_of_any_lane_stops_the_run_once_and_says_whose_it_is() -> None:
    run = Comparison.open("dra-classroom", ["best-fit", "first-fit"], kernel=False)
    run.run(events=200)
    run.to_start()
    first, other = run.sessions
    monitor = next(one for one in first.bench.kind.monitors if one.name == "capacity")
    found = [Reading(monitor, "violated", 1, 41, "why")]
    breakpoints = Breakpoints()
    lanes = [WatchedLane(first.timeline, tuple, "Best fit"), WatchedLane(other.timeline, lambda: found, "First fit")]
    breakpoints.watch(first.bench, first.timeline, lanes)
    breakpoints.add("monitor capacity")
    drive = Drive(breakpoints)
    drive.set_pace(NO_LIMIT, run)

    def said() -> str:
        drive.begin(run, Goal(event=200, note="there"))
        return next(line for line in iter(lambda: drive.slice(run), "") if line is not None)

    assert said().startswith("First fit: Violated after event 41: ")
    assert other.timeline.event == 41
    assert said() == "there"
