"""Questions about the value of a variable after the next line that sets it."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Iterator, Mapping

from slotscope.model.errors import UserError
from slotscope.model.exercises.deciding import At
from slotscope.model.exercises.posed import Posed, Reader, line_of, plain, refused, vector, whole
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import shown
from slotscope.model.reporting.records import Record

#: The largest whole number allowed in an answer.
_MOST = 10**12

#: The relative error allowed for a number that is not whole.
_NEAR = Fraction(1, 100)

_A_NUMBER = Phrase("a number, such as 0.25 or 1/4")


def _value_in(record: Record, name: str) -> Any:
    """The value that a record has under a name; None if it has none that can be asked for."""
    own = getattr(record, name) if name in record.__match_args__ else None
    found = record.values.get(name, own)
    return None if isinstance(found, str | bool) else found


def values_ahead(at: At, words: Mapping[str, str]) -> Iterator[tuple[str, Posed]]:
    """The question about the next value of each variable that *words* names, in the order in which they are set."""
    left = [*words]
    for place, record in at.coming(Record):
        for name in [name for name in left if _value_in(record, name) is not None]:
            left.remove(name)
            yield name, _posed(at, place, record, _value_in(record, name), words[name])


def pose_value(at: At, name: str, words: Mapping[str, str]) -> Posed | None:
    """The question about the next value of *name*; None if the next event does not set it.

    Raises UserError if *words* names no such variable.
    """
    if name not in words:
        raise UserError(f"found '{name}', allowed: {', '.join(sorted(words))}", where="question.of")
    return next((posed for _, posed in values_ahead(at, {name: words[name]})), None)


def _posed(at: At, place: int, record: Record, value: Any, words: str) -> Posed:
    line = line_of(at.system.policy, record.line)
    answer, allowed, read = _form(value)
    title = Phrase(words, i=record.values.get("i", "i"))
    coming = at.kind.narrator(at.system).event(at.happened.event)
    return Posed(
        ask="value",
        place=place,
        decided=place + 1,
        words=Phrase(
            "{event}. What is {variable} after this line? {line}",
            event=f"{coming[:1].upper()}{coming[1:]}",
            variable=title,
            line=line,
        ),
        allowed=allowed,
        read=read,
        fault=lambda given: "" if _same(given, answer) else f"{at.narrated(record)} ({line}).",
        taken=answer,
        reason=f"{at.narrated(record)} ({line}).",
        effort=len(value) if isinstance(value, tuple | list) else 1,
    )


def _form(value: Any) -> tuple[str, Phrase, Reader]:
    """(a value as an answer, the allowed answers as a clause, the reader of answers)."""
    if isinstance(value, tuple | list):
        allowed = Phrase("{count} whole numbers, such as {example}", count=len(value), example=shown([0] * len(value)))
        return shown(value), allowed, vector(len(value), allowed)
    if isinstance(value, int):
        allowed = Phrase("a whole number")
        return str(value), allowed, whole(0, _MOST, allowed)
    return plain(float(value)), _A_NUMBER, Reader(_number)


def _number(text: str) -> str:
    words = text.strip().replace(",", ".")
    if re.fullmatch(r"\d{1,12}(\.\d{0,12}|/\d{1,12})?", words) is None or words.endswith("/0"):
        raise refused(text, _A_NUMBER)
    return words


def _same(given: str, answer: str) -> bool:
    if given == answer:
        return True
    try:
        right = Fraction(answer)
        return abs(Fraction(given) - right) <= _NEAR * abs(right) and right.denominator > 1
    except (ValueError, ZeroDivisionError):
        return False
