"""Which servers could have taken a job of the queue, and the conditions that each policy sets.

Reference: Psychas & Ghaderi (2019), Sections III.A, IV.A, V.B, VI, VII.B and VIII.
"""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.score import score_unit, told_score
from slotscope.model.kinds.queue.state import QueueState
from slotscope.model.reporting.explain import amount, counted
from slotscope.model.reporting.letters import subscript
from slotscope.model.reporting.records import Place
from slotscope.model.whys.decision import SYSTEM, Setting, own_choice
from slotscope.model.whys.tables import Candidates, Condition, Preference, nothing_told


class WaitingJob(NamedTuple):
    """The job that is asked about."""

    record: int
    queue: int
    room: NDArray[np.int64]  #: [D]
    is_first: bool  #: whether it is at the head of its virtual queue


def job_of(setting: Setting) -> WaitingJob:
    """The job that is asked about, from the state."""
    state = setting.state
    record = int(np.flatnonzero(state.job_number == setting.subject.job)[0])
    queue = int(state.job_queue[record])
    return WaitingJob(record, queue, state.job_room[record], int(state.first_waiting[queue]) == record)


# Servers for a job.


def servers_of(setting: Setting) -> tuple[Candidates, ...]:
    """All servers as candidates for the job under the policy."""
    job, count = job_of(setting), setting.system.numbers.servers
    conditions = (*_in_line(setting, job), *_takes(setting, job), *_room(setting, job), *_turn(setting, job))
    return (
        Candidates(
            "server",
            lambda server: f"server {server + 1}",
            np.arange(count),
            conditions,
            _preference(setting, job),
            np.array(setting.subject.on, np.int64),
        ),
    )


def is_by_line(policy: Any) -> bool:
    """Whether the policy considers only the head of a line."""
    if has_configurations(policy):
        return bool(policy.serves_by != "best fit" and not policy.skips)
    return bool(policy.exhausts == "head of line")


def has_configurations(policy: Any) -> bool:
    """Whether servers have active configurations."""
    return hasattr(policy, "serves_by")


def is_configured(policy: Any) -> bool:
    """Whether a server takes only jobs that its active configuration provides for."""
    return has_configurations(policy) and policy.serves_by != "best fit"


def places_for(setting: Setting, job: WaitingJob) -> NDArray[np.int64]:
    """[L] k_j of each server's active configuration, for the job's queue VQ_j."""
    active = setting.state.active
    wanted: NDArray[np.int64] = setting.system.policy.configurations[np.maximum(active, 0), job.queue]
    return np.where(active >= 0, wanted, 0)


def is_by_server(setting: Setting) -> bool:
    """Whether the present step fills servers one after the other."""
    policy, decision = setting.system.policy, setting.decision
    if has_configurations(policy):
        return True
    if not getattr(policy, "by_server", False):
        return False
    if not policy.by_job:
        return True
    return isinstance(decision, Place) and decision.line is not None and decision.line.algorithm == 1


def _in_line(setting: Setting, job: WaitingJob) -> tuple[Condition, ...]:
    """The conditions on the job alone, which are the same for all servers."""
    policy, state = setting.system.policy, setting.state
    if policy.may_fail or not is_by_line(policy):
        return ()
    head = int(state.job_number[state.first_waiting[job.queue]])
    line = f"VQ{subscript(job.queue)}" if has_configurations(policy) else "the queue"
    told = f"job {setting.system.job_name(head)} is the first of {int(state.queue_length[job.queue])} in {line}"
    return (
        Condition(
            "may take the job (the head of its line)",
            "may not take the job (another one is at the head of its line)",
            "HOL",
            PLACES[policy.name][0],
            np.full(setting.system.numbers.servers, job.is_first),
            told,
            lambda _: told,
            ("not first in line", "not first", ""),
        ),
    )


#: Where in the paper each policy requires the head of the line, its configuration, and room.
PLACES: dict[str, tuple[str, str, str]] = {
    "bf-j": ("", "", "Section IV.A, BF-J"),
    "bf-s": ("", "", "Section IV.A, BF-S"),
    "bf-js": ("", "", "Section IV.A, BF-J/S"),
    "fifo-ff": ("Section VII.B, line 1", "", "Section VII.B, line 2"),
    "fifo-slots": ("Section VII.B, line 1", "", "Section VII.B, line 2"),
    "vqs": ("Section V.B, step 2 (ii)", "Section V.B, step 2 (i), (ii)", "Section V.B, step 2"),
    "vqs-bf": ("", "Section VI, step 2 (i), (ii)", "Section VI, step 2 (iii)"),
    "max-weight": ("Section III.A, line 2", "Section III.A, Definition 2", "Section III.A, Definition 2"),
}


def told_amount(setting: Setting, units: Any, d: int) -> str:
    """An amount of a resource, as text in the scenario's unit."""
    numbers = setting.system.numbers
    unit = setting.system.scenario.unit_of(numbers.resource_names[d])
    return f"{amount(numbers.amount(int(units), d))} {unit}".rstrip()


def place_of(setting: Setting, part: int) -> str:
    """Where in the paper the condition is, see :data:`PLACES`."""
    policy = setting.system.policy
    return SYSTEM if policy.may_fail else PLACES[policy.name][part]


def _takes(setting: Setting, job: WaitingJob) -> Iterator[Condition]:
    """The conditions that a server takes jobs: not stalled; a departure; a configuration that provides for the job."""
    policy, state = setting.system.policy, setting.state
    if state.stalled.any() or getattr(policy, "stalls", False) or policy.gamma:
        stalled = int((state.stalled > 0).sum())
        yield Condition(
            "takes jobs",
            "is stalled",
            "not stalled",
            "Section VIII",
            state.stalled == 0,
            f"{counted(stalled, 'server')} stalled until empty",
            lambda server: counted(int(state.jobs_on[server]), "job") + " on it; it takes none until it is empty",
            ("stalled", ""),
        )
    if policy.may_fail:
        return
    if is_by_server(setting) and getattr(policy, "by_job", False):
        slot = int(state.clock[0])
        left = state.last_departure == slot
        yield Condition(
            "had a departure",
            "had no departure",
            "departure in slot t − 1",
            "Section IV.A, BF-J/S, step 1",
            left,
            counted(int(left.sum()), "server"),
            lambda server: (
                f"its last one was at the start of slot {int(state.last_departure[server])}"
                if state.last_departure[server] >= 0
                else "none so far"
            ),
            ("no departure", ""),
        )
    if is_configured(policy):
        yield from _configured(setting, job)


def _configured(setting: Setting, job: WaitingJob) -> Iterator[Condition]:
    """The conditions on the active configuration: it serves the job's queue, and k_j is not yet used up."""
    policy, state, q = setting.system.policy, setting.state, job.queue
    wanted, names = places_for(setting, job), policy.configuration_names
    length = int(state.queue_length[q])

    def configured(server: int) -> str:
        number = int(state.active[server])
        return "it has none yet" if number < 0 else f"k = {names[number]}"

    yield Condition(
        f"has a configuration with k{subscript(q)} > 0",
        f"has a configuration with k{subscript(q)} = 0",
        f"k{subscript(q)} > 0",
        place_of(setting, 1),
        wanted > 0,
        f"{counted(int((wanted > 0).sum()), 'server')}; Q{subscript(q)} = {length}",
        configured,
        (f"configured for no VQ{subscript(q)}", f"not for VQ{subscript(q)}", f"k{subscript(q)} = 0", ""),
    )
    present = present_on(state, q)
    if policy.serves_by == "exactly":
        yield Condition(
            f"has fewer than k{subscript(q)} jobs of VQ{subscript(q)}",
            f"has its k{subscript(q)} jobs of VQ{subscript(q)} already",
            f"jobs of VQ{subscript(q)} < k{subscript(q)}",
            place_of(setting, 1),
            present < wanted,
            f"{counted(int(np.maximum(wanted - present, 0).sum()), 'place')} in all",
            lambda server: f"{int(present[server])} of {int(wanted[server])}",
            (f"has its jobs of VQ{subscript(q)}", f"k{subscript(q)} reached", ""),
        )
        return
    yield _share(setting, job, np.maximum(state.active, 0), present)


def present_on(state: QueueState, queue: int) -> NDArray[np.int64]:
    """[L] jobs of VQ_j on each server."""
    on = state.job_server[(state.job_server >= 0) & (state.job_queue == queue)]
    return np.bincount(on, minlength=len(state.used)).astype(np.int64)


def _share(setting: Setting, job: WaitingJob, active: NDArray[Any], present: NDArray[np.int64]) -> Condition:
    """VQS: a server with k_1 = 1 has two thirds for one job of VQ_1, and a third for the other queue."""
    policy, state, numbers = setting.system.policy, setting.state, setting.system.numbers
    odd = np.asarray(policy.first_odd)[active]
    first = np.take_along_axis(policy.configurations[active], odd[:, None].astype(np.int64), 1)[:, 0] > 0
    share = np.where(first, numbers.capacity[:, 0] // 3, numbers.capacity[:, 0])
    here = (state.job_server >= 0) & (state.job_queue == job.queue)
    taken = np.zeros(len(share), np.int64)
    np.add.at(taken, state.job_server[here], state.job_room[here, 0])
    reserved = first & (odd == job.queue)
    other = (np.asarray(policy.other)[active] == job.queue) & (share - taken >= job.room[0])
    holds = (reserved & (present == 0)) | other
    need = f"the job needs {told_amount(setting, job.room[0], 0)}"

    def compared(server: int) -> str:
        if reserved[server]:
            return f"its two thirds have {counted(int(present[server]), 'job')} of VQ{subscript(job.queue)}"
        used, whole = told_amount(setting, taken[server], 0), told_amount(setting, share[server], 0)
        return f"{used} of its share {whole} is taken; {need}"

    return Condition(
        "has a share left for it",
        "has no share left for it",
        "one job in 2/3; the others within 1/3, or all",
        place_of(setting, 1),
        holds,
        f"{counted(int(first.sum()), 'server')} with k₁ = 1",
        compared,
        ("its share is taken", "no share", ""),
    )


def _room(setting: Setting, job: WaitingJob) -> Iterator[Condition]:
    numbers, state = setting.system.numbers, setting.state
    free = numbers.capacity - state.used
    for d in range(numbers.resources):
        of = f" {numbers.resource_names[d]}" if numbers.resources > 1 else ""
        need, most = told_amount(setting, job.room[d], d), told_amount(setting, free[:, d].max(), d)
        yield Condition(
            f"has room for it{' in' if of else ''}{of}",
            f"has too little room{' in' if of else ''}{of}",
            "R_j ≤ residual capacity",
            place_of(setting, 2),
            free[:, d] >= job.room[d],
            f"the job needs {need}; the most that is free is {most}",
            lambda server, d=d, need=need: f"{told_amount(setting, free[server, d], d)} free, the job needs {need}",  # type: ignore[misc]
            ("too little room", "no room", ""),
        )


def _turn(setting: Setting, job: WaitingJob) -> Iterator[Condition]:
    """The condition that a server's turn is not over, if servers are filled one after the other."""
    if setting.system.policy.may_fail or not is_by_server(setting):
        return
    servers = np.arange(setting.system.numbers.servers)
    if isinstance(setting.decision, Place):
        now = setting.decision.server
        yield Condition(
            "has its turn now or later",
            "had its turn in this slot before",
            "ℓ' ≥ ℓ",
            "servers in order of their number",
            servers >= now,
            f"it is the turn of server {now + 1}",
            lambda _: f"it is the turn of server {now + 1}",
            ("had its turn", ""),
        )
    elif has_configurations(setting.system.policy) and is_by_line(setting.system.policy):
        last, since = _turns(setting.records, len(servers)), _head_since(setting, job)
        yield Condition(
            "had its turn while the job was at the head of its line",
            "had its turn before the job was at the head of its line",
            "HOL at the turn of ℓ",
            "servers in order of their number",
            last > since,
            f"{counted(int((last > since).sum()), 'server')} came after that",
            nothing_told,
            ("had its turn before", "had its turn", ""),
        )


def _turns(records: Any, servers: int) -> NDArray[np.int64]:
    """[L] the last sub-step that names each server; -1: none."""
    last = np.full(servers, -1, np.int64)
    for number, record in enumerate(records):
        server = record.server if isinstance(record, Place) else record.values.get("server", -1)
        if server >= 0 and record.kind not in ("departure", "renew"):
            last[server] = number
    return last


def _head_since(setting: Setting, job: WaitingJob) -> int:
    """The sub-step at which the job came to the head of its line; -1: it was there before."""
    placed = [
        n for n, one in enumerate(setting.records) if isinstance(one, Place) and one.values.get("queue") == job.queue
    ]
    return placed[-1] if placed else -1


def _preference(setting: Setting, job: WaitingJob) -> Preference:
    policy, numbers, state = setting.system.policy, setting.system.numbers, setting.state
    servers = np.arange(numbers.servers)
    if policy.may_fail:
        return own_choice(setting)
    if is_by_server(setting):
        return Preference(
            "the one whose turn comes first",
            "servers in order of their number",
            lambda s: f"number {s + 1}",
            servers,
            compares=servers,
        )
    if not getattr(policy, "by_job", False):
        return Preference(
            "the first that has room", "Section VII.B, line 3", lambda s: f"number {s + 1}", servers, compares=servers
        )
    place = place_of(setting, 2)
    if numbers.resources == 1:
        free = numbers.capacity[:, 0] - state.used[:, 0]
        return Preference(
            "the one with the least residual capacity",
            place,
            lambda s: f"{amount(numbers.amount(int(free[s]), 0))} is free",
            ranked(servers, free),
            compared=True,
            compares=free,
        )
    unit = score_unit(numbers)
    score = (state.used // unit) @ (job.room // unit)
    return Preference(
        "the one of best score",
        "Section VIII",
        lambda s: told_score(numbers, int(score[s])),
        ranked(servers, -score),
        compared=True,
        compares=-score,
    )


def ranked(ties: NDArray[Any], *keys: NDArray[Any]) -> NDArray[np.int64]:
    """[n] ranks by *keys* in order of significance, then by *ties*."""
    rank = np.empty(len(ties), np.int64)
    rank[np.lexsort((ties, *reversed(keys)))] = np.arange(len(ties))
    return rank
