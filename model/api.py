"""The programming interface of a run: open a scenario, advance, step, seek, fork, measure.

The command line and the window both use :class:`Session`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import PolicyError, ReplayError, ScenarioError, UserError
from slotscope.model.forks.changes import Course, short_words
from slotscope.model.forks.tree import ForkTree
from slotscope.model.measures.metrics import Estimate, estimates
from slotscope.model.measures.monitors import Lookout, Reading
from slotscope.model.policies import is_own
from slotscope.model.policies.choice import choice_text
from slotscope.model.policies.own.trust import digest_of
from slotscope.model.questions.breakpoints import Breakpoint
from slotscope.model.questions.search import QuestionSearch
from slotscope.model.questions.tracks import Followed, Tracks
from slotscope.model.reporting.describe import run_info
from slotscope.model.reporting.frame import Frame, RunInfo, Speed
from slotscope.model.reporting.history import Histories
from slotscope.model.reporting.inspection import Thing
from slotscope.model.running.assembly import Bench, assemble, with_changes
from slotscope.model.running.origin import Origin
from slotscope.model.running.timeline import Timeline
from slotscope.model.running.waiting import GivenUpError, nobody_waits
from slotscope.model.running.walk import ROWS_OF_LOG, Walk
from slotscope.model.scenario.load import Scenario, load_scenario, parse_scenario_text, scenario_text
from slotscope.model.session.archive import DIGEST, UNSIGNED, has_member
from slotscope.model.session.bench import jobs_from, open_bench, saved_bench
from slotscope.model.session.file import (
    EARLIER_BYTES,
    MOST_EARLIER,
    MOST_EVENTS,
    Saved,
    SavedBreakpoint,
    SessionPlace,
    read_session,
    write_session,
)
from slotscope.model.systems.state import copied, digest, frozen, size_in_bytes
from slotscope.model.whys.asking import Why, why_of, with_flip


class Session(Walk):
    """One scenario under one policy: its run, its history, and frames of it.

    Not thread-safe: only one thread may use it.
    """

    def __init__(self, bench: Bench, name: str = "", state: Any = None, origin: Origin | None = None) -> None:
        super().__init__(bench, state)
        self.name = name
        choice = bench.scenario.policy.name
        self.origin = origin or Origin("", choice, bench.scenario.seed)
        self.layout = ""
        self.breakpoints: tuple[Breakpoint, ...] = ()  #: those from a session file; a window has its own list
        self.forks = ForkTree()
        self._infos: dict[Bench, RunInfo] = {}
        self._lookouts: dict[Bench, Lookout] = {}
        self._around: dict[float, NDArray[np.float64] | None] = {}
        self.histories = Histories(bench.system, self.timeline, bench.kind.inspector, self.info.narrator)
        self.questions = QuestionSearch(bench.system, self.timeline, self.info.words)
        self.tracks = Tracks(bench.system, self.timeline, self.info.words)
        self.answer: Why | None = None  #: the answer to the last :meth:`ask_why`
        self.continues: tuple[int, float, int] = (0, 0.0, 0)  #: (event, time, arrivals) at which it left another run

    @property
    def _leg(self) -> Bench:
        """The bench whose rules are in force where the run stands."""
        return self.bench.at(self.timeline.event)

    @property
    def info(self) -> RunInfo:
        """The description of the run under the rules in force; its origin is the same under all rules of the run."""
        leg = self._leg
        if leg not in self._infos:
            self._infos[leg] = run_info(self.bench, self.timeline.event, self.name, self.origin)
        return self._infos[leg]

    @property
    def label(self) -> str:
        """The run's given name; otherwise its policy's title, with the changes of a fork in short."""
        if name := self.forks.name_of(self.origin.policy):
            return name
        made = short_words(self.bench.root.scenario.policy, Course.read(self.origin.policy).changes)
        return ", ".join([self.bench.root.system.policy.title, *made]) if made else self.info.policy_title

    @property
    def lookout(self) -> Lookout:
        """The monitors under the rules in force, with their results."""
        leg = self._leg
        if leg not in self._lookouts:
            self._lookouts[leg] = Lookout(
                leg.kind.monitors, leg.system, self.bench.forced, partial(_quickly_at, self.timeline)
            )
        return self._lookouts[leg]

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The results of the monitors under all rules of the run so far, in order."""
        return tuple(one for lookout in self._lookouts.values() for one in lookout.readings)

    # Opening.

    @classmethod
    def open(
        cls,
        scenario: str | Path | Scenario,
        policy: str | None = None,
        seed: int | None = None,
        trace: tuple[str, ...] = (),
        kernel: bool = True,
        source: str = "",
    ) -> Session:
        """Open a scenario by name, path or value.

        *policy* is a name, optionally with parameters that replace the scenario's, see
        :func:`model.policies.choice.policy_choice`.  *source* is the file that a scenario given by value was read
        from, if it was not edited since.
        With *kernel* the compiled twin, if there is one, is used at once (compiling takes some seconds the
        first time); without it, the reference runs until :meth:`use_kernel`.
        The progress of reading a trace is reported to the user (:mod:`model.running.waiting`), who can stop it.
        Raises UserError with one line that says what is wrong with the scenario, policy or trace.
        """
        name = str(scenario) if isinstance(scenario, str | Path) else ""
        value = scenario if not isinstance(scenario, str | Path) else load_scenario(scenario)
        try:
            bench = open_bench(value, policy, seed, trace)
            chosen = choice_text(bench.scenario.policy) if source else value.policy.name
            origin = Origin(name or source, policy if policy and name else chosen, bench.scenario.seed, trace)
            session = cls(bench, Path(name).stem if name else "", origin=origin)
            session.forks.add(origin.policy)
        except (ScenarioError, PolicyError) as error:
            raise error.inside(name) if name else error from None
        if kernel:
            session.use_kernel()
        return session

    @classmethod
    def load(cls, path: Path, kernel: bool = True, beside: Session | None = None) -> Session:
        """Reopen a saved session at the same moment, on the same jobs as *beside* if given.

        Raises UserError if the file cannot be read, the saved state is not reproduced, or the file of a user policy
        has changed.
        """
        saved = read_session(path)
        place = saved.place
        scenario = parse_scenario_text(saved.scenario, str(path))
        bench = saved_bench(saved, scenario, str(path), None if beside is None else beside.bench)
        policy = place.policy
        if is_own(scenario.policy.name):  # the file that saved_bench has checked
            policy = str(replace(Course.read(policy), policy=choice_text(scenario.policy)))
        origin = Origin(place.source, policy, scenario.seed, place.trace)
        session = cls(bench, place.name, saved.first, origin)
        session.continues = (place.fork_event, place.fork_time, place.fork_arrivals)
        if kernel:
            session.use_kernel()
        doubt = "" if has_member(path, DIGEST) else UNSIGNED
        try:
            session.timeline.adopt(saved.present, place.digest, saved.earlier, doubt)
        except ReplayError as error:
            raise error.inside(str(path)) from None
        session.timeline.samples.restore(saved.samples, place.stride)
        session.seek(place.event, place.substep)
        session.layout = place.layout
        session.breakpoints = tuple(Breakpoint(**one.model_dump()) for one in place.breakpoints)
        session.tracks.want(Followed(place.follow, place.watch))
        session.forks = ForkTree(place.forks) if beside is None else beside.forks
        return session

    def save(self, path: Path, layout: str = "") -> None:
        """Save scenario, seed, exact state and place in history, and a window's layout.

        Raises UserError if the file cannot be written.
        """
        line, system = self.timeline, self.bench.system
        if max(line.event, system.arrivals(line.state)) > MOST_EVENTS:
            raise ScenarioError(f"found {line.event} events, allowed in a file: at most {MOST_EVENTS}", where=str(path))
        event, time, arrivals = self.continues
        place = SessionPlace(
            name=self.name,
            event=line.event,
            substep=line.substep,
            digest=digest(line.state),
            layout=layout,
            source=self.origin.source,
            policy=self.origin.policy,
            trace=self.origin.trace,
            fork_event=event,
            fork_time=time,
            fork_arrivals=arrivals,
            initial_jobs=system.initial_jobs,
            job_names=system.job_names(),
            stride=line.samples.stride,
            breakpoints=tuple(SavedBreakpoint(**one._asdict()) for one in self.breakpoints),
            follow=self.tracks.followed.follow,
            watch=self.tracks.followed.watch,
            forks=self.forks.names,
        )
        root, policy_text = self.bench.root, ""
        scenario = root.scenario
        if is_own(scenario.policy.name):
            from slotscope.model.policies.own.file import with_absolute_path  # not needed for built-in policies

            policy_text = root.system.policy.text
            place = place.model_copy(update={"policy_digest": digest_of(policy_text)})
            scenario = with_absolute_path(scenario)
        text = scenario_text(scenario)
        kept = line.samples.table[line.samples.table[:, 0] <= line.event]
        write_session(path, Saved(text, place, line.first_state, line.state, kept, self._earlier(), policy_text))

    def rename(self, name: str) -> None:
        """Change the scenario's name under which the run is shown."""
        self.name = Path(name).stem if name else ""
        self._infos.clear()

    def reloaded(self) -> Session:
        """This run from its start, under the present text of its policy file.

        Returns the same session if the file and the modules beside it are unchanged, or the policy has no file.
        Raises PolicyError if the file cannot be used.
        """
        if not any(_has_changed(leg) for leg in self.bench.legs):
            return self
        system, root = self.bench.system, self.bench.root
        bench = replace(assemble(root.scenario, recorded=system.workload), report=self.bench.report)
        bench = with_changes(bench, Course.read(self.origin.policy).changes, named=True)
        bench.rename_jobs(system.initial_jobs, system.job_names())
        first = None
        if self.continues[0]:
            memory = np.zeros(bench.root.system.policy.memory)
            first = self.timeline.first_state._replace(memory=memory)
        session = Session(bench, self.name, first, replace(self.origin))
        session.continues = self.continues
        return session

    # Forking and measuring.

    def continued(self, scenario: Scenario, policy: str | None = None) -> Session:
        """A new session that continues from here under other rules, with new arrivals; its history begins here.

        Jobs in service stay, with their service times; arrivals after the fork follow the new scenario,
        from a separate random stream.
        Raises UserError if the present state cannot be continued in the new scenario.
        """
        bench = assemble(scenario, policy)
        if scenario.system != self.info.system:
            raise ScenarioError(
                f"found a {scenario.system} system, allowed when continuing: a "
                f"{self.info.system} system; run it from the start instead"
            )
        bench.system.check_new_arrivals()
        bench.system.check_continuation(self.bench.system)
        state = copied(self.timeline.state)
        state = bench.system.take_over(self.bench.system, state)
        place = (self.timeline.event, self.timeline.time, bench.system.arrivals(state))
        bench.system.workload = jobs_from(scenario, bench, place[1], place[0], place[2])
        session = Session(bench, self.name, state)
        session.continues = place
        if self.compiled:
            session.use_kernel()
        return session

    def measure(self, until: float, warmup: float) -> dict[str, Estimate]:
        """Run to *until*, and estimate the metrics over [warmup, until].

        Raises UserError if the run is already past *warmup*.
        """
        if self.timeline.time > warmup or until <= warmup:
            raise UserError(
                f"found a run at time {self.timeline.time:g} and until = {until:g}, "
                f"allowed: a run before warmup = {warmup:g} < until"
            )

        def advance(time: float) -> Any:
            self.run(until=time)
            return self.timeline.state

        kind = self.bench.kind
        return estimates(kind.run_batches(self.bench.numbers, advance, warmup, until))

    # Looking.

    def ask_why(self, thing: Thing | None, event: int | None = None) -> None:
        """Find why a job is where it is, or why it is not on a server; the result is in ``answer``.

        Without *event* the question is about the event that decided on the job, or the last event that decided on any
        job.  If the search for a change that flips the decision is given up or fails, the answer is what was known
        before it.
        Raises UserError if nothing was decided.
        """
        self.begin_why(thing, event)
        self.search_flip()

    def begin_why(self, thing: Thing | None, event: int | None = None) -> None:
        """The part of :meth:`ask_why` before the search of :meth:`search_flip`, which may take long."""
        self.answer = replace(why_of(self.bench, self.timeline, thing, event), search="on")

    def search_flip(self) -> None:
        """Search for a change that flips the decision asked about; do nothing if the question was withdrawn."""
        if self.answer is None or self.answer.search != "on":
            return
        asked, self.answer = self.answer, replace(self.answer, search="stopped")  # unless the search completes
        self.answer = with_flip(self.bench, self.timeline, asked)

    def frame(
        self,
        running: bool = False,
        speed: Speed | None = None,
        message: str = "",
        bounds: Any = None,
        breakpoints: frozenset[int | str] = frozenset(),
        playing: bool = False,
        hasty: bool = False,
        offering: bool = False,
    ) -> Frame:
        """An immutable snapshot of this moment; the arguments are fields of :class:`Frame`.

        If *hasty*, the log is as short as during running, although the run rests.  With *offering*, the possible
        decisions of the next event are determined by trying them, which takes long.
        """
        line, extent = self.timeline, self.timeline.extent()
        return Frame(
            info=self.info,
            state=frozen(line.shown_state) if line.substep else line.snapshot.of(line.state),
            event=line.event,
            time=line.time,
            records=line.records,
            event_in_the_making=line.event_in_the_making,
            next_event=line.next_event,
            last_records=self.last_records,
            rows=self.latest_rows(running or hasty),
            samples=line.samples.table,
            around_warmup=self._around_warmup(extent.live_end_time),
            extent=extent,
            running=running,
            playing=playing or running,
            engine=line.engine.name,
            agreement=self.agreement,
            bounds=self.bench.kind.no_bounds() if bounds is None else bounds,
            breakpoints=breakpoints,
            speed=speed or Speed(),
            message=message,
            histories=self.histories.found(),
            monitors=self.lookout.readings,
            why=self.answer,
            passed_over=() if running else self.passed_over(),
            asked=self.questions.found(),
            followed=self.tracks.followed,
            tracked=self.tracks.found(),
            forks=self.forks.entries(),
            explaining=self.explaining,
            choices=self._leg.system.choices(line.state) if offering and not (playing or running) else (),
        )

    def _around_warmup(self, reached: float) -> NDArray[np.float64] | None:
        """The samples at the end of the warm-up, if samples are thinned out and the run has *reached* a later time."""
        warmup = float(self.info.scenario.run.warmup)
        if self.timeline.samples.stride == 1 or reached <= warmup:
            return None
        if warmup not in self._around:
            self._around[warmup] = None  # remains if they cannot be recomputed
            with suppress(PolicyError, GivenUpError):
                self._around[warmup] = self.timeline.samples_around(warmup)
        return self._around[warmup]

    def _earlier(self) -> tuple[Any, ...]:
        """States to save: some of history, and the one before the events in the log if it is available at once."""
        line = self.timeline
        event = line.event - ROWS_OF_LOG
        most = min(MOST_EARLIER - 1, EARLIER_BYTES // size_in_bytes(line.state))
        found = line.kept_before(event, most)
        try:
            if event > line.first_event and line.is_at_hand(event):
                found.append(line.fork_at(event))
        except (PolicyError, GivenUpError):
            pass
        return tuple(found)


def _quickly_at(line: Timeline, event: int) -> Any:
    """The state after an event of history, if available at once, or quick by a kernel, or nobody waits; else None."""
    known = line.at_hand(event)
    quick = line.engine.name == "kernel" or nobody_waits()
    return line.fork_at(event) if known is None and quick and event >= line.first_event else known


def _has_changed(leg: Bench) -> bool:
    """Whether the file of a user policy has changed; raises as :meth:`Session.reloaded`."""
    name = leg.scenario.policy.name
    if not is_own(name):
        return False
    from slotscope.model.policies.own.file import load_policy

    return bool(load_policy(name, leg.scenario.system).source != leg.system.policy.source)
