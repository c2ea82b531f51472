"""What the window asks of forks: commands to the worker, and what can be decided otherwise here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping

from slotscope.gui.language.words import tr
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.widgets.fault_words import brief_line
from slotscope.model.api import Session
from slotscope.model.comparison.companion import companion, forked
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import Run, lanes_of, lanes_shown
from slotscope.model.errors import UserError
from slotscope.model.forks.changes import Choice, Course, Deviation, edits_between
from slotscope.model.forks.tree import Fork
from slotscope.model.policies import policy_titles
from slotscope.model.policies.choice import choice_text, seen_from
from slotscope.model.running.waiting import GivenUpError
from slotscope.model.scenario.load import as_data, parse_scenario


@dataclass(frozen=True)
class ForkOffer:
    """What can go otherwise from here on."""

    event: int  #: after how many events
    following: str  #: what happens next, in words; empty where nothing does
    choices: tuple[Choice, ...]  #: what can be decided of that
    policies: tuple[str, ...]  #: the policies that could go on, by name
    policy: str  #: the one that goes on
    forks: tuple[Fork, ...]  #: all forks that there are
    shown: tuple[str, ...]  #: the texts of those that run now
    fault: str = ""  #: what is wrong with what was asked for last; other commands' faults are none of it


def answered(worker: RunWorker, command: Callable[[RunWorker], None]) -> None:
    """Carry out what *What if* asks for, and tell it, too, where that cannot be done.

    Raises UserError if it cannot be.
    """
    try:
        command(worker)
    except GivenUpError:
        raise
    except UserError as error:
        offer(worker, brief_line(error))
        raise


def offer(worker: RunWorker, fault: str = "") -> None:
    """Tell what can go otherwise where the followed run stands."""
    session, line = _followed(worker), _followed(worker).timeline
    following = line.next_event
    worker.forks_told.emit(
        ForkOffer(
            line.event,
            "" if following is None else session.info.narrator.event(following),
            session.bench.at(line.event).system.choices(line.state),
            tuple(name for name, _ in policy_titles(session.info.system)),
            session.info.policy_name,
            session.forks.entries(),
            tuple(lane.origin.policy for lane in lanes_of(worker.present)),
            fault,
        )
    )


def _followed(worker: RunWorker) -> Session:
    """The run that is stepped into, which a fork leaves unless another is named."""
    run = worker.present
    return run.sessions[run.followed] if isinstance(run, Comparison) else run


def fork_edited(worker: RunWorker, data: Mapping[str, Any]) -> None:
    """Go on from here under an edited scenario, beside the run that is left.

    Raises UserError if nothing is edited, or the same jobs mean nothing under what is.
    """
    scenario = _followed(worker).bench.scenario
    wanted = parse_scenario(data)
    if wanted.model_copy(update={"policy": scenario.policy}) == scenario:
        fork(worker, policy=choice_text(wanted.policy))
    else:
        fork(worker, edits=edits_between(as_data(scenario), as_data(wanted)))


def fork(worker: RunWorker, decision: str = "", policy: str = "", edits: str = "", lane: int | None = None) -> None:
    """Let one thing go otherwise from here on, beside the run that is left, of a *lane*; that one stays as it is.

    Raises UserError if it is impossible.
    """
    session = _followed(worker) if lane is None else worker.lane(lane)
    policy = policy and seen_from(session.info.policy_name, policy)
    change = Deviation(session.timeline.event, policy, decision, edits)
    _show_beside(worker, session, forked(session, change, session.compiled))


def go_to_fork(worker: RunWorker, text: str) -> None:
    """Show a fork where it leaves its run, and beside that; the run that all leave is shown alone.

    Raises UserError if it cannot run.
    """
    session, course = worker.lane(0), Course.read(text)
    if not course.changes:
        worker.exchange(companion(session, text, session.compiled), tr("Back in"))
        return
    if [lane.origin.policy for lane in lanes_of(worker.present)] == [str(course.left), text]:
        worker.walk(lambda run: run.seek(course.changes[-1].event))  # it is shown: what came of it stays
        return
    left = companion(session, str(course.left), session.compiled)
    other = companion(left, text, session.compiled)
    for one in (left, other):
        one.seek(course.changes[-1].event)
    _show_beside(worker, left, other)


def go_back(worker: RunWorker) -> None:
    """Go back to the run that was replaced, and from there to the one that replaced it.

    Where none was, as in a saved session that was opened, to the one that the fork on the screen leaves.
    Raises UserError if there is neither.
    """
    run = worker.session
    course = Course.read(run.sessions[-1].origin.policy) if isinstance(run, Comparison) else None
    if worker.replaced is None and course is not None and course.changes:
        go_to_fork(worker, str(course.left))
    else:
        worker.go_back()
        for lane in lanes_of(worker.present):
            worker.lane(0).forks.add(lane.origin.policy)  # it may have been removed meanwhile


def _show_beside(worker: RunWorker, left: Session, other: Session) -> None:
    event = left.timeline.event
    twin = companion(left, left.origin.policy, left.compiled)
    done = tr("Forked after event {event}:").format(event=event)
    worker.exchange(Comparison.of([twin, other]), done, aside=not _untouched(worker.present))


def _untouched(run: Run) -> bool:
    """Whether it is a fork, beside what it left, that has not gone on yet: the way back leads past it."""
    if not isinstance(run, Comparison):
        return False
    fork = run.sessions[-1]
    changes = Course.read(fork.origin.policy).changes
    return bool(changes) and fork.timeline.live_end == changes[-1].event


def rename(worker: RunWorker, text: str, name: str) -> None:
    """Call a fork by a name, in all that shows it."""
    run = worker.present
    lanes_of(run)[0].forks.rename(text, name)
    if isinstance(run, Comparison):
        worker.compared.emit(lanes_shown(run))
        worker.refresh()
    offer(worker)


def remove(worker: RunWorker, text: str) -> None:
    """Forget a fork, and those that go on from it; where one of them is shown, go back to the run that it left first.

    Raises UserError if it is no fork.
    """
    course = Course.read(text)
    if not course.changes:
        raise UserError("this is the run that forks leave; it cannot be removed")
    shown = [Course.read(lane.origin.policy) for lane in lanes_of(worker.present)]
    if any((one.policy, one.changes[: len(course.changes)]) == (course.policy, course.changes) for one in shown):
        go_to_fork(worker, str(course.left))
    worker.lane(0).forks.remove(text)
    offer(worker)
