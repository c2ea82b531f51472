"""``slotscope ask``: every hit with the command line that opens it, as text, JSON and tables."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pytest

from slotscope.model.cli import ask
from slotscope.model.cli.arguments import parse
from slotscope.model.kinds.reservation.rows import FLAG_REJECTED
from tests.own_policies import source, write
from tests.runs import ran

REJECTED = "ask dra-classroom rejected --events 400"


@pytest.fixture(scope="module")
def rejections():
    run = ran("dra-classroom", events=400)
    found = run.timeline.rows(1, 400)
    return found["event"][(found["flags"] & FLAG_REJECTED) > 0].tolist()


def test_each_hit_is_told_with_the_line_that_opens_it(slotscope, rejections):
    said = slotscope(REJECTED)
    assert said.code == 0  # on a slow machine progress is printed beside the hits
    told = [line for line in said.out.splitlines() if line.startswith("event ")]
    opening = [line.split() for line in said.out.splitlines() if line.startswith("    slotscope")]
    assert [int(line.split()[1].strip(",")) for line in told] == rejections
    assert all("rejected" in line for line in told)
    assert [int(words[-1]) for words in opening] == rejections
    assert all(parse(words[1:]).scenario == "dra-classroom" for words in opening)
    assert said.out.splitlines()[-1].startswith(f"{len(rejections)} hits in 400 events: rejected")


def test_json_is_a_line_for_each_hit_and_one_that_counts_them(lines, rejections):
    *hits, end = lines(f"{REJECTED} --seed 171")
    assert [hit["event"] for hit in hits] == rejections
    assert {"question", "event", "time", "job", "sentence", "open"} <= set(hits[0])
    assert (end["events"], end["questions"][0]["hits"]) == (400, len(rejections))
    assert end["scenario"] == "dra-classroom"


def test_it_is_repeatable_byte_for_byte(slotscope):
    assert slotscope(f"{REJECTED} --json").out == slotscope(f"{REJECTED} --json").out


def test_several_questions_are_answered_in_one_run(lines, rejections):
    *hits, end = lines("ask dra-classroom rejected 'not rejected' --events 400")
    asked = [hit["event"] for hit in hits if hit["question"] == "rejected"]
    assert asked == rejections
    assert [each["hits"] for each in end["questions"]] == [len(rejections), 400 - len(rejections)]


def test_questions_stand_before_options_or_behind_them():
    for words in ("ask dra-vms a b --seed 3", "ask dra-vms --seed 3 a b", "ask dra-vms a --seed 3 b"):
        options = parse(words.split())
        assert (options.scenario, options.questions, options.seed) == ("dra-vms", ["a", "b"], 3)


def test_the_first_hit_ends_it(lines, rejections):
    hit, end = lines("ask dra-classroom rejected --first --events 100000000")
    assert hit["event"] == rejections[0] == end["events"]


def test_first_hits_end_with_the_last_of_them(lines):
    *hits, end = lines("ask dra-classroom rejected migrated --first --events 100000000")
    assert len(hits) == 2
    assert end["events"] == max(hit["event"] for hit in hits)


def test_a_table_has_the_same_hits(slotscope, rejections, tmp_path):
    assert slotscope(f"{REJECTED} --csv hits.csv").code == 0
    with (tmp_path / "hits.csv").open(encoding="utf-8", newline="") as file:
        assert [int(row["event"]) for row in csv.DictReader(file)] == rejections


@pytest.mark.parametrize("scenario", ["dra-classroom", "queues-bf-unstable", "jrs-deadlock", "moldable-linear"])
def test_a_table_without_hits_has_its_columns(slotscope, scenario, tmp_path):
    asked = f"ask {scenario} 'time < 0' 'time >= 0' --events 20 --csv both.csv"
    assert slotscope(asked).code == 0
    assert slotscope(f"ask {scenario} 'time < 0' --events 20 --csv none.csv --parquet none.parquet").code == 0
    heads = [(tmp_path / name).read_text(encoding="utf-8").splitlines()[0] for name in ("both.csv", "none.csv")]
    assert heads[0] == heads[1] == (tmp_path / "none.csv").read_text(encoding="utf-8").strip()
    parquet = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "none.parquet")
    assert (parquet.num_rows, ",".join(parquet.column_names)) == (0, heads[0])


@pytest.mark.parametrize("scenario", ["dra-classroom", "queues-bf-unstable", "jrs-deadlock", "moldable-linear"])
def test_names_can_be_listed_for_every_kind(slotscope, lines, scenario):
    listed = lines(f"ask {scenario} --names")
    assert {"text", "about", "unit", "cost"} == set(listed[0])
    said = slotscope(f"ask {scenario} --names")
    assert [line.split("  ")[0].strip() for line in said.out.splitlines()] == [each["text"] for each in listed]


def test_another_policy_is_asked(lines):
    *hits, end = lines("ask dra-classroom rejected --policy first-fit --events 300")
    assert end["policy"] == "first-fit"
    assert all("--policy first-fit" in hit["open"] for hit in hits)


@pytest.mark.parametrize(
    "question", ["I* > 0", "reject_group >= 0", "any server where rank > 0", "server 1 . rank = 1"]
)
def test_what_a_policy_has_not_is_told(slotscope, question):
    """First Fit ranks no servers: the numbers in its state's fields for DRA's ranks mean nothing."""
    assert slotscope(f"ask dra-classroom '{question}' --events 20").code == 0
    found = slotscope(f"ask dra-classroom '{question}' --policy first-fit --events 20")
    assert found.code == 2
    assert "which this run's policy has not" in found.err
    assert "rank" not in slotscope("ask dra-classroom --names --policy first-fit").out


def test_a_table_is_blank_where_a_policy_has_nothing(slotscope, tmp_path):
    assert slotscope("ask dra-classroom rejected --policy first-fit --events 400 --csv hits.csv").code == 0
    with (tmp_path / "hits.csv").open(encoding="utf-8", newline="") as file:
        cells = {row["i_star"] for row in csv.DictReader(file)}
    assert cells == {""}


def test_a_policy_of_ones_own_is_asked_too(lines):
    own = Path(__file__).resolve().parents[1] / "resources" / "policies" / "keep_room.py"
    *hits, _ = lines("ask dra-classroom rejected --events 600 --policy", own)
    assert hits
    assert all(own.name in hit["open"] for hit in hits)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ask dra-classroom rejectd", "question 'rejectd', character 1: found the name 'rejectd', nearest: rejected"),
        ("ask dra-classroom", "found no question"),
        ("ask dra-classroom jobs[1]", "found a number"),
        ("ask nothing-like-it rejected", "nothing-like-it"),
        ("ask dra-classroom rejected --csv nowhere/hits.csv", "nowhere/hits.csv"),
        ("ask dra-classroom rejected --events -3", "--events"),
    ],
)
def test_a_mistake_is_one_line(slotscope, command, said):
    found = slotscope(command)
    assert (found.code, found.out) == (2, "")
    assert found.err.count("\n") == 1
    assert said in found.err


def test_parquet_without_its_package_is_refused_in_one_line(slotscope, monkeypatch):
    monkeypatch.setattr("slotscope.model.reporting.data_tables.import_module", _absent)
    found = slotscope(f"{REJECTED} --parquet hits.parquet")
    assert (found.code, found.out) == (2, "")
    assert "pyarrow" in found.err
    assert found.err.count("\n") == 1


def test_where_a_policy_says_no_number_of_a_name_that_is_told(slotscope, lines, tmp_path):
    """A comparison with a missing number is always false, so no hits alone would look like an answer."""
    own = write(tmp_path, source('yield say("tried", margin=1, odd=float("nan"), word="x")\nyield Reject()\n'))
    asked = "said[margin] > 1 or said[odd] > 0 or said[ word ] = 1"
    said = slotscope("ask dra-classroom --events 60 --policy", own, asked, "said[margin] > 0")
    missing = [line.split(" is missing")[0].strip() for line in said.out.splitlines() if " is missing: " in line]
    assert missing == ["said[odd]", "said[word]"] and "in the first 60 events" in said.out
    (end,) = lines("ask dra-classroom --events 60 --policy", own, asked)
    assert end["questions"][0]["hits"] == 0


def test_hits_are_printed_as_they_are_found_and_ctrl_c_is_clean(slotscope, monkeypatch):
    def interrupted(*arguments):
        for place, part in enumerate(answers(*arguments)):
            if place == 3:
                raise KeyboardInterrupt
            yield part

    answers = ask.answers
    monkeypatch.setattr(ask, "answers", interrupted)
    said = slotscope("ask dra-vms admitted --events 100000 --json")
    assert said.code == 130
    assert said.err == "slotscope: stopped\n"
    assert all(json.loads(line)["event"] for line in said.out.splitlines())
    assert said.out


def _absent(name: str) -> None:
    raise ImportError(name)


def test_commands_of_the_help_are_understood():
    assert parse(shlex.split("ask dra-vms 'I* changes' migrated --csv hits.csv")).questions == [
        "I* changes",
        "migrated",
    ]
