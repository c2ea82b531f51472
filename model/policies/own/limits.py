"""The limits of user policies: time, sub-steps and memory."""

from __future__ import annotations

import os
from contextlib import suppress
from math import inf, isfinite
from pathlib import Path
from typing import NamedTuple

#: The share of the machine's memory that the policy process may use.
SHARE_OF_MEMORY = 0.5


def _half_of_the_memory() -> float:
    """Half of the machine's memory, in bytes; infinity if the operating system does not tell."""
    try:
        return SHARE_OF_MEMORY * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return inf


def memory_of(process: int) -> int:
    """The resident memory of a running process in bytes; 0 if the operating system does not tell."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError, IndexError):
        return 0


class Limits(NamedTuple):
    """Limits on user code."""

    #: seconds, seconds_in_event: for one resumption of a policy, and for one event with all its sub-steps
    seconds: float = 5.0
    seconds_in_event: float = 60.0
    seconds_to_load: float = 30.0  #: for loading a policy file, which may import large libraries
    #: after so much more time, code that no exception reaches is ended with its process
    seconds_of_grace: float = 2.0
    substeps: int = 100_000  #: in one event
    turns: int = 10**8  #: iterations of all loops of a kernel's function in one call
    memory: float = _half_of_the_memory()  #: bytes for all user policies together


#: The limits in force; the policy process is told when they change.
LIMITS = Limits()


def put_in_force(limits: Limits) -> None:
    """Put *limits* in force, in the policy process."""
    global LIMITS  # noqa: PLW0603
    LIMITS = limits
    with suppress(ImportError, ValueError, OSError):
        import resource  # exists only on Unix-like systems: elsewhere memory has no limit

        if isfinite(limits.memory):
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            resource.setrlimit(resource.RLIMIT_DATA, (int(limits.memory), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
