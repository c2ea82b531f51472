"""What the reference policies of all kinds of system have in common: names, parameters and pseudocode."""

from __future__ import annotations

from textwrap import dedent
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, Sequence

from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.reporting.records import Line, Record
from slotscope.model.scenario.fields import Section

#: For built-in policies: a replay of them never drifts, so a drift is a bug of the program.
DRIFT_IS_OURS = "please report the scenario, the seed and this event"


class PseudocodeLine(NamedTuple):
    """A line of the paper's algorithm as implemented here, for display beside a run.

    *printed* is the line as the paper prints it, if it differs.
    """

    line: Line
    indent: int
    text: str
    heading: str = ""  #: above the first line of a listing that is not an algorithm of the paper
    printed: str = ""


def listing(text: str) -> tuple[PseudocodeLine, ...]:
    """The lines of an algorithm, from text with two spaces for each level of indentation.

    If the paper prints a different line, that follows behind ``||``.  ``#2 Stalling`` begins algorithm 2 with a
    heading; ``#2`` alone begins it without one.
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
    """*lines* with the *texts* that replace some of them because of the policy's parameters.

    A replaced text becomes the ``printed`` of its line, unless the line has one already.  *printed* overrides the
    ``printed`` of the lines in it.
    """
    other = tuple(
        one._replace(text=texts[one.line], printed=one.printed or one.text) if one.line in texts else one
        for one in lines
    )
    return tuple(one._replace(printed=printed.get(one.line, one.printed)) for one in other)


class NoParameters(Section):
    """The parameters of a policy that takes none."""


class Policy:
    """Base class of the policies of all kinds of system, with default attributes.

    Name, title and paper of a built-in policy come from the declaration of its kind of system.
    """

    name: str = ""
    title: str = ""
    system: str = ""
    paper: str = ""
    schema: type[Section] = NoParameters
    pseudocode: tuple[PseudocodeLine, ...] = ()
    #: Whether the policy's compiled twin, if it has one, supports these parameters.
    compiled: bool = True
    #: Whether it is user-written code, and the advice if its decisions differ in a replay.
    may_fail: bool = False
    on_drift: str = DRIFT_IS_OURS
    #: The text of the policy's file; "" for a built-in policy.
    text: str = ""
    #: The ``kernel`` function of that file, which decides in compiled code (:mod:`model.policies.own.sound`), or None.
    brought: Any = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, spec in ROOMS[cls.system].policies.items() if cls.system else ():
            if spec.reference == cls.__module__:
                cls.name, cls.title, cls.paper = name, spec.title, spec.paper


def say(kind: str, /, **values: Any) -> Record:
    """A sub-step that explains: *kind* says what happened, *values* are the numbers compared.

    The displayed sentence consists of both: ``say("too_full", free=3, needed=4)`` is shown as
    "too full: free = 3, needed = 4".
    """
    return Record(kind, None, values)
