"""What a kind of system declares about user policies; the guard of all kinds reads it.

The module ``own.py`` of each kind defines ``OWN``: the kind's checks and wordings, but no guard code.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any, Callable, Mapping, NamedTuple

from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.policies.common import Policy
from slotscope.model.policies.own.sound import Check, RecordCheck, truth
from slotscope.model.reporting.records import Record


class Occasion(NamedTuple):
    """An occasion on which a policy is called: the method, and its arguments after ``self``."""

    name: str
    arguments: tuple[str, ...] = ("view",)
    answers: tuple[type[Record], ...] = ()  #: decisions of which one must be yielded; if empty, none is required
    unanswered: str = ""  #: the message, after "it", about a policy that yields none of them


def nothing_to_add(*_: Any) -> Mapping[str, Any]:
    """No values beyond a decision's own fields."""
    return {}


def itself(numbers: Any) -> tuple[Any, ...]:
    """Numbers that consist of a single object."""
    return (numbers,)


def nothing_to_refuse(*_: Any) -> None:
    """Accept any combination of attributes."""


class KernelKind(NamedTuple):
    """What a kind of system declares about user kernels."""

    arguments: tuple[str, ...]  #: the arguments of the function ``kernel``
    #: makes the engine, a :class:`.driver.OwnKernel`, of a system whose policy has a kernel
    engine: Callable[[Any], Any]


class OwnKind(NamedTuple):
    """What the guard of user policies needs to know of a kind of system."""

    base: type[Policy]  #: the base class of what the system runs, with defaults for what a file leaves out
    own: type[Policy]  #: the base class for the classes in policy files
    occasions: tuple[Occasion, ...]  #: the methods that a policy may have
    #: methods of which a file must define one; it must be the first if its class does not derive from *own*
    enough: tuple[str, ...]
    hint: str  #: what the first of them does, in a few words
    #: the decisions that may be yielded, each with the check of its fields; ``say`` needs no entry
    records: Mapping[type[Record], RecordCheck]
    #: describes the moment of a call in words: (name of the occasion, view, arguments)
    about: Callable[[str, Any, tuple[Any, ...]], str]
    kernels: KernelKind  #: the declaration about user kernels
    #: attributes of the policy that the system reads, each with its check
    attributes: Mapping[str, Check] = MappingProxyType({})
    reserved: frozenset[str] = frozenset()  #: kinds of sub-steps that only the program may record
    needed: Mapping[str, tuple[str, ...]] = MappingProxyType({})  #: the values that each known kind's sentence needs
    #: kinds of sub-steps that the system reads although they decide nothing
    heeded: frozenset[str] = frozenset()
    #: checks of values whose names the panels give a meaning; each check gets the view's numbers
    names: Mapping[str, Check] = MappingProxyType({})
    #: default values that explain a decision: (record, view, arguments)
    explained: Callable[[Record, Any, tuple[Any, ...]], Mapping[str, Any]] = nothing_to_add
    #: the numbers and the objects inside them to watch for changes, with all lazy values computed
    parts: Callable[[Any], tuple[Any, ...]] = itself
    #: raises if attributes contradict each other: (the policy with all of them, numbers)
    together: Callable[[Any, Any], None] = nothing_to_refuse

    @property
    def switches(self) -> list[str]:
        """Names of the attributes that are True or False; they are checked on the file's class already."""
        return [name for name, check in self.attributes.items() if check is truth]


def kind_of(system: str) -> OwnKind:
    """The declaration of a kind of system about user policies."""
    found: OwnKind = import_module(ROOMS[system].own_policies).OWN
    return found
