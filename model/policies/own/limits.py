"""What a policy of one's own may take: time, sub-steps and memory."""

from __future__ import annotations

import os
from contextlib import suppress
from math import inf, isfinite
from pathlib import Path
from typing import NamedTuple

#: The share of the machine's memory that the process of such policies may have.
SHARE_OF_MEMORY = 0.5


def _half_of_the_memory() -> float:
    """Bytes; infinity where the system does not tell them."""
    try:
        return SHARE_OF_MEMORY * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return inf


def memory_of(process: int) -> int:
    """Bytes that a running process has taken of the machine's memory; 0 where the system does not tell them."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError, IndexError):
        return 0


class Limits(NamedTuple):
    """Limits on code that somebody else wrote."""

    #: seconds, seconds_in_event: for one resumption of a policy, and for one event over all its sub-steps
    seconds: float = 5.0
    seconds_in_event: float = 60.0
    seconds_to_load: float = 30.0  #: for a policy's file, which may import large libraries
    #: longer than that nothing may go on: code that no exception reaches is ended with its process
    seconds_of_grace: float = 2.0
    substeps: int = 100_000  #: in one event
    turns: int = 10**8  #: that the loops of a function of a kernel may make in one call
    memory: float = _half_of_the_memory()  #: bytes that all policies of one's own may have together


#: Those in force; the process of the policies is told when they change.
LIMITS = Limits()


def put_in_force(limits: Limits) -> None:
    """Let *limits* hold from now on, in the process of the policies."""
    global LIMITS  # noqa: PLW0603
    LIMITS = limits
    with suppress(ImportError, ValueError, OSError):
        import resource  # no system but those like Unix has it: elsewhere memory has no limit

        if isfinite(limits.memory):
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            resource.setrlimit(resource.RLIMIT_DATA, (int(limits.memory), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
