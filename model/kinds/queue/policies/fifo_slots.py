"""FIFO over containers: Hadoop's FIFO scheduler, which divides servers into equal slots.

Reference
    Psychas & Ghaderi (2019), Section VII.B, which names this scheme as the one that FIFO-FF improves on.
Implements
    FIFO-FF in which a job takes whole containers: as many as its size requires.
Symbols
    l  ``server``
Deviations
    The paper does not simulate this scheme.  The capacity of a server (of the largest server, if capacities
    differ) is divided into ``containers`` equal containers.
"""

from __future__ import annotations

from pydantic import Field

from slotscope.model.kinds.queue.layout import Containers
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies import fifo_ff
from slotscope.model.scenario.fields import Whole


class Parameters(fifo_ff.Parameters):
    """``containers``: the number of containers of a largest server."""

    containers: Whole = Field(default=10, ge=1, le=10_000)


class Reference(fifo_ff.Reference):
    """FIFO over containers."""

    schema = Parameters

    def __init__(self, numbers: QueueNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.layout = Containers(parameters.containers, numbers.largest)
