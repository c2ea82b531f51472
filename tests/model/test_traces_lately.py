"""Recently read traces come from the cache as long as their files are unchanged."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import numpy as np
import pytest

from slotscope.model.kinds.phases.traces.azure_flavours import read_flavours
from slotscope.model.traces import lately
from slotscope.model.traces.alibaba_pods import COLUMNS, read_pods
from slotscope.model.traces.excerpts import AZURE_JOBS, EXAMPLE, EXCERPTS
from slotscope.model.traces.formats import read_jobs
from slotscope.model.traces.google import read_task_events
from slotscope.model.traces.job_table import TYPE, AskedJobs
from slotscope.model.traces.swf import read_swf

LONG_AGO = 10**18
LOG = "; MaxProcs: 4\n" + "".join(f"{n} {n} 0 5 2 -1 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n" for n in range(1, 9))
PODS = ",".join(COLUMNS) + "\none,1000,2048,0,0,,LS,Running,0,9,3\n"


def old(path: Path, text: str, age: int = 0) -> Path:
    path.write_text(text)
    os.utime(path, ns=(LONG_AGO + age, LONG_AGO + age))
    return path


def arrays(found: Any) -> Iterator[np.ndarray]:
    """All arrays of the jobs read."""
    if isinstance(found, np.ndarray):
        yield found
    elif isinstance(found, tuple):
        for one in found:
            yield from arrays(one)
    elif hasattr(found, "__dataclass_fields__"):
        yield from arrays(tuple(getattr(found, name) for name in found.__dataclass_fields__))


@pytest.mark.parametrize(
    ("read", "name", "text"),
    [
        (read_task_events, EXCERPTS["google-task-events"].path, ""),
        (read_flavours, EXCERPTS["azure-flavours"].path, ""),
        (lambda paths: read_jobs(paths, AskedJobs(("vcpu", "memory"), (TYPE,), 2000)), AZURE_JOBS.path, ""),
        (lambda paths: read_jobs(paths, AskedJobs()), EXAMPLE, ""),
        (read_swf, "log.swf", LOG),
        (read_pods, "pods.csv", PODS),
    ],
)
def test_a_trace_is_read_once_and_stays_as_it_is(
    read: Callable[[Sequence[Path]], Any], name: Path | str, text: str, tmp_path: Path
) -> None:
    path = Path(name) if not text else old(tmp_path / name, text)
    found = read([path])
    assert read([path]) is found
    copy = tmp_path / "copies" / path.name
    copy.parent.mkdir()
    again = read([Path((shutil.copytree if path.is_dir() else shutil.copy)(path, copy))])
    assert again is not found and again.report == found.report
    for one, other in zip(arrays(found), arrays(again), strict=True):
        assert np.array_equal(one, other)
        with pytest.raises(ValueError, match="read-only"):
            one[:1] = 1


def test_what_has_changed_or_is_written_just_now_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = old(tmp_path / "log.swf", LOG)
    found = read_swf([path])
    assert len(found) == 8 and read_swf([path]) is found
    assert read_swf([old(path, LOG, age=1)]) is not found  # of the same size, with another old time stamp
    assert len(read_swf([old(path, LOG + LOG.splitlines(keepends=True)[-1])])) == 9
    path.write_text(LOG)
    assert read_swf([path]) is not read_swf([path])
    assert read_swf([old(path, LOG)]) is found
    monkeypatch.setattr(lately, "MOST_BYTES", len(LOG) - 1)
    assert read_swf([path]) is not found


def test_of_each_format_a_few_are_kept(tmp_path: Path) -> None:
    first, *others = (old(tmp_path / f"{number}.swf", LOG) for number in range(lately.MOST_RECENT + 1))
    found = read_swf([first])
    for other in others[:-1]:
        read_swf([other])
    assert read_swf([first]) is found
    for other in others:
        read_swf([other])
    assert read_swf([first]) is not found
