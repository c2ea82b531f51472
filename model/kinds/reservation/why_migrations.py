"""Why a job migrates into a slot that has emptied, and from which server; or why none does.

Reference: Psychas & Ghaderi (2022), Algorithm 2, lines 23 to 26.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.kinds.reservation.classification import classify
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.records import Migrate
from slotscope.model.whys.decision import SYSTEM, Happened, Setting, Subject, own_choice
from slotscope.model.whys.tables import Condition, Preference, nothing_told


def subject(system: Any, happened: Happened, job: int) -> Subject | None:
    """The job that migrates to the server that a job leaves; None: the policy decides nothing there.

    That no job migrates is a decision only of policies that always look for one; for a user-written policy that is
    not known.
    """
    event = happened.event
    moves = (n for n, one in enumerate(happened.records) if isinstance(one, Migrate) and one.target == event.server)
    place = next(moves, 1 if getattr(system.policy, "migrates", False) else -1)
    decision = happened.records[place] if 0 <= place < len(happened.records) else None
    moved = decision.job if isinstance(decision, Migrate) else -1
    if place < 0 or job not in (-1, event.job, moved):
        return None
    slot = f"the slot that job {system.job_name(event.job)} left on server {event.server + 1}"
    if not isinstance(decision, Migrate):
        return Subject(event.job, place, (), f"Why does no job migrate to {slot}?", f"no job migrates to {slot}")
    who = f"job {system.job_name(moved)} of server {decision.source + 1}"
    return Subject(
        event.job, place, (decision.source,), f"Why does {who} migrate to {slot}?", f"{who} migrates to {slot}"
    )


def asked(setting: Setting) -> tuple[tuple[Condition, ...], Preference]:
    """The conditions and the preference for the server that a job migrates from."""
    return _by_file(setting) if setting.system.policy.may_fail else _by_ranks(setting)


def _by_file(setting: Setting) -> tuple[tuple[Condition, ...], Preference]:
    numbers, state, emptied = setting.system.numbers, setting.state, setting.event.server
    if setting.system.policy.reserves_slots:
        fits = state.configuration[emptied] > state.placement[emptied]
    else:
        fits = np.array([numbers.holds_one_more(state.placement[emptied], j, emptied) for j in range(numbers.types)])
    movable = state.placement[:, fits].sum(axis=1)
    movable[emptied] = 0  # these jobs are there already
    own = Condition(
        f"has a job that server {emptied + 1} can take",
        f"has no job that server {emptied + 1} can take",
        "",
        SYSTEM,
        movable > 0,
        f"{counted(int((movable > 0).sum()), 'server')} with such jobs",
        lambda server: counted(int(movable[server]), "job"),
    )
    return (own,), own_choice(setting)


def _by_ranks(setting: Setting) -> tuple[tuple[Condition, ...], Preference]:
    groups, j, emptied = classify(setting.state), setting.event.type, setting.event.server
    jobs, name = setting.state.placement[:, j], setting.system.numbers.type_names[j]
    line = "Algorithm 2, line 24"
    conditions = (
        Condition(
            "may give a job: the slot emptied is in the Accept Group",
            "need not give a job: the slot emptied is in the Reject Group",
            "ℓ ∈ AG",
            line,
            np.full(len(jobs), not groups.reject_group[emptied]),
            f"server {emptied + 1} has rank {groups.rank[emptied]}, index {groups.index[emptied]}",
            nothing_told,
        ),
        Condition(
            "is in the Reject Group",
            "is in the Accept Group",
            "rank > I* and index = 1",
            line,
            groups.reject_group,
            f"I* = {groups.i_star}; {counted(int(groups.reject_group.sum()), 'server')} in it",
            lambda server: f"rank {groups.rank[server]}, I* = {groups.i_star}, index {groups.index[server]}",
        ),
        Condition(
            f"has a job of type {name}",
            f"has no job of type {name}",
            "k̂_j > 0",
            line,
            jobs > 0,
            f"{counted(int((groups.reject_group & (jobs > 0)).sum()), 'server')} of the Reject Group",
            lambda server: counted(int(jobs[server]), "job"),
        ),
    )
    order = -groups.rank.astype(np.int64)
    return conditions, Preference(
        "the one of highest rank",
        "Algorithm 2, line 25",
        lambda server: f"rank {groups.rank[server]}",
        order * len(jobs) + np.arange(len(jobs)),
        compares=order,
    )
