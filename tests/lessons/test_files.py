"""Files of lessons: what is read, what is refused and how, and that adding a moment changes nothing else."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.gui.library.__main__ import main
from slotscope.model.errors import UserError
from slotscope.model.lessons.files import add_step, find_lesson, lesson_files, load_lesson
from slotscope.model.lessons.marks import Mark, read_path, written_path
from slotscope.model.reporting.inspection import JOB, SERVER

LINE = "slotscope dra-classroom --policy dra --seed 171 --event 14.2"
HEAD = 'title = "T"\nlearn = "L"\n'
MARK = '[[steps.marks]]\npanel = "servers"\nshape = "note"\npath = "0.5,0.25"\ntext = "Here"\n'
STEP = f'[[steps]]\nmoment = "{LINE}"\ntext = "Said."\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_step_knows_its_place(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("", "utf-8")
    (tmp_path / "p.py").write_text("", "utf-8")
    line = "slotscope ./s.toml --policy p.py:a=1 --policy dra --seed 3 --event 4,5.2"
    text = HEAD + f'[[steps]]\nmoment = "{line}"\ntext = "x"\noutline = ["server 3", "job 12"]\n'
    path = written(tmp_path, text)
    step = load_lesson(path).steps[0]
    place = step.place(path.parent)
    assert [origin.source for origin in place.origins] == [str(tmp_path / "s.toml")] * 2
    assert [origin.policy for origin in place.origins] == [f"{tmp_path / 'p.py'}:a=1", "dra"]
    assert str(place.moment) == "4,5.2"
    assert (step.outlined(SERVER), step.outlined(JOB)) == (2, 12)
    assert "--event 4,5.2" in place.line


def test_a_run_is_that_of_a_step_by_all_its_policies(tmp_path: Path) -> None:
    first, second = ("dra --policy first-fit", "dra --policy best-fit")
    places = [
        load_lesson(written(tmp_path, HEAD + STEP.replace("dra --seed", f"{policies} --seed"))).steps[0].place(tmp_path)
        for policies in (first, second, "dra")
    ]
    runs = [place.open(kernel=False) for place in places]
    for place in places:
        assert [place.is_of(run) for run in runs] == [place is other for other in places]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "found an empty file, allowed: a lesson"),
        ("title = ", "not valid TOML"),
        (HEAD, "steps: found nothing, allowed: this field is required"),
        (HEAD + "steps = []", "steps: found [], allowed: a list of at least 1"),
        (HEAD + "txt = 1\n" + STEP, "txt: found an unknown key; did you mean 'steps[].text'?"),
        (HEAD + STEP + "width = 2\n", "steps[0].width: found 2, allowed: a number of at most 0.7"),
        (HEAD + STEP + 'outline = ["rank 3"]\n', "steps[0].outline[0]: found 'rank 3', allowed: 'server N' or 'job N'"),
        (
            HEAD + STEP + 'outline = ["server 3", "server 4"]\n',
            "steps[0].outline: found ['server 3', 'server 4'], allowed: one server, one job, or one of each",
        ),
        (HEAD + STEP.replace(" --event 14.2", ""), "allowed: the line that 'Copy the line that opens this moment'"),
        (HEAD + STEP.replace("slotscope ", "slotscope run "), "steps[0].moment: found 'slotscope run"),
        (HEAD + STEP.replace("14.2", "14.2.1"), "found '14.2.1', allowed: an event's number"),
        (HEAD + STEP.replace("slotscope", "rm -rf"), "steps[0].moment: found 'rm -rf"),
        (HEAD + STEP + MARK.replace("note", "circle"), "steps[0].marks[0].shape: found 'circle', allowed:"),
        (HEAD + STEP + MARK.replace("0.5,", "x,"), "steps[0].marks[0].path: found 'x,0.25', allowed: points such as"),
        (
            HEAD + STEP + MARK.replace("0.5,", "61,"),
            "allowed: points such as '0.25,0.5 0.75,1', each side from -60 to 60",
        ),
        (HEAD + STEP + MARK.replace("note", "arrow"), "steps[0].marks[0]: a path with 2 points where shape is 'arrow'"),
        (HEAD + STEP + MARK.replace('text = "Here"', ""), "steps[0].marks[0]: "),
        (HEAD + STEP + MARK + "on = [0, -1]", "steps[0].marks[0].on[1]: found -1, allowed:"),
    ],
)
def test_a_fault_is_one_line_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UserError) as caught:
        load_lesson(path)
    assert caught.value.line.startswith(str(path))
    assert told in caught.value.line and "\n" not in caught.value.line


def test_an_unknown_lesson_names_the_nearest() -> None:
    with pytest.raises(UserError, match=r"did you mean 'dra-1-decision'\? 'slotscope lessons' names all \d+; or give"):
        find_lesson("dra-1-decisin")


said = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).filter(str.strip)


@given(said, said, st.sampled_from([(), ("algorithm",), ("reward", "lp")]))
def test_what_is_added_is_read_again_and_the_rest_stays(
    tmp_path_factory: pytest.TempPathFactory, first: str, second: str, panels: tuple[str, ...]
) -> None:
    path = tmp_path_factory.mktemp("l") / "new.toml"
    add_step(path, {"moment": LINE, "text": first, "panels": panels})
    before = f"# what stands here stays\n{path.read_text('utf-8')}  # and this"
    path.write_text(before, "utf-8")
    lesson = add_step(path, {"moment": LINE, "text": second, "panels": panels, "outline": ["server 1"]})
    assert path.read_text("utf-8").startswith(before)
    assert [step.text for step in lesson.steps] == [first, second]
    assert [step.panels for step in lesson.steps] == [panels, panels]
    assert lesson == load_lesson(path)


@pytest.mark.parametrize("text", ["title = 1", f'{HEAD}steps = [{{moment = "{LINE}", text = "x"}}]'])
def test_a_file_to_which_nothing_can_be_added_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UserError):
        add_step(path, {"moment": LINE, "text": "x"})
    assert path.read_text("utf-8") == text


def test_the_command_lists_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lessons"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in lesson_files())
    good = written(tmp_path, HEAD + STEP)
    assert main(["lessons", "check", str(good)]) == 0
    assert "1 step, all of them can be shown" in capsys.readouterr().out
    for change, told in (
        (("dra-classroom", "dra-clasroom"), "steps[0]: no scenario is called"),
        (("--policy dra", "--policy gone.py"), "gone.py"),
        (("dra-classroom", "dra-example-2"), "allowed: up to"),
        (('text = "Said."', 'text = "x"\npanels = ["rewards"]'), "panels: found 'rewards', allowed: "),
        (('text = "Said."', 'text = "x"\noutline = ["server 8"]'), "found 'server 8'"),
        (
            ('text = "Said."', 'text = "x"\noutline = ["job 99"]'),
            "outline: found 'job 99', allowed: one that is there.",
        ),
        (('text = "Said."', 'text = "x"\npolicy = 2'), "policy: found 2, allowed: from 1 to 1"),
        (('text = "Said."', f'text = "x"\n{MARK}policy = 2'), "marks: found 2, allowed: from 1 to 1"),
        (('text = "Said."', f'text = "x"\n{MARK.replace("servers", "serves")}'), "marks: found 'serves', allowed: "),
    ):
        written(tmp_path, (HEAD + STEP).replace(*change))
        assert main(["lessons", "check", str(good)]) == 2
        error = capsys.readouterr().err
        assert told in error and str(good) in error and "Traceback" not in error


def test_checking_says_all_that_is_wrong_with_the_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, STEP + "width = 0.9\nquestion = {}\n")
    assert main(["lessons", "check", str(path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    places = ("title", "learn", "steps[0].width", "steps[0].question.ask")
    assert len(lines) == len(places) and all(
        f"{path}: {place}: found" in line for line, place in zip(lines, places, strict=True)
    )


def test_checking_says_all_that_is_wrong_with_a_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = 'panels = ["rewards", "lpp"]\noutline = ["server 8", "job 99"]\nquestion = { ask = "token" }\n'
    mark = f"{MARK.replace('servers', 'serves')}policy = 3\n"
    path = written(tmp_path, HEAD + STEP + wrong + mark + STEP.replace("dra-classroom", "nowhere"))
    assert main(["lessons", "check", str(path)]) == 2
    told = [line.partition(f"{path}: ")[2] for line in capsys.readouterr().err.splitlines()]
    places = ["panels", "panels", "marks", "marks", "outline", "outline", "question.ask"]
    assert [line.split(": ")[:2] for line in told[:-1]] == [["steps[0]", place] for place in places]
    assert told[-1].startswith("steps[1]: no scenario is called 'nowhere'")


def test_a_wrong_field_hides_no_moment_that_is_wrong_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = STEP.replace("dra-classroom", "nowhere")
    path = written(tmp_path, f'title = "T"\n{STEP}width = 2\n{gone}{STEP}panels = ["rewards"]\n')
    assert main(["lessons", "check", str(path)]) == 2
    told = [line.partition(f"{path}: ")[2] for line in capsys.readouterr().err.splitlines()]
    for line, begins in zip(
        told,
        ("learn: found", "steps[0].width: found 2", "steps[1]: no scenario is called", "steps[2]: panels: found"),
        strict=True,
    ):
        assert line.startswith(begins)


def test_a_lesson_runs_no_file_that_nobody_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "evil.py").write_text("raise SystemExit('it ran')", "utf-8")
    path = written(tmp_path, (HEAD + STEP).replace("--policy dra", "--policy evil.py"))
    assert main(["lessons", "check", str(path)]) == 2
    assert "wants to run" in capsys.readouterr().err


def test_a_step_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", "dra-1-decision", "--step", "99"]) == 2
    assert "--step: found 99, allowed: from 1 to " in capsys.readouterr().err


def test_built_in_lessons_are_texts_for_a_hall() -> None:
    for path in lesson_files().values():
        lesson = load_lesson(path)
        assert len(lesson.steps) >= 3
        assert all(len(" ".join(step.text.split())) <= 420 for step in lesson.steps), path
        assert tomllib.loads(path.read_text("utf-8"))


#: Random valid marks.
MARKS = st.builds(
    lambda shape, points, on, color, text: Mark(
        panel="servers",
        shape=shape,
        path=written_path(tuple(points[: {"note": 1, "arrow": 2}.get(shape, 400)])),
        on=on,
        color=color,
        text="" if shape == "stroke" else text,
    ),
    st.sampled_from(["stroke", "arrow", "note"]),
    st.lists(st.tuples(st.floats(-59, 59), st.floats(-59, 59)), min_size=2, max_size=400),
    st.none() | st.tuples(st.integers(0, 9), st.integers(0, 10**6)),
    st.sampled_from(["ink", "blue", "red"]),
    st.text(min_size=1, max_size=120),
)


@given(drawn=st.lists(st.lists(MARKS, max_size=3), min_size=1, max_size=2))
def test_marks_come_back_as_they_were_drawn(tmp_path_factory: pytest.TempPathFactory, drawn: list[list[Mark]]) -> None:
    path = tmp_path_factory.mktemp("marks") / "mine.toml"
    for marks in drawn:
        dumped = [mark.model_dump(mode="json", exclude_defaults=True) for mark in marks]
        add_step(path, {"moment": LINE, "text": "x", "marks": dumped})
    assert [list(step.marks) for step in load_lesson(path).steps] == drawn


@given(st.lists(st.tuples(st.floats(-59, 59), st.floats(-59, 59)), min_size=1, max_size=9))
def test_a_path_is_read_as_it_was_drawn(points: list[tuple[float, float]]) -> None:
    for read, drawn in zip(read_path(written_path(tuple(points))), points, strict=True):
        assert read == pytest.approx(drawn, abs=6e-5)
