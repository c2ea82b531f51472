"""Help pages agree with the program: pages, links, commands, experiments and lessons."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.window.manual import PAGES
from slotscope.model.api import Session
from slotscope.model.cli.arguments import parse
from slotscope.model.kinds.spec import kind_named
from slotscope.model.lab import experiments
from slotscope.model.lessons.files import lesson_files
from slotscope.model.policies import POLICIES, POLICIES_OF, reference_class, reference_for
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario
from tests.contract.moments import SMALL
from tests.help_pages import HELP, code, commands, flat, page, policies_in, table, told_of

FILES = sorted(path.stem for path in HELP.glob("*.md"))


class TestPages:
    def test_every_file_is_in_the_contents(self):
        assert set(FILES) <= set(PAGES)

    @pytest.mark.parametrize("name", FILES)
    def test_it_has_one_title_and_its_links_lead_to_pages(self, name):
        text = page(name)
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        assert text.startswith("# ")
        assert len(re.findall(r"^# ", prose, flags=re.MULTILINE)) == 1
        for target in re.findall(r"\]\(([^)]+)\)", prose):
            assert target.removesuffix(".md") in FILES, target

    @pytest.mark.parametrize("name", FILES)
    def test_commands_are_understood(self, name):
        for command in commands(page(name)):
            assert parse(shlex.split(command)[1:]), command

    @pytest.mark.parametrize("name", FILES)
    def test_scenarios_and_experiments_exist(self, name):
        known = set(scenario_files()) | set(experiments()) | set(POLICIES) | set(FILES) | set(lesson_files())
        kinds = "dra|queues|jrs|moldable"
        named = re.findall(rf"(?<![\w/.-])(?:{kinds})-[a-z0-9]+(?:-[a-z0-9]+)*", page(name))
        assert {word for word in named if word not in known} == set()

    def test_every_experiment_is_told_of(self):
        told = re.findall(r"^\*\*`([^`]+)`", page("experiments"), flags=re.MULTILINE)
        both = re.findall(r"^\*\*`[^*]+ and `([^`]+)`", page("experiments"), flags=re.MULTILINE)
        assert set(experiments()) == {*told, *both}


#: Kinds of system whose page describes all their scenarios, policies, panels, measures and stops.
WHOLE = pytest.mark.parametrize("kind", ["queue", "phases", "moldable"])

#: Policies for which a page has a table of parameters only.
OF_A_TABLE_OF_ITS_OWN = {"jrs"}

#: Further pages that describe a kind's scenarios, beside its own page.
TOLD_ELSEWHERE = {"queue": ("scenarios", "traces")}

#: The least number of policies with parameters on a page, and scenarios that can run them, by a part of their text.
RUNS = {
    "queue": (1, {"j=": "queues-vqs-unstable", "": "queues-bf-unstable"}),
    "phases": (3, {"": "jrs-classroom"}),
    "moldable": (6, {"rest": "moldable-classes", "": "moldable-sublinear"}),
}


@WHOLE
class TestKinds:
    def test_policies_with_parameters_can_be_used(self, kind: str) -> None:
        found, (least, scenarios) = policies_in(page(PANEL_ROOMS[kind].page), kind), RUNS[kind]
        assert len(found) >= least
        for policy in found:
            scenario = next(name for word, name in scenarios.items() if word in policy)
            assert Session.open(scenario, policy, kernel=False).info.policy_name

    def test_every_policy_has_a_row_with_its_parameters(self, kind: str) -> None:
        rows = told_of("policy", page(PANEL_ROOMS[kind].page), column=2)
        assert {*rows, *OF_A_TABLE_OF_ITS_OWN} == {*POLICIES_OF[kind], *OF_A_TABLE_OF_ITS_OWN}
        for policy, told in rows.items():
            assert {*code(told)} == {*reference_for(policy, kind).schema.model_fields}

    def test_every_scenario_is_told_of(self, kind: str) -> None:
        text = "".join(page(name) for name in (PANEL_ROOMS[kind].page, *TOLD_ELSEWHERE.get(kind, ())))
        own = {name for name in scenario_files() if load_scenario(name).system == kind}
        assert own <= {*re.findall(r"[\w-]+", text)}

    def test_every_panel_is_told_of(self, kind: str) -> None:
        own = {entry.load().title for entry in PANEL_ROOMS[kind].panels}
        told = re.findall(r"^\*\*([^*]+)\.\*\*", page(PANEL_ROOMS[kind].page), flags=re.MULTILINE)
        assert own | {"Algorithm", "Decisions"} <= {*told}

    def test_every_measure_is_told_of(self, kind: str) -> None:
        session = Session.open(SMALL[kind], kernel=False)
        found = {*session.measure(until=200.0, warmup=20.0)}
        rows = {name for row in table(page(PANEL_ROOMS[kind].page), "measure") for name in code(row[0])}
        assert rows <= found
        assert [name for name in found - rows if not re.fullmatch(r"x_\d", name)] == []

    def test_every_stop_is_told_of(self, kind: str) -> None:
        *_, algorithm = page(PANEL_ROOMS[kind].page).partition("**Algorithm.**")
        told = flat(algorithm.partition("**Comparison.**")[0])
        assert [stop for stop in kind_named(kind).vocabulary.event_kinds if stop not in told] == []


def test_readme_names_all_kinds_of_system():
    text = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
    assert "Theory of Auto-Scaling" in text
    assert "Scheduling Jobs with Random Resource Requirements" in text
    assert "Near-Optimal Stochastic Bin-Packing" in text
    assert "Optimal Server Allocation for Moldable Jobs" in " ".join(text.split())
    names = ("vqs", "vqs-bf", "bf-js", "max-weight")
    titles = {*(reference_class(name).title for name in names), "Join-Requesting-Server", "greedy(p*)"}
    assert {title for title in titles if title not in text} == set()
