"""Kernels are compiled anew after a change of what they do, and after no other change."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from slotscope.model import jit
from slotscope.model.jit import cache_folder, meaning_of, source_meaning

SOURCE = b'''"""A module."""

def twice(number):
    """Twice the number."""
    return 2 * number  # as said
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"A module.", b"Another module."),
        (b"Twice the number.", b"The number, doubled.\n\n    At length.\n    "),
        (b"  # as said", b""),
        (b"2 * number", b"(2  *\n number)"),
    ],
)
def test_words_are_no_reason(old, new):
    changed = SOURCE.replace(old, new)
    assert changed != SOURCE
    assert meaning_of(changed) == meaning_of(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"), [(b"2 *", b"3 *"), (b"2 * number", b"number * 2"), (b"(number)", b"(number, more=0)")]
)
def test_a_change_of_what_it_does_is_one(old, new):
    assert meaning_of(SOURCE.replace(old, new)) != meaning_of(SOURCE)


@pytest.mark.parametrize("damaged", ["", "[]", "7", '{"a": ', "null"])
def test_a_damaged_memory_of_meanings_does_no_harm(monkeypatch, tmp_path, damaged):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("slotscope.model.jit._COMPILED_FROM", ("jit.py",))  # reading all files takes a second
    expected = source_meaning()
    memory = cache_folder() / f"meanings-{sys.implementation.cache_tag}.json"
    assert memory.exists()
    memory.write_text(damaged, encoding="utf-8")
    assert source_meaning() == expected


def test_threads_that_compile_at_the_same_time_take_turns_with_what_is_marked(monkeypatch):
    class Slow(list):
        def __len__(self):
            found = super().__len__()
            sleep(0.02)
            return found

    monkeypatch.setattr(jit, "_marked", Slow([lambda number: number, lambda number: -number]))
    with ThreadPoolExecutor(2) as threads:
        twins = list(threads.map(lambda function: jit.compiled_anew(function, kept=False), (lambda: 1, lambda: 2)))
    assert len(twins) == 2
