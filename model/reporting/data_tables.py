"""Tables of typed, named columns with units, the form in which data leave the program.

A table passes its columns to pandas, Polars and any other program that reads Arrow (``__arrow_c_stream__``)
without copying them.  Arrow and Parquet need the package pyarrow; CSV needs no package.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.draft import draft_of
from slotscope.model.errors import UserError
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.csv_text import csv_line, csv_lines
from slotscope.model.reporting.data_columns import DataColumn, DeclaredColumn

#: The number of rows displayed of a table, at each end.
SHOWN = 5

#: Rows of CSV formatted at a time: few enough to stay in the processor's cache, and not a power of two, which would
#: map all columns to the same cache sets.
CSV_ROWS = 10_000

#: The fewest rows of a row group of a Parquet file: each group costs a thousand bytes per column.
PARQUET_ROWS = 65_536

#: Writes tables with the same columns, one after the other.
TableWriter = Callable[["DataTable"], None]


@dataclass(frozen=True, repr=False)
class DataTable:
    """Columns of equal length; ``table["time"]`` is one of them as a NumPy array."""

    name: str
    columns: tuple[DataColumn, ...]

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def __getitem__(self, name: str) -> NDArray[Any]:
        column = self.column(name)
        if column.labels:
            return np.array(column.cells(), object)
        return column.values if column.known is None else np.where(column.known, column.values, np.nan)

    def column(self, name: str) -> DataColumn:
        """A column by its name. Raises KeyError with the names that exist if there is none of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"found the column '{name}', allowed: {', '.join(self.names)}")

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]

    def part(self, rows: slice) -> DataTable:
        """The table restricted to some rows, without copying."""
        return DataTable(self.name, tuple(column.part(rows) for column in self.columns))

    def records(self) -> Iterator[dict[str, Any]]:
        """The rows as plain data."""
        names = self.names
        for row in zip(*(column.cells() for column in self.columns), strict=True):
            yield dict(zip(names, row, strict=True))

    # To other programs.

    def to_arrow(self) -> Any:
        """The table as a ``pyarrow.Table`` that shares its memory; units and meanings are field metadata.

        Raises UserError if pyarrow is not installed.
        """
        arrow = _pyarrow("pyarrow")
        arrays = [_arrow_array(arrow, column) for column in self.columns]
        about = [{key: text for key in ("about", "unit") if (text := getattr(each, key))} for each in self.columns]
        fields = [
            arrow.field(each.name, array.type, metadata=told or None)
            for each, array, told in zip(self.columns, arrays, about, strict=True)
        ]
        return arrow.Table.from_arrays(arrays, schema=arrow.schema(fields, metadata={"slotscope": self.name}))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame`` that shares its numbers; labels become categories.

        An absent integer becomes ``<NA>``, so that the column stays integer.
        Raises UserError if pyarrow or pandas is not installed.
        """
        arrow, pandas = (
            _pyarrow("pyarrow"),
            _imported("pandas", "a DataFrame needs the package pandas: pip install pandas"),
        )

        def kept(kind: Any) -> Any:
            return None if arrow.types.is_dictionary(kind) else pandas.ArrowDtype(kind)

        return self.to_arrow().to_pandas(types_mapper=kept)

    def write(self, path: str | Path) -> None:
        """Write the table as CSV or Parquet, by the ending of the path; see :func:`table_file`."""
        with table_file(Path(path)) as write:
            write(self)

    # To people.

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self):,} rows of {', '.join(self.names)}>"

    def _repr_html_(self) -> str:
        """For notebooks: the first and last rows."""
        whole = len(self) <= 2 * SHOWN
        parts = [self] if whole else [self.part(slice(0, SHOWN)), self.part(slice(len(self) - SHOWN, None))]
        head = "".join(f'<th title="{escape(_told(column))}">{escape(column.name)}</th>' for column in self.columns)
        gap = f"<tr>{'<td>⋮</td>' * len(self.columns)}</tr>"
        body = gap.join("".join(_html_row(row) for row in part.records()) for part in parts)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{len(self):,} rows</p>"


def table_of_records(
    name: str, records: Sequence[dict[str, Any]], declared: Sequence[DeclaredColumn] = ()
) -> DataTable:
    """A table of rows in which some columns may be missing.

    *declared* columns always exist with their declared type; the type of other columns is that of the values
    found in the rows.
    """
    known = {column.name: column for column in declared}
    names = dict.fromkeys([*(key for record in records for key in record), *known])
    return DataTable(name, tuple(_of_records(records, known.get(key) or DeclaredColumn(key)) for key in names))


def _of_records(records: Sequence[dict[str, Any]], declared: DeclaredColumn) -> DataColumn:
    cells = [record.get(declared.name) for record in records]
    known = np.array([cell is not None for cell in cells], np.bool_)
    are_numbers = known.any() and all(isinstance(cell, int | float) for cell in cells if cell is not None)
    kind = declared.type or (None if are_numbers else str)
    filled = [(kind or int)() if cell is None else (kind(cell) if kind else cell) for cell in cells]
    absent = None if known.all() else known
    return DataColumn(declared.name, np.array(filled, kind), declared.about, declared.unit, absent)


def table_endings() -> tuple[str, ...]:
    """The file endings of the table formats that the installed packages can write."""
    return (".csv", ".parquet") if find_spec("pyarrow") else (".csv",)


@contextmanager
def table_file(path: Path) -> Iterator[TableWriter]:
    """A file to which tables with the same columns are written, one after the other.

    Raises UserError if the path ends in neither ``.csv`` nor ``.parquet``, the file cannot be written, or Parquet
    is requested without pyarrow.
    """
    writers = {".csv": _csv_file, ".parquet": _parquet_file}
    if path.suffix not in writers:
        said = Phrase("found a name that ends in '{ending}', allowed: .csv or .parquet", ending=path.suffix)
        raise UserError(said, where=str(path))
    with draft_of(path) as draft, writers[path.suffix](draft) as write:
        yield write


@contextmanager
def _csv_file(path: Path) -> Iterator[TableWriter]:
    with path.open("wb") as file:

        def write(table: DataTable) -> None:
            if not file.tell():
                file.write(f"{csv_line(table.names)}\r\n".encode())
            for first in range(0, len(table), CSV_ROWS):
                file.write(csv_lines(table.part(slice(first, first + CSV_ROWS)).columns))

        yield write


@contextmanager
def _parquet_file(path: Path) -> Iterator[TableWriter]:
    arrow, files = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
    opened: list[Any] = []
    waiting: list[Any] = []

    def write(table: DataTable) -> None:
        waiting.append(table.to_arrow())
        if not opened:
            opened.append(files.ParquetWriter(path, waiting[0].schema))
        if sum(map(len, waiting)) >= PARQUET_ROWS:
            write_waiting()

    def write_waiting() -> None:
        if waiting:
            opened[0].write_table(arrow.concat_tables(waiting))
        waiting.clear()

    try:
        yield write
        write_waiting()
    finally:
        for file in opened:
            file.close()


def _pyarrow(module: str) -> ModuleType:
    return _imported(
        module, "Arrow and Parquet need the package pyarrow: pip install 'slotscope[data]'; CSV needs nothing"
    )


def _imported(module: str, without: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise UserError(without) from None


def _arrow_array(arrow: ModuleType, column: DataColumn) -> Any:
    values = np.ascontiguousarray(column.values)
    absent = None if column.known is None else ~column.known
    if column.labels:
        places = arrow.array(values.astype(np.int32), mask=absent)
        return arrow.DictionaryArray.from_arrays(places, arrow.array(column.labels))
    return arrow.array(values, type=arrow.string() if values.dtype.kind in "OU" else None, mask=absent)


def _told(column: DataColumn) -> str:
    unit = f", in units of {column.unit}" if column.unit else ""
    return f"{column.about}{unit}"


def _html_row(record: dict[str, Any]) -> str:
    cells = (
        "" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in record.values()
    )
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
