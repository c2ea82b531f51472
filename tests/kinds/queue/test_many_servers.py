"""The index that kernels keep when there are very many servers: decisions are the same with and without it."""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.kinds.queue.kernels import many
from slotscope.model.kinds.queue.kernels.many import add, drop, first_from
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.load import as_data, edited, load_scenario
from slotscope.model.systems.state import digest
from tests.kinds.queue.strategies import queue_scenarios
from tests.kinds.queue.test_differential import agree

#: The policies that have a kernel for very many servers, with their options.
POLICIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("bf-js", {}),
    ("bf-js", {"stall": True}),
    ("bf-j", {}),
    ("fifo-ff", {}),
    ("fifo-ff", {"skip": True}),
    ("fifo-slots", {}),
)

CASES = pytest.mark.parametrize(("policy", "options"), POLICIES)


def from_servers(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the index be used from this many servers on."""
    for name in ("ASKED_BY_ALL", "ASKED_BY_FEW", "BY_FIRST_FIT"):
        monkeypatch.setattr(many, name, least)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=60, unique=True), st.data())
@settings(max_examples=60, deadline=None)
def test_keys_are_in_order_whatever_comes_and_goes(start: list[int], data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many, "MOST", 8)
        patch.setattr(many, "FEWEST", 5)
        keys, known = many.sorted_keys(np.array(start)), sorted(start)
        for place, key in data.draw(st.lists(st.tuples(st.integers(0, 59), st.integers(0, 300)), max_size=120)):
            if key not in known:  # the key of a server changes
                drop(keys, gone := known[place % len(known)])
                known.remove(gone)
                add(keys, key)
                insort(known, key)
            following = known[bisect_left(known, key) :]
            assert first_from(keys, key) == (following[0] if following else -1)
            assert first_from(keys, key + 1) == next((one for one in following if one > key), -1)
            used = keys.block[: keys.used[0]]
            assert [one for block in used for one in keys.key[block, : keys.held[block]].tolist()] == known
            assert sorted(keys.block.tolist()) == list(range(len(keys.block)))
            held = keys.held[used].tolist()
            assert all(one + other >= 8 // 2 for one, other in pairwise(held))  # so that blocks never run out


@CASES
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_every_slot(policy: str, options: dict[str, Any], data: st.DataObject) -> None:
    """Also with several resources, which one key cannot hold."""
    with pytest.MonkeyPatch.context() as patch:
        from_servers(1, patch)
        agree(data.draw(queue_scenarios(policy, options)), 60)


def with_servers(name: str, servers: int, policy: str, options: dict[str, Any]) -> Bench:
    scenario = load_scenario(name)
    count = as_data(scenario)["servers"] | {"count": servers}
    return assemble(edited(scenario, {"servers": count, "policy": {"name": policy, "parameters": options}}))


@CASES
def test_very_many_servers(policy: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """More servers than 64 blocks of 64, so many that blocks of keys are split and merged repeatedly."""
    servers, slots = 9000, 12
    reached = []
    for least in (10**9, 1):
        from_servers(least, monkeypatch)
        bench = with_servers("queues-wide-jobs", servers, policy, options)
        kernel = bench.kernel()
        state, tape = started(bench.system), np.zeros(slots, bench.system.row_dtype)
        for _ in range(20):  # some calls begin with the index of the call before
            state = kernel.advance(state, tape, Task()).state
        reached.append((digest(state), tape.tolist(), kernel.function))  # type: ignore[attr-defined]
    (one, rows, few), (other, also, most) = reached
    assert one == other and rows == also
    assert few is not most
