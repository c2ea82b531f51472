"""The kind of system of Ghanbarian et al. (2025): moldable jobs."""

from __future__ import annotations

from slotscope.model.kinds.declaration import declared_room

ROOM = declared_room(
    __name__,
    "Ghanbarian et al. (2025)",
    schema="MoldableScenario",
    reads=("speedup", "speedups", "P"),
    answered="AnsweredAllocation",
    policies={
        "greedy-p": ("MoldableKernel", "greedy(p*)", "Ghanbarian et al. (2025), Section 4"),
        "greedy": ("MoldableKernel", "greedy", "Ghanbarian et al. (2025), Section 4"),
        "fixed-width": ("MoldableKernel", "fixed width", "greedy(p) with p_i = 1; Ghanbarian et al. (2025), Section 4"),
        "threshold": ("MoldableKernel", "threshold rule", "a rule of one's own, to compare"),
    },
    experiments={
        "moldable-table1": (
            "moldable_table1",
            "Mean execution time and blocking under four distributions of job sizes, by three statistics",
            "Table 1",
        ),
        "moldable-fig2": (
            "moldable_fig2",
            "Blocking (a) and mean execution time (b) over the number of servers",
            "Figure 2",
        ),
    },
    compares=("moldable-fig2",),
    also={"moldable-table1": ("table1",), "moldable-fig2": ("fig2a", "fig2b")},
    problems="cli.problems",
)
