"""Gymnasium environments, checked by Gymnasium's own checker, and the manual's example."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import slotscope
from slotscope.model.errors import UserError
from tests.help_pages import blocks, page

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from slotscope.gym import SlotscopeEnv  # noqa: E402

KINDS = ["dra-vms", "queues-classroom", "jrs-classroom", "moldable-classroom"]


@pytest.mark.parametrize("scenario", [*KINDS, "dra-pools", "queues-two-resources", "jrs-azure", "moldable-classes"])
def test_gymnasiums_checker_finds_nothing(scenario: str) -> None:
    made = gymnasium.make("slotscope/Scenario-v0", scenario=scenario)
    check_env(made.unwrapped)


@pytest.mark.parametrize("scenario", KINDS)
def test_a_seed_gives_the_same_episode_and_later_ones_are_others(scenario: str) -> None:
    env = SlotscopeEnv(scenario, steps=60)
    seed = int(np.random.default_rng().integers(1000))

    def episode(seed: int | None) -> list[object]:
        _, info = env.reset(seed=seed)
        found, ends = [], [False]
        while not any(ends):
            assert (env.action_masks() == info["action_mask"]).all()
            action = np.flatnonzero(env.action_masks())[0]
            _, reward, *ends, info = env.step(action)
            found.append((reward, info["time"]))
        assert len(found) == 60
        assert ends == [False, True]
        return found

    first, second = episode(seed), episode(None)
    assert first != second
    assert [episode(seed), episode(None)] == [first, second], f"seed {seed}"


def test_a_trace_ends_the_episode() -> None:
    env = SlotscopeEnv("dra-google", steps=10_000)
    env.reset(seed=1)
    ended = cut = False
    while not (ended or cut):
        _, _, ended, cut, _ = env.step(0)
    assert ended
    assert not cut


def test_what_is_wrong_is_one_line() -> None:
    with pytest.raises(UserError, match="did you mean"):
        SlotscopeEnv("dra-vm")


@pytest.mark.parametrize("steps", [0, -3, 2.5])
def test_an_episode_has_steps(steps: float) -> None:
    with pytest.raises(UserError, match=rf"^found steps = {steps}, allowed: a whole number from 1$"):
        SlotscopeEnv("dra-classroom", steps=steps)  # type: ignore[arg-type]


@pytest.mark.parametrize("action", [-1, 8, 1.5, "1", None, np.array([1]), np.array(1.0)])
def test_what_is_no_action_answers_nothing(action: object) -> None:
    env = SlotscopeEnv("dra-classroom")
    _, before = env.reset(seed=1)
    with pytest.raises(UserError, match=r"allowed: a whole number from 0 to 7$"):
        env.step(action)  # type: ignore[arg-type]
    assert env.step(np.array(1))[-1]["events"] > before["events"]


def test_a_seed_is_that_of_the_jobs_as_everywhere() -> None:
    """First fit's actions earn first fit's reward under the same seed."""
    seed = int(np.random.default_rng().integers(1000))
    env, earned, over = SlotscopeEnv("dra-classroom", steps=200), 0.0, False
    _, info = env.reset(seed=seed)
    while not over:
        _, reward, *ends, info = env.step(np.flatnonzero(info["action_mask"])[0])
        earned, over = earned + reward, any(ends)
    found = slotscope.measure("dra-classroom", "first-fit", until=info["time"], warmup=0, seed=seed)
    rate = found.as_dict()["metrics"]["reward_rate"]["mean"]
    assert earned / info["time"] == pytest.approx(rate, rel=1e-9), f"seed {seed}"


def test_without_gymnasium_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import slotscope.gym"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    said = done.stderr.splitlines()[-1]
    assert said == "ImportError: slotscope.gym needs the package gymnasium: pip install 'slotscope[gym]'"


@pytest.mark.slow
def test_the_threshold_of_the_manual_beats_first_fit() -> None:
    (code,) = [block for block in blocks(page("library"), "python") if "slotscope.gym" in block]
    known: dict[str, float] = {}
    exec(code, known)
    assert known["best"] < 1
    assert known["learned"] > 1.15 * known["first_fit"]
