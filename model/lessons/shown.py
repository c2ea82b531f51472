"""What a step of a lesson wants to show at its moment, and is not there."""

from __future__ import annotations

from typing import Collection, Iterator, Sequence

from slotscope.model.errors import UserError
from slotscope.model.exercises.posing import no_such_policy
from slotscope.model.lessons.lesson import Step
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import JOB, SERVER, Thing


def not_there(step: Step, panels: Collection[str], lanes: Sequence[Frame]) -> Iterator[UserError]:
    """A fault for each panel that is none of the *panels*, each policy that does not run, and each thing to outline.

    *lanes* are the frames of the policies that run side by side, at the step's moment.
    """
    named = [*(("panels", name) for name in step.panels), *(("marks", mark.panel) for mark in step.marks)]
    for where, name in named:
        if name not in panels:
            said = Phrase("found '{answer}', allowed: {allowed}", answer=name, allowed=", ".join(sorted(panels)))
            yield UserError(said, where=where)
    for where, policy in (("policy", step.policy), *(("marks", mark.policy) for mark in step.marks)):
        if policy > len(lanes):
            yield no_such_policy(policy, len(lanes), where)
    frame = lanes[min(step.policy, len(lanes)) - 1]
    for what, first in ((SERVER, 1), (JOB, 0)):
        number = step.outlined(what)
        if number is None:
            continue
        if absent := frame.info.kind.inspector.describe(frame, Thing(what, number)).absent:
            thing = f"{what} {number + first}"
            said = Phrase("found '{thing}', allowed: one that is there. {absent}", thing=thing, absent=absent)
            yield UserError(said, where="outline")
