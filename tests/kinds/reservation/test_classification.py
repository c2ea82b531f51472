"""Ranks and groups are reused while the state that they are derived from is unchanged, and no longer."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.classification import classify, servers_of
from slotscope.model.kinds.reservation.ranking import rank_again, ranked
from slotscope.model.kinds.reservation.state import EXTENDED, GREEDY_LENGTH, I_STAR


def literal(state):
    """Definition 4 and line 1 of CRA, server by server: index, rank, group; X of each of GPA's configurations."""
    rows = [tuple(row) for row in state.configuration.tolist()]
    found, surplus = int(state.number[GREEDY_LENGTH]), len(state.greedy_count) + 1
    greedy = [tuple(row) for row in state.greedy_configuration.tolist()][:found]
    held = [rows.count(row) for row in greedy]
    index, rank, group = [], [], []
    for server, row in enumerate(rows):
        same = [other for other, its in enumerate(rows) if its == row]
        index.append(1 + sum(state.stamp[other] > state.stamp[server] for other in same))
        place = greedy.index(row) if row in greedy else -1
        effective = place >= 0 and index[-1] > held[place] - state.greedy_count[place]
        rank.append(place + 1 if effective else surplus)
        beyond = rank[-1] == surplus if state.number[EXTENDED] else rank[-1] > state.number[I_STAR] and index[-1] == 1
        group.append(bool(beyond and found))
    return index, rank, group, held


def check(state):
    found = classify(state)
    kept = (found.index, found.rank, found.reject_group, found.held)
    assert tuple(one.tolist() for one in kept) == literal(state)
    for row in {tuple(row) for row in state.configuration.tolist()} | {(9, 9, 9)}:
        same = [server for server, its in enumerate(state.configuration.tolist()) if tuple(its) == row]
        assert servers_of(state, row).tolist() == sorted(same, key=lambda server: -state.stamp[server])
    assert found.configurations[found.stack].tolist() == state.configuration.tolist()


@given(st.integers(0, 2**32))
def test_each_change_of_a_state_is_noticed(seed):
    random = np.random.default_rng(seed)
    servers, types = 12, 3
    state = SimpleNamespace(
        configuration=random.integers(0, 2, (servers, types), np.int32),
        stamp=random.permutation(servers),
        greedy_configuration=np.eye(types, dtype=np.int32),
        greedy_count=random.integers(0, 4, types),
        number=np.zeros(40, np.int64),
    )
    check(state)
    derived, kept = ranked(state)
    for _ in range(20):
        match random.integers(6):
            case 0:
                state.configuration[random.integers(servers)] = random.integers(0, 2, types)
            case 1:
                state.stamp[...] = random.permutation(servers)
            case 2:
                state.greedy_configuration[...] = random.permutation(state.greedy_configuration)
            case 3:
                state.greedy_count[random.integers(types)] = random.integers(0, 4)
            case 4:
                state.number[GREEDY_LENGTH] = random.integers(types + 1)
            case _:
                state.number[[I_STAR, EXTENDED]] = random.integers(types + 1), random.integers(2)
        check(state)
        rank_again(state, derived, kept, np.zeros((2, 0), np.uint8))
        assert tuple(row.tolist() for row in derived) == tuple(literal(state)[which] for which in (1, 0, 2))
