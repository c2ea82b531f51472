"""The servers that a decision passes over: they have room for the job, but do not get it; and why."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np

from slotscope.model.reporting.explain import told
from slotscope.model.reporting.records import Admit, Allocate, Event, Match, Overflow, Place, Record, Reject
from slotscope.model.whys.asking import setting_of, taken_to
from slotscope.model.whys.decision import Happened, Setting, Whys, last_said


class PassedOver(NamedTuple):
    """A server that has room for a job and does not get it."""

    server: int
    reasons: tuple[str, ...]  #: the reason in ever shorter versions, to fit into the picture of the server
    refused: bool  #: whether no server gets the job


def passed_over(
    whys: Whys, system: Any, before: Any, event: Event, records: Sequence[Record], after: Any, whole: bool
) -> tuple[PassedOver, ...]:
    """The servers passed over by the last of an event's *records*; for a *whole* event, by what its sentence explains.

    *before* is the state before the event, which is only read, and *after* the one after the records.
    """
    last, happened = records[-1], Happened(event, records, after)
    if whole:
        subject = whys.told(system, happened)
    elif isinstance(last, Admit | Allocate | Match | Overflow | Place | Reject):
        subject = whys.subject(system, happened, getattr(last, "job", -1))
    else:
        return ()
    if subject is None:
        return ()
    return _among(whys, setting_of(taken_to(system, before, subject.place), system, happened, subject))


def _among(whys: Whys, setting: Setting) -> tuple[PassedOver, ...]:
    servers = whys.candidates(setting)[0]
    if len(servers.chosen):
        better = servers.preference
        others = np.setdiff1d(servers.open, servers.chosen).tolist() if better.compared else ()
        return tuple(PassedOver(one, (better.told(one), ""), refused=False) for one in others)
    reasons = [each.brief or (each.fails, "") for each in servers.conditions] + [_not_taken(setting)]
    failed = servers.failed
    return tuple(
        PassedOver(one, reasons[failed[one]], refused=True) for one in np.flatnonzero(whys.outlined(setting)).tolist()
    )


def _not_taken(setting: Setting) -> tuple[str, ...]:
    """The reasons for a server that meets all conditions: a user's policy did not take it, and may have said why."""
    said, reasons = last_said(setting), ("has room, not taken", "not taken", "")
    return (f"{reasons[0]}: {told(*said)}", f"not taken: {told(said[0], {})}", *reasons) if said else reasons
