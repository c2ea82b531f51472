"""Files of lessons: which there are, reading one, and adding a moment to one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Mapping

import tomli_w

from slotscope.model.errors import ScenarioError, UserError, unknown_name
from slotscope.model.lessons.languages import ENGLISH
from slotscope.model.lessons.lesson import Lesson
from slotscope.model.lessons.marks import Mark
from slotscope.model.lessons.translation import translated, words_beside
from slotscope.model.scenario.load import read_text, title_in
from slotscope.model.scenario.validation import validated

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
    """The file that a lesson's name, or a path, stands for.

    Raises
    ------
    LessonError
        If it is neither.
    """
    built_in, path = lesson_files(), Path(name_or_path)
    if name_or_path in built_in:
        return built_in[name_or_path]
    if path.suffix or len(path.parts) > 1:
        return path
    raise LessonError(unknown_name("lesson", name_or_path, built_in) + "; or give the path of a .toml file")


def load_lesson(path: Path, language: str = ENGLISH) -> Lesson:
    """Read and validate a lesson, in a language where it has words in that.

    Raises
    ------
    ScenarioError
        One line: the file, the field's path, what was found and what is allowed.
    """
    return translated(_parsed(read_text(path, "lesson"), str(path)), path, language)


def marks_of(named: str | None) -> tuple[Mark, ...]:
    """What is drawn at a step, written ``LESSON:N``: a lesson's name or path, and a number from 1; None: nothing.

    Raises
    ------
    UserError
        If there is no such lesson, or step.
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


def _parsed(text: str, where: str) -> Lesson:
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise LessonError(f"not valid TOML: {error}", where=where) from None
    try:
        return validated(Lesson, data)
    except ScenarioError as error:
        raise error.inside(where) from None


def add_step(path: Path, step: Mapping[str, Any]) -> Lesson:
    """The lesson in a file with a step more at its end; a file that is not there begins one.

    What stands in the file stays as it is, comments included.

    Raises
    ------
    ScenarioError
        If the file holds no lesson, the step is none, or it cannot be written.
    """
    before = read_text(path, "lesson") if path.exists() else tomli_w.dumps(_NEW)
    if path.exists():
        _parsed(before, str(path))
    fields = {key: value for key, value in step.items() if value}
    marks = fields.pop("marks", ())
    parts = [("steps", fields), *(("steps.marks", mark) for mark in marks)]
    tables = (f"[[{name}]]\n{tomli_w.dumps(table, multiline_strings=True)}" for name, table in parts)
    after = "\n\n".join((before.rstrip(), "\n".join(tables)))
    lesson = _parsed(after, str(path))
    try:
        path.write_text(after, encoding="utf-8")
    except OSError as error:
        raise LessonError(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    return lesson
