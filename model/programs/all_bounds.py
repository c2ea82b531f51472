"""The bounds of a scenario, computed in a separate process.

The window runs this module in a process of its own because solvers hold Python's global interpreter lock.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any

from slotscope.model.kinds.spec import kind_named
from slotscope.model.lifeline import end_with_program


def main(scenario: Any) -> None:
    """Write each answer, pickled, to the standard output as soon as it is known."""
    for bounds in kind_named(scenario.system).all_bounds(scenario):
        pickle.dump(bounds, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    task = pickle.load(sys.stdin.buffer)
    end_with_program()
    main(task)
