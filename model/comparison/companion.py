"""What-if runs: another policy on the jobs of a run, from the start or from where it branches off."""

from __future__ import annotations

from dataclasses import replace
from typing import Sequence

from slotscope.model.api import Session
from slotscope.model.errors import PolicyError, ScenarioError
from slotscope.model.forks.changes import Course, Deviation
from slotscope.model.phrase import Phrase
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, Reason
from slotscope.model.running.origin import Origin
from slotscope.model.running.waiting import share_of, who_waits
from slotscope.model.systems.state import copied


def caught_up(session: Session, time: float) -> None:
    """Run a session up to *time*, starting from the latest state that it has reached.

    Raises GivenUpError if the user stops waiting; the session then stands as far as it got.
    """
    if session.timeline.extent().live_end_time >= time:
        return
    session.to_live_end()
    start = session.timeline.time
    while session.run(until=time, budget=0.0) is Reason.LIMIT:
        catching_up = Phrase("{policy}: catching up", policy=session.info.policy_title)
        who_waits().look(catching_up, share_of(session.timeline.time, start, time))


def companion(session: Session, policy: str, kernel: bool = True) -> Session:
    """A new session with the jobs of a run, under another policy.

    It stands at the start of history.  If both policies are the same at first (:mod:`model.forks.changes`), it
    shares the run's past instead, and stands at the event where the policies part, or else where the run stands.
    Raises UserError if the policy is unknown, or cannot run from there.
    """
    root, system = session.bench.root, session.bench.system
    try:
        bench = assemble(root.scenario, policy, None, system.workload)
    except (ScenarioError, PolicyError) as error:
        raise error.inside(f"'{policy}'") from None
    bench = replace(bench, report=session.bench.report)
    source = session.origin
    origin = Origin(source.source, policy, source.seed, source.trace)
    past, state = session.timeline, None
    parting = Course.read(source.policy).parting(Course.read(policy))
    shares = parting is None or parting > past.first_event
    if past.first_event:  # the history starts with jobs in service, which stay
        state = copied(past.first_state)
        state = state if shares else bench.root.system.take_over(root.system, state)
    bench.rename_jobs(system.initial_jobs, system.job_names())
    other = Session(bench, session.name, state, origin)
    other.continues, other.forks = session.continues, session.forks
    if kernel:
        other.use_kernel()
    if shares:
        other.timeline.share(past, parting)
        other.seek(past.event if parting is None else min(parting, past.live_end))
    return other


def policies_beside(lanes: Sequence[Session], session: Session) -> list[str]:
    """The policies of further *lanes* that can also run beside *session*; forks cannot, as they belong to their run."""
    return [
        lane.origin.policy
        for lane in lanes[1:]
        if lane.origin.policy != session.origin.policy
        and lane.info.system == session.info.system
        and not Course.read(lane.origin.policy).changes
    ]


def forked(session: Session, change: Deviation, kernel: bool = True) -> Session:
    """A new session with the past and the jobs of a run, with one deviation from it.

    Raises UserError if the policy cannot run on from there, or the decision is impossible.
    """
    other = companion(session, f"{session.origin.policy}{change}", kernel)
    other.seek(change.event)
    if other.timeline.next_event is not None:
        EventRun(other.bench.runs, copied(other.timeline.state)).finish()
    elif change.decision:
        raise PolicyError(f"nothing happens after event {change.event}; there is nothing to decide otherwise")
    session.forks.add(other.origin.policy)
    return other
