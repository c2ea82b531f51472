"""Rows of CSV as text, column by column: what is written again and again is put into words once."""

from __future__ import annotations

import csv
from contextlib import suppress
from importlib import import_module
from io import StringIO
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.reporting.data_columns import DataColumn

#: Numbers that are looked at before they are put in order.
_PROBED = 64

#: So many numbers are worth to load Arrow for.
_MANY = 1000

#: Texts that columns side by side may have together, to be looked up as one.
_TOGETHER = 4096


class _Coded(NamedTuple):
    """Texts, and [n] which of them each row has."""

    places: NDArray[Any]
    texts: list[str]

    def beside(self, other: _Coded) -> _Coded:
        """Both, with a comma between their texts."""
        texts = [f"{mine},{its}" for mine in self.texts for its in other.texts]
        return _Coded(self.places.astype(np.int64) * len(other.texts) + other.places.astype(np.int64), texts)

    def fits(self, other: _Coded) -> bool:
        """Whether both together have few texts."""
        return len(self.texts) * len(other.texts) <= _TOGETHER

    def rows(self) -> list[str]:
        """[n] the texts of the rows."""
        found: list[str] = _array(self.texts)[self.places].tolist()
        return found


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
    before: _Coded | None = None
    for column in columns:
        coded = _coded(column, absent)
        if before is not None and coded is not None and before.fits(coded):
            before = before.beside(coded)
            continue
        if before is not None:
            yield before.rows()
        before = coded
        if coded is None:
            yield _written_out(column, absent)
    if before is not None:
        yield before.rows()


def _coded(column: DataColumn, absent: str) -> _Coded | None:
    """A column of which few texts come again and again; None: it is another one."""
    coded = _coded_values(column.values, column.known, column.labels)
    if coded is None or column.known is None:
        return coded
    places = np.where(column.known, coded.places.astype(np.int64), len(coded.texts))
    return _Coded(places, [*coded.texts, absent])


def _coded_values(values: NDArray[Any], known: NDArray[np.bool_] | None, labels: tuple[str, ...]) -> _Coded | None:
    """The texts of the values; where they are not known, any."""
    kind, there = values.dtype.kind, values if known is None else values[known]
    if labels:
        return _Coded(values, [*map(_cell, labels)])
    if kind == "b":
        return _Coded(values.view(np.int8), ["False", "True"])
    if kind in "iu" and len(there):
        least, most = int(there.min()), int(there.max())
        if most - least < len(there):  # fewer than there are rows
            places = (values - values.dtype.type(least)).astype(f"u{values.itemsize}")  # right also where it overflows
            return _Coded(places, [*map(str, range(least, most + 1))])
    if kind == "f" and _come_again(there):
        bits, places = np.unique(values.view(f"i{values.itemsize}"), return_inverse=True)  # 0 and -0 are two
        return _Coded(places, [*map(str, bits.view(values.dtype).tolist())])
    return None


def _written_out(column: DataColumn, absent: str) -> list[str]:
    there = np.ones(len(column.values), np.bool_) if column.known is None else column.known
    texts = np.full(len(there), absent, object)
    texts[there] = _words(column.values[there])
    found: list[str] = texts.tolist()
    return found


def _words(values: NDArray[Any]) -> NDArray[np.object_]:
    """[n] texts of the values."""
    if values.dtype == np.float64 and len(values) >= _MANY:
        with suppress(ImportError):
            return _by_arrow(values)
    if values.dtype.kind in "iuf":
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
    sizes, whole = np.abs(values), values == np.trunc(values)
    short = (sizes > 1e-4) & (sizes < 1e9)  # they have no exponents
    found = np.empty(len(values), object)
    for these, kind, end in ((short & ~whole, np.float64, ""), (short & whole, np.int64, ".0")):
        texts = arrow.array(values[these].astype(kind)).cast(arrow.string()).to_numpy(zero_copy_only=False)
        found[these] = texts + end if end else texts
    found[~short] = _array(map(str, values[~short].tolist()))
    return found


def _cell(text: str) -> str:
    """A text as it stands in a line beside others."""
    return csv_line([text, ""]).removesuffix(",")


def _array(texts: Iterable[str]) -> NDArray[np.object_]:
    return np.array([*texts], object)
