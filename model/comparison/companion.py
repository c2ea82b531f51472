"""Another policy on the jobs of a run: a session that starts where the run's history starts."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from model.api import Session
from model.assembly import assemble
from model.engine import Reason
from model.errors import PolicyError, ScenarioError
from model.origin import Origin
from model.state import copied

#: Events between two looks at the clock while a run catches up with another.
CATCH_UP = 512


def caught_up(session: Session, time: float, budget: float) -> float:
    """Run a session up to *time*; the time that it reached within *budget* seconds."""
    if session.timeline.extent().live_end_time >= time:
        return time
    deadline = monotonic() + budget
    session.to_live_end()
    while session.run(events=CATCH_UP, until=time) is Reason.LIMIT:
        if monotonic() >= deadline:
            return session.timeline.time
    return time


def companion(session: Session, policy: str, kernel: bool = True) -> Session:
    """A new session at the start of a run's history, with its jobs, under another policy.

    Raises
    ------
    UserError
        If the policy is unknown, or cannot run from there.
    """
    system = session.bench.system
    try:
        bench = assemble(session.bench.scenario, policy, None, system.workload)
    except (ScenarioError, PolicyError) as error:
        raise error.inside(f"'{policy}'") from None
    bench = replace(bench, report=session.bench.report)
    source = session.origin
    origin = Origin(source.source, policy, source.seed, source.trace)
    state = None
    if session.timeline.first_event:  # a fork: the jobs in service stay
        state = bench.system.take_over(system, copied(session.timeline.first_state))
    bench.system.rename_jobs(system.initial_jobs, system.job_names())
    other = Session(bench, session.name, state, origin)
    if kernel:
        other.use_kernel()
    return other
