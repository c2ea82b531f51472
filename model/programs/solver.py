"""The solver of linear programs as they stand in the papers; what it says is proved elsewhere."""

from __future__ import annotations

import warnings
from typing import Any

#: How far the solver's objective may be from the exact one, relative to it.
OBJECTIVE_TOLERANCE = 1e-6


def choose_solver() -> tuple[Any, str, str]:
    """A silent solver, its name, and the status of what it solves.

    HiGHS; without it CBC, which the status then says; without either None.
    """
    import pulp

    # PuLP's own CBC announces in a warning that PuLP 4 will come without it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        available = set(pulp.listSolvers(onlyAvailable=True))
        for name in ("HiGHS", "COIN_CMD", "PULP_CBC_CMD"):
            if name in available:
                solver = pulp.getSolver(name, msg=False)
                if name == "HiGHS":
                    return solver, "HiGHS", "optimal"
                return solver, "CBC", "optimal (by CBC: HiGHS is missing, install highspy)"
    return None, "", "no solver was found (install highspy); the value is exact without it"
