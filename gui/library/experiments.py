"""``slotscope.bounds`` and ``slotscope.reproduce``: a scenario's bounds, and a figure or table of a paper."""

from __future__ import annotations

import argparse
from html import escape
from pathlib import Path
from typing import Any, Literal, Sequence

from slotscope.checked import Several, checked
from slotscope.model.cli.bounds import solved
from slotscope.model.cli.experiments import executor_for
from slotscope.model.cli.output import Report
from slotscope.model.lab import check_beside, experiment_module, experiment_name, experiments
from slotscope.model.lab.plan import Options
from slotscope.model.lab.results import Result, prepare
from slotscope.model.lab.runner import run_plan
from slotscope.model.lab.store import Store
from slotscope.model.reporting.data_tables import DataTable
from slotscope.pictures import Picture, figure_picture


class ExperimentResult:
    """The result of an experiment.

    Attributes
    ----------
    found:
        Rows, figures and notes (:class:`slotscope.model.lab.results.Result`).
    """

    def __init__(self, found: Result) -> None:
        self.found = found

    @property
    def rows(self) -> DataTable:
        """The numbers, beside the paper's where it gives them."""
        return self.found.table

    @property
    def curves(self) -> DataTable:
        """The points of every curve."""
        return self.found.points

    @property
    def pictures(self) -> list[Picture]:
        """The figures, as the command line saves them."""
        return [figure_picture(figure) for figure in self.found.figures]

    def __repr__(self) -> str:
        return f"<{experiments()[self.found.experiment].title}: {len(self.found.rows)} numbers>"

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.found.notes)
        return "".join(picture._repr_svg_() for picture in self.pictures) + self.rows._repr_html_() + notes


@checked
def reproduce(
    experiment: str,
    scale: Literal["quick", "paper"] = "quick",
    *,
    trace: Sequence[str] = (),
    policies: Sequence[str] = (),
    workers: Several = 1,
    keep: str | Path | None = None,
) -> ExperimentResult:
    """Carry out an experiment that ``slotscope list`` names.

    Parameters
    ----------
    scale:
        ``"quick"`` or ``"paper"``.
    policies:
        Further policies that run beside those of the experiment; policies of users are allowed.
    workers:
        Number of processes.
    keep:
        A folder that keeps finished parts, so that a later call resumes there; with None nothing is kept.

    Raises
    ------
    UserError
        If there is no such experiment, or one of its parts cannot be carried out.
    """
    name = experiment_name(experiment)
    store = None
    if keep is not None:
        prepare(Path(keep))
        store = Store.of(Path(keep), name)
    check_beside(name, policies)
    options = Options(tuple(trace), tuple(policies))
    return ExperimentResult(run_plan(experiment_module(name), scale, options, executor_for(workers, None), store))


class FoundBounds(dict[str, Any]):
    """The data that ``slotscope bounds --json`` prints, as a dict; ``str`` and notebooks show the command's text."""

    def __init__(self, found: Report) -> None:
        super().__init__(found.data)
        self._text = found.text

    def __str__(self) -> str:
        return self._text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self._text())}</pre>"


@checked
def bounds(scenario: str | Path, policy: str | None = None, trace: tuple[str, ...] = ()) -> FoundBounds:
    """The linear programs and closed forms of a scenario, as ``slotscope bounds --json`` prints them.

    Raises
    ------
    UserError
        If the scenario cannot be used, or there are no bounds for it.
    """
    options = argparse.Namespace(
        scenario=str(scenario), policy=policy, seed=None, trace=trace, json=True, appendix_c=None, save=None
    )
    return FoundBounds(solved(options))
