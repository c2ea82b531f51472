"""MaxWeight over all feasible configurations of finitely many sizes.

Reference
    Psychas & Ghaderi (2019), Section III.A, Definition 2, (5); the paper takes MaxWeight from the
    literature on finitely many job types.
Implements
    An empty server gets the feasible configuration of maximum weight; a server takes up to k_j jobs
    of each type.
Symbols
    k  ``configurations[active]``  [V] the server's configuration, sizes in decreasing order
    Q  ``view.queue_length``       [V] jobs that wait, by size
Deviations
    Non-preemptive.  With ``preemptive`` each server gets the configuration of maximum weight in every
    slot, where jobs in service count as waiting; jobs in excess of k_j return to the queue.  Ties go
    to the lexicographically largest configuration, which is a maximal one; so only the maximal
    configurations are listed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.layout import OneForEachSize
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies.active import RENEWAL, ActiveConfigurations, RenewalParameters
from slotscope.model.kinds.queue.policies.base import Decisions, PseudocodeLine, listing, placed
from slotscope.model.kinds.queue.state import ALWAYS
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.policies.common import departing
from slotscope.model.programs.listing import maximal_additive
from slotscope.model.reporting.records import Evict, Line, Record, Renew

#: The largest number of configurations that a server may choose from.
MOST_CONFIGURATIONS = 20_000

_PREEMPTIVE = (
    "in every slot: <b>k</b> := argmax &lt;<b>k</b>, <b>Q</b> and jobs in service&gt; over all feasible configurations"
)


class Parameters(RenewalParameters):
    """How configurations are renewed, and whether non-empty servers are renewed too (``preemptive``)."""

    preemptive: bool = False


class Reference(ActiveConfigurations):
    """MaxWeight."""

    schema = Parameters
    serves_by = "exactly"
    pseudocode: tuple[PseudocodeLine, ...] = listing("""
        <b>if</b> the server is empty: <b>k</b> := argmax &lt;<b>k</b>, <b>Q</b>&gt; over all feasible configurations \
        || at any time <b>k</b> has the maximum weight &lt;<b>k</b>, <b>Q</b>&gt;
        #2
        <b>for each</b> type <i>j</i>, <b>while</b> fewer than <i>k<sub>j</sub></i> of its jobs are in the server \
<b>do</b>
          schedule the one that waits longest
        #3 Preemptive: before step 2, for each server
        put jobs beyond <b>k</b> back into the queue
    """)

    def __init__(self, numbers: QueueNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.preemptive = parameters.preemptive
        if self.preemptive:
            self.looks_again = ALWAYS
            self.pseudocode = departing(self.pseudocode, {Line(1, 1): _PREEMPTIVE})
        if not numbers.values:
            raise ValueError(
                "found sizes from a continuous distribution, allowed for max-weight: "
                "finitely many sizes (a discrete or scripted distribution)"
            )
        values = np.array(numbers.values, np.int64)
        names = tuple(str(view_name(numbers, value)) for value in numbers.values)
        self.layout = OneForEachSize(values, names)
        rows, pools, start = [], [], 0
        for pool in numbers.pools:
            found = maximal_additive(numbers.values, pool.capacity, MOST_CONFIGURATIONS)
            rows.append(found)
            pools.append((start, start + len(found)))
            start += len(found)
        self.configurations = np.vstack(rows).astype(np.int32)
        self.pool_configurations = tuple(pools)
        self.configuration_names = tuple(
            f"({', '.join(str(count) for count in row)})" for row in self.configurations.tolist()
        )

    def slot(self, view: QueueView) -> Decisions:
        """As in :class:`ActiveConfigurations`; with ``preemptive`` every server is renewed first."""
        if not self.preemptive:
            yield from super().slot(view)
            return
        lengths = view.lengths(before=self.before) + view.in_service()
        for server in range(self.numbers.servers):
            yield from self._make_way(view, server, lengths)
        for server in range(self.numbers.servers):
            yield from self.serve(view, server)

    def _make_way(self, view: QueueView, server: int, lengths: NDArray[np.int64]) -> Decisions:
        """Renew a server, all jobs counting as waiting; jobs in excess of k_j return to the queue, newest first."""
        best, weight = self.heaviest(server, lengths)
        yield Renew(
            line=RENEWAL,
            server=server,
            configuration=best,
            values={
                "weight": weight,
                "lengths": tuple(lengths.tolist()),
                "name": self.configuration_names[best],
                "empty": view.is_empty(server),
            },
        )
        left = self.configurations[best].copy()
        for job in view.jobs_on(server):
            left[job.queue] -= 1
        for job in reversed(view.jobs_on(server)):
            if left[job.queue] < 0:
                left[job.queue] += 1
                yield Evict(line=Line(3, 1), job=job.number, server=server)

    def serve(self, view: QueueView, server: int) -> Decisions:
        """Take up to k_j jobs of each type, types in order of decreasing size."""
        wanted = self.configurations[view.active(server)]
        for queue in np.flatnonzero(wanted).tolist():
            present = sum(job.queue == queue for job in view.jobs_on(server))
            yield Record(
                "counted",
                Line(2, 1),
                {"server": server, "queue": queue, "present": present, "wanted": int(wanted[queue])},
            )
            for job in view.in_line(queue):
                if present >= wanted[queue] or not view.fits(job, server):
                    break
                yield placed(Line(2, 2), view, job, server, "configuration")
                present += 1


def view_name(numbers: QueueNumbers, value: tuple[int, ...]) -> str:
    """A size in the scenario's unit, as text."""
    amounts = [numbers.amount(units, d) for d, units in enumerate(value)]
    return "×".join(str(amount) for amount in amounts)
