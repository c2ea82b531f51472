"""Policies, scenarios and experiments of installed packages, written as in site-packages, without pip."""

from __future__ import annotations

import sys
from importlib import invalidate_caches
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from slotscope.model import packages
from slotscope.model.api import Session
from slotscope.model.errors import UserError
from slotscope.model.lab import experiment_module, experiments
from slotscope.model.lab.parts import _source_of
from slotscope.model.lab.plan import NO_OPTIONS
from slotscope.model.lab.runner import run_plan
from slotscope.model.policies import policy_titles, template_of
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import scenario_titles
from slotscope.model.systems.state import digest

RESOURCES = Path(__file__).parents[2] / "resources"

EXPERIMENT = """
from slotscope.model.kinds.declaration import Experiment
from slotscope.model.lab.parts import Part
from slotscope.model.lab.results import Result, Row

EXPERIMENT = Experiment("Twice as much", "queue", "Nobody (2026)", __name__)

def carry_out(part):
    return 2 * part.settings["n"]

def parts(scale, options):
    return [Part.of(__name__, 1, {"n": n}, f"n = {n}") for n in range(3)]

def result(scale, options, outcomes):
    return Result("twice", scale, (Row("sum", sum(outcomes.values())),), ())
"""

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """A function that writes a package and its entry points to a folder of packages; returns the package's folder."""
    monkeypatch.syspath_prepend(tmp_path)
    before = {*sys.modules}

    def install(name: str, files: dict[str, str], **entries: dict[str, str]) -> Path:
        folder = tmp_path / name
        for path, text in {"__init__.py": "", **files}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
        lines = [
            line
            for group, items in entries.items()
            for line in (f"[slotscope.{group}]", *(f"{key} = {value}" for key, value in items.items()))
        ]
        (about / "entry_points.txt").write_text("\n".join(lines), "utf-8")
        forget()
        return folder

    yield install
    for name in {*sys.modules} - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
    forget()


def forget() -> None:
    invalidate_caches()
    packages.offered.cache_clear()
    experiments.cache_clear()
    _source_of.cache_clear()


@pytest.fixture
def tiny(install: Install) -> Path:
    """A package with one policy, scenario and experiment; the policy imports from the package."""
    policy = (RESOURCES / "policies" / "half_of_the_rest.py").read_text("utf-8")
    files = {
        "rules/half.py": policy.replace("class Policy", "from .parts import HALF\n\n\nclass Policy"),
        "rules/__init__.py": "",
        "rules/parts.py": "HALF = 2\n",
        "clouds/tiny-cloud.toml": (RESOURCES / "scenarios" / "moldable-classroom.toml").read_text("utf-8"),
        "table.py": EXPERIMENT,
    }
    return install(
        "tinypack",
        files,
        policies={"tiny-half": "tinypack.rules.half"},
        scenarios={"tiny-cloud": "tinypack.clouds"},
        experiments={"twice": "tinypack.table:EXPERIMENT", "doubled": "tinypack.table:EXPERIMENT"},
    )


def test_all_three_are_listed(tiny: Path, answer: Any) -> None:
    found = {kind: {item["name"]: item for item in items} for kind, items in answer("list").items()}
    assert found["policies"]["tiny-half"]["system"] == "moldable"
    assert found["policies"]["tiny-half"]["paper"] == "tinypack 1.0"
    assert found["scenarios"]["tiny-cloud"]["title"].startswith("Classroom")
    assert found["experiments"]["twice"]["title"] == "Twice as much"
    assert ("tiny-half", "Half of what is free") in policy_titles("moldable")
    assert "tiny-half" not in dict(policy_titles("queue"))
    assert "tiny-cloud" in dict(scenario_titles())
    with pytest.raises(UserError, match=r"found 'dra', .*, allowed for this scenario: .*, tiny-half$"):
        Session.open("tiny-cloud", "dra", kernel=False)


def test_a_policy_runs_as_one_from_a_file_does_without_being_asked_about(tiny: Path, tmp_path: Path) -> None:
    session = Session.open("tiny-cloud", "tiny-half", seed=3, kernel=False)
    file = Session.open("moldable-classroom", str(RESOURCES / "policies" / "half_of_the_rest.py"), 3, kernel=False)
    for one in (session, file):
        one.run(events=300)
    assert digest(session.timeline.state) == digest(file.timeline.state)
    assert session.info.opening_line(300) == "slotscope tiny-cloud --policy tiny-half --seed 3 --event 300"
    session.save(tmp_path / "saved.slotscope")
    again = Session.load(tmp_path / "saved.slotscope", kernel=False)
    assert digest(again.timeline.state) == digest(session.timeline.state)


def test_a_session_knows_another_text_of_the_policy(tiny: Path, tmp_path: Path) -> None:
    session = Session.open("tiny-cloud", "tiny-half", kernel=False)
    session.save(tmp_path / "saved.slotscope")
    file = tiny / "rules" / "half.py"
    file.write_text(file.read_text("utf-8") + "\n# another\n", "utf-8")
    with pytest.raises(UserError, match="another text of the policy tiny-half"):
        Session.load(tmp_path / "saved.slotscope")


def test_what_a_policy_does_wrong_is_told_with_its_line(install: Install) -> None:
    text = template_of("moldable").replace(" if free ", " if 1 / 0 ")
    install("wrong", {"rule.py": text}, policies={"wrong-rule": "wrong.rule"})
    session = Session.open("moldable-classroom", "wrong-rule", kernel=False)
    with pytest.raises(UserError, match=r"rule\.py, line \d+.*ZeroDivisionError"):
        session.run(events=1)


@pytest.mark.slow
def test_an_experiment_runs_and_its_parts_are_others_once_its_source_changes(tiny: Path, slotscope: Any) -> None:
    plan = experiment_module("twice")
    assert run_plan(plan).rows[0].ours == 6
    said = slotscope("reproduce twice")
    assert said.code == 0
    assert "Twice as much" in said.out
    assert "doubled.json" in slotscope("reproduce doubled").out  # whatever name its result has
    part = plan.parts("quick", NO_OPTIONS)[0]
    before = part.key
    file = tiny / "table.py"
    file.write_text(file.read_text("utf-8").replace("2 *", "3 *"), "utf-8")
    forget()
    assert part.key != before


def test_faulty_packages_are_named_and_stop_nothing_else(tiny: Path, install: Install, answer: Any) -> None:
    install(
        "broken",
        {"rule.py": "import no_such_module\n", "table.py": "1 / 0\n", "cloud/odd.toml": "title = \n"},
        policies={"broken-rule": "broken.rule", "absent-rule": "broken.absent", "gone-rule": "no_such_package.rule"},
        scenarios={"odd": "broken.cloud", "missing": "broken.cloud"},
        experiments={"broken-table": "broken.table:EXPERIMENT", "module": "broken"},
    )
    found = {item["name"]: item["title"] for items in answer("list").values() for item in items}
    assert found["tiny-half"] == "Half of what is free"
    assert "no_such_module" in found["broken-rule"]
    assert "absent-rule of broken 1.0: found no module broken.absent" in found["absent-rule"]
    assert "found no module no_such_package" in found["gone-rule"]
    assert "odd.toml: not valid TOML" in found["odd"]
    assert "missing.toml: no such file" in found["missing"]
    assert "broken-table of broken 1.0: while loading" in found["broken-table"]
    assert "allowed: an Experiment" in found["module"]
    assert len(scenario_titles()) == len(scenario_files())
    for use in (
        lambda: Session.open("moldable-classroom", "broken-rule"),
        lambda: Session.open("odd"),
        lambda: experiment_module("broken-table"),
    ):
        with pytest.raises(UserError):
            use()


def test_names_that_collide_are_refused_and_both_are_named(tiny: Path, install: Install, slotscope: Any) -> None:
    install(
        "other",
        {},
        policies={"tiny-half": "other", "greedy-p": "other"},
        scenarios={"tiny-cloud": "other", "dra-vms": "other"},
        experiments={"twice": "other:x", "dra-fig2": "other:x"},
    )
    for command, both in (
        ("run moldable-classroom --policy tiny-half", "in other 1.0 and in tinypack 1.0"),
        ("run moldable-classroom --policy greedy-p", "in slotscope itself and in other 1.0"),
        ("run tiny-cloud", "in other 1.0 and in tinypack 1.0"),
        ("run dra-vms", "in slotscope itself and in other 1.0"),
        ("reproduce twice", "in other 1.0 and in tinypack 1.0"),
        ("reproduce dra-fig2", "in slotscope itself and in other 1.0"),
    ):
        said = slotscope(command)
        assert said.code == 2
        assert both in said.err
    assert slotscope("run moldable-linear --until 20 --warmup 0 --policy greedy").code == 0
    assert slotscope("list").out.count("in slotscope itself and in other 1.0") == 3


@pytest.mark.slow
def test_a_sweep_takes_a_policy_of_a_package(tiny: Path, answer: Any) -> None:
    found = answer("sweep tiny-cloud --policy tiny-half --vary workload.load=0.5,0.6 --until 50 --warmup 0")
    assert found["rows"]


def test_nothing_of_a_package_is_executed_before_it_is_asked_for(install: Install, answer: Any) -> None:
    install("loud", {"__init__.py": "raise SystemExit(3)\n"}, policies={"loud": "loud.x"}, scenarios={"s": "loud"})
    assert answer("run moldable-classroom --until 10 --warmup 0")["events"] > 0
