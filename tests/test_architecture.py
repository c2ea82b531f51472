"""The rules that hold the program together, each with its exceptions and a planted breach.

A rule is a function from the root of a source tree to what it finds wrong there, as
``file:line: what``.  Each is put to this repository, where it must find nothing, and to a
small tree that breaks it, where it must find just that: a rule nobody has seen fail proves
nothing.  Imports count wherever they stand, inside functions and under ``TYPE_CHECKING``
too, for a type that points the wrong way is a dependency as well; a rule says so where it
lets the latter pass.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.source_tree import (
    BESIDE_THE_ROOMS,
    FUNCTIONS,
    Import,
    Source,
    everything,
    imports,
    part_of,
    program,
    room_of,
    sources,
    top,
    within,
)

ROOT = Path(__file__).resolve().parent.parent
Rule = Callable[[Path], list[str]]

GUI_TOOLKITS = {"PySide6", "shiboken6", "pyqtgraph", "PyQt5", "PyQt6", "PySide2"}
SOLVERS = {"pulp", "highspy"}

#: Modules that the window's first picture, and each command, must not have to wait for.
SLOW_TO_IMPORT = {"PySide6", "pyqtgraph", "numba", "pulp", "highspy", "scipy"}
#: Modules that must import quickly.
QUICK_TO_IMPORT = ("main", "model.api", "gui.platform")

#: What would give a panel the running simulation, or the window around it.
BEYOND_A_PANEL = {
    *("gui.app", "gui.main_window", "gui.run_control", "gui.worker"),
    *("model.api", "model.engine", "model.timeline"),
}
#: Modules in gui/panels/ that are no panel but parts for several of them.
SHARED_BY_PANELS = {
    *("decisions_model", "decisions_view", "sampled", "scenario_cells"),
    *("columns", "pages", "picture", "tiles", "type_marks", "wording", "zoomed"),
    *("queue.colours", "queue.wording"),
    *("phases.colours", "phases.wording", "moldable.colours", "moldable.wording"),
}

#: Folders of the panels of a kind of system.
PACKAGES_OF_PANELS = {"queue", "phases", "moldable"}

#: What the window may know of policies: their list, their common shape, their compiling.
POLICIES_AS_A_WHOLE = {"model.policies", "model.policies.common", "model.policies.own.trust"}
#: Modules in the ``policies`` of the rooms that are no policy.
NOT_A_POLICY = {
    *("reservation.base", "reservation.reservation_factor", "queue.base", "queue.virtual_queues"),
    *("phases.base", "phases.fitting", "moldable.base"),
}
POLICY_HEADINGS = ("Reference", "Implements", "Symbols", "Deviations")

LONGEST_FILE = 500
LONGEST_FUNCTION = 60

# Written so that this file does not break the rules itself.
UNFINISHED = re.compile(rf"\b({'todo|fixme|xxx|hack'.upper()})\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w")
EMPTY_METHOD = NotImplementedError.__name__
SWITCHED_OFF = {f"pytest.mark.{name}" for name in ("skip", "xfail")}
TEXT_FILES = {".py", ".md", ".toml", ".lock", ".yml", ".qss", ".svg", ".json", ""}


def model_imports_no_toolkit_and_no_window(root: Path) -> list[str]:
    foreign = GUI_TOOLKITS | {"gui", "main"}
    found = imports(root, "model")
    return [entry.says("model imports") for entry in found if top(entry.target) in foreign]


def only_gui_imports_a_toolkit(root: Path) -> list[str]:
    found = imports(root, "main.py", "model")
    return [entry.says("not in gui:") for entry in found if top(entry.target) in GUI_TOOLKITS]


def no_circle_of_imports(root: Path) -> list[str]:
    """That a package runs before its modules is no import; what it names is.

    In ``gui/`` an import for types alone passes: a part may name the window it belongs to.
    """
    graph: dict[str, set[str]] = {source.module: set() for source in program(root)}
    for entry in imports(root, "model", "gui", "main.py"):
        own = entry.source.module
        passes = entry.for_types and top(own) == "gui"
        if entry.target in graph and entry.target != own and not passes:
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
        for entry in imports(root, "model/kinds")
        if (own := room_of(entry.source.module)) and room_of(entry.target) not in {"", own}
    ]


def what_rooms_share_knows_no_room(root: Path) -> list[str]:
    """Neither by an import nor by the name of a module: rooms say themselves what is in them."""
    found = imports(root, "model", "main.py")
    return [
        entry.says("what rooms share imports")
        for entry in found
        if not room_of(entry.source.module) and room_of(entry.target)
    ] + [
        f"{source.path}:{node.lineno}: what rooms share names {node.value}"
        for source in sources(root, "model", "main.py")
        for node in ast.walk(source.tree)
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


def only_jit_imports_numba_and_only_when_called(root: Path) -> list[str]:
    return [
        entry.says("not inside a function of model.jit:")
        for entry in imports(root, "model", "gui", "main.py")
        if top(entry.target) in {"numba", "llvmlite"}
        and (entry.at_once or entry.source.module != "model.jit")
    ]


def quick_modules_load_nothing_slow(root: Path) -> list[str]:
    found = []
    for name in QUICK_TO_IMPORT:
        if not (root / f"{name.replace('.', '/')}.py").exists():
            continue
        code = f"import sys, {name}; print(*sorted({SLOW_TO_IMPORT} & set(sys.modules)))"
        command = [sys.executable, "-c", code]
        run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        found += [f"importing {name} loads {slow}" for slow in run.stdout.split()]
    return found


def panels_know_neither_the_simulation_nor_the_window(root: Path) -> list[str]:
    return [
        entry.says("a panel imports")
        for entry in _panel_imports(root)
        if within(entry.target, BEYOND_A_PANEL)
    ]


def panels_do_not_know_each_other(root: Path) -> list[str]:
    """A panel's parts begin with its first word; ``SHARED_BY_PANELS`` are for all."""
    registry = (root / "gui/panels/__init__.py").read_text(encoding="utf-8")
    panels = set(re.findall(r'"gui\.panels\.([\w.]+)"', registry))
    found = []
    for entry in _panel_imports(root):
        name = _panel_module(entry.target)
        own = _panel_module(entry.source.module)
        if not within(entry.target, {"gui.panels"}) or name == own:
            continue
        same_family = name.split("_")[0] == own.split("_")[0] and name not in panels
        if not same_family and name not in SHARED_BY_PANELS:
            found.append(entry.says("a panel imports"))
    return found


def _panel_module(target: str) -> str:
    """The module below ``gui.panels`` that an import names, without what is taken from it."""
    parts = target.removeprefix("gui.panels").removeprefix(".").split(".")
    return ".".join(parts[: 2 if parts[0] in PACKAGES_OF_PANELS else 1])


def _panel_imports(root: Path) -> list[Import]:
    return [found for found in imports(root, "gui/panels") if found.source.module != "gui.panels"]


def the_window_knows_no_single_policy(root: Path) -> list[str]:
    return [
        entry.says("gui imports")
        for entry in imports(root, "gui")
        if part_of(entry.target) in {"policies", "kernels"}
        and entry.target not in POLICIES_AS_A_WHOLE
    ]


def no_file_is_too_long(root: Path) -> list[str]:
    return [
        f"{source.path}: {lines} lines, at most {LONGEST_FILE}"
        for source in everything(root)
        if (lines := source.text.count("\n")) > LONGEST_FILE
    ]


def no_function_is_too_long(root: Path) -> list[str]:
    """Counts the body without its docstring: explaining more is never a fault."""
    found = []
    for source in everything(root):
        for node in ast.walk(source.tree):
            if not isinstance(node, FUNCTIONS):
                continue
            body = node.body[1:] if ast.get_docstring(node) and node.body[1:] else node.body
            lines = body[-1].end_lineno - body[0].lineno + 1
            if lines > LONGEST_FUNCTION:
                where = f"{source.path}:{node.lineno}: {node.name}"
                found.append(f"{where} has {lines} lines, at most {LONGEST_FUNCTION}")
    return found


def what_is_public_in_the_model_is_explained(root: Path) -> list[str]:
    """Modules with something in them, their functions and classes, and the methods of these."""
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
        missing = [
            word for word in POLICY_HEADINGS if not re.search(rf"^{word}$", text, re.MULTILINE)
        ]
        found += [f"{source.path}: its docstring has no heading {word}" for word in missing]
    return found


def nothing_is_left_unfinished(root: Path) -> list[str]:
    """No marks for later, no empty methods to be filled in, no test switched off for good."""
    found = []
    for path, number, line in _lines(root):
        if mark := UNFINISHED.search(line):
            found.append(f"{path}:{number}: {mark[0]}")
    for source in everything(root):
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Raise) and node.exc and EMPTY_METHOD in ast.unparse(node.exc):
                found.append(f"{source.path}:{node.lineno}: {EMPTY_METHOD}")
            if isinstance(node, ast.Attribute) and ast.unparse(node) in SWITCHED_OFF:
                found.append(f"{source.path}:{node.lineno}: {ast.unparse(node)}")
    return found


def no_path_of_somebodys_machine(root: Path) -> list[str]:
    return [
        f"{path}:{number}: {mark[0]}"
        for path, number, line in _lines(root)
        if (mark := MACHINE_PATH.search(line))
    ]


def _lines(root: Path) -> Iterator[tuple[Path, int, str]]:
    """Every line of every text file of the repository, and where it is."""
    folders = [root / name for name in ("model", "gui", "tests", "resources", ".ci")]
    files = [path for folder in folders for path in sorted(folder.rglob("*"))]
    for path in [*files, *sorted(root.glob("*.*"))]:
        if path.is_file() and path.suffix in TEXT_FILES and "__pycache__" not in path.parts:
            text = path.read_text(encoding="utf-8")
            for number, line in enumerate(text.splitlines(), 1):
                yield path.relative_to(root), number, line


PANEL_LIST = {"gui/panels/__init__.py": 'PANELS = ("gui.panels.reward", "gui.panels.servers")\n'}
LONG_BODY = "    x = 1\n" * (LONGEST_FUNCTION + 1)

#: For each rule, trees that break it, each with the one finding that it must give.
BREACHES: list[tuple[Rule, dict[str, str], str]] = [
    (
        model_imports_no_toolkit_and_no_window,
        {"model/a.py": "def f():\n    from PySide6 import QtCore\n"},
        "model/a.py:2: model imports PySide6",
    ),
    (
        model_imports_no_toolkit_and_no_window,
        {"gui/theme.py": "", "model/a.py": "from gui import theme\n"},
        "model/a.py:1: model imports gui.theme",
    ),
    (
        only_gui_imports_a_toolkit,
        {"main.py": "import pyqtgraph.exporters\n", "gui/a.py": "import pyqtgraph\n"},
        "main.py:1: not in gui: pyqtgraph.exporters",
    ),
    (
        no_circle_of_imports,
        {
            "model/__init__.py": "",
            "model/a.py": "from . import b\n",
            "model/b.py": "def f():\n    import model.c\n",
            "model/c.py": "if TYPE_CHECKING:\n    from model.a import A\n",
        },
        "model.a imports model.b imports model.c imports model.a",
    ),
    (
        no_circle_of_imports,
        {
            "gui/a.py": "import gui.b\nimport gui.c\n",
            "gui/b.py": "if TYPE_CHECKING:\n    import gui.a\n",
            "gui/c.py": "def f():\n    from gui.a import A\n",
        },
        "gui.a imports gui.c imports gui.a",
    ),
    (
        only_programs_import_a_solver,
        {"model/programs/lp.py": "import pulp\n", "model/a.py": "from highspy import Highs\n"},
        "model/a.py:1: not in programs: highspy",
    ),
    (
        only_programs_import_a_solver,
        {"model/kinds/a/programs/b.py": "import pulp\n", "model/kinds/a/b.py": "import pulp\n"},
        "model/kinds/a/b.py:1: not in programs: pulp",
    ),
    (
        rooms_do_not_know_each_other,
        {
            "model/kinds/spec.py": "",
            "model/kinds/a/state.py": "import model.kinds.spec\n",
            "model/kinds/b/kind.py": "def f():\n    from model.kinds.a.state import A\n",
            "model/kinds/b/state.py": "from model.kinds.b.kind import B\n",
        },
        "model/kinds/b/kind.py:2: the room b imports model.kinds.a.state",
    ),
    (
        what_rooms_share_knows_no_room,
        {
            "model/kinds/a/state.py": "from model.kinds.a import b\n",
            "model/engine.py": "if TYPE_CHECKING:\n    from model.kinds.a.state import A\n",
        },
        "model/engine.py:2: what rooms share imports model.kinds.a.state",
    ),
    (
        what_rooms_share_knows_no_room,
        {"model/kinds/a/b.py": "C = 'model.kinds.a.c'\n", "main.py": "C = 'model.kinds.a.c'\n"},
        "main.py:1: what rooms share names model.kinds.a.c",
    ),
    (
        only_jit_imports_numba_and_only_when_called,
        {
            "model/jit.py": "def f():\n    import numba\n",
            "model/a.py": "def f():\n    import numba\n",
        },
        "model/a.py:2: not inside a function of model.jit: numba",
    ),
    (
        only_jit_imports_numba_and_only_when_called,
        {"model/jit.py": "try:\n    import numba\nexcept ImportError:\n    pass\n"},
        "model/jit.py:2: not inside a function of model.jit: numba",
    ),
    (
        quick_modules_load_nothing_slow,
        {"model/api.py": "import model.a\n", "model/a.py": "import pulp\n", "pulp.py": ""},
        "importing model.api loads pulp",
    ),
    (
        panels_know_neither_the_simulation_nor_the_window,
        {"gui/panels/reward.py": "from model.timeline import Timeline\nimport model.frame\n"},
        "gui/panels/reward.py:1: a panel imports model.timeline",
    ),
    (
        panels_do_not_know_each_other,
        PANEL_LIST
        | {"gui/panels/reward.py": "import gui.panels.servers\nimport gui.panels.tiles\n"},
        "gui/panels/reward.py:1: a panel imports gui.panels.servers",
    ),
    (
        panels_do_not_know_each_other,
        PANEL_LIST
        | {
            "gui/panels/servers_words.py": "",
            "gui/panels/servers.py": "from gui.panels import servers_words\n",
            "gui/panels/reward_table.py": "from gui.panels import servers_words\n",
        },
        "gui/panels/reward_table.py:1: a panel imports gui.panels.servers_words",
    ),
    (
        the_window_knows_no_single_policy,
        {
            "model/kinds/a/policies/b.py": "",
            "gui/a.py": "from model.policies import POLICIES\nimport model.kinds.a.policies.b\n",
        },
        "gui/a.py:2: gui imports model.kinds.a.policies.b",
    ),
    (
        no_file_is_too_long,
        {"gui/a.py": "\n" * LONGEST_FILE, "gui/b.py": "\n" * (LONGEST_FILE + 1)},
        f"gui/b.py: {LONGEST_FILE + 1} lines, at most {LONGEST_FILE}",
    ),
    (
        no_function_is_too_long,
        {"tests/a.py": f"class A:\n  def run(self):\n    '''Runs.'''\n{LONG_BODY}"},
        f"tests/a.py:2: run has {LONGEST_FUNCTION + 1} lines, at most {LONGEST_FUNCTION}",
    ),
    (
        what_is_public_in_the_model_is_explained,
        {"model/a.py": "'''A.'''\ndef _own(): ...\ndef run(): ...\n", "model/__init__.py": ""},
        "model/a.py:3: no docstring for run",
    ),
    (
        what_is_public_in_the_model_is_explained,
        {"model/a.py": "'''A.'''\nclass A:\n    '''A.'''\n    def run(self): ...\n"},
        "model/a.py:4: no docstring for A.run",
    ),
    (
        policies_say_what_they_implement,
        {"model/kinds/a/policies/b.py": "'''Reference\nImplements\n the Symbols\nDeviations'''\n"},
        "model/kinds/a/policies/b.py: its docstring has no heading Symbols",
    ),
    (
        nothing_is_left_unfinished,
        {"resources/help/a.md": f"All is well.\n{'todo'.upper()}: write\n"},
        f"resources/help/a.md:2: {'todo'.upper()}",
    ),
    (
        nothing_is_left_unfinished,
        {"model/a.py": f"def f():\n    raise {EMPTY_METHOD}\n"},
        f"model/a.py:2: {EMPTY_METHOD}",
    ),
    (
        nothing_is_left_unfinished,
        {"tests/a.py": f"@pytest.mark.skipif(True)\n@{max(SWITCHED_OFF)}\ndef test_a(): ...\n"},
        f"tests/a.py:2: {max(SWITCHED_OFF)}",
    ),
    (
        no_path_of_somebodys_machine,
        {"README.md": f"see docs/home/page, not {Path('/', 'home', 'me')}\n"},
        f"README.md:1: {Path('/', 'home', 'm')}",
    ),
]
RULES = list(dict.fromkeys(rule for rule, _, _ in BREACHES))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_holds(rule):
    found = rule(ROOT)
    assert not found, "\n".join([f"{rule.__name__}: {rule.__doc__ or ''}", *found])


@pytest.mark.parametrize(
    ("rule", "files", "finding"),
    [pytest.param(*case, id=f"{case[0].__name__}-{n}") for n, case in enumerate(BREACHES)],
)
def test_rule_finds_a_breach(rule, files, finding, tmp_path):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert rule(tmp_path) == [finding]


def test_rules_name_only_modules_that_exist():
    """A rule about a module that was renamed would watch over nothing."""
    known = {source.module for source in program(ROOT)}
    named = {*QUICK_TO_IMPORT, *BEYOND_A_PANEL, *POLICIES_AS_A_WHOLE}
    named |= {f"gui.panels.{name}" for name in SHARED_BY_PANELS}
    named |= {"model.kinds.{}.policies.{}".format(*name.split(".")) for name in NOT_A_POLICY}
    named |= {f"model.kinds.{name}" for name in BESIDE_THE_ROOMS}
    assert named - known == set()
