"""Checks of user-written policies for moldable jobs: their attributes and the values that they yield."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from slotscope.model.kinds.moldable.kernels.own import OwnMoldableKernel
from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.policies.base import MoldablePolicy, OwnPolicy
from slotscope.model.kinds.moldable.rules import AllocationRules
from slotscope.model.kinds.moldable.view import MoldableView
from slotscope.model.policies.own.kind import KernelKind, Occasion, OwnKind
from slotscope.model.policies.own.sound import (
    NotADecisionError,
    found,
    number,
    number_or_infinity,
    remembered,
    truth,
    whole,
)
from slotscope.model.reporting.records import Allocate, Record, Reject, Remember
from slotscope.model.systems.state import copied


def _allocated(record: Allocate, numbers: MoldableNumbers) -> dict[str, Any]:
    return {"servers": whole(record.servers, "servers of Allocate", 1, numbers.degree), **_asked(record, numbers)}


def _asked(record: Record, numbers: MoldableNumbers) -> dict[str, Any]:
    """Check the number of servers that a decision says the job requested; it becomes part of the state."""
    if "request" in record.values:
        whole(record.values["request"], f"request of {type(record).__name__}", 1, numbers.degree)
    return {}


def _about(occasion: str, view: MoldableView, arguments: tuple[Any, ...]) -> str:
    names = view.numbers.class_names
    return f"{occasion} of a job{f' of class {names[arguments[0].type]}' if len(names) > 1 else ''}"


def _explained(record: Record, view: MoldableView, arguments: tuple[Any, ...]) -> Mapping[str, Any]:
    """The job that a decision is about, and the free servers open to it."""
    if not isinstance(record, Allocate | Reject) or not arguments:
        return {}
    job = arguments[0]
    return {"job": job.number, "type": job.type, "free": view.free(job.type)}


def _rules(value: Any, what: str, numbers: MoldableNumbers) -> AllocationRules:
    """A checked copy of the rules, which only this program can change.

    Raises NotADecisionError if requests or pools are out of range, the pools overlap, or a pool belongs to no class.
    """
    if type(value) is not AllocationRules or not all(type(array) is np.ndarray for array in value):
        raise NotADecisionError(f"{what} is {found(value)}, allowed: AllocationRules")
    rules = copied(value)
    classes, pools = numbers.classes, len(rules.pool_first)
    ends = np.r_[0, rules.pool_end[:-1]] if pools else np.zeros(0)
    shapes = (
        rules.own_pool.shape == (classes,)
        and rules.common_pool.shape == (1,)
        and rules.pool_end.shape == (pools,)
        and rules.width.shape == rules.last_word.shape
        and rules.width.shape[:1] == (classes,)
        and rules.by_free.shape in ((0, 0), (classes, numbers.servers + 1))
    )
    if not (shapes and _within(rules, numbers) and pools and np.array_equal(rules.pool_first, ends)):
        raise NotADecisionError(
            f"{what} are not such that every class asks for 1 to {numbers.degree} servers in pools that follow each "
            f"other from server 0 on, allowed: what certain, drawn and pooled make"
        )
    return rules


def _within(rules: AllocationRules, numbers: MoldableNumbers) -> bool:
    pools = len(rules.pool_first)
    sizes = rules.pool_end - rules.pool_first
    widths = np.concatenate([rules.width.ravel(), rules.by_free.ravel()])
    return bool(
        (sizes >= 0).all()
        and rules.pool_end.max(initial=0) <= numbers.servers
        and ((rules.own_pool >= 0) & (rules.own_pool < pools)).all()
        and -1 <= rules.common_pool[0] < pools
        and ((widths >= 1) & (widths <= numbers.degree)).all()
    )


def _class(value: Any, what: str, numbers: MoldableNumbers) -> int:
    return whole(value, what, 0, numbers.classes - 1)


OWN = OwnKind(
    base=MoldablePolicy,
    own=OwnPolicy,
    occasions=(
        Occasion(
            "arrival", ("view", "job"), (Allocate, Reject), "neither gives servers to the arriving job nor rejects it"
        ),
        Occasion("departure", ("view", "job")),
    ),
    enough=("arrival",),
    hint="yields one Allocate(servers=...) or Reject()",
    records={Allocate: _allocated, Reject: _asked, Remember: remembered},
    about=_about,
    attributes={"rules": _rules, "asks": truth},
    reserved=frozenset({"arrival", "departure", "allocate", "reject", "remember"}),
    needed={"request": ("request",)},
    names={"type": _class, "request": number(), "free": number(), "uniform": number_or_infinity},
    explained=_explained,
    kernels=KernelKind(("state", "job", "type", "free", "data"), OwnMoldableKernel),
)
