"""What every policy must fulfil: how it describes itself, and what holds in its runs."""

from __future__ import annotations

import random
import re
from importlib import import_module

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.kinds.spec import kind_named
from slotscope.model.policies import POLICIES_OF, reference_for
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.compiled import CompiledEngine
from slotscope.model.systems.state import differences, digest
from tests.contract.moments import SMALL, policies
from tests.engines import check_pieces, tape_of

EVENTS = 300

POLICY = pytest.mark.parametrize(("system", "policy"), [pytest.param(*each, id="-".join(each)) for each in policies()])

#: References to papers, and the text that peers of JRS have instead.
SOURCES = re.compile(r"\w+.* \(20\d\d\)|peer of JRS")


@pytest.fixture
def seed() -> int:
    """A random seed, named in failure messages."""
    return random.randrange(10**6)


@POLICY
def test_it_says_where_it_comes_from(system: str, policy: str) -> None:
    text = import_module(POLICIES_OF[system][policy]).__doc__ or ""
    assert SOURCES.search(text[text.index("Reference") : text.index("Implements")])
    reference = reference_for(policy, system)
    assert (reference.name, reference.system) == (policy, system)
    declared = ROOMS[system].policies[policy]
    assert (reference.title, reference.paper) == (declared.title, declared.paper)
    assert reference.title
    assert reference.pseudocode
    kept = reference.schema.model_construct()
    assert reference.schema.model_validate(kept.model_dump()) == kept


@POLICY
def test_every_state_is_sound_and_can_be_told(system: str, policy: str, seed: int) -> None:
    session = Session.open(SMALL[system], policy, seed=seed, kernel=False)
    kind = session.bench.kind
    for _ in range(EVENTS // 3):
        session.run(events=1)
        assert not kind.violations(session.bench.system, session.timeline.state), seed
    lines = {line.line for line in session.info.pseudocode} | {None}
    sentence = session.info.narrator.record
    for _ in range(60):
        session.step_into()
        for record in session.timeline.records:
            assert record.line in lines, seed
            assert sentence(record), seed
    session.seek(10)
    session.seek(session.timeline.extent().live_end)  # compares the replay with the first run


@POLICY
def test_all_kernels_are_driven_alike(system: str, policy: str) -> None:
    if (named := kind_named(system).kernels.get(policy)) is not None:
        kernel = getattr(import_module(named[0]), named[1])
        assert issubclass(kernel, CompiledEngine)
        assert kernel.advance is CompiledEngine.advance


@POLICY
def test_the_kernel_does_as_the_reference(system: str, policy: str, seed: int) -> None:
    bench = assemble(load_scenario(SMALL[system]), policy, seed)
    assert bench.has_kernel == (policy in kind_named(system).kernels)
    if not bench.has_kernel:
        pytest.skip("no compiled twin")
    tapes = [tape_of(bench, EVENTS) for _ in range(2)]
    reference, kernel = (
        engine.advance(started(bench.system), tape, Task(stride=7))
        for engine, tape in zip((bench.reference, bench.kernel()), tapes, strict=True)
    )
    assert digest(reference.state) == digest(kernel.state), (seed, differences(reference.state, kernel.state))
    assert np.array_equal(reference.samples, kernel.samples)
    check_pieces(bench, 1 + seed % 50)
