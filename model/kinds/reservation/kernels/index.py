"""The index that the DRA kernel keeps beside the state, and derives from it.

Each configuration in use has a list of its servers from the oldest to the most recent, and a
boundary: the servers up to it have the configuration effectively (Definition 9), that is,
they have rank i if the configuration is GPA's k[i].  When GPA's count changes by one, the
boundary moves by one server.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.classification import stacked
from slotscope.model.kinds.reservation.state import GREEDY_LENGTH, ReservationState
from slotscope.model.reporting.records import Configuration
from slotscope.model.systems.bitset import packed

Indices = NDArray[np.int32]
Words = NDArray[np.uint64]

# Positions in ``size``.
KNOWN = 0  # number of known configurations
PRESENT = 1  # number of configurations that some server has
UNMATCHED = 2  # 1 if some k[i] has fewer servers than GPA wants; -1: no CRA since the index was made
WANTED_MASK = 3  # the subset of types whose MaxReward the kernel needs and does not know
NEXT_PLACE = 4  # the place by age that the next reassigned server gets
SIZES = 5


class Index(NamedTuple):
    """The index: L servers, J types, C known configurations (with room for more), P = 2 L + 64 places by age."""

    size: NDArray[np.int64]  #: [SIZES]
    vectors: Indices  #: [C, J] the known configurations, by number
    configuration_of: Indices  #: [L] number of each server's configuration
    newer: Indices  #: [L] the next more recent server of the same configuration
    older: Indices  #: [L]
    newest: Indices  #: [C] the most recent server of each configuration (index 1)
    oldest: Indices  #: [C] its oldest server
    held: NDArray[np.int64]  #: [C] X_k
    boundary: Indices  #: [C] the most recent effective server of each configuration, -1: none
    effective: NDArray[np.int64]  #: [C] its number of effective servers
    is_effective: NDArray[np.uint8]  #: [L]
    position: Indices  #: [C] i if the configuration is k[i], otherwise 0
    greedy: Indices  #: [J] the configuration numbers of k[1], k[2], ...
    present: Indices  #: [C] the configurations that some server has; the first PRESENT entries are used
    present_at: Indices  #: [C] position of each configuration in ``present``
    jobs: Indices  #: [L] number of jobs on each server
    place: Indices  #: [L] each server's place by age: the lower, the longer it has had its configuration
    server_at: Indices  #: [P] the server at each place, -1: none any more
    free: Words  #: [J, W] bit sets of the places whose servers have an empty slot of a type
    free_summary: Words  #: [J, S]
    idle: Words  #: [W] bit set of the servers without jobs
    idle_summary: Words  #: [S]
    memo_key: Words  #: [H] subsets of types (bit sets) whose MaxReward is known; 0: free
    memo_value: Indices  #: [H] the number of the MaxReward configuration of each subset
    maximal: NDArray[np.int64]  #: [m, J] maximal configurations; m = 0 if demands are given
    target: Indices  #: [T] the configurations of the greedy configuration set
    given: NDArray[np.int64]  #: [J] given workload that replaces the number of jobs in the system
    job_size: NDArray[np.int64]  #: [J] the size of a job, see ``ReservationNumbers.size_units``
    owed: NDArray[np.int64]  #: [J] total size to be preempted for a rejected job
    victims: Indices  #: [v] types that can be preempted, the smallest first
    period: NDArray[np.float64]  #: [1] time between updates
    times: NDArray[np.float64]  #: [n] times of updates; n = 0: updates are periodic


class VariantRules(NamedTuple):
    """The fields of :class:`Index` that variants of DRA set."""

    given: NDArray[np.int64]
    job_size: NDArray[np.int64]
    owed: NDArray[np.int64]
    victims: Indices
    period: NDArray[np.float64]
    times: NDArray[np.float64]


class Configurations:
    """The configurations known to a kernel, numbered in order of first appearance."""

    def __init__(self, types: int) -> None:
        self.types = types
        self._numbers: dict[tuple[int, ...], int] = {}
        self.maxima: dict[int, int] = {}

    def number(self, configuration: tuple[int, ...]) -> int:
        """The number of a configuration, which becomes known if it was not."""
        return self._numbers.setdefault(configuration, len(self._numbers))

    def table(self, room: int) -> Indices:
        """[room, J] the known configurations, padded with zeros."""
        table = np.zeros((room, self.types), np.int32)
        for configuration, number in self._numbers.items():
            table[number] = configuration
        return table

    def __len__(self) -> int:
        return len(self._numbers)


def build_index(
    state: ReservationState,
    known: Configurations,
    maximal: NDArray[np.int64],
    rules: VariantRules,
    greedy_set: Sequence[Configuration],
) -> Index:
    """Build the index of a state; it depends on the state alone, not on the run that led to it."""
    found = int(state.number[GREEDY_LENGTH])
    named = _named(state, known, found, greedy_set)
    index = Index(
        size=np.zeros(SIZES, np.int64),
        **named,
        **_empty_lists(len(state.configuration), 2 * len(known) + 16, known),
        jobs=state.placement.sum(axis=1, dtype=np.int32),
        **_open_servers(state),
        **_memo(known),
        maximal=maximal,
        **rules._asdict(),
    )
    index.size[KNOWN], index.size[UNMATCHED] = len(known), -1
    index.size[NEXT_PLACE] = len(state.configuration)
    index.position[index.greedy[:found]] = np.arange(1, found + 1)
    order = np.lexsort((state.stamp, index.configuration_of))  # oldest first
    _link_lists(index, order)
    _mark_effective(state, index, order, found)
    return index


def _named(
    state: ReservationState, known: Configurations, found: int, greedy_set: Sequence[Configuration]
) -> dict[str, np.ndarray]:
    """The numbers of the servers' configurations, of the *found* configurations of GPA, and of the greedy set."""
    _, _, stack, rows = stacked(state.configuration, state.stamp)
    present = [tuple(row) for row in rows.tolist()]
    # In lexicographic order, so that numbers do not depend on hashes.
    for row in sorted(present):
        known.number(row)
    greedy = np.zeros(state.configuration.shape[1], np.int32)
    for place, row in enumerate(state.greedy_configuration[:found].tolist()):
        greedy[place] = known.number(tuple(row))
    return {
        "configuration_of": np.array([known.number(row) for row in present], np.int32)[stack],
        "greedy": greedy,
        "target": np.array([known.number(member) for member in greedy_set], np.int32),
    }


def _empty_lists(servers: int, room: int, known: Configurations) -> dict[str, np.ndarray]:
    """Empty lists of servers for *room* configurations."""
    per_configuration = {"newest": -1, "oldest": -1, "boundary": -1, "position": 0, "present": 0, "present_at": -1}
    return {
        "vectors": known.table(room),
        "newer": np.full(servers, -1, np.int32),
        "older": np.full(servers, -1, np.int32),
        "is_effective": np.zeros(servers, np.uint8),
        "held": np.zeros(room, np.int64),
        "effective": np.zeros(room, np.int64),
        **{name: np.full(room, blank, np.int32) for name, blank in per_configuration.items()},
    }


def _open_servers(state: ReservationState) -> dict[str, np.ndarray]:
    """The servers' places by age, and the bit sets of servers with an empty slot and of empty servers."""
    types = state.configuration.shape[1]
    place, server_at = _places(state)
    empty_slots = np.zeros((types, len(server_at)), np.bool_)
    empty_slots[:, place] = (state.configuration > state.placement).T
    free, idle = packed(empty_slots), packed(~np.asarray(state.placement.any(axis=1)))
    return {
        "place": place,
        "server_at": server_at,
        "free": free,
        "free_summary": packed(free != 0),
        "idle": idle,
        "idle_summary": packed(idle != 0),
    }


def _places(state: ReservationState) -> tuple[Indices, Indices]:
    """The places by age: the servers in order of their stamps, followed by free places for reassigned servers."""
    servers = len(state.stamp)
    server_at = np.full(2 * servers + 64, -1, np.int32)
    server_at[:servers] = np.argsort(state.stamp)
    place = np.empty(servers, np.int32)
    place[server_at[:servers]] = np.arange(servers)
    return place, server_at


def _memo(known: Configurations) -> dict[str, np.ndarray]:
    slots = 64
    while slots < 4 * (len(known.maxima) + 8):
        slots *= 2
    keys = np.zeros(slots, np.uint64)
    values = np.zeros(slots, np.int32)
    for mask, number in known.maxima.items():
        place = memo_place(mask, slots)
        while keys[place]:
            place = (place + 1) & (slots - 1)
        keys[place] = mask
        values[place] = number
    return {"memo_key": keys, "memo_value": values}


#: Multiplier of the memo's hash function (64 bits, odd).
MEMO_FACTOR = 0x9E3779B97F4A7C15


def memo_place(mask: int, slots: int) -> int:
    """The hash of a subset of types (a bit *mask*) in a memo of *slots* entries: where the search for it starts."""
    return ((mask * MEMO_FACTOR) & 0xFFFFFFFFFFFFFFFF) >> 40 & (slots - 1)


def _link_lists(index: Index, order: NDArray[np.intp]) -> None:
    groups = index.configuration_of[order]
    same = groups[1:] == groups[:-1]
    index.newer[order[:-1][same]] = order[1:][same]
    index.older[order[1:][same]] = order[:-1][same]
    first = np.r_[True, ~same]
    last = np.r_[~same, True]
    index.oldest[groups[first]] = order[first]
    index.newest[groups[last]] = order[last]
    index.held[: index.size[KNOWN]] = np.bincount(groups, minlength=index.size[KNOWN])
    present = np.flatnonzero(index.held)
    index.present[: len(present)] = present
    index.present_at[present] = np.arange(len(present))
    index.size[PRESENT] = len(present)


def _mark_effective(state: ReservationState, index: Index, order: NDArray[np.intp], found: int) -> None:
    groups = index.configuration_of[order]
    for place in range(found):
        number = index.greedy[place]
        wanted = int(state.greedy_count[place])
        first = int(np.searchsorted(groups, number))
        effective = order[first : first + min(wanted, int(index.held[number]))]
        if len(effective):
            index.is_effective[effective] = 1
            index.boundary[number] = effective[-1]
            index.effective[number] = len(effective)
