"""The solver of linear programs in the form of the papers; its results are proved elsewhere."""

from __future__ import annotations

import warnings
from typing import Any

#: Largest deviation of the solver's objective from the exact one, relative to it.
OBJECTIVE_TOLERANCE = 1e-6


def choose_solver() -> tuple[Any, str, str]:
    """A silent solver, its name, and the status of its solutions.

    HiGHS if it is available; else CBC, which the status then says; else None.
    """
    import pulp

    # PuLP's own CBC warns that PuLP 4 will not include it.
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
