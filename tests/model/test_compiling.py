"""Compiled code is cached by its meaning: found from any folder, and after any change that leaves the meaning."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from fcntl import LOCK_EX, flock
from importlib import import_module
from pathlib import Path
from subprocess import run
from threading import Thread
from types import ModuleType

import numba
import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.compiling.inlining import InlinedCompiler, KernelCompiler
from slotscope.model.compiling.keeping import KeptCode
from slotscope.model.compiling.meaning import MeaningUnknownError, meaning_of_function, meant_by
from slotscope.model.compiling.pages import give_back_libraries
from slotscope.model.jit import compiled_anew, jitable, load_numba
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.kinds.spec import kind_named
from slotscope.model.systems.state import digest

SOURCE = '''"""A module."""
from collections import namedtuple
from enum import IntEnum
import numpy as np

FACTOR = 3
TABLE = np.array([1, 2])
NEVER = 4

class Step(IntEnum):
    ONE = 1

Pair = namedtuple("Pair", "left right")

def inner(number):
    """What *kernel* calls."""
    return FACTOR * number + TABLE[0]

def kernel(number, pair=Pair(1, 2)):
    """A kernel."""
    other = lambda x: x + 1  # as said
    return inner(number) + other(Step.ONE.value) + pair.left
'''


def module_of(folder, source=SOURCE):
    """The source as a module that claims a file in *folder*; an import could confuse cached sources of equal size."""
    module = ModuleType("planted")
    sys.modules["planted"] = module
    exec(compile(source, str(folder / "planted.py"), "exec"), module.__dict__)
    return module


def meaning(folder, source=SOURCE):
    return meaning_of_function(module_of(folder, source).kernel)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A module.", "A module,\nmoved down."),
        ("What *kernel* calls.", "Called by the kernel."),
        ("A kernel.", "A kernel;\n\n    at length.\n    "),
        ("  # as said", ""),
        ("NEVER = 4", "NEVER = 5\n\ndef never():\n    pass"),
    ],
)
def test_what_a_kernel_does_not_use_is_no_reason(tmp_path, old, new):
    assert old in SOURCE
    assert meaning(tmp_path / "b", SOURCE.replace(old, new)) == meaning(tmp_path / "a")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("FACTOR = 3", "FACTOR = 4"),
        ("FACTOR = 3", "FACTOR = 3.0"),
        ("[1, 2]", "[2, 2]"),
        ("[1, 2]", "[1, 2], np.int32"),
        ("ONE = 1", "ONE = 2"),
        ('"left right"', '"right left"'),
        ("Pair(1, 2)", "Pair(2, 2)"),
        ("* number", "- number"),
        ("x + 1", "x + 2"),
        ("pair.left", "pair.right"),
    ],
)
def test_what_a_kernel_uses_is_one(tmp_path, old, new):
    assert old in SOURCE
    assert meaning(tmp_path, SOURCE.replace(old, new)) != meaning(tmp_path)


@pytest.mark.parametrize("stand_in", [lambda: 0, {}.get], ids=["of Python", "built in"])
def test_what_stands_behind_a_function_counts(stand_in):
    before = meaning_of_function(stand_in)
    meant_by(stand_in, lambda: 1)
    assert meaning_of_function(stand_in) != before


def test_what_cannot_be_compared_has_no_meaning():
    unknown = object()
    with pytest.raises(MeaningUnknownError, match="found object"):
        meaning_of_function(lambda: unknown)


@pytest.mark.parametrize("system", list(ROOMS))
def test_every_kernel_of_the_program_has_a_meaning(system):
    for module, name in set(kind_named(system).kernels.values()):
        assert meaning_of_function(getattr(import_module(module), name).kernel)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A function that compiles the planted kernel from a folder, and returns whether its code was in the cache."""
    load_numba()  # first: it lets Numba read its settings anew
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))

    def found(folder, source, *arguments):
        module = module_of(tmp_path / folder, source)
        jitable(module.inner)
        twin = compiled_anew(module.kernel, kept=True)
        assert twin(*arguments) == module.kernel(*arguments)
        return sum(twin.stats.cache_hits.values()) == 1

    return found


#: A kernel without anything that Numba compiles slowly.
SMALL = (
    "FACTOR = 3\ndef inner(number):\n    return FACTOR * number\ndef kernel(number):\n    return inner(number) + 1\n"
)


def test_code_is_found_in_another_folder_and_only_where_it_is_the_same(kept, tmp_path):
    assert not kept("a", SMALL, 4)
    assert kept("b", f'"""Words."""\n\n{SMALL}', 4)
    assert not kept("b", SMALL.replace("3", "5"), 4)
    for file in (tmp_path / "kept").glob("*.nbc"):
        file.write_bytes(b"damaged")
    assert not kept("a", SMALL, 4)
    assert kept("a", SMALL, 4)


def test_machine_code_is_made_of_the_kernel_alone(tmp_path):
    """No code of its own for an inlined function, and no C wrapper, which nothing calls: both only take time."""
    module = module_of(tmp_path, SMALL)
    jitable(module.inner)
    twin = compiled_anew(module.kernel, kept=False)
    assert twin(4) == 13
    (code,) = (one.library for one in twin.overloads.values())
    made = {name for name in code.codegen._engine._defined_symbols if "planted" in name and "NumbaEnv" not in name}
    assert not [name for name in made if "inner" in name or name.startswith("cfunc")]
    assert {"cpython" in name for name in made} == {True, False}  # the kernel, and its wrapper for Python


#: *kernel* calls *inner* directly, and again through *outer*.
TWICE = (
    "FACTOR = 3\ndef inner(number):\n    return FACTOR * number\ndef outer(number):\n    return inner(number)\n"
    "def kernel(number):\n    return inner(number) + outer(number)\n"
)


def test_what_a_kernel_and_others_call_is_compiled_once(tmp_path, monkeypatch):
    seen, compile_extra = [], InlinedCompiler.compile_extra
    monkeypatch.setattr(
        InlinedCompiler,
        "compile_extra",
        lambda compiler, function: (seen.append(function.__name__), compile_extra(compiler, function))[1],
    )
    module = module_of(tmp_path, TWICE)
    jitable(module.inner), jitable(module.outer)
    assert compiled_anew(module.kernel, kept=False)(4) == 24
    assert sorted(seen) == ["inner", "outer"]


@pytest.mark.parametrize("collects", [True, False])
@pytest.mark.parametrize("source", [SMALL, SMALL.replace("+ 1", "+ nix")])
def test_nothing_is_collected_while_a_kernel_is_compiled(tmp_path, monkeypatch, collects, source):
    seen, define_pipelines = [], KernelCompiler.define_pipelines
    monkeypatch.setattr(
        KernelCompiler,
        "define_pipelines",
        lambda compiler: (seen.append(gc.isenabled()), define_pipelines(compiler))[1],
    )
    module = module_of(tmp_path, source)
    jitable(module.inner)
    twin = compiled_anew(module.kernel, kept=False)
    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        twin(4)
    except numba.TypingError:
        assert "nix" in source
    finally:
        now = gc.isenabled()
        (gc.enable if before else gc.disable)()
    assert (seen, now) == ([False], collects)


def test_what_another_process_compiles_is_waited_for(kept, tmp_path, monkeypatch):
    assert not kept("a", SMALL, 4)
    folder, elsewhere, found = tmp_path / "kept", tmp_path / "elsewhere", []
    (index,) = folder.glob("*.nbi")
    elsewhere.mkdir()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(elsewhere))
    lock = (elsewhere / index.name).with_suffix(".lock")
    with lock.open("w") as another:  # stands for the other process, which has just compiled the same
        flock(another, LOCK_EX)
        waits = Thread(target=lambda: found.append(kept("b", SMALL, 4)))
        waits.start()
        waits.join(0.5)
        assert waits.is_alive()
        shutil.copytree(folder, elsewhere, dirs_exist_ok=True)
    waits.join(30)
    assert found == [True]
    assert not lock.exists()


def test_the_order_of_fields_tells_code_apart(kept):
    """Numba compiles ``pair.left`` to an index, and for two classes of one name only the fields' order differs."""
    head = 'from collections import namedtuple\nPair = namedtuple("Pair", "left right")\n'
    source = head + "def inner(pair):\n    return pair.left\ndef kernel(pair):\n    return inner(pair)\n"
    cache = KeptCode.__new__(KeptCode)
    codegen = type("", (), {"magic_tuple": staticmethod(lambda: ("x86",))})
    keys = set()
    for text in (source, source.replace("left right", "right left")):
        scope: dict = {"__name__": "planted"}
        exec(text, scope)
        keys.add(cache._index_key((numba.typeof(scope["Pair"](np.int64(1), np.int64(2))),), codegen))
    assert len(keys) == 2


def test_code_is_kept_in_the_programs_folder_where_numba_was_imported_before(tmp_path):
    lines = (
        "import numba",
        "from slotscope.model.jit import load_numba",
        "load_numba()",
        "print(numba.config.CACHE_DIR)",
    )
    own = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    given = [sys.executable, "-c", "\n".join(lines)]
    said = run(given, env={**own, "XDG_CACHE_HOME": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert Path(said.stdout.strip()) == tmp_path / "slotscope" / "compiled"


#: Runs a scenario compiled; prints the state's digest, and whether Numba loaded what it compiles with.
LOADS = """
import sys
from slotscope.model.api import Session
from slotscope.model.jit import load_numba
from slotscope.model.systems.state import digest
session = Session.open(sys.argv[1], kernel=False)
assert session.use_kernel()
session.run(events=200)
print(session.timeline.engine.name, digest(session.timeline.state), "numba.cpython.mathimpl" in sys.modules)
print(load_numba().njit(lambda number: [number + 1, 2][0])(1), "numba.cpython.mathimpl" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["dra-classroom", "queues-wide-jobs", "jrs-two-phases", "moldable-sublinear"])
def test_what_is_kept_is_loaded_without_all_that_numba_compiles_with(scenario):
    """The state is the reference's, and new functions can still be compiled in the same process."""
    given = [sys.executable, "-c", LOADS, scenario]
    reference = Session.open(scenario, kernel=False)
    reference.run(events=200)
    run(given, capture_output=True, check=True)  # this run may still compile
    said = run(given, capture_output=True, text=True, check=True).stdout.split()
    assert said == ["kernel", digest(reference.timeline.state), "False", "2", "True"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="told by Linux alone")
def test_the_compiler_gives_its_memory_back_and_works_on():
    binding = load_numba().njit(lambda number: number + 1)
    assert binding(1) == 2
    assert give_back_libraries() > 2**20
    assert load_numba().njit(lambda number: number + 2)(1) == 3


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="told by Linux alone")
def test_libraries_that_a_start_has_read_are_given_back():
    """The pages of all libraries, not only the compiler's."""
    given = (
        "import numba, numpy, PySide6.QtWidgets\n"
        "from slotscope.model.compiling.pages import give_back_libraries\n"
        "def held():\n"
        "    lines = open('/proc/self/status').read().splitlines()\n"
        "    return next(int(line.split()[1]) for line in lines if line.startswith('RssFile'))\n"
        "before = held()\n"
        "given = give_back_libraries()\n"
        "print(2 * held() < before, given > 0, numpy.arange(9).sum(), PySide6.QtWidgets.QStyleFactory.keys() != [])\n"
    )
    said = run([sys.executable, "-c", given], capture_output=True, text=True, check=True).stdout.split()
    assert said == ["True", "True", "36", "True"]


def test_where_the_system_tells_nothing_of_its_memory_none_is_given_back(tmp_path):
    assert give_back_libraries(tmp_path / "smaps") == 0


def test_what_was_changed_in_memory_stays(tmp_path):
    """Only pages that a library's file can restore are given back; changed or writable ones are left alone."""
    smaps = tmp_path / "smaps"
    smaps.write_text(
        "1000-3000 r-xp 00000000 08:01 7    /lib/libllvmlite.so\nRss:      8 kB\nAnonymous:      4 kB\n"
        "5000-6000 r--p 00000000 08:01 8    /fonts/some.ttf\nRss:      4 kB\nAnonymous:      0 kB\n"
        "7000-8000 rw-p 00000000 08:01 7    /lib/libllvmlite.so\nRss:      4 kB\nAnonymous:      0 kB\n"
    )
    assert give_back_libraries(smaps) == 0
