"""Files of lessons: which there are, reading one, and adding a moment to one."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any, Mapping

import tomli_w
from pydantic import Field

from slotscope.model.draft import write_text
from slotscope.model.errors import ScenarioError, UserError, unknown_name
from slotscope.model.lessons.lesson import Lesson, Step
from slotscope.model.lessons.marks import Mark
from slotscope.model.phrase import ENGLISH
from slotscope.model.scenario.fields import Section
from slotscope.model.scenario.load import read_text, title_in
from slotscope.model.scenario.validation import validated


class StepWords(Section):
    """What is said of a step, and the words of its question where it has one."""

    text: str = Field(min_length=1, max_length=1200)
    question: str = Field(default="", max_length=400)


class LessonWords(Section):
    """A lesson's words, step by step; moments, panels and answers are those of the lesson itself."""

    title: str = Field(min_length=1, max_length=90)
    learn: str = Field(min_length=1, max_length=200)
    steps: tuple[StepWords, ...] = Field(min_length=1)


def words_beside(path: Path, language: str) -> Path:
    """The file with the words of a lesson in a language: of the same name, in a folder of the language's."""
    return path.parent / language / path.name


def translated(lesson: Lesson, path: Path, language: str) -> Lesson:
    """The lesson of a file in a language, as it is where it has no words in that.

    Raises ScenarioError if the file with the words cannot be read, or does not fit the lesson.
    """
    beside = words_beside(path, language)
    if language == ENGLISH or not beside.exists():
        return lesson
    try:
        words = validated(LessonWords, tomllib.loads(read_text(beside, "lesson file")))
    except ValueError as error:
        raise ScenarioError(f"not valid TOML: {error}", where=str(beside)) from None
    except ScenarioError as error:
        raise error.inside(str(beside)) from None
    if len(words.steps) != len(lesson.steps):
        raise ScenarioError(f"found {len(words.steps)} steps, allowed: {len(lesson.steps)}", where=str(beside))
    steps = []
    for step, said in zip(lesson.steps, words.steps, strict=True):
        question = step.question
        if question is not None and said.question:
            question = question.model_copy(update={"text": said.question})
        steps.append(step.model_copy(update={"text": said.text, "question": question}))
    return lesson.model_copy(update={"title": words.title, "learn": words.learn, "steps": tuple(steps)})


_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "lessons"

#: What a lesson is called that a first moment begins.
_NEW = {"title": "A new lesson", "learn": "What one learns: say it here in a sentence."}


class LessonError(ScenarioError):
    """A lesson's file or field that cannot be used."""


def lesson_files() -> dict[str, Path]:
    """The built-in lessons: name (the file's stem) to path."""
    return {path.stem: path for path in sorted(_FOLDER.glob("*.toml"))}


def lesson_titles(language: str = ENGLISH) -> list[tuple[str, str]]:
    """(name, title) of each of them, in a language where it has words in that."""
    titles = []
    for name, path in lesson_files().items():
        beside = words_beside(path, language)
        titles.append((name, title_in((beside if beside.exists() else path).read_text("utf-8"))))
    return titles


def find_lesson(name_or_path: str) -> Path:
    """The file that a lesson's name, or a path, stands for. Raises LessonError if it is neither."""
    built_in, path = lesson_files(), Path(name_or_path)
    if name_or_path in built_in:
        return built_in[name_or_path]
    if path.suffix or len(path.parts) > 1:
        return path
    unknown = unknown_name("lesson", name_or_path, built_in, "slotscope lessons")
    raise LessonError(f"{unknown}; or give the path of a .toml file")


def load_lesson(path: Path, language: str = ENGLISH) -> Lesson:
    """Read and validate a lesson, in a language where it has words in that.

    Raises ScenarioError: one line: the file, the field's path, what was found and what is allowed.
    """
    return translated(_parsed(read_text(path, "lesson file"), str(path)), path, language)


def sound_steps(path: Path) -> dict[int, Step]:
    """The steps of a file, by their numbers, whose fields are as they should be, though others are not.

    Raises ScenarioError if it cannot be read.
    """
    data, found = _read(read_text(path, "lesson file"), str(path)), {}
    steps = data.get("steps", ())
    for number, step in enumerate(steps if isinstance(steps, list) else ()):
        with suppress(ScenarioError):
            found[number] = validated(Step, step if isinstance(step, dict) else {})
    return found


def marks_of(named: str | None) -> tuple[Mark, ...]:
    """What is drawn at a step, written ``LESSON:N``: a lesson's name or path, and a number from 1; None: nothing.

    Raises UserError if there is no such lesson, or step.
    """
    if named is None:
        return ()
    name, _, number = named.rpartition(":")
    if not name or not number.isdecimal():
        raise UserError(f"found '{named}', allowed: LESSON:N, the name or path of a lesson and a step", where="--marks")
    steps = load_lesson(find_lesson(name)).steps
    if not 1 <= int(number) <= len(steps):
        raise UserError(f"found {number}, allowed: from 1 to {len(steps)}", where="--marks")
    return steps[int(number) - 1].marks


def _read(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise LessonError(f"not valid TOML: {error}", where=where) from None


def _parsed(text: str, where: str) -> Lesson:
    data = _read(text, where)
    try:
        return validated(Lesson, data)
    except ScenarioError as error:
        raise error.inside(where) from None


def add_step(path: Path, step: Mapping[str, Any]) -> Lesson:
    """The lesson in a file with a step more at its end; a file that is not there begins one.

    What stands in the file stays as it is, comments included.
    Raises ScenarioError if the file holds no lesson, the step is none, or it cannot be written.
    """
    before = read_text(path, "lesson file") if path.exists() else tomli_w.dumps(_NEW)
    if path.exists():
        _parsed(before, str(path))
    fields = {key: value for key, value in step.items() if value}
    marks = fields.pop("marks", ())
    parts = [("steps", fields), *(("steps.marks", mark) for mark in marks)]
    tables = (f"[[{name}]]\n{tomli_w.dumps(table, multiline_strings=True)}" for name, table in parts)
    after = "\n\n".join((before.rstrip(), "\n".join(tables)))
    lesson = _parsed(after, str(path))
    write_text(path, after, LessonError)
    return lesson
