"""FIFO-FF: first come, first served, by first fit.

Reference
    Psychas & Ghaderi (2019), Section VII.B: the baseline after Hadoop's FIFO scheduler.
Implements
    The first job of the queue goes to the first server that has room for it, and so on.
Symbols
    l  ``server``
Deviations
    A job that fits no server blocks the jobs behind it; with ``skip`` it does not.
"""

from __future__ import annotations

from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies.base import Decisions, PseudocodeLine, QueuePolicy, listing, placed
from slotscope.model.kinds.queue.state import NEVER
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.policies.common import departing
from slotscope.model.reporting.records import Line, Record
from slotscope.model.scenario.fields import Section


class Parameters(Section):
    """``skip``: whether a job that fits no server is passed over."""

    skip: bool = False


class Reference(QueuePolicy):
    """FIFO-FF."""

    schema = Parameters
    looks_again = NEVER
    pseudocode: tuple[PseudocodeLine, ...] = listing("""
        <b>for each</b> waiting job in order of arrival <b>do</b>
          <b>if</b> a server has room for it <b>then</b>
            schedule it in the first such server
          <b>else</b> stop
    """)

    def __init__(self, numbers: QueueNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.skips = parameters.skip
        self.exhausts = "queue" if parameters.skip else "head of line"
        if self.skips:
            self.pseudocode = departing(self.pseudocode, {Line(1, 4): "<b>else</b> pass it over"})

    def slot(self, view: QueueView) -> Decisions:
        """Place jobs in order of arrival; the first that fits no server ends the search, or is passed over."""
        for job in view.waiting() if self.skips else view.in_line(0):
            servers = view.with_room(job)
            yield Record(
                "servers_that_fit",
                Line(1, 2),
                {
                    "job": job.number,
                    "size": view.told(job.room),
                    "servers": len(servers),
                    "most_free": view.told(view.most_free()),
                },
            )
            if len(servers):
                yield placed(Line(1, 3), view, job, int(servers[0]), "first_fit")
            elif not self.skips:
                yield Record("blocked", Line(1, 4), {"job": job.number, "behind": int(view.queue_length.sum()) - 1})
                return
