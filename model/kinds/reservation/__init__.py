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
            "dra": "DraKernel",
            "dra-periodic": "DraKernel",
            "dra-no-migration": "DraKernel",
            "dra-preemption": "DraKernel",
            "static-reservation": "StaticReservationKernel",
            "power-of-d": "PowerOfDKernel",
            "best-fit": "LossBestFitKernel",
            "first-fit": "FirstFitKernel",
        },
    ),
    questions=f"{__name__}.questions.fields",
    whys=f"{__name__}.whys",
    asks=f"{__name__}.asks",
    answered=(f"{__name__}.answered", "AnsweredAdmission"),
    experiments=MappingProxyType(_EXPERIMENTS),
    commands=MappingProxyType(
        {"prices": CommandSpec(f"{__name__}.cli.prices", (f"{__name__}.cli.arguments", "prices"))}
    ),
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
