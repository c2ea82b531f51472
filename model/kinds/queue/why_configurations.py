"""Why a server gets the active configuration that it does, and not another.

Reference: Psychas & Ghaderi (2019), Section V.B, step 1, (8); MaxWeight: Section III.A, Definition 2, (5).
"""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.explain import weighed
from slotscope.model.reporting.explain import counted, grouped
from slotscope.model.reporting.records import Renew
from slotscope.model.whys.decision import Change, Happened, Setting, Subject
from slotscope.model.whys.own import asked_by, own_choice
from slotscope.model.whys.replays import with_policy
from slotscope.model.whys.tables import Candidates, Condition, Preference


def renewal_in(system: Any, happened: Happened, whose: int) -> Subject | None:
    """The configuration that a server gets in a slot.

    It is about no job: in place of one stands -2 - the server; *whose* is such a number, or -1 for any.
    """
    for place, record in enumerate(happened.records):
        if isinstance(record, Renew) and whose in (-1, about(record)):
            server = f"server {record.server + 1}"
            name = system.policy.configuration_names[record.configuration]
            return Subject(
                about(record),
                place,
                (record.server,),
                f"Why has {server} the configuration {name}?",
                f"{server} gets the configuration {name}",
                record.configuration,
            )
    return None


def about(renewal: Renew) -> int:
    """What stands in place of a job: see :func:`renewal_in`."""
    return -2 - renewal.server


def of_renewal(setting: Setting) -> tuple[Candidates, ...]:
    """The servers, of which one is renewed; the configurations that it could have."""
    return _servers(setting), _configurations(setting)


def changes_of(setting: Setting) -> Iterator[Change]:
    """Queues that are weighed with or without the slot's arrivals, and with or without what servers before it took."""
    policy = setting.system.policy
    if not policy.may_fail:
        yield _otherwise(setting, "before", not policy.before, ("after", "before"), "renew")
        yield _otherwise(setting, "sequential", not policy.sequential, ("together", "sequential"), "renew_mode")


def _otherwise(setting: Setting, name: str, value: bool, words: tuple[str, str], parameter: str) -> Change:
    other = with_policy(setting.system, **{name: value})
    return Change(1, f'{parameter} = "{words[value]}" instead of "{words[not value]}"', lambda _: other)


def _servers(setting: Setting) -> Candidates:
    jobs = setting.state.jobs_on
    servers = np.arange(len(jobs))
    empty = jobs == 0
    each = "every empty server renews its own"
    return Candidates(
        "server",
        lambda server: f"server {server + 1}",
        servers,
        (
            Condition(
                "is empty",
                "is not empty: it keeps its configuration",
                "no job in ℓ",
                asked_by(setting, _place(setting)),
                empty | getattr(setting.system.policy, "preemptive", False),
                f"{counted(int(empty.sum()), 'empty server')} now",
                lambda server: f"{counted(int(jobs[server]), 'job')} on it",
            ),
        ),
        Preference("the one asked about", asked_by(setting, _place(setting)), lambda _: each),
        np.array(setting.subject.on, np.int64),
    )


def _configurations(setting: Setting) -> Candidates:
    policy, renewal = setting.system.policy, setting.decision
    assert isinstance(renewal, Renew)
    first, end = policy.pool_configurations[setting.system.numbers.pool_of[renewal.server]]
    names, numbers = policy.configuration_names, np.arange(first, end)
    conditions: tuple[Condition, ...] = ()
    preference = own_choice(setting)
    if not policy.may_fail:
        conditions = (_heaviest(setting, policy.configurations[first:end], np.array(renewal.values["lengths"])),)
        preference = Preference(
            "the first of those that have it",
            f"{_place(setting)}; which of several is left open there",
            lambda one: f"number {one + 1} of {grouped(end - first)}",
        )
    chosen = np.array([renewal.configuration - first])
    return Candidates("configuration", lambda one: names[first + one], numbers, conditions, preference, chosen)


def _heaviest(setting: Setting, configurations: NDArray[Any], lengths: NDArray[Any]) -> Condition:
    weights = configurations.astype(np.int64) @ lengths
    largest = int(weights.max())

    return Condition(
        "has the largest weight",
        "weighs less",
        "k = argmax ⟨k, Q⟩",
        _place(setting),
        weights == largest,
        f"the largest is ⟨k, Q⟩ = {grouped(largest)}",
        lambda one: f"⟨k, Q⟩ = {weighed(configurations[one], lengths, int(weights[one]))} < {grouped(largest)}",
    )


def _place(setting: Setting) -> str:
    exactly = setting.system.policy.may_fail or setting.system.policy.serves_by == "exactly"
    return "Section III.A, Definition 2, (5)" if exactly else "Section V.B, step 1, (8)"
