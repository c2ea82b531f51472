"""Lesson files: listing them, reading one, and adding a step to one."""

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
    """The translated text of a step, and of its question if it has one."""

    text: str = Field(min_length=1, max_length=1200)
    question: str = Field(default="", max_length=400)


class LessonWords(Section):
    """The translated texts of a lesson, step by step; moments, panels and answers come from the lesson itself."""

    title: str = Field(min_length=1, max_length=90)
    learn: str = Field(min_length=1, max_length=200)
    steps: tuple[StepWords, ...] = Field(min_length=1)


def words_beside(path: Path, language: str) -> Path:
    """The file with a lesson's texts in a language: it has the same name, in a folder named after the language."""
    return path.parent / language / path.name


def translated(lesson: Lesson, path: Path, language: str) -> Lesson:
    """A lesson in a language; unchanged if it has no texts in that language.

    Raises ScenarioError if the file with the texts cannot be read, or does not match the lesson.
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

#: Title and summary of a lesson that begins with its first added step.
_NEW = {"title": "A new lesson", "learn": "What one learns: say it here in a sentence."}


class LessonError(ScenarioError):
    """A lesson file, or a field in it, cannot be used."""


def lesson_files() -> dict[str, Path]:
    """The built-in lessons: from name (the file's stem) to path."""
    return {path.stem: path for path in sorted(_FOLDER.glob("*.toml"))}


def lesson_titles(language: str = ENGLISH) -> list[tuple[str, str]]:
    """(name, title) of each built-in lesson, in a language if it has texts in that language."""
    titles = []
    for name, path in lesson_files().items():
        beside = words_beside(path, language)
        titles.append((name, title_in((beside if beside.exists() else path).read_text("utf-8"))))
    return titles


def find_lesson(name_or_path: str) -> Path:
    """The file of a lesson, from its name or path. Raises LessonError if there is no such lesson."""
    built_in, path = lesson_files(), Path(name_or_path)
    if name_or_path in built_in:
        return built_in[name_or_path]
    if path.suffix or len(path.parts) > 1:
        return path
    unknown = unknown_name("lesson", name_or_path, built_in, "slotscope lessons")
    raise LessonError(f"{unknown}; or give the path of a .toml file")


def load_lesson(path: Path, language: str = ENGLISH) -> Lesson:
    """Read and validate a lesson, in a language if it has texts in that language.

    Raises ScenarioError with one line: the file, the field's path, what was found and what is allowed.
    """
    return translated(_parsed(read_text(path, "lesson file"), str(path)), path, language)


def sound_steps(path: Path) -> dict[int, Step]:
    """The valid steps of a file, by number, even if other steps are not valid.

    Raises ScenarioError if the file cannot be read.
    """
    data, found = _read(read_text(path, "lesson file"), str(path)), {}
    steps = data.get("steps", ())
    for number, step in enumerate(steps if isinstance(steps, list) else ()):
        with suppress(ScenarioError):
            found[number] = validated(Step, step if isinstance(step, dict) else {})
    return found


def marks_of(named: str | None) -> tuple[Mark, ...]:
    """The marks of a step, from ``LESSON:N``: a lesson's name or path, and a number from 1; none for None.

    Raises UserError if there is no such lesson or step.
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
    """Append a step to the lesson in a file, which is created if need be; returns the lesson.

    The rest of the file stays as it is, including comments.
    Raises ScenarioError if the file is not a lesson, the step is not valid, or the file cannot be written.
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
