"""Arbitrary decisions of a user policy: each is carried out, or refused with one line."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import PolicyFileError
from slotscope.model.reporting.records import (
    Admit,
    Allocate,
    Classify,
    Evict,
    Line,
    Match,
    Migrate,
    Overflow,
    Place,
    Preempt,
    Reassign,
    Record,
    Reject,
    Remember,
    Renew,
    Request,
    SetTimer,
    Stall,
    UpdateAt,
    VirtualArrival,
)
from slotscope.model.systems.state import digest
from tests.contract.moments import SMALL
from tests.own_policies import write
from tests.sound import violations


class Odd:
    """An object of which every operation raises an error."""

    def __index__(self) -> int:
        raise RuntimeError("asked for its index")

    def __str__(self) -> str:
        raise RuntimeError("asked for its text")

    def __len__(self) -> int:
        raise RuntimeError("asked for its length")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    __hash__ = None  # type: ignore[assignment]


def read_only(values: dict[str, Any]) -> MappingProxyType[str, Any]:
    """A record's default values, made again here because a read-only mapping cannot be pickled."""
    return MappingProxyType(values)


pytestmark = pytest.mark.slow

#: The file beside the policy's, to which each example writes what the policy yields.
WISHES = "wishes.pickle"


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
others = (
    st.builds(Remember, start=number, numbers=st.one_of(st.lists(number, max_size=4), garbage)),
    st.builds(Record, kind=kind, line=line, values=values),
    garbage,
)
#: What a policy may yield, by kind of system; existing jobs and servers are likely.
RECORDS: dict[str, st.SearchStrategy[Any]] = {
    "reservation": st.one_of(
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
        st.builds(UpdateAt, time=st.one_of(st.floats(0, 3), garbage)),
        *others,
    ),
    "queue": st.one_of(
        st.builds(Place, job=small, server=small),
        st.builds(Place, job=number, server=number, **common),
        st.builds(Renew, server=number, configuration=number, **common),
        st.builds(Stall, server=small, stalled=st.booleans()),
        st.builds(Stall, server=number, stalled=garbage),
        st.builds(Evict, job=small, server=small),
        st.builds(Evict, job=number, server=number, **common),
        *others,
    ),
    "phases": st.one_of(
        st.builds(Place, job=small, server=small),
        st.builds(Place, job=number, server=number, **common),
        st.builds(Match, job=small, position=small),
        st.builds(Match, job=number, pool=number, position=number, **common),
        st.builds(Overflow, job=small),
        st.builds(Overflow, job=number, pool=number, **common),
        st.builds(Request, server=small, jobs=row),
        st.builds(VirtualArrival, type=small, position=small),
        st.builds(VirtualArrival, pool=number, type=number, position=number, **common),
        st.builds(SetTimer, server=small, rate=st.one_of(st.floats(0, 9), garbage)),
        *others,
    ),
    "moldable": st.one_of(
        st.builds(Allocate, servers=small),
        st.builds(Allocate, servers=number, **common),
        st.builds(Reject, **common),
        *others,
    ),
}


#: By a name for each file: the kind of system, its class's declarations, and a valid decision if nothing else is done.
FILES = {
    "slots": ("reservation", "reserves_slots = True", "yield Reject()"),
    "free": ("reservation", "reserves_slots = False", "yield Reject()"),
    "queue": ("queue", "", "pass"),
    "unlimited": ("phases", "servers = 0", "yield Place(job=job.number, server=view.first_idle())"),
    "asking": ("phases", "servers = 4", "yield Overflow(job=job.number)"),
    "moldable": ("moldable", "", "yield Reject()"),
}
#: The methods in which the records are yielded, with their arguments.
OCCASIONS = {
    "reservation": ("departure(self, view, job)",),
    "queue": ("slot(self, view)",),
    "phases": ("move(self, view, job)", "start(self, view)", "tick(self, view, server)"),
    "moldable": ("departure(self, view, job)",),
}


@pytest.fixture(scope="module", params=FILES)
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A file whose policy yields the records of an example, and its kind of system."""
    system, declared, sound = FILES[request.param]
    wish = f'yield from pickle.loads(Path(__file__).with_name("{WISHES}").read_bytes())'
    methods = [f"    def {occasion}:\n        {wish}\n" for occasion in OCCASIONS[system]]
    head = (
        "import pickle\nfrom pathlib import Path\n"
        f"from slotscope.model.kinds.{system}.policies.base import *\n\nclass Policy(OwnPolicy):\n"
    )
    arrival = f"    def arrival(self, view, job):\n        {wish}\n        if view.event % 2:\n            {sound}\n"
    text = "\n".join([f"{head}    memory = 3\n    {declared}\n", arrival, *methods])
    return write(tmp_path_factory.mktemp("fuzz"), text), system


def put(path: Path, wishes: list[Any]) -> None:
    """Write the records to yield; :func:`read_only` pickles their default values."""
    with path.open("wb") as file:
        pickler = pickle.Pickler(file)
        pickler.dispatch_table = {MappingProxyType: lambda proxy: (read_only, (dict(proxy),))}
        pickler.dump(wishes)


@given(data=st.data())
def test_arbitrary_decisions(file: tuple[str, str], data: st.DataObject) -> None:
    """Whatever is yielded, the state stays valid, frames can be made, and the run can go back."""
    path, system = file
    wishes = Path(path).with_name(WISHES)
    put(wishes, [])
    session = Session.open(SMALL[system], path, kernel=False)
    first = digest(session.timeline.state)
    put(wishes, data.draw(st.lists(RECORDS[system], max_size=3)))
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
