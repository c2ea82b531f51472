"""Tracks of expressions through history: values, integrals and counts equal those computed event by event."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.errors import UserError
from slotscope.model.questions import tracks
from slotscope.model.questions.asking import answers
from slotscope.model.questions.breakpoints import Breakpoint
from slotscope.model.questions.tracks import MOST_TRACKS, OWN, Followed, Tracked
from slotscope.model.questions.understanding import understood
from slotscope.model.running import recorder
from slotscope.model.running.waiting import waiting
from tests.own_policies import opened, source
from tests.runs import ran

#: Numbers and conditions for each kind of system, from rows, samples and states; some are missing at times.
FOLLOWED = [
    ("dra-classroom", ["jobs[1]", "server", "rejected", "reject_group", "was jobs[1]"]),
    ("queues-vqs-unstable", ["waiting", "waiting > 20", "best_residual"]),
    ("jrs-two-phases", ["active", "overflowed and not was overflowed", "all_tokens"]),
    ("moldable-sublinear", ["busy", "lasts", "blocked", "admitted"]),
]


def plain(session: Session, text: str, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Events, times, and the value of an expression at each event, from evaluating the question."""
    question = understood(text, session.info.words, truth=False)
    found = [
        (part.rows["event"].copy(), part.rows["time"].copy(), part.values[0].astype(float))
        for part in answers(session.bench.system, session.timeline, [question], 0, last)
    ]
    events, times, values = map(np.concatenate, zip(*found, strict=True))
    return events, times, values


def followed(session: Session, *texts: str) -> Tracked:
    session.tracks.want(Followed(texts))
    session.tracks.search(60)
    found = session.tracks.found()
    assert found is not None and not found.searching
    return found


@pytest.mark.parametrize(("scenario", "texts"), FOLLOWED)
@pytest.mark.parametrize("most", [2**16, 256])
@pytest.mark.slow
def test_values_integrals_and_counts_are_those_of_a_plain_walk(scenario, texts, most, monkeypatch):
    last = 1200 if most < 1024 else 300
    monkeypatch.setattr(recorder.Samples.__init__, "__defaults__", (most,))
    session = ran(scenario, events=last)
    found = followed(session, *texts)
    assert [track.text for track in found.tracks] == texts
    assert found.last == last
    assert len(found.table) <= max(most, 1024)
    for place, track in enumerate(found.tracks):
        events, times, values = plain(session, track.text, last)
        at = found.table[:, 0].astype(int) - 1  # events count from 1
        assert (found.table[:, 1] == times[at]).all()
        held, total, known = [], [], np.nan
        for index, value in enumerate(values):
            if track.truth:
                total.append((total[-1] if total else 0) + value)
            else:
                gained = 0.0 if index == 0 or np.isnan(known) else known * (times[index] - times[index - 1])
                total.append((total[-1] if total else 0.0) + gained)
            known = known if np.isnan(value) else value
            held.append(known)
        np.testing.assert_array_equal(found.table[:, 2 + 2 * place], np.array(held)[at])
        np.testing.assert_allclose(found.table[:, 3 + 2 * place], np.array(total)[at], rtol=1e-9)
        if track.truth:
            assert track.hits == int(values.sum())
            assert track.first == (int(events[values > 0][0]) if values.any() else -1)
            assert track.first_false == (int(events[values == 0][0]) if not values.all() else -1)


def test_memory_stays_bounded_and_counts_exact():
    session = ran("dra-vms", kernel=True, events=400_000)
    found = followed(session, "departed", "jobs[1]")
    assert len(found.table) <= recorder.MOST_SAMPLES
    rows = session.timeline.rows(1, 400_000)
    departed = np.cumsum((rows["flags"] & session.info.words.happenings["departed"].flag) != 0)
    assert found.tracks[0].hits == departed[-1]
    at = found.table[:, 0].astype(int) - 1
    assert (found.table[:, 3] == departed[at]).all()


def test_it_follows_a_run_in_a_share_of_its_time(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(tracks, "monotonic", lambda: clock[0])
    session = Session.open("dra-classroom", kernel=False)
    session.tracks.want(Followed(("jobs[1]",)))
    steps = []
    monkeypatch.setattr(type(session.tracks), "_step", lambda self: steps.append(clock.__setitem__(0, clock[0] + 0.01)))
    for _ in range(1000):
        session.run(events=1)
        clock[0] += 0.01
        session.tracks.follow()
    assert 0.7 * tracks.SHARE * clock[0] <= 0.01 * len(steps) <= 1.3 * tracks.SHARE * clock[0]


def test_a_live_run_is_caught_up_with(monkeypatch):
    monkeypatch.setattr(tracks, "monotonic", count(step=0.01).__next__)
    session = Session.open("dra-classroom", kernel=False)
    session.tracks.want(Followed(("jobs[1]",)))
    while session.tracks.found() is None or session.tracks.found().last < 300:
        session.run(events=1 if session.timeline.event < 2000 else 0)
        session.tracks.follow()
    assert session.timeline.event <= 2000


def test_esc_stops_and_what_is_known_stays():
    session = ran("dra-classroom", events=3000)
    session.tracks.want(Followed(("jobs[1]", "rejected")))
    session.tracks.search(0.002)
    session.tracks.stop()
    before = session.tracks.found()
    assert before is not None and before.last < 3000 and not before.searching
    session.tracks.search(10)
    assert session.tracks.found().last == before.last
    session.tracks.want(Followed(("jobs[1]",)))
    with waiting(lambda _: None, lambda: 1):  # stopped for other work
        session.tracks.search(10)
    assert not session.tracks.found().fault


def test_breakpoints_are_marked_while_something_is_followed():
    session = ran("dra-classroom", events=500)
    session.tracks.mark([Breakpoint(20), Breakpoint("rejected"), Breakpoint("no such thing")])
    assert session.tracks.found() is None and not session.tracks.due
    found = followed(session, "jobs[1]")
    assert [(track.text, track.role) for track in found.tracks] == [
        ("jobs[1]", "follow"),
        ("event = 20", "stop"),
        ("rejected", "stop"),
    ]
    assert (found.tracks[1].hits, found.tracks[1].first) == (1, 20)
    session.tracks.want(Followed(()))
    assert session.tracks.found() is None


def test_of_a_breakpoint_that_counts_only_those_are_marked_that_stop_the_run():
    session = ran("dra-classroom", events=1000)
    found = followed(session, "rejected")
    grown = np.diff(found.table[:, 3], prepend=0.0) > 0
    later = [event for event in found.table[grown, 0].tolist() if event > 200]
    session.tracks.mark([Breakpoint("rejected", 3, 200)])
    session.tracks.search(10)
    found = session.tracks.found()
    assert found is not None and found.tracks[1].hits == len(later) // 3 > 3
    grown = np.diff(found.table[:, 5], prepend=0.0) > 0
    assert found.table[grown, 0].tolist() == later[2::3]


def test_no_more_than_can_be_drawn_are_followed():
    followed = Followed()
    for number in range(MOST_TRACKS):
        followed = followed.changed("follow", f"event + {number}", over=False)
    with pytest.raises(UserError, match=f"found {MOST_TRACKS} expressions already"):
        followed.changed("follow", "event", over=False)
    assert followed.changed("watch", "event > 0", over=False).watch == ("event > 0",)
    assert followed.joined(Followed(("time",), ("event > 0",))) == followed._replace(watch=("event > 0",))
    assert len(followed.changed("follow", "event + 1", over=True).follow) == MOST_TRACKS - 1


def test_conditions_that_ought_to_hold_are_judged_after_every_event():
    session = ran("dra-classroom", events=400)
    session.tracks.want(Followed((), ("not rejected", "time >= 0", "waiting < 3")))
    assert session.tracks.found().readings()["time >= 0"].standing == "open"
    session.tracks.search(60)
    readings = session.tracks.found().readings()
    assert list(readings) == ["not rejected", "time >= 0"]  # the run has no queue
    rows = session.timeline.rows(1, 400)
    rejections = rows["event"][(rows["flags"] & session.info.words.happenings["rejected"].flag) != 0]
    broken, sound = readings.values()
    assert (broken.standing, broken.event, broken.since) == ("violated", rejections[0], rejections[0] - 1)
    assert f"at {len(rejections)} events of 400" in broken.sentence
    assert (sound.standing, sound.looked, sound.monitor.source) == ("holds", 400, OWN)


def test_a_comparison_that_ought_to_hold_has_a_slack():
    session = ran("queues-classroom", events=60)
    texts = ("waiting < 3", "2 * time >= event + 1", "waiting < 3 or time > 2", "not waiting > 2")
    session.tracks.want(Followed((), texts))
    session.tracks.search(60)
    tracked = session.tracks.found()
    rows = session.timeline.rows(1, 60)
    assert tracked.slack(texts[0]).tolist() == (3 - rows["waiting"]).tolist()
    assert tracked.slack(texts[1]).tolist() == (2 * rows["time"] - rows["event"] - 1).tolist()
    assert not any(len(tracked.slack(text)) for text in texts[2:])
    assert list(tracked.readings()) == list(texts)


def test_a_session_file_keeps_what_is_followed(tmp_path):
    session = ran("dra-classroom", events=20)
    followed = Followed(("jobs[1]", "no such thing"), ("not rejected",))
    session.tracks.want(followed)
    session.save(tmp_path / "a.slotscope")
    again = Session.load(tmp_path / "a.slotscope", kernel=False)
    assert again.tracks.followed == followed == again.frame().followed


#: Says a number that is infinite from event 40 on, and NaN.
SAYS = """
yield say("tried", margin=3.0 if view.event < 40 else float("inf"), odd=float("nan"))
yield Reject()
"""


@pytest.mark.filterwarnings("error")
def test_of_infinite_numbers_means_are_over_the_finite_ones_before(tmp_path: Path) -> None:
    session = opened(tmp_path, source(SAYS))
    session.run(events=80)
    table = followed(session, "said[margin]", "said[odd]").table
    began = table[np.argmax(~np.isnan(table[:, 2])), 1]
    assert np.isinf(table[-1, 2]) and table[-1, 3] == pytest.approx(3.0 * (table[-1, 1] - began))
    assert np.isnan(table[:, 4]).all() and not table[:, 5].any()
