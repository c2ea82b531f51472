"""What ``reproduce`` and ``sweep`` have in common: workers, progress, stopping, files, the table."""

from __future__ import annotations

import argparse
import os
from time import monotonic
from typing import Callable

from slotscope.model.cli.guard import INTERRUPTED, note
from slotscope.model.cli.output import LONG_SECONDS, Progress, print_json
from slotscope.model.lab.executor import Executor, LocalWorkers, ThisProcess
from slotscope.model.lab.plan import NO_OPTIONS, Options, Plan
from slotscope.model.lab.results import Draw, Result, pictures, prepare
from slotscope.model.lab.runner import Status, run_plan
from slotscope.model.lab.store import Store

#: Seconds of a minute, and of an hour, from which durations are shown in hours.
_MINUTE, _HOUR = 60, 3600


def carry_out(
    options: argparse.Namespace,
    name: str,
    plan: Plan,
    text: Callable[[Result], str],
    draw: Draw,
    scale: str = "quick",
    told: Options = NO_OPTIONS,
) -> int:
    """Run *plan*, write its files, print its result; returns the exit code.

    *options* has ``--out``, ``--workers``, ``--cluster``, ``--fresh`` and ``--json``; *told* are the plan's own
    options.
    """
    prepare(options.out)
    executor = executor_for(options.workers, options.cluster)
    store = Store.of(options.out, name)
    if options.fresh:
        store.clear()
    if store.damaged:
        one = store.damaged == 1
        lines, parts = ("line is", "its part is") if one else ("lines are", "their parts are")
        note(f"warning: {store.path}: {store.damaged} damaged {lines} left out; {parts} carried out again")
    progress = _ProgressLine(f"{options.command} {name.removeprefix('sweep-')}", quiet=options.json)
    try:
        result = run_plan(plan, scale, told, executor, store, progress.tell)
    except KeyboardInterrupt:
        progress.close()
        note(f"stopped; {progress.told}the same command goes on from there, and with --fresh begins anew")
        return INTERRUPTED
    finally:
        progress.close()
    progress.tell_end()
    files = result.write(options.out) + pictures(result, options.out, draw)
    if options.json:
        print_json(result.as_dict() | {"files": [str(path) for path in files]})
    else:
        print("\n\n".join([text(result), *result.notes, f"written: {', '.join(map(str, files))}"]))
    return 0


def executor_for(workers: int | None, cluster: str | None) -> Executor:
    """The executor: this process, worker processes, or a cluster.

    - *workers*: The number of processes; None: one for each processor.
    - *cluster*: The address of a Dask scheduler, ``local``, or None.

    Raises UserError if Dask is needed and not installed, or the address is invalid.
    """
    count = workers or os.cpu_count() or 1
    if cluster is not None:
        from slotscope.model.lab.cluster import DaskCluster

        return DaskCluster(cluster, count)
    return ThisProcess() if count == 1 else LocalWorkers(count)


class _ProgressLine(Progress):
    """The progress line of an experiment, with an estimate of the time left."""

    told = ""  #: what to say of the finished parts if the work is stopped
    #: estimated total seconds after two parts; after the first part alone, they may include compiling
    projected: float | None = None

    def tell(self, status: Status) -> None:
        """Show how far the work is, and the projected total time."""
        self.told = f"{status.done} of {status.total} parts are finished and kept; "
        kept = f", {status.kept} of them from before" if status.kept else ""
        whole = ""
        if status.seconds_left is not None:
            seconds = monotonic() - self.made + status.seconds_left
            if self.projected is None or status.done - status.kept <= 2:
                self.projected = seconds
            whole = f", projected {_duration(seconds)}"
        self(status.share, 1.0, f"part {status.done} of {status.total}{kept}{whole}, ")

    def tell_end(self) -> None:
        """If it was long, print the time taken, and the time projected after the first parts."""
        took = monotonic() - self.made
        if self.projected is not None and took >= LONG_SECONDS:
            note(f"took {_duration(took)}; {_duration(self.projected)} were projected after the first two parts")


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"{hours} h {minutes} min"
