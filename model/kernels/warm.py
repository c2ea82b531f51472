"""Runs every kernel for a few events, so that it is compiled and stored in the cache."""

from __future__ import annotations


def warm() -> None:
    """Compile each policy's kernel, or load it from the cache."""
    from model.api import Session
    from model.assembly import KERNELS
    from model.records import EVENT_KINDS

    for policy in KERNELS:
        session = Session.open("dra-vms", policy=policy)
        session.run(events=2000)
        session.run(events=10, stop=tuple(EVENT_KINDS))
