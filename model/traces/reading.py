"""Reading a trace file row by row, with one-line errors for whatever is wrong with it.

Files are streamed: memory use depends neither on their length nor on the unpacked length of a
compressed file.
"""

from __future__ import annotations

import csv
import gzip
import re
import stat
import zlib
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, Iterable, Iterator, Sequence

from slotscope.model.errors import TraceError
from slotscope.model.phrase import Phrase
from slotscope.model.running.waiting import who_waits

#: The hint for a file that may be meant as a table of jobs but is not recognized as one.
TABLE_HINT = (
    "; a table of your own is known by its first line: names of columns with commas, 'arrival' and 'duration' too"
)

#: The folder of the traces that ship with the program.
SHIPPED = Path(__file__).resolve().parents[2] / "resources" / "traces"

GZIP_MAGIC = b"\x1f\x8b"

#: The first bytes of files in packings or encodings that cannot be read.
_OTHERS = {
    b"\x28\xb5\x2f\xfd": "a zstd file; unpack it first, or pack it with gzip",
    b"\xfd7zXZ\0": "an xz file; unpack it first, or pack it with gzip",
    b"BZh91AY&SY": "a bzip2 file; unpack it first, or pack it with gzip",
    b"PK\x03\x04": "a zip archive or a workbook; unpack it first, or save it as CSV",
    b"\xff\xfe": "text in UTF-16; save it as UTF-8",
    b"\xfe\xff": "text in UTF-16; save it as UTF-8",
}

#: The number of (unpacked) bytes decoded at a time; progress is reported once per block.
BLOCK = 1 << 18
#: A line longer than this is not a row of any trace.
LINE_LIMIT = 1 << 16
INT64_MAX = 2**63 - 1

_DECIMAL = re.compile(r"(?:[0-9]{1,20}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,3})?")
_SHOWN = 40
_READING = Phrase("Reading the trace")


class FieldError(ValueError):
    """A value that its column does not allow.

    It does not contain file and row; :meth:`at` adds them.
    """

    def __init__(self, column: str, found: str, allowed: str) -> None:
        super().__init__(column, found, allowed)
        self.column, self.found, self.allowed = column, found, allowed

    def at(self, path: Path, row: int) -> TraceError:
        """The error for the user, with the file and the row (counted from 1)."""
        return TraceError(
            f"row {row}, column '{self.column}': found {shown(self.found)}; allowed is {self.allowed}", where=str(path)
        )


class Watch:
    """The progress of reading the files of one import, which the user sees and can stop.

    Raises TraceError if one of the files cannot be read.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._total = max(sum(map(file_size, files)), 1)
        self._done = 0

    def advance(self, count: int) -> None:
        """Add *count* bytes on disk. Raises GivenUpError if the user stops waiting."""
        self._done += count
        who_waits().look(_READING, min(1.0, self._done / self._total))


def shown(text: str) -> str:
    """*text* in quotes, on one line and cut to a readable length."""
    return ascii(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!a} ..."


def whole_number(text: str, column: str, lowest: int = 0, highest: int = INT64_MAX) -> int:
    """The integer that *text* represents in decimal digits.

    Raises FieldError if *text* is anything else, or outside *lowest* .. *highest*.
    """
    digits = text[1:] if text[:1] == "-" else text
    if len(digits) <= 19 and digits.isdecimal() and digits.isascii():
        value = int(text)
        if lowest <= value <= highest:
            return value
    raise FieldError(column, text, f"a whole number from {lowest} to {highest}")


def scaled_decimal(text: str, column: str, places: int, highest: int) -> int:
    """The decimal *text* (such as ``0.0625`` or ``1.144e-05``), exactly, in units of 10^-places.

    Raises FieldError if *text* is not a decimal from 0 to *highest*, or has more places.
    """
    allowed = f"a decimal from 0 to {highest} with at most {places} decimal places"
    if _DECIMAL.fullmatch(text) is None:
        raise FieldError(column, text, allowed)
    scaled = Fraction(text) * 10**places
    if scaled.denominator != 1 or scaled > highest * 10**places:
        raise FieldError(column, text, allowed)
    return int(scaled)


def file_size(path: Path) -> int:
    """The size of the file *path* in bytes.

    Raises TraceError if there is no such file, or it is a directory or device, or it is empty.
    """
    with _file_errors(path):
        status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise TraceError("found a directory; allowed is a file", where=str(path))
    if not stat.S_ISREG(status.st_mode):
        raise TraceError("found a device or pipe; allowed is a regular file", where=str(path))
    if status.st_size == 0:
        raise TraceError("the file is empty; a trace has at least one row", where=str(path))
    return status.st_size


def rows(path: Path, columns: Sequence[str], *, watch: Watch | None = None) -> Iterator[tuple[int, list[str]]]:
    """The rows of a comma-separated file without a header, as (row number, fields).

    The file is plain or gzip'd text in UTF-8, as recognized by its first bytes, not by its name.
    Rows are numbered from 1 by the line on which they begin; blank lines are skipped.
    Every row yielded has ``len(columns)`` fields.
    Raises TraceError if the file cannot be read to its end, a row has another number of columns, or there is no
    row.
    """
    reader = csv.reader(lines(path, watch=watch))
    expected = len(columns)
    number, found_any = 1, False
    try:
        for fields in reader:
            if len(fields) == expected:
                found_any = True
                yield number, fields
            elif fields:
                raise _wrong_width(path, number, fields, columns)
            number = reader.line_num + 1
    except csv.Error as error:
        raise _no_values(path, number, error, f"rows of {expected} columns") from None
    if not found_any:
        raise TraceError("found blank lines only; a trace has rows", where=str(path))


def titles_of(path: Path) -> list[str]:
    """The fields of a file's first line. Raises TraceError if it cannot be read, or is not comma-separated."""
    try:
        return next(csv.reader([next(lines(path))]), [])
    except csv.Error as error:
        raise _no_values(path, 1, error, "names of columns") from None


def _no_values(path: Path, row: int, error: csv.Error, allowed: str) -> TraceError:
    return TraceError(
        f"row {row}: found text that is not comma-separated values ({error}); allowed are {allowed}", where=str(path)
    )


def lines(path: Path, *, watch: Watch | None = None, encoding: str = "utf-8") -> Iterator[str]:
    """The lines of a plain or gzip'd text file, without their line feeds.

    A byte order mark at the start is dropped.  If the first block has no line feed, lines end with carriage returns.
    Raises TraceError if the file is absent, unreadable, empty, damaged or not UTF-8, or has a NUL byte or a line
    without an end (more than :data:`LINE_LIMIT` bytes left over by a block).
    """
    number, rest = 1, b""
    feeds: bool | None = None
    for block in _blocks(path, watch):
        feeds = b"\n" in block if feeds is None else feeds
        data = rest + (block if feeds else block.replace(b"\r", b"\n"))
        cut = data.rfind(b"\n") + 1
        rest = data[cut:]
        complete = _decoded(data[:cut], path, number, encoding).split("\n")
        complete.pop()
        yield from complete
        number += len(complete)
        if len(rest) > LINE_LIMIT:
            raise _line_error(path, number, f"a line of more than {LINE_LIMIT} bytes")
    if rest:
        yield _decoded(rest, path, number, encoding)
    elif number == 1:
        raise TraceError("the compressed file is empty; a trace has rows", where=str(path))


def text_of(path: Path, watch: Watch) -> str:
    """The whole text of a plain or gzip'd file; raises the same errors as :func:`lines`."""
    return _decoded(b"".join(_blocks(path, watch)), path, 1)


def _blocks(path: Path, watch: Watch | None) -> Iterator[bytes]:
    """The file's unpacked bytes, block by block; reports the bytes on disk to *watch*."""
    size = file_size(path)
    with _file_errors(path):
        raw = path.open("rb")
    with raw:
        with _file_errors(path):
            begin = raw.read(max(map(len, _OTHERS)))
            raw.seek(0)
        other = next((found for magic, found in _OTHERS.items() if begin.startswith(magic)), None)
        if other is not None:
            raise TraceError(f"found {other}{_name_hint(path)}", where=str(path))
        packed = begin.startswith(GZIP_MAGIC)
        position = 0
        stream: BinaryIO = gzip.GzipFile(fileobj=raw) if packed else raw  # type: ignore[assignment]
        while True:
            with _file_errors(path):
                block = stream.read(BLOCK)
                # The file may be growing: never report more than its size at the start.
                here = min(raw.tell(), size)
            if not block:
                break
            yield block
            if watch is not None:
                watch.advance(here - position)
            position = here
        if watch is not None:
            watch.advance(size - position)


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Turns what reading can raise into a TraceError that names *path*."""
    try:
        yield
    except EOFError:
        problem = "found a gzip file that ends too early; copy or download it again"
    except (gzip.BadGzipFile, zlib.error) as error:
        problem = f"found a damaged gzip file ({error}); copy or download it again"
    except FileNotFoundError:
        problem = "there is no such file; name one with --trace PATH, or in the window choose one, or drop it there"
    except OSError as error:
        problem = f"the file cannot be read: {error.strerror or error}"
    except ValueError as error:
        problem = f"this is not a file's name ({error})"
    else:
        return
    raise TraceError(problem, where=ascii(str(path))[1:-1] if "\0" in str(path) else str(path))


def _decoded(data: bytes, path: Path, first: int, encoding: str = "utf-8") -> str:
    """*data* as text; *first* is the number of its first line."""
    if first == 1 and data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    nul = data.find(b"\0")
    if nul >= 0:
        raise _line_error(path, first + data.count(b"\n", 0, nul), "a NUL byte")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        row = first + data.count(b"\n", 0, error.start)
        byte = data[error.start]
        raise _line_error(path, row, f"byte 0x{byte:02x}, which is not UTF-8") from None


def _line_error(path: Path, row: int, found: str) -> TraceError:
    return TraceError(
        f"row {row}: found {found}; allowed is plain or gzip'd text in UTF-8{_name_hint(path)}", where=str(path)
    )


def _wrong_width(path: Path, row: int, fields: list[str], columns: Sequence[str]) -> TraceError:
    count, expected = len(fields), len(columns)
    missing = f", '{columns[count]}' is the first that is absent" if count < expected else ""
    return TraceError(
        f"row {row}: found {count} columns, beginning {shown(','.join(fields))}; allowed are {expected} columns, "
        f"'{columns[0]}' to '{columns[-1]}'{missing}{_name_hint(path) or table_hint(row, ','.join(fields))}",
        where=str(path),
    )


def table_hint(row: int, line: str) -> str:
    """The hint on tables of jobs, for a first line that can only be column names, a comment, or JSON."""
    return TABLE_HINT if row == 1 and re.fullmatch(r"\D*[,;\t|]\D*|[#{[].*", line) else ""


def _name_hint(path: Path) -> str:
    """The note about a file that is named .gz but is not gzip'd; otherwise empty."""
    if path.suffix != ".gz":
        return ""
    with _file_errors(path), path.open("rb") as raw:
        packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    return "" if packed else " (it is named .gz but is not gzip data)"
