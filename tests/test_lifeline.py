"""Helper processes end with the program, even if it is killed."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from slotscope.model.api import Session
from slotscope.model.lifeline import end_with_program, start_beside
from slotscope.model.scenario.load import edited, load_scenario

#: Starts this file as a helper process, prints its ID, and waits for its end.
PROGRAM = f"""
from slotscope.model.lifeline import start_beside
process = start_beside({__name__!r})
print(process.pid, flush=True)
process.wait()
"""


def bounds_of_many_servers() -> bytes:
    scenario = load_scenario("dra-vms")
    servers = {**scenario.servers.model_dump(mode="json"), "count": 1_000_000}
    return pickle.dumps(edited(scenario, {"servers": servers}))


def long_search() -> bytes:
    numbers = Session.open("dra-gcp", kernel=False).bench.system.numbers
    return pickle.dumps((numbers.space, numbers.rewards, numbers.workload, 10**9))


@pytest.mark.parametrize(
    ("module", "arguments", "task"),
    [
        ("slotscope.model.programs.all_bounds", (), bounds_of_many_servers),
        ("slotscope.model.kinds.reservation.programs.monotone", (), long_search),
        ("slotscope.gui.running.warming", ("phases",), bytes),
    ],
)
def test_each_of_them_ends_where_nobody_holds_its_input(module, arguments, task, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # a cache without compiled code
    process = start_beside(module, *arguments)
    process.communicate(task())
    assert process.returncode == 1


def is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(os.name != "posix", reason="asks POSIX whether a process is there")
def test_what_a_killed_program_leaves_ends() -> None:
    root = Path(__file__).parents[1]
    program = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, cwd=root)
    assert program.stdout is not None
    beside = int(program.stdout.readline())
    assert is_there(beside)
    program.kill()
    program.communicate()
    until = time.monotonic() + 60
    while is_there(beside) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_there(beside)


if __name__ == "__main__":
    end_with_program()
    time.sleep(100_000)
