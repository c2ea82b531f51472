"""What a room declares of its questions: a function for each that can be asked, and words for variables."""

from __future__ import annotations

from importlib import import_module
from typing import Mapping, NamedTuple

from slotscope.model.exercises.deciding import Pose
from slotscope.model.kinds.rooms import ROOMS


class RoomAsks(NamedTuple):
    """What can be asked of a room's decisions."""

    #: what makes a question of a moment, by what is asked (:data:`model.exercises.question.ASKS`)
    poses: Mapping[str, Pose]
    #: the variables that can be asked for, by the names that records give them; ``{i}`` of the record may stand in
    #: their words
    values: Mapping[str, str]


def asks_of(system: str) -> RoomAsks:
    """What a kind of system can be asked."""
    found: RoomAsks = import_module(ROOMS[system].asks).ASKS
    return found
