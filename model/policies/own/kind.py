"""What a kind of system says of policies of one's own; the guard of all kinds reads it.

A room's module ``own.py`` defines ``OWN``: its words and checks, and nothing that guards.
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
    """When a policy is called: a method, and its arguments after ``self``."""

    name: str
    arguments: tuple[str, ...] = ("view",)
    answers: tuple[type[Record], ...] = ()  #: decisions one of which must be yielded; none: it may do nothing
    unanswered: str = ""  #: what is said of a policy that yields none of them, after "it"


def nothing_to_add(*_: Any) -> Mapping[str, Any]:
    """Decisions are told by their own fields."""
    return {}


def itself(numbers: Any) -> tuple[Any, ...]:
    """Numbers without objects of the program inside."""
    return (numbers,)


def nothing_to_refuse(*_: Any) -> None:
    """Each attribute is right whatever the others are."""


class KernelKind(NamedTuple):
    """What a kind of system says of kernels of one's own."""

    arguments: tuple[str, ...]  #: those of the function ``kernel``
    #: makes the engine of a system whose policy brings one along, a :class:`.driver.OwnKernel`
    engine: Callable[[Any], Any]


class OwnKind(NamedTuple):
    """A kind of system, as far as the guard of policies of one's own must know it."""

    base: type[Policy]  #: what the kind's system runs; it has what a file leaves out
    own: type[Policy]  #: what a file's class starts from
    occasions: tuple[Occasion, ...]  #: methods that may be there
    #: methods of which a file must define one; the first, where its class does not start from *own*
    enough: tuple[str, ...]
    hint: str  #: what the first of them does, in a few words
    #: the decisions that may be yielded, each with the check of its fields; ``say`` goes without
    records: Mapping[type[Record], RecordCheck]
    #: words for the moment of an occasion: (its name, view, arguments)
    about: Callable[[str, Any, tuple[Any, ...]], str]
    kernels: KernelKind  #: what is known of kernels of one's own
    #: attributes of the policy that the system reads, each with its check
    attributes: Mapping[str, Check] = MappingProxyType({})
    reserved: frozenset[str] = frozenset()  #: kinds of sub-steps that the program itself records
    needed: Mapping[str, tuple[str, ...]] = MappingProxyType({})  #: values that the words for a known kind are made of
    #: kinds of sub-steps of which the system takes notice although they decide nothing
    heeded: frozenset[str] = frozenset()
    #: what the value of a name that panels know must be, as the view tells
    names: Mapping[str, Check] = MappingProxyType({})
    #: values that a decision gets where it has none of them: (record, view, arguments)
    explained: Callable[[Record, Any, tuple[Any, ...]], Mapping[str, Any]] = nothing_to_add
    #: the numbers, and what else they consist of, with all computed that is to be watched
    parts: Callable[[Any], tuple[Any, ...]] = itself
    #: refuses attributes that do not fit each other: (the policy with all of them, numbers)
    together: Callable[[Any, Any], None] = nothing_to_refuse

    @property
    def switches(self) -> list[str]:
        """Attributes that are true or false: of the file's class already."""
        return [name for name, check in self.attributes.items() if check is truth]


def kind_of(system: str) -> OwnKind:
    """What a kind of system says of policies of one's own."""
    found: OwnKind = import_module(ROOMS[system].own_policies).OWN
    return found
