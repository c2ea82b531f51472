"""Recorded workloads of any length are measured during the time in which they have jobs."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from slotscope.model.scenario.load import load_scenario
from slotscope.model.traces.span import run_over
from tests.model.trace_files import short_log

GOOGLE = Path("google2011") / "task_events-job_id-mod151eq2.csv.gz"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return short_log(tmp_path)


def test_a_short_log_is_measured_within_its_span(answer, log) -> None:
    found = answer("run moldable-swf --trace", log)
    end = found["time"]
    assert found["warmup"] == pytest.approx(end / 10)
    assert found["metrics"]["admitted"]["mean"] + found["metrics"]["blocked"]["mean"] >= 50
    again = answer(f"run moldable-swf --until {end / 2} --trace", log)
    assert again["warmup"] == pytest.approx(end / 20)


def test_past_the_end_is_said_or_refused_in_one_line(slotscope, log) -> None:
    said = slotscope("run moldable-swf --until 10000000 --warmup 5 --json --trace", log)
    assert said.code == 0
    assert said.err.startswith("slotscope: warning: the last recorded job arrives at ")
    assert len(said.err.splitlines()) == 1
    refused = slotscope("run moldable-swf --until 10000000 --warmup 1000000 --trace", log)
    assert refused.code == 2
    assert refused.err.startswith("slotscope: --warmup: found 1e+06, allowed: a time before ")
    assert len(refused.err.splitlines()) == 1


def test_what_a_scenario_says_of_its_run_holds_as_far_as_the_record_reaches(slotscope, log, tmp_path) -> None:
    text = (Path(__file__).parents[1] / "resources" / "scenarios" / "moldable-swf.toml").read_text()
    given = tmp_path / "given.toml"
    given.write_text(text.replace("[run]", "[run]\nuntil = 20\nwarmup = 3"))
    assert "measured from 3 to 20 s" in slotscope("run", given, "--trace", log).out
    for warmup, begin in ((1, "1"), (1000000, r"\d+\.\d+")):
        given.write_text(text.replace("[run]", f"[run]\nuntil = 2000000\nwarmup = {warmup}"))
        said = slotscope("run", given, "--trace", log)
        (end,) = re.findall(
            rf"until 2e\+06, but the last .* before that: measured from {begin} to (\d+[.\d]*);", said.out
        )
        assert f" to {end} s" in said.out
        assert not said.err


@pytest.mark.parametrize("name", ["dra-google", "queues-google"])
def test_tasks_are_measured_to_the_last_of_them(answer, shared_traces, name: str) -> None:
    found = answer(f"run {name} --trace", shared_traces / GOOGLE)
    assert found["metrics"]["admitted" if name == "dra-google" else "placed"]["mean"] > 400
    assert found["warmup"] == pytest.approx(found["time"] / 10, abs=1)


def test_a_sweep_measures_the_same_stretch(answer, log) -> None:
    rows = answer(
        "sweep moldable-swf --vary servers.count=32 --replications 1 --workers 1 --policy greedy --trace", log
    )["rows"]
    one = answer("run moldable-swf --policy greedy --trace", log)["metrics"]
    one = one["blocking_probability"]["mean"]
    (swept,) = [row["ours"] for row in rows if row["what"] == "blocking_probability"]
    assert swept == pytest.approx(one)


@pytest.mark.parametrize(
    ("last", "until", "warmup"), [(29_363_817.0, 29_360_000, 2_936_000), (0.0123456, "0.01234", "0.001234")]
)
def test_the_end_is_rounded_down(last: float, until: object, warmup: object) -> None:
    run = run_over(load_scenario("dra-google"), last)
    assert (Fraction(run["until"]), Fraction(run["warmup"])) == (Fraction(str(until)), Fraction(str(warmup)))


def test_slots_are_whole() -> None:
    run = run_over(load_scenario("queues-google"), 12_345.0)
    assert (run["until"], run["warmup"]) == ("12340", "1234")
    assert run_over(load_scenario("queues-google"), 3.0)["warmup"] == "0"
