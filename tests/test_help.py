"""Help pages and program say the same: pages, links, commands, experiments and lessons."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.window.manual import PAGES
from slotscope.model.api import Session
from slotscope.model.cli.arguments import parse
from slotscope.model.lab import experiments
from slotscope.model.lessons.files import lesson_files
from slotscope.model.policies import POLICIES, reference_class
from slotscope.model.scenario.files import scenario_files
from tests.help_pages import HELP, commands, page, policies_in

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

    def test_policies_with_parameters_can_be_used(self):
        found = policies_in(page("queues"))
        assert found
        for policy in found:
            scenario = "queues-vqs-unstable" if "j=" in policy else "queues-bf-unstable"
            assert Session.open(scenario, policy, kernel=False).info.policy_name

    def test_policies_of_tokens_can_be_used(self):
        found = policies_in(page("tokens"), "phases")
        assert len(found) > 2
        for policy in found:
            assert Session.open("jrs-classroom", policy, kernel=False).info.policy_name

    def test_policies_of_moldable_jobs_can_be_used(self):
        found = policies_in(page("moldable"), "moldable")
        assert len(found) > 5
        for policy in found:
            scenario = "moldable-classes" if "rest" in policy else "moldable-sublinear"
            assert Session.open(scenario, policy, kernel=False).info.policy_name

    def test_every_experiment_is_told_of(self):
        told = re.findall(r"^\*\*`([^`]+)`", page("experiments"), flags=re.MULTILINE)
        both = re.findall(r"^\*\*`[^*]+ and `([^`]+)`", page("experiments"), flags=re.MULTILINE)
        assert set(experiments()) == {*told, *both}

    def test_every_scenario_of_a_queue_is_told_of(self):
        told = "".join(page(name) for name in ("queues", "scenarios", "traces"))
        named = set(re.findall(r"[\w-]+", told))
        assert {name for name in scenario_files() if name.startswith("queues-")} <= named

    def test_every_scenario_with_tokens_is_told_of(self):
        named = set(re.findall(r"[\w-]+", page("tokens")))
        assert {name for name in scenario_files() if name.startswith("jrs-")} <= named

    def test_every_scenario_of_moldable_jobs_is_told_of(self):
        named = set(re.findall(r"[\w-]+", page("moldable")))
        assert {name for name in scenario_files() if name.startswith("moldable-")} <= named

    @pytest.mark.parametrize(("kind", "name"), [("queue", "queues"), ("phases", "tokens"), ("moldable", "moldable")])
    def test_every_panel_of_a_kind_is_told_of(self, kind, name):
        own = {entry.load().title for entry in PANEL_ROOMS[kind].panels}
        told = re.findall(r"^\*\*([^*]+)\.\*\*", page(name), flags=re.MULTILINE)
        assert own | {"Algorithm", "Decisions"} <= set(told)


def test_readme_names_all_kinds_of_system():
    text = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
    assert "Theory of Auto-Scaling" in text
    assert "Scheduling Jobs with Random Resource Requirements" in text
    assert "Near-Optimal Stochastic Bin-Packing" in text
    assert "Optimal Server Allocation for Moldable Jobs" in " ".join(text.split())
    names = ("vqs", "vqs-bf", "bf-js", "max-weight")
    titles = {*(reference_class(name).title for name in names), "Join-Requesting-Server", "greedy(p*)"}
    assert {title for title in titles if title not in text} == set()
