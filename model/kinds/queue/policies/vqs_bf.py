"""VQS-BF: virtual queue scheduling that incorporates best fit.

Reference
    Psychas & Ghaderi (2019), Section VI.
Implements
    Step 1 as in VQS; then steps (i), (ii) and (iii) for one server after the other.
Symbols
    k  ``configurations[active]``  the server's active configuration
Deviations
    Step (ii) counts all jobs of VQ_j in the server, including those placed by step (iii).  Ties in
    size go to the earliest job.  All jobs that are rounded up to 1/2^J have equal sizes, because
    sizes are rounded up when jobs join the queue (Section V.A).
"""

from __future__ import annotations

from slotscope.model.kinds.queue.policies.base import Decisions, listing, placed
from slotscope.model.kinds.queue.policies.best_fit import fill_server
from slotscope.model.kinds.queue.policies.vqs import STALL, STEP_1, PartitionParameters, PartitionPolicy
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import Line, Record


class Reference(PartitionPolicy):
    """VQS-BF."""

    schema = PartitionParameters
    exhausts = "queue"
    serves_by = "best fit"
    pseudocode = (
        *STEP_1,
        *listing("""
            #2 Step 2: server by server
            <b>if</b> <i>k</i><sub>1</sub> = 1: schedule the largest job of VQ<sub>1</sub> that fits
            <b>while</b> fewer than <i>k<sub>j</sub></i> jobs of VQ<sub>j</sub> are in it and one fits <b>do</b>
              schedule the largest that fits
            <b>while</b> a waiting job fits <b>do</b>
              schedule the largest that fits (BF-S)
        """),
        *STALL,
    )

    def serve(self, view: QueueView, server: int) -> Decisions:
        """Carry out steps (i), (ii) and (iii) for one server."""
        configuration = view.active(server)
        odd = int(self.first_odd[configuration])
        if self.serves_first(configuration):
            yield from self._largest_of(view, server, odd, Line(2, 1))
        queue = int(self.other[configuration])
        wanted = int(self.configurations[configuration, queue])
        while True:
            present = sum(job.queue == queue for job in view.jobs_on(server))
            yield Record(
                "counted", Line(2, 2), {"server": server, "queue": queue, "present": present, "wanted": wanted}
            )
            before = int(view.queue_length[queue])
            if present < wanted:
                yield from self._largest_of(view, server, queue, Line(2, 3))
            if int(view.queue_length[queue]) == before:
                break
        yield from fill_server(view, server, Line(2, 4), Line(2, 5))

    def _largest_of(self, view: QueueView, server: int, queue: int, line: Line) -> Decisions:
        job = view.largest_that_fits(server, queue)
        if job is None:
            yield Record(
                "none_fits",
                line,
                {
                    "server": server,
                    "queue": queue,
                    "waiting": int(view.queue_length[queue]),
                    "free": view.told(view.free(server)),
                },
            )
        else:
            yield placed(line, view, job, server, "largest_of_queue")
