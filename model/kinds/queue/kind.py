"""The queueing system as a kind of system: its assembly, description and measures."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np

from slotscope.model.kinds.queue import facts as describing
from slotscope.model.kinds.queue import rows
from slotscope.model.kinds.queue.explain import QueueNarrator
from slotscope.model.kinds.queue.facts import QueueFacts, QueueStanding
from slotscope.model.kinds.queue.inspection import QueueInspector
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import SPEC, QueueState
from slotscope.model.kinds.queue.system import QueueSystem
from slotscope.model.kinds.spec import Kind, Measure
from slotscope.model.measures.growth import STRETCHES
from slotscope.model.reporting.inspection import Inspector
from slotscope.model.systems.statespec import StateSpec

#: The busy slots per second of a run that can be followed by eye, and the exponent of the largest pace, 2^10.
BUSY_SLOTS_PER_SECOND = 3
MOST_HALVINGS = 10


class QueueKind(Kind):
    """See :class:`model.kinds.spec.Kind`."""

    name = "queue"
    spec: StateSpec = SPEC
    row: np.dtype[Any] = rows.QUEUE_ROW
    slotted = True
    jobs_wait = True
    judges = True
    rows_tell_more = True
    stretches = STRETCHES
    samples_last = True
    makes = QueueSystem
    inspector: Inspector = QueueInspector()
    measures: tuple[Measure, ...] = (
        Measure("queue_length", "mean queue"),
        Measure("queue_growth", "growth per slot"),
        Measure("used_capacity", "capacity in use, %", "per cent"),
    )
    headline = "queue"
    example = "queues-vqs-unstable"

    def narrator(self, system: QueueSystem) -> QueueNarrator:
        """Sentences about placements, renewals and reasons to wait."""
        return QueueNarrator(system.numbers, self.facts(system), system.job_name)

    def facts(self, system: QueueSystem) -> QueueFacts:
        """Virtual queues and configurations."""
        policy = system.policy
        return QueueFacts(
            policy.layout,
            policy.intervals,
            policy.configurations,
            policy.configuration_names,
            policy.pool_configurations,
            policy.reserves,
            policy.gamma,
            policy.exhausts == "head of line",
        )

    def offers(self, system: QueueSystem) -> frozenset[str]:
        """Bins and queues; also configurations and a partition if the policy has them."""
        facts = self.facts(system)
        offered = {"bins", "queues", "jobs", "bounds", "supportable"}
        if facts.has_configurations:
            offered |= {"configurations", "virtual queues"}
        if facts.intervals:
            offered.add("partition")
        return frozenset(offered)

    def derive(self, state: QueueState, numbers: QueueNumbers, facts: QueueFacts) -> QueueStanding:
        """The weights of the configurations, and the residual capacities."""
        return describing.standing(state, numbers, facts)

    def usual_pace(self, numbers: QueueNumbers) -> float:
        """The slots per second, a power of two, at which about three busy slots pass in a second."""
        slots = BUSY_SLOTS_PER_SECOND / (2 * float(numbers.arrival_rate))
        return 2.0 ** min(max(round(log2(slots)), 0), MOST_HALVINGS)


KIND: Kind = QueueKind()
