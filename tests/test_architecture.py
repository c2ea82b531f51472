"""Every rule holds in this repository, and finds a planted violation.

Each rule is applied to the program, where it must find nothing, and to a small tree that violates it, where
it must find just that: a rule that was never seen to fail proves nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rules import (
    BEYOND_A_PANEL,
    EMPTY_METHOD,
    LONGEST_FILE,
    LONGEST_FUNCTION,
    NOT_A_POLICY,
    POLICIES_AS_A_WHOLE,
    QUICK_TO_IMPORT,
    SHARED_BY_PANELS,
    SWITCHED_OFF,
    each_class_has_a_name_of_its_own,
    files_are_asked_for_without_an_event_loop,
    model_imports_no_toolkit_and_no_window,
    modules_have_one_name,
    no_circle_of_imports,
    no_file_is_too_long,
    no_function_is_too_long,
    no_path_of_somebodys_machine,
    nothing_is_left_unfinished,
    only_gui_imports_a_toolkit,
    only_jit_imports_numba_and_only_when_called,
    only_programs_import_a_solver,
    panels_do_not_know_each_other,
    panels_know_neither_the_simulation_nor_the_window,
    policies_say_what_they_implement,
    quick_modules_load_nothing_slow,
    rooms_do_not_know_each_other,
    the_window_knows_no_single_policy,
    what_is_drawn_is_the_same_on_every_processor,
    what_is_public_in_the_model_is_explained,
    what_rooms_share_knows_no_room,
)
from tests.source_tree import BESIDE_THE_ROOMS, program

ROOT = Path(__file__).resolve().parent.parent
Rule = Callable[[Path], list[str]]

PANEL_LIST = {"gui/kinds/a/__init__.py": 'ROOM = (f"{__name__}.reward", f"{__name__}.servers")\n'}
LONG_BODY = "    x = 1\n" * (LONGEST_FUNCTION + 1)

#: For each rule, trees that violate it, each with the one finding that it must return.
BREACHES: list[tuple[Rule, dict[str, str], str]] = [
    (
        modules_have_one_name,
        {"model/a.py": "from slotscope.model import b\n", "tests/a.py": "def f():\n    from model.b import c\n"},
        "tests/a.py:2: imports model.b, which is slotscope.model.b",
    ),
    (
        model_imports_no_toolkit_and_no_window,
        {"model/a.py": "def f():\n    from PySide6 import QtCore\n"},
        "model/a.py:2: model imports PySide6",
    ),
    (
        model_imports_no_toolkit_and_no_window,
        {"gui/theme.py": "", "model/a.py": "from slotscope.gui import theme\n"},
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
            "model/b.py": "def f():\n    import slotscope.model.c\n",
            "model/c.py": "if TYPE_CHECKING:\n    from slotscope.model.a import A\n",
        },
        "model.a imports model.b imports model.c imports model.a",
    ),
    (
        no_circle_of_imports,
        {
            "gui/a.py": "import slotscope.gui.b\n",
            "gui/b.py": "def f():\n    from slotscope.gui.c import C\n",
            "gui/c.py": "if TYPE_CHECKING:\n    from slotscope.gui.a import A\n",
        },
        "gui.a imports gui.b imports gui.c imports gui.a",
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
            "model/kinds/a/state.py": "import slotscope.model.kinds.spec\n",
            "model/kinds/b/kind.py": "def f():\n    from slotscope.model.kinds.a.state import A\n",
            "model/kinds/b/state.py": "from slotscope.model.kinds.b.kind import B\n",
        },
        "model/kinds/b/kind.py:2: the room b imports model.kinds.a.state",
    ),
    (
        rooms_do_not_know_each_other,
        {
            "model/kinds/a/state.py": "",
            "gui/kinds/a/servers.py": "from slotscope.model.kinds.a.state import A\n",
            "gui/kinds/b/servers.py": "from slotscope.model.kinds.a.state import A\n",
        },
        "gui/kinds/b/servers.py:1: the room b imports model.kinds.a.state",
    ),
    (
        what_rooms_share_knows_no_room,
        {"gui/kinds/a/wording.py": "", "gui/panel.py": "import slotscope.gui.kinds.a.wording\n"},
        "gui/panel.py:1: what rooms share imports gui.kinds.a.wording",
    ),
    (
        what_rooms_share_knows_no_room,
        {
            "model/kinds/a/state.py": "from slotscope.model.kinds.a import b\n",
            "model/running/engine.py": "if TYPE_CHECKING:\n    from slotscope.model.kinds.a.state import A\n",
        },
        "model/running/engine.py:2: what rooms share imports model.kinds.a.state",
    ),
    (
        what_rooms_share_knows_no_room,
        {"model/kinds/a/b.py": "C = 'slotscope.model.kinds.a.c'\n", "main.py": "C = 'slotscope.model.kinds.a.c'\n"},
        "main.py:1: what rooms share names slotscope.model.kinds.a.c",
    ),
    (
        only_jit_imports_numba_and_only_when_called,
        {"model/jit.py": "def f():\n    import numba\n", "model/a.py": "def f():\n    import numba\n"},
        "model/a.py:2: not inside a function of model.jit: numba",
    ),
    (
        only_jit_imports_numba_and_only_when_called,
        {"model/jit.py": "try:\n    import numba\nexcept ImportError:\n    pass\n"},
        "model/jit.py:2: not inside a function of model.jit: numba",
    ),
    (
        only_jit_imports_numba_and_only_when_called,
        {
            "model/compiling/keeping.py": "import numba\n",
            "model/jit.py": "from slotscope.model.compiling import keeping\n",
        },
        "model/jit.py:1: not inside a function of model.jit: model.compiling.keeping",
    ),
    (
        quick_modules_load_nothing_slow,
        {"model/api.py": "import slotscope.model.a\n", "model/a.py": "import pulp\n", "pulp.py": ""},
        "importing model.api loads pulp",
    ),
    (
        panels_know_neither_the_simulation_nor_the_window,
        {"gui/kinds/a/reward.py": "import slotscope.model.running.timeline\nimport slotscope.model.reporting.frame\n"},
        "gui/kinds/a/reward.py:1: a panel imports model.running.timeline",
    ),
    (
        panels_do_not_know_each_other,
        PANEL_LIST
        | {"gui/kinds/a/reward.py": "import slotscope.gui.kinds.a.servers\nimport slotscope.gui.panels.tiles\n"},
        "gui/kinds/a/reward.py:1: a panel imports gui.kinds.a.servers",
    ),
    (
        panels_do_not_know_each_other,
        PANEL_LIST
        | {
            "gui/kinds/a/servers_words.py": "",
            "gui/kinds/a/servers.py": "from slotscope.gui.kinds.a import servers_words\n",
            "gui/kinds/a/reward_table.py": "from slotscope.gui.kinds.a import servers_words\n",
        },
        "gui/kinds/a/reward_table.py:1: a panel imports gui.kinds.a.servers_words",
    ),
    (
        the_window_knows_no_single_policy,
        {
            "model/kinds/a/policies/b.py": "",
            "gui/a.py": "from slotscope.model.policies import POLICIES\nimport slotscope.model.kinds.a.policies.b\n",
        },
        "gui/a.py:2: gui imports model.kinds.a.policies.b",
    ),
    (
        files_are_asked_for_without_an_event_loop,
        {"gui/a.py": "path, _ = QFileDialog.getSaveFileName(window)\n"},
        "gui/a.py:1: QFileDialog.getSaveFileName, use gui.widgets.file_dialogs",
    ),
    (
        each_class_has_a_name_of_its_own,
        {
            "gui/a.py": "class Mark: ...\nclass Reference: ...\n",
            "model/b.py": "class Reference: ...\nclass Mark: ...\n",
        },
        "gui/a.py:1: Mark, as in model/b.py:2",
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
        what_is_drawn_is_the_same_on_every_processor,
        {"model/a.py": "def draw(random):\n    return np.log(random.random())\n", "model/b.py": "np.log(2)\n"},
        "model/a.py:2: np.log where something is drawn",
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
    ("rule", "files", "finding"), [pytest.param(*case, id=f"{case[0].__name__}-{n}") for n, case in enumerate(BREACHES)]
)
def test_rule_finds_a_breach(rule, files, finding, tmp_path):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    shutil.copytree(ROOT / ".installed", tmp_path / ".installed", symlinks=True)
    assert rule(tmp_path) == [finding]


def test_rules_name_only_modules_that_exist():
    """A rule about a renamed module would check nothing."""
    known = {source.module for source in program(ROOT)}
    named = {*QUICK_TO_IMPORT, *BEYOND_A_PANEL, *POLICIES_AS_A_WHOLE}
    named |= SHARED_BY_PANELS
    named |= {"model.kinds.{}.policies.{}".format(*name.split(".")) for name in NOT_A_POLICY}
    named |= {f"model.kinds.{name}" for name in BESIDE_THE_ROOMS}
    assert named - known == set()
