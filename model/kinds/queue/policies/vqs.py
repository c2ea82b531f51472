"""VQS: virtual queue scheduling.

Reference
    Psychas & Ghaderi (2019), Section V.B, "VQS"; the partition: (6); K_RED: (7).
Implements
    Steps 1 and 2 (i), (ii).
Symbols
    k    ``configuration``  [V] the server's active configuration
    J    ``depth``          the partition has the 2 J intervals I_0 .. I_{2J-1}
Deviations
    k_1 = 1 reserves two thirds of the server for VQ_1, even while VQ_1 is empty or its job is
    smaller; the other queue gets exactly one third.  Step (ii) stops at a head-of-line job that
    does not fit; with ``skip`` it continues with the jobs behind.  J defaults to the least value with
    1/2^J at most the smallest size; with a smaller J, jobs below 1/2^J are rounded up and occupy
    1/2^J (with ``round_small = false`` their true size).  A server with 1/2^a of the largest
    capacity serves the virtual queues from VQ_{2a} on, which are its own VQ_0, VQ_1, ...
    (Section VIII).  A job must also fit beside the jobs that another policy has left on a server.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies.active import ActiveConfigurations, StallingParameters
from slotscope.model.kinds.queue.policies.base import Decisions, PseudocodeLine, listing, placed
from slotscope.model.kinds.queue.policies.virtual_queues import virtual_queues
from slotscope.model.kinds.queue.programs.partition import LEAST_DEPTH, MOST_DEPTH
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.policies.common import departing
from slotscope.model.reporting.records import Line, Record
from slotscope.model.scenario.fields import Whole

#: The first and the last lines of the pseudocode of VQS and VQS-BF.
STEP_1 = listing("""
    #1 Step 1: active configuration
    <b>if</b> the server is empty: <b>k</b> := argmax &lt;<b>k</b>, <b>Q</b>&gt; over K<sub>RED</sub>
""")
STALL = listing("""
    #3 Stalling
    stall a server if &lt;<b>k</b>, <b>Q</b>&gt; &lt; γ max &lt;<b>k</b>, <b>Q</b>&gt; \
    || if its weight is far from the maximum
""")


class PartitionParameters(StallingParameters):
    """J of the partition (default: the least with 1/2^J at most the smallest size), and whether sizes are rounded."""

    j: Whole | None = Field(default=None, ge=LEAST_DEPTH, le=MOST_DEPTH)
    round_small: bool = True


class Parameters(PartitionParameters):
    """Also ``skip``: whether step (ii) passes over a job that does not fit."""

    skip: bool = False


class PartitionPolicy(ActiveConfigurations):
    """A policy over the virtual queues of partition I and the configurations of K_RED."""

    def __init__(self, numbers: QueueNumbers, parameters: PartitionParameters) -> None:
        super().__init__(numbers, parameters)
        queues = virtual_queues(numbers, parameters.j, parameters.round_small)
        self.layout = queues.layout
        self.depth = queues.depth
        self.intervals = queues.intervals
        self.configurations = queues.configurations
        self.configuration_names = queues.names
        self.pool_configurations = queues.pools
        #: [C] the virtual queue that serves as VQ_1 for the servers of a configuration's pool.
        self.first_odd = queues.first_odd
        #: [C] the queue with k_j > 0 other than VQ_1.
        self.other = queues.other

    def serves_first(self, configuration: int) -> bool:
        """Whether k_1 = 1."""
        return bool(self.configurations[configuration, self.first_odd[configuration]] > 0)


class Reference(PartitionPolicy):
    """VQS."""

    schema = Parameters
    reserves = True
    pseudocode: tuple[PseudocodeLine, ...] = (
        *STEP_1,
        *listing("""
            #2 Step 2: job scheduling, server by server
            <b>if</b> <i>k</i><sub>1</sub> = 1 and no job of VQ<sub>1</sub> is in the server <b>then</b>
              schedule the head of line of VQ<sub>1</sub>
            <b>while</b> the head of line of VQ<sub>j</sub>, <i>k<sub>j</sub></i> &gt; 0, fits <b>do</b>
              schedule it
        """),
        *STALL,
    )

    def __init__(self, numbers: QueueNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.skips = parameters.skip
        if self.skips:
            text = "<b>for each</b> job of VQ<sub>j</sub>, <i>k<sub>j</sub></i> &gt; 0, in line, that fits <b>do</b>"
            self.pseudocode = departing(self.pseudocode, {Line(2, 3): text})

    def serve(self, view: QueueView, server: int) -> Decisions:
        """Carry out step 2 for one server."""
        configuration = view.active(server)
        serves_first = self.serves_first(configuration)
        odd = int(self.first_odd[configuration])
        if serves_first:
            yield from self._first(view, server, odd)
        share = self.numbers.capacity[server, 0]
        if serves_first:
            share //= 3
        yield from self._others(view, server, int(self.other[configuration]), int(share))

    def _first(self, view: QueueView, server: int, odd: int) -> Decisions:
        present = any(job.queue == odd for job in view.jobs_on(server))
        waiting = int(view.queue_length[odd])
        yield Record(
            "reserved_share", Line(2, 1), {"server": server, "queue": odd, "present": present, "waiting": waiting}
        )
        if waiting and not present:
            head = next(view.in_line(odd))
            if view.fits(head, server):
                yield placed(Line(2, 2), view, head, server, "reserved_share")

    def _others(self, view: QueueView, server: int, queue: int, share: int) -> Decisions:
        taken = sum(job.room[0] for job in view.jobs_on(server) if job.queue == queue)
        for job in view.waiting(queue) if self.skips else view.in_line(queue):
            free = min(share - taken, int(view.free(server)[0]))
            fits = job.room[0] <= free
            yield Record(
                "head_of_line",
                Line(2, 3),
                {
                    "server": server,
                    "queue": queue,
                    "job": job.number,
                    "size": view.told(job.room),
                    "free": view.told(np.array([free])),
                    "fits": fits,
                },
            )
            if fits:
                yield placed(Line(2, 4), view, job, server, "head_of_line", share=view.told(np.array([free])))
                taken += job.room[0]
            elif not self.skips:
                return
