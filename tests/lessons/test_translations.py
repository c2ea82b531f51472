"""Translated lessons: they contain the same numbers as the English text, which is checked against the runs."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from slotscope.model.exercises.posing import pose
from slotscope.model.lessons.files import lesson_files, load_lesson, words_beside
from tests.lessons.standing import standing

GERMAN = {name: path for name, path in lesson_files().items() if words_beside(path, "de").exists()}

#: Number words, English and German; without that of 1, which both often use where nothing is counted.
WORDS = {
    "two|both|twice": "zwei|beide|beiden|doppelt",
    "three": "drei|dreier|dreimal",
    "four": "vier",
    "five": "fünf",
    "seven": "sieben",
    "nine": "neunmal",
    "fourteen": "vierzehn",
    "sixteen": "sechzehn",
    "half": "Hälfte",
    "quarters": "Viertel",
    "tenth": "Zehntel",
}


def numbers(text: str, german: bool) -> Counter[str]:
    """How often each number occurs in a text, in digits or words."""
    found = Counter(re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"(\d),(\d)", r"\1.\2", text.replace("−", "-"))))
    for english, other in WORDS.items():
        found[english] = len(re.findall(rf"\b(?:{other if german else english})\b", text, re.IGNORECASE))
    return found


def test_dra_and_the_tour_are_in_german() -> None:
    assert {*GERMAN} >= {name for name in lesson_files() if name.startswith("dra-")} | {"tour"}


@pytest.mark.parametrize("name", GERMAN)
def test_every_number_is_that_of_the_english_text(name: str) -> None:
    english, german = load_lesson(GERMAN[name]), load_lesson(GERMAN[name], "de")
    assert numbers(english.title, False) == numbers(german.title, True)
    assert numbers(english.learn, False) == numbers(german.learn, True)
    for place, (step, said) in enumerate(zip(english.steps, german.steps, strict=True), 1):
        assert step.text != said.text
        assert numbers(step.text, False) == numbers(said.text, True), f"step {place}"


@pytest.mark.parametrize("name", GERMAN)
def test_texts_are_for_a_hall_and_questions_are_asked_in_german(name: str) -> None:
    for step in load_lesson(GERMAN[name], "de").steps:
        assert len(" ".join(step.text.split())) <= 460
        assert step.question is None or step.question.text


@pytest.mark.slow
@pytest.mark.parametrize("name", GERMAN)
def test_questions_name_the_numbers_of_the_english_ones(name: str) -> None:
    english, german = load_lesson(GERMAN[name]), load_lesson(GERMAN[name], "de")
    for number, (step, said) in enumerate(zip(english.steps, german.steps, strict=True), 1):
        if step.question is not None and said.question is not None:
            asked = pose(standing(name, number).run, step.question, step.policy - 1).words
            assert numbers(asked, False) == numbers(said.question.text, True)
