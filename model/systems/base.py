"""What the systems of all kinds have alike: whose policy runs, and what its jobs are called."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np

from slotscope.model.errors import ScenarioError

# Places in every state's ``number``: its events, and the arrivals taken from the workload.
EVENT, NEXT_ARRIVAL = 0, 1


class PolicySystem:
    """A system of a scenario under one policy's reference; each kind has a subclass.

    Parameters
    ----------
    names:
        Names of jobs that have one, by their number.
    """

    def __init__(
        self, scenario: Any, numbers: Any, workload: Any, policy: Any, names: Mapping[int, str] | None = None
    ) -> None:
        self.scenario = scenario
        self.numbers = numbers
        self.workload = workload
        self.policy = policy
        self.initial_jobs = 0
        self.names = dict(names or {})

    @property
    def may_fail(self) -> bool:
        """Whether the policy is a user's."""
        return bool(self.policy.may_fail)

    @property
    def on_drift(self) -> str:
        """What to do if a replay does not reach the same state again."""
        return str(self.policy.on_drift)

    def check_new_arrivals(self) -> None:
        """Refuse to go on with other jobs than those that are recorded.

        Raises
        ------
        ScenarioError
            If the workload is a script or a trace.
        """
        if self.scenario.workload.kind in ("scripted", "trace"):
            raise ScenarioError(
                "found a recorded workload, allowed when continuing with new arrivals: random ones; "
                "keep the same jobs, or apply with a restart instead"
            )

    def has_other_jobs(self, other: Any, workload: Callable[[Any, Any], Any]) -> bool:
        """Whether this system's scenario describes other jobs than that of *other*.

        *workload* is that of the kind; random jobs are told by the first block of them.
        """
        mine, theirs = self.scenario, other.scenario
        if mine.seed != theirs.seed:
            return True
        if "trace" in (mine.workload.kind, theirs.workload.kind):
            return bool(mine.workload != theirs.workload)
        one, two = (workload(system.scenario, system.numbers).block_at(0) for system in (self, other))
        return one is not two and (None in (one, two) or not all(map(np.array_equal, one, two)))

    def settled(self, state: Any) -> Any:
        """The state itself: rules do not change."""
        return state

    def arrivals(self, state: Any) -> int:
        """Arrivals taken from the workload so far."""
        return int(state.number[NEXT_ARRIVAL])

    def job_name(self, number: int) -> str:
        """The name of a job: as scripted, or its number."""
        return self.names.get(number, str(number))

    def job_names(self) -> dict[str, str]:
        """Names of jobs that have one, by their number as text (for a file)."""
        return {str(number): name for number, name in self.names.items()}

    def rename_jobs(self, initial_jobs: int, names: Mapping[str, str]) -> None:
        """Take over the numbering of a saved run."""
        self.initial_jobs = initial_jobs
        self.names = {int(number): name for number, name in names.items()}

    def name_jobs_like(self, other: PolicySystem) -> None:
        """Number and name jobs as another system did, from which this one goes on."""
        self.initial_jobs, self.names = other.initial_jobs, other.names
