"""User policies that crash their process: one line says where, and the run can go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep

import pytest

from slotscope.model.api import Session
from slotscope.model.errors import PolicyFileError
from slotscope.model.policies import stop_what_hangs
from slotscope.model.policies.own import limits
from slotscope.model.policies.own.host import HOST
from slotscope.model.systems.state import digest
from tests.own_policies import FIRST_FIT, HEAD, line_of, opened, repeated, source, write

pytestmark = pytest.mark.slow

#: The event at which the policies below go wrong.
BAD = 40

#: What ends or blocks the process, and the error's message; the error's place is the first line.
ENDS: dict[str, tuple[str, str]] = {
    "exit": ("os._exit(3)", "it ended its process (exit status 3)"),
    "exit in C": ("ctypes.CDLL(None)._exit(4)", "it ended its process (exit status 4)"),
    "segmentation fault": ("ctypes.string_at(0)", "its process crashed (SIGSEGV)"),
    "write in C": ("ctypes.memset(view.placement.ctypes.data, 1, 4)", "its process crashed (SIGSEGV)"),
    "abort": ("os.abort()", "its process crashed (SIGABRT)"),
    "killed": ("os.kill(os.getpid(), 9)", "its process was killed"),
    "C that holds the lock": ("ctypes.PyDLL(None).pause()", "code in C that it calls does not return in"),
    "C that does not": ("time.sleep(10**6)", "code in C that it calls does not return in"),
    "C deaf to signals": (
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGABRT}); ctypes.PyDLL(None).pause()",
        "code in C that it calls does not return in",
    ),
    "closed pipes": ("os.closerange(3, 64)", "it ended its process (exit status 0)"),
}

#: Those that leave no traceback: the error names the last known line.
WITHOUT_TRACE = {"exit in C", "killed", "C deaf to signals", "closed pipes"}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set short limits."""
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(seconds=0.5, seconds_of_grace=0.3))


def ending(what: str) -> str:
    """First fit that executes *what* at event BAD, after a sub-step."""
    wrong = f"if view.event + 1 >= {BAD}:\n    yield say('now')\n    {what}\n"
    return source(wrong + FIRST_FIT, "", f"import ctypes, itertools, os, signal, time\n{HEAD}")


@pytest.mark.parametrize("name", ENDS)
def test_the_line_is_told_and_the_run_goes_on(tmp_path: Path, short: None, name: str) -> None:
    what, said = ENDS[name]
    text = ending(what)
    session, other = opened(tmp_path, text), Session.open("dra-classroom", write(tmp_path, source(), "good.py"))
    other.run(events=20)
    for _ in range(2):
        with pytest.raises(PolicyFileError) as raised:
            session.run(events=1000)
        assert said in raised.value.message
        event = session.timeline.event
        assert f"at event {event + 1} (arrival of a job of type " in raised.value.line
        lines = {what} if name not in WITHOUT_TRACE else {"def arrival", "say('now')"}
        assert raised.value.where in {f"{tmp_path / 'mine.py'}, line {line_of(text, line)}" for line in lines}
    # Another policy runs in a new process, and so does the run itself, from its place, once its file is corrected.
    other.run(events=event - 20)
    assert digest(other.timeline.state) == digest(session.timeline.state)
    write(tmp_path, source())
    mended = session.reloaded()
    mended.run(events=event + 10)
    other.run(events=10)
    assert digest(mended.timeline.state) == digest(other.timeline.state)


def test_one_steps_up_to_where_it_ends(tmp_path: Path) -> None:
    session = opened(tmp_path, ending("os._exit(0)"))
    with pytest.raises(PolicyFileError):
        session.run(events=1000)
    session.step_into()
    session.step_into()
    assert session.timeline.records[-1].kind == "now"
    with pytest.raises(PolicyFileError, match="exit status 0"):
        session.step_into()
    session.step_back_into()
    assert session.timeline.substep == 1


def test_esc_ends_what_hangs_in_c(tmp_path: Path) -> None:
    for what in ("sum(itertools.repeat(0))", "time.sleep(10**6)"):
        text = ending(what)
        session = opened(tmp_path, text)
        with pytest.raises(PolicyFileError, match="as asked") as raised:
            repeated(lambda: session.run(events=1000), stop_what_hangs)  # noqa: B023
        assert raised.value.where.endswith(f", line {line_of(text, what)}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import os\nos._exit(3)\n", ", line 2: while loading: it ended its process (exit status 3)"),
        ("import ctypes\n\nctypes.string_at(0)\n", ", line 3: while loading: its process crashed (SIGSEGV)"),
        ("import time\ntime.sleep(10**6)\n", ", line 2: the file takes more than 1 seconds to load, allowed: 0.5"),
    ],
    ids=["exit", "segmentation fault", "hang"],
)
def test_a_file_that_does_so_while_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(seconds_to_load=0.5, seconds_of_grace=0.3))
    path = write(tmp_path, text)
    with pytest.raises(PolicyFileError) as raised:
        Session.open("dra-classroom", path, kernel=False)
    assert raised.value.line.startswith(path + said)


def test_what_is_open_in_another_policy_goes_on(tmp_path: Path) -> None:
    """Both runs are in the middle of an event when one of them ends the process."""
    body = "n = int(view.memory[0])\nyield say('a', n=n)\nyield Remember(numbers=(n + 1,))\n" + FIRST_FIT
    paths = [
        write(tmp_path, source(f"{body}yield say('b', n=int(view.memory[0]))\n", "memory = 1"), name)
        for name in ("good.py", "same.py")
    ]
    other, same = (Session.open("dra-classroom", path, kernel=False) for path in paths)
    for one in (other, same):
        while len(one.timeline.records) < 3:
            one.step_into()
    session = opened(tmp_path, ending("os._exit(0)"))
    with pytest.raises(PolicyFileError):
        session.run(events=1000)
    for one in (other, same):
        while one.timeline.substep:
            one.step_into()
    assert other.last_records == same.last_records
    assert [record.values["n"] for record in other.last_records if "n" in record.values] == [0, 1]
    assert digest(other.timeline.state) == digest(same.timeline.state)


def test_no_process_outlives_the_program(tmp_path: Path) -> None:
    """Whether the program ends, is killed, or is killed while C code hangs."""
    path = write(tmp_path, ending("ctypes.PyDLL(None).pause()"))
    program = (
        "import sys\nfrom slotscope.model.api import Session\nfrom slotscope.model.policies.own.host import HOST\n"
        f"from slotscope.model.policies.own.trust import allow_named\nallow_named({path!r})\n"
        f"session = Session.open('dra-classroom', {path!r}, kernel=False)\nsession.run(events=20)\n"
        "print(HOST.child._process.pid, flush=True)\nsys.stdin.readline()\nsession.run(events=1000)\n"
    )
    for line, ends in ((b"", False), (b"", True), (b"on\n", True)):
        running = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert running.stdin is not None and running.stdout is not None and running.stderr is not None
        child = int(running.stdout.readline())
        running.stdin.write(line)
        running.stdin.flush()
        if line:
            sleep(1)
        assert is_alive(child)
        if ends:
            running.kill()
        _, said = running.communicate()
        assert running.returncode in ((-SIGKILL,) if ends else (0, 1))
        assert b"ResourceWarning" not in said
        until = monotonic() + 30
        while is_alive(child) and monotonic() < until:
            sleep(0.05)
        assert not is_alive(child)


def is_alive(process: int) -> bool:
    """Whether a process is running, zombies excluded."""
    try:
        status = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return status not in "ZX"


def test_a_policy_that_is_gone_is_gone_there_too(tmp_path: Path) -> None:
    session = opened(
        tmp_path, source("yield say('kept', many=len(gc.get_objects()))\nyield Reject()\n", "", f"import gc\n{HEAD}")
    )
    child = HOST.child
    for _ in range(30):
        opened(tmp_path, source()).run(events=10)
    session.run(events=30)
    assert HOST.child is child
    assert os.getpid() != child._process.pid


SLOWLY = """
from time import sleep
from slotscope.model.policies.own.watch import watched

def call():
    print("begun", flush=True)
    for _ in range(10):
        sleep(0.05)
    return "done"

print(watched(call, 2.0))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes stop on systems like Unix")
def test_a_process_that_stood_still_ran_for_no_longer() -> None:
    """A stopped process (Ctrl+Z) or a suspended machine uses up no policy's time limit."""
    with subprocess.Popen([sys.executable, "-c", SLOWLY], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGSTOP)
        sleep(2.5)
        process.send_signal(signal.SIGCONT)
        assert process.communicate()[0] == b"done\n"
