"""Sentences about jobs with phases: requests, tokens, virtual jobs and backup servers.

Servers, tokens and backup servers are numbered from 1 in sentences, backup servers within their
pool.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.facts import PhaseFacts
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.rows import (
    FLAG_ARRIVED,
    FLAG_DEPARTED,
    FLAG_IDLE,
    FLAG_MATCHED,
    FLAG_MISSED,
    FLAG_MOVED,
    FLAG_OF_VIRTUAL,
    FLAG_OVERFLOW,
    FLAG_OVERRUN,
    FLAG_PLACED,
    FLAG_TICKED,
)
from slotscope.model.kinds.phases.state import NOW, PhaseState
from slotscope.model.kinds.phases.words import by_type, server_name, time_shown, why_waiting, would_ask
from slotscope.model.reporting.explain import Narrator, counted, grouped, plural, quantity, shown
from slotscope.model.reporting.records import (
    ARRIVAL,
    DEPARTURE,
    TICK,
    Event,
    Match,
    Overflow,
    Place,
    Record,
    Remember,
    Request,
    SetTimer,
    VirtualArrival,
)
from slotscope.model.systems.outcome import FLAG_FORCED

__all__ = ["PhaseNarrator", "why_waiting"]

Values = Mapping[str, Any]


class PhaseNarrator(Narrator):
    """Puts the records of one run into words.

    - *numbers*: Phases, demands and rates.
    - *facts*: The plan and the pools.
    - *job_name*, *virtual_name*: The name of a real and of a virtual job, by its number.
    - *time_unit*: The scenario's unit of time.
    """

    def __init__(
        self,
        numbers: PhaseNumbers,
        facts: PhaseFacts,
        job_name: Callable[[int], str],
        virtual_name: Callable[[int], str],
        time_unit: str,
    ) -> None:
        self._numbers = numbers
        self._facts = facts
        self._job_name = job_name
        self._virtual_name = virtual_name
        self._time_unit = time_unit

    # Rows.

    def _row(self, row: np.void) -> str:
        """One sentence for an event: what happened, and why."""
        flags = int(row["flags"])
        if flags & FLAG_TICKED:
            first = f"the timer of {self._server(row['server'])} rings"
        elif flags & (FLAG_MOVED | FLAG_DEPARTED):
            first = self._moved_row(row, flags)
        else:
            first = self._arrival_row(row, flags)
        forced = ["the fork decides the type"] if flags & FLAG_FORCED and not flags & FLAG_ARRIVED else []
        return "; ".join([first, *self._consequences(row, flags), *forced])

    def _arrival_row(self, row: np.void, flags: int) -> str:
        job = f"job {self._job_name(int(row['job']))}"
        kind, server = self._type(row["type"]), self._server(row["server"], row["pool"])
        forced = bool(flags & FLAG_FORCED)
        if flags & FLAG_OVERFLOW:
            why = "the fork decides so" if forced else f"no token of type {kind}{self._limit(int(row['pool']))}"
            return f"{why}: {job} goes to {server}"
        if flags & FLAG_MATCHED:
            age = quantity(time_shown(float(row["token_age"])), self._time_unit)
            return (
                f"{job} takes token {grouped(int(row['token']) + 1)}, {self._which(int(row['tokens']), kind, forced)}, "
                f"and joins {server}: it was asked for {age} ago"
            )
        if flags & FLAG_PLACED:
            why = "the fork decides so" if forced else _seen(int(row["fitting"])) if row["fitting"] >= 0 else ""
            return f"{job} of type {kind} goes to {server}{': ' * bool(why)}{why}"
        return f"{job} of type {kind} arrives"

    def _moved_row(self, row: np.void, flags: int) -> str:
        job = self.job(int(row["job"]), bool(flags & FLAG_OF_VIRTUAL))
        server, before = self._server(row["server"], row["pool"]), self._type(row["type"])
        if flags & FLAG_DEPARTED:
            return f"{job} departs from {server} in phase {before}"
        return f"{job} on {server} goes from {before} to {self._type(row['phase'])}"

    def _consequences(self, row: np.void, flags: int) -> Iterator[str]:
        server = self._server(row["server"])
        if flags & FLAG_MISSED:
            yield f"{server} would ask for jobs, but it holds a token: the request is lost"
        if made := int(row["made"]):
            tokens = _numbered(int(row["first_token"]), made)
            who = "it" if flags & FLAG_TICKED else server
            who = "a server" if flags & FLAG_MATCHED else who  # a server whose pause has ended
            yield f"{who} asks for {counted(made, 'job')}: {plural(made, 'token')} {tokens}"
        if virtual := int(row["virtual"]):
            first = int(row["first_virtual"])
            names = self._virtual_name(first)
            if virtual > 1:
                names += f"{' and' if virtual == 2 else ' to'} {self._virtual_name(first + virtual - 1)}"
            yield f"above the limit of tokens: {plural(virtual, 'virtual job')} {names}"
        if flags & FLAG_IDLE:
            yield f"{server} has no real job any more"
        if flags & FLAG_OVERRUN:
            yield f"{server} needs more than it has"

    # Events.

    def event(self, event: Event) -> str:
        """A few words for an event that is about to happen."""
        if event.kind == ARRIVAL:
            return f"job {self._job_name(event.job)} of type {self._type(event.type)} arrives"
        if event.kind == TICK:
            return f"the timer of {self._server(event.server)} rings"
        server = server_name(event.server, 0, 1)
        if event.kind == DEPARTURE:
            return f"a job departs from {server}"
        return f"a job on {server} goes into phase {self._type(event.type)}"

    def event_anywhere(self, event: Event) -> str:
        """A job's next move, without its server."""
        if event.kind == DEPARTURE:
            return "a job departs"
        return f"a job goes into phase {self._type(event.type)}"

    # Sub-steps.

    def _action(self, record: Record) -> str:
        match record:
            case Match(job=job, values=values):
                return self._matched(job, values)
            case Overflow(job=job, pool=pool, values=values):
                return self._overflowed(job, pool, values)
            case Request(server=server, jobs=jobs):
                count = counted(sum(jobs), "token")
                return (
                    f"{self._server(server)} asks for {by_type(self._numbers, jobs)}: {count}, "
                    "and it is paused until they are gone"
                )
            case VirtualArrival(type=kind, values=values):
                return self._arrived_virtually(kind, values)
            case Remember():
                return "the policy notes what it has observed"
            case SetTimer(server=server, rate=rate, values=values):
                return self._timer_set(server, rate, values)
            case Place(job=job, server=server, values=values):
                return self._placed(job, server, values)
        return ""

    def _matched(self, job: int, values: Values) -> str:
        kind, count = self._type(values["type"]), values["count"]
        return (
            f"job {self._job_name(job)} takes token {grouped(values['token'] + 1)}, "
            f"{self._which(count, kind, 'forced' in values)}, and joins {self._server(values['server'])}, which asked "
            "for it"
        )

    def _which(self, count: int, kind: str, forced: bool) -> str:
        """How the token was chosen among the tokens of its type."""
        if forced:
            return f"as the fork decides among {grouped(count)} of type {kind}"
        if count == 1:
            return f"the only one of type {kind}"
        how = "chosen" if self._facts.rules is None else "at random"
        return f"{how} among {grouped(count)} of type {kind}"

    def _overflowed(self, job: int, pool: int, values: Values) -> str:
        backup = server_name(-2 - values["backup"], pool, self._facts.pools)
        why = f"no token of type {self._type(values['type'])}{self._limit(pool)}"
        return f"{'the fork decides so' if 'forced' in values else why}: job {self._job_name(job)} goes to {backup}"

    def _limit(self, pool: int) -> str:
        """Where no token was found, and the token limit there."""
        where = f"in pool {pool + 1}" if self._facts.pools > 1 else "in the system"
        if self._facts.rules is None:
            return f" {where}"
        in_all = " for all types" if self._facts.limit_in_all else ""
        return f" {where} (the limit is {self._facts.rules.limit[pool]}{in_all})"

    def _arrived_virtually(self, kind: int, values: Values) -> str:
        job = self._virtual_name(values["number"])
        why = f"{self._substep_limit(values)}: " if "limit" in values else ""
        return (
            f"{why}virtual job {job} takes token {grouped(values['token'] + 1)} of type {self._type(kind)} on "
            f"{self._server(values['server'])}"
        )

    def _substep_limit(self, values: Values) -> str:
        kind = "of all types" if self._facts.limit_in_all else f"of type {self._type(values['type'])}"
        inside = f" in pool {values['pool'] + 1}" if self._facts.pools > 1 else ""
        limit = values["limit"]
        allowed = (
            f"there must be fewer than {limit}" if self._facts.limit_reached and limit else f"the limit is {limit}"
        )
        return f"{counted(values['count'], 'token')} {kind}{inside}, {allowed}"

    def _timer_set(self, server: int, rate: float, values: Values) -> str:
        name = self._server(server)
        if rate <= 0:
            return f"the timers of {name} are cancelled"
        where = f" at {shown(values['observed'])}" if "observed" in values else ""
        return f"{name} holds no token{where}: timers of rate {time_shown(rate)} in all begin"

    def _placed(self, job: int, server: int, values: Values) -> str:
        if "fitting" not in values:
            return f"job {self._job_name(job)} goes to {self._server(server)}"
        fitting = values["fitting"]
        reason = _REASONS.get(values.get("reason", ""), "").format(fitting=grouped(fitting))
        text = f"job {self._job_name(job)} goes to {self._server(server)}"
        return f"{text}: {reason or _fitting(fitting)}"

    def _substep_arrival(self, values: Values) -> str:
        return f"job {self._job_name(values['job'])} of type {self._type(values['type'])} arrives"

    def _substep_tokens_of_type(self, values: Values) -> str:
        kind, count = self._type(values["type"]), values["count"]
        inside = f" in pool {values['pool'] + 1}" if self._facts.pools > 1 else ""
        text = f"{counted(count, 'token') if count else 'no token'} of type {kind}{inside}"
        return f"{text}, the limit is {values['limit']}"

    def _substep_move(self, values: Values) -> str:
        job = self.job(values["job"], values["virtual"])
        server = self._server(values["server"], values["pool"])
        return f"{job} on {server} goes from {self._type(values['from'])} to {self._type(values['to'])}"

    def _substep_departure(self, values: Values) -> str:
        job = self.job(values["job"], values["virtual"])
        server = self._server(values["server"], values["pool"])
        return f"{job} departs from {server} in phase {self._type(values['from'])}"

    def _substep_tick(self, values: Values) -> str:
        return (
            f"the timer of {self._server(values['server'])} at {shown(values['observed'])} "
            f"rings: case 1, it asks for one {self._type(values['type'])}"
        )

    def _substep_recovery_tick(self, values: Values) -> str:
        server, observed = self._server(values["server"]), values["observed"]
        jobs = by_type(self._numbers, values["jobs"])
        why = (
            "the fewest jobs that lead back into its class"
            if any(observed)
            else "what lets an empty server go on (Appendix B.3)"
        )
        return f"the timer of {server} at {shown(observed)} rings: it asks for {jobs}, {why}"

    def _substep_reactive(self, values: Values) -> str:
        return (
            f"{shown(values['configuration'])} is case 2: {self._server(values['server'])} "
            f"asks at once for one {self._type(values['type'])}"
        )

    def _substep_resumed(self, values: Values) -> str:
        server, observed = int(values["server"]), values["observed"]
        text = f"{self._server(server)} has no token left: its pause ends at {shown(observed)}"
        would = self._would_ask(server, observed)
        return f"{text}, where only a move would make it ask for {would}" if would else text

    def _would_ask(self, server: int, observed: tuple[int, ...]) -> str:
        place = self._facts.plan.lattice.place(observed)
        return would_ask(self._numbers, self._facts, int(self._facts.pool_of[server]), place)

    def _substep_paused(self, values: Values) -> str:
        server, observed = int(values["server"]), values["observed"]
        would = self._would_ask(server, observed)
        then = f"would have asked for {would}" if would else "would not have asked either"
        return (
            f"{self._server(server)} asks for nothing: it holds {counted(values['tokens'], 'token')}; at "
            f"{shown(observed)} it {then}"
        )

    _substep_missed_request = _substep_paused

    def _substep_fitting(self, values: Values) -> str:
        kind = self._type(values["type"])
        return f"a job of type {kind}: {_fitting(values['servers'])}"

    def _substep_draw(self, values: Values) -> str:
        idle, jobs = values["idle"], values["jobs"]
        return (
            f"the draw: {counted(values['servers'], 'busy server')} with room for type {self._type(values['type'])} "
            f"and {grouped(idle)} idle, ⌈aZ⌉ with Z = {grouped(jobs)} jobs"
        )

    def _substep_drawn(self, values: Values) -> str:
        drawn = values["servers"]
        if not drawn:
            return "no server is busy, so none is drawn"
        names = ", ".join(str(server + 1) for server in drawn)
        return f"drawn at random: {plural(len(drawn), 'server')} {names}"

    # The life of a token.

    def token_life(self, token: int, state: PhaseState, rows: NDArray[Any]) -> list[str]:
        """The life of a token from its request to its job, as far as the present *state* and the *rows* of
        recent events tell it.

        Empty for a token whose rows are no longer kept and whose job has left.
        """
        if token < 0:
            return []
        found = [*self._made(token, rows), *self._waiting(token, state)]
        holders = np.flatnonzero((state.job_number >= 0) & (state.job_token == token))
        if len(holders):
            return found + self._taken(int(holders[0]), state)
        taken = rows[rows["token"] == token]
        return found + [f"{_when(row)}: {self._arrival_row(row, int(row['flags']))}" for row in taken]

    def _made(self, token: int, rows: NDArray[Any]) -> Iterator[str]:
        made = (rows["first_token"] >= 0) & (rows["first_token"] <= token)
        for row in rows[made & (token < rows["first_token"] + rows["made"])]:
            yield f"{_when(row)}: {self.row(row)}"

    def _waiting(self, token: int, state: PhaseState) -> Iterator[str]:
        for pool, kind, place in np.argwhere(state.token_number == token).tolist():
            waited = time_shown(float(state.clock[NOW] - state.token_time[pool, kind, place]))
            count = int(state.token_count[pool, kind])
            yield (
                f"token {grouped(token + 1)} of {self._server(state.token_server[pool, kind, place])} waits for "
                f"{quantity(waited, self._time_unit)}, number {place + 1} by age of {count} of type {self._type(kind)}"
            )

    def _taken(self, record: int, state: PhaseState) -> list[str]:
        made, came = float(state.job_token_time[record]), float(state.job_arrival[record])
        job = self.job(int(state.job_number[record]), bool(state.job_virtual[record]))
        server = self._server(int(state.job_server[record]), int(state.job_pool[record]))
        phase = self._type(int(state.job_phase[record]))
        return [
            f"made at {time_shown(made)}, taken at {time_shown(came)} by {job}",
            f"{job} is on {server} in phase {phase} now",
        ]

    def job(self, number: int, virtual: bool = False) -> str:
        """The name of a job, real or virtual."""
        return f"virtual job {self._virtual_name(number)}" if virtual else f"job {self._job_name(number)}"

    def _server(self, server: Any, pool: Any = 0) -> str:
        return server_name(int(server), int(pool), self._facts.pools)

    def _type(self, phase: Any) -> str:
        return self._numbers.model.phases[int(phase)]


def _when(row: np.void) -> str:
    return f"event {grouped(int(row['event']))}, time {time_shown(float(row['time']))}"


def _numbered(first: int, count: int) -> str:
    """The numbers, from 1, of *count* consecutive tokens."""
    last = f"{' and' if count == 2 else ' to'} {grouped(first + count)}" if count > 1 else ""
    return f"{grouped(first + 1)}{last}"


def _fitting(servers: int) -> str:
    if servers <= 0:
        return "no busy server has room for it"
    return f"{counted(servers, 'busy server')} {'has' if servers == 1 else 'have'} room for it"


def _seen(servers: int) -> str:
    """How many of the servers that the policy looked at had room."""
    if servers <= 0:
        return "no server that was looked at has room"
    return f"{grouped(servers)} of those looked at {'has' if servers == 1 else 'have'} room"


#: Why a job goes to a server, by the reason that the policy gives.
_REASONS: dict[str, str] = {
    "forced": "the fork decides so",
    "first": "the first of {fitting} busy with room for it",
    "first idle": "it is idle, and its number is below those of {fitting} busy with room for it",
    "tightest": "the tightest of {fitting} busy with room for it",
    "tightest drawn": "the tightest of {fitting} drawn with room for it",
    "none fits": "it is idle, and no busy server has room",
    "none drawn fits": "it is idle, and no server drawn has room",
    "drawn busy": "drawn at random",
    "drawn idle": "drawn at random among the idle",
}
