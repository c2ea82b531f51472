"""``slotscope.measure`` and ``slotscope.compare``: measure one policy, or several on the same jobs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated, Any, Mapping, Sequence

from pydantic import Field

from slotscope.checked import Seed, Several, Time, TimeOrStart, checked
from slotscope.model.cli.compare import Compared
from slotscope.model.cli.compare import compare as compared
from slotscope.model.cli.measuring import Measured
from slotscope.model.cli.measuring import measure as measured
from slotscope.model.cli.output import Progress
from slotscope.model.cli.parser import MOST_POLICIES
from slotscope.model.reporting.data_tables import DataTable


class PolicyMeasures:
    """Measures of one policy, or of several side by side.

    Attributes
    ----------
    found:
        The results that the command line prints (:class:`slotscope.model.cli.measuring.Measured` or
        :class:`slotscope.model.cli.compare.Compared`).
    """

    def __init__(self, found: Measured | Compared) -> None:
        self.found = found

    @property
    def table(self) -> DataTable:
        """One row per policy and measure: mean, half-width of the 95 % interval, paired difference to the first."""
        return self.found.table

    def as_dict(self) -> dict[str, Any]:
        """The content of ``slotscope run --json``, without timings."""
        return self.found.as_dict(timing=False)

    def __repr__(self) -> str:
        return self.found.text(timing=False)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@checked
def measure(
    scenario: str | Path,
    policy: str | None = None,
    *,
    until: Time | None = None,
    warmup: TimeOrStart | None = None,
    seed: Seed | None = None,
    replications: Several = 1,
    trace: tuple[str, ...] = (),
    compiled: bool = True,
) -> PolicyMeasures:
    """Run a policy (by default the scenario's) and measure it, as ``slotscope run`` does.

    Parameters
    ----------
    until, warmup:
        End and start of the measured interval; by default the scenario's.
    replications:
        Number of runs, with the seeds S, S + 1, ...; with several, intervals are computed over the runs.

    Raises
    ------
    UserError
        If the scenario, the policy, the trace or a time cannot be used.
    """
    policies = () if policy is None else (policy,)
    given = {"until": until, "warmup": warmup, "seed": seed, "replications": replications, "trace": trace}
    options = _options(scenario, policies, compiled, given)
    return PolicyMeasures(measured(options, Progress("measure", quiet=True)))


@checked
def compare(
    scenario: str | Path,
    policies: Annotated[Sequence[str], Field(min_length=2, max_length=MOST_POLICIES)],
    *,
    until: Time | None = None,
    warmup: TimeOrStart | None = None,
    seed: Seed | None = None,
    replications: Several = 1,
    trace: tuple[str, ...] = (),
    compiled: bool = True,
) -> PolicyMeasures:
    """Run two or three policies on the same jobs and measure them, as ``slotscope run`` does; see :func:`measure`."""
    given = {"until": until, "warmup": warmup, "seed": seed, "replications": replications, "trace": trace}
    options = _options(scenario, policies, compiled, given)
    return PolicyMeasures(compared(options, Progress("compare", quiet=True)))


def _options(
    scenario: str | Path, policies: Sequence[str], compiled: bool, given: Mapping[str, object]
) -> argparse.Namespace:
    """The options of ``slotscope run`` with these values."""
    first, engine = next(iter(policies), None), None if compiled else "reference"
    return argparse.Namespace(scenario=str(scenario), policy=first, policies=tuple(policies), engine=engine, **given)
