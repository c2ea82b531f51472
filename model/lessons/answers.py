"""Answer files: one line per answer, chained and signed, so that a changed line is detected.

Each line is a JSON object whose ``chain`` is an HMAC of its content and of the chain of the line before it.  The key is
part of the program and the same for all users, so it only detects changes made by hand: anybody with the program
can sign anything.  The closing code of a file, shown as it is written, cannot be kept by such a forger.
"""

from __future__ import annotations

import hmac
import json
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from slotscope.model.draft import write_text
from slotscope.model.errors import ScenarioError
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.lessons.lesson import MomentLine
from slotscope.model.scenario.fields import Section
from slotscope.model.scenario.load import read_text
from slotscope.model.scenario.validation import validated

#: The first line, without its signature.
_HEAD = {"slotscope": "answers", "version": 1}

_NO_ANSWER = "found no answer, allowed: lines that slotscope has written"

_KEY = b"slotscope answers, version 1"

#: The most answers of a file; more than any student gives.
MOST_ANSWERS = 10_000

#: The number of characters of a closing code.
_CODE = 8


class AnswerFileError(ScenarioError):
    """An answer file cannot be used."""


class Given(Section):
    """An answer of a student."""

    moment: MomentLine  #: the command that opens the moment of the question
    question: QuizQuestion
    answer: str = Field(max_length=300)  #: as it was read; empty if the student had the answer revealed
    time: str = Field(max_length=40)  #: the time of the answer, by the machine's clock
    #: lesson, step: the lesson's name, and the step from 1; empty and 0 for a question outside of lessons
    lesson: str = Field(default="", max_length=100)
    step: int = Field(default=0, ge=0, le=100)
    policy: int = Field(default=1, ge=1, le=3)  #: the lane whose decision was asked for, from 1


class Damaged(NamedTuple):
    """A line without an answer that this version can read; it does not invalidate the other lines."""

    fault: str


class AnswerFile(NamedTuple):
    """The contents of an answer file."""

    given: tuple[Given | Damaged, ...]
    sound: int  #: the number of answers before the first changed line; all of them if none was changed
    broken: int  #: the number of that line, from 1; 0 if there is none
    code: str  #: the closing code of the file in its present form


def now() -> str:
    """The present time, for an answer."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _signed(content: dict[str, Any], before: str) -> str:
    plain = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hmac.new(_KEY, f"{before}\n{plain}".encode(), sha256).hexdigest()


def _line(content: dict[str, Any], before: str) -> tuple[str, str]:
    chain = _signed(content, before)
    return json.dumps({**content, "chain": chain}, ensure_ascii=False), chain


def add_answers(path: Path, given: tuple[Given, ...]) -> str:
    """Append answers to a file, which is created if need be; returns its new closing code.

    Raises AnswerFileError if the file is not an answer file, was changed, or cannot be written.
    """
    if path.exists():
        before = read_answers(path)
        if before.broken:
            raise AnswerFileError(
                f"line {before.broken} was changed; allowed: a file that only slotscope has written, or a new one",
                where=str(path),
            )
        lines = _lines(path)
        text, chain = "\n".join([*lines, ""]), _chain_of(lines[-1])
    else:
        text, chain = _line(_HEAD, "")
        text += "\n"
    for one in given:
        line, chain = _line(one.model_dump(mode="json", exclude_defaults=True), chain)
        text += line + "\n"
    write_text(path, text, AnswerFileError)
    return chain[:_CODE]


def read_answers(path: Path) -> AnswerFile:
    """Read an answer file, and find the first line that was changed or damaged.

    Raises AnswerFileError if the first line is not that of an answer file.
    """
    lines = _lines(path)
    if len(lines) > MOST_ANSWERS + 1:
        raise AnswerFileError(f"found {len(lines)} lines, allowed: at most {MOST_ANSWERS}", where=str(path))
    given: list[Given | Damaged] = []
    chain, broken = "", 0
    for number, line in enumerate(lines, 1):
        content = _content(line)
        claimed = str(content.pop("chain", ""))
        if not broken and not hmac.compare_digest(claimed.encode(), _signed(content, chain).encode()):
            broken, sound = number, len(given)
        chain = claimed
        if number > 1:
            given.append(_given(content, f"line {number}"))
        elif not content:
            raise AnswerFileError(_NO_ANSWER, where=f"{path}: line 1")
        elif content != _HEAD:
            raise AnswerFileError("found another first line, allowed: that of a file of answers", where=str(path))
    return AnswerFile(tuple(given), sound if broken else len(given), broken, chain[:_CODE])


def _lines(path: Path) -> list[str]:
    """The lines of a file, without blanks that an editor has added at the end."""
    return read_text(path, "file of answers").rstrip().split("\n")


def _content(line: str) -> dict[str, Any]:
    """The JSON object in a line; empty if the line is damaged."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        content = None
    return content if isinstance(content, dict) else {}


def _given(content: dict[str, Any], where: str) -> Given | Damaged:
    if not content:
        return Damaged(f"{where}: {_NO_ANSWER}")
    try:
        return validated(Given, content)
    except ScenarioError as error:
        return Damaged(error.inside(where).line)


def _chain_of(line: str) -> str:
    return str(json.loads(line)["chain"])
