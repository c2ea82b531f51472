"""Trace formats that every kind of system can read; a file's format is recognized by its content."""

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

#: The names in scenarios of all these formats, and of the Standard Workload Format, whose files begin with comments.
JOBS, SWF = "jobs", "swf"

#: The number of bytes at a file's start by which its format is recognized.
_HEAD = 4096

#: The window size argument by which zlib reads the gzip format.
_GZIP = 16 + zlib.MAX_WBITS


class JobFormat(NamedTuple):
    """A format: its title, whether a file that begins with some bytes has it, and the function that reads its files."""

    title: str
    known_by: Callable[[bytes], bool]
    read: Callable[[Sequence[Path], AskedJobs, Watch], RecordedJobs]


#: All formats by name; a file is read by the first that recognizes it.
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
    """(scenario, workload, files) of a scenario that plays a trace from *paths*, or else from its own paths.

    The workload is changed to name the files, and to the format :data:`JOBS` if they have one of :data:`FORMATS`.

    - *schema*: The schema of a workload that is a trace.
    - *example*: The name of a scenario of the same kind with such a workload.

    Raises UserError if the scenario takes no trace, or there are no paths, or a file is a log that only another kind
    of system can play.
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
    """Read the *asked* jobs from files that have one of :data:`FORMATS`.

    Raises TraceError if a file cannot be used, with one line that says where, what was found and what is allowed;
    GivenUpError if the user stops waiting.
    """
    watch = Watch(paths)
    found = _format_of(paths[0])
    if found is None:
        known = "; ".join(one.title for one in FORMATS.values())
        raise TraceError(f"found a file of another format; allowed are {known}", where=str(paths[0]))
    jobs = found.read(paths, asked, watch)
    return jobs if asked.limit is None else jobs.first(asked.limit)


def _in_folder(path: Path) -> list[Path]:
    """The files that a path means: in a folder, those with one of :data:`FORMATS` if there are some; else the path."""
    try:
        inside = sorted(path.iterdir()) if path.is_dir() else []
    except (OSError, ValueError):  # reported when the path is read
        inside = []
    return [file for file in inside if file.is_file() and has_job_format(file)] or [path]


def has_job_format(path: Path) -> bool:
    """Whether a file has one of :data:`FORMATS`."""
    return _format_of(path) is not None


def _format_of(path: Path) -> JobFormat | None:
    """The format of a file; None if it has none of these formats or cannot be read."""
    head = _head_of(path)
    return next((one for one in FORMATS.values() if one.known_by(head)), None)


def _head_of(path: Path) -> bytes:
    """The beginning of a file, unpacked; empty if it cannot be read."""
    try:
        with path.open("rb") as raw:
            head = raw.read(_HEAD)
        # works for truncated gzip data, too; the error is reported when the file is read
        return zlib.decompressobj(_GZIP).decompress(head, _HEAD) if head.startswith(GZIP_MAGIC) else head
    except (OSError, ValueError, zlib.error):
        return b""
