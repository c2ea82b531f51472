"""A solver of linear programs that fails to solve them."""

from __future__ import annotations

from typing import Any

import pulp


class Broken:
    """A solver that fails, or returns a status other than optimal."""

    def __init__(self, code: int | None) -> None:
        self.code = code

    def actualSolve(self, problem: Any, **_: Any) -> int:
        if self.code is None:
            raise pulp.PulpSolverError("out of memory")
        problem.assignStatus(self.code)
        return self.code
