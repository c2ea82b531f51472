"""Decisions that can be forced on the policy: how many servers an arriving moldable job gets."""

from __future__ import annotations

from typing import Any, Iterator

from slotscope.model.forks.changes import Choice, forced_words
from slotscope.model.forks.overruled import Overruled
from slotscope.model.kinds.moldable.physics import free_for
from slotscope.model.kinds.moldable.state import MoldableState
from slotscope.model.kinds.moldable.view import MoldableJob, MoldableView
from slotscope.model.reporting.records import ARRIVAL, Allocate, Event, Record, Reject

#: A :class:`model.kinds.moldable.system.MoldableSystem`, which imports this module.
MoldableSystem = Any

_FORCED = {"reason": "forced"}

_ALLOWED = "'servers=N' or 'block', where a job arrives"


def choices(system: MoldableSystem, state: MoldableState) -> tuple[Choice, ...]:
    """The decisions that can be forced in the next event."""
    event = system.next_event(state)
    if event is None or event.kind != ARRIVAL:
        return ()
    job = system.job_name(event.job)
    most = min(system.numbers.degrees[event.type], free_for(state, system.rules, event.type))
    block = Choice("block", f"block job {job}")
    return (Choice("servers", f"give job {job} so many servers: {{}}", most), block) if most else (block,)


def overruled(system: MoldableSystem, event: Event, decision: str) -> OverruledWidth:
    """The system's policy with one decision forced on it.

    Raises PolicyError if there is no such decision; whether it is possible is found when it is carried out.
    """
    words = forced_words(decision, _ALLOWED, ({"servers"}, {"block"}) if event.kind == ARRIVAL else ())
    return OverruledWidth(system.policy, decision, words.get("servers"))


class OverruledWidth(Overruled):
    """A policy that is forced to give one arriving job *servers*; None: to block it."""

    def __init__(self, policy: Any, decision: str, servers: int | None) -> None:
        super().__init__(policy, decision)
        self.servers = servers

    def arrival(self, view: MoldableView, job: MoldableJob) -> Iterator[Record]:
        """The policy's records with that number; the request is raised if the job gets more servers than that."""

        def instead(own: Allocate | Reject) -> Record:
            values = {**own.values, **_FORCED}
            if self.servers is None:
                return Reject(line=own.line, values=values)
            if "request" in values:
                values["request"] = max(int(values["request"]), self.servers)
            return Allocate(line=own.line, servers=self.servers, values=values)

        return self.substituted(self.policy.arrival(view, job), (Allocate, Reject), instead)
