"""The measurements of ``slotscope run``: one run of a policy, or replications of it."""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Mapping, Sequence

import numpy as np

from slotscope.model.api import Session
from slotscope.model.cli.guard import note
from slotscope.model.cli.output import Progress, estimated, shown, table
from slotscope.model.cli.parser import MOST_SEED, UsageError
from slotscope.model.cli.replicating import Tell, side_by_side, threads_for
from slotscope.model.kinds.spec import Judgement, Kind
from slotscope.model.measures.metrics import BATCHES, Batches, Estimate, estimate, estimates
from slotscope.model.policies import another_text
from slotscope.model.reporting.data_columns import DeclaredColumn
from slotscope.model.reporting.data_tables import DataTable, table_of_records
from slotscope.model.reporting.explain import quantity
from slotscope.model.running.engine import Reason
from slotscope.model.running.waiting import waiting
from slotscope.model.systems.state import digest, size_in_bytes

#: Seconds of running between two updates of the progress line.
SLICE_SECONDS = 0.1

#: The most jobs, and the largest state in bytes, for which the reference finishes before Numba would be imported.
FEW_JOBS, SMALL_STATE = 600, 8192

#: The fewest events per batch for which confidence intervals are meaningful.
FEW_EVENTS = 10

_MEASURES = (
    DeclaredColumn("policy", str),
    DeclaredColumn("measure", str),
    DeclaredColumn("mean", float, "over the time in which it was measured"),
    DeclaredColumn("half_width", float, "of its 95 % confidence interval"),
)
_DIFFERENCES = (
    DeclaredColumn("difference", float, "the mean minus that of the first policy, on the same jobs"),
    DeclaredColumn("difference_half_width", float, "of its 95 % confidence interval"),
)


@dataclass(frozen=True)
class Measured:
    """The result of one run, or of several replications together."""

    scenario: str
    policy: str
    seed: int
    engine: str
    replications: int
    warmup: float
    time: float
    time_unit: str
    events: int
    opening_line: str  #: the command that opens the end of the (first) run on any machine
    seconds: float
    metrics: Mapping[str, Estimate]
    batches: Mapping[str, Batches]  #: of the run; or, for replications, the mean of each
    digest: str
    report: Any
    kind: Kind
    rules: Any  #: the scenario as it was run
    judgement: Judgement | None

    @property
    def table(self) -> DataTable:
        """A row for each measure, see :func:`measures_table`."""
        return measures_table([self])

    @property
    def events_per_second(self) -> float:
        """Events per second of real time; for replications that run side by side, of each of them."""
        return self.events / self.seconds if self.seconds > 0 else 0.0

    def verdict_lines(self) -> list[str]:
        """The verdict about the run, if there is one."""
        found = self.judgement
        return [] if found is None else [f"{found.verdict}: {found.reason}", ""]

    def _few_lines(self) -> list[str]:
        """A note if there are too few events for meaningful intervals."""
        if self.replications > 1 or self.events >= FEW_EVENTS * BATCHES:
            return []
        return [f"note: so few events in {BATCHES} batches that the intervals say little of a longer run"]

    def as_dict(self, *, timing: bool) -> dict[str, Any]:
        """For JSON; without *timing*, the result does not depend on the machine."""
        result = {
            "scenario": self.scenario,
            "policy": self.policy,
            "seed": self.seed,
            "engine": self.engine,
            "replications": self.replications,
            "warmup": self.warmup,
            "time": self.time,
            "events": self.events,
            "events_per_second": self.events_per_second if timing else None,
            "metrics": {name: item.as_dict() for name, item in self.metrics.items()},
            "digest": self.digest,
        }
        if self.judgement is not None:
            result["verdict"] = self.judgement.verdict
            result["reason"] = self.judgement.reason
        if self.report is not None:
            result["import"] = self.report.as_dict()
        return result

    def text(self, *, timing: bool) -> str:
        """For display."""
        several = f", {self.replications} replications" if self.replications > 1 else ""
        speed = f", {round(self.events_per_second):,} a second" if timing else ""
        rows = [(name, *estimated(item)) for name, item in self.metrics.items()]
        return "\n".join(
            [
                *(self.report.lines() if self.report is not None else ()),
                f"{self.scenario} under {self.policy} ({self.engine}), seed {self.seed}{several}",
                f"{self.events:,} events{speed}; measured from {shown(self.warmup)} to "
                f"{quantity(shown(self.time), self.time_unit)}",
                *self._few_lines(),
                "",
                table(("measure", "mean", "+/- (95 %)"), rows),
                "",
                *self.verdict_lines(),
                f"digest {self.digest}",
                f"this end: {self.opening_line}",
            ]
        )


def measures_table(runs: Sequence[Measured], differences: Sequence[Mapping[str, Estimate]] = ()) -> DataTable:
    """A row for each policy and measure: mean, half-width of its 95 % interval, paired difference from the first."""
    nothing = {"mean": None, "half_width": None}
    records: list[dict[str, Any]] = []
    for place, run in enumerate(runs):
        for name, found in run.metrics.items():
            mean, paired = found.as_dict(), differences[place - 1][name].as_dict() if place else nothing
            record: dict[str, Any] = {"policy": run.policy, "measure": name}
            record |= {"mean": mean["mean"], "half_width": mean["half_width"]}
            if differences:
                record |= {"difference": paired["mean"], "difference_half_width": paired["half_width"]}
            records.append(record)
    return table_of_records("measures", records, [*_MEASURES, *(_DIFFERENCES if differences else ())])


def measure(options: argparse.Namespace, progress: Progress) -> Measured:
    """Measure one run of a scenario, or replications with the seeds S, S + 1, ....

    Raises UserError if the scenario, the policy, the trace or a time cannot be used.
    """
    first = opened(options, options.seed, progress)
    for warning in first.info.warnings:
        note(f"warning: {warning}")
    times = measured_times(options, first)
    count = options.replications

    def another(position: int) -> Session:
        return of_one_text(first, opened(options, first.info.seed + position, progress)) if position else first

    def run(session: Session, _: int, tell: Tell) -> Measured:
        session.timeline.keep_little()
        return measured(options, session, times, tell)

    return together(side_by_side(another, run, count, threads_for(first.bench, count), progress))


def opened(options: argparse.Namespace, seed: int | None, progress: Progress) -> Session:
    """The scenario under the (first) policy, with its trace read."""
    with waiting(progress.say, lambda: 0, "Ctrl+C", lambda doing, share: progress(share, 1, f"{doing}, ")):
        session = Session.open(options.scenario, options.policy, seed, tuple(options.trace), kernel=False)
    last = session.info.seed + options.replications - 1
    if last > MOST_SEED:
        raise UsageError(
            f"found {session.info.seed} with {options.replications} replications, allowed: a last "
            f"seed of at most {MOST_SEED}",
            where="--seed",
        )
    choose_engine(options, session, progress)
    return session


def of_one_text(first: Session, later: Session) -> Session:
    """*later*, a replication of *first*. Raises UserError if the text of its user policy is not the same."""
    texts = {getattr(session.bench.system.policy, "source", None) for session in (first, later)}
    if len(texts) > 1:
        raise another_text(first.info.origin.policy)
    return later


def choose_engine(options: argparse.Namespace, session: Session, progress: Progress) -> None:
    """Run compiled if that is possible and wanted.

    Raises UsageError if the compiled twin is requested and there is none.
    """
    if options.engine == "kernel" and not session.bench.has_kernel:
        raise UsageError(
            f"found kernel, but the policy '{session.info.policy_name}' has no compiled twin; allowed: reference",
            where="--engine",
        )
    wanted = options.engine or ("reference" if _is_short(options, session) else "kernel")
    if wanted == "kernel" and session.bench.has_kernel:
        progress.say("preparing the compiled policy (some seconds the first time)")
        session.use_kernel()
        session.bench.prepare()  # done here, so that it does not count as running time


def _is_short(options: argparse.Namespace, session: Session) -> bool:
    """Whether the reference finishes one run before the compiled twin would be loaded: few jobs and a small state."""
    until = float(session.info.scenario.run.until if options.until is None else options.until)
    block = session.bench.system.workload.block_at(0)
    if options.replications > 1 or block is None or size_in_bytes(session.timeline.state) > SMALL_STATE:
        return False
    # An empty slot counts as an event.
    return bool(until <= 10 * FEW_JOBS and (block.time <= until).sum() <= FEW_JOBS and block.time[-1] > until)


def measured_times(options: argparse.Namespace, session: Session) -> tuple[float, float]:
    """(end of the run, end of its warm-up).

    Raises UsageError if there is no time between them, or no recorded job arrives in it.
    """
    wanted = session.info.scenario.run
    until = float(wanted.until) if options.until is None else float(options.until)
    if options.warmup is None:
        warmup = min(float(wanted.warmup), float(wanted.warmup / wanted.until) * until)
    else:
        warmup = float(options.warmup)
    if warmup >= until:
        raise UsageError(f"found {warmup:g}, allowed: a time before the end at {until:g}", where="--warmup")
    last = session.bench.last_recorded
    if last <= 0:
        raise UsageError("all recorded jobs arrive at time 0, allowed: a trace in which time passes", where="--trace")
    if warmup >= last:
        told = f"found {warmup:g}, allowed: a time before {last:g}, when the last recorded job arrives"
        raise UsageError(told, where="--warmup")
    if until > last:
        note(f"warning: the last recorded job arrives at {last:g}, and what is measured goes on until {until:g}")
    return until, warmup


def measured(options: argparse.Namespace, session: Session, times: tuple[float, float], tell: Tell) -> Measured:
    """Measure one run."""
    line, info = session.timeline, session.info
    warmup, until = times[1], times[0]

    def advance(time: float) -> Any:
        while session.run(until=time, budget=SLICE_SECONDS) is Reason.LIMIT:
            tell(min(line.time / until, 1.0))
        return line.state

    begin = perf_counter()
    bench = session.bench
    batches = bench.kind.run_batches(bench.numbers, advance, warmup, until)
    judgement = bench.kind.judge(bench.scenario, [batches], until - warmup)
    return Measured(
        scenario=options.scenario,
        policy=info.origin.policy,
        seed=info.seed,
        engine=line.engine.name,
        replications=1,
        warmup=warmup,
        time=until,
        time_unit=info.time_unit,
        events=line.event,
        opening_line=info.opening_line(line.event),
        seconds=perf_counter() - begin,
        metrics=_corrected(estimates(batches), judgement),
        batches=batches,
        digest=digest(line.state),
        report=bench.report,
        kind=bench.kind,
        rules=bench.scenario,
        judgement=judgement,
    )


def _corrected(metrics: dict[str, Estimate], judgement: Judgement | None) -> Mapping[str, Estimate]:
    return metrics if judgement is None else {**metrics, **judgement.metrics}


def together(runs: Sequence[Measured]) -> Measured:
    """Replications as one result: intervals over the means of the runs, and a digest of their digests."""
    first = runs[0]
    if len(runs) == 1:
        return first
    joined = hashlib.blake2b("".join(run.digest for run in runs).encode(), digest_size=16)
    found = [estimates(dict(run.batches)) for run in runs]
    means = {name: np.array([one[name].mean for one in found]) for name in first.metrics}
    judgement = first.kind.judge(first.rules, [run.batches for run in runs], first.time - first.warmup)
    return replace(
        first,
        replications=len(runs),
        events=sum(run.events for run in runs),
        seconds=sum(run.seconds for run in runs),
        metrics=_corrected({name: estimate(values) for name, values in means.items()}, judgement),
        judgement=judgement,
        batches={name: Batches(values) for name, values in means.items()},
        digest=joined.hexdigest(),
    )
