"""Translates the window's commands for the run into commands to the worker."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator

from PySide6.QtCore import QObject

from slotscope.gui.intents import ApplyScenario, Ask, AskWhy, Follow, Inspect
from slotscope.gui.language.words import line_of, tr
from slotscope.gui.running import forks
from slotscope.gui.running.drive import COMES_NEXT
from slotscope.gui.running.goals import Goal
from slotscope.gui.running.pace import Pace
from slotscope.gui.running.worker import RunWorker
from slotscope.model.api import Session
from slotscope.model.comparison.companion import policies_beside
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.file import load_run, save_run
from slotscope.model.comparison.runs import Run, check_kind, lanes_of, lanes_shown, stand_at
from slotscope.model.errors import UserError
from slotscope.model.questions.columns import write_events
from slotscope.model.reporting.explain import grouped
from slotscope.model.running.origin import Moment
from slotscope.model.scenario.load import parse_scenario, write_scenario


class RunControl(QObject):
    """Translates commands; holds no state of the run."""

    def __init__(self, worker: RunWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker

    def commands(self) -> dict[str, Callable[[], object]]:
        """The handlers of actions that need no further input, by the action's name."""
        return {
            "run": self.run_or_pause,
            "step": self.step,
            "into": self.step_into,
            "out": self.step_out,
            "step_back": self.step_back,
            "back_into": self.step_back_into,
            "to_start": self.to_start,
            "to_live_end": self.to_live_end,
            "go_back": self.go_back,
            "express": self.express,
            "next_hit": self.to_next_hit,
            "previous_hit": self.to_previous_hit,
            "first_hit": self.to_first_hit,
        }

    # Opening.

    def open(
        self,
        scenario: str,
        policy: str | None = None,
        seed: int | None = None,
        moment: Moment | None = None,
        trace: tuple[str, ...] = (),
        beside: tuple[str, ...] = (),
        running: bool = False,
        told: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Open a scenario by name or path, with other policies *beside* it, and stand at a moment or run.

        The scenario's own policy and seed apply unless others are given; choices made for the previous run do not.
        If it cannot stand at the moment, the reason is shown and passed to *told*.
        """

        def command(worker: RunWorker) -> None:
            session = worker.open(scenario, policy=policy, seed=seed, trace=trace)
            run = Comparison.beside(session, beside, kernel=False) if beside else session
            worker.exchange(run)
            if moment is not None:  # after the start is shown: the way there may be long
                worker.post(lambda worker: worker.walk(lambda run: _standing(run, moment, told)))
            if running:
                worker.run(Goal())

        self._worker.post_instead(command)

    def run_again(self, policy: str, seed: int, running: bool = False) -> None:
        """Open the current scenario, edits included, under another policy or seed; stand at its start, or run.

        Policies of a comparison are kept.
        """

        def command(worker: RunWorker) -> None:
            current = worker.present
            origin = current.origin
            session = worker.open(
                current.bench.scenario, policy=policy, seed=seed, trace=origin.trace, source=origin.source
            )
            session.rename(current.name)
            worker.exchange(_with_lanes(worker, session))
            if running:
                worker.run(Goal())

        self._worker.post_instead(command)

    def go_back(self) -> None:
        """Go back to the replaced run, or to the parent of the fork shown; once more, to the run that replaced it."""
        self._worker.post_instead(forks.go_back)

    def open_session(self, path: Path) -> None:
        """Open a saved session."""

        def command(worker: RunWorker) -> None:
            worker.begin_opening(path.name)
            worker.exchange(load_run(path, kernel=False))

        self._worker.post_instead(command)

    def apply(self, wish: ApplyScenario) -> None:
        """Run an edited scenario: from the start, on from here, or as a fork beside the present run with its jobs."""

        def command(worker: RunWorker) -> None:
            with _refusals(wish.refused):
                if wish.beside:
                    forks.fork_edited(worker, wish.data)
                    return
                scenario, current = parse_scenario(wish.data), worker.present
                run = current.continued(scenario) if wish.carry_on else _with_lanes(worker, worker.open(scenario))
                run.rename(current.name)
                worker.exchange(run)

        self._worker.post_instead(command)

    def reload_policies(self) -> None:
        """Reload users' policies from their files and replay to where the run was.

        If a file cannot be loaded, the run stays as it is.  If a policy fails during the replay, the run stops there,
        and is replayed to its old place once the file is mended.
        """

        def command(worker: RunWorker) -> None:
            run = worker.session
            if run is None:
                return
            lanes = lanes_of(run)
            fresh = [session.reloaded() for session in lanes]
            worker.policy_refused.emit("")
            if all(one is other for one, other in zip(lanes, fresh, strict=True)):
                return
            event, substep = _under_study(worker, run)
            session = fresh[0] if len(fresh) == 1 else Comparison.of(fresh)
            worker.adopt(session)
            note = tr("{policy}: loaded again, replayed to event {event}.")
            note = note.format(policy=session.info.policy_title, event=event)
            worker.run(Goal(event, express=True, replay=True, substep=substep, note=note))

        self._worker.post(command)

    def save(self, path: Path, layout: str) -> None:
        """Save the session, with the window's layout."""

        def command(worker: RunWorker) -> None:
            if worker.session is not None:
                lanes_of(worker.session)[0].breakpoints = worker.breakpoints.listed().entries
                save_run(worker.session, path, layout)
                worker.tell(tr("Session saved as {path}").format(path=path))

        self._worker.post(command)

    def save_scenario(self, path: Path) -> None:
        """Save the scenario as TOML."""

        def command(worker: RunWorker) -> None:
            if worker.session is not None:
                write_scenario(path, worker.session.bench.scenario)
                worker.tell(tr("Scenario saved as {path}").format(path=path))

        self._worker.post(command)

    def export(self, path: Path) -> None:
        """Write all events so far, of every policy that runs, to a table."""

        def command(worker: RunWorker) -> None:
            if worker.session is not None:
                names = [label for label, _ in lanes_shown(worker.session)] or [""]
                count = write_events(path, dict(zip(names, lanes_of(worker.session), strict=True)))
                worker.tell(tr("{count} events written to {path}").format(count=grouped(count), path=path))

        self._worker.post(command)

    def watch(self, wanted: Inspect | Follow | Ask) -> None:
        """Search all history for what happened to a thing, or for where a question or an expression holds."""
        self._worker.post(lambda worker: worker.watch(wanted))

    def ask_why(self, wanted: AskWhy, lane: int) -> None:
        """Explain a decision of a policy, and search for the smallest change that would have flipped it."""

        def command(worker: RunWorker) -> None:
            session = worker.lane(lane)
            session.answer = None
            if not wanted.over:
                worker.drive.running = False
                session.begin_why(wanted.thing, wanted.event)
                worker.post(partial(_search_flip, session))  # after the answer is shown: the search may be long
            worker.refresh()

        self._worker.post_instead(command)

    def to_next_hit(self) -> None:
        """Go to just before the next event at which the question holds, not counting the very next event."""

        def find(lane: Session, alone: bool) -> int:
            if alone:  # then searching and running are one pass
                lane.step()
            return lane.questions.next_after(lane.timeline.event + (not alone), along=alone)

        self._to_hit(find)

    def to_previous_hit(self) -> None:
        """Go to just before the previous event at which the question holds."""
        self._to_hit(lambda lane, _: lane.questions.last_before(lane.timeline.event))

    def to_first_hit(self) -> None:
        """Go to just before the first event at which the question holds, even if the run has not come that far."""
        self._to_hit(lambda lane, _: lane.questions.next_after(lane.timeline.first_event))

    def _to_hit(self, find: Callable[[Session, bool], int]) -> None:
        """Go to just before the event that *find* returns for the first lane; if there is none, stay."""

        def command(worker: RunWorker) -> None:
            lane, *beside = lanes_of(worker.present)
            event, substep = lane.timeline.event, lane.timeline.substep
            try:
                found = find(lane, not beside)
            except UserError:
                lane.seek(event, substep)
                raise
            _leap(worker, lambda run: run.seek(found - 1), tr("The question holds at the next event."))

        self._worker.post_instead(command)

    # Running.

    def run(self, goal: Goal | None = None) -> None:
        """Run on until a goal; without one, endlessly."""
        self._worker.post(lambda worker: worker.run(goal or Goal()))

    def pause(self) -> None:
        """Stop the run and any long task."""
        self._worker.cancel()

    @property
    def goes_on(self) -> bool:
        """Whether there is something to stop: the run, also one without drawing, or another long task."""
        return self._worker.busy or self._worker.drive.running

    def run_or_pause(self) -> None:
        """Handle the space bar: stop the run and other long tasks, or run; while a run is being opened, run it then."""
        if self._worker.opening:
            self.run()
        elif self.goes_on:
            self.pause()
        else:
            self._worker.post(lambda worker: worker.pause() if worker.drive.running else worker.run(Goal()))

    def express(self) -> None:
        """Run without drawing until stopped."""
        self.run(Goal(express=True))

    def run_until(self, event: int | None = None, time: float | None = None, kind: str | None = None) -> None:
        """Run on until an event, a time, or an event of a kind."""
        self.run(Goal(event, float("inf") if time is None else time, kind, express=True))

    def set_pace(self, pace: Pace) -> None:
        """Change the pace."""
        self._worker.post(lambda worker: worker.set_pace(pace))

    # Stepping.

    def step(self) -> None:
        """Take one event forwards."""
        self._worker.post(lambda worker: worker.walk(lambda run: run.step()))

    def step_into(self) -> None:
        """Take one sub-step forwards."""
        self._worker.post(lambda worker: worker.walk(lambda run: run.step_into()))

    def step_out(self) -> None:
        """Finish the event that was stepped into; does nothing between events."""
        self._worker.post(lambda worker: worker.walk(lambda run: run.step_out()))

    def step_back(self) -> None:
        """Go one event back."""
        self._worker.post(lambda worker: worker.walk(lambda run: run.step_back()))

    def step_back_into(self) -> None:
        """Go one sub-step back."""
        self._worker.post(lambda worker: worker.walk(lambda run: run.step_back_into()))

    def go_to(self, event: int, substep: int = 0) -> None:
        """Go to the moment after an event, and *substep* sub-steps into the next."""

        def command(worker: RunWorker) -> None:
            if abs(event - worker.present.timeline.event) > 1:
                worker.leapt.emit()
            worker.walk(lambda run: run.seek(event, substep))

        self._worker.post_instead(command)

    def back_to(self, kind: str) -> None:
        """Go to just before the previous event of a kind."""

        def command(worker: RunWorker) -> None:
            check_kind(worker.present, kind)
            worker.walk(lambda session: session.back_to(kind), tr(COMES_NEXT).format(kind=kind))

        self._worker.post(command)

    def to_start(self) -> None:
        """Go back to the start."""
        self._worker.post_instead(lambda worker: _leap(worker, lambda run: run.to_start()))

    def to_live_end(self) -> None:
        """Go to the last event ever reached."""
        self._worker.post_instead(lambda worker: _leap(worker, lambda run: run.to_live_end()))

    # Breakpoints.

    def toggle_breakpoint(self, what: int | str) -> None:
        """Set or clear a breakpoint just before an event, or where a monitor is violated."""
        self._break(lambda worker: worker.breakpoints.toggle(what))

    def switch_breakpoint(self, what: int | str, on: bool) -> None:
        """Enable or disable a breakpoint without removing it."""
        self._break(lambda worker: worker.breakpoints.switch(what, on))

    def break_here(self) -> None:
        """Set or clear a breakpoint before the next event."""
        self._break(lambda worker: worker.breakpoints.toggle(worker.present.timeline.event + 1))

    def break_where(self, text: str, times: int = 1) -> None:
        """Set a conditional breakpoint, see :meth:`Breakpoints.add`."""
        self._break(lambda worker: worker.breakpoints.add(text, times))

    def remove_breakpoint(self, what: int | str) -> None:
        self._break(lambda worker: worker.breakpoints.remove(what))

    def clear_breakpoints(self) -> None:
        self._break(lambda worker: worker.breakpoints.clear())

    def list_breakpoints(self) -> None:
        """Have the worker emit the list of breakpoints."""
        self._break(_nothing)

    def _break(self, change: Callable[[RunWorker], None]) -> None:
        """Change the breakpoints, and have the worker emit their list, with the reason if the change was refused."""

        def command(worker: RunWorker) -> None:
            fault = ""
            try:
                change(worker)
            except UserError as error:
                fault = error.line
            worker.tell_breakpoints(fault)
            worker.refresh()

        self._worker.post(command)


def _nothing(_: RunWorker) -> None:
    pass


def _leap(worker: RunWorker, step: Callable[[Run], Any], note: str = "") -> None:
    """Pause and go to a moment that need not be adjacent."""
    worker.leapt.emit()
    worker.walk(step, note)


def _with_lanes(worker: RunWorker, session: Session) -> Run:
    """A session together with the other policies of the current comparison, if there is one."""
    run = worker.session
    if not isinstance(run, Comparison):
        return session
    beside = policies_beside(run.sessions, session)
    return Comparison.beside(session, beside, kernel=False) if beside else session


def _under_study(worker: RunWorker, run: Run) -> tuple[int, int]:
    """Where the run stands, or, while a replay to an earlier place is unfinished or has failed, that place."""
    goal, line = worker.drive.goal, run.timeline
    if goal.replay and goal.event is not None and goal.event > line.event:
        return goal.event, goal.substep
    return line.event, line.substep


def _search_flip(session: Session, worker: RunWorker) -> None:
    try:
        session.search_flip()
    finally:
        worker.refresh()


@contextmanager
def _refusals(told: Callable[[str], object]) -> Iterator[None]:
    """A context that also passes the reason of a refusal to *told*."""
    try:
        yield
    except UserError as error:
        told(line_of(error))
        raise


def _standing(run: Run, moment: Moment, told: Callable[[str], object]) -> str | None:
    """Go to a moment; returns what is to be said of it, and passes that to *told* as well."""
    with _refusals(told):
        said = stand_at(run, moment)
    if said:
        told(said)
    return said
