"""Azure's flavour traces, rule by rule: what is read, and one line for each error."""

from __future__ import annotations

import gzip
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.errors import TraceError, UserError
from slotscope.model.kinds.phases.traces.azure_flavours import read_flavours
from slotscope.model.kinds.phases.traces.fixed_types import FixedType, FixedTypes
from slotscope.model.running.waiting import GivenUpError, waiting
from tests.breaking import is_one_line
from tests.kinds.phases.traces import FILES, written


def by_name(found: FixedTypes) -> dict[str, FixedType]:
    return {item.name: item for item in found.types}


class TestFlavours:
    def test_what_was_seen_of_each_flavour(self, tmp_path: Path) -> None:
        found = read_flavours([written(tmp_path)])
        assert found.span == 2000
        types = by_name(found)
        assert list(types) == ["1 vCPU 0.75 GiB", "2 vCPU 3.5 GiB", "8 vCPU 64 GiB"]
        small, middle, large = types.values()
        # U0 is 0 s, U1 300 s; C1 at 2700 s has run for 300 s when the trace ends.
        assert small == ("1 vCPU 0.75 GiB", (1, Fraction(3, 4)), 3, 2, 600)
        # U2 is 600 s; C3 stands for at most 1500 s; C1 is 300 s again.
        assert middle[2:] == (3, 1, 2400)
        assert large[2:] == (1, 1, 1200)  # the middle of 900 to 1500 s
        assert small.departure_rate == Fraction(1, 300)
        assert (found.report.rows, found.report.kept) == (3, 7)
        assert found.report.kept_as == "virtual machines"
        assert any("in 5 batches" in note for note in found.report.notes)
        assert any(note.startswith("3 machines were still running") for note in found.report.notes)

    def test_an_end_is_before_the_time_of_censoring(self, tmp_path: Path) -> None:
        path = written(tmp_path, v1_dev="2000 a\n", v1_dev_c3000="2000 U3\n")
        (found,) = read_flavours([path]).types
        assert found.time == Fraction(900 + 1000, 2)

    def test_files_are_found_beside_each_other(self, tmp_path: Path) -> None:
        wanted = read_flavours([written(tmp_path)])
        for name in ("v1.dev.txt", "v1.dev.c3000.txt"):
            assert read_flavours([tmp_path / name]) == wanted
        other = tmp_path / "other"
        other.mkdir()
        for name in ("flav_map.txt", "v1.interval_map.txt"):
            (tmp_path / name).rename(other / name)
        paths = [tmp_path / "v1.dev.txt", other / "flav_map.txt", other / "v1.interval_map.txt"]
        assert read_flavours(paths) == wanted
        assert read_flavours([tmp_path, other]) == wanted

    def test_all_files_may_be_named(self, tmp_path: Path) -> None:
        wanted = read_flavours([written(tmp_path)])
        assert read_flavours([tmp_path / name for name in FILES]) == wanted

    def test_packed_files_say_the_same(self, tmp_path: Path) -> None:
        wanted = read_flavours([written(tmp_path)])
        for name in ("v1.dev.txt", "v1.dev.c3000.txt", "flav_map.txt"):
            path = tmp_path / name
            (tmp_path / f"{name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        found = read_flavours([tmp_path])
        assert (found.types, found.span) == (wanted.types, wanted.span)
        assert found.report.files == ("v1.dev.txt.gz", "v1.dev.c3000.txt.gz", "flav_map.txt.gz", "v1.interval_map.txt")

    def test_the_part_that_is_named_is_read(self, tmp_path: Path) -> None:
        written(tmp_path)
        (tmp_path / "v1.train.txt").write_text("100 a\n")
        (tmp_path / "v1.train.c700.txt").write_text("100 U1\n")
        assert read_flavours([tmp_path / "v1.train.txt"]).report.kept == 1
        assert read_flavours([tmp_path / "v1.dev.txt"]).report.kept == 7
        with pytest.raises(TraceError, match=r"several lists of arrivals: v1\.dev\.txt, v1\.tr"):
            read_flavours([tmp_path])

    def test_a_limit_ends_the_time_too(self, tmp_path: Path) -> None:
        found = read_flavours([written(tmp_path)], limit=6)
        assert (found.span, found.report.kept) == (1700, 4)
        (out,) = found.report.left_out
        assert (out.count, out.what) == (3, "virtual machines")
        with pytest.raises(TraceError, match="more than 2 machines in the first line"):
            read_flavours([tmp_path], limit=2)

    def test_a_comma_at_the_end_and_blank_lines_change_nothing(self, tmp_path: Path) -> None:
        wanted = read_flavours([written(tmp_path)])
        text = FILES["v1.dev.txt"].replace("\n", ",\n\n")
        assert read_flavours([written(tmp_path, v1_dev=text)]).types == wanted.types

    def test_progress_and_stopping(self, tmp_path: Path) -> None:
        told: list[float] = []
        with waiting(lambda _: None, lambda: 0, counted=lambda _, share: told.append(share)):
            read_flavours([written(tmp_path)])
        assert told == sorted(told)
        assert told[-1] == 1
        with waiting(lambda _: None, lambda: 1), pytest.raises(GivenUpError, match="Reading the trace: stopped at"):
            read_flavours([tmp_path])


LONG = "1000 a,|,b\n"

# (files changed, the file at fault, what the line must say)
FAULTS: dict[str, tuple[dict[str, str | None], str, str]] = {
    "no arrivals": ({"v1_dev": None}, "", "found no arrivals with their lifetimes; allowed"),
    "no lifetimes": ({"v1_dev_c3000": None}, "", "found no arrivals with their lifetimes"),
    "no flavours": ({"flav_map": None}, "v1.dev.txt", "no list of flavours, flav_map.txt"),
    "no bins": ({"v1_interval_map": None}, "v1.dev.txt", "no list of bins, v1.interval_map.txt"),
    "empty arrivals": ({"v1_dev": ""}, "v1.dev.txt", "the file is empty"),
    "blank arrivals": ({"v1_dev": "\n\n"}, "v1.dev.txt", "blank lines only"),
    "empty lifetimes": ({"v1_dev_c3000": ""}, "v1.dev.c3000.txt", "the file is empty"),
    "empty flavours": ({"flav_map": ""}, "flav_map.txt", "the file is empty"),
    "blank bins": ({"v1_interval_map": "\n"}, "v1.interval_map.txt", "blank lines only"),
    "no machine": ({"v1_dev": "1000\n", "v1_dev_c3000": "1000\n"}, "v1.dev.txt", "found no machine; allowed"),
    "arrivals cut off at a line": ({"v1_dev": "1000 a,|,b,b\n"}, "v1.dev.txt", "ends before v1.dev.c3000.txt does"),
    "lifetimes cut off at a line": (
        {"v1_dev_c3000": "1000 U0,|,U2,C3\n"},
        "v1.dev.c3000.txt",
        "ends before v1.dev.txt does",
    ),
    "arrivals cut off within a line": (
        {"v1_dev": "1000 a,|,b,b\n1300 c\n2700 a,a"},
        "v1.dev.c3000.txt",
        "row 3: found 4 entries for 2700 s; allowed are 2",
    ),
    "a lifetime too few": (
        {"v1_dev": LONG, "v1_dev_c3000": "1000 U0,|\n"},
        "v1.dev.c3000.txt",
        "row 1: found 2 entries for 1000 s; allowed are 3 for 1000 s, as in row 1 of v1.dev.txt",
    ),
    "other times": (
        {"v1_dev": LONG, "v1_dev_c3000": "1300 U0,|,U1\n"},
        "v1.dev.c3000.txt",
        "row 1: found 3 entries for 1300 s",
    ),
    "batches that differ": (
        {"v1_dev": LONG, "v1_dev_c3000": "1000 U0,U1,|\n"},
        "v1.dev.c3000.txt",
        "row 1: found 'U1' for '|'",
    ),
    "times that go back": (
        {"v1_dev": "1000 a\n900 a\n", "v1_dev_c3000": "1000 U0\n900 U0\n"},
        "v1.dev.txt",
        "row 2: found the time 900 s; allowed is one after 1000 s and before 3000 s",
    ),
    "a time after censoring": (
        {"v1_dev": "3000 a\n", "v1_dev_c3000": "3000 U0\n"},
        "v1.dev.txt",
        "row 1: found the time 3000 s",
    ),
    "a time that is none": ({"v1_dev": "soon a\n"}, "v1.dev.txt", "row 1, column 'seconds'"),
    "a table of another trace": (
        {"v1_dev": "600000000,,1,0,,0,user\n"},
        "v1.dev.txt",
        "row 1, column 'seconds': found '600000000,,1,0,,0,user'",
    ),
    "an empty entry": ({"v1_dev": "1000 a,,b\n"}, "v1.dev.txt", "row 1: found an empty entry"),
    "an unknown flavour": (
        {"v1_dev": "1000 z\n", "v1_dev_c3000": "1000 U0\n"},
        "v1.dev.txt",
        "row 1, column 'flavour': found 'z'; allowed is a letter of flav_map.txt: a, b, c",
    ),
    "an unknown bin": (
        {"v1_dev": "1000 a\n", "v1_dev_c3000": "1000 U9\n"},
        "v1.dev.c3000.txt",
        "row 1, column 'lifetime': found 'U9'",
    ),
    "a lifetime of no kind": (
        {"v1_dev": "1000 a\n", "v1_dev_c3000": "1000 X1\n"},
        "v1.dev.c3000.txt",
        "row 1, column 'lifetime': found 'X1'; allowed is U or C and a bin",
    ),
    "an end after censoring": (
        {"v1_dev": "2700 a\n", "v1_dev_c3000": "2700 U3\n"},
        "v1.dev.c3000.txt",
        "found 'U3'; allowed is a bin of at most 300 s",
    ),
    "a flavour without memory": ({"flav_map": "1 a\n"}, "flav_map.txt", "row 1, column 'memGiB'"),
    "a flavour of three words": ({"flav_map": "1,2 a b\n"}, "flav_map.txt", "row 1: found"),
    "a letter for two flavours": ({"flav_map": "1,2 a\n2,4 a\n"}, "flav_map.txt", "row 2, column 'flavour'"),
    "two letters for a flavour": ({"flav_map": "1,2 a\n1,2.0 b\n"}, "flav_map.txt", "row 2, column 'flavour'"),
    "a bin that is no number": ({"v1_interval_map": "0 0\n300 x\n"}, "v1.interval_map.txt", "row 2, column 'bin'"),
    "a bin without a time": ({"v1_interval_map": "0\n"}, "v1.interval_map.txt", "row 1: found '0'"),
}


class TestFaults:
    @pytest.mark.parametrize("name", FAULTS)
    def test_a_fault_is_told_in_one_line(self, name: str, tmp_path: Path) -> None:
        changes, file, sentence = FAULTS[name]
        with pytest.raises(TraceError) as raised:
            read_flavours([written(tmp_path, **changes)])
        assert is_one_line(raised.value.line)
        assert raised.value.line.startswith(str(tmp_path / file))
        assert sentence in raised.value.line

    def test_a_packed_file_that_was_cut_off(self, tmp_path: Path) -> None:
        written(tmp_path, v1_dev=None)
        packed = gzip.compress(FILES["v1.dev.txt"].encode() * 50)
        (tmp_path / "v1.dev.txt.gz").write_bytes(packed[: len(packed) // 2])
        with pytest.raises(TraceError, match="ends too early"):
            read_flavours([tmp_path])

    @pytest.mark.parametrize("path", ["absent", "v1.dev.txt\0", "x" * 5000, ""])
    def test_a_path_that_cannot_be(self, path: str, tmp_path: Path) -> None:
        with pytest.raises(TraceError) as raised:
            read_flavours([tmp_path / path])
        assert is_one_line(raised.value.line)

    @pytest.mark.parametrize(
        ("named", "absent", "word"),
        [("v1.dev.txt", "v1_dev_c3000", "found no lifetimes"), ("v1.dev.c3000.txt", "v1_dev", "found no arrivals")],
    )
    def test_a_file_without_its_partner(self, named: str, absent: str, word: str, tmp_path: Path) -> None:
        path = written(tmp_path, **{absent: None}) / named
        with pytest.raises(TraceError, match=f"^{path}: {word}; allowed are two files"):
            read_flavours([path])

    def test_no_path(self) -> None:
        with pytest.raises(TraceError, match="no file was given"):
            read_flavours([])

    @given(st.sampled_from(sorted(FILES)), st.integers(0, 60), st.integers(0, 60), st.binary(max_size=4))
    def test_whatever_the_files_hold_nothing_but_a_fault_comes_out(
        self, tmp_path_factory: pytest.TempPathFactory, name: str, start: int, length: int, junk: bytes
    ) -> None:
        folder = written(tmp_path_factory.mktemp("azure"))
        data = FILES[name].encode()
        (folder / name).write_bytes(data[:start] + junk + data[start + length :])
        try:
            found = read_flavours([folder])
        except UserError as error:
            assert is_one_line(error.line)
        else:
            assert found.report.kept == sum(item.arrivals for item in found.types)
            assert all(item.ends <= item.arrivals for item in found.types)
