"""Finished parts on disk: none lost, none invented, whatever happens to the file."""

from __future__ import annotations

import json
import math
import os
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slotscope.model.errors import UserError
from slotscope.model.lab import parts as parts_module
from slotscope.model.lab.parts import Part
from slotscope.model.lab.store import Store
from tests.model.lab_work import Tiny

PARTS = Tiny(12).parts("quick", None)

outcomes = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)

fixed_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tiny.parts.jsonl"


def filled(path, values):
    path.unlink(missing_ok=True)
    store = Store(path)
    for part, value in zip(PARTS, values, strict=False):
        store.add(part, value)
    return store


def held(path):
    """What a newly opened store reads: (outcomes by number of part, damaged lines)."""
    store = Store(path)
    return {number: store.outcome(part) for number, part in enumerate(PARTS) if store.holds(part)}, store.damaged


class TestRoundTrip:
    @fixed_folder
    @given(st.lists(outcomes, max_size=12))
    def test_everything_comes_back_exactly(self, path, values):
        store = filled(path, values)
        assert held(path) == (dict(enumerate(values)), 0)
        assert all(store.outcome(part) == value for part, value in zip(PARTS, values, strict=False))

    def test_numbers_that_json_lacks_come_back_too(self, path):
        filled(path, [[math.inf, -math.inf, -0.0]])
        found, _ = held(path)
        assert found[0][:2] == [math.inf, -math.inf]
        assert math.copysign(1, found[0][2]) == -1
        filled(path, [math.nan])
        assert math.isnan(held(path)[0][0])

    def test_each_line_is_json_and_names_its_part(self, path):
        filled(path, [1.5, 2.5])
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert [(line["part"], line["outcome"]) for line in lines] == [("number 0", 1.5), ("number 1", 2.5)]


class TestDamage:
    @fixed_folder
    @given(st.lists(outcomes, min_size=1, max_size=5), st.data())
    def test_a_file_cut_anywhere_holds_what_was_whole_and_can_be_continued(self, path, values, data):
        filled(path, values)
        content = path.read_bytes()
        end = data.draw(st.integers(0, len(content)))
        path.write_bytes(content[:end])
        whole = content[:end].count(b"\n")
        last_lacks_its_end_only = end < len(content) and content[end : end + 1] == b"\n"
        kept = dict(enumerate(values[: whole + last_lacks_its_end_only]))
        found, damaged = held(path)
        assert found == kept
        assert damaged <= 1
        Store(path).add(PARTS[11], "more")
        assert held(path)[0] == kept | {11: "more"}

    @fixed_folder
    @given(st.lists(outcomes, min_size=1, max_size=4), st.data(), st.binary(max_size=3))
    def test_no_damage_gives_a_wrong_outcome(self, path, values, data, junk):
        filled(path, values)
        content = path.read_bytes()
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(start + 4, len(content))))
        path.write_bytes(content[:start] + junk + content[end:])
        found, _ = held(path)
        assert all(found[number] == values[number] for number in found)

    def test_a_digit_that_changed_is_noticed(self, path):
        filled(path, [1, 2])
        content = path.read_bytes()
        assert content.count(b'"outcome":1') == 1
        path.write_bytes(content.replace(b'"outcome":1', b'"outcome":7'))
        assert held(path) == ({1: 2}, 1)

    @pytest.mark.parametrize("line", [b"\x00\xff", b"[]", b"{}", b'{"key": 1, "outcome": 1, "check": 1}', b"[" * 5000])
    def test_foreign_lines_are_counted_and_left_out(self, path, line):
        filled(path, [1])
        with path.open("ab") as file:
            file.write(line + b"\n")
        assert held(path) == ({0: 1}, 1)

    @pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", os.mkdir)])
    def test_what_is_no_file_is_refused(self, path, make):
        make(path)
        with pytest.raises(UserError, match="allowed: a file of finished parts") as error:
            Store(path)
        assert "--out" in error.value.line

    def test_a_folder_that_is_gone_is_told(self, path, tmp_path):
        store = Store(tmp_path / "gone" / "tiny.parts.jsonl")
        with pytest.raises(UserError, match="cannot be written: No such file"):
            store.add(PARTS[0], 1)


class TestKeys:
    def test_parts_of_another_program_are_not_taken(self, path, monkeypatch):
        filled(path, [1, 2])
        monkeypatch.setattr(parts_module, "program_version", lambda: "another")
        assert held(path) == ({}, 0)
        Store(path).add(PARTS[0], 3)
        assert held(path) == ({0: 3}, 0)
        monkeypatch.undo()
        assert held(path) == ({0: 1, 1: 2}, 0)

    def test_the_key_depends_on_all_that_the_outcome_does(self):
        one = Part.of("a", 1, {"x": 1, "y": [2]}, "a name", 5.0)
        assert Part.of("a", 1, {"y": [2], "x": 1}, "another", 1.0).key == one.key
        others = [
            Part.of("b", 1, {"x": 1, "y": [2]}, ""),
            Part.of("a", 2, {"x": 1, "y": [2]}, ""),
            Part.of("a", 1, {"x": 1, "y": [3]}, ""),
        ]
        assert len({part.key for part in (one, *others)}) == 4

    def test_the_last_line_of_a_part_counts(self, path):
        filled(path, [1])
        Store(path).add(PARTS[0], 2)
        assert held(path)[0] == {0: 2}

    def test_clearing_begins_anew(self, path):
        store = filled(path, [1])
        store.clear()
        assert not store.holds(PARTS[0])
        assert not path.exists()
        store.clear()


def test_several_writers_at_once_lose_nothing(path):
    def write(start):
        store = Store(path)
        for number in range(start, 12, 3):
            store.add(PARTS[number], [number] * 200)

    threads = [Thread(target=write, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert held(path) == ({number: [number] * 200 for number in range(12)}, 0)
