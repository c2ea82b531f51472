"""Servers with a queue in slotted time (Psychas & Ghaderi 2019): the room of its paper."""

from __future__ import annotations

from types import MappingProxyType

from slotscope.model.kinds.declaration import Experiment, Room, declared_policies

_EXPERIMENTS = {
    "queues-fig1": Experiment(
        "How many different requests for memory and CPU a Google trace has",
        "queue",
        "Psychas & Ghaderi (2019), Figure 1",
        f"{__name__}.experiments.queues_fig1",
        needs_trace=True,
    ),
    "queues-fig3a": Experiment(
        "Queues over time where VQS is unstable and Best-Fit is not",
        "queue",
        "Psychas & Ghaderi (2019), Figure 3a",
        f"{__name__}.experiments.queues_fig3:VQS_UNSTABLE",
    ),
    "queues-fig3b": Experiment(
        "Queues over time where Best-Fit is unstable and VQS is not",
        "queue",
        "Psychas & Ghaderi (2019), Figure 3b",
        f"{__name__}.experiments.queues_fig3:BEST_FIT_UNSTABLE",
    ),
    "queues-fig4a": Experiment(
        "Mean queue over the traffic intensity, sizes uniform from 0.01 to 0.19",
        "queue",
        "Psychas & Ghaderi (2019), Figure 4a",
        f"{__name__}.experiments.queues_fig4:SMALL_JOBS",
    ),
    "queues-fig4b": Experiment(
        "Mean queue over the traffic intensity, sizes uniform from 0.1 to 0.9",
        "queue",
        "Psychas & Ghaderi (2019), Figure 4b",
        f"{__name__}.experiments.queues_fig4:WIDE_JOBS",
    ),
    "queues-fig5": Experiment(
        "Queues on the Google trace, over the traffic scaling",
        "queue",
        "Psychas & Ghaderi (2019), Figure 5",
        f"{__name__}.experiments.queues_fig5",
        needs_trace=True,
    ),
    "queues-limits": Experiment(
        "What workload can be supported, by any policy and by these",
        "queue",
        "Psychas & Ghaderi (2019), Sections III, V and VII.A",
        f"{__name__}.experiments.queues_limits",
    ),
}

ROOM = Room(
    kind=f"{__name__}.kind",
    schema=(f"{__name__}.scenario.schema", "QueueScenario"),
    readers=MappingProxyType({"runs": f"{__name__}.scenario.instance"}),
    policies=declared_policies(
        __name__,
        {
            "bf-js": ("QueueBestFitKernel", "BF-J/S", "Psychas & Ghaderi (2019), Section IV"),
            "bf-j": ("QueueBestFitKernel", "BF-J", "Psychas & Ghaderi (2019), Section IV"),
            "bf-s": ("QueueBestFitKernel", "BF-S", "Psychas & Ghaderi (2019), Section IV"),
            "fifo-ff": ("FifoKernel", "FIFO-FF", "Psychas & Ghaderi (2019), Section VII.B"),
            "vqs": ("ConfigurationKernel", "VQS", "Psychas & Ghaderi (2019), Section V"),
            "vqs-bf": ("ConfigurationKernel", "VQS-BF", "Psychas & Ghaderi (2019), Section VI"),
            "max-weight": ("ConfigurationKernel", "MaxWeight", "Psychas & Ghaderi (2019), Section III.A"),
            "fifo-slots": ("FifoKernel", "FIFO over containers", "Psychas & Ghaderi (2019), Section VII.B"),
        },
    ),
    questions=f"{__name__}.questions",
    own_policies=f"{__name__}.own",
    whys=f"{__name__}.whys",
    asks=f"{__name__}.asks",
    answered=(f"{__name__}.answered", "AnsweredService"),
    experiments=MappingProxyType(_EXPERIMENTS),
)
