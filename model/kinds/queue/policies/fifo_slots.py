"""FIFO over containers: the scheduler of Hadoop that divides servers into equal slots.

Reference
    Psychas & Ghaderi (2019), Section VII.B, which names it as the scheme that FIFO-FF improves on.
Implements
    FIFO-FF where a job takes whole containers: as many as its size needs.
Symbols
    l  ``server``
Deviations
    The paper does not simulate it.  A server's capacity is cut into ``containers`` equal ones
    (of the largest server, where they differ).
"""

from __future__ import annotations

from pydantic import Field

from slotscope.model.kinds.queue.layout import Containers
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies import fifo_ff
from slotscope.model.scenario.fields import Whole


class Parameters(fifo_ff.Parameters):
    """How many containers a (largest) server has."""

    containers: Whole = Field(default=10, ge=1, le=10_000)


class Reference(fifo_ff.Reference):
    """FIFO over containers."""

    schema = Parameters

    def __init__(self, numbers: QueueNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.layout = Containers(parameters.containers, numbers.largest)
