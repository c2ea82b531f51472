"""``slotscope export`` and ``run --check``: data for other programs, and results that must not change."""

from __future__ import annotations

import csv
import json

import pyarrow.parquet
import pytest

CLASSROOMS = ("dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom")
RUN = "run dra-classroom --seed 3 --until 200"


def lines_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("scenario", CLASSROOMS)
def test_events_and_samples_are_written(scenario, slotscope, tmp_path):
    found = slotscope(f"export {scenario} --seed 2 --events 300 --to e.csv --samples s.csv --every 10")
    assert found.code == 0
    # Only progress may be printed, if kernels must be compiled first.
    assert all(line.endswith("(Ctrl+C stops it)") for line in found.err.splitlines())
    events, samples = lines_of(tmp_path / "e.csv"), lines_of(tmp_path / "s.csv")
    assert [row["event"] for row in events] == [str(event) for event in range(1, 301)]
    assert [row["event"] for row in samples] == [str(event) for event in range(10, 301, 10)]
    times = {row["event"]: row["time"] for row in events}
    assert all(float(row["time"]) == float(times[row["event"]]) for row in samples)
    asked = slotscope(f"ask {scenario} departed --seed 2 --events 300 --json")
    hits = [json.loads(line) for line in asked.out.splitlines()][:-1]
    assert [str(hit["event"]) for hit in hits] == [row["event"] for row in events if row["departed"] == "True"]


def test_parquet_has_what_csv_has(slotscope, tmp_path):
    for name in ("e.csv", "e.parquet"):
        assert slotscope(f"export dra-vms --events 20000 --to {name}").code == 0
    table = pyarrow.parquet.read_table(tmp_path / "e.parquet")
    texts = [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in table.to_pylist()]
    assert texts == lines_of(tmp_path / "e.csv")
    assert table.schema.field("time").metadata[b"unit"] == b"mean service times"


def test_it_says_what_it_wrote(slotscope, tmp_path):
    found = slotscope("export dra-classroom --seed 1 --events 40 --to e.csv")
    assert found.out == "e.csv: 40 events of dra-classroom under dra, seed 1\n"
    found = slotscope("export dra-classroom --seed 1 --events 40 --samples s.csv --json")
    assert json.loads(found.out) == {
        "scenario": "dra-classroom",
        "policy": "dra",
        "seed": 1,
        "events": 40,
        "samples": 40,
        "files": ["s.csv"],
    }


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("", "neither --to nor --samples"),
        ("--to e.xlsx", ".csv or .parquet"),
        ("--to no/e.csv", "no/e.csv"),
        ("--events 0 --to e.csv", "--events"),
    ],
)
def test_what_is_wrong_is_one_line(wrong, said, slotscope):
    found = slotscope(f"export dra-classroom {wrong}")
    assert found.code == 2
    assert said in found.err
    assert found.err.count("\n") == 1


class TestCheck:
    def test_the_same_run_agrees_by_its_digest(self, slotscope, tmp_path):
        (tmp_path / "golden.json").write_text(slotscope(f"{RUN} --json").out)
        found = slotscope(f"{RUN} --check golden.json")
        assert (found.code, found.err) == (0, "slotscope: agrees with golden.json, by digest\n")
        again = slotscope(f"{RUN} --check golden.json --json")
        assert json.loads(again.out) == json.loads((tmp_path / "golden.json").read_text())

    def test_another_digest_is_a_difference(self, slotscope, tmp_path):
        golden = json.loads(slotscope(f"{RUN} --json").out)
        (tmp_path / "golden.json").write_text(json.dumps(golden | {"digest": "0" * 32}))
        found = slotscope(f"{RUN} --check golden.json")
        assert found.code == 1
        assert f"dra: the digest is {golden['digest']}, it was {'0' * 32}" in found.err

    def test_another_seed_is_judged_by_its_intervals(self, slotscope, tmp_path):
        golden = json.loads(slotscope(f"{RUN} --json").out)
        (tmp_path / "golden.json").write_text(json.dumps(golden))
        other = RUN.replace("--seed 3", "--seed 4")
        found = slotscope(f"{other} --check golden.json")
        assert (found.code, found.err) == (0, "slotscope: agrees with golden.json, by intervals\n")
        far = golden["metrics"]["reward_rate"]["mean"] + 100
        golden["metrics"]["reward_rate"]["mean"] = far
        golden["metrics"]["gone"] = {"mean": 1.0, "half_width": 0.0}
        del golden["metrics"]["rejected"]
        (tmp_path / "golden.json").write_text(json.dumps(golden))
        found = slotscope(f"{other} --check golden.json")
        assert found.code == 1
        assert len(found.err.splitlines()) == 3
        for said in ("dra: reward_rate is ", "dra: gone is gone", "dra: rejected is new"):
            assert said in found.err

    def test_several_policies_are_checked_each(self, slotscope, tmp_path):
        several = f"{RUN} --policy dra --policy first-fit"
        golden = json.loads(slotscope(f"{several} --json").out)
        golden["policies"][1]["digest"] = "1"
        (tmp_path / "golden.json").write_text(json.dumps(golden))
        found = slotscope(f"{several} --check golden.json")
        assert found.code == 1
        assert "first-fit: the digest is " in found.err
        assert "dra: " not in found.err
        assert slotscope(f"{RUN} --check golden.json").code == 2

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"policies": [1]}', "nonsense"])
    def test_what_is_no_result_is_refused_before_anything_runs(self, text, slotscope, tmp_path):
        (tmp_path / "golden.json").write_text(text)
        found = slotscope(f"{RUN} --check golden.json")
        assert (found.code, found.out) == (2, "")
        assert "golden.json" in found.err
        assert found.err.count("\n") == 1
