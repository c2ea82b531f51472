"""A question as it stands at a moment: its words, how an answer is read, and what is wrong with one."""

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

#: The answer that nothing, or nobody, is it.
NONE = "none"


@dataclass(frozen=True)
class Reader:
    """Reads an answer into the form in which it is compared and kept; raises UserError.

    ``begins`` are the letters with which one may begin; digits, signs and brackets always may.
    """

    read: Callable[[str], str]
    begins: frozenset[str] = frozenset()

    def __call__(self, text: str) -> str:
        return self.read(text)


def initials(*names: str) -> frozenset[str]:
    """The letters with which these begin."""
    return frozenset(name[0].lower() for name in names if name[:1].isalpha())


def _nothing(_: int) -> str:
    return ""


@dataclass(frozen=True, eq=False)
class Sketch:
    """A curve so far, that somebody is to draw on."""

    #: times, values: [n] what is known of it
    times: NDArray[np.float64]
    values: NDArray[np.float64]
    wanted: NDArray[np.float64]  #: the times at which what is drawn is read
    right: NDArray[np.float64]  #: what comes at these times
    scale: float  #: the largest value of all; in shares of it is told how far away is what is drawn
    top: float  #: the largest value that can be drawn


@dataclass(frozen=True, eq=False)
class Posed:
    """A question at a moment, with what the reference makes of it.

    Answers are texts: ``3``, ``none``, ``(8, 0, 0)``.
    """

    ask: str
    #: place, decided: the sub-steps of the event at which it is put, and after which the policy has answered it; 0: its
    #: end
    place: int
    decided: int
    words: Phrase
    allowed: Phrase  #: what an answer may be, as a clause
    read: Reader  #: what reads an answer
    fault: Callable[[str], str]  #: what is wrong with an answer that was read; empty: it is right
    taken: str  #: what the policy does, as an answer
    reason: str  #: the sentence that tells why
    alike: int = 0  #: how many other answers are right too; the paper leaves the choice
    #: how hard it is: how many single things are looked at until the answer is known; 0: there is nothing to choose
    effort: int = 1
    picks: str = ""  #: the kind of thing that is pointed at to answer: ``"server"``, ``"job"``, ...; empty: none is
    options: tuple[str, ...] = ()  #: the answers that there are, where they are few
    #: the answer that stands for a thing that is pointed at, by its number; empty: none does
    pointed: Callable[[int], str] = _nothing
    sketch: Sketch | None = None  #: the curve that is to be drawn on; its answer are the values at the times wanted
    veils: str = ""  #: what no panel may tell while it is open; empty: the pictures of that moment do not give it away


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth, and why, as sentences."""

    right: bool
    text: Phrase


def verdict(posed: Posed, answer: str) -> Verdict:
    """Grade an answer. Raises UserError if it is none."""
    fault = posed.fault(posed.read(answer))
    if fault and posed.sketch is not None:  # what is right is drawn
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
    """Why the policy decides so, and whether it could have decided otherwise."""
    if posed.alike:
        return Phrase("{reason} The paper leaves a choice here; other answers are right as well.", reason=posed.reason)
    return Phrase("{reason}", reason=posed.reason)


# Reading.


def plain(value: float) -> str:
    """A number as an answer gives it: four digits of it, and no power of ten."""
    return f"{float(f'{value:.4g}'):.12f}".rstrip("0").rstrip(".")


def refused(text: str, allowed: Phrase) -> UserError:
    """Why a text is no answer."""
    if not text.strip():
        return UserError(Phrase("nothing is written yet, allowed: {allowed}", allowed=allowed))
    return UserError(Phrase("found '{answer}', allowed: {allowed}", answer=text.strip()[:60], allowed=allowed))


def one_of(names: Sequence[str], allowed: Phrase, *, title: str = "") -> Reader:
    """Reads one of some names; *title*, as in ``server 3``, may stand before it."""

    @cache  # most questions are looked at, and never put
    def known() -> dict[str, str]:
        return {_typed(name): name for name in names}

    def read(text: str) -> str:
        words = _typed(text)
        found = known().get(words) or known().get(words.removeprefix(title).strip())
        if found is None:
            raise refused(text, allowed)
        return found

    return Reader(read, initials(*names, title))


#: Digits as they stand in symbols, to those of a keyboard, and what need not be typed.
_TYPED = str.maketrans("₀₁₂₃₄₅₆₇₈₉(),", "0123456789   ")


def _typed(text: str) -> str:
    """A name as somebody types it: without small digits, capitals and brackets."""
    return " ".join(text.translate(_TYPED).lower().split())


def whole(low: int, high: int, allowed: Phrase) -> Reader:
    """Reads a whole number; none is 0 where that is allowed."""

    def read(text: str) -> str:
        found = re.fullmatch(r"(\d{1,12})(?: servers?)?", text.strip().lower().replace(NONE, "0"))
        if found is None or not low <= int(found[1]) <= high:
            raise refused(text, allowed)
        return str(int(found[1]))

    return Reader(read, initials(NONE))


def vector(length: int, allowed: Phrase) -> Reader:
    """Reads so many whole numbers, with or without brackets and commas."""

    def read(text: str) -> str:
        found = re.findall(r"-?\d{1,12}", text)
        if len(found) != length or re.sub(r"[-\d(),\s]", "", text):
            raise refused(text, allowed)
        return shown([int(number) for number in found])

    return Reader(read)


def numbers_in(answer: str) -> tuple[int, ...]:
    """The numbers of a vector that was read."""
    return tuple(int(number) for number in re.findall(r"-?\d+", answer))


# Lines of the paper.


def line_of(policy: Any, line: Any) -> str:
    """A line of a policy's pseudocode as it is cited, with its text."""
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

#: Between one answer of a class and the next.
BETWEEN = " · "

#: More than any class has.
_MOST = 100_000


def read_counts(posed: Posed, text: str) -> dict[str, int]:
    """How many gave which answer; none where nothing was typed. Raises UserError if an answer or a number is none."""
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
    """The answers of a class, the most frequent first, each with whether it is right."""
    total = sum(counts.values())
    order = sorted(counts, key=lambda answer: -counts[answer])
    return BETWEEN.join(
        f"{'✗' if posed.fault(answer) else '✓'} {answer}: {counts[answer]} ({counts[answer] / max(total, 1):.0%})"
        for answer in order
    )
