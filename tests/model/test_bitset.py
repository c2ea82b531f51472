"""Two-level bit sets against Python's sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.jit import compiled, lowest_bit
from slotscope.model.systems import bitset

#: Members around the ends of words (64) and of the summary's words (4096).
EDGES = (0, 1, 63, 64, 65, 127, 128, 4095, 4096, 4097, 8191, 8192)


def play(words: Any, summary: Any, steps: Any, starts: Any, found: Any) -> None:
    """Insert (even) or discard (odd) members, then find the next member after each of *starts*."""
    for place in range(len(steps)):
        if steps[place] % 2 == 0:
            bitset.insert(words, summary, steps[place] // 2)
        else:
            bitset.discard(words, summary, steps[place] // 2)
    for place in range(len(starts)):
        found[place] = bitset.next_member(words, summary, starts[place])


def plain(words: Any, summary: Any, steps: Any, starts: Any, found: Any) -> None:
    """Run *play* uncompiled, without NumPy's warning of the overflow that the search relies on."""
    with np.errstate(over="ignore"):
        play(words, summary, steps, starts, found)


def sets(members: int) -> tuple[np.ndarray, np.ndarray]:
    words = bitset.words_for(members)
    return np.zeros(words, np.uint64), np.zeros(bitset.words_for(words), np.uint64)


def expected(steps: list[int], starts: list[int]) -> tuple[set[int], list[int]]:
    content: set[int] = set()
    for step in steps:
        if step % 2 == 0:
            content.add(step // 2)
        else:
            content.discard(step // 2)
    return content, [min((m for m in content if m >= start), default=-1) for start in starts]


@st.composite
def games(draw: st.DrawFn) -> tuple[int, list[int], list[int]]:
    members = draw(st.sampled_from([1, 12, 63, 64, 65, 180, 1000, 4096, 4097, 10_000]))
    edges = [edge for edge in EDGES if edge < members] + [members - 1]
    member = st.one_of(st.sampled_from(edges), st.integers(0, members - 1))
    step = st.tuples(member, st.booleans()).map(lambda pair: 2 * pair[0] + pair[1])
    starts = draw(st.lists(st.one_of(member, st.just(members)), min_size=1, max_size=8))
    return members, draw(st.lists(step, max_size=40)), starts


@pytest.mark.parametrize("kind", ["plain", "compiled"])
@given(game=games())
@settings(max_examples=150)
def test_against_a_set(kind: str, game: Any) -> None:
    function = plain if kind == "plain" else compiled(play)
    members, steps, starts = game
    words, summary = sets(members)
    found = np.zeros(len(starts), np.int64)
    function(words, summary, np.array(steps, np.int64), np.array(starts, np.int64), found)
    content, following = expected(steps, starts)
    assert found.tolist() == following
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    assert set(np.flatnonzero(bits).tolist()) == content
    flags = np.unpackbits(summary.view(np.uint8), bitorder="little")
    assert set(np.flatnonzero(flags).tolist()) == {member // 64 for member in content}


def lowest_of(word: Any) -> int:
    return lowest_bit(word)


@pytest.mark.parametrize("function", [lowest_of, compiled(lowest_of)], ids=["plain", "compiled"])
@given(st.integers(0, 63), st.integers(0, 2**64 - 1))
def test_the_lowest_bit(function: Any, position: int, above: int) -> None:
    word = (2 * above + 1 << position) & 2**64 - 1
    assert function(np.uint64(word)) == position


@pytest.mark.parametrize(("members", "words"), [(0, 0), (1, 1), (64, 1), (65, 2), (4096, 64)])
def test_words_for(members: int, words: int) -> None:
    assert bitset.words_for(members) == words
