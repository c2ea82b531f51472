"""Rows of CSV as text: a few as :mod:`csv` writes them, many by a kernel that writes the same bytes.

A cell is given to the kernel as a whole number, or as the place of a text among all texts of the rows: labels
and what is absent are texts that come again and again, and so is what only Python or Arrow can put into words.
"""

from __future__ import annotations

import csv
from importlib import import_module
from io import StringIO
from typing import Any, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import compiled, jitable
from slotscope.model.reporting.data_columns import DataColumn

#: So many rows are worth to load Numba and Arrow for.
_MANY = 1000

#: What stands for a cell: the place of a text, a whole number, or one that is written with ".0".
_TEXT, _WHOLE, _WHOLE_FLOAT = range(3)

#: Bytes that no number is longer than.
_LONGEST_NUMBER = 24

#: The text of a cell in which there is nothing.
_ABSENT = 0


def csv_line(cells: Iterable[Any]) -> str:
    """A line as :mod:`csv` writes it, without its end."""
    file = StringIO()
    csv.writer(file, lineterminator="").writerow(cells)
    return file.getvalue()


def csv_lines(columns: Sequence[DataColumn]) -> bytes:
    """All rows, each as :func:`csv_line` of its cells has it, with their ends."""
    if len(columns[0].values) >= _MANY:
        return _by_kernel(columns)
    rows = zip(*(column.cells() for column in columns), strict=True)
    return "".join(f"{csv_line(row)}\r\n" for row in rows).encode()


def _by_kernel(columns: Sequence[DataColumn]) -> bytes:
    shape = len(columns), len(columns[0].values)
    texts = _Texts()
    texts.add(["" if len(columns) > 1 else csv_line([""])])
    kinds, cells = np.empty(shape, np.uint8), np.empty(shape, np.int64)
    for place, column in enumerate(columns):
        _fill(column, kinds[place], cells[place], texts)
        if column.known is not None:
            kinds[place][~column.known] = _TEXT
            cells[place][~column.known] = _ABSENT
    ends, letters = texts.joined()
    longest = max(_LONGEST_NUMBER, int(np.diff(ends).max())) + len("\r\n")
    out = np.empty(shape[0] * shape[1] * longest, np.uint8)
    return out[: compiled(_written)(kinds, cells, ends, letters, out)].tobytes()


class _Texts:
    """Texts one after the other, each known by its place."""

    def __init__(self) -> None:
        self._letters: list[NDArray[np.uint8]] = []
        self._ends = [np.zeros(1, np.int64)]
        self._count = 0

    def add(self, texts: Sequence[str]) -> int:
        """The place of the first of these."""
        words = [text.encode() for text in texts]
        return self._put(np.frombuffer(b"".join(words), np.uint8), np.cumsum([*map(len, words)], dtype=np.int64))

    def add_arrow(self, texts: Any) -> int:
        """The same of an array of Arrow's, of which nothing is cut off and nothing is absent."""
        _, ends, letters = texts.buffers()
        until = np.frombuffer(ends, np.int32, len(texts) + 1)[1:]
        return self._put(np.frombuffer(letters, np.uint8, until[-1] if len(until) else 0), until.astype(np.int64))

    def joined(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """[texts + 1] where each begins and the one before it ends, and all letters."""
        return np.concatenate(self._ends), np.concatenate(self._letters)

    def _put(self, letters: NDArray[np.uint8], ends: NDArray[np.int64]) -> int:
        first = self._count
        if len(ends):
            self._ends.append(ends + self._ends[-1][-1])
            self._letters.append(letters)
            self._count += len(ends)
        return first


def _fill(column: DataColumn, kinds: NDArray[np.uint8], cells: NDArray[np.int64], texts: _Texts) -> None:
    """What stands for the cells of a column; where they are not known, anything."""
    values, kinds[:] = column.values, _TEXT
    if column.labels or values.dtype.kind == "b":
        cells[:] = values
        cells += texts.add([*map(_cell, column.labels or ("False", "True"))])
    elif values.dtype.kind == "f":
        _fill_floats(values if column.known is None else np.where(column.known, values, 0), kinds, cells, texts)
    elif values.dtype.kind in "iu" and (values.dtype != np.uint64 or values.max() <= np.iinfo(np.int64).max):
        kinds[:], cells[:] = _WHOLE, values
    else:
        cells[:] = np.arange(len(values)) + texts.add([*map(_cell, map(str, values.tolist()))])


def _fill_floats(values: NDArray[Any], kinds: NDArray[np.uint8], cells: NDArray[np.int64], texts: _Texts) -> None:
    sizes = np.abs(values)
    whole = (sizes < 1e9) & (values == np.trunc(values)) & ((values != 0) | ~np.signbit(values))
    kinds[whole], cells[whole] = _WHOLE_FLOAT, values[whole]
    short = ~whole & (sizes > 1e-4) & (sizes < 1e9)  # Arrow writes what has no exponent as Python does
    words = _words_of_arrow(values[short]) if values.dtype == np.float64 else None
    if words is None:
        short[:] = False
    else:
        cells[short] = np.arange(len(words)) + texts.add_arrow(words)
    others = values[~(short | whole)].tolist()
    cells[~(short | whole)] = np.arange(len(others)) + texts.add([*map(str, others)])


def _words_of_arrow(values: NDArray[np.float64]) -> Any:
    """An array of texts, in a third of the time; None where pyarrow is not installed."""
    try:
        arrow = import_module("pyarrow")
    except ImportError:
        return None
    return arrow.array(values).cast(arrow.string())


def _cell(text: str) -> str:
    """A text as it stands in a line beside others."""
    return csv_line([text, ""]).removesuffix(",")


def _written(kinds: Any, cells: Any, ends: Any, letters: Any, out: Any) -> Any:
    """The kernel: the bytes written to *out*, row by row.

    *kinds* and *cells* are [columns, rows], *ends* and *letters* those of :class:`_Texts`.
    """
    columns, rows = cells.shape
    at = 0
    for row in range(rows):
        for column in range(columns):
            cell, kind = cells[column, row], kinds[column, row]
            if kind == _TEXT:
                for letter in range(ends[cell], ends[cell + 1]):
                    out[at] = letters[letter]
                    at += 1
            else:
                at = _number_written(cell, kind, at, out)
            out[at] = 44  # ","
            at += 1
        out[at - 1] = 13  # "\r\n"
        out[at] = 10
        at += 1
    return at


@jitable
def _number_written(number: Any, kind: Any, at: Any, out: Any) -> Any:
    """Where a whole number ends that is written to *out* from the place *at* on."""
    rest = np.uint64(number)
    if number < 0:
        out[at] = 45  # "-"
        at += 1
        rest = ~rest + np.uint64(1)
    digits, beyond = 1, np.uint64(10)
    while digits < 19 and rest >= beyond:  # no number of 64 bits with a sign has more
        digits += 1
        beyond *= np.uint64(10)
    for place in range(at + digits - 1, at - 1, -1):
        fewer = rest // np.uint64(10)
        out[place] = np.uint64(48) + rest - fewer * np.uint64(10)  # from "0" on
        rest = fewer
    at += digits
    if kind == _WHOLE_FLOAT:
        out[at], out[at + 1] = 46, 48  # ".0"
        at += 2
    return at
