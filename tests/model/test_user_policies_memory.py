"""What a user policy keeps beside the state: changes are detected, without false alarms."""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from shutil import copy
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from slotscope.model.errors import PolicyFileError
from slotscope.model.policies import POLICIES_OF
from slotscope.model.policies.own import memory
from slotscope.model.policies.own.memory import MOST_DEPTH, MOST_PARTS, Lasting
from tests.own_policies import FIRST_FIT, opened, source
from tests.runs import ran

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[2] / "model/kinds/reservation/policies"


@pytest.fixture
def crowded() -> Iterator[None]:
    """Another thread allocates and frees objects, so that freed addresses are reused at random."""
    over = Event()

    def work() -> None:
        kept: list[tuple[int, float]] = []
        while not over.is_set():
            kept.append((len(kept), len(kept) / 7))
            if len(kept) > 500:
                del kept[::2]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread = Thread(target=work)
    thread.start()
    yield
    over.set()
    thread.join()
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("module", sorted({*POLICIES_OF["reservation"].values()}))
def test_a_copy_of_a_policy_of_the_program_is_not_accused(module: str, tmp_path: Path) -> None:
    """Whatever other threads do, as in the window."""
    path = copy(FOLDER / f"{module.rpartition('.')[2]}.py", tmp_path / "mine.py")
    session = ran("dra-vms", str(path), events=150)
    assert session.timeline.event == 150


class Holder:
    """An object of a policy's file."""

    def __init__(self, held: object) -> None:
        self.held = held


def test_what_lies_deep_inside_is_seen_to_change() -> None:
    deep = [0]
    value: object = deep
    for _ in range(60):
        value = Holder(value)
    lasting = Lasting(Holder(value), {}, ())
    assert lasting.changed() == []
    deep.append(1)
    assert lasting.changed() == ["self.held"]


def test_what_stands_in_a_values_place_is_watched_in_its_turn() -> None:
    """After it was replaced by an equal value, or a cached property, which does not count, was added."""

    class Owner:
        def __init__(self) -> None:
            self.list, self.number = [1], 10**6

        @cached_property
        def computed(self) -> int:
            return 7

    owner = Owner()
    variables: dict[str, Any] = {"__name__": "mine", "table": {"a": [1]}}
    lasting = Lasting(owner, variables, ())
    owner.list, owner.number, variables["table"] = [1], int("1000000"), {"a": [1]}
    assert owner.computed == 7
    assert lasting.changed() == lasting.changed() == []
    owner.list.append(2)
    assert lasting.changed() == ["self.list"]
    owner.list.pop()
    assert lasting.changed() == []
    variables["table"]["a"].append(2)
    assert lasting.changed() == ["the variable table"]
    variables["table"]["a"].pop()
    variables["more"] = owner.number = 5
    assert lasting.changed() == ["self.number", "the variable more"]
    del variables["more"], owner.number
    assert lasting.changed() == ["self.number"]


def test_the_classes_of_the_file_are_watched() -> None:
    """Also attributes added to a class, and a class that replaces another one."""
    mine = type("Policy", (), {"__module__": "mine", "most": 3})
    variables: dict[str, Any] = {"__name__": "mine", "Policy": mine}
    lasting = Lasting(mine(), variables, ())
    assert lasting.changed() == []
    mine.most = 4  # type: ignore[attr-defined]
    assert lasting.changed() == ["the variable Policy.most"]
    mine.most = 3  # type: ignore[attr-defined]
    mine.more = 1  # type: ignore[attr-defined]
    assert lasting.changed() == ["the variable Policy.more"]
    del mine.more  # type: ignore[attr-defined]
    variables["Policy"] = type("Policy", (), {"__module__": "mine", "most": 5})
    assert lasting.changed() == ["the variable Policy.most"]


@pytest.mark.parametrize(
    ("held", "change"),
    [
        (lambda: np.arange(3), lambda held: held.__setitem__(1, 7)),
        (lambda: np.arange(4), lambda held: setattr(held, "shape", (2, 2))),
        (lambda: (np.arange(3), np.zeros(2)), lambda held: held[1].__setitem__(0, -0.0)),
        (lambda: {"a": 1, "b": float("nan")}, lambda held: held.update(a=True)),
        (lambda: {"a": 1}, lambda held: held.update({f"{n}": n for n in range(50)})),
        (lambda: {"a": 1}, lambda held: held.update(a=[])),
        (lambda: {"a": [1]}, lambda held: held["a"].append(2)),
    ],
)
def test_numbers_are_seen_to_change_and_only_then(held: Callable[[], Any], change: Callable[[Any], None]) -> None:
    holder = Holder(held())
    lasting = Lasting(holder, {}, ())
    assert lasting.changed() == []
    holder.held = held()  # another object with equal content
    assert lasting.changed() == []
    change(holder.held)
    assert lasting.changed() == ["self.held"]


class Table(dict[str, Any]):
    """A subclass, so that instances may have attributes."""


def counting() -> Callable[[], int]:
    count = [0]
    return lambda: count[0]


@pytest.mark.parametrize(
    ("made", "change"),
    [
        (lambda: [0], lambda held: held.append(1)),
        (lambda: {1: "a"}, lambda held: held.update({1: "b"})),
        (lambda: {1, 2}, lambda held: held.add(3)),
        (lambda: bytearray(b"a"), lambda held: held.extend(b"b")),
        (lambda: deque([1]), lambda held: held.rotate(0) or held.append(1)),
        (lambda: Table(a=1), lambda held: setattr(held, "more", 1)),
        (lambda: Holder(1.5), lambda held: setattr(held, "held", -1.5)),
        (lambda: Fraction(1, 3), lambda held: setattr(held, "_numerator", 2)),
        (lambda: np.zeros(2, "i8,i8")[0], lambda held: held.__setitem__("f1", 3)),
        (lambda: np.array([None, []], object), lambda held: held[1].append(1)),
        (lambda: np.arange(4), lambda held: setattr(held, "dtype", np.float64)),
        (lambda: random.Random(1), lambda held: held.random()),
        (lambda: np.random.default_rng(1), lambda held: held.random()),
        (lambda: (n for n in range(9)), next),
        (lambda: iter([1, 2]), next),
        (counting, lambda held: held.__closure__[0].cell_contents.append(1)),
        (counting, lambda held: setattr(held.__closure__[0], "cell_contents", [1])),
        (counting, lambda held: setattr(held, "__defaults__", (1,))),
        (lambda: type("Own", (), {"__module__": __name__, "most": 3}), lambda held: setattr(held, "most", 4)),
    ],
)
def test_what_stands_as_it_did_is_not_printed_again(
    made: Callable[[], Any], change: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unchanged values are not fingerprinted again, not even nested ones; changes in place are still detected."""
    held = made()
    lasting = Lasting(Holder([(1, {"a": held})]), {"__name__": __name__}, ())
    with monkeypatch.context() as patched:
        patched.setattr(memory._Press, "print", None)
        assert lasting.changed() == []
    change(held)
    assert lasting.changed() == ["self.held"]


NESTED = {
    "list": "[held]",
    "tuple": "(held,)",
    "dict": "{'a': held}",
    "set": "frozenset([held])",
    "object": "Box(held)",
}


def holding(made: str, times: int) -> str:
    """A policy with an attribute nested *times* deep."""
    rest = f"""
def __init__(self, numbers, parameters):
    held = None
    for _ in range({times}):
        held = {made}
    self.held = held
"""
    box = "class Box:\n    def __init__(self, held):\n        self.held = held\n\n\n"
    text = source(FIRST_FIT, rest)
    return text.replace("class Policy", box + "class Policy")


@pytest.mark.parametrize("made", NESTED.values(), ids=NESTED.keys())
def test_nested_data_is_kept_up_to_a_depth(made: str, tmp_path: Path) -> None:
    session = opened(tmp_path, holding(made, MOST_DEPTH - 10))
    session.run(events=5)
    for times in (MOST_DEPTH + 1, 100_000):
        with pytest.raises(PolicyFileError) as raised:
            opened(tmp_path, holding(made, times))
        assert raised.value.line == (
            f"{tmp_path / 'mine.py'}: with self.held it holds data nested deeper than "
            f"{MOST_DEPTH}, allowed: {MOST_DEPTH}"
        )


def test_more_than_can_be_looked_at_is_refused(tmp_path: Path) -> None:
    table = "self.table = [[n] for n in range({})]"
    text = source(FIRST_FIT, f"def __init__(self, numbers, parameters):\n    {table}\n")
    opened(tmp_path, text.format(MOST_PARTS // 2 - 100)).run(events=5)
    with pytest.raises(PolicyFileError, match=r"self\.table it holds more than 10,000 objects"):
        opened(tmp_path, text.format(MOST_PARTS))


def test_data_that_grows_beyond_the_bound_has_changed(tmp_path: Path) -> None:
    arrival = "for _ in range(20_000): self.held.append(0)\nyield Reject()\n"
    text = source(arrival, "def __init__(self, numbers, parameters):\n    self.held = []\n")
    with pytest.raises(PolicyFileError, match=r"it changes self\.held"):
        opened(tmp_path, text).run(events=1)
