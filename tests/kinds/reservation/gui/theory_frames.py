"""Frames for the tests of the Theory panel, and the panel's numbers counted server by server."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Iterator

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.programs.bounds import solve_bounds
from slotscope.model.programs.configurations import Configuration
from slotscope.model.reporting.frame import Frame
from tests.runs import ran

EVENTS = 3_000


def opened(name: str, events: int = EVENTS, policy: str | None = None) -> tuple[Session, Bounds]:
    """A run after a number of events, possibly moved back afterwards."""
    return _opened(name, events, policy)


@cache
def _opened(name: str, events: int, policy: str | None) -> tuple[Session, Bounds]:
    session = ran(name, policy=policy, events=events, kernel=True)
    numbers = session.info.numbers
    return session, solve_bounds(numbers.pool_shares, numbers.rewards, numbers.workload)


def frame_of(name: str, events: int = EVENTS, policy: str | None = None) -> Frame:
    session, bounds = opened(name, events, policy)
    session.seek(events)
    return session.frame(bounds=bounds)


def servers_by_rank(frame: Frame) -> Iterator[tuple[int, Configuration]]:
    """The configuration of every effective server, with its rank (Remark 4)."""
    for server, rank in enumerate(frame.derived.rank.tolist()):
        if rank <= frame.info.numbers.types:
            yield rank, tuple(frame.state.configuration[server].tolist())


def q_by_hand(frame: Frame, last: Configuration | None = None) -> tuple[int, ...]:
    """(5.2), server by server, up to a configuration in the order of Definition 2."""
    numbers = frame.info.numbers

    def order(k: Configuration) -> tuple[Fraction, Configuration]:
        return sum((u * n for u, n in zip(numbers.rewards, k, strict=True)), Fraction(0)), k

    counted = [k for _, k in servers_by_rank(frame) if last is None or order(k) >= order(last)]
    return tuple(
        sum(k[j] for k in counted) - int(jobs) - frame.info.facts.reserved
        for j, jobs in enumerate(frame.state.jobs_in_system)
    )
