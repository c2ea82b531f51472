"""About where a remainder lies, by fixed point: in three steps for each number, or two where that is a product.

A number E over its divisor c is E * (1 / c) + magic, by one fused multiplication and addition: as magic is
1.5 * 2**(52 - s), the last s bits are the fraction where the quotient is below 2**(51 - s).  Of magic that is taken
off where the remainders begin that are looked for, so that the upper bits of the fraction are 0 for these, which is the
last step.  In units u = 2**-s there is wrong at most

* by the quotient 1, as 1 / c, a factor of E in its stead, 1 over a divisor of E in its stead, and E are each rounded,
  by 2**-53 of what is below 2**(51 - s);
* by that beginning 1/8, and it less than magic 1/2, and by the sum 1/2;
* by a number over c where remainders begin or end 1/8, as that is at most 1 where there is any, and s at most 50; and
  by the remainder as NumPy rounds it 1/8;

and this is less than :data:`WRONG` on either side.  What is too small to be as exact is of no matter to sizes between
:data:`SMALL` and :data:`LARGE`.

Where each number has a divisor c of its own, the remainder is near an end if (E - end) / c is near a whole number.
Two fused steps compute magic - (1 / c) * end + E * (1 / c), or for a product E = a * b, magic - (1 / c) * end +
(a / c) * b.  Errors at most, in units: rounding of E and of the reciprocals 1/4 each, of magic and of both sums 1/2
each, of the remainder 1/8; and 1/4 for each reciprocal that is subnormal.

A product is often a large quotient, of which few bits are left for the fraction, and products of whole numbers are
often as near as that to what is asked for.  So where it is exact, and one of its numbers whole, multiples of the
divisor are taken off the other one: the quotient is less by a whole number then, and not rounded once more.
"""

from __future__ import annotations

from typing import NamedTuple

from slotscope.model.questions.maybe import NEAR, NEAR_OR_LESS
from slotscope.model.questions.remainders import LARGE, SMALL
from slotscope.model.questions.vector_text import VectorText

#: Units of the last bit of a fraction by which a quotient may be wrong beside where remainders begin or end.
WRONG = 3.0

#: Bits of a fraction at most; and bits of it at least that tell something.
MOST_BITS, FEWEST_BITS = 50, 2

#: Products of whole numbers are exact up to here.
MOST_EXACT = 2.0**53

#: Set in what is missing or infinite, and in no sum with a magic number.
_NO_NUMBER = 1 << 61

_NOUGHT = "zeroinitializer"


class FixedPoint(NamedTuple):
    """Names of vectors, of a number for each event."""

    scale: str  #: times which a number is its quotient
    magic: str  #: what is added to that
    mask: str  #: bits of the sum that are 0 where the remainder may be one of those looked for


class Remainder(NamedTuple):
    """Names of vectors, of a number for each event: of remainders of some numbers E."""

    divisor: str
    end: str  #: what the remainder is compared with
    factor: str | None  #: E is a number times this
    most: str  #: no E is larger
    most_number: str  #: nor is that number
    product: str | None  #: where E is a product of whole numbers, that number and the factor


def fixed_point(text: VectorText, how: int, of: Remainder) -> FixedPoint:
    """How remainders near a number are told, or below it, or above it.

    Where that cannot be told, no bit is to be 0: it may be any of them.
    """
    inverse, end = text.count("fdiv", text.constant(1.0), of.divisor), text.count("fdiv", of.end, of.divisor)
    scale, most = _scale(text, of, inverse)
    most = text.count("fadd", text.count("fmul", most, text.constant(1 + 2.0**-40)), text.constant(2.0))
    bits = text.whole("sub", _wholes(text, MOST_BITS), _exponent(text, most))
    low, high = _ends(text, how, of.divisor, end)
    told, ignored = _bits_told(text, bits, low, high)
    sizes = [text.called("fabs", one) for one in (of.divisor, scale)]
    sound = text.compared("ogt", sizes[0], text.constant(SMALL))
    for size in (*sizes, of.most_number):
        sound = text.logic("and", sound, text.compared("olt", size, text.constant(LARGE)))
    enough = text.whole("icmp sge", text.whole("sub", bits, ignored), _wholes(text, FEWEST_BITS))
    sound = text.logic("and", sound, enough)
    mask = text.put(f"select {text.truths} {sound}, {text.wholes} {told}, {text.wholes} {_NOUGHT}")
    return FixedPoint(scale, _magic(text, bits, low), mask)


def _scale(text: VectorText, of: Remainder, inverse: str) -> tuple[str, str]:
    """Times which a number is its quotient, but for a whole number, and what no quotient exceeds, but for rounding."""
    most = text.count("fmul", of.most, text.called("fabs", inverse))
    if of.factor is None:
        return inverse, most
    scale = text.count("fmul", of.factor, inverse)
    if of.product is None:
        return scale, most
    exact = text.logic("and", of.product, text.compared("olt", of.most, text.constant(MOST_EXACT)))
    whole = text.count("fneg", text.called("floor", text.count("fadd", scale, text.constant(0.5))))
    left = text.count("fmul", text.called("fma", whole, of.divisor, of.factor), inverse)
    less = text.count("fmul", of.most_number, text.called("fabs", left))
    return text.chosen(exact, left, scale), text.chosen(exact, less, most)


def _wholes(text: VectorText, number: int) -> str:
    return text.same("i64", str(number))


def _exponent(text: VectorText, number: str) -> str:
    """Of 2, so that a number is less than twice that power; of one that is missing or infinite it is beyond all."""
    bits = text.whole("lshr", text.as_whole(number), _wholes(text, 52))
    return text.whole("sub", bits, _wholes(text, 1023))


def _power(text: VectorText, exponent: str) -> str:
    """A power of 2."""
    bits = text.whole("add", exponent, _wholes(text, 1023))
    return text.as_number(text.whole("shl", bits, _wholes(text, 52)))


def _ends(text: VectorText, how: int, divisor: str, end: str) -> tuple[str, str]:
    """Between which quotients those lie that are looked for, without their whole parts."""
    if how == NEAR:
        return end, end
    one = text.constant(1.0)
    upwards = text.compared("ogt" if how == NEAR_OR_LESS else "olt", divisor, _NOUGHT)
    return text.chosen(upwards, _NOUGHT, end), text.chosen(upwards, end, one)


def _bits_told(text: VectorText, bits: str, low: str, high: str) -> tuple[str, str]:
    """Which of so many *bits* are 0 between two quotients, and how many of the last ones may be anything."""
    wide = text.count("fsub", high, low)
    wide = text.chosen(text.compared("olt", wide, _NOUGHT), _NOUGHT, wide)
    units = text.count("fadd", text.count("fmul", wide, _power(text, bits)), text.constant(2 * WRONG + 1))
    ignored = text.whole("add", _exponent(text, units), _wholes(text, 1))
    none = _wholes(text, -1)
    shifts = [text.least_whole(one, _wholes(text, 63)) for one in (bits, ignored)]
    fraction = text.whole("xor", text.whole("shl", none, shifts[0]), none)
    told = text.whole("and", fraction, text.whole("shl", none, shifts[1]))
    return text.whole("or", told, _wholes(text, _NO_NUMBER)), ignored


def _magic(text: VectorText, bits: str, low: str) -> str:
    """What brings a quotient to fixed point, less where the remainders begin."""
    unit = _power(text, text.whole("sub", _wholes(text, 0), bits))
    magic = text.count("fmul", _power(text, text.whole("sub", _wholes(text, 52), bits)), text.constant(1.5))
    return text.count("fsub", magic, text.count("fsub", low, text.count("fmul", unit, text.constant(WRONG))))
