"""What can be decided in a slot in place of the policy: that a job is placed on a server, or goes on waiting."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterator

from slotscope.model.errors import PolicyError
from slotscope.model.forks.changes import Choice, forced_words
from slotscope.model.forks.overruled import Overruled
from slotscope.model.kinds.queue.facts import waiting_records
from slotscope.model.kinds.queue.state import NEXT_ARRIVAL, QueueState
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import Event, Evict, Place, Record

#: A :class:`model.kinds.queue.system.QueueSystem`, which imports this module.
QueueSystem = Any

#: Jobs of which decisions are offered; of any other one it can be typed.
OFFERED = 40

_ALLOWED = "'job=N,server=N' or 'job=N,wait'"


def choices(system: QueueSystem, state: QueueState) -> tuple[Choice, ...]:
    """What can be decided of the next slot: of the jobs that wait, and of those that arrive in it."""
    event = system.next_event(state)
    if event is None:
        return ()
    first = system.initial_jobs + int(state.number[NEXT_ARRIVAL])
    arriving = range(first, first + len(system.arriving(state, event.time)[1]))
    waiting = state.job_number[waiting_records(state)].tolist()
    found: list[Choice] = []
    for job in [*arriving, *waiting][:OFFERED]:
        name = system.job_name(job)
        found.append(Choice(f"job={job},server", f"put job {name} on server {{}}", system.numbers.servers))
        found.append(Choice(f"job={job},wait", f"let job {name} wait"))
    return tuple(found)


def overruled(system: QueueSystem, _: Event, decision: str) -> OverruledSlot:
    """The system's policy, with a decision that is forced on it.

    Raises
    ------
    PolicyError
        If there is no such decision; one that is impossible is found when it is carried out.
    """
    words = forced_words(decision, _ALLOWED, ({"job", "server"}, {"job", "wait"}))
    server = words["server"] - 1 if "server" in words else None
    return OverruledSlot(system.policy, decision, words["job"], server)


class OverruledSlot(Overruled):
    """A policy that places one job on another *server*; None: the job goes on waiting."""

    def __init__(self, policy: Any, decision: str, job: int, server: int | None) -> None:
        super().__init__(policy, decision)
        self.job = job
        self.server = server

    def slot(self, view: QueueView) -> Iterator[Record]:
        """As the policy, but for the server; a job that it does not place is placed at the end.

        One that is to wait goes back to the queue at the end, so that no loop of the policy meets it again.
        """
        yield self.told()
        if not any(job.number == self.job for job in view.waiting()):
            raise PolicyError(f"job {self.job} does not wait in this slot")
        placed: int | None = None
        for record in self.policy.slot(view):
            if isinstance(record, Place) and record.job == self.job:
                if self.server is not None and placed is None:
                    yield replace(record, server=self.server, values={**record.values, "reason": "forced"})
                else:
                    yield record
                placed = record.server
            else:
                yield record
        if self.server is None and placed is not None:
            yield Evict(job=self.job, server=placed)
        elif self.server is not None and placed is None:
            yield Place(job=self.job, server=self.server, values={"reason": "forced"})
