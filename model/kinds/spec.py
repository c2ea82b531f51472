"""The kinds of system, and what one has to provide to be run, shown, compared and measured.

Everything outside ``model/systems/<kind>/``, its scenarios, policies, kernels and panels knows a
kind of system only through :class:`Kind` and :class:`RunnableSystem`.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Protocol, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.forks.changes import Choice
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.measures.metrics import Batches, Estimate
from slotscope.model.measures.monitors import Claim, Monitor
from slotscope.model.questions.fields import Vocabulary
from slotscope.model.reporting.explain import Narrator
from slotscope.model.reporting.inspection import Inspector
from slotscope.model.reporting.records import Event
from slotscope.model.running.engine import System
from slotscope.model.systems.statespec import StateSpec
from slotscope.model.whys.decision import Whys

#: Where each kind is: a module that defines ``KIND``.
KINDS: Mapping[str, str] = MappingProxyType({name: room.kind for name, room in ROOMS.items()})


#: Stands for "rejected" where the answer to an arrival would stand.
REJECTED = -1

#: Verdicts of a judgement; the last one stands where there can be none.
STABLE, UNSTABLE, UNDECIDED, NO_VERDICT = "stable", "unstable", "undecided", "no verdict"


class Measure(NamedTuple):
    """A measure that a comparison shows, by its name among the batches."""

    name: str
    title: str
    #: "as it is", "per cent" (of a share), or "per time" (a count, divided by the time measured)
    scale: str = "as it is"

    @property
    def shown_times(self) -> float:
        """What a number of it is multiplied by where *title* stands beside it."""
        return 100.0 if self.scale == "per cent" else 1.0


class Judgement(NamedTuple):
    """What runs say beyond their measures, such as whether a queue grows."""

    verdict: str
    reason: str  #: a clause
    metrics: Mapping[str, Estimate]  #: measures that the judgement corrects


class RunnableSystem(System, Protocol):
    """A system of a scenario under one policy, with what a session asks of it.

    ``initial_jobs`` is how many jobs are numbered before the first arrival; ``workload`` may be
    exchanged (what follows a fork).
    """

    scenario: Any
    numbers: Any
    workload: Any
    policy: Any
    initial_jobs: int

    def arrivals(self, state: Any) -> int:
        """Arrivals taken from the workload so far."""
        ...

    def job_name(self, number: int) -> str:
        """The name of a job: as scripted, or its number."""
        ...

    def job_names(self) -> dict[str, str]:
        """Names of jobs that have one, by their number as text (for a file)."""
        ...

    def rename_jobs(self, initial_jobs: int, names: Mapping[str, str]) -> None:
        """Take over the numbering of a saved run."""
        ...

    def check_continuation(self, other: Any) -> None:
        """Refuse to go on from *other*, a system of the same kind, unless that makes sense.

        Raises
        ------
        ScenarioError
            If servers or jobs of *other* have no place here.
        """
        ...

    def has_other_jobs(self, other: Any, workload: Callable[[Any, Any], Any]) -> bool:
        """Whether this system's scenario describes other jobs than that of *other*, by the kind's *workload*."""
        ...

    def check_new_arrivals(self) -> None:
        """Refuse to go on with other jobs than those that are recorded.

        Raises
        ------
        ScenarioError
            If the workload is a script or a trace.
        """
        ...

    def choices(self, state: Any) -> tuple[Choice, ...]:
        """What can be decided of the next event in place of the policy."""
        ...

    def overruled(self, event: Event, decision: str) -> Any:
        """The policy with a decision that is forced on it in one event.

        Raises
        ------
        PolicyError
            If there is no such decision in that event.
        """
        ...

    def take_over(self, other: Any, state: Any) -> Any:
        """Go on from another system's state: its jobs stay, this policy starts on them.

        Raises
        ------
        ScenarioError
            If the servers cannot hold what is on them.
        """
        ...


class Kind(Protocol):
    """A kind of system: what differs between kinds, and nothing else.

    Attributes
    ----------
    name:
        The value of a scenario's key ``system``.
    spec:
        The NamedTuple of arrays that is a system's state, and what each must be like;
        ``number[0]`` counts events and ``clock[0]`` is the time of the last one.
    row:
        One row for each event; has at least ``event``, ``time``, ``job``, ``server``, ``flags``
        and ``kind``.
    slotted:
        Whether time goes in slots, so that every time is a whole number.
    compares_decisions:
        Whether a job's decision stands in the row of its arrival (admitted, or not), so that runs
        can be compared job by job; rows then have ``type`` too, and the numbers ``type_names``.
    judges:
        Whether runs are judged, see :meth:`judge`.
    rows_tell_more:
        Whether a kernel's rows tell more once their events are run again, with all that is costly to count.
    inspector:
        What can be looked at: servers, jobs, ..., as they are now and what happened to them.
    measures:
        What a comparison shows of the batches.
    headline:
        What the curves of a comparison show, such as "reward rate"; see :meth:`headline_series`.
    headline_bound_name:
        The symbol of :meth:`headline_bound`.
    example:
        The name of a built-in scenario that every policy with a compiled twin can run.
    bounds_command:
        The module that solves them for ``slotscope bounds``: ``solved(options)``, a report.
    """

    name: str
    spec: StateSpec
    row: np.dtype[Any]
    slotted: bool
    compares_decisions: bool
    judges: bool
    rows_tell_more: bool
    inspector: Inspector
    measures: tuple[Measure, ...]
    headline: str
    headline_bound_name: str
    example: str
    bounds_command: str

    @property
    def kernels(self) -> Mapping[str, tuple[str, str]]:
        """Compiled twins by policy name: (module, class)."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """What can be asked of its runs, what happens in their events, and how a log marks it."""
        ...

    # Putting a system together.

    def numbers(self, scenario: Any) -> Any:
        """The scenario's constant numbers; has ``servers`` and ``warnings()``.

        Raises
        ------
        ScenarioError
            If they do not fit each other.
        """
        ...

    def workload(self, scenario: Any, numbers: Any, start: float = 0.0, branch: int = 0) -> Any:
        """The workload that a scenario describes.

        *start* is the time before which nothing arrives; *branch* tells the random streams of a
        forked run from those of the run it left (0: the first run).

        Raises
        ------
        ScenarioError
            If the workload is a trace: its jobs must have been read before.
        """
        ...

    def with_trace(
        self,
        scenario: Any,
        paths: tuple[str, ...],
        progress: Callable[[float], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> tuple[Any, Any, Any]:
        """The scenario with what its trace says, the recorded workload, and a report of reading.

        Raises
        ------
        UserError
            If the scenario takes no trace, or a file cannot be read.
        """
        ...

    def system(self, scenario: Any, numbers: Any, workload: Any, policy: Any) -> RunnableSystem:
        """A system under one policy's reference."""
        ...

    def has_kernel(self, system: Any) -> bool:
        """Whether the policy, with its parameters, has a compiled twin for this system."""
        ...

    # Describing it.

    def narrator(self, system: Any) -> Narrator:
        """What words the records and rows of a run."""
        ...

    def facts(self, system: Any) -> Any:
        """What panels of this kind need to know of the policy, the same for the whole run."""
        ...

    def offers(self, system: Any) -> frozenset[str]:
        """What panels may ask for, see ``gui.panel``."""
        ...

    def derive(self, state: Any, numbers: Any, facts: Any) -> Any:
        """What panels of this kind read from a state; made once for a frame, when asked for."""
        ...

    def usual_pace(self, numbers: Any) -> float:
        """Units of time per second at which a run can be followed by eye."""
        ...

    # Measuring and checking it.

    def run_batches(
        self, numbers: Any, advance: Callable[[float], Any], warmup: float, until: float
    ) -> dict[str, Batches]:
        """Each measure in equal stretches of [warmup, until).

        *advance(t)* runs to time t and gives the state then.  What happens at the very end of a
        stretch counts for the next one.  Runs on the same jobs can be paired.
        """
        ...

    def judge(self, scenario: Any, runs: Sequence[Mapping[str, Batches]], span: float) -> Judgement | None:
        """What the batches of one or several runs, each over *span*, say of a scenario together."""
        ...

    def batches_so_far(
        self, numbers: Any, samples: Sequence[NDArray[np.float64]], warmup: float, now: float
    ) -> tuple[dict[str, Batches], ...]:
        """Several runs' measures so far in the same stretches of time, from their samples.

        None if there is no stretch of [warmup, now] that all have.
        """
        ...

    def decisions(self, rows: NDArray[Any], initial_jobs: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The arrivals decided in *rows*, from 0, and the answer to each or :data:`REJECTED`.

        An answer is a number of at least 0 that means what counts in a kind: the server that
        admits a job, or the number of servers that it gets.

        Asked for only where the kind ``compares_decisions``.
        """
        ...

    def headline_series(
        self, numbers: Any, samples: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """[n] the headline's value at each of *samples*, and [n] its integral up to there.

        No integral: the value is taken to last until the next sample.
        """
        ...

    def headline_now(self, numbers: Any, state: Any) -> float:
        """The headline's value in a state."""
        ...

    def headline_bound(self, bounds: Any) -> float | None:
        """A level that no policy passes in the long run, once it is known."""
        ...

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """What must hold of every state, in order of their stages."""
        ...

    @property
    def whys(self) -> Whys:
        """Why its policies decide as they do."""
        ...

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the kind's paper claims of the long run."""
        ...

    def violations(self, system: Any, state: Any, overruled: bool = False) -> list[str]:
        """Every invariant that a state breaks, one sentence each; *overruled*: not what the policy promises."""
        ...

    # Beyond a run.

    def trace_lines(self, system: Any, most: float) -> Iterator[dict[str, Any]]:
        """A run of the reference in the exchange form of ``slotscope trace``, line by line.

        At most *most* events (infinity: all there are).
        """
        ...

    def all_bounds(self, scenario: Any) -> Iterator[Any]:
        """What bounds a scenario's measures, for panels; better answers later.

        Each answer can be pickled.
        """
        ...

    def no_bounds(self, problem: str = "") -> Any:
        """What panels are shown before the first answer, or instead of it: *problem* says why."""
        ...


def kind_named(name: str) -> Kind:
    """The kind of system of that name, one of :data:`KINDS`."""
    kind: Kind = import_module(KINDS[name]).KIND
    return kind
