"""A policy's file runs only if the user has named or allowed it, even if another file names it."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Callable

import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.file import load_run, save_run
from slotscope.model.errors import UntrustedPolicyError
from slotscope.model.policies.own import trust
from slotscope.model.policies.own.file import read_policy
from slotscope.model.scenario.load import edited, load_scenario, scenario_text
from tests.own_policies import source, write

Command = Callable[..., object]


@pytest.fixture(autouse=True)
def _nothing_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start without any named or allowed file."""
    monkeypatch.setattr(trust, "_named", set())
    monkeypatch.setattr(trust, "_allowed", set())


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """A file that exists once the policy's text was executed."""
    return tmp_path / "ran"


@pytest.fixture
def scenario(tmp_path: Path, ran: Path) -> str:
    """A scenario of another author, which names a policy's file beside it."""
    write(tmp_path, f"open({str(ran)!r}, 'w').close()\n{source()}", "helper.py")
    path = tmp_path / "theirs.toml"
    theirs = edited(load_scenario("dra-classroom"), {"policy": {"name": "helper.py"}})
    path.write_text(scenario_text(theirs))
    return str(path)


@pytest.mark.parametrize(
    "command",
    [
        "run {0} --until 5",
        "trace {0} --events 5",
        "verify {0} --events 5",
        "{0}",
        "screenshot {0} --at 1 --out x.png",
        "run {0} --policy dra --policy theirs.py --until 5",
        "sweep {0} --vary servers.count=3,4 --until 5",
    ],
)
def test_what_a_scenario_names_is_not_run(
    command: str, scenario: str, ran: Path, slotscope: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    said = slotscope(command.format(quote(scenario)))
    assert said.code == 2
    assert not ran.exists()
    if "theirs.py" not in command:
        folder = Path(scenario).parent
        last = said.err.splitlines()[-1]
        assert f"{scenario} wants to run {folder / 'helper.py'}" in last or "sweep" in command
        assert f"slotscope trust {quote(str(folder / 'helper.py'))}" in last


@pytest.mark.parametrize("command", ["bounds {0}", "bounds {0} --json", "list"])
def test_what_needs_no_policy_runs_none(command: str, scenario: str, ran: Path, slotscope: Command) -> None:
    assert slotscope(command.format(quote(scenario))).code == 0
    assert not ran.exists()


def test_a_file_that_is_named_runs_and_is_known_from_then_on(
    scenario: str, ran: Path, slotscope: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper = Path(scenario).parent / "helper.py"
    assert slotscope("run dra-classroom --until 5 --policy", helper).code == 0
    assert ran.exists()
    monkeypatch.setattr(trust, "_named", set())  # as after a restart of the program
    monkeypatch.setattr(trust, "_allowed", set())
    assert slotscope("run --until 5", scenario).code == 0


def test_a_file_is_allowed_once_as_long_as_its_text_stays(scenario: str, ran: Path, slotscope: Command) -> None:
    helper = Path(scenario).parent / "helper.py"
    assert slotscope("trust", helper).code == 0
    assert not ran.exists()
    assert slotscope("run --until 5", scenario).code == 0
    assert ran.exists()
    ran.unlink()
    helper.write_text(helper.read_text() + "\n# changed\n")
    assert slotscope("run --until 5", scenario).code == 2
    assert not ran.exists()


def test_a_module_beside_a_file_is_allowed_with_it(scenario: str, ran: Path, slotscope: Command) -> None:
    helper, module = Path(scenario).parent / "helper.py", Path(scenario).parent / "more.py"
    helper.write_text(f"import more\n{helper.read_text()}")
    module.write_text("")
    assert slotscope("trust", helper).code == 0
    module.write_text("# changed\n")
    assert slotscope("run --until 5", scenario).code == 2
    assert not ran.exists()
    assert slotscope("trust", helper).code == 0
    assert slotscope("run --until 5", scenario).code == 0


def test_a_folder_that_cannot_be_written_loses_only_the_memory(
    scenario: str, slotscope: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    helper = Path(scenario).parent / "helper.py"
    assert slotscope("run dra-classroom --until 5 --policy", helper).code == 0
    monkeypatch.setattr(trust, "_allowed", set())
    said = slotscope("trust", helper)
    assert (said.code, said.out) == (2, "")
    assert "allowed-policies.txt: cannot be written: " in said.err


@pytest.mark.parametrize("lanes", [1, 2])
def test_a_session_runs_no_file_that_nobody_allowed(
    lanes: int, scenario: str, ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper, path = str(Path(scenario).parent / "helper.py"), tmp_path / "theirs.slotscope"
    run = (
        Session.open("dra-classroom", helper, kernel=False)
        if lanes == 1
        else Comparison.open("dra-classroom", ["dra", helper], kernel=False)
    )
    run.run(events=10)
    save_run(run, path)
    ran.unlink()
    monkeypatch.setattr(trust, "_named", set())
    monkeypatch.setattr(trust, "_allowed", set())
    trust.record().unlink()
    with pytest.raises(UntrustedPolicyError, match=f"^{path} wants to run"):
        load_run(path, kernel=False)
    assert not ran.exists()
    trust.allow_text(helper, read_policy(helper))
    assert load_run(path, kernel=False).timeline.event == 10
