"""Commands for forks, carried out by the worker, and the possible decisions at the current moment."""

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
    """What can be changed from the current moment on."""

    event: int  #: the number of events so far
    following: str  #: the next event, in words; empty if there is none
    choices: tuple[Choice, ...]  #: the possible decisions of that event
    policies: tuple[str, ...]  #: the names of the policies that could continue the run
    policy: str  #: the name of the present policy
    forks: tuple[Fork, ...]  #: all forks
    shown: tuple[str, ...]  #: the policy texts of the lanes that run now
    fault: str = ""  #: why the last command of *What if* was refused; faults of other commands are left out


def answered(worker: RunWorker, command: Callable[[RunWorker], None]) -> None:
    """Carry out a command of *What if*; if it is refused, send the reason to that dialog, too.

    Raises UserError if the command is refused.
    """
    try:
        command(worker)
    except GivenUpError:
        raise
    except UserError as error:
        offer(worker, brief_line(error))
        raise


def offer(worker: RunWorker, fault: str = "") -> None:
    """Emit a :class:`ForkOffer` for the current moment of the followed run."""
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
    """The lane that *step into* follows: forks branch off it unless another lane is named."""
    run = worker.present
    return run.sessions[run.followed] if isinstance(run, Comparison) else run


def fork_edited(worker: RunWorker, data: Mapping[str, Any]) -> None:
    """Fork the run with an edited scenario, shown beside the original run.

    Raises UserError if nothing was edited, or if the same jobs are meaningless in the edited scenario.
    """
    scenario = _followed(worker).bench.scenario
    wanted = parse_scenario(data)
    if wanted.model_copy(update={"policy": scenario.policy}) == scenario:
        fork(worker, policy=choice_text(wanted.policy))
    else:
        fork(worker, edits=edits_between(as_data(scenario), as_data(wanted)))


def fork(worker: RunWorker, decision: str = "", policy: str = "", edits: str = "", lane: int | None = None) -> None:
    """Fork the run of *lane* (None: the followed one) with one change from here on, and show it beside that run.

    The run itself is unchanged.  Raises UserError if the change is impossible.
    """
    session = _followed(worker) if lane is None else worker.lane(lane)
    policy = policy and seen_from(session.info.policy_name, policy)
    change = Deviation(session.timeline.event, policy, decision, edits)
    _show_beside(worker, session, forked(session, change, session.compiled))


def go_to_fork(worker: RunWorker, text: str) -> None:
    """Show a fork, beside its parent, at the event where they part; the root run is shown alone.

    Raises UserError if the fork cannot run.
    """
    session, course = worker.lane(0), Course.read(text)
    if not course.changes:
        worker.exchange(companion(session, text, session.compiled), tr("Back in"))
        return
    if [lane.origin.policy for lane in lanes_of(worker.present)] == [str(course.left), text]:
        worker.walk(lambda run: run.seek(course.changes[-1].event))  # it is shown already: keep its later events
        return
    left = companion(session, str(course.left), session.compiled)
    other = companion(left, text, session.compiled)
    for one in (left, other):
        one.seek(course.changes[-1].event)
    _show_beside(worker, left, other)


def go_back(worker: RunWorker) -> None:
    """Go back to the run that was replaced; once more, to the one that replaced it.

    If none was replaced, as after opening a saved session, go to the parent of the fork on the screen. Raises
    UserError if there is neither.
    """
    run = worker.session
    course = Course.read(run.sessions[-1].origin.policy) if isinstance(run, Comparison) else None
    if worker.replaced is None and course is not None and course.changes:
        go_to_fork(worker, str(course.left))
    else:
        worker.go_back()
        for lane in lanes_of(worker.present):
            worker.lane(0).forks.add(lane.origin.policy)  # in case the fork was removed meanwhile


def _show_beside(worker: RunWorker, left: Session, other: Session) -> None:
    event = left.timeline.event
    twin = companion(left, left.origin.policy, left.compiled)
    done = tr("Forked after event {event}:").format(event=event)
    worker.exchange(Comparison.of([twin, other]), done, aside=not _untouched(worker.present))


def _untouched(run: Run) -> bool:
    """Whether the run is a fork beside its parent that has no events of its own yet; going back skips such a run."""
    if not isinstance(run, Comparison):
        return False
    fork = run.sessions[-1]
    changes = Course.read(fork.origin.policy).changes
    return bool(changes) and fork.timeline.live_end == changes[-1].event


def rename(worker: RunWorker, text: str, name: str) -> None:
    """Rename a fork wherever it is shown."""
    run = worker.present
    lanes_of(run)[0].forks.rename(text, name)
    if isinstance(run, Comparison):
        worker.compared.emit(lanes_shown(run))
        worker.refresh()
    offer(worker)


def remove(worker: RunWorker, text: str) -> None:
    """Remove a fork and all forks of it; if one of them is shown, go back to the run that the removed fork left.

    Raises UserError if it is not a fork.
    """
    course = Course.read(text)
    if not course.changes:
        raise UserError("this is the run that forks leave; it cannot be removed")
    shown = [Course.read(lane.origin.policy) for lane in lanes_of(worker.present)]
    if any((one.policy, one.changes[: len(course.changes)]) == (course.policy, course.changes) for one in shown):
        go_to_fork(worker, str(course.left))
    worker.lane(0).forks.remove(text)
    offer(worker)
