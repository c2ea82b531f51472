"""Moldable jobs (Ghanbarian et al. 2025): the room of its paper."""

from __future__ import annotations

from types import MappingProxyType

from slotscope.model.kinds.declaration import Experiment, Room, declared_policies

_EXPERIMENTS = {
    "moldable-table1": Experiment(
        "Mean execution time and blocking under four distributions of job sizes, by three statistics",
        "moldable",
        "Ghanbarian et al. (2025), Table 1",
        f"{__name__}.experiments.moldable_table1",
        also=("table1",),
    ),
    "moldable-fig2": Experiment(
        "Blocking (a) and mean execution time (b) over the number of servers",
        "moldable",
        "Ghanbarian et al. (2025), Figure 2",
        f"{__name__}.experiments.moldable_fig2",
        also=("fig2a", "fig2b"),
    ),
}

ROOM = Room(
    kind=f"{__name__}.kind",
    schema=(f"{__name__}.scenario.schema", "MoldableScenario"),
    readers=MappingProxyType(
        {
            "speedup": f"{__name__}.scenario.instance",
            "speedups": f"{__name__}.scenario.instance",
            "P": f"{__name__}.scenario.instance",
        }
    ),
    policies=declared_policies(
        __name__,
        {
            "greedy-p": ("MoldableKernel", "greedy(p*)", "Ghanbarian et al. (2025), Section 4"),
            "greedy": ("MoldableKernel", "greedy", "Ghanbarian et al. (2025), Section 4"),
            "fixed-width": (
                "MoldableKernel",
                "fixed width",
                "greedy(p) with p_i = 1; Ghanbarian et al. (2025), Section 4",
            ),
            "threshold": ("MoldableKernel", "threshold rule", "a rule of one's own, to compare"),
        },
    ),
    questions=f"{__name__}.questions",
    whys=f"{__name__}.whys",
    asks=f"{__name__}.asks",
    answered=(f"{__name__}.answered", "AnsweredAllocation"),
    experiments=MappingProxyType(_EXPERIMENTS),
    problems=f"{__name__}.cli.problems",
    own_policies=f"{__name__}.own",
)
