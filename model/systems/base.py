"""What the systems of all kinds have in common: running a policy, carrying out its decisions, and naming jobs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable, ClassVar, Generator, Iterable, Iterator, Mapping

import numpy as np

from slotscope.model.errors import PolicyError, ScenarioError
from slotscope.model.forks.changes import Choice
from slotscope.model.forks.overruled import Overruled
from slotscope.model.reporting.records import Event, Record, Remember
from slotscope.model.systems.outcome import Outcome
from slotscope.model.systems.state import by_number

# Indices in every state's ``number``: the events so far, and the arrivals taken from the workload.
EVENT, NEXT_ARRIVAL = 0, 1


class PolicySystem(ABC):
    """A system of a scenario under one policy's reference; each kind has a subclass."""

    name: str  #: the kind's
    sample_width: int  #: numbers in a sample
    row_dtype: np.dtype[Any]  #: one row for each event
    whatif: Any  #: the room's module with ``choices(system, state)`` and ``overruled(system, event, decision)``
    #: checks and carries out each type of record; records of other types only report what happens
    handlers: ClassVar[Mapping[type[Record], Callable[[Any, Any, Any, Any], None]]]

    def __init__(
        self, scenario: Any, numbers: Any, workload: Any, policy: Any, names: Mapping[int, str] | None = None
    ) -> None:
        self.scenario = scenario
        self.numbers = numbers
        self.workload = workload  #: the source of arrivals; it may be replaced (after a fork)
        self.policy = policy
        self.initial_jobs = 0  #: how many jobs are numbered before the first arrival
        self.names = dict(names or {})  #: of the jobs that have one, by number
        self._quick: tuple[Any, Any] = (None, None)
        self._coming: tuple[Any, int, int, Any] = (None, 0, 0, None)  # workload, first and last + 1 arrival, block

    @property
    def may_fail(self) -> bool:
        """Whether the policy is a user's."""
        return bool(self.policy.may_fail)

    @property
    def on_drift(self) -> str:
        """What to do if a replay does not reach the same state again."""
        return str(self.policy.on_drift)

    def quick(self, state: Any) -> Any:
        """:func:`by_number` of *state*, cached as long as the state is changed in place."""
        known, quick = self._quick  # read as one: another thread may run another state of the same system
        if known is not state:
            quick = by_number(state)
            self._quick = (state, quick)
        return quick

    # Events; each kind's own.

    @abstractmethod
    def raw_state(self) -> Any:
        """The state at time 0, before the policy has acted."""

    @abstractmethod
    def next_event(self, state: Any) -> Event | None:
        """What happens next, or None."""

    @abstractmethod
    def run(self, state: Any, event: Event, row: np.ndarray) -> Iterator[Record]:
        """Run an event; yields each sub-step after its effect on *state*, and fills *row* at the end.

        Raises PolicyError if the policy decides something that is impossible.
        """

    @abstractmethod
    def sample(self, state: Any, row: np.ndarray) -> None:
        """Fill one row [sample_width] for curves and averages."""

    def start(self, state: Any) -> Iterator[Record]:
        """What the policy does before the first event: nothing, unless a kind says otherwise."""
        yield from ()

    def prepared(self, state: Any, event: Event | None = None) -> Any:
        """*state* with room for one more event, *event* if that is known; the same state unless it has to grow."""
        return state

    def next_arrival(self, state: Any) -> tuple[Any, int, float]:
        """The workload's block with the next arrival, its index there, and its time; inf if there is none."""
        arrival = int(state.number[NEXT_ARRIVAL])
        workload, first, end, block = self._coming  # read as one: another thread may run another state
        if workload is not self.workload or not first <= arrival < end:
            block = self.workload.block_at(arrival)
            if block is None:
                return None, 0, np.inf
            first, end = int(block.first[0]), block.end
            self._coming = self.workload, first, end, block
        place = arrival - first
        return block, place, block.time.item(place)

    # Decisions.

    def decided(self, state: Any, decisions: Iterable[Record], outcome: Any) -> Iterator[Record]:
        """Check and carry out each decision before yielding its record, so that the policy sees the effect.

        Raises PolicyError if a decision is impossible; the error is thrown into the policy's generator first, which may
        add the line of its file.
        """
        carry_out = self.carry_out
        for record in decisions:
            try:
                carry_out(state, record, outcome)
            except PolicyError as error:
                if isinstance(decisions, Generator):
                    decisions.throw(error)
                raise
            yield record

    def carry_out(self, state: Any, record: Record, outcome: Any) -> None:
        """Check and carry out what one record decides."""
        handler = self.handlers.get(type(record))
        if handler is not None:
            handler(self, state, record, outcome)

    def remember(self, state: Any, decision: Remember, outcome: Outcome) -> None:
        """Write numbers into the policy's memory, which is a part of the state.

        Raises PolicyError if they do not fit into it.
        """
        end = decision.start + len(decision.numbers)
        if not 0 <= decision.start <= end <= len(state.memory):
            raise outcome.fault(
                f"it remembers numbers {decision.start} to {end - 1}; its class declares memory = {len(state.memory)}"
            )
        state.memory[decision.start : end] = decision.numbers

    def choices(self, state: Any) -> tuple[Choice, ...]:
        """The decisions that a fork may force on the policy in the next event."""
        found: tuple[Choice, ...] = self.whatif.choices(self, state)
        return found

    def overruled(self, event: Event, decision: str) -> Overruled:
        """The policy, with a decision forced on it in one event."""
        found: Overruled = self.whatif.overruled(self, event, decision)
        return found

    # Going on from another system.

    @abstractmethod
    def check_continuation(self, other: Any) -> None:
        """Check that this system can go on from *other*, a system of the same kind.

        Raises ScenarioError if servers or jobs of *other* cannot exist here.
        """

    @abstractmethod
    def take_over(self, other: Any, state: Any) -> Any:
        """The state with which to go on from another system's *state*: its jobs stay, this policy starts on them.

        Raises ScenarioError if the servers cannot hold the jobs that are on them.
        """

    def check_new_arrivals(self) -> None:
        """Refuse to replace recorded jobs by new arrivals.

        Raises ScenarioError if the workload is a script or a trace.
        """
        if self.scenario.workload.kind in ("scripted", "trace"):
            raise ScenarioError(
                "found a recorded workload, allowed when continuing with new arrivals: random ones; "
                "keep the same jobs, or run it from the start instead"
            )

    def has_other_jobs(self, other: Any, workload: Callable[[Any, Any], Any]) -> bool:
        """Whether this system's scenario describes other jobs than that of *other*.

        *workload* is the kind's constructor of workloads; random jobs are compared by their first block.
        """
        mine, theirs = self.scenario, other.scenario
        if mine.seed != theirs.seed:
            return True
        if "trace" in (mine.workload.kind, theirs.workload.kind):
            return bool(mine.workload != theirs.workload)
        one, two = (workload(system.scenario, system.numbers).block_at(0) for system in (self, other))
        return one is not two and (None in (one, two) or not all(map(np.array_equal, one, two)))

    def settled(self, state: Any) -> Any:
        """The state itself: in a single system the rules do not change."""
        return state

    def arrivals(self, state: Any) -> int:
        """Arrivals taken from the workload so far."""
        return int(state.number[NEXT_ARRIVAL])

    def job_name(self, number: int) -> str:
        """The name of a job: as scripted, or its number."""
        return self.names.get(number, str(number))

    def job_names(self) -> dict[str, str]:
        """Names of jobs that have one, by their number as text (for a file)."""
        return {str(number): name for number, name in self.names.items()}

    def rename_jobs(self, initial_jobs: int, names: Mapping[str, str]) -> None:
        """Take over the numbering of a saved run."""
        self.initial_jobs = initial_jobs
        self.names = {int(number): name for number, name in names.items()}

    def name_jobs_like(self, other: PolicySystem) -> None:
        """Number and name jobs like the system from which this one goes on."""
        self.initial_jobs, self.names = other.initial_jobs, other.names
