"""User policies without faults: they run, rewind, explain, remember and are reopened."""

from __future__ import annotations

import json
import random
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from shlex import quote

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.file import load_run, save_run
from slotscope.model.errors import PolicyError, ReplayError, UserError
from slotscope.model.kinds.reservation.policies.base import OwnPolicy
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.policies.own.trust import allow_named
from slotscope.model.reporting.records import Admit, Line, Record
from slotscope.model.scenario.load import load_scenario, scenario_text
from slotscope.model.systems.state import digest
from tests.contract.moments import policies, scenarios
from tests.own_policies import FIRST_FIT, HEAD, line_of, opened, source, write
from tests.runs import ran

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

RANDOM = """\
room = view.with_room(job.type)
if len(room):
    yield Admit(server=view.random("server").choice(room))
else:
    yield Reject()
"""

COUNTING = """\
count = int(view.memory[0])
yield Remember(numbers=(count + 1,))
room = view.with_room(job.type)
if len(room) and count % 3:
    yield Admit(server=room[-1])
else:
    yield Reject()
"""


def test_first_fit_from_a_file_is_first_fit(tmp_path: Path) -> None:
    mine = opened(tmp_path, source())
    built_in = Session.open("dra-classroom", "first-fit", kernel=False)
    for session in (mine, built_in):
        session.run(events=400)
    assert digest(mine.timeline.state) == digest(built_in.timeline.state)
    assert mine.info.policy_title == "mine"


@pytest.mark.parametrize(("system", "policy"), policies())
def test_each_policy_from_a_file_is_that_policy(
    system: str, policy: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """The source of a reference works unchanged as a user policy, and nothing it does is reported as a fault."""
    chance = random.Random(f"{pytestconfig.option.hypothesis_seed} {system} {policy}")
    text = Path(ROOMS[system].policies[policy].reference.replace("slotscope.", "").replace(".", "/") + ".py")
    built_in = built_in_somewhere(system, policy, chance)
    name, seed = built_in.name, built_in.bench.scenario.seed
    copy = write(tmp_path, (ROOT / text).read_text(encoding="utf-8"))
    mine = Session.open(name, copy, seed, kernel=False)
    for event in (chance.randrange(500, 1000), chance.randrange(400), 450):
        for session in (mine, built_in):
            session.seek(event) if event < session.timeline.event else session.run(events=event)
        assert digest(mine.timeline.state) == digest(built_in.timeline.state), (name, seed, event)
    own = max(line.line.algorithm for line in built_in.info.pseudocode) + 1  # what it adds to the paper's
    assert [line for line in mine.info.pseudocode if line.line.algorithm != own] == list(built_in.info.pseudocode)
    assert mine.info.offers == built_in.info.offers
    assert mine.info.policy_title == "mine"


def built_in_somewhere(system: str, policy: str, chance: random.Random) -> Session:
    """A session of the built-in policy in a random scenario that it accepts."""
    names = list(scenarios(system))
    chance.shuffle(names)
    for name in names:
        with suppress(UserError):
            return Session.open(name, policy, chance.randrange(1, 10**6), kernel=False)
    raise AssertionError(f"{policy} runs nowhere")


@pytest.mark.parametrize(
    ("package", "records"),
    [
        ("slotscope.model.kinds.reservation.policies", "slotscope.model.reporting.records"),
        ("slotscope.model.kinds.reservation.policies", "slotscope.model.records"),
        ("model.kinds.reservation.policies", "model.records"),
        ("model.policies", "model.records"),
    ],
)
def test_a_part_of_dra_is_replaced(package: str, records: str, tmp_path: Path) -> None:
    """Also in a file written for the modules' former places."""
    text = """\
from PACKAGE import dra
from PACKAGE.base import say
from RECORDS import Line


class Policy(dra.Reference):
    title = "DRA that never migrates"

    def migration(self, view, job):
        yield say("no_migration", server=job.server)
""".replace("PACKAGE", package).replace("RECORDS", records)
    session = opened(tmp_path, text)
    session.run(events=600)
    assert not session.timeline.state.tally[:, 4].any()
    assert session.info.policy_title == "DRA that never migrates"
    own = [line for line in session.info.pseudocode if line.line.algorithm == 3]
    assert own[0].text.strip() == "<b>def</b> migration(self, view, job):"
    session.seek(0)
    while not any(record.kind == "no_migration" for record in session.last_records):
        session.step()
    (record,) = [item for item in session.last_records if item.kind == "no_migration"]
    assert record.line == Line(3, 10)


@pytest.mark.parametrize("arrival", [FIRST_FIT, RANDOM, COUNTING])
def test_history_can_be_walked_in_both_directions(tmp_path: Path, arrival: str) -> None:
    session = opened(tmp_path, source(arrival, "memory = 1\n"))
    marks = {}
    for event in (1, 2, 77, 300, 301, 520):
        session.seek(event)
        marks[event] = digest(session.timeline.state)
    for event in (301, 77, 520, 1, 300, 2):
        session.seek(event)
        assert digest(session.timeline.state) == marks[event]
    assert session.timeline.extent().verified >= len(marks)


def test_sub_steps_carry_the_line_that_they_came_from(tmp_path: Path) -> None:
    text = source()
    session = opened(tmp_path, text)
    while session.timeline.next_event is not None and session.timeline.next_event.kind != 1:
        session.step()
    for _ in range(3):
        session.step_into()
    said, admitted = session.timeline.records[1:]
    assert said.line == Line(1, line_of(text, "yield say"))
    assert admitted.line == Line(1, line_of(text, "yield Admit"))
    assert isinstance(admitted, Admit)
    assert type(admitted.server) is int
    shown = {line.line: line.text for line in session.info.pseudocode}
    assert shown[admitted.line] == "<b>yield</b> Admit(server=room[0])"


def test_a_sub_step_is_worded_by_its_kind_and_values(tmp_path: Path) -> None:
    said = "yield say('not quite_full', best=(1, 2.5), part=1/3)\n"
    session = opened(tmp_path, source(said + FIRST_FIT))
    while len(session.last_records) < 4:
        session.step()
    sentence = session.info.narrator.record(session.last_records[1])
    assert sentence == "not quite full: best = (1, 2.5), part = 0.333333"
    assert session.info.narrator.record(Record("alone")) == "alone"


def test_a_rejection_with_room_says_so(tmp_path: Path) -> None:
    session = opened(tmp_path, source("yield Reject()\n"))
    session.run(stop=("rejection",))
    row = session.frame().rows[-1]
    assert row["servers_with_room"] == session.bench.numbers.servers
    assert "have room, but the policy does not use it" in session.info.narrator.row(row)


def test_random_numbers_are_those_of_seed_event_and_name(tmp_path: Path) -> None:
    session = opened(tmp_path, source(RANDOM))
    session.run(events=50)
    other = ran("dra-classroom", str(tmp_path / "mine.py"), seed=99, events=50)
    first = session.bench.system.policy
    assert first is not other.bench.system.policy
    from slotscope.model.kinds.reservation.view import ReservationView

    view = ReservationView(session.bench.numbers, session.timeline.state)
    same, named = view.random("a").random(4), view.random("b").random(4)
    assert np.array_equal(same, view.random("a").random(4))
    assert not np.array_equal(same, named)
    elsewhere = ReservationView(other.bench.numbers, session.timeline.state)
    assert not np.array_equal(same, elsewhere.random("a").random(4))


def test_parameters_are_checked_by_the_files_schema(tmp_path: Path) -> None:
    head = HEAD.replace(
        "class Policy",
        (
            "from slotscope.model.kinds.reservation.policies.base import Section\n\n"
            "class Parameters(Section):\n    most: int = 3\n\n\nclass Policy"
        ),
    )
    arrival = """\
        room = view.with_room(job.type)
        if view.jobs_in_system.sum() < self.parameters.most and len(room):
            yield Admit(server=room[0])
        else:
            yield Reject()
        """
    path = write(tmp_path, source(arrival, "schema = Parameters\n", head))
    session = ran("dra-classroom", f"{path}:most=2", events=100)
    assert session.info.parameters.most == 2
    assert session.timeline.state.jobs_in_system.sum() <= 2
    assert session.info.opening_line(5).split("--policy ")[1].startswith(quote(f"{path}:most=2"))
    with pytest.raises(UserError, match=r"parameters\.most: found 'many'"):
        Session.open("dra-classroom", f"{path}:most=many", kernel=False)
    with pytest.raises(UserError, match="unknown key"):
        Session.open("dra-classroom", f"{path}:least=1", kernel=False)


def test_a_scenario_names_a_file_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a" / "scenarios"
    folder.mkdir(parents=True)
    allow_named(write(folder.parent, source()))
    text = (
        scenario_text(load_scenario("dra-classroom"))
        .replace('name = "dra"', 'name = "../mine.py"')
        .replace("reservation_factor", "#")
    )
    (folder / "own.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    session = ran("a/scenarios/own.toml", events=20)
    assert Path(session.info.policy_name).resolve() == folder.parent / "mine.py"


def test_memory_is_part_of_the_state(tmp_path: Path) -> None:
    session = opened(tmp_path, source(COUNTING, "memory = 1\n"))
    session.run(events=200)
    arrived = int(session.timeline.state.tally[:, 0].sum())
    assert session.timeline.state.memory.tolist() == [arrived]


def test_methods_that_do_nothing_need_not_yield(tmp_path: Path) -> None:
    rest = "def departure(self, view, job):\n    pass\n\ndef start(self, view):\n    return None\n"
    session = opened(tmp_path, source(rest=rest))
    session.run(events=100)
    assert session.timeline.event == 100


def test_a_plain_class_will_do(tmp_path: Path) -> None:
    head = HEAD.replace("class Policy(OwnPolicy):", "class Policy:")
    session = opened(tmp_path, source(head=head))
    session.run(events=100)
    assert session.timeline.event == 100
    assert not issubclass(type(session.bench.system.policy), OwnPolicy)


def test_a_job_moves_to_a_server_with_room(tmp_path: Path) -> None:
    """Without reservation the slot migrates with the job."""
    arrival = """\
        if not view.jobs_in_system.any():
            yield Admit(server=0)
            yield Migrate(job=job.number, source=0, target=3)
        else:
            yield Reject()
        """
    session = opened(tmp_path, source(arrival))
    session.run(events=300)
    state = session.timeline.state
    assert state.tally[:, 4].sum() > 3
    assert np.array_equal(state.configuration, state.placement)
    assert np.array_equal(state.slots_in_system, state.configuration.sum(axis=0))


def test_prints_go_to_stderr(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "print('loaded')\n" + source("print('asked')\n" + FIRST_FIT)
    session = opened(tmp_path, text)
    session.run(events=5)
    print("mine")
    said = capfd.readouterr()
    assert said.out == "mine\n"
    assert "loaded" in said.err
    assert "asked" in said.err


def test_no_trace_of_a_file_stays_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("ROOM = 3\n")
    before = list(sys.path)
    session = opened(tmp_path, "import beside_it\n" + source())
    session.run(events=5)
    assert sys.path == before
    assert "beside_it" not in sys.modules


def test_modules_beside_a_file_change_with_it(tmp_path: Path) -> None:
    """A package, one without ``__init__.py``, and imported names; edited twice in a second, at the same length."""
    folder, plain = tmp_path / "rules_beside", tmp_path / "plain_beside"
    folder.mkdir()
    plain.mkdir()
    (folder / "__init__.py").write_text("from rules_beside.inner import ROOM\n")
    (folder / "inner.py").write_text("import importlib\nROOM = importlib.import_module('room_beside').ROOM\n")
    (tmp_path / "room_beside.py").write_text("from plain_beside.room import ROOM\n")
    text = "import rules_beside\n" + source(FIRST_FIT.replace("room[0]", "room[rules_beside.ROOM]"))
    digests = []
    for room in ("+0", "-1", "+0"):
        (plain / "room.py").write_text(f"ROOM = {room}\n")
        session = opened(tmp_path, text)
        session.run(events=40)
        digests.append(digest(session.timeline.state))
        assert session.reloaded() is session
    assert digests[0] == digests[2] != digests[1]
    (folder / "inner.py").write_text("ROOM = -1\n")
    fresh = session.reloaded()
    assert fresh is not session
    fresh.run(events=40)
    assert digest(fresh.timeline.state) == digests[1]


class TestSessions:
    def test_one_is_saved_and_reopened(self, tmp_path: Path) -> None:
        session = opened(tmp_path, source(COUNTING, "memory = 1\n"))
        session.seek(123, 2)
        session.save(tmp_path / "run.slotscope")
        again = Session.load(tmp_path / "run.slotscope", kernel=False)
        assert (again.timeline.event, again.timeline.substep) == (123, 2)
        assert again.timeline.records == session.timeline.records
        for item in (session, again):
            item.seek(50)
        assert digest(again.timeline.state) == digest(session.timeline.state)

    def test_the_text_is_kept_but_not_run_from_there(self, tmp_path: Path) -> None:
        session = opened(tmp_path, source())
        session.save(tmp_path / "run.slotscope")
        with zipfile.ZipFile(tmp_path / "run.slotscope") as archive:
            assert archive.read("policy.py").decode() == source()
            assert len(json.loads(archive.read("session.json"))["policy_digest"]) == 64

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda path: path.unlink(), "no such file"),
            (lambda path: path.write_text(source() + "# changed\n"), "another text of the policy"),
        ],
    )
    def test_a_file_that_changed_is_told(self, tmp_path: Path, change, said: str) -> None:  # type: ignore[no-untyped-def]
        session = opened(tmp_path, source())
        session.run(events=10)
        session.save(tmp_path / "run.slotscope")
        change(tmp_path / "mine.py")
        with pytest.raises(PolicyError, match=said) as raised:
            Session.load(tmp_path / "run.slotscope")
        assert raised.value.where == str(tmp_path / "run.slotscope")
        assert str(tmp_path / "mine.py") in raised.value.line
        assert "policy.py" in raised.value.line
        allow_named(str(tmp_path / "theirs.py"))
        lanes = Comparison.open("dra-classroom", ["dra", write(tmp_path, source(), "theirs.py")], kernel=False)
        save_run(lanes, tmp_path / "lanes.slotscope")
        change(tmp_path / "theirs.py")
        with pytest.raises(PolicyError, match=said) as raised:
            load_run(tmp_path / "lanes.slotscope")
        assert raised.value.where == f"{tmp_path / 'lanes.slotscope'}, lane 2"
        session.rename("dra-classroom")  # the open run is unaffected
        session.run(events=10)
        assert session.timeline.event == 20


def test_what_is_not_repeatable_is_told_on_the_way_back(tmp_path: Path) -> None:
    arrival = FIRST_FIT.replace("room[0]", "room[int(np.random.default_rng().integers(len(room)))]")
    session = opened(tmp_path, source(arrival))
    session.seek(200)
    with pytest.raises(ReplayError, match=r"view\.random"):
        for _ in range(5):
            session.seek(3)
            session.seek(200)


class TestReloading:
    """Reloading: the run under the present text of its file."""

    def test_nothing_changed(self, tmp_path: Path) -> None:
        session = opened(tmp_path, source())
        assert session.reloaded() is session
        built_in = Session.open("dra-classroom", kernel=False)
        assert built_in.reloaded() is built_in

    def test_the_same_jobs_meet_the_new_text(self, tmp_path: Path) -> None:
        session = opened(tmp_path, source())
        session.run(events=80)
        last_fit = source(FIRST_FIT.replace("room[0]", "room[-1]"))
        write(tmp_path, last_fit)
        again = session.reloaded()
        assert (again.timeline.event, again.origin) == (0, session.origin)
        fresh = opened(tmp_path, last_fit)
        for item in (again, fresh):
            item.run(events=80)
        assert digest(again.timeline.state) == digest(fresh.timeline.state)
        assert digest(again.timeline.state) != digest(session.timeline.state)

    def test_a_fork_keeps_its_first_state(self, tmp_path: Path) -> None:
        session = opened(tmp_path, source())
        session.run(events=60)
        fork = session.continued(session.bench.scenario)
        write(tmp_path, source(COUNTING, "memory = 1\n"))
        again = fork.reloaded()
        assert again.timeline.event == 60
        assert (again.timeline.state.placement == session.timeline.state.placement).all()
        again.run(events=50)
        again.seek(70)
        assert again.timeline.state.memory[0] > 0

    def test_a_faulty_file_leaves_the_run(self, tmp_path: Path) -> None:
        session = opened(tmp_path, source())
        write(tmp_path, "def\n")
        with pytest.raises(PolicyError, match="line 1, column 4: SyntaxError"):
            session.reloaded()
        session.run(events=30)
        session.seek(10)
        assert session.timeline.event == 10
