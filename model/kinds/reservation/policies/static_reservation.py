"""Static reservation: fixed configurations, taken from the optimum of the linear program (3.2).

Reference
    Psychas & Ghaderi (2022), Section 3: the optimum of (3.2), used directly as a static
    policy instead of DRA.
Implements
    At time 0 every server gets a configuration, so that about x*_k L servers have
    configuration k.  A job takes an empty slot of its type; if there is none, it is rejected.
    Nothing is reassigned later and nothing migrates.
Symbols
    x*_k  ``share``  share of the servers with configuration k in the optimum of (3.2)
    L     ``servers``
Deviations
    x*_k L is rounded to whole servers by the largest remainder method: the whole parts, plus one
    for the largest fractions; ties go to the lexicographically larger configuration.  Servers of
    lower number get the lexicographically larger configurations.  Of several empty slots, the one
    on the server that has had its configuration longest is taken.  A server that has jobs at time 0
    gets its configuration once it is empty.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Sequence

import numpy as np

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies.base import (
    ArrivingJob,
    Decisions,
    DepartedJob,
    ReservationPolicy,
    listing,
)
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.kinds.reservation.programs.pools import pooled_optimum
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import Admit, Configuration, Line, Reassign, Record, Reject
from slotscope.model.scenario.fields import Section


class Parameters(Section):
    """Static reservation has no parameters."""


class Reference(ReservationPolicy):
    """Static reservation."""

    reserves_slots = True
    schema = Parameters
    pseudocode = listing("""
        <b>procedure</b> START
          <i>x</i>* ← the optimum of (3.2) for the workload ρ
          give <i>x</i>*<sub><i>k</i></sub> <i>L</i> servers configuration <i>k</i>, rounded || \
<i>x</i>*<sub><i>k</i></sub> <i>L</i>, whole or not
        <b>procedure</b> ARRIVAL(<i>j</i>, <i>t</i>)
          <b>if</b> some slot of type <i>j</i> is empty <b>then</b>
            schedule the job in it
          <b>else</b>
            reject the job
        <b>procedure</b> DEPARTURE(<i>j</i>, <i>t</i>)
          <b>if</b> the server had jobs at time 0 and is empty <b>then</b>
            give it its configuration
    """)

    def __init__(self, numbers: ReservationNumbers, parameters: Parameters) -> None:
        if not any(numbers.workload):
            raise ValueError(
                "found no workload of any job type, allowed: a scenario that gives it, because "
                "static reservation takes its configurations from it"
            )
        self.numbers = numbers
        self.plan = plan_of(numbers)

    def start(self, view: ReservationView) -> Decisions:
        """Lines 1-3: every empty server gets its configuration."""
        shares = sorted(set(self.plan), reverse=True)
        counts = tuple((k, self.plan.count(k)) for k in shares)
        yield Record("planned", Line(1, 2), {"counts": counts})
        for server in view.empty_servers():
            yield from self._assign(view, int(server), Line(1, 3))

    def _assign(self, view: ReservationView, server: int, line: Line) -> Decisions:
        wanted = self.plan[server]
        if tuple(view.configuration[server].tolist()) != wanted:
            yield Reassign(line=line, server=server, configuration=wanted)

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Lines 4-8."""
        empty = view.empty_slots(job.type)
        open_servers = np.flatnonzero(empty > 0)
        if len(open_servers):
            yield Admit(
                line=Line(1, 6),
                server=view.oldest(open_servers),
                values={"reason": "empty_slot", "empty_slots": int(empty.sum())},
            )
        else:
            room = len(view.with_room(job.type))
            yield Reject(line=Line(1, 8), values={"empty_slots": 0, "servers_with_room": room})

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Lines 9-11."""
        if not view.placement[job.server].any():
            yield from self._assign(view, job.server, Line(1, 11))


def plan_of(numbers: ReservationNumbers) -> tuple[Configuration, ...]:
    """[L] the planned configuration of each server, pool by pool."""
    if len(numbers.pools) == 1:
        optimum = exact_optimum(numbers.space, numbers.rewards, numbers.workload)
        return planned(optimum.servers, numbers.servers)
    shares = numbers.pool_shares
    whole = pooled_optimum(shares, numbers.rewards, numbers.workload)
    plan: list[Configuration] = []
    for number, (_, share) in enumerate(shares):
        mine = [(k, x / share) for pool, k, x in whole.servers if pool == number]
        plan += planned(mine, numbers.pools[number].count)
    return tuple(plan)


def planned(shares: Sequence[tuple[Configuration, Fraction]], servers: int) -> tuple[Configuration, ...]:
    """[L] the planned configuration of each server, by the largest remainder method.

    *shares* are pairs (k, x_k) of a configuration and its share of the servers; the x_k add up to 1.
    """
    ordered = sorted(shares, reverse=True)
    counts = [floor(share * servers) for _, share in ordered]
    left = servers - sum(counts)
    remainders = [share * servers - count for (_, share), count in zip(ordered, counts, strict=True)]
    places = sorted(range(len(ordered)), key=lambda place: (-remainders[place], place))
    for place in places[:left]:
        counts[place] += 1
    return tuple(configuration for (configuration, _), count in zip(ordered, counts, strict=True) for _ in range(count))
