"""A question posed at a moment: its words, how answers are read, and how they are graded."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import UserError
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import shown

#: The answer that none of the candidates is right.
NONE = "none"


@dataclass(frozen=True)
class Reader:
    """Reads an answer into its canonical form; raises UserError if it is not an answer.

    ``begins`` are the letters with which an answer may begin; digits, signs and brackets always may.
    """

    read: Callable[[str], str]
    begins: frozenset[str] = frozenset()

    def __call__(self, text: str) -> str:
        return self.read(text)


def initials(*names: str) -> frozenset[str]:
    """The initial letters of names."""
    return frozenset(name[0].lower() for name in names if name[:1].isalpha())


def _nothing(_: int) -> str:
    return ""


@dataclass(frozen=True, eq=False)
class Sketch:
    """The known part of a curve, which the student is to continue by drawing."""

    #: times, values: [n] the known part
    times: NDArray[np.float64]
    values: NDArray[np.float64]
    wanted: NDArray[np.float64]  #: the times at which the drawing is read
    right: NDArray[np.float64]  #: the true values at these times
    scale: float  #: the largest value of all, relative to which errors are given
    top: float  #: the largest value that can be drawn


@dataclass(frozen=True, eq=False)
class Posed:
    """A question at a moment, with the reference's answer.

    Answers are texts: ``3``, ``none``, ``(8, 0, 0)``.
    """

    ask: str
    #: place, decided: the number of sub-steps of the event after which it is posed, and after which the policy has
    #: answered it; 0: at the event's end
    place: int
    decided: int
    words: Phrase
    allowed: Phrase  #: the allowed answers, as a clause
    read: Reader  #: reads an answer
    fault: Callable[[str], str]  #: what is wrong with an answer that was read; empty if it is right
    taken: str  #: the policy's decision, as an answer
    reason: str  #: the sentence that explains it
    alike: int = 0  #: how many other answers are right, too, because the paper leaves a choice
    #: the difficulty: how many items are examined until the answer is known; 0: there is nothing to choose
    effort: int = 1
    picks: str = ""  #: the kind of thing to click for an answer: ``"server"``, ``"job"``, ...; empty: none
    options: tuple[str, ...] = ()  #: all answers, if there are few
    #: the answer for a clicked thing, by its number; empty if there is none
    pointed: Callable[[int], str] = _nothing
    sketch: Sketch | None = None  #: the curve to draw on; the answer consists of the drawn values at the wanted times
    veils: str = ""  #: what panels must not show while it is open; empty: their pictures do not give the answer away


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and why, as sentences."""

    right: bool
    text: Phrase


def verdict(posed: Posed, answer: str) -> Verdict:
    """Grade an answer. Raises UserError if it is not an answer."""
    fault = posed.fault(posed.read(answer))
    if fault and posed.sketch is not None:  # the right curve is drawn instead of told
        return Verdict(False, Phrase("Not so: {why}", why=fault))
    if fault and posed.alike:
        choice = Phrase(
            "Not so: {why} Right is {answer}; the paper leaves a choice, others are right as well.",
            why=fault,
            answer=posed.taken,
        )
        return Verdict(False, choice)
    if fault:
        return Verdict(False, Phrase("Not so: {why} Right is {answer}.", why=fault, answer=posed.taken))
    return Verdict(True, Phrase("Right: {why}", why=told(posed)))


def told(posed: Posed) -> Phrase:
    """Why the policy decides as it does, and whether other decisions are right, too."""
    if posed.alike:
        return Phrase("{reason} The paper leaves a choice here; other answers are right as well.", reason=posed.reason)
    return Phrase("{reason}", reason=posed.reason)


# Reading.


def plain(value: float) -> str:
    """A number in the form of an answer: four significant digits, no exponent."""
    return f"{float(f'{value:.4g}'):.12f}".rstrip("0").rstrip(".")


def refused(text: str, allowed: Phrase) -> UserError:
    """The error for a text that is not an answer."""
    if not text.strip():
        return UserError(Phrase("nothing is written yet, allowed: {allowed}", allowed=allowed))
    return UserError(Phrase("found '{answer}', allowed: {allowed}", answer=text.strip()[:60], allowed=allowed))


def one_of(names: Sequence[str], allowed: Phrase, *, title: str = "") -> Reader:
    """Reads one of some names, optionally after *title*, as in ``server 3``."""

    @cache  # most questions are made but never posed
    def known() -> dict[str, str]:
        return {_typed(name): name for name in names}

    def read(text: str) -> str:
        words = _typed(text)
        found = known().get(words) or known().get(words.removeprefix(title).strip())
        if found is None:
            raise refused(text, allowed)
        return found

    return Reader(read, initials(*names, title))


#: Maps subscript digits to ordinary ones, and characters that need not be typed to blanks.
_TYPED = str.maketrans("₀₁₂₃₄₅₆₇₈₉(),", "0123456789   ")


def _typed(text: str) -> str:
    """A name in the form used to compare typed answers: lower case, no subscripts or brackets."""
    return " ".join(text.translate(_TYPED).lower().split())


def whole(low: int, high: int, allowed: Phrase) -> Reader:
    """Reads a whole number; "none" means 0 if that is in range."""

    def read(text: str) -> str:
        found = re.fullmatch(r"(\d{1,12})(?: servers?)?", text.strip().lower().replace(NONE, "0"))
        if found is None or not low <= int(found[1]) <= high:
            raise refused(text, allowed)
        return str(int(found[1]))

    return Reader(read, initials(NONE))


def vector(length: int, allowed: Phrase) -> Reader:
    """Reads *length* whole numbers, with or without brackets and commas."""

    def read(text: str) -> str:
        found = re.findall(r"-?\d{1,12}", text)
        if len(found) != length or re.sub(r"[-\d(),\s]", "", text):
            raise refused(text, allowed)
        return shown([int(number) for number in found])

    return Reader(read)


def numbers_in(answer: str) -> tuple[int, ...]:
    """The numbers of a vector answer that was read."""
    return tuple(int(number) for number in re.findall(r"-?\d+", answer))


# Lines of the paper.


def line_of(policy: Any, line: Any) -> str:
    """The citation of a line of a policy's pseudocode, with its text."""
    if line is None:
        return str(policy.title)
    found = next((one for one in policy.pseudocode if one.line == line), None)
    heading = next(
        (one.heading for one in policy.pseudocode if one.line.algorithm == line.algorithm and one.heading), ""
    )
    text = _without_tags(found.text) if found else ""
    return f"{heading or f'Algorithm {line.algorithm}'}, line {line.number}" + (f": {text}" if text else "")


@cache
def _without_tags(text: str) -> str:
    for tag, sign in (("sub", "_"), ("sup", "^")):
        text = re.sub(f"<{tag}>(.*?)</{tag}>", rf"{sign}{{\1}}", text)
    return html.unescape(re.sub(r"<[^>]*>", "", text))


_ALLOWED = Phrase("answers with how many gave them, such as '3 = 12; none = 5'")

#: The separator between the answers of a class.
BETWEEN = " · "

#: More students than any class has.
_MOST = 100_000


def read_counts(posed: Posed, text: str) -> dict[str, int]:
    """The number of students per answer, from text; empty if there is none. Raises UserError if a part is invalid."""
    found: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        answer, sign, count = part.rpartition("=")
        if not (sign and count.strip().isdecimal() and int(count) <= _MOST):
            raise refused(part, _ALLOWED)
        read = posed.read(answer)
        if read in found:
            raise UserError(Phrase("found '{answer}' twice, allowed: each answer once", answer=read))
        found[read] = int(count)
    return found


def counted_answers(posed: Posed, counts: Mapping[str, int]) -> str:
    """The answers of a class as text, the most frequent first, each marked as right or wrong."""
    total = sum(counts.values())
    order = sorted(counts, key=lambda answer: -counts[answer])
    return BETWEEN.join(
        f"{'✗' if posed.fault(answer) else '✓'} {answer}: {counts[answer]} ({counts[answer] / max(total, 1):.0%})"
        for answer in order
    )
