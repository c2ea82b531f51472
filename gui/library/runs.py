"""``slotscope.open``: a run to step through, query, fork, measure and draw."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from slotscope.checked import Count, Pixels, Seed, Time, TimeOrStart, checked
from slotscope.model.api import Session
from slotscope.model.cli.ask import hits_table
from slotscope.model.comparison.companion import forked
from slotscope.model.errors import UserError
from slotscope.model.forks.changes import Deviation
from slotscope.model.measures.metrics import Estimate
from slotscope.model.questions.asking import answers, make_ready
from slotscope.model.questions.columns import events_table, samples_table
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words
from slotscope.model.reporting.data_tables import DataTable
from slotscope.pictures import Picture, panel_picture


class Run:
    """A run of a scenario under a policy: its current moment, its history, and tables and pictures of it.

    Attributes
    ----------
    session:
        The :class:`slotscope.model.api.Session` that the window drives, too; it has all that this class leaves out.
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    def __repr__(self) -> str:
        info = self.session.info
        place = f"{self.event}.{self.substep}" if self.substep else f"{self.event}"
        name = info.scenario_name or "an edited scenario"
        return f"<Run of {name} under {info.origin.policy}, seed {info.seed}: event {place}, time {self.time:.6g}>"

    # The current moment.

    @property
    def event(self) -> int:
        """Number of events so far; an event in progress does not count."""
        return self.session.timeline.event

    @property
    def substep(self) -> int:
        """Number of sub-steps taken of the event in progress; 0 between events."""
        return self.session.timeline.substep

    @property
    def time(self) -> float:
        """The time of the last event."""
        return self.session.timeline.time

    @property
    def state(self) -> Any:
        """An independent copy of the exact state, a tuple of NumPy arrays."""
        return self.session.timeline.fork_at(self.event)

    @property
    def last_sentence(self) -> str:
        """The log's sentence of the last event; empty at the start."""
        line = self.session.timeline
        rows = line.rows(self.event, self.event) if self.event > line.first_event else ()
        return "".join(self.session.info.narrator.row(row) for row in rows)

    @property
    def opening_line(self) -> str:
        """The command that opens this moment in a window on any machine; empty for an edited or forked run."""
        return self.session.info.opening_line(self.event)

    # Moving.

    @checked
    def run(self, events: Count | None = None, until: float = np.inf) -> Run:
        """Run a number of *events*, or *until* a time.

        Raises
        ------
        UserError
            If neither is given: a run has no end of its own.
        """
        if events is None and not np.isfinite(until):
            raise UserError("found neither events nor until, allowed: at least one of them")
        self.session.run(events=events, until=until)
        return self

    def step(self, into: bool = False) -> Run:
        """Advance by one event; with *into*, by one sub-step of the policy's decision."""
        if into:
            self.session.step_into()
        else:
            self.session.step()
        return self

    def step_back(self, into: bool = False) -> Run:
        """Go back by one event; with *into*, by one sub-step."""
        if into:
            self.session.step_back_into()
        else:
            self.session.step_back()
        return self

    @checked
    def seek(self, event: Count, substep: Count = 0) -> Run:
        """Go to the state after *event* events and *substep* sub-steps, forwards or backwards; digests are the same."""
        self.session.seek(event, substep)
        return self

    @checked
    def fork(self, policy: str = "", decision: str = "") -> Run:
        """A new run with this run's past and jobs, which differs in one respect from here on.

        Either another policy takes over, such as ``"dra:reservation_factor=20"``, or the next event is decided
        differently, such as ``decision="server=3"``.

        Raises
        ------
        UserError
            If neither is given, that policy cannot take over here, or the decision is impossible.
        """
        if not policy and not decision:
            raise UserError("found neither policy nor decision, allowed: one of them")
        change = Deviation(self.session.timeline.event, policy, decision)
        return Run(forked(self.session, change, self.session.compiled))

    @checked
    def save(self, path: str | Path) -> None:
        """Write a session file (``.slotscope``), which the window and the command line open at this moment.

        Raises
        ------
        UserError
            If the file cannot be written, or has another suffix.
        """
        self.session.save(Path(path))

    # Questions.

    @checked
    def ask(self, question: str, events: Count | None = None) -> DataTable:
        """The events at which a question holds: all so far, or only among the first *events* of the run.

        Raises
        ------
        UserError
            If the question cannot be parsed; the message says where.
        """
        session, line = self.session, self.session.timeline
        words = self._words
        asked = understood(question, words)
        last = line.live_end if events is None else line.first_event + events
        make_ready(session.bench, line, [asked])
        parts = answers(session.bench.system, line, [asked], line.first_event, last)
        hits = [part.hits(0) for part in parts]
        rows = np.concatenate(hits) if hits else np.zeros(0, session.bench.system.row_dtype)
        return hits_table(session, asked, rows, words)

    @checked
    def events(self, first: Count = 1, last: Count | None = None) -> DataTable:
        """One row per event of history from *first* to *last*, both included; by default all so far."""
        line = self.session.timeline
        return events_table(self._words, line.rows(first, line.live_end if last is None else last))

    @property
    def samples(self) -> DataTable:
        """The state after sampled events of history; the sampling step grows with its length."""
        return samples_table(self._words, self.session.timeline.samples.table)

    @checked
    def measure(self, until: Time, warmup: TimeOrStart) -> dict[str, Estimate]:
        """Run to *until*; returns the measures over [warmup, until], with half-widths of 95 % intervals.

        Raises
        ------
        UserError
            If the run is past *warmup* already.
        """
        return self.session.measure(until, warmup)

    # Pictures.

    @checked
    def show(
        self,
        event: Count | str | None = None,
        panel: str = "",
        size: tuple[Pixels, Pixels] = (900, 520),
        theme: Literal["light", "dark"] = "light",
    ) -> Picture:
        """A picture of a panel after *event* events; by default of the servers, at this moment.

        The run does not move.  The name of a panel, such as ``"decisions"``, may be the only argument.

        Raises
        ------
        UserError
            If this kind of system has no such panel, or the run does not reach that event.
        """
        if isinstance(event, str):
            return self.show(None, event, size, theme)
        if event is None:
            return panel_picture(self.session.frame(), panel, size, theme)
        here = self.event, self.session.timeline.substep
        try:
            return self.seek(event).show(None, panel, size, theme)
        finally:
            self.seek(*here)

    def _repr_svg_(self) -> str:
        """In notebooks a run is shown as its picture of servers."""
        return self.show()._repr_svg_()

    @property
    def _words(self) -> Words:
        return Words(self.session.bench.kind.vocabulary, self.session.bench.system)


@checked
def open(
    scenario: str | Path,
    policy: str | None = None,
    seed: Seed | None = None,
    trace: tuple[str, ...] = (),
    *,
    compiled: bool = True,
) -> Run:
    """Open a built-in scenario, a scenario file or a session file.

    Parameters
    ----------
    policy:
        A name, with parameters that replace the scenario's, such as ``"dra:g=20"``, or the path of a Python file; by
        default the scenario's policy.
    seed:
        By default the scenario's.
    trace:
        Files of a recorded workload.
    compiled:
        Whether to run the policy's compiled twin if there is one.

    Raises
    ------
    UserError
        If the scenario, the policy or the trace is invalid; one line that says why.
    """
    if str(scenario).endswith(".slotscope"):
        return Run(Session.load(Path(scenario), kernel=compiled))
    return Run(Session.open(str(scenario), policy, seed, trace, kernel=compiled))
