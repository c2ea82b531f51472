"""Short forms: letters for types of jobs, phases and classes; numbers as subscripts.  Needs no NumPy."""

from __future__ import annotations

from typing import Sequence

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def type_letter(job_type: int) -> str:
    """A, B, ..., Z, AA, AB, ...: the letter of the job type with this index."""
    letters = ""
    number = job_type + 1
    while number:
        number, place = divmod(number - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters


def subscript(number: int) -> str:
    """A number as subscript text."""
    return str(number).translate(_SUBSCRIPTS)


def own_letters(names: Sequence[str], short: int = 2) -> tuple[str, ...]:
    """The short form of each name: the name if it has at most *short* letters, otherwise its initial.

    If two of them would be equal, or one would not start with a letter, all are A, B, C, ... instead.
    """
    letters = tuple(name if len(name) <= short else name[:1].upper() for name in names)
    if len({letter.casefold() for letter in letters}) == len(letters) and all(one[:1].isalpha() for one in letters):
        return letters
    return tuple(type_letter(number) for number in range(len(names)))
