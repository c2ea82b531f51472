"""Links open only moments of what the program ships with, whoever made the link."""

from __future__ import annotations

import random
from pathlib import Path
from urllib.parse import quote

import pytest

from slotscope.model.cli.arguments import parse
from slotscope.model.cli.links import link_of
from slotscope.model.cli.parser import UsageError
from slotscope.model.running.origin import Moment, Origin, opening_line
from slotscope.model.scenario.files import scenario_files

POLICIES = ("dra", "first-fit", "dra:reservation_factor=log^2", "power-of-d:choices=5", "dra@12=first-fit")


def same(line: str, link: str) -> None:
    """Assert that a link and a command line open the same."""
    import shlex

    by_line, by_link = vars(parse(shlex.split(line)[1:])), vars(parse([link]))
    assert by_line == by_link


def test_a_link_opens_what_the_line_opens(pytestconfig: pytest.Config) -> None:
    chance = random.Random(int(pytestconfig.option.hypothesis_seed))
    for _ in range(20):
        lanes = chance.randint(1, 3)
        seed, policies = chance.randrange(2**31), chance.sample(POLICIES, lanes)
        origins = [Origin("dra-vms", policy, seed) for policy in policies]
        events = tuple(chance.randrange(10**6) for _ in range(chance.choice((1, lanes))))
        moment = Moment(events, chance.randrange(9), 0)
        link = link_of(origins, moment)
        assert link.startswith("slotscope://open?scenario=dra-vms&policy=") and " " not in link
        same(opening_line(origins, moment), link)


def test_no_link_names_a_file(tmp_path: Path) -> None:
    moment = Moment((4,))
    assert link_of([Origin("dra-vms", "dra", 1)], moment)
    assert not link_of([Origin(str(tmp_path / "mine.toml"), "dra", 1)], moment)
    assert not link_of([Origin("dra-vms", "mine.py", 1)], moment)
    assert not link_of([Origin("dra-vms", "dra", 1, ("trace.csv",))], moment)
    assert not link_of([Origin("", "dra", 1)], moment)
    assert not link_of([Origin("dra-vms", "dra", 1), Origin("dra-vms", "dra@9=/tmp/mine.py", 1)], moment)
    assert not link_of([Origin("jrs-classroom", "jrs:plan=plan.json", 1)], moment)


def test_a_fork_under_other_rules_has_its_link() -> None:
    for edits in ('{"job_types.0.reward":"3/5"}', '{"policy.name":"first-fit"}'):
        assert link_of([Origin("dra-vms", f"dra@12+{edits}", 1)], Moment((14,)))


def test_what_stands_in_the_folder_takes_no_link_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dra").mkdir()
    monkeypatch.chdir(tmp_path)
    assert link_of([Origin("dra-vms", "dra", 1)], Moment((4,)))


HOSTILE = {
    "a policy's file": "scenario=dra-vms&policy=evil.py",
    "a policy's file by its path": "scenario=dra-vms&policy=%2Ftmp%2Fevil.py",
    "a policy's file with parameters": "scenario=dra-vms&policy=evil.py:most=2",
    "a policy's file after a change": "scenario=dra-vms&policy=dra@3=evil.py",
    "a second policy's file": "scenario=dra-vms&policy=dra&policy=%5C%5Chost%5Cshare%5Cevil.py",
    "a policy's file on a host": "scenario=dra-vms&policy=%2F%2Fhost%2Fevil.py",
    "a policy's file in an edit": "scenario=dra-vms&policy=dra@3%2B" + quote('{"policy.name":"evil.py"}'),
    "a policy's file in an edit of its table": "scenario=dra-vms&policy=dra@3%2B"
    + quote('{"policy":{"name":"evil.py"}}'),
    "a policy of a package in an edit": "scenario=dra-vms&policy=dra@3%2B" + quote('{"policy.name":"other"}'),
    "a policy of a package in a scenario": "scenario=dra-vms&policy=dra@3%2B"
    + quote('{"":{"policy":{"name":"other"}}}'),
    "a trace in an edit": "scenario=dra-google&policy=dra@3%2B" + quote('{"workload.paths":["/etc/passwd"]}'),
    "an edit that is none": "scenario=dra-vms&policy=dra@3%2B" + quote('{"title"'),
    "edits without end": "scenario=dra-vms&policy=dra@3%2B" + "[" * 1500,
    "a plan's file": "scenario=jrs-classroom&policy=jrs:plan=%2Fetc%2Fpasswd",
    "a plan's file beside": "scenario=jrs-classroom&policy=jrs:plan=HERE",
    "a scenario's file": "scenario=evil.toml&policy=dra",
    "a scenario's file by its path": "scenario=%2E%2E%2Fevil.toml&policy=dra",
    "a session": "scenario=evil.slotscope",
    "an option": "scenario=--trace%3D%2Fetc%2Fpasswd",
    "an option as a seed": "scenario=dra-vms&seed=--trace",
    "a command": "scenario=trust&policy=dra",
    "a trace": "scenario=dra-vms&trace=%2Fetc%2Fpasswd",
    "no scenario": "policy=dra",
    "two scenarios": "scenario=dra-vms&scenario=dra-gcp",
    "four policies": "scenario=dra-vms" + "&policy=dra" * 4,
    "lines": "scenario=dra-vms%0A--trace",
    "no text": "scenario=%FF%FE",
    "what is no field": "scenario",
    "nothing": "",
    "a policy too long for a file": "scenario=dra-vms&policy=" + "d" * 300,
    "very much": "scenario=dra-vms&policy=" + "d" * 5000,
    "a moment that is none": "scenario=dra-vms&event=1e9",
    "a link in a link": f"scenario={quote('slotscope://open?scenario=dra-vms', safe='')}",
}


@pytest.mark.parametrize("fields", HOSTILE.values(), ids=HOSTILE)
def test_hostile_links_are_refused_in_a_line(fields: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(marker)!r}, 'w')\n", encoding="utf-8")
    (tmp_path / "HERE").write_text("{}", encoding="utf-8")
    scenario = scenario_files()["dra-classroom"].read_text("utf-8")
    (tmp_path / "evil.toml").write_text(scenario.replace('name = "dra"', 'name = "evil.py"'), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as refusal:
        parse([f"slotscope://open?{fields}"])
    assert "\n" not in refusal.value.line and "allowed" in refusal.value.line and len(refusal.value.line) < 700
    assert not marker.exists()


def test_other_words_are_refused() -> None:
    for link in (
        "slotscope://quit",
        "slotscope://",
        "slotscope://open/?scenario=dra-vms",
        "slotscope://x@open?scenario=a",
    ):
        with pytest.raises(UsageError, match="this link is not opened"):
            parse([link])
