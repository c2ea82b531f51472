"""Where a run came from: enough to open any of its moments again on another machine."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

#: What is said of a run that no command can open.
FROM_A_SESSION = "an edited or forked run is opened from its saved session (Ctrl+S)"


@dataclass(frozen=True)
class Origin:
    """The arguments of the command that opens a run.

    Attributes
    ----------
    source:
        A built-in scenario's name or a path; empty where the scenario was edited or forked.
    policy:
        The policy as it is given on a command line, with parameters if it has any of its own.
    seed:
        The seed in force.
    trace:
        Paths of a recorded workload.
    """

    source: str
    policy: str
    seed: int
    trace: tuple[str, ...] = ()

    def opening_line(self, event: int) -> str:
        """The command that opens the moment after *event*; a sentence where there is none."""
        if not self.source:
            return FROM_A_SESSION
        trace = ["--trace", *self.trace] if self.trace else []
        return shlex.join(["slotscope", self.source, "--policy", self.policy,
                           "--seed", str(self.seed), *trace, "--event", str(event)])  # fmt: skip
