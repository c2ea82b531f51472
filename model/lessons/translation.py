"""The words of a lesson in another language, which stand in a file beside it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import Field

from slotscope.model.errors import ScenarioError
from slotscope.model.lessons.languages import ENGLISH
from slotscope.model.lessons.lesson import Lesson
from slotscope.model.scenario.fields import Section
from slotscope.model.scenario.load import read_text
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

    Raises
    ------
    ScenarioError
        If the file with the words cannot be read, or does not fit the lesson.
    """
    beside = words_beside(path, language)
    if language == ENGLISH or not beside.exists():
        return lesson
    try:
        words = validated(LessonWords, tomllib.loads(read_text(beside, "lesson")))
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
