"""User policies in every kind of system: they run as built-in ones do, or fail with an error of one line."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.companion import companion
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.errors import PolicyFileError, UserError
from slotscope.model.policies import POLICIES_OF, template_of
from slotscope.model.systems.state import digest
from tests.contract.moments import SMALL
from tests.contract.own_kinds import CASES, POLICIES, REMEMBERING, text_of, written
from tests.own_policies import line_of, write

ROOT = Path(__file__).resolve().parents[2]

EVENTS = 120

#: From this event on a wrong policy makes wrong decisions.
BAD = 40

KIND = pytest.mark.parametrize("system", CASES)


def opened(path: str, system: str, **changes: int) -> Session:
    return Session.open(SMALL[system], path, kernel=False, **changes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "policy"),
    [pytest.param(system, policy, id=f"{system}-{policy}") for system in CASES for policy in POLICIES_OF[system]],
)
def test_a_copy_of_a_reference_comes_to_the_same_states(tmp_path: Path, system: str, policy: str) -> None:
    """The text of a built-in reference policy is a valid user policy without any change."""
    module = import_module(POLICIES_OF[system][policy])
    assert module.__file__ is not None
    path = write(tmp_path, Path(module.__file__).read_text(encoding="utf-8"))
    try:
        built_in = Session.open(SMALL[system], policy, kernel=False)
    except UserError as error:
        with pytest.raises(UserError, match="found"):
            opened(path, system)
        assert error.line
        return
    mine = opened(path, system)
    for event in (1, EVENTS // 2, EVENTS):
        for session in (mine, built_in):
            session.seek(event)
        assert digest(mine.timeline.state) == digest(built_in.timeline.state)
    lines = tuple(line for line in mine.info.pseudocode if line.heading != "Your file")  # the class adds these
    assert lines == built_in.info.pseudocode


@pytest.mark.slow
@KIND
def test_the_template_and_the_example_run(tmp_path: Path, system: str) -> None:
    assert lines_of_code(template_of(system)) <= 15
    for path in (write(tmp_path, template_of(system)), str(POLICIES / CASES[system].example)):
        session = opened(path, system)
        for event in range(1, EVENTS):
            session.seek(event)
            assert not session.bench.kind.violations(session.bench.system, session.timeline.state)
            assert session.info.narrator.row(session.frame().rows[-1])
            for record in session.last_records:
                assert session.info.narrator.record(record)
        session.lookout.look(session.timeline.event, session.timeline.state)
        assert {reading.standing for reading in session.lookout.readings} == {"holds"}


def lines_of_code(text: str) -> int:
    """The number of lines that are not blank, a comment or a docstring."""
    text = re.sub(r'"""(.|\n)*?"""', "", text)
    return sum(bool(line.split("#")[0].strip()) for line in text.splitlines())


def test_the_examples_of_the_manual_run(tmp_path: Path) -> None:
    """There is one for each kind, with at most 15 lines; those that are also shipped as files equal the files."""
    page = (ROOT / "resources" / "help" / "own-policy.md").read_text(encoding="utf-8")
    page = page.partition("## It can be fast")[0]  # that kernel: tests/model/test_own_kernels.py
    texts = [part.split("```")[0] for part in page.split("```python\n")[1:]]
    systems = [text.partition("model.kinds.")[2].partition(".")[0] for text in texts]
    assert sorted(systems) == sorted(CASES)
    for system, text in zip(systems, texts, strict=True):
        assert lines_of_code(text) <= 15
        session = opened(write(tmp_path, text), system)
        session.run(events=EVENTS)
        assert not session.bench.kind.violations(session.bench.system, session.timeline.state)
        shipped = (POLICIES / CASES[system].example).read_text(encoding="utf-8")
        assert system == "reservation" or shipped.endswith(f'"""\n\n{text}')


@pytest.mark.slow
@KIND
@pytest.mark.parametrize("name", sorted({name for case in CASES.values() for name in case.wrong}))
def test_a_wrong_decision_is_told_with_its_line(tmp_path: Path, system: str, name: str) -> None:
    case = CASES[system]
    if name not in case.wrong:
        return
    what, said = case.wrong[name]
    wrong = "".join(f"    {line}\n" for line in what.splitlines())
    text = text_of(system, f"if view.event + 1 >= {BAD}:\n{wrong}{case.right}")
    session = opened(write(tmp_path, text), system)
    good = opened(write(tmp_path, text_of(system, case.right), "good.py"), system)
    with pytest.raises(PolicyFileError) as raised:
        session.run(events=1000)
    assert said in raised.value.line
    head = line_of(text, "def ")  # errors found at the end of an event name this line
    assert head <= int(raised.value.where.rpartition(" ")[2]) <= head + 1 + len(what.splitlines())
    event = session.timeline.event
    assert f"at event {event + 1} (" in raised.value.line
    assert event >= BAD - 1
    good.run(events=event)
    assert digest(session.timeline.state) == digest(good.timeline.state)
    session.seek(5)
    session.seek(event)
    assert len(session.frame().rows) == event


@KIND
def test_history_can_be_walked_and_memory_goes_along(tmp_path: Path, system: str) -> None:
    session = opened(written(tmp_path, system, REMEMBERING + CASES[system].right), system)
    marks = {}
    for event in (3, 4, 60, 110):
        session.seek(event)
        marks[event] = digest(session.timeline.state), session.timeline.state.memory[0]
    assert marks[110][1] > marks[60][1] > 0
    for event in (60, 110, 3, 4):
        session.seek(event)
        assert (digest(session.timeline.state), session.timeline.state.memory[0]) == marks[event]


@KIND
def test_steps_carry_the_line_of_the_file(tmp_path: Path, system: str) -> None:
    text = text_of(system, "yield say('now', event=view.event)\n" + CASES[system].right)
    session = opened(write(tmp_path, text), system)
    while not any(record.kind == "now" for record in session.timeline.records):
        session.step_into()
    record = session.timeline.records[-1]
    assert record.line is not None
    assert record.line.number == line_of(text, "say('now'")
    shown = {line.line: line.text for line in session.info.pseudocode}
    assert shown[record.line].startswith("<b>yield</b> say(&#x27;now")
    assert session.info.narrator.record(record) == f"now: event = {session.timeline.event}"


@KIND
def test_a_session_is_saved_and_reopened(tmp_path: Path, system: str) -> None:
    session = opened(written(tmp_path, system, REMEMBERING + CASES[system].right), system)
    session.seek(77, 1)
    session.save(tmp_path / "run.slotscope")
    again = Session.load(tmp_path / "run.slotscope", kernel=False)
    assert (again.timeline.event, again.timeline.substep) == (77, 1)
    for item in (session, again):
        item.seek(50)
    assert digest(again.timeline.state) == digest(session.timeline.state)
    assert again.timeline.state.memory[0] > 0


@KIND
def test_it_runs_beside_others_and_is_gone_on_with(tmp_path: Path, system: str) -> None:
    """It runs in a comparison with a built-in policy of its kind."""
    path = written(tmp_path, system, REMEMBERING + CASES[system].right)
    session = Session.open(SMALL[system], next(iter(POLICIES_OF[system])), kernel=False)
    both = Comparison.of([session, companion(session, path, False)])
    both.run(events=100)
    assert both.timeline.time > 0
    assert len(both.frame().companions) == 1


@KIND
def test_a_class_without_its_method_is_told(tmp_path: Path, system: str) -> None:
    text = text_of(system, "pass\n").partition("    memory")[0] + "    pass\n"
    occasion = CASES[system].occasion
    with pytest.raises(PolicyFileError, match=f"no method .*, allowed: def {occasion.partition('(')[0]}"):
        opened(write(tmp_path, text), system)


@KIND
@pytest.mark.parametrize("arguments", ["self", "self, numbers, parameters"])
def test_an_init_need_not_call_that_of_its_base(tmp_path: Path, system: str, arguments: str) -> None:
    init = f"memory = 1\ndef __init__({arguments}):\n    self.mine = 3\n"
    session = opened(written(tmp_path, system, CASES[system].right + "self.numbers, self.parameters\n", init), system)
    session.run(events=10)
    assert session.timeline.event == 10


@KIND
def test_a_class_need_not_start_from_that_of_its_kind(tmp_path: Path, system: str) -> None:
    session = opened(write(tmp_path, text_of(system, CASES[system].right).replace("(OwnPolicy)", "")), system)
    session.run(events=10)
    assert session.timeline.event == 10


@KIND
def test_a_file_of_another_kind_is_refused(tmp_path: Path, system: str) -> None:
    other = next(name for name in SMALL if name != system)
    with pytest.raises(UserError, match=f"a policy of {system} systems, allowed for this scenario: "):
        Session.open(SMALL[other], write(tmp_path, template_of(system)), kernel=False)
