"""``slotscope.gym``: scenarios as Gymnasium environments, for learning policies.

Needs the extra ``gym``: ``pip install 'slotscope[gym]'``.
"""

from __future__ import annotations

from operator import index
from pathlib import Path
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import UserError
from slotscope.model.running.answering import AnsweredRun
from slotscope.model.scenario.load import load_scenario

try:
    import gymnasium
except ImportError:
    raise ImportError("slotscope.gym needs the package gymnasium: pip install 'slotscope[gym]'") from None

#: Random seeds of runs are below this.
_SEEDS = 2**31


class SlotscopeEnv(gymnasium.Env[NDArray[np.float32], np.integer[Any]]):
    """A scenario of any kind of system; each step answers one decision.

    An observation is a vector of numbers from 0 to 1, an action one integer; ``decisions`` states in words what both
    and the reward mean for the scenario's kind of system.  An action that is not allowed counts as the one that
    always is (reject, wait, an idle server, block).

    Parameters
    ----------
    scenario:
        Name of a built-in scenario, or a file.
    trace:
        Files of a recorded workload.
    steps:
        Decisions per episode, after which it is truncated.  It terminates at the end of recorded jobs.

    Raises
    ------
    UserError
        If the scenario or its trace cannot be used, or *steps* is below 1; in ``step``, if the action is invalid.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(self, scenario: str | Path, trace: tuple[str, ...] = (), steps: int = 1000) -> None:
        if not isinstance(steps, int) or steps < 1:
            raise UserError(f"found steps = {steps!r}, allowed: a whole number from 1")
        self._scenario, self._trace, self._steps = load_scenario(scenario), trace, steps
        self._run = AnsweredRun(self._scenario, self._scenario.seed, trace)
        self._taken = 0
        policy = self._run.policy
        self.decisions: str = type(policy).__doc__ or ""
        self.action_space = gymnasium.spaces.Discrete(policy.actions)
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (policy.observed,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a new run on the jobs of *seed*, to its first decision; by default ``np_random`` draws a seed."""
        super().reset(seed=seed)
        jobs = int(self.np_random.integers(_SEEDS)) if seed is None else seed
        self._run = AnsweredRun(self._scenario, jobs, self._trace)
        self._taken = 0
        self._run.onward()
        return self._run.policy.observation, self._info()

    def step(self, action: np.integer[Any] | int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Answer a decision and advance to the next one; the reward is what was earned in between."""
        earned, ended = self._run.onward(self._checked(action))
        self._taken += 1
        return self._run.policy.observation, earned, ended, self._taken >= self._steps, self._info()

    def _checked(self, action: object) -> int:
        """*action* as an integer; negative ones are refused, since they would index from the end."""
        last = self._run.policy.actions - 1
        try:
            number = index(cast(SupportsIndex, action))
        except TypeError:
            number = -1
        if not 0 <= number <= last:
            raise UserError(f"found the action {action!r}, allowed: a whole number from 0 to {last}")
        return number

    def action_masks(self) -> NDArray[np.bool_]:
        """Boolean array [actions]: which are allowed now; MaskablePPO of sb3-contrib calls this name."""
        allowed: NDArray[np.bool_] = self._run.policy.allowed
        return allowed

    def _info(self) -> dict[str, Any]:
        run = self._run
        return {"action_mask": run.policy.allowed.astype(np.int8), "time": run.time, "events": run.events}


gymnasium.register("slotscope/Scenario-v0", entry_point="slotscope.gym:SlotscopeEnv")
