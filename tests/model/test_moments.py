"""The command line that opens a moment opens exactly that moment, for every kind, policy and sub-step."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.cli.arguments import parse
from slotscope.model.cli.parser import UsageError
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import Run, lanes_of, open_run, stand_at
from slotscope.model.errors import UserError
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.origin import NO_LINE, Moment
from slotscope.model.systems.state import digest
from tests.runs import ran

#: For each kind: a scenario, and policies to run it under, among them some with parameters and some from files.
RUNS = {
    "reservation": ("dra-classroom", ("dra", "first-fit", "power-of-d:choices=2")),
    "queue": ("queues-classroom", ("vqs-bf", "bf-js", "vqs:j=4")),
    "phases": ("jrs-classroom", ("jrs", "first-fit", "jrs:token_limit=3")),
    "moldable": ("moldable-classroom", ("greedy-p", "greedy", "fixed-width:servers=3")),
}


def opened(line: str) -> Run:
    """What the window opens for a command line, read by the program's own parser."""
    program, *words = shlex.split(line)
    assert program == "slotscope"
    options = parse(words)
    assert options.command == "window"
    run = open_run(options.scenario, options.policies, options.seed, tuple(options.trace), False)
    stand_at(run, options.event)
    return run


def place(run: Run) -> list[tuple[str, int, int, str, str]]:
    """The position of every lane: policy, event, sub-step, and the digests of what it shows."""
    return [
        (
            lane.bench.scenario.policy.name,
            lane.timeline.event,
            lane.timeline.substep,
            digest(lane.timeline.state),
            digest(lane.timeline.shown_state),
        )
        for lane in lanes_of(run)
    ]


def walk(run: Run, moves: list[str]) -> None:
    for move in moves:
        if move == "lane" and isinstance(run, Comparison):
            run.followed = (run.followed + 1) % len(run.sessions)
        elif move == "far":
            run.run(events=7)
        elif move != "lane":
            getattr(run, move)()


MOVES = st.lists(
    st.sampled_from(["far", "step", "step_into", "step_into", "step_back", "step_back_into", "step_out", "lane"]),
    max_size=14,
)


@pytest.mark.parametrize("system", RUNS)
@given(lanes=st.integers(1, 3), seed=st.integers(0, 50), moves=MOVES)
@settings(max_examples=8)
def test_the_line_of_a_moment_opens_it(system: str, lanes: int, seed: int, moves: list[str]):
    scenario, policies = RUNS[system]
    run = open_run(scenario, policies[:lanes], seed, kernel=False)
    walk(run, moves)
    frame = run.frame()
    again = opened(frame.opening_line)
    assert place(again) == place(run)
    assert again.frame().opening_line == frame.opening_line


@pytest.mark.parametrize("lanes", [1, 2])
def test_files_of_any_name_are_named_by_whole_paths(lanes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source = Path("resources/scenarios/dra-classroom.toml").read_text("utf-8")
    folder = tmp_path / "it's a 'cluster' $HOME"
    folder.mkdir()
    (folder / "my; servers.toml").write_text(source, "utf-8")
    monkeypatch.chdir(folder)
    run = open_run("my; servers.toml", ("dra:reservation_factor=2", "best-fit")[:lanes], 3, (), False)
    run.run(events=23)
    line = run.frame().opening_line
    monkeypatch.chdir(tmp_path)
    assert place(opened(line)) == place(run)


def test_a_run_that_no_line_opens_says_what_to_save():
    session = ran("dra-classroom", events=10)
    edited = Session.open(session.bench.scenario, kernel=False)
    for run in (session.continued(session.bench.scenario), edited):
        assert run.frame().opening_line == ""
        both = Comparison.beside(run, ["first-fit"], kernel=False)
        assert both.frame().opening_line == ""
    assert "Ctrl+S" in NO_LINE and "slotscope FILE.slotscope" in NO_LINE


def test_a_session_that_was_saved_has_the_line_again(tmp_path: Path):
    session = Session.open("queues-classroom", "vqs", 4, kernel=False)
    session.seek(20, 3)
    session.save(tmp_path / "run.slotscope")
    loaded = Session.load(tmp_path / "run.slotscope", kernel=False)
    frames: list[Frame] = [session.frame(), loaded.frame()]
    assert frames[0].opening_line == frames[1].opening_line
    assert frames[0].opening_line.endswith("--event 20.3")


@pytest.mark.parametrize("text", ["40", "40.3", "40,41", "40,41.2,39", "0,0"])
def test_a_moment_reads_back(text: str):
    assert str(Moment.read(text)) == text


@pytest.mark.parametrize("text", ["", "-1", "4.", ".4", "4,", "1.2,3.4", "4.5.6", "9" * 14, "1e3"])
def test_what_is_no_moment_is_refused_in_one_line(text: str):
    with pytest.raises(UsageError) as caught:
        parse(["dra-vms", f"--event={text}"])
    assert caught.value.line.startswith(f"--event: found '{text}', allowed: ")


def test_events_at_which_the_policies_never_stand_together_are_refused():
    run = open_run("dra-classroom", ("dra", "first-fit"), kernel=False)
    with pytest.raises(UserError, match="found the events 200,3, allowed: numbers at which"):
        stand_at(run, Moment((200, 3)))
    with pytest.raises(UserError, match="found 1,2,3, the events of 3 policies"):
        stand_at(run, Moment((1, 2, 3)))


def test_more_policies_in_a_moment_than_on_the_line_are_refused_before_a_window_opens(slotscope):
    said = slotscope("screenshot dra-classroom --event 3,4 --out x.png")
    assert said.code == 2
    assert said.err.endswith("found 3,4, the events of 2 policies, allowed: those of at most 1\n")


@pytest.mark.parametrize("policies", [(), ("dra", "first-fit")])
def test_a_moment_beyond_the_end_says_where_the_run_ends(policies: tuple[str, ...]) -> None:
    run = open_run("dra-example-2", policies, kernel=False)
    assert stand_at(run, Moment((5,))) is None
    said = stand_at(run, Moment((500,)))
    assert said == "found event 500, allowed: up to 5, the last one: this is the moment after it"
    assert run.timeline.event == 5
