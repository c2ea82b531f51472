"""Files with user policies, right and wrong, for tests."""

from __future__ import annotations

import threading
from pathlib import Path
from textwrap import dedent, indent
from typing import Callable

from slotscope.model.api import Session

HEAD = """\
import numpy as np
from slotscope.model.kinds.reservation.policies.base import (
    Admit, Classify, Migrate, OwnPolicy, Preempt, Reassign, Record, Reject, Remember, UpdateAt, say
)


class Policy(OwnPolicy):
"""

#: The body of first fit's method ``arrival``.
FIRST_FIT = """\
room = view.with_room(job.type)
yield say("looked_at", servers=len(room))
if len(room):
    yield Admit(server=room[0])
else:
    yield Reject()
"""


def source(arrival: str = FIRST_FIT, rest: str = "", head: str = HEAD) -> str:
    """The text of a policy's file whose ``arrival`` has this body; *rest* is added to the class."""
    body = indent(dedent(arrival), " " * 8)
    return f"{head}{indent(dedent(rest), ' ' * 4)}\n    def arrival(self, view, job):\n{body}"


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    """Write a policy's file; returns its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def line_of(text: str, fragment: str) -> int:
    """The number of the line that contains *fragment*."""
    (number,) = [n for n, line in enumerate(text.splitlines(), 1) if fragment in line]
    return number


def opened(folder: Path, text: str, scenario: str = "dra-classroom") -> Session:
    """A session of a scenario under the policy in *text*."""
    return Session.open(scenario, write(folder, text), kernel=False)


def repeated(call: Callable[[], object], other: Callable[[], None]) -> None:
    """Call *other* repeatedly in a second thread until *call* ends."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(0.1):
            other()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        call()
    finally:
        over.set()
        thread.join()
