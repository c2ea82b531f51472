"""``import slotscope``: scripts and notebooks get the same results as the command line and the window."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slotscope
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.questions.words import Words
from slotscope.model.systems.state import digest
from tests.help_pages import blocks, page
from tests.runs import ran

CLASSROOMS = ("dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom")


def test_every_name_is_there_and_nothing_is_loaded_before_it_is_wanted() -> None:
    assert {*slotscope.__all__} <= {*dir(slotscope)}
    for name in slotscope.__all__:
        assert getattr(slotscope, name).__doc__, name
    with pytest.raises(AttributeError, match="it has DataColumn, "):
        slotscope.nothing  # type: ignore[attr-defined]  # noqa: B018
    code = "import slotscope, sys; print([m for m in ('numpy', 'numba', 'PySide6', 'pydantic') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("scenario", CLASSROOMS)
def test_a_run_is_the_one_that_the_window_would_show(scenario: str) -> None:
    run = slotscope.open(scenario, seed=5).run(events=60)
    session = ran(scenario, seed=5, events=60)
    assert (run.event, run.time) == (60, session.timeline.time)
    assert digest(run.state) == digest(session.timeline.state)
    assert run.last_sentence == session.info.narrator.row(session.timeline.rows(60, 60)[0])
    assert run.opening_line.endswith("--seed 5 --event 60")
    back = digest(run.seek(20).state)
    assert digest(run.step().step(into=True).step_back(into=True).step_back().state) == back
    assert run.event == 20
    assert repr(run) == f"<Run of {scenario} under {session.info.origin.policy}, seed 5: event 20, time {run.time:.6g}>"


def test_a_state_that_was_given_away_changes_no_run() -> None:
    run = slotscope.open("dra-classroom").run(events=30)
    before = digest(run.state)
    run.state.placement[:] = 99
    assert digest(run.state) == before


@pytest.mark.parametrize("scenario", CLASSROOMS)
def test_events_are_what_questions_find(scenario: str) -> None:
    """Each happening that questions know is a column, and asking it finds the rows in which the column is true."""
    run = slotscope.open(scenario, seed=2).run(events=250)
    table = run.events()
    assert len(table) == 250
    assert table["event"].tolist() == list(range(1, 251))
    words = Words(run.session.bench.kind.vocabulary, run.session.bench.system)
    for word in words.happenings:
        hits = run.ask(word)
        assert hits["event"].tolist() == table["event"][table[word]].tolist(), word
    half = float(np.median(table["time"]))
    assert len(run.ask(f"time > {half!r}")) == int((table["time"] > half).sum())


@pytest.mark.parametrize("scenario", CLASSROOMS)
def test_numbers_of_a_column_are_those_of_a_question(scenario: str) -> None:
    run = slotscope.open(scenario, seed=3).run(events=120)
    table, samples = run.events(), run.samples
    assert samples["event"].tolist() == list(range(121))
    checked = 0
    for column in table.columns:
        known = np.ones(120, np.bool_) if column.known is None else column.known
        if column.labels or column.values.dtype.kind == "b" or not known.any():
            continue
        value = column.values[known][0].item()
        hits = set(run.ask(f"{column.name} = {value!r}")["event"].tolist())
        wanted = {int(n) for n, cell in zip(table["event"], column.cells(), strict=True) if cell == value}
        assert hits == wanted, column.name
        checked += 1
    assert checked > 5
    for column in samples.columns[2:]:
        value = column.values[60].item()
        assert 60 in set(run.ask(f"abs({column.name} - {value!r}) < 1e-9")["event"].tolist()), column.name


def test_a_column_of_choices_has_the_scenarios_names() -> None:
    run = slotscope.open("dra-vms").run(events=500)
    events = run.events()
    assert set(events["type"]) == {"small", "regular", "memory", "large"}
    large = run.ask("type = large and rejected or type = large and admitted")
    arrived = [t == "large" and k == "arrival" for t, k in zip(events["type"], events["kind"], strict=True)]
    assert len(large) == sum(arrived)


def test_a_part_of_history_is_a_part_of_the_table() -> None:
    run = slotscope.open("dra-classroom").run(events=80)
    whole, part = run.events(), run.events(11, 20)
    assert part["time"].tolist() == whole["time"][10:20].tolist()
    assert list(part.records()) == list(whole.part(slice(10, 20)).records())


def test_a_fork_goes_on_from_here() -> None:
    run = slotscope.open("dra-classroom", seed=4).run(events=50)
    fork = run.fork("first-fit")
    assert fork.event == 50
    fork.run(events=20)
    assert (run.event, fork.event) == (50, 70)


def test_a_session_comes_back_where_it_stood(tmp_path: Path) -> None:
    run = slotscope.open("queues-classroom", seed=6).run(events=70)
    run.save(tmp_path / "a.slotscope")
    again = slotscope.open(tmp_path / "a.slotscope")
    assert (again.event, digest(again.state)) == (70, digest(run.state))


@pytest.mark.parametrize("scenario", CLASSROOMS)
def test_measuring_is_what_the_command_prints(scenario: str, slotscope_command) -> None:
    found = slotscope.measure(scenario, until=60, seed=7, replications=2)
    told = slotscope_command(f"run {scenario} --until 60 --seed 7 --replications 2")
    assert repr(found) == told.out.rstrip("\n")
    means = {name: item["mean"] for name, item in found.as_dict()["metrics"].items()}
    assert found.table["measure"].tolist() == [*means]
    assert found.table["mean"] == pytest.approx(
        [np.nan if mean is None else mean for mean in means.values()], nan_ok=True
    )


def test_comparing_is_what_the_command_prints(slotscope_command) -> None:
    found = slotscope.compare("dra-classroom", ["dra", "first-fit"], until=100, seed=7)
    told = slotscope_command("run dra-classroom --policy dra --policy first-fit --until 100 --seed 7")
    assert repr(found) == told.out.rstrip("\n")
    table = found.table
    first = table["policy"] == "dra"
    rewards = table["mean"][table["measure"] == "reward_rate"]
    paired = table["difference"][~first & (table["measure"] == "reward_rate")]
    assert paired[0] == pytest.approx(rewards[1] - rewards[0])
    assert np.isnan(table["difference"][first]).all()
    assert "<td>reward_rate</td>" in found._repr_html_()


@pytest.mark.parametrize("scenario", CLASSROOMS)
def test_bounds_are_what_the_command_prints(scenario: str, slotscope_command) -> None:
    found = slotscope.bounds(scenario)
    assert json.loads(json.dumps(found)) == json.loads(slotscope_command(f"bounds {scenario} --json").out)
    assert f"{found}\n" == slotscope_command(f"bounds {scenario}").out
    assert unescape(found._repr_html_()) == f"<pre>{found}</pre>"


def test_an_experiment_is_carried_out_and_kept(tmp_path: Path) -> None:
    found = slotscope.reproduce("dra-fig2", keep=tmp_path)
    assert found.rows["ours"].size == len(found.found.rows) > 3
    assert {"figure", "curve"} <= set(found.curves.names)
    assert all(picture.svg.startswith("<svg") for picture in found.pictures)
    assert found._repr_html_().count("<svg") == len(found.pictures)
    assert repr(slotscope.reproduce("dra-fig2", keep=tmp_path)) == repr(found)


def _drawn(picture: slotscope.Picture) -> str:
    """The picture's text without the names of patterns, which Qt numbers consecutively across pictures."""
    return re.sub(r"pattern_\w+", "", picture.svg)


@pytest.mark.parametrize("scenario", CLASSROOMS)
def test_a_run_shows_its_servers(scenario: str, tmp_path: Path) -> None:
    run = slotscope.open(scenario).run(events=40)
    early, late = run.show(), run.run(events=40).show()
    assert early.svg != late.svg
    late.save(tmp_path / "servers.svg")
    assert (tmp_path / "servers.svg").read_text(encoding="utf-8") == late.svg
    assert run._repr_svg_().startswith("<svg")
    then, log = run.show(40), run.show(40, "decisions")
    assert run.event == 80
    assert _drawn(run.seek(40).show()) == _drawn(then)
    assert _drawn(run.show("decisions")) == _drawn(run.show(panel="decisions")) == _drawn(log)
    with pytest.raises(slotscope.UserError, match=r"found the panel 'nothing', allowed: .*decisions"):
        run.show("nothing")
    with pytest.raises(slotscope.UserError, match="cannot be written"):
        late.save(tmp_path / "no" / "servers.svg")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: slotscope.open("dra-clasroom"), "dra-classroom"),
        (lambda: slotscope.open("dra-classroom", policy="vqs"), "vqs"),
        (lambda: slotscope.open("dra-classroom").run(), "neither events nor until"),
        (lambda: slotscope.open("dra-classroom").ask("rejectd"), "rejected"),
        (lambda: slotscope.open("dra-classroom").fork("dra:goal=1"), "goal"),
        (lambda: slotscope.compare("dra-classroom", ["dra", "first-fit"], until=5, warmup=9), "found 9"),
        (lambda: slotscope.reproduce("fig99"), "fig99"),
        (lambda: slotscope.reproduce("dra-fig2", policies=["dra"]), "dra-fig2 compares no policies"),
        (lambda: slotscope.bounds("nothing.toml"), "nothing.toml"),
        (lambda: slotscope.open("dra-classroom", seed=-1), "seed: found -1, allowed: a number of at least 0"),
        (lambda: slotscope.open("dra-classroom", seed=2.5), "seed: found 2.5, allowed: a whole number"),
        (lambda: slotscope.open("dra-classroom").run(events="all"), "events: found 'all', allowed: a whole number"),
        (lambda: slotscope.open("dra-classroom").fork(), "neither policy nor decision"),
        (lambda: slotscope.open("dra-classroom").show(size=(0, 9)), "size[0]: found 0, allowed: a number of at least"),
        (lambda: slotscope.compare("dra-classroom", []), "policies: found [], allowed: a list of at least 2"),
        (lambda: slotscope.measure("dra-classroom", until=float("inf")), "until: found inf, allowed: a finite number"),
        (lambda: slotscope.measure("dra-classroom", replications=0), "replications: found 0, allowed: a number of at"),
        (lambda: slotscope.reproduce("dra-fig2", "huge"), "scale: found 'huge', allowed: 'quick' or 'paper'"),
        (lambda: slotscope.reproduce("dra-fig2", keep="/proc/none"), "the folder /proc/none cannot be made"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(wrong, said: str) -> None:
    with pytest.raises(slotscope.UserError) as found:
        wrong()
    assert said in str(found.value)
    assert "\n" not in str(found.value)


def test_whatever_is_handed_over_is_checked() -> None:
    functions = [getattr(slotscope, name) for name in slotscope.__all__ if name.islower()]
    methods = [one for name, one in vars(slotscope.Run).items() if isinstance(one, FunctionType) and name[0] != "_"]
    assert len(functions) == 5 and len(methods) == 10
    switches = {"step", "step_back"}  # they accept anything with a truth value
    assert {one.__name__ for one in (*functions, *methods) if not hasattr(one, "__wrapped__")} == switches
    assert slotscope.open("dra-classroom", seed=np.int64(3)).run(events=np.int32(5)).event == 5


@pytest.mark.slow
@settings(max_examples=15)
@given(events=st.lists(st.integers(0, 300), min_size=1, max_size=5), kind=st.sampled_from(CLASSROOMS))
def test_wherever_one_goes_the_state_is_that_of_a_straight_run(events: list[int], kind: str) -> None:
    run = slotscope.open(kind, seed=9)
    run.run(events=300)
    for event in events:
        straight = slotscope.open(kind, seed=9, compiled=False)
        if event:
            straight.run(events=event)
        assert digest(run.seek(event).state) == digest(straight.state)


def test_the_page_of_the_manual_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its lines runs, block after block; expressions have a value."""
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    for block in blocks(page("library"), "python"):
        if "slotscope.gym" in block:
            continue  # an optional extra, tested in tests/library/test_gym.py
        for node in ast.parse(block).body:
            code = ast.unparse(node).replace("until=200", "until=20").replace("replications=4", "replications=2")
            if isinstance(node, ast.Expr):
                assert eval(code, known) is not None or "save(" in code or "print(" in code, code
            else:
                exec(code, known)
    assert {path.suffix for path in tmp_path.iterdir()} >= {".svg"}


def test_all_kinds_are_tried() -> None:
    assert {slotscope.open(name).session.info.system for name in CLASSROOMS} == set(ROOMS)
