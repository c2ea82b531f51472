"""The lives of tokens, from the request that made them to the job that took them.

Tokens that wait, and those that jobs in the system have taken, stand in the state; those of jobs
that have left follow from the rows of recent events.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any, Iterator

import numpy as np

from slotscope.model.kinds.phases.rows import FLAG_MATCHED, FLAG_OF_VIRTUAL, FLAG_REQUESTED
from slotscope.model.reporting.frame import Frame


@dataclass(frozen=True)
class Life:
    """One token; ``used`` is None while it waits.

    ``job`` is the number of the job, or of the virtual job, that took it.
    """

    token: int
    type: int
    pool: int
    server: int
    made: float
    used: float | None = None
    job: int = -1
    virtual: bool = False

    def age(self, now: float) -> float:
        """For how long it has waited, or had when it was used."""
        return (now if self.used is None else self.used) - self.made


def waiting(state: Any) -> tuple[Life, ...]:
    """The tokens of all pools and types, the oldest first."""
    lives = [
        Life(
            int(state.token_number[pool, kind, place]),
            int(kind),
            int(pool),
            int(state.token_server[pool, kind, place]),
            float(state.token_time[pool, kind, place]),
        )
        for pool, kind in np.argwhere(state.token_count > 0)
        for place in range(state.token_count[pool, kind])
    ]
    return tuple(sorted(lives, key=lambda life: life.token))


def used_lately(frame: Frame, most: int) -> tuple[Life, ...]:
    """The tokens used in the events whose rows are known, the last one used first."""
    rows, state = frame.rows, frame.state
    matched = rows[(rows["flags"] & FLAG_MATCHED) > 0]
    since = float(rows["time"][0]) if len(rows) else frame.time
    taken = np.flatnonzero((state.job_token >= 0) & (state.job_arrival >= since))
    # Jobs in service know their tokens; a real one that has left is known from its row.
    left = np.flatnonzero(~np.isin(matched["token"], state.job_token[taken]))
    tokens = np.r_[state.job_token[taken], matched["token"][left]]
    used = np.r_[state.job_arrival[taken], matched["time"][left]]
    lives = []
    for place in np.lexsort((tokens, used))[::-1][:most].tolist():
        if place < len(taken):
            lives.append(_of_present(state, int(taken[place])))
        else:
            lives.append(_of_row(matched[left[place - len(taken)]]))
    facts = frame.info.facts
    if facts.plan is not None and not facts.asks_after_pause:  # or a row names another server
        known = np.r_[tokens, state.token_number[state.token_number >= 0]]
        lives += _by_virtual_gone(rows, state, known)
    lives.sort(key=lambda life: (life.used, life.token), reverse=True)
    return tuple(lives[:most])


def _of_present(state: Any, record: int) -> Life:
    """The token of a job, real or virtual, that is still in service."""
    return Life(
        int(state.job_token[record]),
        int(state.job_type[record]),
        int(state.job_pool[record]),
        int(state.job_server[record]),
        float(state.job_token_time[record]),
        float(state.job_arrival[record]),
        int(state.job_number[record]),
        bool(state.job_virtual[record]),
    )


def _of_row(row: np.void) -> Life:
    """The token that a real job took in this event."""
    used = float(row["time"])
    return Life(
        int(row["token"]),
        int(row["type"]),
        int(row["pool"]),
        int(row["server"]),
        used - float(row["token_age"]),
        used,
        int(row["job"]),
    )


def _by_virtual_gone(rows: np.ndarray, state: Any, known: np.ndarray) -> Iterator[Life]:
    """Tokens taken by virtual jobs that have left.

    A server has the tokens of one request at a time, in the order of their types; those that no
    other job took are those of its virtual jobs since.
    """
    gone = list(_virtual_gone(rows, state))
    requests = _requests(rows, known) if gone else {}
    of_request: dict[Life, list[Life]] = defaultdict(list)
    for life in gone:
        assert life.used is not None
        mine = [made for made in requests if made.server == life.server and made.made <= life.used]
        if mine:
            of_request[mine[-1]].append(life)
    for made, lives in of_request.items():
        lives.sort(key=lambda life: (life.type, life.job))
        for token, life in zip(requests[made], lives, strict=False):
            yield replace(life, token=token, pool=made.pool, made=made.made)


def _requests(rows: np.ndarray, known: np.ndarray) -> dict[Life, list[int]]:
    """Each request, by its first token, with the tokens that are not known otherwise."""
    asking = rows[(rows["flags"] & FLAG_REQUESTED) > 0]
    made = asking["made"].astype(np.int64)
    request = np.repeat(np.arange(len(asking)), made)
    tokens = asking["first_token"][request] + np.arange(made.sum())
    tokens -= np.repeat(np.cumsum(made) - made, made)
    missing = ~np.isin(tokens, known)
    found: dict[Life, list[int]] = {}
    for number, token in zip(request[missing].tolist(), tokens[missing].tolist(), strict=True):
        row = asking[number]
        life = Life(int(row["first_token"]), -1, int(row["pool"]), int(row["server"]), float(row["time"]))
        found.setdefault(life, []).append(token)
    return found


def _virtual_gone(rows: np.ndarray, state: Any) -> Iterator[Life]:
    """Virtual jobs that came and left within the rows; their token is not known yet."""
    came = {
        int(row["first_virtual"]) + place: float(row["time"])
        for row in rows[rows["virtual"] > 0]
        for place in range(row["virtual"])
    }
    present = set(state.job_number[state.job_virtual == 1].tolist())
    for row in rows[(rows["flags"] & FLAG_OF_VIRTUAL) > 0]:
        number = int(row["job"])
        if number in came and number not in present:
            # The phase that it leaves first is its type.
            yield Life(-1, int(row["type"]), -1, int(row["server"]), -1.0, came.pop(number), number, virtual=True)
