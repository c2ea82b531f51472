"""Sessions that have run."""

from __future__ import annotations

from typing import Any

from slotscope.model.api import Session


def ran(scenario: Any, policy: str | None = None, *, events: int, kernel: bool = False, **given: Any) -> Session:
    """A session after so many events, by the reference unless the *kernel* is asked for."""
    session = Session.open(scenario, policy, kernel=kernel, **given)
    session.run(events=events)
    return session
