"""Formats that every kind of system reads: files tell by their content which one they have."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Callable, Mapping, NamedTuple, Sequence, TypeVar, get_args

from pydantic import BaseModel

from slotscope.model.errors import ScenarioError, TraceError
from slotscope.model.scenario.load import Scenario
from slotscope.model.traces.alibaba_pai import is_alibaba_pai, read_alibaba_pai
from slotscope.model.traces.azure_packing import is_azure_packing, read_azure_packing
from slotscope.model.traces.google_2019 import is_google_2019, read_google_2019
from slotscope.model.traces.job_table import AskedJobs, is_job_table, read_job_table
from slotscope.model.traces.jobs import RecordedJobs
from slotscope.model.traces.lately import read_lately
from slotscope.model.traces.philly import is_philly, read_philly
from slotscope.model.traces.reading import GZIP_MAGIC, Watch

#: What a scenario calls all of them, and logs in Standard Workload Format, which begin with remarks.
JOBS, SWF = "jobs", "swf"

#: Bytes of a file that tell its format.
_HEAD = 4096

#: What zlib calls the format of gzip.
_GZIP = 16 + zlib.MAX_WBITS


class JobFormat(NamedTuple):
    """A format: whether a file that begins so has it, and what reads its files."""

    title: str
    known_by: Callable[[bytes], bool]
    read: Callable[[Sequence[Path], AskedJobs, Watch], RecordedJobs]


#: All formats by name; the first that knows a file reads it.
FORMATS: Mapping[str, JobFormat] = {
    "table": JobFormat("tables of jobs (CSV or Parquet)", is_job_table, read_job_table),
    "google-2019": JobFormat("Google's instance_events of 2019", is_google_2019, read_google_2019),
    "azure-packing": JobFormat("Azure's trace for packing of 2020 (SQLite)", is_azure_packing, read_azure_packing),
    "alibaba-pai": JobFormat("Alibaba's pai_task_table of 2020", is_alibaba_pai, read_alibaba_pai),
    "philly": JobFormat("Philly's cluster_job_log", is_philly, read_philly),
}

_Found = TypeVar("_Found", bound=Scenario)
_Trace = TypeVar("_Trace", bound=BaseModel)


def playing(
    scenario: _Found, schema: type[_Trace], paths: tuple[str, ...], example: str
) -> tuple[_Found, _Trace, tuple[Path, ...]]:
    """A scenario that plays files, its workload, and those files: *paths*, or else the scenario's own.

    Its workload names the files, and the format :data:`JOBS` where they have one of :data:`FORMATS`.

    - *schema*: Of a workload that is a trace.
    - *example*: A scenario of the kind that has one.

    Raises UserError if it takes no trace, or names none; if a file is a log that only another kind plays.
    """
    trace = scenario.workload
    if not isinstance(trace, schema):
        raise ScenarioError(
            f"found the workload '{trace.kind}' and a trace's path, allowed: a scenario whose "
            f"workload is a trace, such as {example}",
            where="workload.kind",
        )
    files = paths or trace.paths  # type: ignore[attr-defined]
    if not files:
        raise ScenarioError(
            "found no path of a trace; give its files with --trace PATH (slotscope traces lists some)",
            where="workload.paths",
        )
    found = tuple(file for path in files for file in _in_folder(Path(path)))
    changes: dict[str, object] = {"paths": files}
    if has_job_format(found[0]):
        changes |= {"format": JOBS, "paths": tuple(map(str, found))}
    elif _head_of(found[0]).startswith(b";") and SWF not in get_args(schema.model_fields["format"].annotation):
        raise TraceError(
            "found a log in Standard Workload Format; allowed for it is a scenario of moldable jobs, such as "
            "moldable-swf",
            where=str(found[0]),
        )
    trace = trace.model_copy(update=changes)
    return scenario.model_copy(update={"workload": trace}), trace, found


@read_lately
def read_jobs(paths: Sequence[Path], asked: AskedJobs) -> RecordedJobs:
    """Read the jobs that are *asked* for from files that have one of :data:`FORMATS`.

    Raises TraceError if a file cannot be used: in one line where, what was found, what is allowed; GivenUpError
    if whoever waits has had enough.
    """
    watch = Watch(paths)
    found = _format_of(paths[0])
    if found is None:
        known = "; ".join(one.title for one in FORMATS.values())
        raise TraceError(f"found a file of another format; allowed are {known}", where=str(paths[0]))
    jobs = found.read(paths, asked, watch)
    return jobs if asked.limit is None else jobs.first(asked.limit)


def _in_folder(path: Path) -> list[Path]:
    """What a path stands for: the files with one of :data:`FORMATS` in a folder that has some; else itself."""
    try:
        inside = sorted(path.iterdir()) if path.is_dir() else []
    except (OSError, ValueError):  # told by what reads it
        inside = []
    return [file for file in inside if file.is_file() and has_job_format(file)] or [path]


def has_job_format(path: Path) -> bool:
    """Whether a file has one of :data:`FORMATS`."""
    return _format_of(path) is not None


def _format_of(path: Path) -> JobFormat | None:
    """The format of a file; None where it has none of them, or cannot be read."""
    head = _head_of(path)
    return next((one for one in FORMATS.values() if one.known_by(head)), None)


def _head_of(path: Path) -> bytes:
    """The beginning of a file, unpacked; empty where it cannot be read."""
    try:
        with path.open("rb") as raw:
            head = raw.read(_HEAD)
        # also of one that ends too early: what reads it says so
        return zlib.decompressobj(_GZIP).decompress(head, _HEAD) if head.startswith(GZIP_MAGIC) else head
    except (OSError, ValueError, zlib.error):
        return b""
