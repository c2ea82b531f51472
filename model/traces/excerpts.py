"""Excerpts of public traces that ship with the program, for scenarios that are given no trace."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping, NamedTuple

from slotscope.model.scenario.load import Scenario, as_data, parse_scenario
from slotscope.model.traces.formats import JOBS
from slotscope.model.traces.reading import SHIPPED

#: A table of jobs that every kind of system can read.
EXAMPLE = SHIPPED / "jobs.csv"


class Excerpt(NamedTuple):
    """A part of a trace: its file or folder, its description, and the sampling of its jobs, one in ``one_in``.

    With one job in n, a scenario gets one server in n, so that its load is that of the whole trace.
    An excerpt that stands in for a trace whose licence allows none has its own rates and times.
    """

    path: Path
    about: str
    one_in: int = 1
    stands_in: bool = False

    def fitted(self, scenario: Scenario) -> Scenario:
        """*scenario* with its servers reduced to the excerpt's sampling, and with the excerpt's own times and rates."""
        data = as_data(scenario)
        if self.one_in > 1:
            data["servers"]["count"] = max(1, data["servers"]["count"] // self.one_in)
        if self.stands_in and data["workload"].pop("scale", None) is None:  # one that takes rates only never ends
            data["run"] = {name: data["run"][name] for name in data["run"].keys() - {"until", "warmup"}}
        return parse_scenario(data)

    @property
    def note(self) -> str:
        """The note about the excerpt in a report."""
        fewer = f", on one of {self.one_in} servers" if self.one_in > 1 else ""
        return f"no trace was given: this is {self.about}{fewer}; 'slotscope traces' lists whole ones for --trace"


#: Stands in for traces whose licences allow no excerpt.
AZURE_JOBS = Excerpt(
    SHIPPED / "azure-2017-jobs.csv.gz",
    "one of 32 virtual machines of a day of Azure's trace, as the scenario's own may not be passed on",
    stands_in=True,
)

#: Excerpts by the format of a scenario's workload.
EXCERPTS: Mapping[str, Excerpt] = {
    "google-task-events": Excerpt(SHIPPED / "google-2011.csv.gz", "one of ten jobs of Google's first file", 10),
    "azure-flavours": Excerpt(SHIPPED / "azure-2017", "a day of Azure's trace"),
    "alibaba-pods": AZURE_JOBS,
    "swf": AZURE_JOBS,
    JOBS: Excerpt(EXAMPLE, "an example of a table of jobs"),
}

#: The trace for experiments on a recorded workload that are given no files; they scale their servers to the jobs.
FOR_EXPERIMENTS = EXCERPTS["google-task-events"]._replace(one_in=1)


def excerpt_for(scenario: Scenario) -> Excerpt | None:
    """The excerpt for a scenario that is given no trace; None if there is none, or the scenario needs no trace."""
    workload = scenario.workload
    if workload.kind != "trace" or workload.paths:
        return None
    return EXCERPTS.get(workload.format)
