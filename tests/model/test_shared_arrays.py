"""Arrays shared by two processes: what one receives, writes and returns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from slotscope.model.policies.own.shared import Layout, seen

ROW = np.dtype([("event", "<i8"), ("flags", "u1"), ("time", "<f8")])


class Pair(NamedTuple):
    one: np.ndarray
    other: Any


def given() -> tuple[Any, ...]:
    whole = np.arange(6, dtype=np.int32)
    shown = whole.view()
    shown.flags.writeable = False
    pair = Pair(np.asfortranarray(np.arange(6.0).reshape(2, 3)), (whole, np.array(7)))
    return pair, shown, np.zeros(0), np.zeros((0, 4)), 5, np.zeros(4, ROW), np.zeros((3, 2)), np.zeros(2, np.int64)


def test_the_other_process_sees_them_as_they_are_and_what_it_writes_comes_back() -> None:
    mine = given()
    layout = Layout(mine)
    buffer = np.zeros(layout.size, np.uint8)
    copies = layout.copies(buffer)
    copies.put()
    pair, shown, *_, number, rows, _, _ = there = seen(layout.told, buffer)
    assert number == 5
    assert type(pair) is Pair
    assert np.array_equal(pair.one, mine[0].one)
    pair.other[0][2], pair.other[1][...], rows["event"] = 99, 8, 3
    assert shown[2] == 99  # two views of one array
    assert not shown.flags.writeable
    pair.one[1, 2] = -1.0
    copies.take()
    assert mine[0].other[0][2] == mine[1][2] == 99
    assert mine[0].other[1] == 8
    assert mine[0].one[1, 2] == -1.0
    assert mine[5]["event"].tolist() == [3] * 4
    assert len(there) == len(mine)
