"""Files of answers: changes are detected, and answers are graded by opening their moments again."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.gui.library.__main__ import main
from slotscope.model.errors import UserError
from slotscope.model.exercises.deciding import asks_of
from slotscope.model.exercises.exercise import exercise_run, moment_line, next_exercise
from slotscope.model.exercises.question import ASKS, LATER, QuizQuestion
from slotscope.model.lessons.answers import Given, add_answers, read_answers
from slotscope.model.lessons.grading import grades, known_lessons
from tests.exercises.test_posing import opened

LINE = "slotscope dra-classroom --policy dra --seed {} --event {}"
SEEDS = (1, 2, 3)
RUNS = (("dra-classroom", "dra"), ("queues-classroom", "vqs"), ("jrs-classroom", "jrs"), ("moldable-classroom", None))


def answered(answer: str, moment: str = LINE.format(171, 17), **more: object) -> Given:
    question = more.pop("question", {"ask": "server"})
    return Given.model_validate(
        {"moment": moment, "question": question, "answer": answer, "time": "2026-01-01T00:00:00+00:00", **more}
    )


def table_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("scenario", "policy"), RUNS)
def test_right_and_wrong_are_graded_by_replay(tmp_path: Path, scenario: str, policy: str | None, seed: int) -> None:
    """For each question about this kind of system, one right and one wrong answer."""
    session = opened(scenario, policy, 3)
    system, path = session.info.system, tmp_path / "a.answers"
    wanted, expected = [ask for ask in ASKS if ask in {*asks_of(system).poses, "value"}], []
    for ask in wanted:
        run = exercise_run(session, seed)
        for _ in range(40):
            found = next_exercise(run, frozenset({ask}))
            wrong = next((one for one in candidates(found.posed) if found.posed.fault(found.posed.read(one))), None)
            if wrong is not None:
                break
            run.seek(found.event + 1)
        assert wrong is not None, (ask, "nothing is wrong")
        for answer in (found.posed.taken, wrong, ""):
            expected.append("right" if answer == found.posed.taken else "wrong" if answer else "revealed")
            add_answers(path, (answered(answer, moment_line(run), question=found.question.model_dump()),))
    found_grades = grades(path, {})
    assert [one.grade for one in found_grades] == expected, [one for one in found_grades if one.grade == "unknown"]
    assert {one.seed for one in found_grades} == {str(seed)} and {one.signed for one in found_grades} == {"yes"}


def candidates(posed) -> list[str]:  # type: ignore[no-untyped-def]
    if posed.options:
        return list(posed.options)
    if posed.ask == "ranks":
        return [" ".join(reversed(posed.taken.split()))]
    pointed = [posed.pointed(number) for number in range(400) if posed.pointed(number)]
    vector = ["(1" + posed.taken[2:], f"(9{posed.taken[1:]}"] if posed.taken.startswith("(") else []
    known = vector or pointed or ["0", "1"]
    return [one for one in known if readable(posed, one)]


def readable(posed, text: str) -> bool:  # type: ignore[no-untyped-def]
    try:
        posed.read(text)
    except UserError:
        return False
    return True


@pytest.mark.parametrize("ask", sorted(LATER))
def test_questions_that_look_ahead_are_graded_too(tmp_path: Path, ask: str) -> None:
    path = tmp_path / "a.answers"
    line = "slotscope dra-classroom --policy dra --policy first-fit --seed {} --event 10,10"
    for seed in SEEDS:
        for answer in ("1", "2", "alike") if ask == "ahead" else (" ".join("0" * 8), ""):
            question = {"ask": ask, "until": 30.0}
            add_answers(path, (answered(answer, line.format(seed), question=question),))
    per_seed = [one.grade for one in grades(path, {})]
    each = ["right", "wrong", "wrong"] if ask == "ahead" else ["revealed", "wrong"]
    size = len(each)
    assert [sorted(per_seed[place : place + size]) for place in range(0, 3 * size, size)] == [each] * 3


def test_the_command_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ada.answers"
    first = add_answers(path, (answered("7"), answered("none")))
    assert add_answers(path, (answered(""),)) != first  # each line changes the closing code
    assert main(["grade", str(path)]) == 0
    rows = table_of(capsys.readouterr().out)
    assert [(row["answer"], row["grade"], row["expected"], row["attempt"]) for row in rows] == [
        ("7", "wrong", "none", "1"),
        ("none", "right", "none", "2"),
        ("", "revealed", "none", "3"),
    ]
    assert rows[0]["signed"] == "yes" and rows[0]["seed"] == "171" and "Algorithm 2, line 18" in rows[0]["note"]
    assert {row["code"] for row in rows} == {read_answers(path).code}
    assert main(["grade", str(path), str(tmp_path / "none"), "--json"]) == 2
    said = capsys.readouterr()
    assert len(json.loads(said.out)["answers"]) == 3 and "none: " in said.err and "Traceback" not in said.err


def change(lines: list[dict[str, object]], number: int, how: str) -> list[dict[str, object]]:
    line = dict(lines[number])
    match how:
        case "answer":
            line["answer"] = "none" if line["answer"] != "none" else "1"
        case "time":
            line["time"] = "2020-01-01T00:00:00+00:00"
        case "seed":
            line["moment"] = LINE.format(172, 17)
        case "question":
            line["question"] = {"ask": "value", "of": "i_star"}
        case "chain":
            line["chain"] = "0" * 64
        case "copied":
            return [*lines[: number + 1], *lines[number:]]
        case "left out":
            return [*lines[:number], *lines[number + 1 :]]
    return [*lines[:number], line, *lines[number + 1 :]]


HOW = ("answer", "time", "seed", "question", "chain", "copied", "left out")


@given(st.integers(1, 3), st.sampled_from(HOW))
def test_a_change_of_any_line_is_found(tmp_path_factory: pytest.TempPathFactory, number: int, how: str) -> None:
    path = tmp_path_factory.mktemp("a") / "a.answers"
    add_answers(path, tuple(answered(answer) for answer in ("7", "none", "3", "2")))
    assert not read_answers(path).broken
    lines = change([json.loads(line) for line in path.read_text("utf-8").splitlines()], number, how)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    found = read_answers(path)
    # The first line that does not follow from the one before is the copied line, or the one after a missing line.
    assert found.broken == number + 1 + (how == "copied")
    assert found.sound == found.broken - 2
    with pytest.raises(UserError, match="was changed; allowed"):
        add_answers(path, (answered("1"),))


def test_a_changed_file_is_told_and_its_answers_are_graded_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "eve.answers"
    add_answers(path, (answered("none"), answered("7"), answered("none")))
    path.write_text(path.read_text("utf-8").replace('"answer": "7"', '"answer": "none"'), "utf-8")
    assert main(["grade", str(path)]) == 1
    said = capsys.readouterr()
    assert [(row["grade"], row["signed"]) for row in table_of(said.out)] == [
        ("right", "yes"),
        ("right", "no"),
        ("right", "no"),
    ]
    assert "eve.answers: changed from answer 2 on" in said.err


def test_an_end_cut_off_shows_in_the_closing_code(tmp_path: Path) -> None:
    path = tmp_path / "a.answers"
    code = add_answers(path, (answered("7"), answered("none")))
    assert read_answers(path).code == code
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[:-1]) + "\n", "utf-8")
    assert not read_answers(path).broken and read_answers(path).code != code


def test_what_an_editor_leaves_around_the_lines_is_no_change(tmp_path: Path) -> None:
    path = tmp_path / "a.answers"
    code = add_answers(path, (answered("7"),))
    path.write_text("\ufeff" + path.read_text("utf-8").replace("\n", "\r\n") + "\n\n", "utf-8", newline="")
    found = read_answers(path)
    assert (found.code, found.broken, len(found.given)) == (code, 0, 1)
    add_answers(path, (answered("none"),))
    found = read_answers(path)
    assert (found.broken, [one.answer for one in found.given]) == (0, ["7", "none"])


def test_files_of_one_name_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / student / "my.answers" for student in ("ada", "eve")]
    for path in paths:
        path.parent.mkdir()
        add_answers(path, (answered("none"), answered("7")))
    paths[1].write_text(paths[1].read_text("utf-8").replace('"answer": "7"', '"answer": "none"'), "utf-8")
    assert main(["grade", *map(str, paths)]) == 1
    said = capsys.readouterr()
    assert [(row["file"], row["signed"]) for row in table_of(said.out)] == [
        (str(paths[0]), "yes"),
        (str(paths[0]), "yes"),
        (str(paths[1]), "yes"),
        (str(paths[1]), "no"),
    ]
    assert said.err == f"slotscope: {paths[1]}: changed from answer 2 on; allowed: a file as slotscope has written it\n"


def test_a_folder_is_no_file_of_answers(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"found a directory, allowed: a file of answers$"):
        read_answers(tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "found an empty file, allowed: a file of answers"),
        ("hello", "line 1: found no answer, allowed: lines that slotscope has written"),
        ("[1]", "line 1: found no answer"),
        ('{"a": 1}', "found another first line"),
    ],
)
def test_what_is_no_file_of_answers_is_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "a.answers"
    path.write_text(text, "utf-8")
    with pytest.raises(UserError) as caught:
        read_answers(path)
    assert told in caught.value.line and str(path) in caught.value.line


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[1]", "line 3: found no answer, allowed: lines that slotscope has written"),
        ('{"moment": "sl', "line 3: found no answer"),
        ('{"moment": "rm -rf", "question": {"ask": "server"}, "answer": "", "time": ""}', "line 3: moment: found"),
        ('{"moment": "LINE", "question": {"ask": "why"}, "answer": "", "time": ""}', "question.ask: found 'why'"),
    ],
)
def test_a_damaged_line_costs_no_other_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, told: str
) -> None:
    path = tmp_path / "a.answers"
    add_answers(path, (answered("none"), answered("7"), answered("none")))
    lines = path.read_text("utf-8").splitlines()
    lines[2] = line.replace("LINE", LINE.format(1, 2))
    path.write_text("\n".join(lines), "utf-8")
    assert main(["grade", str(path)]) == 1
    said = capsys.readouterr()
    rows = table_of(said.out)
    assert [(row["grade"], row["signed"]) for row in rows] == [("right", "yes"), ("unknown", "no"), ("right", "no")]
    assert told in rows[1]["note"]
    assert "a.answers: changed from answer 2 on" in said.err
    with pytest.raises(UserError, match="line 3 was changed"):
        add_answers(path, (answered("1"),))


def test_a_lesson_s_questions_and_moments_are_compared(tmp_path: Path) -> None:
    lesson = tmp_path / "mine.toml"
    lesson.write_text(
        f'title = "T"\nlearn = "L"\n[[steps]]\nmoment = "{LINE.format(171, 17)}"\ntext = "x"\n'
        'question = { ask = "server" }\n',
        "utf-8",
    )
    path, lessons = tmp_path / "a.answers", known_lessons((lesson,))
    other = QuizQuestion(ask="value", of="i_star").model_dump()
    add_answers(
        path,
        (
            answered("none", lesson="mine", step=1),
            answered("none", LINE.format(171, 3), lesson="mine", step=1),
            answered("3", lesson="mine", step=1, question=other),
            answered("none", lesson="gone", step=1),
        ),
    )
    notes = [one.note for one in grades(path, lessons)]
    assert notes[0] == "" and "not the lesson's moment" in notes[1] and "not the lesson's question" in notes[2]
    assert "'gone' is not at hand" in notes[3]


def test_no_file_of_a_student_s_runs_or_takes_for_ever(tmp_path: Path) -> None:
    path, evil = tmp_path / "a.answers", tmp_path / "evil.py"
    evil.write_text("raise SystemExit('it ran')", "utf-8")
    far = LINE.format(1, 10**12)
    own = shlex.join(["slotscope", "dra-classroom", "--policy", str(evil), "--seed", "1", "--event", "1"])
    add_answers(path, (answered("1", own), answered("1", far), answered("1", own.replace("dra-classroom", "gone"))))
    found = grades(path, {})
    assert {one.grade for one in found} == {"unknown"}
    assert "wants to run" in found[0].note and "is not opened" in found[1].note
