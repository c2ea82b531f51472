"""``slotscope verify``: runs two engines side by side, and checks every invariant after every event."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from slotscope.model.api import Session
from slotscope.model.cli.output import Progress, print_json, progress_of
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Advance, Engine, EventRun, Task, started
from slotscope.model.systems.state import copied, differences, digest

#: The most sentences kept, as an invalid state violates many invariants at every event.
MOST_SENTENCES = 100


@dataclass
class Verification:
    """The result of a verification."""

    scenario: str
    policy: str
    seed: int
    engines: tuple[str, str]
    events: int = 0
    agree: bool = True
    violations: list[str] = field(default_factory=list)
    digest: str = ""

    @property
    def sound(self) -> bool:
        """Whether both engines agree and every invariant holds."""
        return self.agree and not self.violations


def execute(options: argparse.Namespace) -> int:
    """Compare, check and print; the exit code is 1 if anything is wrong."""
    with progress_of(f"verify {options.scenario}", quiet=options.json) as progress:
        session = Session.open(options.scenario, options.policy, options.seed, tuple(options.trace), kernel=False)
        outcome = compare(session, options.events, progress)
    if options.json:
        print_json(vars(outcome))
    else:
        print(_text(outcome))
    return 0 if outcome.sound else 1


def compare(session: Session, events: int, progress: Progress) -> Verification:
    """Run at most *events* events on the reference and on a second engine.

    The second engine is the policy's compiled twin, or, if it has none, another run of its reference.  The
    comparison ends at the first disagreement.
    """
    bench = session.bench
    progress.say("preparing")
    other = bench.kernel(checked=events) if bench.has_kernel else bench.reference
    info = session.info
    outcome = Verification(info.scenario_name, info.origin.policy, info.seed, (bench.reference.name, other.name))
    _one_event(other, started(bench.runs), bench.system.row_dtype)  # compiles, so that progress is not distorted
    mine, theirs = started(bench.runs), started(bench.runs)
    _check(bench, mine, outcome)
    progress(0, events)
    while outcome.events < events and outcome.agree:
        if bench.runs.next_event(mine) is None:
            break
        before = copied(mine)
        run = EventRun(bench.runs, mine)
        run.finish()
        result = _one_event(other, theirs, bench.system.row_dtype)
        mine, theirs = run.state, result.state
        outcome.events += 1
        if result.fault is None:
            _agree(mine, theirs, outcome)
        else:
            outcome.agree = False
            outcome.violations.append(result.fault.line)
        _check(bench, mine, outcome, before)
        progress(outcome.events, events)
    outcome.digest = digest(mine)
    return outcome


def _one_event(engine: Engine, state: Any, row_dtype: np.dtype[Any]) -> Advance:
    return engine.advance(state, np.zeros(1, row_dtype), Task())


def _agree(mine: Any, theirs: Any, outcome: Verification) -> None:
    if parts := differences(mine, theirs):
        outcome.agree = False
        outcome.violations.append(
            f"event {outcome.events}: {outcome.engines[0]} has the digest {digest(mine)}, "
            f"{outcome.engines[1]} {digest(theirs)}; they differ in {', '.join(parts)}"
        )


def _check(bench: Bench, state: Any, outcome: Verification, before: Any = None) -> None:
    for sentence in bench.violations(state, before):
        if len(outcome.violations) < MOST_SENTENCES:
            outcome.violations.append(f"event {outcome.events}: {sentence}")


def _text(outcome: Verification) -> str:
    first, second = outcome.engines
    other = f"and {second}" if first != second else "run twice (no compiled twin)"
    verdict = "agree" if outcome.agree else "DISAGREE"
    broken = len(outcome.violations)
    return "\n".join(
        [
            f"{outcome.scenario} under {outcome.policy}, seed {outcome.seed}: {outcome.events} events",
            f"{first} {other}: {verdict} after every event, digest {outcome.digest}",
            f"invariants: {'all hold' if not broken else f'{broken} broken'}",
            *outcome.violations,
        ]
    )
