"""Facts about things, and their histories, in every kind of system."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.moldable.rows import FLAG_SPLIT
from slotscope.model.kinds.phases.state import FIRST_BACKUP
from slotscope.model.reporting.history import FAR, FIRST_STRETCH, NEAR, PAGE, Histories
from slotscope.model.reporting.inspection import Description, Fact, Found, Passed, Thing, Told
from slotscope.model.reporting.letters import own_letters
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.running.engine import EventRun
from slotscope.model.systems.state import copied
from tests.runs import ran

#: A scenario, a policy, and a thing of each kind in it; "waiting" is replaced.
CASES: dict[str, tuple[str, str | None, list[Thing]]] = {
    "dra": ("dra-classroom", None, [Thing("server", n) for n in range(4)] + [Thing("job", 90)]),
    "preemption": ("dra-classroom", "dra-preemption", [Thing("server", 1)]),
    "vqs": ("queues-classroom", "vqs", [Thing("server", 1), Thing("job", 60), *(Thing("queue", n) for n in range(3))]),
    "vqs-bf": ("queues-classroom", "vqs-bf", [Thing("server", 2), Thing("job", 101)]),
    "max-weight": ("queues-classroom", "max-weight", [Thing("server", 0), Thing("job", 33)]),
    "bf-js": ("queues-classroom", "bf-js", [Thing("server", 0), Thing("queue", 0)]),
    "jrs": (
        "jrs-classroom",
        None,
        [
            *(Thing("server", n) for n in range(3)),
            Thing("server", FIRST_BACKUP),
            Thing("server", FIRST_BACKUP - 1),
            Thing("job", 40),
            Thing("token", 20),
            Thing("token", 44),
            Thing("virtual job", 1),
        ],
    ),
    "best-fit": ("jrs-classroom", "best-fit", [Thing("server", 1), Thing("job", 55)]),
    "greedy-p": (
        "moldable-classroom",
        None,
        [*(Thing("server", n) for n in (0, 7, 16)), Thing("job", 70), Thing("class", 0)],
    ),
    "greedy": ("moldable-classroom", "greedy", [Thing("server", 4), Thing("job", 71)]),
}
EVENTS = 260


@pytest.fixture(scope="module", params=list(CASES))
def case(request: pytest.FixtureRequest) -> tuple[Session, list[Thing]]:
    scenario, policy, things = CASES[request.param]
    session = ran(scenario, policy, events=EVENTS)
    return session, things


def searched(session: Session, thing: Thing, further: bool = False) -> Found:
    """The history of a thing, searched until the search stops by itself."""
    session.histories.want(thing, further)
    while session.histories.due:
        session.histories.search(0.0)
    return session.histories.found()[thing]


def by_reference(session: Session, thing: Thing) -> list[Told]:
    """The history of a thing, by running every event whatever its row says."""
    line, inspector = session.timeline, session.bench.kind.inspector
    state, told = copied(line.first_state), []
    while int(state.number[0]) < line.live_end:
        before = inspector.looks(state, thing)
        run = EventRun(session.bench.system, state)
        run.finish()
        state, row = run.state, run.row[0]
        passed = Passed(before, state, run.event, run.row, run.records)
        words, flags = inspector.tell(passed, thing, session.info.narrator)
        if words:
            told.append(Told(int(row["event"]), float(row["time"]), flags, words))
    return told


def facts_of(description: Description) -> dict[str, str]:
    facts: list[Fact] = [fact for part in description.sections for fact in part.facts]
    return {fact.label: f"{fact.value} {fact.unit}".rstrip() for fact in facts}


def described(session: Session, thing: Thing) -> Description:
    return session.bench.kind.inspector.describe(session.frame(), thing)


class TestHistory:
    @pytest.mark.slow
    def test_it_is_that_of_a_run_of_every_event(self, case):
        session, things = case
        for thing in things:
            session.histories.want(thing)
            found = searched(session, thing, further=True)
            while not found.complete:
                found = searched(session, thing, further=True)
            assert list(found.entries) == by_reference(session, thing), thing
            assert (found.first, found.last, found.fault) == (1, EVENTS, "")

    def test_a_thing_that_was_there_has_one(self, case):
        session, things = case
        assert any(searched(session, thing).entries for thing in things)

    def test_sentences_name_the_thing(self, case):
        session, things = case
        for thing in things:
            if thing.what == "server" and thing.number >= 0 and session.info.system != "moldable":
                for told in searched(session, thing).entries:
                    assert f"server {thing.number + 1}" in told.sentence
            if thing.what == "job":
                for told in searched(session, thing).entries:
                    assert f"job {thing.number}" in told.sentence or "rejected" in told.sentence

    @pytest.mark.slow
    def test_a_compiled_run_has_the_same(self, case):
        session, things = case
        if not session.bench.has_kernel or len(things) < 3:
            pytest.skip("one of each kind will do")
        compiled = ran(session.bench.scenario, kernel=True, events=EVENTS)
        for thing in things[:3]:
            assert searched(compiled, thing) == searched(session, thing)


class TestSearching:
    @pytest.fixture
    def session(self) -> Session:
        return ran("moldable-classroom", events=2 * PAGE)

    def test_it_begins_with_the_newest_and_ends_at_a_page(self, session):
        found = searched(session, Thing("class", 0))
        assert found.last == found.entries[-1].event == 2 * PAGE
        assert PAGE <= len(found.entries) < 2 * PAGE
        assert not found.complete and not found.searching

    def test_further_goes_on_to_the_start(self, session):
        thing = Thing("class", 0)
        searched(session, thing)
        found = searched(session, thing, further=True)
        assert found.complete
        assert [told.event for told in found.entries] == list(range(1, 2 * PAGE + 1))

    def test_it_goes_in_slices_and_can_be_stopped(self, session):
        session.histories.want(Thing("server", 3))
        session.histories.search(0.0)
        assert session.histories.found()[Thing("server", 3)].searching
        session.histories.stop()
        assert not session.histories.due
        found = session.histories.found()[Thing("server", 3)]
        assert not found.searching and not found.complete
        assert searched(session, Thing("server", 3)).complete

    def test_it_takes_in_what_happens_next(self, session):
        thing = Thing("class", 0)
        before = searched(session, thing)
        session.run(events=3)
        found = searched(session, thing)
        assert found.entries[: len(before.entries)] == before.entries
        assert [told.event for told in found.entries[-3:]] == [2 * PAGE + n for n in (1, 2, 3)]

    def test_it_follows_a_run_that_steps_slowly(self, session):
        thing = Thing("class", 0)
        searched(session, thing)
        session.histories.stop()
        session.run(events=NEAR)
        session.histories.follow()
        assert session.histories.found()[thing].last == 2 * PAGE + NEAR
        session.run(events=NEAR + 1)
        session.histories.follow()
        assert session.histories.found()[thing].last == 2 * PAGE + NEAR  # not while the run is fast

    def test_it_reaches_beyond_the_present_to_all_that_has_run(self, session):
        session.seek(10)
        found = searched(session, Thing("server", 3))
        assert found.last == 2 * PAGE and found.entries[-1].event > 10

    def test_things_asked_for_long_ago_are_forgotten(self, session):
        for number in range(20):
            session.histories.want(Thing("server", number % 20))
        assert len(session.histories.found()) < 20
        assert Thing("server", 19) in session.histories.found()

    def test_a_run_far_ahead_is_searched_from_its_end(self, monkeypatch, session):
        monkeypatch.setattr("slotscope.model.reporting.history.FAR", 100)
        assert FAR > 100
        thing = Thing("class", 0)
        session.seek(20)
        found = searched(session, thing)
        assert found.entries[-1].event == 2 * PAGE
        assert len(found.entries) >= PAGE

    def test_a_fault_ends_the_search_and_not_the_run(self, session, monkeypatch):
        def fails(*_: Any) -> Any:
            raise ValueError("no such thing")

        monkeypatch.setattr(type(session.bench.kind.inspector), "tell", fails)
        found = searched(session, Thing("class", 0))
        assert found.fault == "ValueError: no such thing"
        assert not session.histories.due

    def test_jobs_that_are_gone_or_to_come_are_not_looked_for(self, monkeypatch):
        session = ran("dra-classroom", events=800)
        looked: list[int] = []
        original = Histories.looked_at

        def counting(self: Histories, state: Any, thing: Thing) -> Any:
            looked.append(int(state.number[0]))
            return original(self, state, thing)

        monkeypatch.setattr(Histories, "looked_at", counting)
        found = searched(session, Thing("job", 120))
        assert found.complete and 1 <= len(found.entries) <= 3
        born = found.entries[0].event
        assert min(looked) >= born - FIRST_STRETCH - 1 and len(looked) < 2 * FIRST_STRETCH + 1


@pytest.fixture(scope="module")
def queue() -> Session:
    return ran("queues-classroom", "vqs", events=300)


@pytest.fixture(scope="module")
def phases() -> Session:
    return ran("jrs-classroom", events=200)


@pytest.fixture(scope="module")
def moldable() -> Session:
    return ran("moldable-classroom", events=400)


class TestReservation:
    def test_a_server(self):
        session = ran("dra-classroom", events=150)
        frame = session.frame()
        state, derived = frame.state, frame.derived
        for server in range(frame.info.numbers.servers):
            facts = facts_of(described(session, Thing("server", server)))
            jobs, slots = state.placement[server].sum(), state.configuration[server].sum()
            assert facts["filled"].startswith(f"{jobs} of {slots} slot")
            assert f"index {derived.index[server]}, rank {derived.rank[server]}" in facts["place"]
            group = "Reject Group" if derived.reject_group[server] else "Accept Group"
            assert facts["group"] == group
            numbers = frame.info.numbers
            used = state.placement[server] @ numbers.demand
            for d, name in enumerate(numbers.resource_names):
                free = 100 * (1 - used[d] / numbers.capacity[d])
                assert float(facts[f"free {name}"].split("\u202f")[0]) == pytest.approx(free, 0.01)

    def test_without_reservation_there_are_no_groups(self):
        session = ran("dra-classroom", "first-fit", events=50)
        facts = facts_of(described(session, Thing("server", 0)))
        assert "group" not in facts and "configuration k" not in facts
        assert facts["jobs"] == str(session.timeline.state.placement[0].sum())


class TestQueue:
    def test_a_server(self, queue):
        session = queue
        state, numbers = session.timeline.state, session.bench.numbers
        facts = facts_of(described(session, Thing("server", 1)))
        used = numbers.amount(int(state.used[1, 0]))
        assert facts["in use"] == f"{float(used):g} of 1"
        assert facts["room left"] == f"{float(1 - used):g}"
        active = session.info.facts.configurations[state.active[1]]
        weight = int(active @ state.queue_length)
        assert facts["weight ⟨k, Q⟩ now"] == str(weight)
        assert facts["jobs"] == str(state.jobs_on[1])

    def test_a_job_that_waits_says_why(self, queue):
        session = queue
        state = session.timeline.state
        waiting = np.flatnonzero((state.job_number >= 0) & (state.job_server < 0))
        record = int(waiting[np.argmin(state.job_number[waiting])])
        facts = facts_of(described(session, Thing("job", int(state.job_number[record]))))
        since = session.timeline.time - state.job_arrival[record]
        assert facts["has waited"] == f"{since:.0f} slots"
        queue = int(state.job_queue[record])
        assert facts["place in line"].endswith(f" of {state.queue_length[queue]}")
        assert "k" in facts["still waits"] or "residual" in facts["still waits"]

    def test_a_queue(self, queue):
        session = queue
        state = session.timeline.state
        for queue, length in enumerate(state.queue_length.tolist()):
            description = described(session, Thing("queue", queue))
            facts = facts_of(description)
            assert facts["length"].startswith(f"{length} job")
            assert len(description.table.lines) == min(length, 50)
            assert description.curve.values[-1] == length
            head = int(state.first_waiting[queue])
            if head >= 0:
                assert facts["head of line"].startswith(f"job {state.job_number[head]}, for")
                assert description.table.lines[0].thing == Thing("job", state.job_number[head])
        assert facts_of(described(session, Thing("queue", 1)))["sizes"] == "(1/2, 2/3] of a server"

    def test_a_stalled_server_says_so(self):
        session = Session.open("queues-classroom", "vqs-bf:stall=true", kernel=False)
        session.run(events=2000, stop=("stall",))
        server = int(np.flatnonzero(session.timeline.state.stalled)[0])
        facts = facts_of(described(session, Thing("server", server)))
        assert facts["stalled"] == "it takes no job until it is empty"
        told = searched(session, Thing("server", server)).entries[-1]
        assert "is stalled until it is empty" in told.sentence


class TestPhases:
    def test_servers_know_their_tokens(self, phases):
        session = phases
        state = session.timeline.state
        for server in range(session.info.facts.normal_servers):
            facts = facts_of(described(session, Thing("server", server)))
            out = int(state.tokens_on[server])
            assert facts.get("paused", "0").split()[0] == str(out)
            assert sum(label.startswith("token ") for label in facts) == out
            use, whole = int(state.use[server, 0]), int(session.bench.numbers.capacity[0])
            unit = session.bench.numbers.unit[0]
            assert facts["in use"] == f"{float(use * unit):.4g} of {float(whole * unit):.4g}"
            assert facts["now"]

    def test_a_token_says_who_asked_and_what_became_of_it(self, phases):
        session = phases
        state = session.timeline.state
        pool, kind, place = np.argwhere(state.token_number >= 0)[0]
        token = int(state.token_number[pool, kind, place])
        facts = facts_of(described(session, Thing("token", token)))
        asker = state.token_server[pool, kind, place] + 1
        assert facts["asked for by"] == f"server {asker}"
        taken = int(state.job_token.max())
        job = int(state.job_number[np.flatnonzero(state.job_token == taken)[0]])
        assert facts_of(described(session, Thing("token", taken)))["by"] == f"job {job}"
        gone = searched(session, Thing("token", 3)).entries
        assert len(gone) == 2 and "asks for" in gone[0].sentence

    def test_a_backup_server_and_its_job(self, phases):
        session = phases
        state = session.timeline.state
        record = int(state.backup_record[0][state.backup_record[0] >= 0][0])
        backup = int(state.job_server[record])
        description = described(session, Thing("server", backup))
        job = Thing("job", int(state.job_number[record]))
        assert [line.thing for line in description.table.lines] == [job]
        assert facts_of(described(session, job))["on"] == f"backup server {FIRST_BACKUP - backup + 1}"

    def test_marks_have_the_letters_that_the_servers_have(self, phases):
        names, seen = phases.info.numbers.model.phases, set()
        for server in range(len(phases.timeline.state.jobs_on)):
            table = described(phases, Thing("server", server)).table
            for line in table.lines if table is not None else ():
                assert line.cells[1] == names[line.type] and line.letter == own_letters(names)[line.type]
                seen.add(line.letter)
        assert seen


class TestMoldable:
    def test_a_server_and_its_job(self, moldable):
        session = moldable
        state = session.timeline.state
        for server in range(session.info.numbers.servers):
            facts = facts_of(described(session, Thing("server", server)))
            record = int(state.server_job[server])
            if record < 0:
                assert facts["runs"] == "nothing: it is free"
                continue
            assert facts["runs"] == f"job {state.job_number[record]}"
            assert facts["asked for"].split()[0] == str(state.job_request[record])
            assert facts["got"].split()[0] == str(state.job_width[record])

    def test_a_job_in_pieces_is_in_the_history_of_all_its_servers(self, moldable):
        session = moldable
        rows = session.timeline.rows(1, session.timeline.live_end)
        split = rows[(rows["flags"] & FLAG_SPLIT > 0) & (rows["kind"] == ARRIVAL)][-1]
        state = session.timeline.fork_at(int(split["event"]))
        record = int(np.flatnonzero(state.job_number == split["job"])[0])
        mine = np.flatnonzero(state.server_job == record)
        assert len(mine) == split["width"]
        for server in mine.tolist():
            events = [told.event for told in searched(session, Thing("server", server)).entries]
            assert int(split["event"]) in events

    def test_a_class(self, moldable):
        session = moldable
        tally = session.timeline.state.tally
        facts = facts_of(described(session, Thing("class", 0)))
        assert facts["arrived"] == str(tally[0, 0])
        assert facts["blocked"].split(",")[0] == str(tally[2, 0])


@pytest.mark.parametrize("scenario", ["dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom"])
def test_what_is_not_there_is_said_to_be_absent(scenario):
    session = ran(scenario, events=40)
    inspector = session.bench.kind.inspector
    for what in inspector.things:
        assert described(session, Thing(what, 10**6)).absent
    assert "not arrived yet after event 40" in described(session, Thing("job", 10**6)).absent
    gone = next(n for n in range(100) if n not in session.timeline.state.job_number)
    if gone < session.bench.system.initial_jobs + session.timeline.state.number[1]:
        assert "its history says why" in described(session, Thing("job", gone)).absent
