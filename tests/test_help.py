"""Help pages and program say the same: pages, links, commands, experiments and lessons."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.manual import PAGES
from slotscope.model.api import Session
from slotscope.model.cli.arguments import parse
from slotscope.model.engine import EventRun
from slotscope.model.kinds.queue.facts import records_on
from slotscope.model.kinds.queue.state import NOW, WAITING
from slotscope.model.lab import experiments
from slotscope.model.lessons.files import lesson_files
from slotscope.model.policies import POLICIES, reference_class
from slotscope.model.scenario.load import scenario_files
from tests.help_pages import HELP, commands, flat, page, policies_in, table

QUEUE_PAGES = ("queues", "queues-classroom")
TOKEN_PAGES = ("tokens", "tokens-classroom")
MOLDABLE_PAGES = ("moldable", "moldable-classroom")
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

    @pytest.mark.parametrize("name", QUEUE_PAGES)
    def test_policies_with_parameters_can_be_used(self, name):
        found = policies_in(page(name))
        assert found
        for policy in found:
            scenario = "queues-vqs-unstable" if "j=" in policy else "queues-bf-unstable"
            assert Session.open(scenario, policy, kernel=False).info.policy_name

    @pytest.mark.parametrize("name", TOKEN_PAGES)
    def test_policies_of_tokens_can_be_used(self, name):
        found = policies_in(page(name), "phases")
        assert len(found) > 2
        for policy in found:
            assert Session.open("jrs-classroom", policy, kernel=False).info.policy_name

    def test_policies_of_moldable_jobs_can_be_used(self):
        found = [name for page_name in MOLDABLE_PAGES for name in policies_in(page(page_name), "moldable")]
        assert len(found) > 5
        for policy in found:
            scenario = "moldable-classes" if "rest" in policy else "moldable-sublinear"
            assert Session.open(scenario, policy, kernel=False).info.policy_name

    def test_every_experiment_is_told_of(self):
        told = re.findall(r"^\*\*`([^`]+)`", page("experiments"), flags=re.MULTILINE)
        both = re.findall(r"^\*\*`[^*]+ and `([^`]+)`", page("experiments"), flags=re.MULTILINE)
        assert set(experiments()) == {*told, *both}

    def test_every_scenario_of_a_queue_is_told_of(self):
        told = "".join(page(name) for name in (*QUEUE_PAGES, "scenarios", "traces"))
        named = set(re.findall(r"[\w-]+", told))
        assert {name for name in scenario_files() if name.startswith("queues-")} <= named

    def test_every_scenario_with_tokens_is_told_of(self):
        told = "".join(page(name) for name in TOKEN_PAGES)
        named = set(re.findall(r"[\w-]+", told))
        assert {name for name in scenario_files() if name.startswith("jrs-")} <= named

    def test_every_scenario_of_moldable_jobs_is_told_of(self):
        named = set(re.findall(r"[\w-]+", "".join(page(name) for name in MOLDABLE_PAGES)))
        assert {name for name in scenario_files() if name.startswith("moldable-")} <= named

    @pytest.mark.parametrize(("kind", "name"), [("queue", "queues"), ("phases", "tokens"), ("moldable", "moldable")])
    def test_every_panel_of_a_kind_is_told_of(self, kind, name):
        own = {entry.load().title for entry in PANEL_ROOMS[kind].panels}
        told = re.findall(r"^\*\*([^*]+)\.\*\*", page(name), flags=re.MULTILINE)
        assert own | {"Algorithm", "Decisions"} <= set(told)


def paused(policy: str, scenario: str, event: int) -> Session:
    session = Session.open(scenario, policy, seed=1, kernel=False)
    session.run(events=event)
    return session


def held(session: Session) -> list[int]:
    """The sizes on server 1 in tenths of it."""
    state, numbers = session.timeline.state, session.info.numbers
    return sorted(int(10 * numbers.fraction(int(state.job_size[record, 0]))) for record in records_on(state, 0))


def waiting_after(scenario: str, policy: str, seed: int, slot: int) -> int:
    session = Session.open(scenario, policy, seed=seed)
    session.run(until=slot)
    return int(session.timeline.state.number[WAITING])


class TestLessonOne:
    SCENARIO = "queues-vqs-unstable"
    TEXT = flat(page("queues-classroom"))

    def test_the_job_of_0_6_waits_under_vqs_alone(self):
        event = int(re.search(r"--event (\d+) \(In the window", self.TEXT)[1])
        session = paused("vqs", self.SCENARIO, event)
        assert held(session) == [4]
        session.run(events=1)
        assert held(session) == [4]
        assert session.timeline.state.clock[NOW] == 378
        sentence = session.info.narrator.row(session.frame().rows[-1])
        assert "size 0.6 is in VQ₁; no server's configuration has k₁ = 1" in sentence
        assert "size 0.6 is in VQ₁; no server's configuration has k₁ = 1" in self.TEXT

    @pytest.mark.parametrize("policy", ["vqs-bf", "bf-js"])
    def test_the_others_place_it(self, policy):
        session = Session.open(self.SCENARIO, policy, seed=1, kernel=False)
        session.run(until=377)
        assert held(session) == [4]
        session.run(until=378)
        assert held(session) == [4, 6]

    def test_it_gets_its_turn_at_the_event_that_is_named(self):
        told = re.search(r"event (\d+), slot (\d+): \"([^\"]+)\"", self.TEXT)
        event, slot, sentence = told.groups()
        session = paused("vqs", self.SCENARIO, int(event))
        assert session.timeline.state.clock[NOW] == int(slot)
        assert sentence in session.info.narrator.row(session.frame().rows[-1])
        waited = re.search(r"It has waited (\d+) slots", self.TEXT)[1]
        assert int(waited) == int(slot) - 378

    def test_queues_after_a_million_slots(self):
        told = re.search(r"VQS ends at ([\d, ]+) and (\d+);", self.TEXT)
        numbers = [int(number) for number in re.findall(r"\d+", told[0])]
        assert numbers == [waiting_after(self.SCENARIO, "vqs", seed, 10**6) for seed in range(1, 6)]
        others = [
            waiting_after(self.SCENARIO, policy, seed, 10**6) for policy in ("vqs-bf", "bf-js") for seed in range(1, 6)
        ]
        assert max(others) == 2
        assert "the others never have more than 2 at that moment" in self.TEXT

    @pytest.mark.parametrize("policy", ["vqs:j=6", "vqs:skip=true"])
    def test_neither_a_finer_partition_nor_passing_over_changes_the_queue(self, policy):
        assert f"`{policy}`" in self.TEXT
        queues = {waiting_after(self.SCENARIO, name, 1, 200_000) for name in ("vqs", policy)}
        assert len(queues) == 1


class TestLessonTwo:
    SCENARIO = "queues-bf-unstable"
    TEXT = flat(page("queues-classroom"))

    def event(self) -> int:
        return int(re.search(r"queues-bf-unstable --event (\d+)", self.TEXT)[1])

    def test_the_trap_closes_where_it_is_said(self):
        session = paused("bf-js", self.SCENARIO, self.event())
        assert held(session) == [2] * 5
        assert session.timeline.state.number[WAITING] == 18
        system, state = session.bench.system, session.timeline.state
        run = EventRun(system, state)
        run.finish()
        assert run.event.time == 6004
        sentences = [session.info.narrator.record(record) for record in run.records]
        assert [bool(re.search("leaves server 1", text)) for text in sentences][:3] == [True] * 3
        assert any("server 1 has 6 left" in text and "(5) is the largest" in text for text in sentences)
        session.run(events=1)
        assert held(session) == [2, 2, 5]

    def test_jobs_replace_one_another_at_the_slots_of_the_table(self):
        rows = table(page("queues-classroom"), "slot")
        told = {int(slot): int(re.search(r"\d", row[1])[0]) for row in rows for slot in re.findall(r"\d+", row[0])}
        session = paused("bf-js", self.SCENARIO, self.event() + 1)
        found: dict[int, int] = {}
        while session.timeline.state.clock[NOW] < max(told):
            before = held(session)
            session.run(events=1)
            row = session.frame().rows[-1]
            assert held(session) == before == [2, 2, 5]
            if row["departed"]:
                found[int(row["time"])] = self.size_of(session, int(row["job"]))
        assert found == {slot: size for slot, size in told.items() if slot > 6004}

    @staticmethod
    def size_of(session: Session, job: int) -> int:
        state, numbers = session.timeline.state, session.info.numbers
        (record,) = [one for one in records_on(state, 0) if state.job_number[one] == job]
        return int(numbers.amount(int(state.job_size[record, 0])))

    def test_queues_after_a_million_slots(self):
        told = re.search(r"(\d+) jobs wait under BF-J/S, (\d+) under VQS, (\d+) under MaxWeight", self.TEXT)
        found = [waiting_after(self.SCENARIO, policy, 1, 10**6) for policy in ("bf-js", "vqs", "max-weight")]
        assert [int(number) for number in told.groups()] == found

    def test_bf_over_several_seeds(self):
        told = re.search(r"BF-J/S has ([\d, and]+) jobs waiting", self.TEXT)[1]
        found = [waiting_after(self.SCENARIO, "bf-js", seed, 10**6) for seed in range(1, 6)]
        assert [int(number) for number in re.findall(r"\d+", told)] == found

    def test_stalling_never_acts_under_best_fit_and_cures_vqs_bf(self):
        plain, stalling = (waiting_after(self.SCENARIO, policy, 1, 10**6) for policy in ("bf-js", "bf-js:stall=true"))
        assert plain == stalling > 500
        assert waiting_after(self.SCENARIO, "vqs-bf", 1, 10**6) > 500
        assert waiting_after(self.SCENARIO, "vqs-bf:stall=true", 1, 10**6) < 50


def test_readme_names_all_kinds_of_system():
    text = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
    assert "Theory of Auto-Scaling" in text
    assert "Scheduling Jobs with Random Resource Requirements" in text
    assert "Near-Optimal Stochastic Bin-Packing" in text
    assert "Optimal Server Allocation for Moldable Jobs" in " ".join(text.split())
    names = ("vqs", "vqs-bf", "bf-js", "max-weight")
    titles = {*(reference_class(name).title for name in names), "Join-Requesting-Server", "greedy(p*)"}
    assert {title for title in titles if title not in text} == set()
