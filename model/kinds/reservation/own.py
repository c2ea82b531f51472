"""User-written policies for the loss system with slots: what the guard of such policies must know of this kind."""

from __future__ import annotations

from typing import Any, Mapping

from slotscope.model.kinds.reservation.kernels.own import OwnReservationKernel
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, OwnPolicy, ReservationPolicy
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.policies.own.kind import KernelKind, Occasion, OwnKind
from slotscope.model.policies.own.sound import (
    MOST_JOBS,
    MOST_MEMORY,
    NotADecisionError,
    fields,
    found,
    number,
    number_or_infinity,
    remembered,
    same_tuple,
    sequence,
    server,
    truth,
    whole,
)
from slotscope.model.reporting.records import (
    Admit,
    Classify,
    Configuration,
    Migrate,
    Preempt,
    Reassign,
    Record,
    Reject,
    Remember,
    UpdateAt,
)


def _configuration(value: Any, what: str, numbers: ReservationNumbers) -> Configuration:
    slots = sequence(value, what)
    same = same_tuple(value, (whole(one, f"a number of slots in {what}", 0, MOST_JOBS) for one in slots))
    if len(same) != numbers.types:
        raise NotADecisionError(
            f"{what} is {found(value)}, allowed: a tuple of {numbers.types} numbers of slots, one for each job type"
        )
    return same


#: The values that explain a rejection.
_REJECTED = ("empty_slots", "servers_with_room")


def _rejected(record: Reject, _: ReservationNumbers) -> dict[str, Any]:
    for name in _REJECTED:
        if name in record.values:
            whole(record.values[name], f"{name} of Reject", -1, MOST_JOBS)
    return {}


def _classified(record: Classify, numbers: ReservationNumbers) -> dict[str, Any]:
    rows = sequence(record.configurations, "configurations of Classify")
    if len(rows) > numbers.ranks:
        raise NotADecisionError(
            f"Classify names {len(rows)} configurations, allowed: at most {numbers.ranks}, one "
            "for each job type and further pool"
        )
    counts = sequence(record.counts, "counts of Classify", len(rows))
    return {
        "extended": truth(record.extended, "extended of Classify", numbers),
        "configurations": same_tuple(
            record.configurations, (_configuration(row, "a configuration of Classify", numbers) for row in rows)
        ),
        "counts": same_tuple(record.counts, (whole(item, "a count of Classify", 0, MOST_JOBS) for item in counts)),
        "i_star": whole(record.i_star, "i_star of Classify", 1, numbers.ranks),
    }


def _about(occasion: str, view: ReservationView, arguments: tuple[Any, ...]) -> str:
    job = f" of a job of type {view.numbers.type_names[arguments[0].type]}" if arguments else ""
    return f"{occasion}{job}"


def _explained(record: Record, view: ReservationView, arguments: tuple[Any, ...]) -> Mapping[str, Any]:
    """The values that explain why a job was rejected, or where it could have been admitted."""
    rejects = type(record) is Reject and arguments and isinstance(arguments[0], ArrivingJob)
    if not rejects or all(name in record.values for name in _REJECTED):
        return {}
    job = arguments[0]
    return {"empty_slots": int(view.empty_slots(job.type).sum()), "servers_with_room": len(view.with_room(job.type))}


def _parts(numbers: ReservationNumbers) -> tuple[Any, ...]:
    _ = numbers.maximal, numbers.largest_share, numbers.types, numbers.ranks
    return (numbers, numbers.space, *numbers.pools, *(pool.space for pool in numbers.pools))


def _type(value: Any, what: str, numbers: ReservationNumbers) -> int:
    return whole(value, what, 0, numbers.types - 1)


def _rank(value: Any, what: str, numbers: ReservationNumbers) -> int:
    return whole(value, what, 1, numbers.ranks)


def _by_type(value: Any, what: str, numbers: ReservationNumbers) -> Any:
    if not isinstance(value, tuple) or len(value) != numbers.types:
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a tuple of {numbers.types} numbers")
    for item in value:
        whole(item, f"a number in {what}", -(2**31))


_ANY = number(-(2**31))

_COUNTS = (
    *("count", "held", "missing", "surplus", "servers_left", "candidates", "job", "choices"),
    *("empty_slots", "servers_with_room", "rank"),
)

OWN = OwnKind(
    base=ReservationPolicy,
    own=OwnPolicy,
    occasions=(
        Occasion("start"),
        Occasion("arrival", ("view", "job"), (Admit, Reject), "neither admits nor rejects the arriving job"),
        Occasion("departure", ("view", "job")),
        Occasion("update"),
    ),
    enough=("arrival",),
    hint="yields one Admit(server=...) or Reject()",
    records={
        Admit: fields(server=server),
        Reject: _rejected,
        Migrate: fields(job=number(), source=server, target=server),
        Preempt: fields(job=number(), server=server),
        Reassign: fields(server=server, configuration=_configuration),
        Classify: _classified,
        Remember: remembered,
        UpdateAt: fields(time=number_or_infinity),
    },
    about=_about,
    attributes={"reserves_slots": truth, "has_groups": truth, "reserved": number(0, MOST_MEMORY)},
    reserved=frozenset(
        {
            *("arrival", "departure", "update", "admit", "reject", "migrate", "preempt", "reassign"),
            *("classify", "remember", "update_at"),
        }
    ),
    needed={
        "greedy_start": ("jobs_left",),
        "configuration_found": ("i", "configuration"),
        "count_found": ("i", "configuration", "count", "exhausted", "servers_left"),
        "ranked": ("i", "held", "count", "surplus"),
        "unmatched": ("i", "missing"),
        "servers_scanned": ("servers_with_room",),
    },
    names={
        **dict.fromkeys(_COUNTS, _ANY),
        **dict.fromkeys(("type", "exhausted"), _type),
        **dict.fromkeys(("server", "source", "target"), server),
        **dict.fromkeys(("jobs_left", "configuration"), _by_type),
        "i": _rank,
    },
    explained=_explained,
    parts=_parts,
    kernels=KernelKind(("state", "job", "type", "room", "data"), OwnReservationKernel),
)
