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
    """One arrival that is not decided alike.

    Attributes
    ----------
    arrival:
        The number of the arrival, from 0.
    job:
        The job's number, the same under every policy.
    time:
        When it arrives.
    type:
        Its type, from 0.
    rows:
        For each lane the row of the event, with all that is costly to count.
    answers:
        For each lane what it decided, see :meth:`model.kinds.spec.Kind.decisions`.
    """

    arrival: int
    job: int
    time: float
    type: int
    rows: tuple[np.void, ...]
    answers: tuple[int, ...]

    def admitted(self, lane: int) -> bool:
        """Whether the job is admitted in that lane."""
        return self.answers[lane] >= 0


@dataclass(frozen=True)
class Standing:
    """How several lanes stand at a moment.

    Attributes
    ----------
    labels:
        What to call each lane: the policy's title, with its parameters where titles agree.
    policies:
        Each lane's policy as it is given on a command line.
    next_lanes:
        The lanes in which the next event happens.
    followed:
        The lane whose decisions are stepped into, where it takes part.
    first:
        The first arrival decided differently (admitted or rejected), once there is one.
    found:
        The one that was gone to last.
    decided:
        Arrivals decided so far in every lane.
    whole:
        Whether these are all; not where the reading of what happened before was given up.
    bytes:
        Memory of the records of decisions.
    """

    labels: tuple[str, ...]
    policies: tuple[str, ...]
    next_lanes: tuple[int, ...]
    followed: int
    first: Difference | None
    found: Difference | None
    decided: int
    whole: bool
    bytes: int
