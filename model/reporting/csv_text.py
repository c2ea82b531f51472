"""Rows of CSV as text: few rows by :mod:`csv`, many by a compiled kernel that writes the same bytes.

The kernel gets each cell as an integer or as the index of a text.  Texts are used for labels and absent values,
which are shared by many cells, and for values that only Python or Arrow can format.
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

#: The number of rows from which loading Numba and Arrow pays.
_MANY = 1000

#: The kinds of a cell: the index of a text, an integer, or an integer followed by ".0".
_TEXT, _WHOLE, _WHOLE_FLOAT = range(3)

#: The most bytes of a number.
_LONGEST_NUMBER = 24

#: The index of the text of an absent cell.
_ABSENT = 0


def csv_line(cells: Iterable[Any]) -> str:
    """A line as :mod:`csv` writes it, without the line end."""
    file = StringIO()
    csv.writer(file, lineterminator="").writerow(cells)
    return file.getvalue()


def csv_lines(columns: Sequence[DataColumn]) -> bytes:
    """All rows with their line ends, each the :func:`csv_line` of its cells."""
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
    """A sequence of texts, each identified by its index."""

    def __init__(self) -> None:
        self._letters: list[NDArray[np.uint8]] = []
        self._ends = [np.zeros(1, np.int64)]
        self._count = 0

    def add(self, texts: Sequence[str]) -> int:
        """Add texts; returns the index of the first one."""
        words = [text.encode() for text in texts]
        return self._put(np.frombuffer(b"".join(words), np.uint8), np.cumsum([*map(len, words)], dtype=np.int64))

    def add_arrow(self, texts: Any) -> int:
        """As :meth:`add`, for an unsliced Arrow array without absent values."""
        _, ends, letters = texts.buffers()
        until = np.frombuffer(ends, np.int32, len(texts) + 1)[1:]
        return self._put(np.frombuffer(letters, np.uint8, until[-1] if len(until) else 0), until.astype(np.int64))

    def joined(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """[texts + 1] the offset at which each text begins and the one before it ends; and the bytes of all texts."""
        return np.concatenate(self._ends), np.concatenate(self._letters)

    def _put(self, letters: NDArray[np.uint8], ends: NDArray[np.int64]) -> int:
        first = self._count
        if len(ends):
            self._ends.append(ends + self._ends[-1][-1])
            self._letters.append(letters)
            self._count += len(ends)
        return first


def _fill(column: DataColumn, kinds: NDArray[np.uint8], cells: NDArray[np.int64], texts: _Texts) -> None:
    """Fill in kinds and cells of a column; those of unknown values are arbitrary."""
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
    short = ~whole & (sizes > 1e-4) & (sizes < 1e9)  # for numbers without exponent Arrow writes the same as Python
    words = _words_of_arrow(values[short]) if values.dtype == np.float64 else None
    if words is None:
        short[:] = False
    else:
        cells[short] = np.arange(len(words)) + texts.add_arrow(words)
    others = values[~(short | whole)].tolist()
    cells[~(short | whole)] = np.arange(len(others)) + texts.add([*map(str, others)])


def _words_of_arrow(values: NDArray[np.float64]) -> Any:
    """An Arrow array of texts, in a third of Python's time; None if pyarrow is not installed."""
    try:
        arrow = import_module("pyarrow")
    except ImportError:
        return None
    return arrow.array(values).cast(arrow.string())


def _cell(text: str) -> str:
    """A text as a CSV cell, in a line with further cells."""
    return csv_line([text, ""]).removesuffix(",")


def _written(kinds: Any, cells: Any, ends: Any, letters: Any, out: Any) -> Any:
    """The kernel: writes row by row to *out*, and returns the number of bytes written.

    *kinds* and *cells* are [columns, rows]; *ends* and *letters* are those of :meth:`_Texts.joined`.
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
    """Write an integer to *out* from the position *at* on; returns the position after it."""
    rest = np.uint64(number)
    if number < 0:
        out[at] = 45  # "-"
        at += 1
        rest = ~rest + np.uint64(1)
    digits, beyond = 1, np.uint64(10)
    while digits < 19 and rest >= beyond:  # a signed 64-bit integer has at most 19 digits
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
