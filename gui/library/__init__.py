"""slotscope: a laboratory in which cluster-scheduling policies run in front of your eyes.

The API for scripts and notebooks, built on the same code as the window and the command line::

    import slotscope

    run = slotscope.open("dra-vms", policy="dra", seed=4)
    run.run(events=100_000)
    run.ask("rejected and servers_with_room >= 1")
    slotscope.compare("dra-vms", ["dra", "first-fit"], until=200)

Invalid input raises a :class:`UserError` with a one-line message.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slotscope.comparing import PolicyMeasures, compare, measure
    from slotscope.experiments import ExperimentResult, FoundBounds, bounds, reproduce
    from slotscope.model.errors import UserError
    from slotscope.model.measures.metrics import Estimate
    from slotscope.model.reporting.data_columns import DataColumn
    from slotscope.model.reporting.data_tables import DataTable
    from slotscope.pictures import Picture
    from slotscope.runs import Run, open

__all__ = [
    "DataColumn",
    "DataTable",
    "Estimate",
    "ExperimentResult",
    "FoundBounds",
    "Picture",
    "PolicyMeasures",
    "Run",
    "UserError",
    "bounds",
    "compare",
    "measure",
    "open",
    "reproduce",
]

#: The module of each public name.  Names load lazily: every import of the program passes through this package, so it
#: must load nothing itself.
_MODULES = {
    "comparing": ("PolicyMeasures", "compare", "measure"),
    "experiments": ("FoundBounds", "ExperimentResult", "bounds", "reproduce"),
    "model.reporting.data_columns": ("DataColumn",),
    "model.reporting.data_tables": ("DataTable",),
    "model.errors": ("UserError",),
    "model.measures.metrics": ("Estimate",),
    "pictures": ("Picture",),
    "runs": ("Run", "open"),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        for module, names in _MODULES.items():
            if name in names:
                return getattr(import_module(f"slotscope.{module}"), name)
        raise AttributeError(f"slotscope has no '{name}'; it has {', '.join(__all__)}")

    def __dir__() -> list[str]:
        return [*__all__, *(name for name in globals() if name.startswith("__"))]  # for completion by Tab
