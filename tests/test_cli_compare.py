"""``slotscope run`` with several policies: each as if alone, differences, the first different decision."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "resources" / "policies"
RUN = "run dra-vms --until 8 --warmup 2 --seed 5"


def test_each_policy_is_what_it_is_alone(answer):
    several = answer(f"{RUN} --policy dra --policy first-fit")
    assert (several["scenario"], several["seed"]) == ("dra-vms", 5)
    alone = [answer(f"{RUN} --policy {policy}") for policy in ("dra", "first-fit")]
    assert several["policies"] == alone


def test_one_policy_says_what_it_always_said(slotscope):
    assert slotscope(f"{RUN} --policy dra").out == slotscope(f"{RUN}").out
    keys = {"scenario", "policy", "seed", "metrics", "digest"}
    assert keys <= set(json.loads(slotscope(f"{RUN} --policy dra --json").out))


def test_differences_are_paired_against_the_first(answer):
    found = answer(f"{RUN} --policy dra --policy first-fit --policy dra:reservation_factor=20")
    names = [run["policy"] for run in found["policies"]]
    assert names == ["dra", "first-fit", "dra:reservation_factor=20"]
    assert [one["policy"] for one in found["differences"]] == names[1:]
    for run, difference in zip(found["policies"][1:], found["differences"], strict=True):
        assert difference["against"] == "dra"
        for name, one in difference["metrics"].items():
            first = found["policies"][0]["metrics"][name]["mean"]
            assert one["mean"] == pytest.approx(run["metrics"][name]["mean"] - first, abs=1e-9)
            assert one["half_width"] >= 0


def test_the_first_difference_says_what_each_did(answer):
    found = answer(f"{RUN} --policy dra --policy first-fit")["first_difference"]
    assert found["type"] in ("small", "regular", "memory", "large")
    first, second = found["decisions"]
    assert (first["policy"], second["policy"]) == ("dra", "first-fit")
    assert first["admitted"] is not second["admitted"]
    for one in (first, second):
        assert (one["server"] is None) is not one["admitted"]
        assert ("rejected" in one["sentence"]) is not one["admitted"]


def test_a_policy_against_itself_differs_in_nothing(answer):
    found = answer(f"{RUN} --policy dra --policy dra")
    assert found["first_difference"] is None
    for one in found["differences"][0]["metrics"].values():
        assert (one["mean"], one["half_width"]) == (0, 0)


def test_replications_are_paired_by_seed(answer):
    several = answer(f"{RUN} --policy dra --policy first-fit --replications 3")
    runs = [
        answer(f"run dra-vms --until 8 --warmup 2 --seed {seed} --policy {policy}")
        for seed in (5, 6, 7)
        for policy in ("dra", "first-fit")
    ]
    means = [run["metrics"]["reward_rate"]["mean"] for run in runs]
    gaps = [means[2 * n + 1] - means[2 * n] for n in range(3)]
    paired = several["differences"][0]["metrics"]["reward_rate"]
    assert paired["mean"] == pytest.approx(sum(gaps) / 3)
    spread = (sum((gap - sum(gaps) / 3) ** 2 for gap in gaps) / 2 / 3) ** 0.5
    assert paired["half_width"] == pytest.approx(4.302652729696142 * spread)


def test_the_output_is_repeatable_and_readable(slotscope):
    command = f"{RUN} --policy dra --policy first-fit"
    said = slotscope(command)
    assert said.code == 0
    assert said.out == slotscope(command).out
    for text in ("difference, paired", "first-fit - dra", "first decision that differs", "+/-"):
        assert text in said.out


def test_a_policy_of_one_s_own_is_called_without_its_folder(slotscope) -> None:
    own = EXAMPLES / "half_of_the_rest.py"
    said = slotscope("run moldable-classroom --until 30 --policy", own, "--policy", "greedy")
    assert re.search(r"measure +half_of_the_rest\.py +\+/-", said.out)
    assert re.search(r"difference, paired +greedy - half_of_the_rest\.py", said.out)
    assert f"  {own} (reference):" in said.out


def test_what_rounding_leaves_is_zero(slotscope):
    """The policies have the same jobs in the system, but their sums differ in the last digits."""
    said = slotscope("run jrs-deadlock --until 100 --policy jrs --policy jrs:patch=true").out
    _, paired = said.split("difference, paired")
    assert ["real_jobs", "0", "0"] in [line.split() for line in paired.splitlines()]
    assert "e-1" not in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--policy dra --policy nix", ("nix", "dra-periodic")),
        ("--policy dra --policy dra:nix=1", ("dra:nix=1", "nix")),
        ("--policy dra --policy first-fit --policy dra --policy dra", ("--policy", "at most 3")),
    ],
)
def test_wrong_policies_are_refused_in_one_line(slotscope, arguments, words):
    said = slotscope(f"run dra-classroom {arguments}")
    assert (said.code, said.out) == (2, "")
    assert said.err.count("\n") == 1
    assert all(word in said.err for word in words)


def test_the_window_gets_all_policies(slotscope, monkeypatch):
    import sys
    from types import SimpleNamespace

    from slotscope.gui.platform import Platform
    from slotscope.model.running.origin import Moment

    opened = []
    window = SimpleNamespace(main=lambda *given, offer, language: opened.append((*given, offer)) or 0)
    monkeypatch.setitem(sys.modules, "slotscope.gui.app", window)
    monkeypatch.setattr("slotscope.gui.app", window, raising=False)
    monkeypatch.setattr("slotscope.gui.platform.require_platform", lambda *_, **__: Platform("offscreen"))
    assert slotscope("dra-classroom --policy dra --policy first-fit --event 3").code == 0
    assert opened == [("dra-classroom", ("dra", "first-fit"), None, Moment((3,)), (), False)]
    said = slotscope("dra-classroom --policy dra --policy nix")
    assert (said.code, said.err.count("\n"), len(opened)) == (2, 1, 1)


@pytest.mark.parametrize("command", ["ask", "why", "bounds", "trace", "verify", "export"])
def test_commands_about_one_run_take_one_policy(command: str, slotscope) -> None:
    """Otherwise the last of several would be used without a notice."""
    said = slotscope(f"{command} dra-classroom --policy dra --policy first-fit")
    assert (said.code, said.out) == (2, "")
    assert said.err == "slotscope: --policy: found 2 policies, allowed: one; 'slotscope run' compares several\n"
