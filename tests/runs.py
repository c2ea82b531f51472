"""Sessions after some events, and the program in a separate process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from slotscope.model.api import Session


def ran(scenario: Any, policy: str | None = None, *, events: int, kernel: bool = False, **given: Any) -> Session:
    """A session after a number of events, by the reference unless *kernel* is set."""
    session = Session.open(scenario, policy, kernel=kernel, **given)
    session.run(events=events)
    return session


def program(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """The program in a separate process, with pipes for its output."""
    command = [sys.executable, str(Path(__file__).resolve().parents[1] / "main.py"), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
