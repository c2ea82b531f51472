"""First fit on servers without number.

Reference
    A peer of JRS; the notion of a fit is that of ``fits`` and ``factor``.
Implements
    Lines as in ``pseudocode``.
Symbols
    l  ``server``
Deviations
    A job that fits no busy server goes to an idle one, whatever its demand.
"""

from __future__ import annotations

from model.policies.phases.base import Decisions, Job, PseudocodeLine
from model.policies.phases.fitting import FittingPolicy
from model.records import Line, Place, Record
from model.systems.phases.view import PhaseView


class Reference(FittingPolicy):
    """First fit."""

    name = "first-fit"
    title = "First fit"
    paper = "peer of Hong, Xie & Wang (2023)"
    pseudocode = (
        PseudocodeLine(Line(1, 1), 0, "<b>when</b> a job arrives <b>do</b>"),
        PseudocodeLine(Line(1, 2), 1, "<b>if</b> it fits a busy server <b>then</b>"),
        PseudocodeLine(Line(1, 3), 2, "the one of lowest number takes it"),
        PseudocodeLine(Line(1, 4), 1, "<b>else</b> an idle server takes it"),
    )  # fmt: skip

    def arrived(self, view: PhaseView, job: Job) -> Decisions:
        """The first busy server where it fits, or an idle one."""
        fitting = self.fitting(view, job.type)
        yield Record("fitting", Line(1, 2), {"type": job.type, "servers": len(fitting)})
        if fitting:
            yield Place(line=Line(1, 3), job=job.number, server=fitting[0],
                        values={"fitting": len(fitting), "reason": "first"})  # fmt: skip
        else:
            yield Place(line=Line(1, 4), job=job.number, server=view.first_idle(),
                        values={"fitting": 0, "reason": "none fits"})  # fmt: skip
