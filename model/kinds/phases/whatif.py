"""Decisions that can be forced on the policy: which token or server a job takes, which type a server requests."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import PolicyError, UserError
from slotscope.model.forks.changes import Choice, forced_words
from slotscope.model.forks.overruled import Overruled, under
from slotscope.model.kinds.phases.own import explained
from slotscope.model.kinds.phases.state import PhaseState
from slotscope.model.kinds.phases.view import Choices, PhaseJob, PhaseView
from slotscope.model.reporting.records import ARRIVAL, Event, Match, Overflow, Place, Record
from slotscope.model.systems.state import copied

#: A :class:`model.kinds.phases.system.PhaseSystem`, which imports this module.
PhaseSystem = Any

_OF_JOBS = "'token=N' or 'backup', where a job arrives"
_OF_REQUESTS = "'type=N', where a server asks for jobs"
_OF_PLACES = "'server=N', where a job arrives"


def choices(system: PhaseSystem, state: PhaseState) -> tuple[Choice, ...]:
    """The decisions that can be forced in the next event."""
    event = system.next_event(state)
    if event is None:
        return ()
    if event.kind != ARRIVAL:
        types = system.numbers.model.phases if _asks_by_plan(system) and event.server >= 0 else ()
        title = f"server {event.server + 1} asks for a job of type"
        asked = [Choice(f"type={place + 1}", f"{title} {name}") for place, name in enumerate(types)]
        return tuple(_possible(system, state, event, asked))
    job = system.job_name(event.job)
    if not system.normal_servers:
        return (Choice("server", f"put job {job} on server {{}}", len(state.jobs_on)),)
    tokens = int(state.token_count[:, event.type].max())
    backup = Choice("backup", f"send job {job} to a backup server")
    return (Choice("token", f"job {job} takes token {{}} of its type", tokens), backup) if tokens else (backup,)


def _possible(system: PhaseSystem, state: PhaseState, event: Event, asked: list[Choice]) -> Iterator[Choice]:
    """Those of the choices *asked* that the server may draw in the event and has room for; each is tried on a copy.

    User-written policies are offered them only if they decide.
    """
    for choice in asked:
        if not system.policy.may_fail:
            other = under(system, overruled(system, event, choice.decision(0)))
            try:
                for _ in other.run(system.prepared(copied(state), event), event, np.zeros(1, system.row_dtype)):
                    pass
            except NothingDrawnError:
                return  # other types are not drawn either: what comes before the first draw does not depend on the type
            except UserError:
                continue
        yield choice


def _asks_by_plan(system: PhaseSystem) -> bool:
    """Whether servers request jobs whose types are drawn from a plan; a user-written policy may have none."""
    return system.policy.observes and system.policy.plan is not None


def overruled(system: PhaseSystem, event: Event, decision: str) -> Overruled:
    """The system's policy with one decision forced on it.

    Raises PolicyError if there is no such decision; whether it is possible is found when it is carried out.
    """
    allowed, known = _OF_JOBS, ["token", "backup"]
    if not system.normal_servers:
        allowed, known = _OF_PLACES, ["server"]
    elif event.kind != ARRIVAL and _asks_by_plan(system):
        allowed, known = _OF_REQUESTS, ["type"]
    decides = event.kind == ARRIVAL or _asks_by_plan(system)
    ((word, number),) = forced_words(decision, allowed, [{one} for one in known] if decides else ()).items()
    if word == "server":
        return OverruledPlace(system.policy, decision, number - 1)
    if system.policy.may_fail and event.kind == ARRIVAL:
        return OverruledToken(system.policy, decision, number - 1)
    return OverruledChoice(system.policy, decision, number - 1)


class NothingDrawnError(PolicyError):
    """The forced draw did not take place: the policy draws nothing in the event."""


class OverruledPlace(Overruled):
    """A policy without tokens that is forced to place one arriving job on *server*."""

    def __init__(self, policy: Any, decision: str, server: int) -> None:
        super().__init__(policy, decision)
        self.server = server

    def arrival(self, view: PhaseView, job: PhaseJob) -> Iterator[Record]:
        """The policy's records, with the server replaced."""

        def instead(own: Place) -> Record:
            return Place(line=own.line, job=own.job, server=self.server, values={**own.values, "reason": "forced"})

        return self.substituted(self.policy.arrival(view, job), (Place,), instead)


class OverruledToken(Overruled):
    """A user-written policy, which need not draw, that is forced to give one arriving job another token; -1: none."""

    def __init__(self, policy: Any, decision: str, position: int) -> None:
        super().__init__(policy, decision)
        self.position = position

    def arrival(self, view: PhaseView, job: PhaseJob) -> Iterator[Record]:
        """The policy's records, with the token replaced."""

        def instead(own: Match | Overflow) -> Record:
            record: Record = Match(line=own.line, job=own.job, pool=own.pool, position=self.position)
            if self.position < 0:
                record = Overflow(line=own.line, job=own.job, pool=own.pool)
            return replace(record, values={**explained(record, view, (job,)), "forced": True})

        return self.substituted(self.policy.arrival(view, job), (Match, Overflow), instead)


class OverruledChoice(Overruled):
    """A policy whose first draw in one event is forced to be *place*."""

    def __init__(self, policy: Any, decision: str, place: int) -> None:
        super().__init__(policy, decision)
        self.place = place

    def arrival(self, view: PhaseView, job: PhaseJob) -> Iterator[Record]:
        """The job takes the token at that position; -1: none."""
        return self._drawn(view, self.policy.arrival, job)

    def tick(self, view: PhaseView, server: int) -> Iterator[Record]:
        """The first job that the server requests is of that type."""
        self._check_type(view, server)
        return self._drawn(view, self.policy.tick, server)

    def move(self, view: PhaseView, job: PhaseJob) -> Iterator[Record]:
        """The first job that the server requests is of that type."""
        self._check_type(view, job.server)
        return self._drawn(view, self.policy.move, job)

    def departure(self, view: PhaseView, job: PhaseJob) -> Iterator[Record]:
        """The first job that the server requests is of that type."""
        self._check_type(view, job.server)
        return self._drawn(view, self.policy.departure, job)

    def _check_type(self, view: PhaseView, server: int) -> None:
        up = self.policy.plan.lattice.up[view.observed(server)]
        if not 0 <= self.place < len(up) or up[self.place] < 0:
            raise PolicyError(f"server {server + 1} cannot take one more job of type {self.place + 1}")

    def _drawn(self, view: PhaseView, decide: Any, what: Any) -> Iterator[Record]:
        forced, choices = copy(view), ForcedChoices(view.choices, self.place)  # the view is used again
        forced.choices = choices
        yield self.told()
        for record in decide(forced, what):
            told = isinstance(record, Match | Overflow)
            yield replace(record, values={**record.values, "forced": True}) if told else record
        if not choices.used:
            raise NothingDrawnError("the policy draws nothing here; it is told what to do by its plan alone")


class ForcedChoices:
    """The choices of an event, the first of which is forced to be *place*."""

    def __init__(self, choices: Choices, place: int) -> None:
        self._choices = choices
        self._place = place
        self.used = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._choices, name)

    def token(self, job: int, count: int) -> int:
        """See :class:`Choices`."""
        self.used = True
        if self._place >= count:
            raise PolicyError(f"there are {count} tokens of the type of the job that arrives")
        return self._place

    def ticked(self, server: int, shares: NDArray[Any]) -> int:
        """See :class:`Choices`."""
        self.used = True
        return self._place

    def requested(self, step: int, shares: NDArray[Any]) -> int:
        """See :class:`Choices`."""
        if self.used:
            return self._choices.requested(step, shares)
        self.used = True
        return self._place
