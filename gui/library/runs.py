"""``slotscope.open``: a run that is walked, asked, forked, measured and looked at."""

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
    """A scenario under a policy: where it stands, its history, and tables and pictures of it.

    Attributes
    ----------
    session:
        What the window drives, too (:class:`slotscope.model.api.Session`); all that this class leaves out.
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    def __repr__(self) -> str:
        info = self.session.info
        place = f"{self.event}.{self.substep}" if self.substep else f"{self.event}"
        name = info.scenario_name or "an edited scenario"
        return f"<Run of {name} under {info.origin.policy}, seed {info.seed}: event {place}, time {self.time:.6g}>"

    # Where it stands.

    @property
    def event(self) -> int:
        """Events so far; an event in the making does not count."""
        return self.session.timeline.event

    @property
    def substep(self) -> int:
        """Sub-steps taken of the event in the making; 0 between events."""
        return self.session.timeline.substep

    @property
    def time(self) -> float:
        """Of the last event."""
        return self.session.timeline.time

    @property
    def state(self) -> Any:
        """The exact state, a tuple of NumPy arrays; a copy of one's own."""
        return self.session.timeline.fork_at(self.event)

    @property
    def last_sentence(self) -> str:
        """What happened in the last event, as the log says it; nothing at the start."""
        line = self.session.timeline
        rows = line.rows(self.event, self.event) if self.event > line.first_event else ()
        return "".join(self.session.info.narrator.row(row) for row in rows)

    @property
    def opening_line(self) -> str:
        """The command that opens this moment in a window on any machine; nothing for an edited or forked run."""
        return self.session.info.opening_line(self.event)

    # Walking.

    @checked
    def run(self, events: Count | None = None, until: float = np.inf) -> Run:
        """Run on: so many events, or until a time.

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
        """One event; *into* it: one sub-step of the policy's decision."""
        if into:
            self.session.step_into()
        else:
            self.session.step()
        return self

    def step_back(self, into: bool = False) -> Run:
        """One event back, or one sub-step."""
        if into:
            self.session.step_back_into()
        else:
            self.session.step_back()
        return self

    @checked
    def seek(self, event: Count, substep: Count = 0) -> Run:
        """Stand after so many events, before or after this one; the state there is the same, digest by digest."""
        self.session.seek(event, substep)
        return self

    @checked
    def fork(self, policy: str = "", decision: str = "") -> Run:
        """Another run with this one's past and jobs, in which one thing goes otherwise from here on.

        Either another policy goes on, such as ``"dra:reservation_factor=20"``, or the next event is
        decided otherwise, such as ``decision="server=3"``.

        Raises
        ------
        UserError
            If neither is given, that policy cannot go on from here, or the decision is impossible.
        """
        if not policy and not decision:
            raise UserError("found neither policy nor decision, allowed: one of them")
        change = Deviation(self.session.timeline.event, policy, decision)
        return Run(forked(self.session, change, self.session.compiled))

    @checked
    def save(self, path: str | Path) -> None:
        """Write a session file (``.slotscope``), which window and command line open where it stands.

        Raises
        ------
        UserError
            If the file cannot be written, or has another ending.
        """
        self.session.save(Path(path))

    # Asking.

    @checked
    def ask(self, question: str, events: Count | None = None) -> DataTable:
        """The events at which a question holds: so far, or among the first *events* of the run.

        Raises
        ------
        UserError
            If the question cannot be understood; it says where.
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
        """A row for each event of history from *first* to *last*, both included; by default all so far."""
        line = self.session.timeline
        return events_table(self._words, line.rows(first, line.live_end if last is None else last))

    @property
    def samples(self) -> DataTable:
        """The state after events of history, in steps that grow with its length."""
        return samples_table(self._words, self.session.timeline.samples.table)

    @checked
    def measure(self, until: Time, warmup: TimeOrStart) -> dict[str, Estimate]:
        """Run to *until*; the measures of [warmup, until] with the half-widths of their 95 % intervals.

        Raises
        ------
        UserError
            If the run is past *warmup* already.
        """
        return self.session.measure(until, warmup)

    # Looking.

    @checked
    def show(
        self,
        event: Count | str | None = None,
        panel: str = "",
        size: tuple[Pixels, Pixels] = (900, 520),
        theme: Literal["light", "dark"] = "light",
    ) -> Picture:
        """A panel of the window, such as ``"decisions"``, after so many events; by default the servers, at this moment.

        The run stays where it is.  A panel may also stand alone: ``show("decisions")``.

        Raises
        ------
        UserError
            If this kind of system has no such panel, or the run does not come to that event.
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
        """For notebooks: the servers."""
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
    """Open a built-in scenario, a scenario's file or a session's.

    Parameters
    ----------
    policy:
        A name, with parameters if it is to have others than the scenario's, such as ``"dra:g=20"``, or the
        path of a Python file; by default the scenario's.
    seed:
        By default the scenario's.
    trace:
        Files of a recorded workload.
    compiled:
        Whether to run the policy's compiled twin where it has one.

    Raises
    ------
    UserError
        One line that says what is wrong with the scenario, the policy or the trace.
    """
    if str(scenario).endswith(".slotscope"):
        return Run(Session.load(Path(scenario), kernel=compiled))
    return Run(Session.open(str(scenario), policy, seed, trace, kernel=compiled))
