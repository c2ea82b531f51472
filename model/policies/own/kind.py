"""What a kind of system says of policies of one's own; the guard of all kinds reads it.

A room's module ``own.py`` defines ``OWN``: its words and checks, and nothing that guards.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any, Callable, Mapping, NamedTuple

from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.policies.common import Policy
from slotscope.model.policies.own.sound import Check, RecordCheck
from slotscope.model.reporting.records import Record


class Occasion(NamedTuple):
    """When a policy is called: a method, and its arguments after ``self``.

    Attributes
    ----------
    answers:
        Decisions one of which must be yielded; none: it may do nothing.
    unanswered:
        What is said of a policy that yields none of them, after "it".
    """

    name: str
    arguments: tuple[str, ...] = ("view",)
    answers: tuple[type[Record], ...] = ()
    unanswered: str = ""


def nothing_to_add(*_: Any) -> Mapping[str, Any]:
    """Decisions are told by their own fields."""
    return {}


def itself(numbers: Any) -> tuple[Any, ...]:
    """Numbers without objects of the program inside."""
    return (numbers,)


def nothing_to_refuse(*_: Any) -> None:
    """Each attribute is right whatever the others are."""


class KernelKind(NamedTuple):
    """What a kind of system says of kernels of one's own.

    Attributes
    ----------
    arguments:
        Those of the function ``kernel``.
    engine:
        Makes the engine of a system whose policy brings one along, a :class:`.driver.OwnKernel`.
    """

    arguments: tuple[str, ...]
    engine: Callable[[Any], Any]


class OwnKind(NamedTuple):
    """A kind of system, as far as the guard of policies of one's own must know it.

    Attributes
    ----------
    base:
        What the kind's system runs; it has what a file leaves out.
    own:
        What a file's class starts from.
    occasions:
        Methods that may be there.
    enough:
        Methods of which a file must define one; the first, where its class does not start from
        *own*.
    hint:
        What the first of them does, in a few words.
    records:
        The decisions that may be yielded, each with the check of its fields; ``say`` goes without.
    about:
        Words for the moment of an occasion: (its name, view, arguments).
    kernels:
        What is known of kernels of one's own.
    typed:
        Attributes of the class that must have a plain type.
    attributes:
        Attributes of the policy that the system reads, each with its check.
    reserved:
        Kinds of sub-steps that the program itself records.
    needed:
        Values that the words for a known kind are made of.
    heeded:
        Kinds of sub-steps of which the system takes notice although they decide nothing.
    names:
        What the value of a name that panels know must be, as the view tells.
    explained:
        Values that a decision gets where it has none of them: (record, view, arguments).
    parts:
        The numbers, and what else they consist of, with all computed that is to be watched.
    together:
        Refuses attributes that do not fit each other: (the policy with all of them, numbers).
    """

    base: type[Policy]
    own: type[Policy]
    occasions: tuple[Occasion, ...]
    enough: tuple[str, ...]
    hint: str
    records: Mapping[type[Record], RecordCheck]
    about: Callable[[str, Any, tuple[Any, ...]], str]
    kernels: KernelKind
    typed: Mapping[str, type] = MappingProxyType({})
    attributes: Mapping[str, Check] = MappingProxyType({})
    reserved: frozenset[str] = frozenset()
    needed: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    heeded: frozenset[str] = frozenset()
    names: Mapping[str, Check] = MappingProxyType({})
    explained: Callable[[Record, Any, tuple[Any, ...]], Mapping[str, Any]] = nothing_to_add
    parts: Callable[[Any], tuple[Any, ...]] = itself
    together: Callable[[Any, Any], None] = nothing_to_refuse


def kind_of(system: str) -> OwnKind:
    """What a kind of system says of policies of one's own."""
    found: OwnKind = import_module(ROOMS[system].own_policies).OWN
    return found
