"""Rows of CSV as text, column by column: what is written again and again is put into words once."""

from __future__ import annotations

import csv
from io import StringIO
from itertools import groupby
from typing import Any, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.reporting.data_columns import DataColumn

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
    texts = _words(column)
    if column.known is not None:
        texts[~column.known] = absent
    found: list[str] = texts.tolist()
    return found


def _words(column: DataColumn) -> NDArray[np.object_]:
    """[n] texts of the values; anything where there is none."""
    values, kind = column.values, column.values.dtype.kind
    if column.labels:
        places = values if column.known is None else np.where(column.known, values, 0)
        return _looked_up(map(_cell, column.labels), places)
    if kind in "iu" and len(values):
        least, most = int(values.min()), int(values.max())
        if most - least < len(values):  # fewer than there are rows
            places = (values - values.dtype.type(least)).astype(f"u{values.itemsize}")  # right also where it overflows
            return _looked_up(map(str, range(least, most + 1)), places)
    if kind in "iufb":
        return _array(map(str, values.tolist()))
    return _array(map(_cell, values.tolist()))


def _cell(text: str) -> str:
    """A text as it stands in a line beside others."""
    return csv_line([text, ""]).removesuffix(",")


def _looked_up(texts: Iterable[str], places: NDArray[Any]) -> NDArray[np.object_]:
    found: NDArray[np.object_] = _array(texts)[places]
    return found


def _array(texts: Iterable[str]) -> NDArray[np.object_]:
    return np.array([*texts], object)
