"""Faulty user policies: one line says where and why, and nothing of the run is lost."""

from __future__ import annotations

import threading
from pathlib import Path
from time import monotonic, sleep

import pytest

from slotscope.model.api import Session
from slotscope.model.errors import PolicyError, PolicyFileError
from slotscope.model.kinds.reservation.rows import FLAG_ADMITTED
from slotscope.model.policies import stop_what_hangs
from slotscope.model.policies.own import file as policy_file
from slotscope.model.policies.own import limits, watch
from slotscope.model.systems.state import digest
from tests.own_policies import FIRST_FIT, HEAD, line_of, opened, repeated, source, write

pytestmark = pytest.mark.slow

#: The event at which the policies below go wrong.
BAD = 40

WHEN = f"if view.event + 1 >= {BAD}:\n"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set short limits."""
    changed = limits.LIMITS._replace(seconds=0.3, seconds_to_load=1.0, substeps=500)
    monkeypatch.setattr(limits, "LIMITS", changed)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the sub-steps, but not the time, so that a slow call ends by itself even on a busy machine."""
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(substeps=500))


def refused(path: str) -> str:
    """The line of the error with which a file is refused."""
    with pytest.raises(PolicyFileError) as raised:
        Session.open("dra-classroom", path, kernel=False)
    line = raised.value.line
    assert len(line.splitlines()) == 1
    assert line.startswith(path)
    return line.removeprefix(path)


class TestLoading:
    """Files that are refused when they are loaded."""

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("x = 1\n\nif True\n    y = 2\n", ", line 3, column 8: SyntaxError: expected ':'"),
            ("\tx = 1\n  y = 2\n", ", line 1, column 1: IndentationError: unexpected indent"),
            ("x = '\0'\n", "null"),
            ("(" * 3000 + ")" * 3000, "too many nested parentheses"),
            (
                "import not_there_at_all\n",
                ", line 1: while loading: ModuleNotFoundError: No module "
                "named 'not_there_at_all'; allowed: modules that are installed where slotscope runs",
            ),
            ("\n\nraise ValueError('no\\nluck')\n", "line 3: while loading: ValueError: no luck"),
            ("import sys\nsys.exit(0)\n", ", line 2: while loading: it leaves the program"),
            ("raise KeyboardInterrupt\n", ", line 1: while loading: KeyboardInterrupt"),
            ("x = 1\n", ": found no class, allowed: a class called Policy"),
            ("class A: pass\nclass B: pass\n", ": found the classes A, B, allowed: a class called"),
            ("Policy = 3\n", ": found a Policy that is no class"),
            (
                "class Policy:\n    def start(self, view):\n        yield\n",
                ", line 2: the class Policy has no method arrival, allowed: def arrival(self, view, ",
            ),
            ("   \n\n", ": found an empty file"),
        ],
    )
    def test_the_file(self, tmp_path: Path, text: str, said: str) -> None:
        assert said in refused(write(tmp_path, text))

    @pytest.mark.parametrize(
        ("rest", "said"),
        [
            (
                "def departure(self, view):\n    yield\n",
                "found departure(self, view), allowed: departure(self, view, job)",
            ),
            ("def start(self, view, job):\n    yield\n", "found start(self, view, job), allowed: start(self, view)"),
            ("update = 3\n", "update is no method, allowed: def update(self, view)"),
            ("async def departure(self, view, job):\n    yield\n", "found async def departure"),
            ("schema = dict\n", "the schema is no pydantic model"),
            ("reserves_slots = 1\n", "reserves_slots is of the class int, allowed: bool"),
            ("title = None\n", "title is of the class NoneType, allowed: str"),
            ("memory = -1\n", "memory is -1, allowed: a whole number from 0 to 1000000"),
            ("memory = 'two'\n", "memory is 'two', allowed"),
            ("pseudocode = ['x']\n", "the pseudocode is no tuple of PseudocodeLine"),
            (
                "def __init__(self, numbers):\n    pass\n",
                "found Policy.__init__(numbers), allowed: __init__(self, numbers, parameters)",
            ),
            (
                "def __init__(self, numbers, parameters):\n    self.x = numbers.nothing\n",
                "while loading: AttributeError: 'ReservationNumbers' object has no attribute",
            ),
        ],
    )
    def test_the_class(self, tmp_path: Path, rest: str, said: str) -> None:
        assert said in refused(write(tmp_path, source(rest=rest)))

    @pytest.mark.parametrize("body", ["pass\n", "Admit(server=0)\n", "'''Doc.'''\n"])
    def test_an_arrival_without_yield(self, tmp_path: Path, body: str) -> None:
        text = source(body)
        line = line_of(text, "def arrival")
        said = refused(write(tmp_path, text))
        assert said.startswith(f", line {line}: arrival has no yield, allowed: a generator")

    def test_no_file(self, tmp_path: Path) -> None:
        assert refused(str(tmp_path / "gone.py")) == ": no such file"
        (tmp_path / "folder.py").mkdir()
        assert "found a directory" in refused(str(tmp_path / "folder.py"))

    def test_other_bytes_than_text(self, tmp_path: Path) -> None:
        path = tmp_path / "latin.py"
        path.write_bytes(b"x = 'caf\xe9'\n")
        assert "found the byte 0xe9 at position 8, which is not UTF-8" in refused(str(path))
        path.write_bytes(b"# " + b"x" * policy_file.MOST_BYTES)
        assert "allowed: at most 1,000,000" in refused(str(path))

    def test_a_loop_without_end(self, tmp_path: Path, short: None) -> None:
        said = refused(write(tmp_path, "x = 1\nwhile True:\n    x += 1\n"))
        assert "to load, allowed: 1; is this a loop without end?" in said
        assert said.startswith((", line 2", ", line 3"))

    def test_a_name_that_is_no_path(self) -> None:
        with pytest.raises(PolicyError, match=r"or give the path of a \.py file"):
            Session.open("dra-classroom", "mine", kernel=False)


#: What the policy does at event BAD, and the error's message.
FAULTS: dict[str, tuple[str, str]] = {
    "exception": ("x = 1 / 0", "ZeroDivisionError: division by zero"),
    "own exception": ("class E(Exception):\n    def __str__(self): 1 / 0\nraise E", ": E"),
    "late import": (
        "import mine",
        "No module named 'mine'; install it where slotscope runs, or put it beside the file and import it at its head",
    ),
    "exit": ("import sys\nsys.exit(3)", "it leaves the program (SystemExit)"),
    "copy": ("import os\nos.fork()", "RuntimeError: a policy cannot copy its process"),
    "interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "generator exit": ("raise GeneratorExit", "GeneratorExit"),
    "recursion": ("f = lambda g: g(g)\nf(f)", "RecursionError"),
    "loop with yields": ("while True: yield say('on')", "more than 500 sub-steps in one event"),
    "loop without": ("while True: pass", "is this a loop without end?"),
    "loop that holds on": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "is this a loop without end?",
    ),
    "loop at the end": (
        "while True:\n    try:\n        while True: pass\n    finally: continue",
        "is this a loop without end?",
    ),
    "write": ("view.placement[0, 0] = 5", "what a policy is shown cannot be changed"),
    "write below": (
        "a = view.placement\nb = a.base\nb.flags.writeable = True\n"
        "place = (a.ctypes.data - b.ctypes.data)\nb[place] += 1\nyield say('done')",
        "what a policy is shown cannot be changed",
    ),
    "write flags": (
        "view.jobs_in_system.base.flags.writeable = True\na = view.jobs_in_system\n"
        "a.flags.writeable = True\na[0] = 999\nyield Reject()",
        "what a policy is shown cannot be changed",
    ),
    "set view": ("view.numbers = None", "view.numbers cannot be set"),
    "numbers": (
        "object.__setattr__(view.numbers, 'servers', 1)\nyield Reject()\nreturn",
        "it changes what it is shown: servers of the numbers",
    ),
    "numbers' arrays": (
        "a = view.numbers.capacity\na.flags.writeable = True\na[:] = 10**6\nyield Reject()\nreturn",
        "it changes what it is shown: capacity of the numbers",
    ),
    "attribute": (
        "self.count = 1\nyield Reject()\nreturn",
        "it changes self.count, which a rewind cannot take back; allowed: memory = m",
    ),
    "attribute within": ("self.seen.append(1)\nyield Reject()\nreturn", "it changes self.seen"),
    "variable": ("global TOTAL\nTOTAL = 1\nyield Reject()\nreturn", "changes the variable TOTAL"),
    "default": ("self.note(job)\nyield Reject()\nreturn", "it changes the variable Policy"),
    "no decision": ("return", "it neither admits nor rejects the arriving job"),
    "two decisions": ("yield Reject()\nyield Reject()", "none is waiting for a decision"),
    "admit twice": (
        "for _ in range(2): yield Admit(server=view.with_room(job.type)[0])",
        "none is waiting for a decision",
    ),
    "no such server": ("yield Admit(server=view.servers)", "allowed: a whole number from 0 to"),
    "no server": ("yield Admit()", "server of Admit is -1, allowed: a whole number from 0 to"),
    "half a server": ("yield Admit(server=1.5)", "server of Admit is 1.5, allowed: a whole"),
    "server's name": ("yield Admit(server='1')", "server of Admit is '1', allowed: a whole"),
    "no record": ("yield 7", "it yields 7, allowed: Admit, Reject, Migrate"),
    "nothing": ("yield", "it yields None, allowed: Admit"),
    "class": ("yield Reject", "it yields the class Reject; write Reject(...)"),
    "field without its name": ("yield Admit(0)", "found Admit(0), allowed: Admit(server=...), each field by its name"),
    "generator": ("yield (x for x in ())", "write 'yield from'"),
    "other record": ("class Mine(Admit): pass\nyield Mine(server=0)", "object of the class Mine"),
    "own kind": ("yield Record('arrival')", "kind 'arrival', which the program itself uses"),
    "known kind": ("yield Record('ranked', None, {'i': 1})", "without the value 'held'"),
    "known name": ("yield say('x', type='big')", "the value 'type' is 'big', allowed: a whole"),
    "no values": ("yield Record('x', None, 3)", "the values of Record are 3, allowed: a dict"),
    "no such field": ("yield Admit(serve=0)", "found Admit(serve=...), allowed: server, line, values"),
    "no kind": ("yield Record(5)", "the kind of a Record is 5, allowed: a text"),
    "no job": (
        "yield Migrate(job=10**9, source=0, target=1)",
        "it moves job 1000000000, which is not on server 1: it is on no server",
    ),
    "job gone": ("yield Preempt(job=0, server=0)", "which is not on server 1"),
    "same server": (
        "s = int(np.argmax(view.placement.sum(axis=1)))\n"
        "n = max(view.newest_job(s, j) for j in range(view.types))\n"
        "yield Migrate(job=n, source=s, target=s)",
        "where it is already",
    ),
    "reassign": ("yield Reassign(server=0, configuration=(0,) * view.types)", "but reserves no slots"),
    "memory": ("yield Remember(numbers=(1,))", "its class declares memory = 0"),
    "past": ("yield UpdateAt(time=view.now)", "which is not in the future"),
    "never": ("yield UpdateAt(time='soon')", "time of UpdateAt is 'soon', allowed: a number"),
}

REST = """\
seen = []

def __init__(self, numbers, parameters):
    super().__init__(numbers, parameters)
    self.seen = []

def note(self, job, known=[]):
    known.append(job)

"""


def faulty(what: str, when: str = WHEN) -> str:
    """First fit that executes *what* at event BAD."""
    wrong = "".join(f"    {line}\n" for line in what.splitlines())
    return source(f"{when}{wrong}{FIRST_FIT}", REST, f"TOTAL = 0\n{HEAD}")


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_stops_the_run_before_its_event(tmp_path: Path, request: pytest.FixtureRequest, name: str) -> None:
    what, said = FAULTS[name]
    request.getfixturevalue("short" if "loop without end" in said else "few")
    session = opened(tmp_path, faulty(what))
    good = opened(tmp_path, source(rest=REST), "dra-classroom")
    with pytest.raises(PolicyFileError) as raised:
        session.run(events=1000)
    line = raised.value.line
    assert said in line
    assert len(line.splitlines()) == 1
    assert line.startswith(f"{tmp_path / 'mine.py'}, line ")
    event = session.timeline.event
    assert event >= BAD - 1
    assert f"at event {event + 1} (arrival of a job of type " in line
    # Nothing is lost: the state is that before the event, history and frames are complete.
    good.run(events=event)
    assert digest(session.timeline.state) == digest(good.timeline.state)
    session.seek(10)
    session.seek(event)
    assert len(session.frame().rows) == event
    # It fails again in the same way, and can be stepped into up to the fault.
    with pytest.raises(PolicyFileError) as again:
        session.step()
    assert session.timeline.substep == 0
    if "seconds" not in line:
        assert again.value.line == line


def test_the_line_is_the_one_in_the_file(tmp_path: Path, short: None) -> None:
    for name in ("exception", "no such server", "loop without", "write", "half a server"):
        what = FAULTS[name][0]
        text = faulty(what)
        session = opened(tmp_path, text)
        with pytest.raises(PolicyFileError) as raised:
            session.run(events=1000)
        assert raised.value.where == f"{tmp_path / 'mine.py'}, line {line_of(text, what)}"


def test_one_steps_up_to_the_fault_and_back(tmp_path: Path) -> None:
    session = opened(tmp_path, faulty("yield say('now')\nyield Admit(server=99)"))
    with pytest.raises(PolicyFileError):
        session.run()
    event = session.timeline.event
    session.step_into()
    session.step_into()
    for _ in range(2):
        with pytest.raises(PolicyFileError, match="server of Admit is 99"):
            session.step_into()
        assert session.timeline.substep == 2
        assert session.timeline.records[-1].kind == "now"
        assert session.frame().records == session.timeline.records
    with pytest.raises(PolicyFileError):
        session.run()
    session.step_back_into()
    assert (session.timeline.event, session.timeline.substep) == (event, 1)
    session.step_back()
    session.step_back()
    assert (session.timeline.event, session.timeline.substep) == (event - 1, 0)
    session.step()
    assert session.timeline.event == event


def test_a_fault_at_the_start_leaves_nothing_open(tmp_path: Path) -> None:
    rest = "def start(self, view):\n    yield Admit(server=0)\n"
    with pytest.raises(PolicyFileError, match=r"at the start: .* none is waiting"):
        opened(tmp_path, source(rest=rest))


@pytest.mark.parametrize(
    ("occasion", "said"),
    [
        ("def departure(self, view, job):\n    yield Admit(server=0)\n", "none is waiting"),
        ("def departure(self, view, job):\n    return [Reject()]\n", "departure returns list, allowed"),
        ("def departure(self, view, job):\n    1 / 0\n    yield\n", "(departure of a job of type"),
        (
            "def start(self, view):\n    yield UpdateAt(time=0.5)\n\ndef update(self, view):\n    yield Reject()\n",
            "(update, t = 0.5)",
        ),
    ],
)
def test_other_occasions(tmp_path: Path, occasion: str, said: str) -> None:
    session = opened(tmp_path, source(rest=occasion))
    with pytest.raises(PolicyFileError) as raised:
        session.run(events=300)
    assert said in raised.value.line


def test_what_an_abandoned_event_did_is_forgotten(tmp_path: Path) -> None:
    """Attributes changed in an abandoned event are restored before the next attempt."""
    arrival = "self.seen.append(job.number)\nyield say('noted', number=len(self.seen))\nself.seen.clear()\n" + FIRST_FIT
    session = opened(tmp_path, source(arrival, REST))
    while session.timeline.next_event is not None and session.timeline.next_event.kind != 1:
        session.step()
    for _ in range(3):
        session.step_into()
        session.step_into()
        assert session.timeline.records[-1].values == {"number": 1}
        session.step_back()
        session.seek(session.timeline.event)


@pytest.mark.parametrize("what", ["while True: pass", "while True: yield say('on')"])
def test_esc_stops_a_loop_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(substeps=10**9))  # a fast machine would reach it first
    session = opened(tmp_path, faulty(what))
    session.run(events=BAD - 1)  # not interrupted: on a busy machine an earlier event may be slow enough for it, too
    with pytest.raises(PolicyFileError, match=r"at event 4\d.* as asked"):
        repeated(lambda: session.run(events=1000), stop_what_hangs)
    assert BAD - 1 <= session.timeline.event < BAD + 9


@pytest.mark.parametrize("eats", ["while True: kept.append(bytearray(2**24))", "np.ones(2**27)", "[0] * 2**27"])
def test_who_eats_memory_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eats: str) -> None:
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(memory=2.0**29, seconds=60.0))
    eats = f"kept = []\n{eats}\n"
    text = faulty(eats)
    session = opened(tmp_path, text)
    for _ in range(2):
        with pytest.raises(PolicyFileError, match=r"at event 4\d .* it needs more than 0\.5 GiB of memory") as raised:
            session.run(events=1000)
        assert raised.value.where == f"{tmp_path / 'mine.py'}, line {line_of(text, eats.splitlines()[1])}"
    assert BAD - 1 <= session.timeline.event < BAD + 9
    said = refused(write(tmp_path, f"import numpy as np\n{eats}"))
    assert said.startswith(", line 3: while loading: it needs more than 0.5 GiB of memory")


def test_who_eats_memory_until_the_time_is_over_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(seconds=0.5))
    session = opened(tmp_path, faulty("kept = []\nwhile True: kept.append(bytearray(2**22))\n"))
    with pytest.raises(PolicyFileError, match=r"at event 4\d .* it fills memory, \d\.\d GiB more in"):
        session.run(events=1000)


def test_the_watchdog_hits_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that end just when their time is over: the code after them is never interrupted."""
    monkeypatch.setattr(watch, "LOOK_EVERY", 0.0005)
    dog = watch._Watchdog()
    monkeypatch.setattr(watch, "_watchdog", dog)
    stopped = 0
    for turn in range(400):
        try:
            watch.watched(lambda: sleep(0.001), 0.0005 + turn % 7 * 0.0002)
        except watch.CodeStoppedError:
            stopped += 1
        for _ in range(200):
            pass
    assert 0 < stopped <= 400
    assert not dog._entries


def test_turns_are_hit_within_their_calls_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls in a turn that end just when their time is over, and Esc at any time: later code is never interrupted."""
    monkeypatch.setattr(watch, "LOOK_EVERY", 0.0005)
    monkeypatch.setattr(watch, "NOTICEABLE", 0.0005)
    dog = watch._Watchdog()
    monkeypatch.setattr(watch, "_watchdog", dog)
    stopped, asked, over = 0, 0, threading.Event()

    def press() -> None:
        while not over.wait(0.003):
            watch.interrupt()

    presses = threading.Thread(target=press)
    presses.start()
    try:
        for turn in range(400):
            monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(seconds=0.0005 + turn % 9 * 0.0004))
            try:
                watch.watched_in_turn(lambda: sleep(0.001), monotonic())
            except watch.CodeStoppedError as error:
                stopped, asked = stopped + 1, asked + error.asked
            for _ in range(200):
                pass
    finally:
        over.set()
        presses.join()
    assert 0 < asked < stopped <= 400
    assert [type(entry) for entry in dog._entries.values()] == [watch.Turn]
    assert not dog._going_on()


def test_a_turn_is_watched_after_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watchdog's thread ends when idle, even if a turn is still registered; the next call restarts it."""
    monkeypatch.setattr(watch, "LOOK_EVERY", 0.001)
    monkeypatch.setattr(watch, "IDLE_SECONDS", 0.01)
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(seconds=0.02))
    dog = watch._Watchdog()
    monkeypatch.setattr(watch, "_watchdog", dog)
    for _ in range(3):
        assert watch.watched_in_turn(lambda: 1, monotonic()) == 1
        while dog._thread is not None:
            sleep(0.001)
        with pytest.raises(watch.CodeStoppedError) as raised:
            watch.watched_in_turn(lambda: [sleep(0.001) for _ in range(10_000)], monotonic())
        assert not raised.value.asked
        assert raised.value.seconds >= 0.02


def test_faults_of_one_run_do_not_reach_another(tmp_path: Path) -> None:
    """Two sessions of one file: each has its own variables of the file."""
    text = faulty("TABLE.append(1)\nyield Reject()\nreturn").replace("TOTAL = 0", "TABLE = []")
    first, second = opened(tmp_path, text), opened(tmp_path, text)
    with pytest.raises(PolicyFileError, match="it changes the variable TABLE"):
        first.run()
    second.run(events=BAD - 2)
    assert second.timeline.event == BAD - 2
    another = first.continued(first.bench.scenario, "dra")
    another.run(events=20)
    assert another.timeline.event == first.timeline.event + 20
    assert any(another.frame().rows["flags"] & FLAG_ADMITTED)
