"""The upper bound over time for the jobs of a run, which needs no policy.

Psychas & Ghaderi (2022), Section 7.2, "Upper Bound".
"""

from __future__ import annotations

import numpy as np

from slotscope.model.kinds.reservation.programs.infinite import infinite_average, infinite_bound
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.runs import bench_of

WORK = __name__

#: Times at which the bound is evaluated for its mean.
MOMENTS = 4_000


def carry_out(part: Part) -> Outcome:
    """The bound in place of a policy's reward; settings and outcome are those of a simulation."""
    settings = part.settings
    system = bench_of(part).system
    mean = infinite_average(system.numbers, system.workload, settings["warmup"], settings["until"], moments=MOMENTS)
    times = np.array(settings["times"])
    path = infinite_bound(system.numbers, system.workload, times)
    return {"metrics": {"reward_rate": mean.mean}, "path": [float(value) for value in path]}
