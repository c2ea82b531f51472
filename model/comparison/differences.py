"""Where runs on the same jobs decide differently, as data."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Mapping

import numpy as np

#: Kinds of event that only a comparison knows, and whether all of an answer counts: also which
#: server, or how many servers.
DIFFERENCES: Mapping[str, bool] = MappingProxyType({"different decision": False, "different answer": True})


@dataclass(frozen=True)
class Difference:
    """One arrival that is not decided alike."""

    arrival: int  #: the number of the arrival, from 0
    job: int  #: the job's number, the same under every policy
    time: float  #: when it arrives
    type: int  #: its type, from 0
    rows: tuple[np.void, ...]  #: for each lane the row of the event, with all that is costly to count
    answers: tuple[int, ...]  #: for each lane what it decided, see :meth:`model.kinds.spec.Kind.decisions`

    def admitted(self, lane: int) -> bool:
        """Whether the job is admitted in that lane."""
        return self.answers[lane] >= 0


@dataclass(frozen=True)
class Standing:
    """How several lanes stand at a moment."""

    labels: tuple[str, ...]  #: what to call each lane: the policy's title, with its parameters where titles agree
    policies: tuple[str, ...]  #: each lane's policy as it is given on a command line
    next_lanes: tuple[int, ...]  #: the lanes in which the next event happens
    followed: int  #: the lane whose decisions are stepped into, where it takes part
    first: Difference | None  #: the first arrival decided differently (admitted or rejected), once there is one
    found: Difference | None  #: the one that was gone to last
    decided: int  #: arrivals decided so far in every lane
    whole: bool  #: whether these are all; not where the reading of what happened before was given up
    bytes: int  #: memory of the records of decisions
