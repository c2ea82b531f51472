"""``slotscope run`` with several policies: their measures, paired differences, first difference."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

from slotscope.model.api import Session
from slotscope.model.cli.guard import note
from slotscope.model.cli.measuring import (
    Measured,
    choose_engine,
    measured,
    measured_times,
    measures_table,
    of_one_text,
    opened,
    together,
)
from slotscope.model.cli.output import Progress, estimated, shown, table
from slotscope.model.cli.replicating import Tell, side_by_side, threads_for
from slotscope.model.comparison.companion import companion
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.differences import Difference
from slotscope.model.measures.metrics import Estimate
from slotscope.model.policies.choice import names_beside
from slotscope.model.reporting.data_tables import DataTable
from slotscope.model.reporting.explain import Narrator, quantity


@dataclass(frozen=True)
class Compared:
    """Several policies on the same jobs, measured."""

    policies: tuple[Measured, ...]
    difference: Difference | None
    narrators: tuple[Narrator, ...]
    type_names: tuple[str, ...]

    @property
    def called(self) -> list[str]:
        """The labels of the policies."""
        names = names_beside([run.policy for run in self.policies])
        return [names[run.policy] for run in self.policies]

    @property
    def differences(self) -> tuple[Mapping[str, Estimate], ...]:
        """For each policy but the first: every measure minus that of the first, paired."""
        first = self.policies[0]
        return tuple({name: _difference(run, first, name) for name in run.batches} for run in self.policies[1:])

    @property
    def table(self) -> DataTable:
        """A row for each policy and measure, see :func:`measures_table`."""
        return measures_table(self.policies, self.differences)

    @property
    def time(self) -> float:
        """The end of measuring."""
        return self.policies[0].time

    def as_dict(self, *, timing: bool) -> dict[str, Any]:
        """For JSON; without *timing*, the result does not depend on the machine."""
        first = self.policies[0]
        return {
            "scenario": first.scenario,
            "seed": first.seed,
            "policies": [run.as_dict(timing=timing) for run in self.policies],
            "differences": [
                {
                    "policy": run.policy,
                    "against": first.policy,
                    "metrics": {name: item.as_dict() for name, item in metrics.items()},
                }
                for run, metrics in zip(self.policies[1:], self.differences, strict=True)
            ],
            "first_difference": self._difference(),
        }

    def _difference(self) -> dict[str, Any] | None:
        found = self.difference
        if found is None:
            return None
        return {
            "job": found.job,
            "time": found.time,
            "type": self.type_names[found.type],
            "decisions": [
                {
                    "policy": run.policy,
                    "event": int(row["event"]),
                    "admitted": found.admitted(lane),
                    "server": int(row["server"]) + 1 if found.admitted(lane) else None,
                    "sentence": narrator.row(row),
                }
                for lane, (run, row, narrator) in enumerate(zip(self.policies, found.rows, self.narrators, strict=True))
            ],
        }

    def text(self, *, timing: bool) -> str:
        """For display."""
        first = self.policies[0]
        several = f", {first.replications} replications" if first.replications > 1 else ""
        return "\n".join(
            [
                *(first.report.lines() if first.report is not None else ()),
                f"{first.scenario}, seed {first.seed}{several}, the same jobs for each; measured from "
                f"{shown(first.warmup)} to {quantity(shown(first.time), first.time_unit)}",
                *(self._line(run, timing=timing) for run in self.policies),
                "",
                self._means(),
                "",
                *self._verdicts(),
                self._paired(),
                "",
                *self._first(),
                "",
                *(f"this end: {run.opening_line}" for run in self.policies),
            ]
        )

    @staticmethod
    def _line(run: Measured, *, timing: bool) -> str:
        speed = f", {round(run.events_per_second):,} a second" if timing else ""
        return f"  {run.policy} ({run.engine}): {run.events:,} events{speed}, digest {run.digest}"

    def _means(self) -> str:
        header = ["measure"]
        for name in self.called:
            header += [name, "+/- (95 %)"]
        return table(header, _rows([run.metrics for run in self.policies]))

    def _verdicts(self) -> list[str]:
        lines = [
            f"{name}: {run.judgement.verdict}, {run.judgement.reason}"
            for name, run in zip(self.called, self.policies, strict=True)
            if run.judgement is not None
        ]
        return [*lines, ""] if lines else []

    def _paired(self) -> str:
        first, *others = self.called
        header = ["difference, paired"]
        for name in others:
            header += [f"{name} - {first}", "+/- (95 %)"]
        return table(header, _rows(self.differences))

    def _first(self) -> list[str]:
        if not self.policies[0].kind.compares_decisions:
            return []
        found = self.difference
        if found is None:
            return ["every job was admitted, or rejected, by all of them alike"]
        time = f"{found.time:.6g}"
        return [
            f"first decision that differs: {self._job(found)} at time {time}",
            *(
                f"  {name}, event {int(row['event']):,}: {narrator.row(row)}"
                for name, row, narrator in zip(self.called, found.rows, self.narrators, strict=True)
            ),
        ]

    def _job(self, found: Difference) -> str:
        job = f"job {found.job}"
        return f"{self.type_names[found.type]} {job}" if len(self.type_names) > 1 else job


def _difference(run: Measured, first: Measured, name: str) -> Estimate:
    """The paired difference of a measure; nan if one of the runs has no value, as for a queue that grows."""
    if not np.isfinite(run.metrics[name].mean + first.metrics[name].mean):
        return Estimate(np.nan, np.nan)
    return run.batches[name].minus(first.batches[name]).estimate()


def _rows(metrics: Sequence[Mapping[str, Estimate]]) -> list[list[str]]:
    return [[name, *(cell for one in metrics for cell in estimated(one[name]))] for name in metrics[0]]


def compare(options: argparse.Namespace, progress: Progress) -> Compared:
    """Measure the policies on the same jobs, in one run or in replications paired by seed.

    Raises UserError if the scenario, a policy, the trace or a time cannot be used.
    """
    first = _lanes(options, options.seed, progress)
    comparison = Comparison(first)  # of the first replication, made before it runs

    def another(position: int) -> list[Session]:
        if not position:
            return first
        return list(map(of_one_text, first, _lanes(options, first[0].info.seed + position, progress)))

    def run(lanes: list[Session], _: int, tell: Tell) -> list[Measured]:
        return _measured_lanes(options, lanes, tell)

    count = options.replications
    threads = min(threads_for(lane.bench, count) for lane in first)
    runs = side_by_side(another, run, count, threads, progress)
    return Compared(
        tuple(together(column) for column in zip(*runs, strict=True)),
        comparison.first_difference(),
        tuple(lane.info.narrator for lane in first),
        first[0].info.numbers.type_names if first[0].bench.kind.compares_decisions else (),
    )


def _lanes(options: argparse.Namespace, seed: int | None, progress: Progress) -> list[Session]:
    first = opened(options, seed, progress)
    if seed == options.seed:
        for warning in first.info.warnings:
            note(f"warning: {warning}")
    lanes = [first]
    for policy in options.policies[1:]:
        session = companion(first, policy, kernel=False)
        choose_engine(options, session, progress)
        lanes.append(session)
    return lanes


def _measured_lanes(options: argparse.Namespace, lanes: Sequence[Session], tell: Tell) -> list[Measured]:
    times = measured_times(options, lanes[0])

    def tell_of(place: int) -> Tell:
        return lambda share: tell((place + share) / len(lanes))

    return [measured(options, lane, times, tell_of(place)) for place, lane in enumerate(lanes)]
