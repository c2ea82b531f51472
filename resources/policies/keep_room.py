"""Trunk reservation for servers: some keep room for the type that pays best.

A worked example of a policy of one's own.  Jobs of the best-paying type are always admitted
where they fit.  Another job goes first to a server that cannot hold a job of the best-paying
type anyway.  If there is none, it may take room from the best-paying type only while more
than ``kept`` servers would hold such a job; else it is rejected, although there is room.

    slotscope run dra-vms --policy "keep_room.py:kept=3"
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from slotscope.model.kinds.reservation.policies.base import Admit, OwnPolicy, Reject, Section, say


class Parameters(Section):
    """``kept``: how many servers keep room for one job of the best-paying type."""

    kept: Annotated[int, Field(ge=0)] = 2


class Policy(OwnPolicy):
    """Keeps room for the job type with the highest reward."""

    title = "Room for the best-paying type"
    schema = Parameters

    def __init__(self, numbers, parameters):
        """Attributes are set here and stay as they are."""
        super().__init__(numbers, parameters)
        paying = [reward if fits else -1 for reward, fits in zip(numbers.rewards, numbers.space.fits, strict=True)]
        self.best = int(np.argmax([float(reward) for reward in paying]))
        self.kept = parameters.kept

    def arrival(self, view, job):
        room = view.with_room(job.type)
        if not len(room):
            yield Reject()
        elif job.type == self.best:
            yield Admit(server=room[0])
        else:
            yield from self.other_job(view, room)

    def other_job(self, view, room):
        precious = view.with_room(self.best)
        harmless = np.setdiff1d(room, precious)
        yield say("room_for_the_best", servers=len(precious), kept=self.kept, harmless=len(harmless))
        if len(harmless):
            yield Admit(server=harmless[0])
        elif len(precious) > self.kept:
            yield Admit(server=room[0])
        else:
            yield Reject()
