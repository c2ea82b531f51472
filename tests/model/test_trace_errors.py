"""Every fault of a trace's file raises one TraceError of one line."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import os
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.errors import TraceError
from slotscope.model.kinds.reservation.traces.workload import dra_jobs
from slotscope.model.traces.google import read_task_events
from slotscope.model.traces.reading import (
    BLOCK,
    LINE_LIMIT,
    FieldError,
    file_size,
    lines,
    rows,
    scaled_decimal,
    whole_number,
)
from slotscope.model.traces.task_events import REQUEST_PLACES, REQUEST_UNIT

GOOD = (
    b"600000001,,3,0,,0,u/+=,0,2,0.25,0.01562,0.001,0\n"
    b"600000009,,3,0,77,1,u/+=,0,2,0.25,0.01562,0.001,0\n"
    b"600000500,,3,0,77,4,u/+=,0,2,1.144e-05,0.01562,0.001,0\n"
)
VALUES = (b"600000001", b"", b"3", b"0", b"", b"0", b"u", b"0", b"2", b"0.25", b"0.5", b"0.1", b"0")


def with_column(column: int, value: bytes) -> bytes:
    """The valid rows and a fourth one with *value* in *column* (from 0)."""
    fields = [b"600000501", *VALUES[1:]]
    fields[column] = value
    return GOOD + b",".join(fields) + b"\n"


def error_of(path: Path) -> str:
    with pytest.raises(TraceError) as caught:
        dra_jobs(read_task_events([path]))
    line = caught.value.line
    assert "\n" not in line and len(line) < 600
    return line


def error_for(folder: Path, data: bytes, name: str = "part.csv") -> str:
    path = folder / name
    path.write_bytes(data)
    line = error_of(path)
    assert line.startswith(f"{path}: ")
    return line.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (lzma.compress(GOOD), "found an xz file; unpack it first"),
        (bz2.compress(GOOD), "found a bzip2 file; unpack it first"),
        (b"\x28\xb5\x2f\xfd\x04\x00" + GOOD, "found a zstd file; unpack it first"),
        (b"PK\x03\x04\x14\x00" + GOOD, "found a zip archive or a workbook; unpack it first, or save it as CSV"),
        (GOOD.decode().encode("utf-16"), "found text in UTF-16; save it as UTF-8"),
    ],
)
def test_what_is_packed_or_written_in_another_way_is_called_that(tmp_path: Path, packed: bytes, said: str) -> None:
    assert error_for(tmp_path, packed).startswith(said)


class TestFiles:
    def test_absent(self, tmp_path: Path) -> None:
        path = tmp_path / "absent.csv"
        assert error_of(path).startswith(f"{path}: there is no such file; name one with --trace PATH")

    def test_no_path_at_all(self) -> None:
        with pytest.raises(TraceError, match="no file was given"):
            read_task_events([])

    def test_a_folder_without_parts(self, tmp_path: Path) -> None:
        (tmp_path / "readme.txt").write_text("x")
        (tmp_path / ".hidden.csv").write_bytes(GOOD)
        assert "no .csv or .csv.gz file" in error_of(tmp_path)

    def test_a_folder_where_a_file_is_wanted(self, tmp_path: Path) -> None:
        with pytest.raises(TraceError, match="found a directory"):
            file_size(tmp_path)
        (tmp_path / "part.csv").mkdir()
        assert "found a directory" in error_of(tmp_path)

    def test_a_name_that_no_file_can_have(self) -> None:
        assert "allowed is a file's name" in error_of(Path("a\0b.csv"))
        with pytest.raises(TraceError, match="not a file's name"):
            file_size(Path("a\0b.csv"))
        assert "cannot be read" in error_of(Path("x" * 300))

    def test_a_loop_of_links(self, tmp_path: Path) -> None:
        loop = tmp_path / "loop.csv"
        loop.symlink_to(loop)
        assert "cannot be read" in error_of(loop)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
    def test_a_pipe(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe.csv"
        os.mkfifo(pipe)
        assert "device or pipe" in error_of(pipe)

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the administrator may read everything")
    def test_without_permission(self, tmp_path: Path) -> None:
        path = tmp_path / "part.csv"
        path.write_bytes(GOOD)
        path.chmod(0)
        assert "Permission denied" in error_of(path)

    def test_opening_fails(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_arguments: object) -> None:
            raise PermissionError(13, "Permission denied")

        path = tmp_path / "part.csv"
        path.write_bytes(GOOD)
        monkeypatch.setattr(Path, "open", refuse)
        assert error_of(path) == f"{path}: the file cannot be read: Permission denied"

    def test_empty(self, tmp_path: Path) -> None:
        assert "is empty" in error_for(tmp_path, b"")
        assert "is empty" in error_for(tmp_path, gzip.compress(b""), "part.csv.gz")
        assert "blank lines only" in error_for(tmp_path, b"\n\n\r\n")


class TestContents:
    def test_the_name_does_not_decide_what_is_gzip(self, tmp_path: Path) -> None:
        for name, data in (("plain.gz", GOOD), ("packed.csv", gzip.compress(GOOD))):
            path = tmp_path / name
            path.write_bytes(data)
            assert len(read_task_events([path])) == 1

    def test_line_ends_blank_lines_and_a_byte_order_mark(self, tmp_path: Path) -> None:
        path = tmp_path / "part.csv"
        path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n\r\n").rstrip())
        assert len(read_task_events([path])) == 1

    def test_rows_longer_than_a_block_of_bytes_together(self, tmp_path: Path) -> None:
        path = tmp_path / "part.csv"
        expected = [f"{number},{'x' * (number % 97)}" for number in range(BLOCK // 20)]
        path.write_text("\n".join(expected))
        assert path.stat().st_size > 2 * BLOCK
        assert list(lines(path)) == expected
        numbers = [(number, fields[0]) for number, fields in rows(path, ("a", "b"))]
        assert numbers == [(n + 1, str(n)) for n in range(len(expected))]

    @pytest.mark.parametrize("kept", [1, 2, 9, 30, -9, -4, -1])
    def test_truncated_gzip(self, tmp_path: Path, kept: int) -> None:
        line = error_for(tmp_path, gzip.compress(GOOD * 50)[:kept], "part.csv.gz")
        assert "gzip" in line

    def test_damaged_gzip(self, tmp_path: Path) -> None:
        packed = gzip.compress(GOOD)
        flipped = packed[:15] + bytes([packed[15] ^ 0xFF]) + packed[16:]
        assert "damaged gzip" in error_for(tmp_path, flipped, "part.csv.gz")
        assert "damaged gzip" in error_for(tmp_path, packed + b"junk", "part.csv.gz")

    def test_not_utf8(self, tmp_path: Path) -> None:
        line = error_for(tmp_path, GOOD + b"\xff\xfe\n" + GOOD)
        assert line == ("row 4: found byte 0xff, which is not UTF-8; allowed is plain or gzip'd text in UTF-8")

    def test_named_gz_but_something_else(self, tmp_path: Path) -> None:
        for data in (b"PK\x03\x04\xf7", b"<html>\n"):
            line = error_for(tmp_path, data, "part.csv.gz")
            assert line.endswith("(it is named .gz but is not gzip data)")
        line = error_for(tmp_path, gzip.compress(b"<html>\n"), "part.csv.gz")
        assert "named" not in line

    def test_nul(self, tmp_path: Path) -> None:
        assert error_for(tmp_path, GOOD + GOOD[:60] + b"\0\n").startswith("row 5: found a NUL byte")

    def test_a_line_without_end(self, tmp_path: Path) -> None:
        line = error_for(tmp_path, GOOD + b"7" * (2 * LINE_LIMIT))
        assert line.startswith(f"row 4: found a line of more than {LINE_LIMIT} bytes")

    def test_a_bomb_is_not_unpacked(self, tmp_path: Path) -> None:
        bomb = gzip.compress(b"1" * (64 * BLOCK))
        assert "row 1: found a line of more than" in error_for(tmp_path, bomb)

    def test_a_quote_that_never_closes(self, tmp_path: Path) -> None:
        line = error_for(tmp_path, GOOD + b'1,"' + GOOD * 3)
        assert line.startswith("row 4: found 2 columns")
        size = csv.field_size_limit()
        line = error_for(tmp_path, GOOD + b'1,"' + GOOD * (2 * size // len(GOOD)))
        assert line.startswith("row 4: found text that is not comma-separated values")

    @pytest.mark.parametrize("count", [1, 12, 14])
    def test_wrong_number_of_columns(self, tmp_path: Path, count: int) -> None:
        bad = b",".join((*VALUES, b"1")[:count])
        line = error_for(tmp_path, GOOD + bad)
        assert line.startswith(f"row 4: found {count} columns")
        assert "allowed are 13 columns, 'timestamp' to 'different machines restriction'" in line
        assert ("is the first that is absent" in line) == (count < 13)


NOT_NUMBERS = (b"x", b"-1", b"+1", b"1_0", b" 1", b"1.5", b"nan", "١".encode(), b"9" * 30, b"9" * 5000)
NOT_REQUESTS = (
    b"x",
    b"-0.5",
    b"+0.5",
    b"1_0",
    b" 0.5",
    b"nan",
    b"inf",
    b"1/4",
    b"0.1234567890123",
    b"1e999",
    b"1e-13",
    b"1e99999999",
    b"1001",
    b".",
    b"0." + b"1" * 5000,
    "٠.٥".encode(),
    b"0x1",
)


class TestColumns:
    @pytest.mark.parametrize("value", [b"", *NOT_NUMBERS])
    @pytest.mark.parametrize(
        ("column", "name"), [(0, "timestamp"), (2, "job ID"), (3, "task index"), (5, "event type"), (8, "priority")]
    )
    def test_whole_numbers(self, tmp_path: Path, column: int, name: str, value: bytes) -> None:
        line = error_for(tmp_path, with_column(column, value))
        assert line.startswith(f"row 4, column '{name}': found ")
        assert "allowed is a whole number from 0 to " in line

    @pytest.mark.parametrize("value", NOT_REQUESTS)
    @pytest.mark.parametrize(("column", "name"), [(9, "CPU request"), (10, "memory request")])
    def test_requests(self, tmp_path: Path, column: int, name: str, value: bytes) -> None:
        line = error_for(tmp_path, with_column(column, value))
        assert line.startswith(f"row 4, column '{name}': found ")
        assert line.endswith("allowed is a decimal from 0 to 1000 with at most 12 decimal places")

    @pytest.mark.parametrize(("column", "value"), [(5, b"9"), (8, b"13"), (3, b"2147483648")])
    def test_numbers_out_of_range(self, tmp_path: Path, column: int, value: bytes) -> None:
        assert f"found '{value.decode()}'" in error_for(tmp_path, with_column(column, value))

    def test_rows_out_of_order(self, tmp_path: Path) -> None:
        line = error_for(tmp_path, with_column(0, b"600000499"))
        assert line == (
            "row 4, column 'timestamp': found '600000499'; allowed is 600000500 or later: rows are in time order"
        )

    def test_a_later_part_is_checked_like_the_first(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_bytes(GOOD)
        bad = tmp_path / "b.csv"
        bad.write_bytes(with_column(8, b"high"))
        line = error_of(tmp_path)
        assert line.startswith(f"{bad}: row 4, column 'priority': found 'high'")

    @given(st.integers(-(10**20), 10**20))
    def test_whole_numbers_are_read_within_their_range(self, value: int) -> None:
        lowest, highest = -(10**9), 10**15
        if lowest <= value <= highest:
            assert whole_number(str(value), "column", lowest, highest) == value
        else:
            with pytest.raises(FieldError):
                whole_number(str(value), "column", lowest, highest)

    @given(st.integers(0, REQUEST_UNIT), st.booleans())
    def test_decimals_are_exact(self, value: int, exponent: bool) -> None:
        text = f"{value}e-{REQUEST_PLACES}" if exponent else f"{value // REQUEST_UNIT}.{value % REQUEST_UNIT:012d}"
        assert scaled_decimal(text, "column", REQUEST_PLACES, 1) == value
        assert Fraction(text) == Fraction(value, REQUEST_UNIT)


def must_be_read_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.csv"
        path.write_bytes(data)
        try:
            jobs = dra_jobs(read_task_events([path]))
        except TraceError as error:
            assert "\n" not in error.line
        else:
            assert len(jobs.time) == len(jobs.service) == len(jobs.type) > 0


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Valid rows, plain or compressed, with some ranges of bytes replaced."""
    data = bytearray(GOOD * draw(st.integers(1, 2)))
    before, after = draw(st.booleans()), draw(st.booleans())
    if before:
        data = bytearray(gzip.compress(bytes(data), mtime=0))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 4)))
        filler = st.one_of(st.binary(max_size=4), st.sampled_from([b",", b"\n", b'"', b"\r", b"9" * 25]))
        data[start:end] = draw(filler)
    return gzip.compress(bytes(data), mtime=0) if after else bytes(data)


@st.composite
def plausible(draw: st.DrawFn) -> bytes:
    """Rows of random numbers in the right columns."""
    last = draw(st.sampled_from([9, 9, 9, 2**63 - 1, 2**63]))
    times = sorted([*draw(st.lists(st.integers(0, 9), min_size=3, max_size=16)), last])
    request = st.sampled_from(["0.01562", "1e-12", "0.5", "1", "", "0", "1000"])
    out = []
    for step, moment in enumerate(times):
        usual = st.just((0, 1, 4)[step % 3])
        kind = st.one_of(usual, usual, st.integers(0, 8))
        job, priority = draw(st.sampled_from([1, 1, 1, 2])), draw(st.integers(0, 3))
        event, cpu, memory = draw(kind), draw(request), draw(request)
        out.append(f"{moment},,{job},0,,{event},,,{priority},{cpu},{memory},,\n")
    return "".join(out).encode()


@pytest.mark.slow
class TestFuzz:
    @given(st.binary(max_size=400))
    def test_random_bytes(self, data: bytes) -> None:
        must_be_read_or_refused(data)

    @given(st.binary(max_size=60))
    def test_random_bytes_in_gzip(self, data: bytes) -> None:
        must_be_read_or_refused(gzip.compress(data))

    @given(st.text(alphabet='0123456789,.eE-+"\r\n\x0b\u2028x', max_size=200))
    def test_random_text(self, text: str) -> None:
        must_be_read_or_refused(text.encode())

    @settings(max_examples=400)
    @given(mutated())
    def test_mutated_files(self, data: bytes) -> None:
        must_be_read_or_refused(data)

    @settings(max_examples=400)
    @given(plausible())
    def test_rows_without_sense(self, data: bytes) -> None:
        must_be_read_or_refused(data)
