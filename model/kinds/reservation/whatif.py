"""What can be decided of an arriving job in place of the policy: which server, or rejection."""

from __future__ import annotations

from typing import Any, Iterator

from slotscope.model.forks.changes import Choice, forced_words
from slotscope.model.forks.overruled import Overruled
from slotscope.model.kinds.reservation.policies.base import ArrivingJob
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import ARRIVAL, Admit, Event, Record, Reject

#: A :class:`model.kinds.reservation.system.ReservationSystem`, which imports this module.
ReservationSystem = Any

_ALLOWED = "'server=N' or 'reject', where a job arrives"


def choices(system: ReservationSystem, state: ReservationState) -> tuple[Choice, ...]:
    """What can be decided of the next event."""
    event = system.next_event(state)
    if event is None or event.kind != ARRIVAL:
        return ()
    job = system.job_name(event.job)
    admit = Choice("server", f"put job {job} on server {{}}", system.numbers.servers)
    return admit, Choice("reject", f"reject job {job}")


def overruled(system: ReservationSystem, event: Event, decision: str) -> OverruledAdmission:
    """The system's policy, with a decision that is forced on it.

    Raises
    ------
    PolicyError
        If there is no such decision; one that is impossible is found when it is carried out.
    """
    words = forced_words(decision, _ALLOWED, ({"server"}, {"reject"}) if event.kind == ARRIVAL else ())
    return OverruledAdmission(system.policy, decision, words.get("server", 0) - 1 if "server" in words else None)


class OverruledAdmission(Overruled):
    """A policy that puts one arriving job on another *server*; None: rejects it."""

    def __init__(self, policy: Any, decision: str, server: int | None) -> None:
        super().__init__(policy, decision)
        self.server = server

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Iterator[Record]:
        """As the policy, but for the server; what follows an admission follows a forced one, too."""

        def instead(own: Admit | Reject) -> Record:
            if self.server is not None:
                return Admit(line=own.line, server=self.server, values={"reason": "forced"})
            return own if isinstance(own, Reject) else Reject(values={"reason": "forced"})

        after = None if self.server is None else self.policy.after(view)
        return self.substituted(self.policy.arrival(view, job), (Admit, Reject), instead, after)
