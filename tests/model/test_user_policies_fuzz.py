"""Arbitrary decisions of a policy of one's own: each is carried out, or refused in one line."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import PolicyFileError
from slotscope.model.records import (
    Admit,
    Classify,
    Line,
    Migrate,
    Preempt,
    Reassign,
    Record,
    Reject,
    Remember,
    UpdateAt,
)
from slotscope.model.state import digest
from tests.own_policies import HEAD, write
from tests.sound import violations

pytestmark = pytest.mark.slow

#: What the file yields, put there by each example.
WISHES = "slotscope_test_wishes"

TEXT = f"""\
import builtins
{HEAD}
    memory = 3
    reserves_slots = RESERVES

    def arrival(self, view, job):
        yield from getattr(builtins, "{WISHES}")
        if view.event % 2:
            yield Reject()

    def departure(self, view, job):
        yield from getattr(builtins, "{WISHES}")
"""


class Odd:
    """An object whose every part is a trap."""

    def __index__(self) -> int:
        raise RuntimeError("asked for its index")

    def __str__(self) -> str:
        raise RuntimeError("asked for its text")

    def __len__(self) -> int:
        raise RuntimeError("asked for its length")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    __hash__ = None  # type: ignore[assignment]


small = st.integers(-2, 12)
whole = st.one_of(
    small, st.integers(), st.builds(lambda: 10**5000), small.map(np.int64), st.integers(0, 9).map(np.uint8)
)
garbage: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        whole,
        st.none(),
        st.booleans(),
        st.floats(),
        st.floats().map(np.float64),
        st.fractions(),
        st.text(max_size=5),
        st.binary(max_size=3),
        st.builds(Odd),
        st.just(Admit),
        st.just(Fraction(1, 3)),
        st.lists(small, max_size=4).map(np.array),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=3), inner, max_size=2),
    ),
    max_leaves=6,
)
number = st.one_of(small, garbage)
row = st.one_of(st.tuples(small, small), st.tuples(small, small, small), garbage)
values = st.one_of(
    st.dictionaries(
        st.one_of(
            st.text(max_size=4),
            st.sampled_from(["i", "type", "server", "job", "configuration", "servers_with_room", "count"]),
        ),
        garbage,
        max_size=3,
    ),
    garbage,
)
line = st.one_of(st.none(), st.builds(Line, small, small), garbage)
common = {"line": line, "values": values}
kind = st.one_of(st.sampled_from(["ranked", "arrival", "x y", "count_found", ""]), garbage)
records = st.one_of(
    st.builds(Admit, server=number),
    st.builds(Admit, kind=kind, server=number, **common),
    st.builds(Reject, **common),
    st.builds(Migrate, job=number, source=number, target=number, **common),
    st.builds(Migrate, job=small, source=small, target=small),
    st.builds(Preempt, job=number, server=number),
    st.builds(Preempt, job=small, server=small),
    st.builds(Reassign, server=number, configuration=row),
    st.builds(
        Classify,
        configurations=st.one_of(st.lists(row, max_size=4).map(tuple), garbage),
        counts=st.one_of(st.lists(number, max_size=4).map(tuple), garbage),
        i_star=number,
    ),
    st.builds(Remember, start=number, numbers=st.one_of(st.lists(number, max_size=4), garbage)),
    st.builds(UpdateAt, time=st.one_of(st.floats(0, 3), garbage)),
    st.builds(Record, kind=kind, line=line, values=values),
    garbage,
)


@pytest.fixture(scope="module", params=[True, False], ids=["slots", "free"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A file whose policy yields whatever an example wishes."""
    folder = tmp_path_factory.mktemp("fuzz")
    yield write(folder, TEXT.replace("RESERVES", str(request.param)))
    if hasattr(builtins, WISHES):
        delattr(builtins, WISHES)


@given(st.lists(records, max_size=3))
def test_arbitrary_decisions(path: str, wishes: list[Any]) -> None:
    """Whatever is yielded, the state stays sound, frames can be made, and the run goes back."""
    setattr(builtins, WISHES, wishes)
    session = Session.open("dra-classroom", path, kernel=False)
    first = digest(session.timeline.state)
    try:
        session.run(events=6)
    except PolicyFileError as error:
        assert len(error.line.splitlines()) == 1
        assert Path(path).name in error.line
    assert violations(session.bench.system, session.timeline.state) == []
    session.step_back()
    try:
        while session.timeline.event < 6 and session.timeline.next_event is not None:
            session.step_into()
            frame = session.frame()
            for record in frame.records:
                frame.info.narrator.record(record)
            for item in frame.rows:
                frame.info.narrator.row(item)
    except PolicyFileError:
        session.step_back()
    session.seek(0)
    assert digest(session.timeline.state) == first
