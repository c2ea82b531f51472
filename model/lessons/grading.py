"""Grades answer files: each moment is opened again, and the reference tells the right answer there."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Mapping, NamedTuple

from slotscope.model.comparison.runs import Run, stand_at
from slotscope.model.errors import UserError
from slotscope.model.exercises.posed import Verdict, verdict
from slotscope.model.exercises.posing import pose
from slotscope.model.lessons.answers import Damaged, Given, read_answers
from slotscope.model.lessons.files import lesson_files, load_lesson
from slotscope.model.lessons.lesson import Lesson, Step, StepPlace
from slotscope.model.running.origin import Moment, Origin

#: The most events between the start of a run and a moment in it, since answer files may come from anywhere.
MOST_EVENTS = 1_000_000

#: The grades of answers: right, wrong, not given (revealed), impossible to grade or read.
RIGHT, WRONG, REVEALED, UNKNOWN = "right", "wrong", "revealed", "unknown"


class Grade(NamedTuple):
    """A line of the table of grades: one answer with its grade."""

    file: str
    code: str
    signed: str  #: whether the line is unchanged in its file, "yes" or "no"
    lesson: str
    step: str
    question: str
    seed: str
    moment: str
    policy: int  #: from 1; 0 if the line is damaged
    answer: str
    grade: str
    expected: str  #: the policy's decision
    attempt: int  #: from 1, counts repeated answers to a question; 0 if the line is damaged
    time: str
    note: str  #: why the answer is wrong, or cannot be graded


def known_lessons(paths: tuple[Path, ...]) -> dict[str, tuple[Lesson, Path]]:
    """The built-in lessons and those of *paths*, by name. Raises UserError if a file is not a lesson."""
    every = {**lesson_files(), **{path.stem: path for path in paths}}
    return {name: (load_lesson(path), path.parent) for name, path in every.items()}


def grades(path: Path, lessons: Mapping[str, tuple[Lesson, Path]]) -> list[Grade]:
    """Grade an answer file, also if some lines are damaged. Raises UserError if it is not an answer file."""
    answers = read_answers(path)
    attempts: Counter[tuple[str, str]] = Counter()
    found = []
    for number, given in enumerate(answers.given):
        beside = path.name, answers.code, "yes" if number < answers.sound else "no"
        if isinstance(given, Damaged):
            found.append(Grade(*beside, "", "", "", "", "", 0, "", UNKNOWN, "", 0, "", given.fault))
            continue
        asked = given.moment, given.question.model_dump_json()
        attempts[asked] += 1
        found.append(_grade(beside, given, attempts[asked], lessons))
    return found


def _grade(
    beside: tuple[str, str, str], given: Given, attempt: int, lessons: Mapping[str, tuple[Lesson, Path]]
) -> Grade:
    """The grade of an answer; *beside* are the fields about its file."""
    place, note = _place(given, lessons)
    grade, expected, said = _graded(given, place)
    return Grade(
        *beside,
        given.lesson,
        str(given.step or ""),
        f"{given.question.ask} {given.question.of}".strip(),
        str(place.origins[0].seed),
        place.line or given.moment,
        given.policy,
        given.answer,
        grade,
        expected,
        attempt,
        given.time,
        " ".join(filter(None, (note, said))),
    )


def _place(given: Given, lessons: Mapping[str, tuple[Lesson, Path]]) -> tuple[StepPlace, str]:
    """The moment of a question, as given by its lesson if that is known; and a note about it."""
    own = Step(moment=given.moment, text="-").place(Path())
    if not given.lesson:
        return own, ""
    if given.lesson not in lessons:
        return own, f"the lesson '{given.lesson}' is not at hand (--lesson)."
    lesson, folder = lessons[given.lesson]
    step = lesson.steps[given.step - 1] if 1 <= given.step <= len(lesson.steps) else None
    if step is None or (step.question, step.policy) != (given.question, given.policy):
        return own, "this is not the lesson's question."
    place = step.place(folder)
    if _without_files(place) != _without_files(own):
        return own, "this is not the lesson's moment."
    return place, ""


def _without_files(place: StepPlace) -> object:
    """The parts of a moment to compare, which do not depend on the folders of its files."""
    return place.moment, [(Path(one.source).name, Path(one.policy).name, one.seed) for one in place.origins]


def _graded(given: Given, place: StepPlace) -> tuple[str, str, str]:
    """The grade of an answer, the right answer, and the explanation."""
    if max(place.moment.events) > MOST_EVENTS:
        return UNKNOWN, "", f"a moment beyond event {MOST_EVENTS} is not opened."
    try:
        expected, said = _replayed(place, given)
    except UserError as error:
        return UNKNOWN, "", error.line
    if not given.answer:
        return REVEALED, expected, ""
    return (RIGHT, expected, "") if said.right else (WRONG, expected, said.text)


def _replayed(place: StepPlace, given: Given) -> tuple[str, Verdict]:
    run = _opened(place.origins)
    if said := stand_at(run, place.moment):
        raise UserError(said)
    posed = pose(run, given.question, given.policy - 1)
    return posed.taken, verdict(posed, given.answer or posed.taken)


@lru_cache(maxsize=4)
def _opened(origins: tuple[Origin, ...]) -> Run:
    """A run, reused for successive answers in the same run."""
    return StepPlace(origins, Moment((0,))).open()
