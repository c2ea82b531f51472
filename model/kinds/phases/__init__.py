"""Jobs with phases on unlimited servers (Hong, Xie & Wang 2023): the room of its paper."""

from __future__ import annotations

from types import MappingProxyType

from slotscope.model.kinds.declaration import Experiment, Room, declared_policies

_EXPERIMENTS = {
    "jrs-gap": Experiment(
        "How far JRS is from its bound, over the scale of the system",
        "phases",
        "Hong, Xie & Wang (2023), Theorem 1",
        f"{__name__}.experiments.jrs_gap",
    ),
    "jrs-peers": Experiment(
        "JRS beside first fit, best fit, GRAND and power of two choices",
        "phases",
        "Hong, Xie & Wang (2023), Section 4.3",
        f"{__name__}.experiments.jrs_peers",
    ),
    "jrs-misestimation": Experiment(
        "JRS that plans with wrong rates",
        "phases",
        "Hong, Xie & Wang (2023), Appendix D",
        f"{__name__}.experiments.jrs_misestimation",
    ),
}

ROOM = Room(
    kind=f"{__name__}.kind",
    schema=(f"{__name__}.scenario.schema", "PhasesScenario"),
    readers=MappingProxyType({"pools": f"{__name__}.scenario.instance"}),
    policies=declared_policies(
        __name__,
        {
            "jrs": ("RequestingKernel", "JRS", "Hong, Xie & Wang (2023), Section 4.2"),
            "grand": (
                "FittingKernel",
                "GRAND(aZ)",
                "Stolyar & Zhong (2015); peer of Hong, Xie & Wang (2023), Section 4.3",
            ),
            "first-fit": ("FittingKernel", "First fit", "peer of Hong, Xie & Wang (2023)"),
            "best-fit": ("FittingKernel", "Best fit", "peer of Hong, Xie & Wang (2023)"),
            "power-of-d": ("FittingKernel", "Power of d choices", "peer of Hong, Xie & Wang (2023)"),
        },
    ),
    questions=f"{__name__}.questions",
    own_policies=f"{__name__}.own",
    whys=f"{__name__}.whys",
    asks=f"{__name__}.asks",
    answered=(f"{__name__}.answered", "AnsweredPlacement"),
    experiments=MappingProxyType(_EXPERIMENTS),
)
