"""Damaged traces of every format, under scenarios that read them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from slotscope.model.traces.alibaba_pods import COLUMNS
from slotscope.model.traces.excerpts import EXAMPLE
from tests.fuzz.changes import damaged_bytes, damaged_text
from tests.fuzz.running import judged, warmed_up
from tests.kinds.moldable.scenarios import HEADER, JOBS
from tests.kinds.phases.traces import FILES as FLAVOURS
from tests.model.trace_files import google_2019, pai_tasks, philly


def _google() -> str:
    rows = []
    for job in range(8):
        start = 600_000_000 + 7_000_000 * job
        for time, kind in ((start, 0), (start + 10**6, 1), (start + 9 * 10**6 * (1 + job), 4)):
            rows.append(f"{time},,{job},0,,{kind},user,2,1,0.{job + 1}25,0.0625,0.0001,")
    return "\n".join(sorted(rows)) + "\n"


def _pods() -> str:
    rows = [f"pod-{n},{1000 * (1 + n % 3)},2048,1,1000,,LS,Running,{60 * n},{600 + 90 * n},{60 * n}" for n in range(12)]
    return "\n".join([",".join(COLUMNS), *rows]) + "\n"


def _jobs() -> str:
    return "".join(EXAMPLE.read_text("utf-8").splitlines(keepends=True)[:13])


def _made(write: Callable[[Path], Path], name: str) -> str:
    with TemporaryDirectory() as folder:
        return write(Path(folder) / name).read_text()


#: For each format the scenarios that read it, and the files of the trace.
FORMATS: tuple[tuple[tuple[str, ...], dict[str, str]], ...] = (
    (("dra-google", "queues-google"), {"tasks.csv": _google()}),
    (("moldable-swf",), {"log.swf": HEADER + JOBS}),
    (("queues-alibaba", "jrs-alibaba"), {"pods.csv": _pods()}),
    (("jrs-azure",), FLAVOURS),
    (("dra-google", "queues-google", "moldable-swf", "jrs-azure"), {"jobs.csv": _jobs()}),
    (("dra-google", "queues-google", "moldable-swf", "jrs-azure"), {"events.json": _made(google_2019, "events.json")}),
    (("queues-alibaba", "moldable-swf"), {"tasks.csv": _made(pai_tasks, "tasks.csv")}),
    (("moldable-swf",), {"cluster_job_log": _made(philly, "cluster_job_log")}),
)


def prepared(folder: Path) -> Callable[[Random], str]:
    """Prepare an attempt that damages a file of a trace and runs a scenario on it."""

    warmed_up()

    def attempt(random: Random) -> str:
        scenarios, files = random.choice(FORMATS)
        place = folder / "trace"
        place.mkdir(exist_ok=True)
        for old in place.iterdir():
            old.unlink()
        hurt = random.choice(list(files))
        for name, text in files.items():
            data = _damaged(random, text) if name == hurt else text.encode()
            packed = random.random() < 0.1
            (place / (f"{name}.gz" if packed else name)).write_bytes(gzip.compress(data) if packed else data)
        path = place if len(files) > 1 else next(place.iterdir())
        return judged(
            [
                "run",
                random.choice(scenarios),
                "--trace",
                str(path),
                "--until",
                "3",
                "--warmup",
                "1",
                "--engine",
                "reference",
            ]
        )

    return attempt


def _damaged(random: Random, text: str) -> bytes:
    if random.random() < 0.25:
        return damaged_bytes(random, text.encode())
    if random.random() < 0.3:
        return _field(random, text)
    return damaged_text(random, text).encode("utf-8", "surrogateescape")


def _field(random: Random, text: str) -> bytes:
    """Replace one field of one row by an extreme number."""
    lines = text.splitlines()
    at = random.randrange(len(lines))
    sign = "," if "," in lines[at] else " "
    fields = lines[at].split(sign)
    fields[random.randrange(len(fields))] = random.choice(
        ("", "-1", "0", "1e9", "99999999999999999999", "9" * 30, "0.0000001", "nan", "1e400", "x")
    )
    lines[at] = sign.join(fields)
    return ("\n".join(lines) + "\n").encode()
