"""Sentences about a loss system with slots.

Servers, job types and iterations are numbered from 1 in sentences.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import numpy as np

from slotscope.model.kinds.reservation import rows
from slotscope.model.reporting.explain import Narrator, plural, shown
from slotscope.model.reporting.records import (
    ARRIVAL,
    DEPARTURE,
    UPDATE,
    Admit,
    Classify,
    Event,
    Migrate,
    Preempt,
    Reassign,
    Record,
    Reject,
    Remember,
    UpdateAt,
)
from slotscope.model.systems.outcome import FLAG_CONFIGURED, FLAG_FORCED


class ReservationNarrator(Narrator):
    """Puts the records of one run into words.

    - *type_names*: [J] names of the job types.
    - *job_name*: The name of a job, by its number.
    - *reserves_slots*: Whether the policy admits jobs into reserved slots.
    """

    def __init__(self, type_names: Sequence[str], job_name: Callable[[int], str], reserves_slots: bool) -> None:
        self._types = tuple(type_names)
        self._job = job_name
        self._slots = reserves_slots

    def _row(self, row: np.void) -> str:
        """One sentence for an event, with the reason in numbers."""
        name = self._types[row["type"]] if row["type"] >= 0 else ""
        flags = int(row["flags"])
        if row["kind"] == UPDATE:
            parts = ["the policy updates its configurations"]
        elif flags & rows.FLAG_REJECTED:
            parts = [f"{name} rejected: {self._why(row)}"]
        elif flags & rows.FLAG_ADMITTED:
            parts = [f"{name} job {self._job(int(row['job']))} admitted to server {row['server'] + 1}"]
            parts += ["the fork decides so"] if flags & FLAG_FORCED else []
        else:
            parts = [f"{name} job {self._job(int(row['job']))} left server {row['server'] + 1}"]
        if flags & rows.FLAG_MIGRATED:
            parts.append(
                f"job {self._job(int(row['moved']))} migrated into its slot from "
                f"Reject Group server {row['source'] + 1}"
            )
        if flags & rows.FLAG_PREEMPTED:
            parts.append(self._preempted(row))
        if flags & rows.FLAG_REASSIGNED:
            parts.append(_reassigned(row))
        if flags & FLAG_CONFIGURED:
            parts.append("the fork decides the slots of one server")
        if flags & rows.FLAG_I_STAR:
            parts.append(f"I* is now {row['i_star']}")
        return "; ".join(parts)

    def _why(self, row: np.void) -> str:
        if int(row["flags"]) & FLAG_FORCED:
            return "the fork decides so"
        room = int(row["servers_with_room"])
        if not self._slots:
            if room < 0:
                return "no server that was looked at has room"
            if room == 0:
                return "no server has room"
            has = "has" if room == 1 else "have"
            return f"{room} {plural(room, 'server')} {has} room, but the policy does not use it"
        empty = int(row["empty_slots"])
        first = "no empty slot" if empty == 0 else f"{empty} empty {plural(empty, 'slot')}, all on Reject Group servers"
        if room < 0:
            return first
        if room == 0:
            return f"{first}; no server has room"
        has = "has" if room == 1 else "have"
        return f"{first}; {room} {plural(room, 'server')} {has} room but must not take it"

    def _preempted(self, row: np.void) -> str:
        count = int(row["preempted"])
        first = f"job {self._job(int(row['moved']))} on Reject Group server {row['source'] + 1}"
        return f"{first} preempted" if count == 1 else f"{count} jobs preempted, first {first}"

    def job(self, number: int, job_type: int) -> str:
        """The name of a job in sentences, with its type."""
        return f"{self._types[job_type]} job {self._job(number)}"

    def event_anywhere(self, event: Event) -> str:
        """A job's departure, without its server."""
        return f"{self.job(event.job, event.type)} leaves"

    def event(self, event: Event) -> str:
        """A few words for an event that is about to happen."""
        if event.kind == ARRIVAL:
            return f"{self.job(event.job, event.type)} arrives"
        if event.kind == DEPARTURE:
            return f"{self.job(event.job, event.type)} leaves server {event.server + 1}"
        return "the policy updates its configurations"

    def _action(self, record: Record) -> str:
        text = ""
        match record:
            case Admit(server=server, values=values):
                text = self._admitted(server, values)
            case Reject(values=values):
                text = f"the job is rejected: {self._reject_reason(values)}"
            case Migrate(job=job, source=source, target=target):
                text = (
                    f"job {self._job(job)} migrates from Reject Group server {source + 1} "
                    f"to the slot that emptied on server {target + 1}"
                )
            case Preempt(job=job, server=server, values=values):
                text = f"job {self._job(job)} on server {server + 1} is preempted"
                if "owed" in values:
                    text += f": {_freed(values)}"
            case Remember():
                text = "the policy notes what it has observed"
            case UpdateAt(time=time):
                text = f"the next update is due at time {time:g}"
            case Reassign(server=server, configuration=configuration):
                place = f"k[{record.values['i']}] = " if "i" in record.values else ""
                text = f"empty server {server + 1} is reassigned to {place}{shown(configuration)}"
                text += ": the fork decides so" * ("forced" in record.values)
            case Classify(i_star=i_star, extended=extended):
                which = "all servers of rank J + 1" if extended else "ranks above it with index 1"
                text = f"I* = {i_star}; {which} form the Reject Group"
        return text

    def _admitted(self, server: int, values: Mapping[str, Any]) -> str:
        reason = values.get("reason")
        if reason in _REASONS:
            return _REASONS[reason].format(server=server + 1, load=100 * values.get("load", 0.0))
        if self._slots:
            return f"an Accept Group slot is empty: server {server + 1} admits the job"
        return f"server {server + 1} has room and admits the job"

    def _reject_reason(self, values: Mapping[str, Any]) -> str:
        row = np.zeros(1, [("empty_slots", int), ("servers_with_room", int), ("flags", int)])[0]
        row["flags"] = FLAG_FORCED if values.get("reason") == "forced" else 0
        row["empty_slots"] = values.get("empty_slots", -1)
        row["servers_with_room"] = values.get("servers_with_room", -1)
        return self._why(row)

    def _substep_arrival(self, values: Mapping[str, Any]) -> str:
        return f"{self._types[values['type']]} job {self._job(values['job'])} arrives"

    def _substep_departure(self, values: Mapping[str, Any]) -> str:
        return f"{self._types[values['type']]} job {self._job(values['job'])} leaves server {values['server'] + 1}"

    def _substep_count_found(self, values: Mapping[str, Any]) -> str:
        count, servers = values["count"], values["servers_left"]
        text = f"k[{values['i']}] is wanted on {count} {plural(count, 'server')}; {self._types[values['exhausted']]}"
        short = values["jobs_left"][values["exhausted"]] if "jobs_left" in values else 0
        if short <= 0:
            return f"{text} is used up first, {servers} {plural(servers, 'server')} left"
        return (
            f"{text} would be used up first, but the servers run out: {short} "
            f"{plural(short, 'slot')} {'is' if short == 1 else 'are'} missing"
        )

    def _substep_greedy_start(self, values: Mapping[str, Any]) -> str:
        return f"GPA starts from the workload reference {shown(values['jobs_left'])}"

    def _substep_configuration_found(self, values: Mapping[str, Any]) -> str:
        among = " among types not yet exhausted" if values["i"] > 1 else ""
        return f"k[{values['i']}] = {shown(values['configuration'])} has the largest reward{among}"

    def _substep_ranked(self, values: Mapping[str, Any]) -> str:
        held, count = values["held"], values["count"]
        text = f"k[{values['i']}]: {held} {plural(held, 'server')} held, {count} wanted"
        if values["surplus"] > 0:
            most = "the most recent is" if values["surplus"] == 1 else f"the {values['surplus']} most recent are"
            return f"{text}; {most} surplus"
        if values["surplus"] < 0:
            return f"{text}; {-values['surplus']} missing"
        return f"{text}; matched"

    def _substep_unmatched(self, values: Mapping[str, Any]) -> str:
        return f"no empty server of rank J + 1 for k[{values['i']}]: {values['missing']} stay missing"

    def _substep_servers_scanned(self, values: Mapping[str, Any]) -> str:
        room = values["servers_with_room"]
        return f"{room} {plural(room, 'server')} {'has' if room == 1 else 'have'} room"

    def _substep_servers_sampled(self, values: Mapping[str, Any]) -> str:
        return f"{_servers(values['sampled'])} sampled"

    def _substep_sampled_with_room(self, values: Mapping[str, Any]) -> str:
        found = values["fitting"]
        if not found:
            return "none of the sampled servers has room"
        return f"of these, {_servers(found)} {'has' if len(found) == 1 else 'have'} room"

    def _substep_planned(self, values: Mapping[str, Any]) -> str:
        counts = ", ".join(f"{count} with {shown(k)}" for k, count in values["counts"])
        return f"the linear program's optimum, in whole servers: {counts}"

    def _substep_update(self, _: Mapping[str, Any]) -> str:
        return "the time of an update has come"

    def _substep_no_victim(self, values: Mapping[str, Any]) -> str:
        return f"no job of priority 0 is left in the Reject Group: {_freed(values)}"


def _servers(numbers: Sequence[int]) -> str:
    named = ", ".join(str(number + 1) for number in numbers)
    return f"{plural(len(numbers), 'server')} {named}"


def _freed(values: Mapping[str, Any]) -> str:
    return f"{float(values['freed'] / values['owed']):.0%} of g(L) s_j is free"


#: Why a server admits, by the policy's reason; ``load`` in percent.
_REASONS: dict[str, str] = {
    "least_loaded": "server {server} is the least loaded of these ({load:.3g} %): it admits the job",
    "least_room": "server {server} has the least room left with the job (load {load:.4g} %): it admits the job",
    "forced": "the fork decides so: server {server} admits the job",
    "empty_slot": "server {server} has an empty slot of the type: it admits the job",
}


def _reassigned(row: np.void) -> str:
    count = int(row["reassigned"])
    if count == 1:
        return f"server {row['first_reassigned'] + 1} reassigned"
    return f"{count} servers reassigned, first server {row['first_reassigned'] + 1}"
