"""What a script says of its jobs beyond their arrival, class and size."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Mapping, NamedTuple


class ScriptedTimes(NamedTuple):
    """A job's arrival and inherent size, exactly."""

    time: Fraction
    size: Fraction


@dataclass(frozen=True)
class MoldableScript:
    """By the number of the job: its exact times, its name, and for how many servers it asks.

    All are empty where jobs are not scripted.
    """

    jobs: Mapping[int, ScriptedTimes] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    requests: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, scenario: Any) -> MoldableScript:
        """The script of a scenario, if it has one."""
        if scenario.workload.kind != "scripted":
            return cls()
        jobs = list(enumerate(scenario.workload.arrivals))
        return cls(
            jobs={number: ScriptedTimes(job.time, job.size) for number, job in jobs},
            names={number: job.job for number, job in jobs if job.job},
            requests={number: job.requested for number, job in jobs if job.requested},
        )
