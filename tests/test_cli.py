"""The commands' output, and that it can be relied on."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.cli import verify as verify_module
from slotscope.model.cli.arguments import parse
from slotscope.model.cli.output import print_json
from slotscope.model.comparison.runs import stand_at
from slotscope.model.kinds.reservation.rows import FLAG_MIGRATED, FLAG_REASSIGNED, FLAG_REJECTED
from slotscope.model.kinds.reservation.state import ADMITTED, ARRIVED, I_STAR
from slotscope.model.lab import experiments
from slotscope.model.policies import POLICIES, POLICIES_OF
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario
from tests.runs import ran
from tests.sound import violations

ROOT = Path(__file__).resolve().parent.parent

#: The golden instances that agree with DRA running CRA at every event.
GOLDEN_DRA = (
    "t01_example2",
    "t02_migration",
    "t03_reject_free_slot",
    "t04_Istar_less_than_J",
    "t05_rank_Jplus1_accepts",
    "t06_departure_from_RG",
    "t07_negative_r",
    "t08_real_g",
)

MEASURES = {"reward_rate", "admitted", "rejected", "migrations"}


def test_the_version_is_that_of_the_package(slotscope):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    said = slotscope("--version")
    assert (said.code, said.out, said.err) == (0, f"slotscope {declared}\n", "")


class TestList:
    def test_it_names_what_there_is(self, answer):
        found = answer("list")
        names = {kind: [item["name"] for item in items] for kind, items in found.items()}
        files = [path.stem for path in (ROOT / "resources" / "scenarios").glob("*.toml")]
        assert sorted(names["scenarios"]) == sorted(files)
        assert names["policies"] == [name for each in POLICIES_OF.values() for name in each]
        assert names["experiments"] == list(experiments())

    def test_each_entry_says_what_it_is(self, answer):
        for items in answer("list").values():
            for item in items:
                assert set(item) == {"name", "title", "system", "paper"}
                assert all(item.values()), item

    def test_text_has_each_name(self, slotscope):
        said = slotscope("list")
        assert said.code == 0
        for name in (*scenario_files(), *POLICIES, *experiments()):
            assert re.search(rf"^{name} ", said.out, flags=re.MULTILINE)

    @pytest.mark.parametrize(
        ("command", "unused"),
        [
            ("list", {"numpy", "pydantic", "scipy"}),
            ("run dra-classroom --until 20", {"numba", "scipy", "slotscope.model.policies.own.file"}),
            ("bounds dra-classroom", {"numba", "scipy", "slotscope.model.traces.formats"}),
        ],
    )
    def test_commands_import_nothing_heavy_that_they_do_not_use(self, command, unused):
        code = (
            f"import sys; from slotscope.__main__ import main; code = main({command.split()}); "
            f"print(code, *sorted({unused} & set(sys.modules)), file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stderr == "0\n"


class TestRun:
    def test_json_has_what_scripts_rely_on(self, answer):
        found = answer("run dra-example-1 --until 50")
        assert found["scenario"] == "dra-example-1"
        assert found["policy"] == "dra"
        assert found["seed"] == 1
        assert found["time"] == 50
        assert found["events"] > 500
        assert found["events_per_second"] > 0
        assert set(found["metrics"]) >= MEASURES
        assert all(set(item) == {"mean", "half_width"} for item in found["metrics"].values())
        assert re.fullmatch("[0-9a-f]{32}", found["digest"])

    def test_a_seed_makes_it_repeatable_byte_for_byte(self, slotscope):
        command = "run dra-example-1 --until 30 --seed 5 --json"
        first, second = slotscope(command), slotscope(command)
        assert first.out == second.out
        assert json.loads(first.out)["events_per_second"] is None
        assert slotscope("run dra-example-1 --until 30 --seed 6 --json").out != first.out

    def test_timing_can_be_asked_for_and_refused(self, answer):
        timed = answer("run dra-example-1 --until 5 --seed 5 --timing")
        silent = answer("run dra-example-1 --until 5 --no-timing")
        assert timed["events_per_second"] > 0
        assert silent["events_per_second"] is None

    def test_text_repeats_too(self, slotscope):
        command = "run dra-example-1 --until 30 --seed 5"
        said = slotscope(command)
        assert said.out == slotscope(command).out
        assert "reward_rate" in said.out

    def test_its_last_line_leads_to_the_same_digest(self, slotscope, answer):
        text = slotscope("run dra-classroom --until 30 --seed 5").out
        digest = answer("run dra-classroom --until 30 --seed 5")["digest"]
        line = text.splitlines()[-1]
        assert line.startswith("this end: slotscope dra-classroom ")
        options = parse(shlex.split(line.partition("slotscope ")[2]))
        session = Session.open(options.scenario, options.policy, options.seed, kernel=False)
        stand_at(session, options.event)
        assert session.timeline.mark() == digest

    def test_its_last_line_is_the_one_that_the_window_copies(self, slotscope, tmp_path):
        file = tmp_path / "my cluster.toml"
        shutil.copy(ROOT / "resources" / "scenarios" / "dra-classroom.toml", file)
        name = f"./{file.name}"
        said = slotscope(f"run '{name}' --until 5 --seed 3 --policy first-fit").out
        session = Session.open(name, "first-fit", 3, kernel=False)
        session.run(until=5)
        line = said.splitlines()[-1].removeprefix("this end: ")
        assert line == session.info.opening_line(session.timeline.event)
        assert str(file) in shlex.split(line)

    @pytest.mark.parametrize("policy", ["dra", "first-fit"])
    def test_both_engines_measure_the_same(self, answer, policy):
        command = f"run dra-classroom --policy {policy} --until 120 --seed 3"
        reference = answer(f"{command} --engine reference")
        other = answer(f"{command} --engine kernel")
        assert answer(command) == reference  # it is finished before the compiled twin would be loaded
        assert reference.pop("engine") == "reference"
        assert other.pop("engine") == "kernel"
        assert reference == other

    def test_a_long_run_is_compiled(self, answer):
        assert answer("run dra-classroom --until 1500")["engine"] == "kernel"

    def test_another_policy_is_obeyed(self, answer):
        found = answer("run dra-classroom --until 30 --policy first-fit")
        assert found["policy"] == "first-fit"
        assert found["metrics"]["migrations"]["mean"] == 0

    def test_replications_are_runs_with_the_next_seeds(self, answer):
        command = "run dra-example-1 --until 40 --warmup 4"
        together = answer(f"{command} --seed 7 --replications 3")
        alone = [answer(f"{command} --seed {seed}") for seed in (7, 8, 9)]
        assert together["events"] == sum(run["events"] for run in alone)
        for name, item in together["metrics"].items():
            means = np.array([run["metrics"][name]["mean"] for run in alone])
            assert item["mean"] == pytest.approx(means.mean())
            # Student's quantile for three values.
            assert item["half_width"] == pytest.approx(4.302652729911275 * means.std(ddof=1) / 3**0.5)

    @pytest.mark.parametrize("policies", ["", " --policy dra --policy first-fit"])
    def test_its_measures_are_written_as_a_table(self, answer, tmp_path, policies):
        data = answer(f"run dra-classroom --until 100{policies} --to measures.csv")
        with (tmp_path / "measures.csv").open(encoding="utf-8", newline="") as file:
            rows = [*csv.DictReader(file)]
        means = [mean for run in data.get("policies", [data]) for mean in run["metrics"].values()]
        assert [float(row["mean"]) for row in rows] == [mean["mean"] for mean in means]
        differences = [item for other in data.get("differences", []) for item in other["metrics"].values()]
        paired = [float(row["difference"]) for row in rows if row.get("difference")]
        assert paired == [item["mean"] for item in differences]

    def test_counts_lie_between_warm_up_and_end(self, answer):
        whole = answer("run dra-example-1 --until 40 --warmup 0")["metrics"]
        part = answer("run dra-example-1 --until 40 --warmup 20")["metrics"]
        assert 0 < part["admitted"]["mean"] < whole["admitted"]["mean"]

    @pytest.mark.parametrize(("given", "warmup"), [("", 20), ("--until 50", 5), ("--until 1000", 20)])
    def test_a_shorter_run_has_a_shorter_warm_up(self, answer, given, warmup):
        assert answer(f"run dra-example-1 {given}")["warmup"] == warmup

    def test_reward_on_180_servers_is_that_of_figure_3(self, answer):
        reward = answer("run dra-vms --until 400 --seed 1")["metrics"]["reward_rate"]
        assert abs(reward["mean"] / 618 - 0.839) < 0.003

    def test_a_job_type_that_fits_no_server_is_a_warning(self, slotscope, tmp_path):
        text = scenario_files()["dra-example-1"].read_text(encoding="utf-8")
        huge = text.replace("demand = { first = 1, second = 2 }", "demand = { first = 6 }")
        (tmp_path / "huge.toml").write_text(huge, encoding="utf-8")
        said = slotscope("run huge.toml --until 5 --json")
        assert said.code == 0
        assert said.err.startswith("slotscope: warning: ")
        assert "'cheap'" in said.err
        assert json.loads(said.out)["scenario"] == "huge.toml"

    def test_the_google_trace_runs_and_is_accounted_for(self, slotscope, shared_traces):
        path = shared_traces / "google2011" / "task_events-job_id-mod151eq2.csv.gz"
        said = slotscope("run dra-google --until 12000 --warmup 0 --json --trace", path)
        assert "the last recorded job arrives at 9445.22" in said.err
        found = json.loads(said.out)
        report = found["import"]
        assert (report["rows"], report["kept"]) == (2165, 485)
        assert found["metrics"]["admitted"]["mean"] + found["metrics"]["rejected"]["mean"] == 485
        assert "kept: 485 jobs" in slotscope("run dra-google --trace", path).out


class TestTrace:
    @pytest.mark.parametrize("name", GOLDEN_DRA)
    def test_golden_instances_come_out(self, lines, golden, name):
        path = golden(f"dra/{name}.json")
        wanted = json.loads(path.read_text(encoding="utf-8"))
        header, *steps = lines("trace", path)
        assert header["L"] == wanted["L"]
        assert Fraction(header["g"]) == Fraction(wanted["g"])
        assert (header["variant"], header["cra_mode"]) == ("dra", "event")
        assert header["initial"] == wanted["initial"]
        assert len(steps) == len(wanted["steps"])
        for mine, other in zip(steps, wanted["steps"], strict=True):
            assert mine["event"] == other["event"]
            assert mine["Y"] == other["Y"]
            assert mine["first_unmatched"] == other["first_unmatched"]
            assert _server_set(mine) == _server_set(other)

    def test_the_scenario_of_example_2_is_the_golden_one(self, lines, golden):
        wanted = json.loads(golden("dra/t01_example2.json").read_text(encoding="utf-8"))
        _, *steps = lines("trace dra-example-2")
        assert [_server_set(step) for step in steps] == [_server_set(step) for step in wanted["steps"]]

    def test_header_and_steps_have_their_keys(self, lines):
        header, *steps = lines("trace dra-classroom --events 7")
        assert set(header) >= {"instance", "L", "g", "variant", "cra_mode", "initial"}
        assert set(header["instance"]) >= {"sizes", "capacity", "rewards"}
        assert len(steps) == 8
        for step in steps:
            assert set(step) >= {"Y", "gpa", "Istar", "servers", "event", "actions"}
            assert len(step["servers"]) == 7

    @pytest.mark.parametrize(("events", "printed"), [("", 102), ("--events 0", 2)])
    def test_it_ends_by_itself(self, lines, events, printed):
        assert len(lines(f"trace dra-classroom {events}")) == printed

    def test_a_seed_makes_it_repeatable(self, slotscope):
        command = "trace dra-classroom --seed 4 --events 30 --json"
        assert slotscope(command).out == slotscope(command).out

    def test_sentences_are_numbered(self, slotscope):
        said = slotscope("trace dra-classroom --events 18")
        rows = [line.split()[0] for line in said.out.splitlines() if "start" not in line]
        assert rows[1:] == [str(event) for event in range(1, 19)]
        assert "training rejected" in said.out.splitlines()[-1]


def _server_set(step):
    """The servers of a step up to renaming, which are the same whatever the policy chooses among equals."""
    return sorted(
        (server["config"], server["jobs"], server["index"], server["group"], str(server["prank"]))
        for server in step["servers"]
    )


class TestBounds:
    def test_section_7_1(self, answer):
        found = answer("bounds dra-vms")
        assert found["optimal"] == pytest.approx(618)
        assert found["greedy"] == pytest.approx(1598 / 3)
        assert found["ratio"] == pytest.approx(799 / 927)
        curve = found["curve"]
        assert (curve["critical_low"], curve["critical_high"]) == ("6/7", "6")
        assert (curve["worst_ratio"], curve["worst_alpha"]) == ("799/927", "1")
        for program in found["programs"].values():
            assert set(program) >= {"objective", "status", "solution"}
            assert sum(item["servers"] for item in program["solution"]) == pytest.approx(1)

    @pytest.mark.parametrize(
        ("scenario", "ratio"), [("dra-appendix-c", "11/15"), ("dra-classroom", "49/64"), ("dra-example-1", "1")]
    )
    def test_ratios_of_the_scenarios(self, answer, scenario, ratio):
        found = answer(f"bounds {scenario}")
        exact = {name: Fraction(item["exact"]) for name, item in found["programs"].items()}
        assert exact["greedy"] / exact["optimum"] == Fraction(ratio)

    def test_text_has_both_programs(self, slotscope):
        said = slotscope("bounds dra-vms")
        assert re.search(r"^greedy .* 1598/3 ", said.out, flags=re.MULTILINE)
        assert re.search(r"^optimum .* 618 ", said.out, flags=re.MULTILINE)

    def test_a_script_without_workload_has_no_bounds(self, slotscope):
        said = slotscope("bounds dra-example-2 --json")
        assert json.loads(said.out)["ratio"] is None
        assert "unknown" in slotscope("bounds dra-example-2").err


class TestVerify:
    @pytest.mark.parametrize(
        ("policy", "scenario"),
        [
            (policy, name)
            for name in scenario_files()
            if name.startswith("dra-") and name != "dra-google"
            for policy in POLICIES_OF["reservation"]
        ],
    )
    def test_every_scenario_agrees(self, answer, slotscope, scenario, policy):
        command = f"verify {scenario} --policy {policy} --events 60"
        if (scenario, policy) == ("dra-example-2", "static-reservation"):
            assert "found no workload" in slotscope(command).err  # a scripted workload gives none
            return
        found = answer(command)
        assert found["agree"] is True
        assert found["violations"] == []
        if scenario != "dra-example-2":
            assert found["events"] == 60
        elif policy != "dra-periodic":  # its updates are events too
            assert found["events"] == 5

    def test_its_digest_is_that_of_a_run(self, answer):
        found = answer("verify dra-classroom --events 40")
        session = ran("dra-classroom", events=40)
        assert found["digest"] == session.timeline.mark()

    def test_a_planted_disagreement_is_found_at_its_event(self, slotscope, monkeypatch):
        honest = verify_module._one_event

        def slips(engine, state, row_dtype):
            result = honest(engine, state, row_dtype)
            if result.state.number[0] == 9:
                result.state.stamp[2] += 1
            return result

        monkeypatch.setattr(verify_module, "_one_event", slips)
        said = slotscope("verify dra-classroom --events 20 --json")
        found = json.loads(said.out)
        assert (said.code, found["agree"], found["events"]) == (1, False, 9)
        assert found["violations"][0].startswith("event 9: ")
        assert "stamp" in found["violations"][0]
        assert "DISAGREE" in slotscope("verify dra-classroom --events 20").out

    def test_a_broken_invariant_is_told(self, slotscope, monkeypatch):
        monkeypatch.setattr("slotscope.model.kinds.spec.violations", lambda *_: ["7 jobs in 6 slots"])
        said = slotscope("verify dra-classroom --events 2")
        assert said.code == 1
        assert "event 2: 7 jobs in 6 slots" in said.out

    def test_a_policy_without_twin_is_run_twice(self, slotscope, answer, monkeypatch):
        monkeypatch.setattr("slotscope.model.kinds.spec.Kind.kernels", {})
        assert answer("verify dra-classroom --events 10")["engines"] == ["reference"] * 2
        assert "no compiled twin" in slotscope("verify dra-classroom --events 10").out


def _no_slot(state):
    state.configuration[0] = 0
    state.placement[0, 0] = 1


def _too_large(state):
    state.configuration[0] = 100
    state.slots_in_system[...] = state.configuration.sum(axis=0)


def _lost_job(state):
    state.jobs_in_system[1] -= 1


def _undecided(state):
    state.tally[0, ARRIVED] += 1


def _from_nowhere(state):
    state.tally[0, [ARRIVED, ADMITTED]] += 1


def _unlinked(state):
    state.first_job[np.unravel_index(state.first_job.argmax(), state.first_job.shape)] = -1


def _heap_out_of_order(state):
    for array in (state.heap_time, state.heap_record):
        array[[0, 5]] = array[[5, 0]]


def _late(state):
    state.clock[0] += 1000


def _same_stamp(state):
    state.stamp[1] = state.stamp[0]


def _wrong_i_star(state):
    state.number[I_STAR] = 1 if state.number[I_STAR] != 1 else 2


def _wrong_count(state):
    state.greedy_count[0] -= 1


def _wrong_slots(state):
    state.slots_in_system[0] += 1


class TestInvariants:
    @pytest.fixture
    def moment(self):
        """A classroom after 60 events: (system, state)."""
        session = ran("dra-classroom", events=60)
        return session.bench.system, session.timeline.state

    def test_an_honest_state_breaks_none(self, moment):
        assert violations(*moment) == []

    @pytest.mark.parametrize(
        ("plant", "said"),
        [
            (_no_slot, "jobs of type 1 in 0 slots"),
            (_too_large, "exceeds its capacity"),
            (_wrong_slots, "slots, counted"),
            (_lost_job, "jobs are counted"),
            (_undecided, "were decided on"),
            (_from_nowhere, "came in and have not left"),
            (_unlinked, "the list of server"),
            (_heap_out_of_order, "not in order"),
            (_late, "is before the present"),
            (_same_stamp, "at the same moment"),
            (_wrong_i_star, "I\\*"),
            (_wrong_count, "GPA applied again"),
        ],
    )
    def test_each_planted_fault_is_told(self, moment, plant, said):
        system, state = moment
        plant(state)
        assert re.search(said, "\n".join(violations(system, state)))


class TestClassroom:
    """What the description of dra-classroom announces."""

    @pytest.fixture
    def rows(self):
        session = Session.open("dra-classroom", kernel=False)
        session.run(until=60)
        return session.timeline.rows(1, session.timeline.event)

    def test_its_description_names_the_events(self):
        text = load_scenario("dra-classroom").description
        assert dict.fromkeys(re.findall(r"event (\d+)", text)) == dict.fromkeys(["15", "18"])

    def test_event_15_is_a_migration_and_a_reassignment(self, rows):
        row = rows[14]
        assert row["flags"] & FLAG_MIGRATED
        assert row["flags"] & FLAG_REASSIGNED
        assert row["first_reassigned"] == row["source"]

    def test_event_18_is_a_rejection_although_a_server_has_room(self, rows):
        row = rows[17]
        assert row["flags"] & FLAG_REJECTED
        assert row["servers_with_room"] > 0
        assert row["time"] < 20


def test_a_number_that_json_lacks_is_null(capsys):
    print_json({"mean": [1.5, float("nan")], "most": float("inf")})
    assert json.loads(capsys.readouterr().out) == {"mean": [1.5, None], "most": None}


def test_few_events_are_told(slotscope, tmp_path: Path) -> None:
    """With three jobs intervals are meaningless, and the output says so; for a usual run it does not."""
    jobs = tmp_path / "jobs.csv"
    jobs.write_text("arrival,size,duration\n0,3,5\n1,5,5\n2,7,5\n", encoding="utf-8")
    few = slotscope("run moldable-swf --trace", jobs)
    assert few.code == 0 and "so few events in 20 batches that the intervals say little" in few.out
    assert "intervals say little" not in slotscope("run dra-example-1").out
