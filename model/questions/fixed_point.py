"""Approximate tests of remainders in fixed point: three instructions per number, or two where that is a product.

The quotient of a number E and its divisor c is computed as E * (1 / c) + magic, by one fused multiply-add.  As magic is
1.5 * 2**(52 - s), the last s bits of the sum are the fraction of the quotient if that is below 2**(51 - s).  The lower
end of the remainders that are searched, as a quotient, is subtracted from magic beforehand, so that for these
remainders the upper bits of the fraction are 0; a mask and a comparison with 0 test that.  In units of u = 2**-s the
error is at most

* 1 for the quotient: E, 1 / c, and a factor of E or the reciprocal of a divisor of E where one is folded into 1 / c,
  are each rounded by 2**-53 of what is below 2**(51 - s);
* 1/8 for the lower end, 1/2 for its difference from magic, and 1/2 for the sum;
* 1/8 for the division by c of either end of the remainders, as that is at most 1 where there is any remainder, and s at
  most 50; and 1/8 for the remainder as NumPy rounds it;

together less than :data:`WRONG` on either side.  Subnormal numbers, which are less exact, do not matter for magnitudes
between :data:`SMALL` and :data:`LARGE`.

Where each number has a divisor c of its own, the remainder is near an end if (E - end) / c is near an integer.
Two fused steps compute magic - (1 / c) * end + E * (1 / c), or for a product E = a * b, magic - (1 / c) * end +
(a / c) * b.  Errors at most, in units: rounding of E and of the reciprocals 1/4 each, of magic and of both sums 1/2
each, of the remainder 1/8; and 1/4 for each reciprocal that is subnormal.

A product often has a large quotient, which leaves few bits for the fraction, and products of integers are often as
close as that to the remainder asked for.  So where the product is exact, and one factor an integer, multiples of the
divisor are subtracted from the other factor: that makes the quotient less by an integer, without another rounding.
"""

from __future__ import annotations

from typing import NamedTuple

from slotscope.model.questions.maybe import NEAR, NEAR_OR_LESS
from slotscope.model.questions.remainders import LARGE, SMALL
from slotscope.model.questions.vector_text import VectorText

#: The largest error of a quotient at either end of the remainders, in units of the fraction's last bit.
WRONG = 3.0

#: The most bits of a fraction; and the fewest of them that a test has to check to be worthwhile.
MOST_BITS, FEWEST_BITS = 50, 2

#: Products of integers are exact below this.
MOST_EXACT = 2.0**53

#: A bit that is set in nan and infinity, and in no sum with a magic number.
_NO_NUMBER = 1 << 61

_NOUGHT = "zeroinitializer"


class FixedPoint(NamedTuple):
    """The constants of a test: names of vectors with one lane per event."""

    scale: str  #: a number times this is its quotient
    magic: str  #: added to the quotient
    mask: str  #: the bits of the sum that are 0 where the test passes


class Remainder(NamedTuple):
    """The remainders of some numbers E: names of vectors with one lane per event."""

    divisor: str
    end: str  #: what the remainder is compared with
    factor: str | None  #: E is a number times this
    most: str  #: upper bound of the magnitude of E
    most_number: str  #: upper bound of the magnitude of that number
    product: str | None  #: where that number and the factor are both integers


def fixed_point(text: VectorText, how: int, of: Remainder) -> FixedPoint:
    """The test that remainders are near the end, below it or above it (*how*).

    Where that cannot be tested precisely enough the mask is 0, so that each remainder passes.
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
    """What turns a number into its quotient, up to an integer, by multiplying; the quotients' bound, up to rounding."""
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
    """The binary exponent of a positive number, rounded down; for nan and infinity it is larger than all others."""
    bits = text.whole("lshr", text.as_whole(number), _wholes(text, 52))
    return text.whole("sub", bits, _wholes(text, 1023))


def _power(text: VectorText, exponent: str) -> str:
    """2 to the power of *exponent*."""
    bits = text.whole("add", exponent, _wholes(text, 1023))
    return text.as_number(text.whole("shl", bits, _wholes(text, 52)))


def _ends(text: VectorText, how: int, divisor: str, end: str) -> tuple[str, str]:
    """The lower and upper end of the quotients' fractions that are searched for."""
    if how == NEAR:
        return end, end
    one = text.constant(1.0)
    upwards = text.compared("ogt" if how == NEAR_OR_LESS else "olt", divisor, _NOUGHT)
    return text.chosen(upwards, _NOUGHT, end), text.chosen(upwards, end, one)


def _bits_told(text: VectorText, bits: str, low: str, high: str) -> tuple[str, str]:
    """A mask of the upper *bits* of a fraction that are 0 from *low* to *high*; and how many low bits are ignored."""
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
    """The summand that brings a quotient to fixed point, less the lower end of the quotients searched for."""
    unit = _power(text, text.whole("sub", _wholes(text, 0), bits))
    magic = text.count("fmul", _power(text, text.whole("sub", _wholes(text, 52), bits)), text.constant(1.5))
    return text.count("fsub", magic, text.count("fsub", low, text.count("fmul", unit, text.constant(WRONG))))
