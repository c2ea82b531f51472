"""``slotscope.compare``: policies on the same jobs, measured, with paired differences."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Sequence

from slotscope.model.cli.compare import Compared
from slotscope.model.cli.compare import compare as compared
from slotscope.model.cli.output import Progress
from slotscope.model.reporting.data_tables import DataTable


class ComparedPolicies:
    """Measures of several policies.

    Attributes
    ----------
    found:
        What the command line prints of it (:class:`slotscope.model.cli.compare.Compared`).
    """

    def __init__(self, found: Compared) -> None:
        self.found = found

    @property
    def table(self) -> DataTable:
        """A row for each policy and measure: mean, half-width of its 95 % interval, paired difference to the first."""
        return self.found.table

    def as_dict(self) -> dict[str, Any]:
        """The same as ``slotscope run --json`` with several policies."""
        return self.found.as_dict(timing=False)

    def __repr__(self) -> str:
        return self.found.text(timing=False)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def compare(
    scenario: str | Path,
    policies: Sequence[str],
    *,
    until: float | None = None,
    warmup: float | None = None,
    seed: int | None = None,
    replications: int = 1,
    trace: tuple[str, ...] = (),
    compiled: bool = True,
) -> ComparedPolicies:
    """Run two or three policies on the same jobs and measure them, as ``slotscope run`` does.

    Parameters
    ----------
    until, warmup:
        The end of what is measured and its beginning; by default the scenario's.
    replications:
        Runs with the seeds S, S + 1, ...; intervals are over them where there are several.

    Raises
    ------
    UserError
        If the scenario, a policy, the trace or a time cannot be used.
    """
    options = argparse.Namespace(
        scenario=str(scenario),
        policy=policies[0],
        policies=tuple(policies),
        until=until,
        warmup=warmup,
        seed=seed,
        replications=replications,
        trace=trace,
        engine=None if compiled else "reference",
    )
    return ComparedPolicies(compared(options, Progress("compare", quiet=True)))
