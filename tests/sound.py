"""What a state breaks of its kind's invariants."""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.spec import kind_named


def violations(system: Any, state: Any) -> list[str]:
    """Every sentence; none of a sound state."""
    return kind_named(system.name).violations(system, state)
