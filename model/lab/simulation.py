"""One run of a scenario, without history: the unit of most experiments."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

import numpy as np

from slotscope.model.errors import TraceError, UserError
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.runs import StraightRun, bench_of, replications
from slotscope.model.measures.metrics import Estimate, estimate, estimates
from slotscope.model.running.assembly import Bench
from slotscope.model.scenario.load import Scenario, as_data, edited, load_scenario

WORK = __name__

#: Bytes of a trace that are hashed at once.
_CHUNK = 2**20


def simulations(
    scenario: Scenario,
    seeds: Iterable[int],
    warmup: float,
    until: float,
    label: str,
    policy: str | None = None,
    times: Sequence[float] = (),
    trace: tuple[str, ...] = (),
    work: str = WORK,
) -> list[Part]:
    """Parts that run *scenario* once with each of *seeds*.

    The outcome of each has ``metrics``, the means over [warmup, until) by name, and ``path``,
    the kind's headline at each of *times* (increasing, in the scenario's unit of time).

    *work* is another module that carries out parts with these settings; all else as for
    :func:`model.lab.runs.replications`.
    Raises UserError if a file of the trace cannot be read.
    """
    settings = {"warmup": warmup, "until": until, "times": list(times), "trace": list(trace), "content": content(trace)}
    return replications(work, scenario, policy, settings, seeds, label, until * _work_at_once(scenario))


def _work_at_once(scenario: Scenario) -> float:
    """About how much there is to do in a unit of time, beside other runs of the same sweep."""
    if (phases := getattr(scenario, "phases", None)) is not None:
        scale = float(getattr(scenario.workload, "scale", 1))
        return scale * float(sum(phase.arrival_rate for phase in phases)) or scale
    load = float(sum(item.rate for item in getattr(scenario, "job_types", ()))) or 1.0
    # Each event costs more where few servers are often full and rejections are many.
    return load * (int(scenario.servers.count) + 40)


def carry_out(part: Part) -> Outcome:
    """See :func:`simulations`."""
    settings = part.settings
    run = _Watched(bench_of(part), settings["times"])
    kind, warmup, until = run.bench.kind, settings["warmup"], settings["until"]
    batches = kind.run_batches(run.bench.numbers, run.to, warmup, until)
    judgement = kind.judge(run.bench.scenario, [batches], until - warmup)
    found = estimates(batches) | dict(judgement.metrics if judgement is not None else {})
    run.look()
    return {"metrics": {name: item.mean for name, item in found.items()}, "path": run.path}


class _Watched(StraightRun):
    """A run whose headline is looked at in passing."""

    def __init__(self, bench: Bench, times: Sequence[float]) -> None:
        super().__init__(bench)
        self.path: list[float] = []
        self._times = list(times)

    def to(self, time: float) -> Any:
        """Run all events up to *time*; the state then."""
        self.look(time)
        return super().to(time)

    def look(self, time: float = np.inf) -> None:
        """Note the headline at the times asked for, up to *time*."""
        while len(self.path) < len(self._times) and self._times[len(self.path)] <= time:
            state = super().to(self._times[len(self.path)])
            self.path.append(self.bench.kind.headline_now(self.bench.numbers, state))


def content(trace: Sequence[str]) -> str:
    """A hash of the files of a trace: other content makes another part. Raises TraceError if a file cannot be read."""
    try:
        files = [(path, path.stat()) for path in _files(trace)]
        return _hash(tuple((str(path), at.st_size, at.st_mtime_ns) for path, at in files))
    except OSError as error:
        raise TraceError(f"cannot be read: {error.strerror or error}", where=str(error.filename)) from None


def given_content(trace: Sequence[str]) -> str:
    """The same of the files of Google's trace of 2011, which an experiment cannot do without.

    Raises UserError if no file is given, or one cannot be read.
    """
    if not trace:
        raise UserError(
            "this experiment needs Google's trace of 2011: give its task_events files, or their "
            "folder, with --trace PATH",
            where="--trace",
        )
    return content(trace)


@lru_cache(maxsize=4)
def _hash(files: tuple[tuple[str, int, int], ...]) -> str:
    """A hash of the content of files, made anew once a size or a time of change differs."""
    if not files:
        return ""
    digest = hashlib.blake2b(digest_size=16)
    for name, _, _ in files:
        digest.update(Path(name).name.encode() + b"\0")
        with Path(name).open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()


def _files(trace: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, trace):
        if path.is_dir():
            yield from sorted(item for item in path.iterdir() if item.is_file())
        else:
            yield path


def with_servers(name: str, count: int) -> Scenario:
    """A built-in scenario with another number of servers."""
    scenario = load_scenario(name)
    return edited(scenario, {"servers": as_data(scenario)["servers"] | {"count": count}})


def mean_path(outcomes: Sequence[Outcome]) -> tuple[Estimate, ...]:
    """At each time, the estimate over replications."""
    return tuple(estimate(column) for column in np.array([item["path"] for item in outcomes]).T)
