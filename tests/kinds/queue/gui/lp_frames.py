"""Moments of runs whose bounds are solved step by step."""

from __future__ import annotations

from functools import cache
from itertools import islice

from slotscope.model.api import Session
from slotscope.model.kinds.queue.programs.bounds import QueueBounds, all_bounds
from slotscope.model.reporting.frame import Frame
from tests.runs import ran

VQS_UNSTABLE, BF_UNSTABLE = "queues-vqs-unstable", "queues-bf-unstable"


@cache
def answers(name: str, most: int = 8) -> tuple[QueueBounds, ...]:
    """The bounds of a scenario, from the first step to the most complete."""
    scenario = Session.open(name, kernel=False).info.scenario
    return tuple(islice(all_bounds(scenario), most))


@cache
def frame_at(name: str, policy: str, events: int, answer: int = -1) -> Frame:
    session = ran(name, policy, events=events)
    return session.frame(bounds=answers(name)[answer])
