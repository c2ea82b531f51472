"""How many in a class gave each answer: typed in, and told beside the right one."""

from __future__ import annotations

from typing import Mapping

from slotscope.model.errors import UserError
from slotscope.model.exercises.posed import Posed, refused
from slotscope.model.phrase import Phrase

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
