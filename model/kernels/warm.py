"""Runs the kernels of a kind of system for a few events: they are compiled, and cached."""

from __future__ import annotations


def warm(system: str) -> None:
    """Compile the kernel of each policy of a kind of system, or load it from the cache."""
    from model.api import Session
    from model.systems.kinds import kind_named

    kind = kind_named(system)
    for policy in kind.kernels:
        session = Session.open(kind.example, policy=policy)
        session.run(events=2000)
        session.run(events=10, stop=tuple(kind.event_kinds))
