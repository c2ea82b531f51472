"""Damaged session files: by accident, and on purpose with the digest computed again."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.file import load_run, save_run
from slotscope.model.errors import UserError
from slotscope.model.kinds.spec import kind_named
from slotscope.model.session.archive import DIGEST, _digest, packed
from slotscope.model.systems.state import digest, from_arrays
from tests.fuzz.changes import STRANGE, damaged_bytes, damaged_data, damaged_text
from tests.fuzz.judging import Fault
from tests.runs import ran

Members = dict[str, bytes]

#: Scenario, policy, and number of events before saving.
RUNS = (
    ("dra-classroom", "dra", 150),
    ("dra-classroom", "best-fit", 80),
    ("dra-vms", "dra", 700),
    ("dra-classroom", "dra-periodic", 120),
    ("dra-vms", "power-of-d", 500),
    ("queues-classroom", "vqs-bf", 200),
    ("queues-classroom", "bf-js", 90),
    ("queues-classroom", "max-weight", 150),
    ("queues-small-jobs", "vqs", 300),
    ("jrs-two-phases", "jrs", 400),
    ("jrs-two-phases", "first-fit", 200),
    ("jrs-deadlock", None, 9),
    ("jrs-three-phases", "grand", 300),
    ("moldable-classroom", "greedy-p", 200),
    ("moldable-classroom", "threshold", 60),
    ("moldable-sublinear", "greedy", 500),
)

STATES = ("first.npz", "earlier.npz", "present.npz")


class Original(NamedTuple):
    """A sound file, and its kind of system."""

    data: bytes
    system: str


def prepared(folder: Path) -> Callable[[Random], str]:
    """Save runs of all kinds; each attempt damages one file and opens it."""
    originals = _originals(folder)

    def attempt(random: Random) -> str:
        path = folder / "damaged.slotscope"
        path.write_bytes(_damaged(random, random.choice(originals)))
        return judged(path, kernel=random.random() < 0.7)

    return attempt


def _originals(folder: Path) -> list[Original]:
    found = []
    for scenario, policy, events in RUNS:
        session = ran(scenario, policy, kernel=True, events=events)
        found.append(_saved(folder, session))
        session.step_into()
        found.append(_saved(folder, session))
        session.step_out()
        if session.bench.scenario.workload.kind == "poisson":
            fork = session.continued(session.bench.scenario)
            fork.run(events=40)
            found.append(_saved(folder, fork))
    for scenario, policies in (("dra-classroom", ["dra", "best-fit"]), ("moldable-classroom", ["greedy-p", "greedy"])):
        comparison = Comparison.open(scenario, policies)
        comparison.run(events=60)
        found.append(_saved(folder, comparison))
    return found


def _saved(folder: Path, run: Any) -> Original:
    path = folder / "sound.slotscope"
    save_run(run, path)
    return Original(path.read_bytes(), run.info.system)


def judged(path: Path, kernel: bool) -> str:
    """Open a file, continue the run, and return the outcome.

    Raises Fault if the opened run is not sound some events later.
    """
    try:
        run = load_run(path, kernel)
    except UserError as error:
        if "\n" in error.line:
            raise Fault(f"more than one line: {error.line}") from None
        return "refused"
    run.frame()
    try:
        run.run(events=40)
        run.step()
        run.step_back()
        run.step_into()
    except UserError as error:
        return f"stopped:{error.line}"
    for session in run.sessions if isinstance(run, Comparison) else [run]:
        session.step_out()
        if found := session.bench.kind.violations(session.bench.system, session.timeline.state):
            raise Fault(f"it was opened and ran, but {found[0]}")
    return "ran"


# Damage.


def _damaged(random: Random, original: Original) -> bytes:
    if random.random() < 0.15:
        return damaged_bytes(random, original.data)
    members = _members(original.data)
    lanes = [name for name in members if name.startswith("lane-")]
    if lanes and random.random() < 0.8:
        lane = random.choice(lanes)
        members[lane] = _damaged(random, Original(members[lane], original.system))
    else:
        random.choice(DAMAGE)(random, members, original.system)
    return _archive(random, members)


def _members(data: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(random: Random, members: Members) -> bytes:
    members = {name: data for name, data in members.items() if name != DIGEST}
    if random.random() < 0.9:
        members[DIGEST] = _digest(members)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _place(random: Random, members: Members, system: str) -> None:
    """Change the description of the run."""
    name = "session.json" if "session.json" in members else "comparison.json"
    if name in members:
        table = damaged_data(random, json.loads(members[name]))
        members[name] = json.dumps(table, default=str).encode("utf-8", "surrogateescape")


def _text(random: Random, members: Members, system: str) -> None:
    """Change the scenario."""
    if "scenario.toml" in members:
        text = damaged_text(random, members["scenario.toml"].decode())
        members["scenario.toml"] = text.encode("utf-8", "surrogateescape")


def _member(random: Random, members: Members, system: str) -> None:
    """Remove or replace a whole member, damage its bytes, or add one."""
    name, other = (random.choice(list(members)) for _ in range(2))
    action = random.randrange(4)
    if action == 0:
        del members[name]
    elif action == 1:
        members[name] = members[other]
    elif action == 2:
        members[name] = damaged_bytes(random, members[name])
    else:
        members[name + random.choice(("", "x", "/"))] = b""


def _values(random: Random, members: Members, system: str) -> None:
    """Change numbers in arrays of correct types and shapes, with a new digest: only validation can detect it."""
    for name in random.sample(STATES, random.choice((1, 1, 2, 3))):
        if name not in members:
            continue
        arrays = _arrays(members[name])
        fields = [field for field, array in arrays.items() if array.size]
        for field in random.choices(fields, k=random.choice((1, 1, 1, 2, 4))):
            _change(random, arrays[field])
        members[name] = packed(arrays)
        _sign(members, arrays, system)


def _change(random: Random, array: np.ndarray) -> None:
    flat = array.reshape(-1)
    for _ in range(random.choice((1, 1, 2, 10))):
        at, other = random.randrange(flat.size), random.randrange(flat.size)
        value: Any = random.choice(
            (flat[other], flat.size, flat.size - 1, *(one for one in STRANGE if isinstance(one, int | float)))
        )
        if random.random() < 0.4 and np.isfinite(flat[at]):
            value = float(flat[at]) + random.choice((-1, 1, 0.5, -64, 64))
        if flat.dtype.kind == "f":
            value = float(value)
        else:
            limits = np.iinfo(flat.dtype)
            value = 0 if value != value else min(max(value, limits.min), limits.max)
        flat[at] = value if flat.dtype.kind == "f" else int(value)


def _form(random: Random, members: Members, system: str) -> None:
    """Change shapes and types of arrays."""
    name = random.choice([name for name in members if name.endswith(".npz")] or [""])
    if not name:
        return
    arrays = _arrays(members[name])
    field = random.choice(list(arrays))
    array = arrays[field]
    arrays[field] = random.choice(
        (
            lambda: array[:-1],
            lambda: np.concatenate([array, array]),
            lambda: array.reshape(-1),
            lambda: array[None],
            lambda: array.astype(np.float32),
            lambda: array.astype("<U8"),
            lambda: array.astype(array.dtype.newbyteorder()),
            array.T.copy,
            lambda: array.astype(np.int64),
            lambda: np.zeros((0, *array.shape[1:]), array.dtype),
            lambda: np.asfortranarray(array),
            lambda: np.resize(array, (*array.shape[:-1], 1)),
        )
    )()
    if random.random() < 0.1:
        del arrays[field]
    members[name] = packed(arrays)
    if name == "present.npz":
        _sign(members, arrays, system)


def _growing(random: Random, members: Members, system: str) -> None:
    """Change the number of records of a state, with a new digest."""
    name = random.choice([name for name in STATES if name in members] or [""])
    if not name:
        return
    arrays = _arrays(members[name])
    records = len(arrays["free_record"]) if "free_record" in arrays else 0
    fewer = random.choice((0, 1, records // 2, records + 1, 3 * records))
    for field, array in arrays.items():
        if records and array.ndim and len(array) == records:
            arrays[field] = np.resize(array, (fewer, *array.shape[1:]))
    members[name] = packed(arrays)
    _sign(members, arrays, system)


def _bomb(random: Random, members: Members, system: str) -> None:
    """Add arrays that claim to be large, or are."""
    name = random.choice([name for name in members if name.endswith(".npz")] or ["x.npz"])
    shape = random.choice(((2**40,), (2**62,), (10**6,), (-1,), (2**31, 2**31), (10**7, 3)))
    header = str({"descr": "<f8", "fortran_order": False, "shape": shape}).encode() + b"\n"
    body = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(
            random.choice(("samples.npy", "number.npy", "clock.npy")), body + bytes(random.choice((0, 8, 10**6)))
        )
    members[name] = buffer.getvalue()


def _samples(random: Random, members: Members, system: str) -> None:
    if "samples.npz" in members:
        arrays = _arrays(members["samples.npz"])
        if arrays["samples"].size:
            _change(random, arrays["samples"])
        members["samples.npz"] = packed(arrays)


def _far(random: Random, members: Members, system: str) -> None:
    """Set a place far ahead, consistent in file and state."""
    if "session.json" not in members:
        return
    table = json.loads(members["session.json"])
    arrays = _arrays(members["present.npz"])
    event = random.choice((0, 1, 1000, 60_000_000, 2**33, 2**40, 2**62))
    arrays["number"][random.choice((0, 0, 0, 1))] = event
    table["event"] = event if random.random() < 0.8 else table["event"]
    table["substep"] = random.choice((0, 0, table["substep"], 5, 10**6, 2**34))
    if random.random() < 0.3:
        arrays["clock"][0] = random.choice((1e6, 1e15, 1e300))
    members["session.json"] = json.dumps(table).encode()
    members["present.npz"] = packed(arrays)
    _sign(members, arrays, system)


DAMAGE = (
    _place,
    _place,
    _text,
    _member,
    _values,
    _values,
    _values,
    _values,
    _values,
    _form,
    _growing,
    _bomb,
    _samples,
    _far,
)


def _arrays(data: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return dict(arrays)


def _sign(members: Members, arrays: dict[str, np.ndarray], system: str) -> None:
    """Compute the digest of the present state again."""
    try:
        present = _arrays(members["present.npz"])
        table = json.loads(members["session.json"])
        state = kind_named(system).spec.state
        table["digest"] = digest(from_arrays(state, present))
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile):
        return
    members["session.json"] = json.dumps(table).encode()
