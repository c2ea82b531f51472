"""Tables of jobs, as CSV (plain or gzip'd) or Parquet: the program's own format.

The first line of a CSV file names the columns, in any order.  ``arrival`` and ``duration`` are
required.  The column of a demand is named after the scenario's resource, with its unit in brackets
if that differs from the scenario's (``memory [GiB]``); ``size`` is a fraction of a server.  Times are rounded
to microseconds, demands to 10^-9.  ``width``, ``priority`` and ``type`` are optional.  Columns that a
scenario does not ask for are not read.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from slotscope.model.errors import TraceError, UserError
from slotscope.model.traces.jobs import (
    DEMAND_PLACES,
    LATEST,
    MOST_DEMAND,
    NO_DURATION,
    NO_TIME,
    PART,
    SIZE,
    TIME_PLACES,
    Demand,
    Integers,
    RecordedJobs,
    after_first,
    recorded,
    same_resource,
)
from slotscope.model.traces.reading import FieldError, Watch, file_size, rows, titles_of
from slotscope.model.traces.report import ImportReport, LeftOut

SOURCE = "table of jobs"
ARRIVAL, DURATION, WIDTH, PRIORITY, TYPE = "arrival", "duration", "width", "priority", "type"

PARQUET_MAGIC = b"PAR1"

#: The number of rows converted to numbers at a time.
_ROWS = 1 << 16

#: The most distinct types, and the most characters of a type's name.
MOST_TYPES, LONGEST_NAME = 10_000, 100

_UNIT = re.compile(r"(.+?)\s*\[([^\[\]]*)\]")

#: float() would also read nan, inf, 1_0 and digits of other scripts.
_FOREIGN = re.compile(r"[^-+.0-9eE,\s]", re.ASCII)

#: The separators to detect: only commas are allowed, and an error names any other one.
_SEPARATORS = re.compile(r"[,;\t|]")

_Floats = npt.NDArray[np.float64]


class AskedJobs(NamedTuple):
    """What a kind of system reads of recorded jobs: demands for resources, optional columns, and the number of jobs."""

    resources: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    limit: int | None = None  #: read only so many jobs, the earliest ones; None: all


class _Rule(NamedTuple):
    """The range of a column's numbers, *least* to *most*, and the decimal places that they are rounded to."""

    least: int
    most: int
    places: int
    optional: bool = False

    @property
    def allowed(self) -> str:
        return f"a {'number' if self.places else 'whole number'} from {self.least} to {self.most}"


_RULES: Mapping[str, _Rule] = {
    ARRIVAL: _Rule(0, LATEST, TIME_PLACES),
    DURATION: _Rule(0, LATEST, TIME_PLACES, optional=True),
    WIDTH: _Rule(1, 10**6, 0),
    PRIORITY: _Rule(0, 10**6, 0),
}
_DEMAND = _Rule(0, MOST_DEMAND, DEMAND_PLACES)


class _Column(NamedTuple):
    """A column that is read: its title in the file, its name without unit, and its unit."""

    title: str
    name: str
    unit: str


#: The fields of a column as text, or its numbers with nan for empty fields.
_Fields = Sequence[str] | _Floats


class _Block(NamedTuple):
    """Some rows: their row numbers, and the fields of the columns that are read."""

    rows: Sequence[int]
    columns: Sequence[_Fields]


_Opened = tuple[tuple[_Column, ...], Iterator[_Block]]


def is_job_table(first: bytes) -> bool:
    """Whether a file that begins with *first* is meant to be a table of jobs."""
    if first.startswith(PARQUET_MAGIC):
        return True
    names = _SEPARATORS.split(first.decode("utf-8", "replace").lstrip("\ufeff").partition("\n")[0].lower())
    return bool({ARRIVAL, DURATION} & {name.strip().strip('"') for name in names})


def read_job_table(paths: Sequence[Path], asked: AskedJobs, watch: Watch) -> RecordedJobs:
    """Read one or several tables, which may follow each other or overlap in time.

    At most twice the *asked* number of jobs and some rows are kept in memory, however long the files are.
    Raises TraceError if a file cannot be used, with one line that says where, what was found and what is allowed;
    GivenUpError if the user stops waiting; UserError if a file is Parquet and pyarrow is not installed.
    """
    found = _Found(asked.limit)
    for path in paths:
        with path.open("rb") as raw:
            parquet = raw.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
        columns, blocks = (_parquet if parquet else _csv)(path, asked, watch)
        found.begin(path, columns)
        for block in blocks:
            found.take(path, columns, block)
    return found.jobs(tuple(path.name for path in paths))


class _Found:
    """The jobs read so far from all files; at most twice *limit* are held, including the *limit* earliest ones."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._columns: Sequence[_Column] = ()
        self._parts: dict[str, list[Integers]] = {}
        self._types: dict[str, int] = {}
        self._rows = self._unended = self._lasting = self._held = 0

    def begin(self, path: Path, columns: Sequence[_Column]) -> None:
        """Begin a file. Raises TraceError if its columns differ from those of the first file."""
        if self._columns and [column[1:] for column in columns] != [column[1:] for column in self._columns]:
            first = ", ".join(column.title for column in self._columns)
            titles = ", ".join(column.title for column in columns)
            raise TraceError(
                f"found the columns {titles}; allowed are those of the first file, {first}", where=str(path)
            )
        self._columns = columns
        self._parts = self._parts or {column.name: [] for column in columns}

    def take(self, path: Path, columns: Sequence[_Column], block: _Block) -> None:
        """Add some rows, except those without a duration."""
        values: dict[str, Integers] = {}
        for column, fields in zip(columns, block.columns, strict=True):
            if column.name == TYPE:
                values[TYPE] = self._type_codes(path, block.rows, fields)
                continue
            rule = _RULES.get(column.name, _DEMAND)
            numbers = _numbers(path, block.rows, column.title, fields, rule)
            if column.name == DURATION:
                self._unended += int(np.count_nonzero(np.isnan(numbers)))
                numbers = np.nan_to_num(numbers)
            values[column.name] = np.rint(numbers * 10**rule.places).astype(np.int64)
        lasting = values[DURATION] > 0
        for name, found in values.items():
            self._parts[name].append(found[lasting])
        count = int(np.count_nonzero(lasting))
        self._rows += len(lasting)
        self._lasting += count
        self._held += count
        if self._limit is not None and self._held > 2 * self._limit:
            self._keep_first(self._limit)

    def _keep_first(self, limit: int) -> None:
        """Keep only the *limit* earliest jobs, in order."""
        told = self._told()
        first = np.argsort(told[ARRIVAL], kind="stable")[:limit]
        self._parts = {name: [values[first]] for name, values in told.items()}
        self._held = len(first)

    def _told(self) -> dict[str, Integers]:
        return {name: np.concatenate((np.empty(0, np.int64), *parts)) for name, parts in self._parts.items()}

    def _type_codes(self, path: Path, numbers: Sequence[int], fields: _Fields) -> Integers:
        texts = [str(field) for field in fields]
        known = self._types
        codes = np.array([known.setdefault(text, len(known)) for text in texts], np.int64)
        if len(known) > MOST_TYPES or max(map(len, texts), default=0) > LONGEST_NAME:
            place = next(at for at, code in enumerate(codes) if code >= MOST_TYPES or len(texts[at]) > LONGEST_NAME)
            allowed = f"at most {MOST_TYPES:,} names of at most {LONGEST_NAME} letters"
            raise FieldError(TYPE, texts[place], allowed).at(path, numbers[place])
        return codes

    def jobs(self, names: tuple[str, ...]) -> RecordedJobs:
        """The jobs of all files."""
        timeless = self._rows - self._unended - self._lasting
        out = [LeftOut(NO_DURATION, self._unended, "jobs"), LeftOut(NO_TIME, timeless, "jobs")]
        if self._limit is not None:
            self._keep_first(self._limit)
            out.append(LeftOut(after_first(self._limit), self._lasting - self._held, "jobs"))
        told = self._told()
        report = ImportReport(SOURCE, names, self._rows, 0, "jobs").then(self._held, "jobs", out)
        others = {*_RULES, TYPE}
        demands = [Demand(one.name, one.unit, told[one.name]) for one in self._columns if one.name not in others]
        optional = {name: told[name] for name in (WIDTH, PRIORITY, TYPE) if name in told}
        return recorded(report, told[ARRIVAL], told[DURATION], demands, **optional, names=tuple(self._types))


def _chosen(path: Path, titles: Sequence[str], asked: AskedJobs) -> tuple[_Column, ...]:
    """The columns to read, of those that a file has.

    Raises TraceError if a column occurs twice, or a required one is missing.
    """
    found: dict[str, _Column] = {}
    for title in titles:
        match = _UNIT.fullmatch(title.strip())
        name, unit = (match[1], match[2].strip()) if match else (title.strip(), "")
        name = same_resource(name)
        if name in found:
            raise TraceError(f"found the columns {found[name].title} and {title}; allowed is one", where=str(path))
        found[name] = _Column(title, name, PART if name == SIZE else unit)
    resources = [same_resource(name) for name in asked.resources]
    if len(resources) == 1 and resources[0] not in found and SIZE in found:
        resources = [SIZE]
    needed = [ARRIVAL, DURATION, *resources]
    absent = next((name for name in needed if name not in found), None)
    if absent is not None:
        instead = dict.fromkeys([absent, SIZE] if resources == [absent] else [absent])
        raise TraceError(
            f"found the columns {', '.join(titles)}; {' or '.join(map(repr, instead))} is absent", where=str(path)
        )
    return tuple(found[name] for name in (*needed, *asked.columns) if name in found)


def _csv(path: Path, asked: AskedJobs, watch: Watch) -> _Opened:
    """The columns to read from a file, and its rows block by block."""
    named = titles_of(path)
    if len(named) == 1 and (other := _SEPARATORS.search(named[0])):
        raise TraceError(f"found columns with {other[0]!r} between them; allowed are commas", where=str(path))
    columns = _chosen(path, named, asked)
    places = [named.index(column.title) for column in columns]
    return columns, _csv_blocks(rows(path, named, watch=watch), places)


def _csv_blocks(reader: Iterator[tuple[int, list[str]]], places: Sequence[int]) -> Iterator[_Block]:
    next(reader)
    while found := list(islice(reader, _ROWS)):
        yield _Block([number for number, _ in found], [[row[place] for _, row in found] for place in places])


def _parquet(path: Path, asked: AskedJobs, watch: Watch) -> _Opened:
    """As :func:`_csv`, for a Parquet file."""
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise UserError("Parquet needs the package pyarrow: pip install 'slotscope[data]'; CSV needs nothing") from None
    with _damaged(path):
        file = parquet.ParquetFile(path)
        titles = file.schema_arrow.names
    columns = _chosen(path, titles, asked)
    return columns, _parquet_blocks(path, file, columns, watch)


def _parquet_blocks(path: Path, file: Any, columns: Sequence[_Column], watch: Watch) -> Iterator[_Block]:
    size, count, done = file_size(path), max(1, file.metadata.num_rows), 0
    titles = [column.title for column in columns]
    with file, _damaged(path):
        # Row group by row group: if asked for all at once, Arrow holds the whole file in memory.
        groups = (file.iter_batches(_ROWS, [group], titles) for group in range(file.num_row_groups))
        for batch in chain.from_iterable(groups):
            arrays = [_plain(path, column, batch.column(column.title)) for column in columns]
            first, done = done + 1, done + batch.num_rows
            yield _Block(range(first, done + 1), arrays)
            watch.advance(size * done // count - size * (first - 1) // count)


@contextmanager
def _damaged(path: Path) -> Iterator[None]:
    """Turns what reading Parquet can raise into a TraceError."""
    try:
        yield
    except (OSError, ValueError, KeyError, NotImplementedError) as error:  # the base classes of Arrow's errors
        problem = str(error).partition("\n")[0]
        raise TraceError(f"found damaged Parquet ({problem}); copy or write it again", where=str(path)) from None


def _plain(path: Path, column: _Column, values: Any) -> _Fields:
    """A Parquet column as texts, or as numbers with nan for absent values."""
    if column.name == TYPE:
        return ["" if value is None else str(value) for value in values.to_pylist()]
    kind = str(values.type)
    if not kind.startswith(("int", "uint", "float", "double", "halffloat", "decimal", "null")):
        raise TraceError(f"column '{column.title}': found the type {kind}; allowed are numbers", where=str(path))
    numbers: _Floats = np.asarray(values.cast("float64").to_numpy(zero_copy_only=False))
    return numbers


def _numbers(path: Path, numbers: Sequence[int], title: str, fields: _Fields, rule: _Rule) -> _Floats:
    """[n] the numbers of a column; nan for an empty field of an optional column.

    Raises TraceError for the first field that the rule does not allow.
    """
    try:
        found = _as_floats(fields)
    except ValueError:
        found = np.array([_as_float(field) for field in fields])
    fine = (found >= rule.least) & (found <= rule.most)
    if not rule.places:
        fine &= np.mod(found, 1) == 0
    if rule.optional:
        absent = np.flatnonzero(np.isnan(found))
        fine[absent] = [_is_empty(fields[place]) for place in absent.tolist()]
    if not fine.all():
        place = int(np.argmin(fine))
        field = fields[place]
        raise FieldError(title, "" if _is_empty(field) else str(field), rule.allowed).at(path, numbers[place])
    return found


def _as_floats(fields: _Fields) -> _Floats:
    if isinstance(fields, np.ndarray):
        return fields
    if _FOREIGN.search(",".join(fields)):
        raise ValueError
    return np.fromiter(map(float, fields), np.float64, len(fields))


def _as_float(field: str) -> float:
    """A number, or nan for text that is not a number."""
    try:
        return float("nan") if _FOREIGN.search(field) else float(field)
    except ValueError:
        return float("nan")


def _is_empty(field: Any) -> bool:
    return not field.strip() if isinstance(field, str) else bool(np.isnan(field))
