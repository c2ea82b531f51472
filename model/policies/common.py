"""What the references of all kinds of system have alike: names, parameters and pseudocode."""

from __future__ import annotations

from textwrap import dedent
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, Sequence

from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.reporting.records import Line, Record
from slotscope.model.scenario.fields import Section

#: A replay of the program's own policies never drifts.
DRIFT_IS_OURS = "please report the scenario, the seed and this event"


class PseudocodeLine(NamedTuple):
    """A line of the paper's algorithm as it is read here, for display beside a run.

    Where that is not what the paper has, *printed* is.
    """

    line: Line
    indent: int
    text: str
    heading: str = ""  #: above the first line of lines that are no algorithm of the paper
    printed: str = ""


def listing(text: str) -> tuple[PseudocodeLine, ...]:
    """The lines of an algorithm as they are written, two spaces for each level of indentation.

    What the paper has instead of a line stands behind ``||``.  ``#2 Stalling`` is the heading of the next line, with
    which algorithm 2 begins; ``#2`` alone begins it without one.
    """
    found: list[PseudocodeLine] = []
    algorithm, number, heading = 1, 0, ""
    for line in dedent(text).strip().splitlines():
        if line.startswith("#"):
            begun, _, heading = line.removeprefix("#").partition(" ")
            algorithm, number = int(begun), 0
            continue
        said, _, printed = line.partition("||")
        number += 1
        indent = (len(said) - len(said.lstrip())) // 2
        found.append(PseudocodeLine(Line(algorithm, number), indent, said.strip(), heading, printed.strip()))
        heading = ""
    return tuple(found)


def departing(
    lines: Sequence[PseudocodeLine], texts: Mapping[Line, str], printed: Mapping[Line, str] = MappingProxyType({})
) -> tuple[PseudocodeLine, ...]:
    """*lines* as parameters have them: those with another one of *texts* have what they were as what is printed.

    *printed* is what the paper has instead where a line itself does not say so.
    """
    other = tuple(
        one._replace(text=texts[one.line], printed=one.printed or one.text) if one.line in texts else one
        for one in lines
    )
    return tuple(one._replace(printed=printed.get(one.line, one.printed)) for one in other)


class NoParameters(Section):
    """The parameters of a policy that has none."""


class Policy:
    """A policy for some kind of system: what it is unless it says otherwise.

    Those of a room are called as the room declares them.
    """

    name: str = ""
    title: str = ""
    system: str = ""
    paper: str = ""
    schema: type[Section] = NoParameters
    pseudocode: tuple[PseudocodeLine, ...] = ()
    #: Whether the policy's compiled twin, if it has one, knows these parameters.
    compiled: bool = True
    #: Whether somebody else wrote it, and what to do if it decides otherwise when asked again.
    may_fail: bool = False
    on_drift: str = DRIFT_IS_OURS
    #: The text of the file that it came from, if it came from one.
    text: str = ""
    #: The function of that file that decides in a kernel (:mod:`model.policies.own.sound`), if it has one.
    brought: Any = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, spec in ROOMS[cls.system].policies.items() if cls.system else ():
            if spec.reference == cls.__module__:
                cls.name, cls.title, cls.paper = name, spec.title, spec.paper


def say(kind: str, /, **values: Any) -> Record:
    """A sub-step that explains: *kind* says what happened, *values* the numbers compared.

    The sentence is made of both: ``say("too_full", free=3, needed=4)`` is shown as
    "too full: free = 3, needed = 4".
    """
    return Record(kind, None, values)
