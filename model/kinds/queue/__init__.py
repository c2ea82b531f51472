"""Servers with a queue in slotted time (Psychas & Ghaderi 2019): the room of its paper."""

from __future__ import annotations

from slotscope.model.kinds.declaration import declared_room

ROOM = declared_room(
    __name__,
    "Psychas & Ghaderi (2019)",
    schema="QueueScenario",
    reads=("runs",),
    answered="AnsweredService",
    policies={
        "bf-js": ("QueueBestFitKernel", "BF-J/S", "Psychas & Ghaderi (2019), Section IV"),
        "bf-j": ("QueueBestFitKernel", "BF-J", "Psychas & Ghaderi (2019), Section IV"),
        "bf-s": ("QueueBestFitKernel", "BF-S", "Psychas & Ghaderi (2019), Section IV"),
        "fifo-ff": ("FifoKernel", "FIFO-FF", "Psychas & Ghaderi (2019), Section VII.B"),
        "vqs": ("ConfigurationKernel", "VQS", "Psychas & Ghaderi (2019), Section V"),
        "vqs-bf": ("ConfigurationKernel", "VQS-BF", "Psychas & Ghaderi (2019), Section VI"),
        "max-weight": ("ConfigurationKernel", "MaxWeight", "Psychas & Ghaderi (2019), Section III.A"),
        "fifo-slots": ("FifoKernel", "FIFO over containers", "Psychas & Ghaderi (2019), Section VII.B"),
    },
    experiments={
        "queues-fig1": ("queues_fig1", "How many different requests for memory and CPU a Google trace has", "Figure 1"),
        "queues-fig3a": (
            "queues_fig3:VQS_UNSTABLE",
            "Queues over time where VQS is unstable and Best-Fit is not",
            "Figure 3a",
        ),
        "queues-fig3b": (
            "queues_fig3:BEST_FIT_UNSTABLE",
            "Queues over time where Best-Fit is unstable and VQS is not",
            "Figure 3b",
        ),
        "queues-fig4a": (
            "queues_fig4:SMALL_JOBS",
            "Mean queue over the traffic intensity, sizes uniform from 0.01 to 0.19",
            "Figure 4a",
        ),
        "queues-fig4b": (
            "queues_fig4:WIDE_JOBS",
            "Mean queue over the traffic intensity, sizes uniform from 0.1 to 0.9",
            "Figure 4b",
        ),
        "queues-fig5": ("queues_fig5", "Queues on the Google trace, over the traffic scaling", "Figure 5"),
        "queues-limits": (
            "queues_limits",
            "What workload can be supported, by any policy and by these",
            "Sections III, V and VII.A",
        ),
    },
    traced=("queues-fig1", "queues-fig5"),
    compares=("queues-fig3a", "queues-fig3b", "queues-fig4a", "queues-fig4b", "queues-fig5"),
)
