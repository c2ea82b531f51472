"""Rows of CSV as text, column by column: what is written again and again is put into words once."""

from __future__ import annotations

import csv
from contextlib import suppress
from importlib import import_module
from io import StringIO
from itertools import groupby
from typing import Any, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.reporting.data_columns import DataColumn

#: Numbers that are looked at before they are put in order.
_PROBED = 64

#: So many numbers are worth to load Arrow for.
_MANY = 1000

#: Truths side by side whose texts are looked up as one.
_TRUTHS = 12


def csv_line(cells: Iterable[Any]) -> str:
    """A line as :mod:`csv` writes it, without its end."""
    file = StringIO()
    csv.writer(file, lineterminator="").writerow(cells)
    return file.getvalue()


def csv_lines(columns: Sequence[DataColumn]) -> str:
    """All rows, of which there is at least one, each as :func:`csv_line` of its cells has it, with their ends."""
    absent = "" if len(columns) > 1 else csv_line([""])
    return "\r\n".join([*map(",".join, zip(*_texts(columns, absent), strict=True)), ""])


def _texts(columns: Sequence[DataColumn], absent: str) -> Iterator[list[str]]:
    """[n] texts of each column, or of several side by side."""
    for are_truths, group in groupby(columns, lambda column: column.values.dtype == bool and column.known is None):
        some = list(group)
        if are_truths:
            for first in range(0, len(some), _TRUTHS):
                yield _truths(some[first : first + _TRUTHS])
        else:
            yield from (_text(column, absent) for column in some)


def _truths(columns: Sequence[DataColumn]) -> list[str]:
    """The cells of truths side by side, joined by commas."""
    places = np.zeros(len(columns[0].values), np.int64)
    for column in columns:
        places = 2 * places + column.values
    seen = np.flatnonzero(np.bincount(places, minlength=1)).tolist()
    words = np.full(2 ** len(columns), "", object)
    for place in seen:
        words[place] = ",".join(str(digit == "1") for digit in f"{place:0{len(columns)}b}")
    found: list[str] = words[places].tolist()
    return found


def _text(column: DataColumn, absent: str) -> list[str]:
    there = np.ones(len(column.values), np.bool_) if column.known is None else column.known
    texts = np.full(len(there), absent, object)
    texts[there] = _words(column.values[there], column.labels)
    found: list[str] = texts.tolist()
    return found


def _words(values: NDArray[Any], labels: tuple[str, ...]) -> NDArray[np.object_]:
    """[n] texts of the values."""
    kind = values.dtype.kind
    if labels:
        return _looked_up(map(_cell, labels), values)
    if kind in "iu" and len(values):
        least, most = int(values.min()), int(values.max())
        if most - least < len(values):  # fewer than there are rows
            places = (values - values.dtype.type(least)).astype(f"u{values.itemsize}")  # right also where it overflows
            return _looked_up(map(str, range(least, most + 1)), places)
    if kind == "f" and _come_again(values):
        bits, places = np.unique(values.view(f"i{values.itemsize}"), return_inverse=True)  # 0 and -0 are two
        return _looked_up(map(str, bits.view(values.dtype).tolist()), places)
    if values.dtype == np.float64 and len(values) >= _MANY:
        with suppress(ImportError):
            return _by_arrow(values)
    if kind in "iufb":
        return _array(map(str, values.tolist()))
    return _array(map(_cell, values.tolist()))


def _come_again(values: NDArray[Any]) -> bool:
    """Whether numbers seem to come again and again, by some of them."""
    some = values[:_PROBED].tolist()
    return 2 * len({*some}) < len(some)


def _by_arrow(values: NDArray[np.float64]) -> NDArray[np.object_]:
    """[n] texts of numbers, in a quarter of the time.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    """
    arrow = import_module("pyarrow")
    sizes = np.abs(values)
    alike = (sizes > 1e-4) & (sizes < 1e9) & (values != np.trunc(values))  # no exponents, and digits after the point
    found: NDArray[np.object_] = arrow.array(values).cast(arrow.string()).to_numpy(zero_copy_only=False)
    found[~alike] = _array(map(str, values[~alike].tolist()))
    return found


def _cell(text: str) -> str:
    """A text as it stands in a line beside others."""
    return csv_line([text, ""]).removesuffix(",")


def _looked_up(texts: Iterable[str], places: NDArray[Any]) -> NDArray[np.object_]:
    found: NDArray[np.object_] = _array(texts)[places]
    return found


def _array(texts: Iterable[str]) -> NDArray[np.object_]:
    return np.array([*texts], object)
