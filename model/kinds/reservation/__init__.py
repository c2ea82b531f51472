"""The loss system with slots (Psychas & Ghaderi 2022): the room of its paper."""

from __future__ import annotations

from types import MappingProxyType

from slotscope.model.kinds.declaration import CommandSpec, Experiment, Room, declared_policies

_EXPERIMENTS = {
    "dra-fig2": Experiment(
        "Global greedy assignment and optimum as the workload grows",
        "reservation",
        "Psychas & Ghaderi (2022), Figure 2",
        f"{__name__}.experiments.dra_curves",
    ),
    "dra-fig3": Experiment(
        "Reward of DRA as a fraction of the optimum, over the number of servers",
        "reservation",
        "Psychas & Ghaderi (2022), Figure 3",
        f"{__name__}.experiments.dra_servers",
    ),
    "dra-fig4": Experiment(
        "Reward of DRA over time, on 180 servers",
        "reservation",
        "Psychas & Ghaderi (2022), Figure 4",
        f"{__name__}.experiments.dra_convergence",
    ),
    "dra-collections": Experiment(
        "Global greedy assignment and optimum in 50 random collections of VM types",
        "reservation",
        "Psychas & Ghaderi (2022), Section 7.1",
        f"{__name__}.experiments.dra_collections",
    ),
    "dra-variants": Experiment(
        "DRA beside its variants and peers on 180 servers, from an empty and a full start",
        "reservation",
        "Psychas & Ghaderi (2022), Sections 7.1, 8 and 9",
        f"{__name__}.experiments.dra_variants",
    ),
    "dra-fig5": Experiment(
        "Rewards on the Google trace, over the number of servers",
        "reservation",
        "Psychas & Ghaderi (2022), Figure 5",
        f"{__name__}.experiments.dra_google",
        needs_trace=True,
    ),
    "dra-fig6": Experiment(
        "Rewards on the Google trace over time, and what arrives",
        "reservation",
        "Psychas & Ghaderi (2022), Figure 6",
        f"{__name__}.experiments.dra_google_time",
        needs_trace=True,
    ),
}

_PRICES = CommandSpec(f"{__name__}.cli.prices", (f"{__name__}.cli.arguments", "prices"))

ROOM = Room(
    kind=f"{__name__}.kind",
    schema=(f"{__name__}.scenario.schema", "ReservationScenario"),
    readers=MappingProxyType({"instance": f"{__name__}.scenario.instance"}),
    policies=declared_policies(
        __name__,
        {
            "dra": ("DraKernel", "DRA", "Psychas & Ghaderi (2022), Algorithm 2"),
            "dra-periodic": ("DraKernel", "DRA, periodic", "Psychas & Ghaderi (2022), Section 9"),
            "dra-no-migration": ("DraKernel", "DRA without migration", "Psychas & Ghaderi (2022), Section 8"),
            "dra-preemption": ("DraKernel", "DRA + preemption", "Psychas & Ghaderi (2022), Section 7.2"),
            "static-reservation": (
                "StaticReservationKernel",
                "Static reservation",
                "Psychas & Ghaderi (2022), Section 3, (3.2), a peer of DRA",
            ),
            "power-of-d": (
                "PowerOfDKernel",
                "Power of d choices",
                "Psychas & Ghaderi (2022), Section 7.2, a peer of DRA",
            ),
            "best-fit": ("LossBestFitKernel", "Best fit", "no reservation; a peer of Psychas & Ghaderi (2022)"),
            "first-fit": ("FirstFitKernel", "First fit", "no reservation; a peer of Psychas & Ghaderi (2022)"),
        },
    ),
    questions=f"{__name__}.questions",
    whys=f"{__name__}.whys",
    asks=f"{__name__}.asks",
    answered=(f"{__name__}.answered", "AnsweredAdmission"),
    experiments=MappingProxyType(_EXPERIMENTS),
    commands=MappingProxyType({"prices": _PRICES}),
    own_policies=f"{__name__}.own",
    former_packages=MappingProxyType(
        {
            "model.policies": f"{__name__}.policies",
            "model.programs": f"{__name__}.programs",
            "model.systems": "slotscope.model.kinds",
            "model.systems.reservation": __name__,
        }
    ),
)
