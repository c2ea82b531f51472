"""The kind of system of Hong, Xie & Wang (2023): jobs with phases on unlimited servers."""

from __future__ import annotations

from slotscope.model.kinds.declaration import declared_room

ROOM = declared_room(
    __name__,
    "Hong, Xie & Wang (2023)",
    schema="PhasesScenario",
    reads=("pools",),
    answered="AnsweredPlacement",
    policies={
        "jrs": ("RequestingKernel", "JRS", "Hong, Xie & Wang (2023), Section 4.2"),
        "grand": ("FittingKernel", "GRAND(aZ)", "Stolyar & Zhong (2015); peer of Hong, Xie & Wang (2023), Section 4.3"),
        "first-fit": ("FittingKernel", "First fit", "peer of Hong, Xie & Wang (2023)"),
        "best-fit": ("FittingKernel", "Best fit", "peer of Hong, Xie & Wang (2023)"),
        "power-of-d": ("FittingKernel", "Power of d choices", "peer of Hong, Xie & Wang (2023)"),
    },
    experiments={
        "jrs-gap": ("jrs_gap", "How far JRS is from its bound, over the scale of the system", "Theorem 1"),
        "jrs-peers": ("jrs_peers", "JRS beside first fit, best fit, GRAND and power of two choices", "Section 4.3"),
        "jrs-misestimation": ("jrs_misestimation", "JRS that plans with wrong rates", "Appendix D"),
    },
    compares=("jrs-peers",),
)
