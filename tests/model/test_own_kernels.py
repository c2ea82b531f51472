"""Kernels of user policies: checked against their reference, faults reported in one line."""

from __future__ import annotations

import re
import signal
import threading
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any, Iterator

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.errors import PolicyError
from slotscope.model.jit import at_hand, load_numba, with_others
from slotscope.model.lab.runs import StraightRun
from slotscope.model.policies import stop_what_hangs
from slotscope.model.policies.own import limits
from slotscope.model.policies.own.checked import CHECKED
from slotscope.model.policies.own.host import KERNELS, RUN, LostError
from slotscope.model.policies.own.loading import executed
from slotscope.model.policies.own.loops import counted
from slotscope.model.policies.own.shared import Layout, seen
from slotscope.model.policies.own.twin import KernelTwin, kept_as
from slotscope.model.running.engine import Reason, Task, started
from slotscope.model.running.waiting import GivenUpError, waiting
from slotscope.model.running.walk import Walk
from slotscope.model.systems.state import digest
from tests.help_pages import blocks, page
from tests.own_policies import line_of, write

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).resolve().parents[2] / "resources" / "policies" / "half_compiled.py"
SECTION = page("own-policy").partition("## It can be fast\n")[2].partition("\n## ")[0]
SCENARIO = "moldable-classroom"

#: A kernel that is wrong in the way of its parameter, from an event on: one function for all, compiled once.
WRONG = """\
import numpy as np
from numba import njit
from slotscope.model.kinds.moldable.policies.base import Allocate, OwnPolicy, Reject, Remember, Section

SHARE = 2


class Parameters(Section):
    wrong: int = 0
    since: int = 0


@njit
def half(free, most):
    return min(-(-free // SHARE), most)


class Policy(OwnPolicy):
    schema = Parameters
    memory = 1

    def arrival(self, view, job):
        free = view.free(job.type)
        yield Remember(numbers=(view.memory[0] + free,))
        if free:
            yield Allocate(servers=int(half(free, self.numbers.degrees[job.type])))
        else:
            yield Reject()

    @property
    def kernel_data(self):
        return np.array(self.numbers.degrees), np.array([self.parameters.wrong, self.parameters.since])

    @staticmethod
    def kernel(state, job, type, free, data):
        most, (wrong, since) = data
        wrong *= state.number[0] + 1 >= since and free > 2
        state.memory[0] += free + (wrong == 1)
        if wrong == 2:
            return 1
        if wrong == 3:
            return 77
        if wrong == 4:
            return most[type + 9]
        while wrong == 6:
            since += 1
        for _ in range(10**13 * (wrong == 7)):
            since += 1
        many = [turn for turn in range(10**13 * (wrong == 8))]
        if wrong == 5:
            raise ValueError(free)
        return half(free, most[type])
"""

#: It sleeps in C code, where no loop iterations are counted, or ends its process there.
IN_C = WRONG.replace(
    "SHARE = 2\n",
    """\
SHARE = 2
C = ctypes.CDLL(None)
sleep, leave = C.sleep, C._exit
sleep.argtypes, leave.argtypes, leave.restype = [ctypes.c_uint], [ctypes.c_int], None
""",
).replace(
    "        if wrong == 5:\n",
    """\
        if wrong == 9:
            since += sleep(10**6)
        if wrong == 10:
            leave(3)
        if wrong == 5:
""",
)
IN_C = "import ctypes\n" + IN_C.replace(
    "servers=int(half(free, self.numbers.degrees[job.type]))",
    "servers=min(-(-free // 2), self.numbers.degrees[job.type])",
)

CIRCLE = "return other(free)\n\n\n@njit\ndef other(free):\n    return half(free, 1)"
KERNEL = "    def kernel(state, job, type, free, data):\n"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with :data:`WRONG`: one for all tests, since a process compiles the kernel of each file."""
    return write(tmp_path_factory.mktemp("own"), WRONG)


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with :data:`IN_C`: one for all tests, since functions in C are identified by their file."""
    return write(tmp_path_factory.mktemp("own"), IN_C)


def of(path: str, *, kernel: bool = True) -> Session:
    return Session.open(SCENARIO, path, kernel=kernel)


def as_by_the_reference(path: str, events: int) -> Session:
    """A run by the kernel, checked: its rows and states, also when going back, are those of the reference."""
    session, reference = of(path), of(path, kernel=False)
    for event in (events, events // 2, events):
        for one in (session, reference):
            one.seek(event)
        assert session.compiled
        assert digest(session.timeline.state) == digest(reference.timeline.state)
    assert np.array_equal(session.timeline.rows(1, events), reference.timeline.rows(1, events))
    return session


def test_the_example_of_the_page_is_the_file_and_runs_as_it_says() -> None:
    assert EXAMPLE.read_text(encoding="utf-8").partition('"""\n\n')[2] in blocks(SECTION, "python")
    session = as_by_the_reference(str(EXAMPLE), 60)
    shown = " ".join(line.text for line in session.info.pseudocode)
    assert "arrival" in shown
    assert "kernel" not in shown
    assert f"{CHECKED:,} events" in SECTION


def test_a_kernel_with_memory_helpers_and_data_is_trusted_after_a_while(file: str) -> None:
    session = as_by_the_reference(file, 60)
    line = session.timeline
    line.engine = session.bench.kernel(checked=20)
    asked = []
    line.engine._reference = Watched(session.bench.reference, asked)
    for _ in range(30):  # without events, which proves nothing of the kernel
        session.run(until=session.timeline.time)
    session.seek(100)
    assert sum(asked) == 20


class Watched:
    """An engine that records the number of events of each request."""

    def __init__(self, engine, asked) -> None:
        self._engine, self._asked = engine, asked

    def advance(self, state, tape, task):
        result = self._engine.advance(state, tape, task)
        self._asked.append(result.rows)
        return result


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (1, r"the reference decides: \d servers?; the kernel: \d servers?, but with other memory$"),
        (2, r"the reference decides: [2-9] servers; the kernel: 1 server$"),
        (3, r"the kernel gives it 77 servers, allowed: 0 \(it is rejected\) to \d$"),
        (4, "the kernel fails: IndexError: index is out of bounds$"),
        (5, r"the kernel fails: ValueError: \d+$"),
        (6, r"the kernel fails: RuntimeError: more than 100,000,000 turns of its loops in one call"),
        (7, r"the kernel fails: RuntimeError: more than 100,000,000 turns of its loops in one call"),
        (8, r"the kernel fails: RuntimeError: more than 100,000,000 turns of its loops in one call"),
    ],
)
def test_a_kernel_that_parts_from_its_reference_stops_before_that_event(
    file: str, monkeypatch: pytest.MonkeyPatch, wrong: int, said: str
) -> None:
    """Wrong from event 500 on, among the first events, which are checked."""
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(turns=2**17))
    session = of(f"{file}:wrong={wrong},since=500")
    with pytest.raises(PolicyError, match=said) as raised:
        session.run(events=CHECKED)
    event = session.timeline.event
    assert 499 <= event < 520
    assert f"at event {event + 1} (job " in raised.value.line
    assert raised.value.where.startswith(f"{file}, line ")
    reference = of(file, kernel=False)
    reference.seek(event)
    assert digest(session.timeline.state) == digest(reference.timeline.state)
    session.step()  # the reference can go on
    assert session.timeline.event == event + 1
    assert session.agreement is False
    with pytest.raises(PolicyError, match=said):
        session.run(events=CHECKED)


def test_what_the_reference_has_run_is_run_again_by_it(file: str) -> None:
    """As in the window, which starts with the reference while it compiles: a wrong kernel loses no history."""
    session = of(f"{file}:wrong=5", kernel=False)
    session.run(events=60)
    session.use_kernel()
    with pytest.raises(PolicyError, match="the kernel fails: ValueError"):
        session.run(events=60)
    event = session.timeline.event
    assert event >= 60
    session.seek(20)
    session.seek(event)
    assert session.timeline.rows(1, event)["event"].tolist() == [*range(1, event + 1)]
    session.step()
    assert len(session.timeline.rows(1, event + 1)) == event + 1
    with pytest.raises(PolicyError, match="the kernel fails: ValueError"):
        session.run(events=60)


def test_what_fails_later_is_found_with_its_event(file: str) -> None:
    """Also in long batches without history, as in experiments, the state is that before the failing event."""
    walk = Walk(of(f"{file}:wrong=5,since=90", kernel=False).bench)
    walk.use_engine(walk.bench.kernel(checked=10))
    walk.run(events=11)
    state, tape = walk.timeline.state, np.zeros(500, walk.bench.system.row_dtype)
    result = walk.timeline.engine.advance(state, tape, Task())
    assert result.fault is not None
    assert "ValueError" in result.fault.line
    assert 89 <= 11 + result.rows == int(result.state.number[0]) < 110
    with pytest.raises(PolicyError, match="ValueError"):
        StraightRun(of(f"{file}:wrong=5,since=90", kernel=False).bench).to(1e6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("        return free / 2\n", "the kernel gives float64, allowed: a whole number"),
        ("        state.free[0] = 3\n        return 1\n", "Cannot modify readonly array"),
        ("        return foo(free)\n", "Numba cannot compile the kernel: NameError: name 'foo' is not defined"),
        ("        return state.nix[0]\n", "Unknown attribute 'nix' of type MoldableState"),
    ],
)
def test_what_cannot_be_compiled_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    whole = WRONG.partition(KERNEL)[0] + KERNEL + text
    path = write(tmp_path, whole)
    with pytest.raises(PolicyError) as raised:
        of(path, kernel=False).bench.prepare()
    assert said in raised.value.line
    assert len(raised.value.line) < len(path) + 150
    where, number = raised.value.where.rsplit(" ", 1)
    assert where == f"{path}, line"
    assert 0 <= int(number) - line_of(whole, "@staticmethod") <= 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kernel(state, job, type, free, data)", "kernel(state, free)", "found kernel(state, free), allowed: kernel("),
        ("    @staticmethod\n", "", "kernel is no static function, allowed: @staticmethod"),
        ("return min(-(-free // SHARE), most)", CIRCLE, "half, which calls other, which calls half, allowed: loops"),
        ("return np.array(self.numbers.degrees),", "return 'all',", "allowed: a NumPy array of numbers, or a tuple"),
    ],
)
def test_the_shape_of_a_kernel_is_checked_when_the_file_is_loaded(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in WRONG
    with pytest.raises(PolicyError) as raised:
        of(write(tmp_path, WRONG.replace(old, new)), kernel=False)
    assert said in raised.value.line


@pytest.mark.parametrize("place", ["beside", "far"])
def test_loops_are_counted_wherever_a_function_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """In modules beside the file and elsewhere, even if Numba caches them itself; called as attributes, too."""
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(turns=50))
    monkeypatch.syspath_prepend(tmp_path / "far")
    endless = tmp_path / place / place / "endless.py"
    endless.parent.mkdir(parents=True)
    endless.write_text("from numba import njit\n\n@njit(cache=True)\ndef spin(n):\n    while n: n += 1\n    return n\n")
    (tmp_path / "beside").mkdir(exist_ok=True)
    text = f"import {place}.endless as other\ndef kernel(n):\n    return other.spin(n)\n"
    module = executed(write(tmp_path / "beside", text), text, "")
    compiled = load_numba().njit(counted(module.kernel))
    assert compiled(0) == 0
    with pytest.raises(RuntimeError, match="turns of its loops in one call") as raised:
        compiled(1)
    assert Path(raised.traceback[-1].path) == endless


@pytest.mark.parametrize("wrong", [6, 9])
def test_whoever_waits_need_not_wait_for_a_kernel(in_c: str, monkeypatch: pytest.MonkeyPatch, wrong: int) -> None:
    """Cancelling a kernel in a loop or in C code leaves the run unchanged, and the kernel is not reported as wrong."""
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(seconds=1000.0, turns=10**15))
    bench = of(f"{in_c}:wrong={wrong},since=3", kernel=False).bench
    engine, tape = bench.kernel(checked=0), np.zeros(5, bench.system.row_dtype)
    state = engine.advance(started(bench.system), tape[:1], Task()).state
    before = digest(state)
    for _ in range(2):
        with asking_again_and_again():
            result = engine.advance(state, tape, Task())
        assert isinstance(result.fault, GivenUpError)
        state = result.state
        assert digest(state) == before
    assert engine.advance(state, tape[:1], Task()).reason is Reason.LIMIT


@contextmanager
def asking_again_and_again() -> Iterator[None]:
    """Another thread keeps pressing Esc, as in the window, until the body has ended."""
    over = threading.Event()

    def press() -> None:
        while not over.wait(0.3):
            stop_what_hangs()

    presser = threading.Thread(target=press)
    presser.start()
    try:
        with waiting(lambda _: None, lambda: 1):
            yield
    finally:
        over.set()
        presser.join()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (9, r"the kernel: code in C that it calls does not return in \d seconds, allowed: 2 seconds$"),
        (10, r"the kernel: it ended its process \(exit status 3\)"),
    ],
)
def test_a_kernel_that_no_question_reaches_ends_with_its_process(
    in_c: str, monkeypatch: pytest.MonkeyPatch, wrong: int, said: str
) -> None:
    """Nothing else is lost: the run is at the state before that event, and the next process runs other kernels.

    The process is waited for only once.
    """
    lost: list[str] = []
    ask = KERNELS.ask

    def asked(verb: str, *arguments: Any, **others: Any) -> Any:
        try:
            return ask(verb, *arguments, **others)
        except LostError:
            lost.append(verb)
            raise

    monkeypatch.setattr(KERNELS, "ask", asked)
    monkeypatch.setattr(limits, "LIMITS", limits.LIMITS._replace(seconds=2.0, seconds_of_grace=1.0))
    bench = of(f"{in_c}:wrong={wrong},since=40", kernel=False).bench
    engine, tape = bench.kernel(checked=0), np.zeros(100, bench.system.row_dtype)
    result = engine.advance(started(bench.system), tape, Task())
    assert result.fault is not None
    assert lost == [RUN]
    assert re.search(said, result.fault.line)
    assert 39 <= result.rows < 60
    assert f"at event {result.rows + 1} (job " in result.fault.line
    sound = of(f"{in_c}:wrong=0", kernel=False).bench
    known = sound.reference.advance(started(sound.system), np.zeros(result.rows, tape.dtype), Task())
    assert digest(known.state) == digest(result.state)
    whole = sound.kernel(checked=0).advance(started(sound.system), tape, Task())
    assert whole.rows == len(tape)


def test_esc_while_it_is_compiled_spoils_nothing(tmp_path: Path) -> None:
    text = f"{IN_C}# {token_hex()}\n"  # in no cache
    bench = of(f"{write(tmp_path, text)}:wrong=0", kernel=False).bench
    engine, tape = bench.kernel(checked=0), np.zeros(5, bench.system.row_dtype)
    with asking_again_and_again():
        stopped = engine.advance(started(bench.system), tape, Task())
    assert isinstance(stopped.fault, GivenUpError)
    assert engine.advance(started(bench.system), tape, Task()).rows == len(tape)


def test_ctrl_c_ends_a_kernel(in_c: str) -> None:
    bench = of(f"{in_c}:wrong=9,since=3", kernel=False).bench
    engine, tape = bench.kernel(checked=0), np.zeros(5, bench.system.row_dtype)
    state = engine.advance(started(bench.system), tape[:1], Task()).state
    presser = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        engine.advance(state, tape, Task())
    presser.join()


def test_verify_compares_as_many_events_as_it_is_asked_for(file: str, slotscope) -> None:
    said = slotscope(f"verify {SCENARIO} --events 60 --policy", f"{file}:wrong=2,since=30")
    assert said.code == 1
    assert "DISAGREE" in said.out
    assert said.out.endswith("the kernel: 1 server\n")
    assert "reference and kernel: agree" in slotscope(f"verify {SCENARIO} --events 60 --policy", file).out


def test_compiled_code_is_kept_by_all_that_it_is_made_of(tmp_path: Path) -> None:
    """The cache key covers the file's text and its variables' values; no key if a value cannot be identified."""
    texts = (WRONG, WRONG + "# changed\n", WRONG.replace("SHARE = 2", "SHARE = int(np.array([3])[0])"))
    names = [kept_as(function_in(write(tmp_path, text))) for text in texts]
    assert len(set(names)) == len(texts)
    assert all(names)
    unknown = WRONG.replace("SHARE = 2", "SHARE = (2,)[0]\nOTHER = (1, [2])").replace(
        "most, (wrong", "OTHER\n        most, (wrong"
    )
    assert not kept_as(function_in(write(tmp_path, unknown)))


def test_a_kernel_that_calls_c_is_found_again_by_the_next_process(in_c: str) -> None:
    """Cached code refers to the C function by a symbol, which each process resolves to an address."""
    bench = of(f"{in_c}:wrong=0", kernel=False).bench
    engine, tape = bench.kernel(checked=0), np.zeros(5, bench.system.row_dtype)
    assert engine.advance(started(bench.system), tape, Task()).rows == len(tape)
    brought = bench.system.policy.brought
    twin = KernelTwin(brought.source, brought.line)
    assert at_hand(twin.inside(type(engine._kernel)))
    elsewhere = function_in(write(Path(in_c).parent, IN_C, "elsewhere.py"))
    assert elsewhere.__globals__["sleep"].symbol != twin.function.__globals__["sleep"].symbol


def test_what_is_on_disk_was_found_to_be_sound_before(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading from the cache skips the check of the kernel alone; other arguments need compiling, and the check."""
    bench = of(file, kernel=False).bench
    engine, brought = bench.kernel(checked=0), bench.system.policy.brought
    engine.advance(started(bench.system), np.zeros(5, bench.system.row_dtype), Task())
    room, far = type(engine._kernel), engine._kernel._far
    layout = Layout((far.example, (*far._table.given, 0.0, *far._table.results)))
    example, given = seen(layout.told, np.zeros(layout.size, np.uint8))

    def check(*_: object) -> None:
        raise PolicyError("it is looked at")

    monkeypatch.setattr(KernelTwin, "check", check)
    twin = KernelTwin(brought.source, brought.line)
    twin.compile(room, example, given)
    with pytest.raises(PolicyError, match="looked at"):
        twin.compile(room, example, (*given[:-1], 1.0))


def function_in(path: str) -> Any:
    """The kernel of a file as the kernels' process loads it."""
    brought = of(path, kernel=False).bench.system.policy.brought
    return KernelTwin(brought.source, brought.line).function


def test_compiled_code_is_found_again_by_a_file_elsewhere(tmp_path: Path, file: str) -> None:
    """The key ignores the address and file in a comprehension's code constant, but not the values that it uses."""
    text = WRONG.replace("range(10**13 * (wrong == 8))", "range(wrong // SHARE)")
    assert (name := kept_as(function_in(file)))
    assert kept_as(function_in(write(tmp_path, WRONG, "elsewhere.py"))) == name
    function = function_in(write(tmp_path, text))
    before = kept_as(function)
    function.__globals__["SHARE"] = 3
    assert kept_as(function) != before


def test_the_programs_own_loop_stays_as_it_is() -> None:
    """A kernel is put into a copy of the loop; functions that do not call it are shared."""
    copy = with_others(outer, {inner: other})
    assert (copy(1), outer(1)) == (201, 3)
    assert with_others(aside, {inner: other}) is aside


def inner(x):
    return x + 1


def other(x):
    return x + 199


def aside(x):
    return x


def outer(x):
    return inner(aside(x)) + 1
