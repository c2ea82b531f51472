"""The rules of the program's structure, each with its exceptions.

A rule is a function that returns the violations in a source tree, given its root, as
``file:line: what``.  Imports count wherever they stand, inside functions and under
``TYPE_CHECKING`` too, for a type that points the wrong way is a dependency as well.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.source_tree import (
    FUNCTIONS,
    Import,
    Source,
    everything,
    imported_names,
    imports,
    nodes_of,
    part_of,
    program,
    room_of,
    sources,
    top,
    within,
)

#: NumPy's functions whose implementation depends on the processor.
BY_THE_PROCESSOR = {
    *("exp", "exp2", "expm1", "log", "log1p", "log2", "log10"),
    *("power", "float_power", "cbrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
}

GUI_TOOLKITS = {"PySide6", "shiboken6", "pyqtgraph", "PyQt5", "PyQt6", "PySide2"}
SOLVERS = {"pulp", "highspy"}

#: Modules that the window's first picture, and each command, must not wait for.
SLOW_TO_IMPORT = {"PySide6", "pyqtgraph", "numba", "pulp", "highspy", "scipy"}
#: Modules that must import quickly.
QUICK_TO_IMPORT = (
    *("gui.library.__main__", "model.api", "gui.platform", "model.kinds.reservation.cli.arguments"),
    "model.kinds.phases.policies.jrs",  # 'list' loads all policies
)

#: Modules that would give a panel access to the running simulation or the window.
BEYOND_A_PANEL = {
    *("gui.app", "gui.main_window", "gui.docking.dock_area", "gui.running.run_control", "gui.running.worker"),
    *("model.api", "model.running.engine", "model.running.timeline"),
}
#: Modules beside the panels that are no panels but parts for several of them.
SHARED_BY_PANELS = {
    *("gui.panels.bounds", "gui.panels.columns", "gui.panels.tiles"),
    *("gui.panels.decisions_model", "gui.panels.decisions_view"),
    *("gui.panels.pages", "gui.panels.scenario_cells", "gui.panels.share_bars"),
    *("gui.panels.scenario_fields", "gui.panels.scenario_leaves", "gui.panels.algorithm_symbols"),
    *("gui.panels.tiles", "gui.panels.wording"),
    *("gui.kinds.declaration", "gui.kinds.rooms", "gui.painting.textures"),
    *("gui.kinds.reservation.wording", "gui.kinds.queue.colours", "gui.kinds.queue.wording"),
    *("gui.kinds.phases.colours", "gui.kinds.phases.wording"),
    *("gui.kinds.moldable.colours", "gui.kinds.moldable.wording"),
}

#: What the window may import of policies: their list, their common interface, and files of user policies.
POLICIES_AS_A_WHOLE = {
    *("model.policies", "model.policies.choice", "model.policies.common"),
    *("model.policies.own.file", "model.policies.own.trust"),
}
#: Modules in the rooms' ``policies`` that are not policies.
NOT_A_POLICY = {
    *("reservation.base", "queue.base", "queue.virtual_queues"),
    *("phases.base", "phases.fitting", "moldable.base"),
}
POLICY_HEADINGS = ("Reference", "Implements", "Symbols", "Deviations")

#: Classes that have the same name in each policy's module, and the base class of user policies in each kind.
OF_EVERY_POLICY = {"Reference", "Parameters", "OwnPolicy"}

LONGEST_FILE = 500
LONGEST_FUNCTION = 60

# Written so that this file does not break the rules itself.
UNFINISHED = re.compile(rf"\b({'todo|fixme|xxx|hack'.upper()})\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w")
EMPTY_METHOD = NotImplementedError.__name__
SWITCHED_OFF = {f"pytest.mark.{name}" for name in ("skip", "xfail")}
TEXT_FILES = {".py", ".md", ".toml", ".lock", ".yml", ".qss", ".svg", ".json", ""}


def model_imports_no_toolkit_and_no_window(root: Path) -> list[str]:
    foreign = GUI_TOOLKITS | {"gui", "main", "slotscope", "__main__"}
    found = imports(root, "model")
    return [entry.says("model imports") for entry in found if top(entry.target) in foreign]


def modules_have_one_name(root: Path) -> list[str]:
    """Imported under two names, a module exists twice, and its classes are different classes."""
    return [
        f"{source.path}:{node.lineno}: imports {name}, which is slotscope.{name}"
        for source in everything(root)
        for node in nodes_of(source)
        for name in imported_names(node)
        if top(name) in {"model", "gui", "main"}
    ]


def only_gui_imports_a_toolkit(root: Path) -> list[str]:
    found = imports(root, "main.py", "model")
    return [entry.says("not in gui:") for entry in found if top(entry.target) in GUI_TOOLKITS]


def no_circle_of_imports(root: Path) -> list[str]:
    """Counts each import that a module states, also for types only; not that a package runs before its modules."""
    graph: dict[str, set[str]] = {source.module: set() for source in program(root)}
    for entry in imports(root, "model", "gui", "main.py"):
        own = entry.source.module
        if entry.target in graph and entry.target != own:
            graph[own].add(entry.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # The sorter's own order is from the imported module to the importing one.
        return [" imports ".join(reversed(error.args[1]))]
    return []


def rooms_do_not_know_each_other(root: Path) -> list[str]:
    return [
        entry.says(f"the room {own} imports")
        for entry in imports(root, "model/kinds", "gui/kinds")
        if (own := room_of(entry.source.module)) and room_of(entry.target) not in {"", own}
    ]


def what_rooms_share_knows_no_room(root: Path) -> list[str]:
    """No import of a room, and no module name of one in a string: rooms declare themselves what they contain."""
    found = imports(root, "model", "gui", "main.py")
    return [
        entry.says("what rooms share imports")
        for entry in found
        if not room_of(entry.source.module) and room_of(entry.target)
    ] + [
        f"{source.path}:{node.lineno}: what rooms share names {node.value}"
        for source in program(root)
        for node in nodes_of(source)
        if isinstance(node, ast.Constant)
        and re.fullmatch(r"[\w.]+", str(node.value))
        and room_of(str(node.value))
        and not room_of(source.module)
    ]


def only_programs_import_a_solver(root: Path) -> list[str]:
    return [
        entry.says("not in programs:")
        for entry in imports(root, "model", "gui", "main.py")
        if top(entry.target) in SOLVERS and part_of(entry.source.module) != "programs"
    ]


EXTEND_NUMBA = {"model.compiling.keeping", "model.compiling.inlining"}


def only_jit_imports_numba_and_only_when_called(root: Path) -> list[str]:
    """Numba is imported late; the modules in ``EXTEND_NUMBA`` subclass it, and are imported late themselves."""
    return [
        entry.says("not inside a function of model.jit:")
        for entry in imports(root, "model", "gui", "main.py")
        if (top(entry.target) in {"numba", "llvmlite"} and entry.source.module not in EXTEND_NUMBA)
        or within(entry.target, EXTEND_NUMBA)
        if entry.at_once or entry.source.module != "model.jit"
    ]


def quick_modules_load_nothing_slow(root: Path) -> list[str]:
    found = []
    for name in QUICK_TO_IMPORT:
        if not (root / f"{name.replace('.', '/')}.py").exists():
            continue
        code = f"import sys, slotscope.{name}; print(*sorted({SLOW_TO_IMPORT} & set(sys.modules)))"
        command = [sys.executable, "-c", code]
        environment = os.environ | {"PYTHONPATH": str(root / ".installed")}
        run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        found += [f"importing {name} loads {slow}" for slow in run.stdout.split()]
    return found


def panels_know_neither_the_simulation_nor_the_window(root: Path) -> list[str]:
    return [entry.says("a panel imports") for entry in _panel_imports(root) if within(entry.target, BEYOND_A_PANEL)]


def panels_do_not_know_each_other(root: Path) -> list[str]:
    """The modules of a panel start with its name's first word; those in ``SHARED_BY_PANELS`` are for all panels."""
    panels = {
        f"{source.module}.{name}"
        for source in sources(root, "gui/panels", "gui/kinds")
        for name in re.findall(r'"\{__name__\}\.(\w+)"', source.text)
    }
    found = []
    for entry in _panel_imports(root):
        if not within(entry.target, {"gui.panels", "gui.kinds"}):
            continue
        same_family = _family(entry.target) == _family(entry.source.module)
        if entry.target in panels or (not same_family and entry.target not in SHARED_BY_PANELS):
            found.append(entry.says("a panel imports"))
    return found


def _family(module: str) -> str:
    """A module's package and the first word of its own name."""
    package, _, name = module.rpartition(".")
    return f"{package}.{name.partition('_')[0]}"


def _panel_imports(root: Path) -> list[Import]:
    """The imports of panels and of their parts, without those of the modules that declare them."""
    found = imports(root, "gui/panels", "gui/kinds")
    return [entry for entry in found if entry.source.path.name not in {"__init__.py", "rooms.py"}]


def the_window_knows_no_single_policy(root: Path) -> list[str]:
    return [
        entry.says("gui imports")
        for entry in imports(root, "gui")
        if part_of(entry.target) in {"policies", "kernels"} and entry.target not in POLICIES_AS_A_WHOLE
    ]


def each_class_has_a_name_of_its_own(root: Path) -> list[str]:
    """Except the classes that the module of every policy defines."""
    found: dict[str, list[str]] = {}
    for source in program(root):
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and node.name not in OF_EVERY_POLICY:
                found.setdefault(node.name, []).append(f"{source.path}:{node.lineno}")
    return [f"{places[-1]}: {name}, as in {places[0]}" for name, places in found.items() if len(places) > 1]


def no_file_is_too_long(root: Path) -> list[str]:
    return [
        f"{source.path}: {lines} lines, at most {LONGEST_FILE}"
        for source in everything(root)
        if (lines := source.text.count("\n")) > LONGEST_FILE
    ]


def no_function_is_too_long(root: Path) -> list[str]:
    """Counts the body without the docstring, so that a longer explanation breaks no rule."""
    found = []
    for source in everything(root):
        for node in nodes_of(source):
            if not isinstance(node, FUNCTIONS):
                continue
            body = node.body[1:] if ast.get_docstring(node) and node.body[1:] else node.body
            lines = body[-1].end_lineno - body[0].lineno + 1
            if lines > LONGEST_FUNCTION:
                where = f"{source.path}:{node.lineno}: {node.name}"
                found.append(f"{where} has {lines} lines, at most {LONGEST_FUNCTION}")
    return found


def what_is_public_in_the_model_is_explained(root: Path) -> list[str]:
    """Modules that are not empty, their functions and classes, and the methods of these."""
    return [
        f"{source.path}:{line}: no docstring for {name}"
        for source in sources(root, "model")
        for name, line, node in _public(source)
        if not ast.get_docstring(node)
    ]


def _public(source: Source) -> Iterator[tuple[str, int, ast.AST]]:
    if source.tree.body:
        yield "the module", 1, source.tree
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, node.lineno, node
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                    yield f"{node.name}.{inner.name}", inner.lineno, inner


def policies_say_what_they_implement(root: Path) -> list[str]:
    found = []
    for source in sources(root, "model/kinds"):
        name = f"{room_of(source.module)}.{source.path.stem}"
        is_policy = part_of(source.module) == "policies" and source.path.stem != "__init__"
        if not is_policy or name in NOT_A_POLICY:
            continue
        text = ast.get_docstring(source.tree) or ""
        missing = [word for word in POLICY_HEADINGS if not re.search(rf"^{word}$", text, re.MULTILINE)]
        found += [f"{source.path}: its docstring has no heading {word}" for word in missing]
    return found


def what_is_drawn_is_the_same_on_every_processor(root: Path) -> list[str]:
    """NumPy uses the processor's own instructions for these, so that the last digit may differ between machines."""
    found = {}
    for source in sources(root, "model"):
        for function in nodes_of(source):
            inside = list(ast.walk(function)) if isinstance(function, FUNCTIONS) else []
            if any(isinstance(node, ast.arg) and node.arg == "random" for node in inside):
                found |= {(source.path, node.lineno): ast.unparse(node) for node in inside if _is_by_processor(node)}
    return [f"{path}:{line}: {name} where something is drawn" for (path, line), name in found.items()]


def _is_by_processor(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in BY_THE_PROCESSOR and ast.unparse(node.value) == "np"


def nothing_is_left_unfinished(root: Path) -> list[str]:
    """No marks for later, no methods left to be written, no test that is always skipped."""
    found = list(_marks(root, UNFINISHED))
    switches = {name.rpartition(".")[2] for name in SWITCHED_OFF}
    for source in everything(root):
        for node in nodes_of(source):
            if isinstance(node, ast.Raise) and node.exc and EMPTY_METHOD in ast.unparse(node.exc):
                found.append(f"{source.path}:{node.lineno}: {EMPTY_METHOD}")
            if isinstance(node, ast.Attribute) and node.attr in switches and ast.unparse(node) in SWITCHED_OFF:
                found.append(f"{source.path}:{node.lineno}: {ast.unparse(node)}")
    return found


def files_are_asked_for_without_an_event_loop(root: Path) -> list[str]:
    """Qt's static dialogs block until they are closed, in an event loop of their own."""
    return [
        f"{source.path}:{node.lineno}: QFileDialog.{node.attr}, use gui.widgets.file_dialogs"
        for source in program(root)
        for node in nodes_of(source)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "QFileDialog" and node.attr.startswith("get")
    ]


def no_path_of_somebodys_machine(root: Path) -> list[str]:
    return list(_marks(root, MACHINE_PATH))


def _marks(root: Path, pattern: re.Pattern[str]) -> Iterator[str]:
    """Every match of a pattern in the text files of the repository."""
    for path, text in _texts(root):
        for mark in pattern.finditer(text):
            yield f"{path}:{1 + text.count(chr(10), 0, mark.start())}: {mark[0]}"


@cache
def _texts(root: Path) -> tuple[tuple[Path, str], ...]:
    """Every text file of the repository, with its text."""
    folders = [root / name for name in ("model", "gui", "tests", "resources", ".ci")]
    files = [path for folder in folders for path in sorted(folder.rglob("*"))]
    return tuple(
        (path.relative_to(root), path.read_text(encoding="utf-8"))
        for path in [*files, *sorted(root.glob("*.*"))]
        if path.is_file() and path.suffix in TEXT_FILES and "__pycache__" not in path.parts
    )
