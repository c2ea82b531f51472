"""A tiny experiment whose parts log that they run, and can be made to fail.

As a program it runs the experiment in a folder: ``FOLDER WORKERS PARTS VERSION``.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from slotscope.model.errors import UserError
from slotscope.model.lab import parts
from slotscope.model.lab.executor import LocalWorkers, ThisProcess
from slotscope.model.lab.parts import Part
from slotscope.model.lab.plan import finished
from slotscope.model.lab.results import Result, Row
from slotscope.model.lab.runner import run_plan
from slotscope.model.lab.store import Store

NAME = "tiny"


class Tiny:
    """A plan whose parts return numbers; *how* gives, by part number, what a part does instead."""

    def __init__(self, count, log="", how=None, seconds=0.0):
        self.count, self.log, self.how, self.seconds = count, str(log), how or {}, seconds

    def parts(self, scale, options):
        return [
            Part.of(
                __name__,
                number,
                {"log": self.log, "how": self.how.get(number, ""), "seconds": self.seconds},
                f"number {number}",
                1.0 + number % 3,
            )
            for number in range(self.count)
        ]

    def result(self, scale, options, outcomes):
        done = finished(self.parts(scale, options), outcomes)
        rows = [Row("third", value, at={"number": number}) for number, value in done]
        return Result(NAME, scale, tuple(rows), ())


def carry_out(part):
    """Log the call, then return numbers, fail, die or sleep."""
    settings = part.settings
    if settings["log"]:
        with Path(settings["log"]).open("ab", buffering=0) as log:
            log.write(f"{part.seed}\n".encode())
    if settings["how"] == "dies":
        os._exit(9)
    if settings["how"] == "fails":
        raise UserError("found nothing, allowed: something", where="here")
    if settings["how"] == "breaks":
        raise ZeroDivisionError("of this part")
    time.sleep(3600 if settings["how"] == "sleeps" else settings["seconds"])
    return [part.seed, part.seed / 3 + 0.1]


def numbers_in(log):
    """The numbers of the parts that were started, in order."""
    path = Path(log)
    return [int(line) for line in path.read_text().splitlines()] if path.exists() else []


def main(folder, workers, count, version):
    """Run the experiment, slowly enough to be killed, and write its files.

    *version* replaces that of the source, which may be edited while a test runs.
    """
    parts.program_version = lambda: version
    plan = Tiny(int(count), log=Path(folder) / "log", seconds=0.01)
    executor = ThisProcess() if workers == "1" else LocalWorkers(int(workers))
    result = run_plan(plan, executor=executor, store=Store.of(Path(folder), NAME))
    result.write(Path(folder))


if __name__ == "__main__":
    from tests.model import lab_work  # under the name by which workers import it

    lab_work.main(*sys.argv[1:])
