"""The kind of system of Psychas & Ghaderi (2022): a loss system with slots."""

from __future__ import annotations

from slotscope.model.kinds.declaration import CommandSpec, declared_room

ROOM = declared_room(
    __name__,
    "Psychas & Ghaderi (2022)",
    schema="ReservationScenario",
    reads=("instance",),
    answered="AnsweredAdmission",
    policies={
        "dra": ("DraKernel", "DRA", "Psychas & Ghaderi (2022), Algorithm 2"),
        "dra-periodic": ("DraKernel", "DRA, periodic", "Psychas & Ghaderi (2022), Section 9"),
        "dra-no-migration": ("DraKernel", "DRA without migration", "Psychas & Ghaderi (2022), Section 8"),
        "dra-preemption": ("DraKernel", "DRA + preemption", "Psychas & Ghaderi (2022), Section 7.2"),
        "static-reservation": (
            "StaticReservationKernel",
            "Static reservation",
            "Psychas & Ghaderi (2022), Section 3, (3.2), a peer of DRA",
        ),
        "power-of-d": ("PowerOfDKernel", "Power of d choices", "Psychas & Ghaderi (2022), Section 7.2, a peer of DRA"),
        "best-fit": ("LossBestFitKernel", "Best fit", "no reservation; a peer of Psychas & Ghaderi (2022)"),
        "first-fit": ("FirstFitKernel", "First fit", "no reservation; a peer of Psychas & Ghaderi (2022)"),
    },
    experiments={
        "dra-fig2": ("dra_curves", "Global greedy assignment and optimum as the workload grows", "Figure 2"),
        "dra-fig3": (
            "dra_servers",
            "Reward of DRA as a fraction of the optimum, over the number of servers",
            "Figure 3",
        ),
        "dra-fig4": ("dra_convergence", "Reward of DRA over time, on 180 servers", "Figure 4"),
        "dra-collections": (
            "dra_collections",
            "Global greedy assignment and optimum in 50 random collections of VM types",
            "Section 7.1",
        ),
        "dra-variants": (
            "dra_variants",
            "DRA beside its variants and peers on 180 servers, from an empty and a full start",
            "Sections 7.1, 8 and 9",
        ),
        "dra-fig5": ("dra_google", "Rewards on the Google trace, over the number of servers", "Figure 5"),
        "dra-fig6": ("dra_google_time", "Rewards on the Google trace over time, and what arrives", "Figure 6"),
    },
    traced=("dra-fig5", "dra-fig6"),
    compares=("dra-fig3", "dra-fig4", "dra-variants", "dra-fig5", "dra-fig6"),
    commands={"prices": CommandSpec(f"{__name__}.cli.prices", (f"{__name__}.cli.arguments", "prices"))},
    former_packages={
        "model.policies": f"{__name__}.policies",
        "model.programs": f"{__name__}.programs",
        "model.systems": "slotscope.model.kinds",
        "model.systems.reservation": __name__,
    },
)
