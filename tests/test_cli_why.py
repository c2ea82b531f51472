"""``slotscope why``: the table and one sentence, as text and as JSON, for every kind of system."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote

import pytest

from slotscope.model.whys.tables import of_several

POLICIES = Path(__file__).resolve().parents[1] / "resources" / "policies"

ASKED = ("dra-classroom --event 47", "queues-classroom --policy vqs --job 40", "jrs-classroom --event 57")


def test_it_prints_the_table_a_sentence_and_the_change_with_its_proof(slotscope):
    said = slotscope("why dra-classroom --event 47")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("Why is database job 36 rejected? Event 47")
    assert "Of 7 servers none could have been taken: 7 have no empty slot of type database." in lines[1]
    assert any(line.startswith("condition ") and "removed  left" in line for line in lines)
    assert any("Algorithm 2, line 18" in line for line in lines)
    assert "replayed: database job 36 is admitted to server 2" in said.out
    assert lines[-1] == "slotscope dra-classroom --policy dra --seed 171 --event 47"


@pytest.fixture
def told(slotscope):
    """A function that returns a command's JSON; on a slow machine stderr has progress, too."""

    def run(asked: str):
        said = slotscope(f"why {asked} --json")
        assert said.code == 0
        return json.loads(said.out)

    return run


@pytest.mark.parametrize("asked", (*ASKED, "moldable-classroom --event 51"))
def test_json_counts_every_candidate_once(told, asked):
    for table in told(asked)["tables"]:
        assert sum(line["removed"] for line in table["lines"]) + table["lines"][-1]["left"] == table["count"]
        assert all(line["place"] for line in table["lines"])


@pytest.mark.parametrize("asked", ("why {} --event 47", "ask {} rejected --events 40", "verify {} --events 20"))
def test_what_runs_is_a_fork(slotscope, asked):
    """The output must name the fork, not the policy alone, which did not decide everything."""
    said = slotscope(asked.format("dra-classroom --policy dra@12:reject --json"))
    assert json.loads(said.out.splitlines()[-1])["policy"] == "dra@12:reject"


def test_a_job_is_found_by_the_event_that_decides_it(told):
    answer = told("queues-classroom --policy vqs --job 40 --server 1")
    assert answer["job"] == "40"
    assert answer["sentence"].startswith("Why not server 1? It has a configuration with k₄ = 0")
    assert answer["flip"]["servers"] == [1]
    assert answer["flip"]["proof"] == "replayed: job 40 is placed on server 1"


@pytest.mark.parametrize(
    ("asked", "said"),
    (
        ("dra-classroom", "--event: found neither, allowed: --event N, --job J, or both"),
        ("jrs-classroom --event 56", "event 56 decides nothing, allowed: one that places a job"),
        ("dra-classroom --event 47 --server 8", "found server 8, allowed: servers 1 to 7"),
        ("dra-classroom --event 47 --job x", "--job: found 'x', allowed: a job's number or its name in the scenario"),
        ("moldable-classroom --event 0", "--event"),
    ),
)
def test_what_cannot_be_asked_is_one_line(slotscope, asked, said):
    answer = slotscope(f"why {asked}")
    assert answer.code == 2
    assert said in answer.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("dra-classroom --policy keep_room.py --event 21", "room for the best: servers = "),
        ("dra-classroom --policy keep_room.py --event 48", "room for the best: servers = 2, kept = 2"),
        ("queues-classroom --policy largest_first.py --event 11", "servers compared: size = 0.1, with room = 3"),
        ("jrs-classroom --policy asking_servers.py --job 20", ""),
        (
            "moldable-classroom --policy half_of_the_rest.py --event 50",
            "half of the rest: free = 1, half = 1, most = 5",
        ),
    ],
)
def test_a_policy_of_ones_own_is_explained_in_its_own_words(told, asked, says):
    answer = told(asked.replace("--policy ", f"--policy {quote(str(POLICIES))}/"))
    lines = [line for table in answer["tables"] for line in table["lines"]]
    assert not [line for line in lines if "Section" in line["place"] or "/" in line["place"]]
    assert any(f"it says “{says}" in line["numbers"] for line in lines) == bool(says)


def test_several_are_told_as_such():
    assert of_several("has no token out: it asks for no job") == "have no token out: they ask for no job"
    assert of_several("may not take the job") == "may not take the job"


def test_a_policy_of_ones_own_takes_another_token_where_its_own_is_gone(told):
    flip = told(f"jrs-classroom --policy {quote(str(POLICIES))}/asking_servers.py --event 30")["flip"]
    assert flip["change"] == "a virtual job takes token 10 of server 5 just before"
    assert flip["proof"] == "replayed: job 16 joins server 6"
