"""A policy named on the command line, with its parameters."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import PolicyError, UserError
from slotscope.model.policies.choice import choice_text, names_beside, policy_choice, seen_from
from slotscope.model.scenario.common import PolicyChoice
from slotscope.model.systems.state import digest
from tests.runs import ran


def test_a_name_alone() -> None:
    choice = policy_choice("first-fit")
    assert (choice.name, choice.parameters) == ("first-fit", {})


def test_numbers_truth_text_and_lists() -> None:
    choice = policy_choice("dra:reservation_factor=log^1.1,retry=true,d=5,load=[1/2,3]")
    assert choice.name == "dra"
    assert choice.parameters == {"reservation_factor": "log^1.1", "retry": True, "d": 5, "load": ["1/2", 3]}


@pytest.mark.parametrize(
    ("text", "name"), [("C:/policies/mine.py", "C:/policies/mine.py"), ("a/mine.py:limit=3", "a/mine.py")]
)
def test_a_colon_in_a_path_belongs_to_the_path(text: str, name: str) -> None:
    assert policy_choice(text).name == name


def test_a_file_without_its_folder_is_one_beside_that_which_runs(tmp_path: Path) -> None:
    running, other = tmp_path / "mine.py", tmp_path / "other.py"
    other.touch()
    assert seen_from(str(running), "other.py:kept=3") == f"{other}:kept=3"
    for text in ("nowhere.py", str(other), "dra:retry=true"):
        assert seen_from(str(running), text) == text


def test_a_part_without_a_value_is_named() -> None:
    with pytest.raises(PolicyError, match="found 'retry', allowed: NAME or NAME:key=value"):
        policy_choice("dra:reservation_factor=1,retry")


def test_tables() -> None:
    choice = policy_choice("threshold:steps=[{free=10,servers=5}, {free=0,servers=1}],p={a b=[1]}")
    assert choice.parameters == {"steps": [{"free": 10, "servers": 5}, {"free": 0, "servers": 1}], "p": {"a b": [1]}}


keys = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
plain = st.one_of(st.integers(-(10**9), 10**9), st.booleans(), st.sampled_from(["log^1.1", "3/5", "0.25"]))


values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4), st.dictionaries(keys, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(keys, values, max_size=4))
def test_the_text_of_a_choice_reads_back(parameters: dict[str, object]) -> None:
    choice = PolicyChoice(name="dra", parameters=parameters)
    assert policy_choice(choice_text(choice)) == choice


def test_other_parameters_than_the_scenarios() -> None:
    session = Session.open("dra-vms", "dra:reservation_factor=20", kernel=False)
    assert session.info.facts.reserved == 20
    assert Session.open("dra-vms", "dra", kernel=False).info.facts.reserved != 20


def test_a_wrong_parameter_is_told_in_one_line() -> None:
    with pytest.raises(UserError) as caught:
        Session.open("dra-vms", "dra:reservation_factor=-1", kernel=False)
    assert "policy.parameters.reservation_factor" in caught.value.line


@pytest.mark.parametrize("policy", [None, "dra", "dra:reservation_factor=3", "first-fit"])
def test_the_opening_line_opens_that_moment(policy: str | None, tmp_path: Path) -> None:
    file = tmp_path / "my cluster.toml"
    file.write_text(Path("resources/scenarios/dra-classroom.toml").read_text("utf-8"), "utf-8")
    session = ran(file, policy, seed=4, events=30)
    again = _opened(session.info.opening_line(30))
    assert digest(again.timeline.state) == digest(session.timeline.state)
    session.save(tmp_path / "run.slotscope")
    loaded = Session.load(tmp_path / "run.slotscope", kernel=False)
    assert loaded.info.opening_line(30) == session.info.opening_line(30)


def test_a_scenario_by_value_has_its_own_parameters_in_the_line() -> None:
    first = Session.open("dra-vms", "dra:reservation_factor=3", kernel=False)
    session = ran(first.bench.scenario, seed=2, kernel=False, source="dra-vms", events=20)
    again = _opened(session.info.opening_line(20))
    assert digest(again.timeline.state) == digest(session.timeline.state)


def test_an_edited_or_forked_run_says_how_to_open_it() -> None:
    session = ran("dra-classroom", events=10)
    for other in (session.continued(session.bench.scenario), Session.open(session.bench.scenario)):
        assert other.info.opening_line(10) == ""


def _opened(line: str) -> Session:
    words = shlex.split(line)
    options = dict(zip(words[2::2], words[3::2], strict=True))
    session = Session.open(words[1], options["--policy"], int(options["--seed"]), kernel=False)
    session.seek(int(options["--event"]))
    return session


def test_a_policy_in_a_file_is_called_without_its_folder_where_that_tells_it_apart() -> None:
    assert names_beside(("a/mine.py:kept=3", "dra:d=5", "a/mine.py")) == {
        "a/mine.py:kept=3": "mine.py:kept=3",
        "dra:d=5": "dra:d=5",
        "a/mine.py": "mine.py",
    }
    assert names_beside(("a/mine.py", "b/mine.py", "c/other.py")) == {
        "a/mine.py": "a/mine.py",
        "b/mine.py": "b/mine.py",
        "c/other.py": "other.py",
    }
