"""``slotscope bounds``: the search of Definition 8 and the family of Appendix C."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from slotscope.model.scenario.files import scenario_files
from tests.runs import ran


class TestMonotone:
    def test_the_violation_of_section_7_1(self, answer):
        found = answer("bounds dra-vms")["programs"]["monotone"]
        assert found["status"] == "violated"
        assert found["witness"] == {
            "lower": ["0", "0", "4/3", "1"],
            "upper": ["2", "1/2", "4/3", "1"],
            "greedy_lower": "576",
            "greedy_upper": "1598/3",
        }
        assert found["objective"] == 576
        assert found["solution"][0] == {"configuration": [0, 0, 2, 1], "servers": 2 / 3}

    @pytest.mark.parametrize("scenario", ["dra-appendix-c", "dra-classroom", "dra-example-1"])
    def test_none_is_found_and_that_is_said(self, answer, slotscope, scenario):
        found = answer(f"bounds {scenario}")
        search = found["programs"]["monotone"]
        assert search["witness"] is None
        assert 1 < search["evaluations"] <= 600
        assert search["objective"] == found["greedy"]
        assert f"no violation in {search['evaluations']} evaluations" in (slotscope(f"bounds {scenario}").out)

    def test_text_has_both_workloads(self, slotscope):
        said = slotscope("bounds dra-vms").out
        assert "workload (0, 0, 4/3, 1) earns 576, the larger (2, 1/2, 4/3, 1) only 1598/3" in said


class TestAppendixC:
    @pytest.mark.parametrize(
        ("types", "jobs", "ratio"), [(2, 2, "9/10"), (2, 10, "11/14"), (3, 10, "11/15"), (4, 20, "1225/1756")]
    )
    def test_closed_forms_are_the_programs(self, answer, types, jobs, ratio):
        found = answer(f"bounds dra-appendix-c --appendix-c {types} {jobs}")
        forms = found["closed_forms"]
        assert (forms["J"], forms["N"], forms["ratio"]) == (types, jobs, ratio)
        for name in ("greedy", "optimum"):
            assert found["programs"][name]["exact"] == forms[name]
        assert Fraction(forms["greedy"]) / Fraction(forms["optimum"]) == Fraction(ratio)

    def test_without_it_there_are_none(self, answer):
        assert "closed_forms" not in answer("bounds dra-appendix-c")

    def test_text_has_them(self, slotscope):
        said = slotscope("bounds dra-appendix-c --appendix-c 4 20").out
        assert "J = 4, N = 20: greedy 175/256, optimum 439/448, ratio 1225/1756" in said

    def test_a_saved_member_runs(self, answer, slotscope):
        saved = slotscope("bounds dra-appendix-c --appendix-c 4 20 --save worse.toml --json")
        assert saved.code == 0
        again = answer("bounds worse.toml")
        mine = json.loads(saved.out)
        assert again["programs"] == mine["programs"]
        session = ran(Path("worse.toml"), events=40)
        assert session.timeline.event == 40

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ("dra-vms --appendix-c 3 10", "'dra-vms', allowed: dra-appendix-c"),
            ("dra-appendix-c --appendix-c 1 10", "J = 1, allowed: 2 to 8"),
            ("dra-appendix-c --appendix-c 3 0", "whole number from 1"),
            ("dra-appendix-c --appendix-c 3", "expected 2 arguments"),
            ("dra-appendix-c --save x.toml", "found no --appendix-c J N"),
            ("dra-appendix-c --appendix-c 3 10 --save absent/x.toml", "absent/x.toml"),
        ],
    )
    def test_what_cannot_be_is_one_line(self, slotscope, arguments, said):
        found = slotscope(f"bounds {arguments}")
        assert (found.code, found.out) == (2, "")
        assert found.err.count("\n") == 1
        assert said in found.err


class TestPools:
    def test_both_programs_know_the_pools(self, answer):
        found = answer("bounds dra-pools")
        assert (found["optimal"], found["greedy"]) == (252, 220)
        assert found["ratio"] == pytest.approx(220 / 252)
        assert set(found["programs"]) == {"optimum", "greedy"}
        for program in found["programs"].values():
            assert sum(item["servers"] for item in program["solution"]) == pytest.approx(1)
            newer = [item for item in program["solution"] if item["pool"] == "newer"]
            assert sum(item["servers"] for item in newer) == pytest.approx(1 / 3)

    def test_text_says_what_is_left_out(self, slotscope):
        said = slotscope("bounds dra-pools").out
        assert "are for servers of one kind" in said
        assert "newer (0, 6, 1)" in said


def test_a_type_that_fits_the_best_of_two_pools_but_neither(answer, tmp_path):
    """The largest capacity of each resource over all pools is not the capacity of any server."""
    text = scenario_files()["dra-pools"].read_text("utf-8")
    path = tmp_path / "pools.toml"
    path.write_text(text.replace("vCPU = 32, memory = 256", "vCPU = 2, memory = 256"))
    found = answer("bounds", path)
    assert found["programs"]["optimum"]["status"] == "optimal"
