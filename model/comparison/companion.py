"""Another policy on the jobs of a run: a session that starts where the run's history starts."""

from __future__ import annotations

from dataclasses import replace

from slotscope.model.api import Session
from slotscope.model.assembly import assemble
from slotscope.model.engine import Reason
from slotscope.model.errors import PolicyError, ScenarioError
from slotscope.model.origin import Origin
from slotscope.model.state import copied
from slotscope.model.waiting import share_of, who_waits


def caught_up(session: Session, time: float) -> None:
    """Run a session up to *time*, from as near as it was there before.

    Raises
    ------
    GivenUpError
        If whoever waits has had enough; the session stands as far as it came.
    """
    if session.timeline.extent().live_end_time >= time:
        return
    session.to_live_end()
    start = session.timeline.time
    while session.run(until=time, budget=0.0) is Reason.LIMIT:
        who_waits().look(f"{session.info.policy_title}: catching up", share_of(session.timeline.time, start, time))


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
