"""DRA, the Dynamic Reservation Algorithm.

Reference
    Psychas & Ghaderi (2022), Section 4.
Implements
    Algorithm 2, lines 1-26: CRA (1-16), ARRIVAL (17-22), DEPARTURE (23-26).
Symbols
    g(L)    ``reservation``     the reservation factor, in slots of each type; slots are whole,
                                so that GPA sees its ceiling, ``reserved``
    Y       ``workload``        [J] jobs in the system, or an estimate of the workload
    Y-hat   ``reference``       [J] workload reference vector, Y + g(L) 1, (4.1)
    k[i]    ``configuration``   configurations found by GPA, in order
    X-hat   ``count``           servers that GPA wants in k[i]
    X       ``holders``         servers that have configuration k[i], by index
    Z       ``rank_given``      servers of rank i so far
    l_e     ``empty``           an empty server of rank J + 1
    I*      ``i_star``          the first i that stays unmatched, or J
Deviations
    As printed, line 6 starts with c = X, so that lines 8 and 16 are off by one (too low).  The text
    of the paper decides: rank i goes to the servers of k[i] with index above X - X-hat.  Where the
    paper leaves a choice: a job is admitted to the server that has had its configuration longest
    (recently assigned ones become surplus first); l_e, and the Reject Group server among equal ranks,
    are those of lowest number; of several jobs the most recently placed one migrates.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, log
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema, model_validator

from slotscope.model.exact import rational
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies import gpa
from slotscope.model.kinds.reservation.policies.base import (
    ArrivingJob,
    Decisions,
    DepartedJob,
    PseudocodeLine,
    ReservationPolicy,
    listing,
)
from slotscope.model.kinds.reservation.policies.workload_estimate import WorkloadSource, estimator
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.policies.common import departing
from slotscope.model.reporting.records import Admit, Classify, Line, Migrate, Reassign, Record, Reject
from slotscope.model.scenario.fields import Numbers, Positive, Section, plain

_LOGARITHM = re.compile(r"\s*log\s*(?:\^\s*([0-9./]+))?\s*$")

#: The largest reservation factor.
MOST_SLOTS = 10**9

ALLOWED = "a number above 0 and at most 10^9, or 'log^p' for the natural logarithm of L to the power p, 0 < p <= 8"


class ReservationFactor(tuple[Fraction, bool]):
    """g(L): a constant, or (log L)^p with the natural logarithm."""

    __slots__ = ()

    def of(self, servers: int) -> Fraction:
        """g(L) as an exact fraction; for (log L)^p, the exact value of the float that it is computed as.

        Raises ValueError unless g(L) > 0 (one server: log 1 = 0): with g = 0 and an empty system at time 0 every job
        would be rejected for ever.
        """
        value: Fraction = self[0]
        if not self[1]:
            return value
        if servers < 2:
            raise ValueError("found g(L) = 0 because log 1 = 0, allowed: a number above 0")
        power: float = log(servers) ** float(value)
        return Fraction(power)

    def __str__(self) -> str:
        value, is_power = self
        if not is_power:
            return str(value)
        return "log" if value == 1 else f"log^{plain(value)}"


def _factor(value: Any) -> ReservationFactor:
    if isinstance(value, ReservationFactor):
        return value
    logarithm = _LOGARITHM.match(value) if isinstance(value, str) else None
    try:
        number = rational(logarithm[1] or 1) if logarithm else rational(value)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(ALLOWED) from None
    if isinstance(value, bool) or not 0 < number <= (8 if logarithm else MOST_SLOTS):
        raise ValueError(ALLOWED)
    return ReservationFactor((number, logarithm is not None))


Factor = Annotated[
    ReservationFactor,
    BeforeValidator(_factor),
    PlainSerializer(lambda factor: str(factor) if factor[1] else plain(factor[0]), return_type=int | float | str),
    WithJsonSchema({"type": ["number", "string"]}),
]


def _cra(of_jobs: bool, whole: bool) -> str:
    """The text of the call of CRA.

    - *of_jobs*: Whether Y-hat is computed from the jobs present; otherwise from an estimate.
    - *whole*: Whether g(L) is a whole number of slots; otherwise it is rounded up.
    """
    factor = "<i>g</i>(<i>L</i>)" if whole else "⌈<i>g</i>(<i>L</i>)⌉"
    return f"CRA({'Y(<i>t</i>)' if of_jobs else 'the estimate'} + {factor}<b>1</b>, X(<i>t</i>))"


PSEUDOCODE = listing(f"""
    #2
    <b>function</b> CRA(Ŷ, X)
      X̂ ← GPA(Ŷ)
      rank of all servers ← <i>J</i> + 1
      <i>I</i>* ← <i>J</i>
      <b>for</b> <i>i</i> = 1 <b>to</b> <i>J</i> <b>do</b>
        <i>Z</i> ← 0, <i>c</i> ← X<sub><i>k</i>[<i>i</i>]</sub> + 1 || <i>c</i> ← X<sub><i>k</i>[<i>i</i>]</sub>
        <b>while</b> <i>Z</i> &lt; X̂<sub><i>k</i>[<i>i</i>]</sub> <b>do</b>
          <i>Z</i> ← <i>Z</i> + 1, <i>c</i> ← <i>c</i> − 1
          <b>if</b> <i>c</i> ≤ 0 <b>then</b>
            <b>if</b> ℓ<sub>e</sub> ≠ ∅ <b>then</b>
              rank of ℓ<sub>e</sub> ← <i>i</i>
              reassign ℓ<sub>e</sub> to <i>k</i>[<i>i</i>]
            <b>else</b>
              <i>I</i>* ← min(<i>I</i>*, <i>i</i>)
          <b>else</b>
            rank of ℓ<sub><i>k</i>[<i>i</i>], <i>c</i></sub> ← <i>i</i>
    <b>procedure</b> ARRIVAL(<i>j</i>, <i>t</i>)
      <b>if</b> AG<sub><i>j</i></sub> ≠ ∅ <b>then</b>
        schedule the job in AG<sub><i>j</i></sub>
        {_cra(True, True)}
      <b>else</b>
        reject the job
    <b>procedure</b> DEPARTURE(<i>j</i>, <i>t</i>)
      <b>if</b> RG<sub><i>j</i></sub> ≠ ∅ <b>and</b> the slot emptied is in the Accept Group <b>then</b>
        migrate the job in RG<sub><i>j</i></sub> to the slot that emptied
      {_cra(True, True)}
""")


#: The lines that call CRA after an event.
CRA_AT_EVENTS = (Line(2, 20), Line(2, 26))

#: The lines that sub-steps of CRA belong to.
REASSIGNED, UNMATCHED, RANKED = Line(2, 12), Line(2, 14), Line(2, 16)


class Parameters(Section):
    """Parameters of DRA.

    ``reservation_factor`` is g(L): a number of slots, or ``"log^1.1"``.  ``workload`` selects the
    estimate of the workload in Y-hat, see :mod:`model.kinds.reservation.policies.workload_estimate`.
    """

    reservation_factor: Factor = ReservationFactor((Fraction(11, 10), True))
    workload: WorkloadSource = "jobs"
    estimate: Numbers = ()
    window: Positive = Fraction(5)

    @model_validator(mode="after")
    def _estimate_where_given(self) -> Self:
        if self.estimate and self.workload != "given":
            raise ValueError(f"estimate: found numbers, but workload is '{self.workload}'; allowed: workload = 'given'")
        return self


class Reference(ReservationPolicy):
    """DRA, line by line; CRA runs after each admission and each departure."""

    reserves_slots = True
    has_groups = True
    schema = Parameters
    pseudocode: tuple[PseudocodeLine, ...] = gpa.PSEUDOCODE + PSEUDOCODE
    #: Whether CRA runs after each admission and departure.
    cra_at_events = True
    #: Whether Reject Group jobs migrate (lines 24-25).
    migrates = True
    #: Whether the Reject Group consists of all servers of rank J + 1.
    extended = False

    def __init__(self, numbers: ReservationNumbers, parameters: Parameters) -> None:
        self.numbers = numbers
        self.reservation = parameters.reservation_factor.of(numbers.servers)
        self.reserved = ceil(self.reservation)
        self.estimator = estimator(numbers, parameters)
        self.memory = self.estimator.memory
        self.compiled = self.estimator.compiled
        if self.estimator.learns:
            self.cra_at_events = False  # a rejection changes Y-hat, but no CRA follows it
        self.pseudocode = departing(self.pseudocode, self.texts(parameters))

    def texts(self, parameters: Any) -> dict[Line, str]:
        """The pseudocode lines that differ because of the system's numbers or the parameters."""
        texts = gpa.texts_for(self.numbers)
        if (called := _cra(parameters.workload == "jobs", self.reserved == self.reservation)) != _cra(True, True):
            texts |= dict.fromkeys(CRA_AT_EVENTS, called)
        return texts

    def start(self, view: ReservationView) -> Decisions:
        """Run CRA at time 0."""
        yield from self.estimator.start(view)
        yield from self.cra(view)

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Lines 17-22."""
        yield from self.estimator.arrival(view, job)
        server, empty = self.accepting_server(view, job.type)
        if server >= 0:  # line 18
            yield Admit(line=Line(2, 19), server=server, values={"empty_slots": empty})
            yield from self.after(view)  # line 20
        else:
            yield self.rejection(view, job.type)

    @staticmethod
    def accepting_server(view: ReservationView, job_type: int) -> tuple[int, int]:
        """The oldest Accept Group server with an empty slot of the type (-1 if AG_j is empty), and the number of
        such slots in the Accept Group."""
        empty = view.empty_slots(job_type) * ~view.classification().reject_group
        (open_servers,) = empty.nonzero()
        server = view.oldest(open_servers) if len(open_servers) else -1
        return server, int(np.add.reduce(empty))

    @staticmethod
    def rejection(view: ReservationView, job_type: int) -> Reject:
        """The rejection of line 22, with the numbers that explain it."""
        return Reject(
            line=Line(2, 22),
            values={
                "empty_slots": int(view.empty_slots(job_type).sum()),
                "servers_with_room": len(view.with_room(job_type)),
            },
        )

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Lines 23-26."""
        yield from self.estimator.departure(view, job)
        yield from self.migration(view, job)  # lines 24-25
        yield from self.after(view)  # line 26

    def migration(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Lines 24-25: a job of the Reject Group migrates into the slot that became empty."""
        groups = view.classification()
        if not self.migrates or groups.reject_group[job.server]:
            return
        source = self.source_of(view, job.type)
        if source >= 0:
            yield Migrate(
                line=Line(2, 25),
                job=view.newest_job(source, job.type),
                source=source,
                target=job.server,
                values={"rank": int(groups.rank[source])},
            )

    def after(self, view: ReservationView) -> Decisions:
        """Run CRA, as after each admission and departure."""
        yield from self.cra(view)

    def update(self, view: ReservationView) -> Decisions:
        """Run CRA; DRA itself never schedules an update."""
        yield from self.cra(view)

    @staticmethod
    def source_of(view: ReservationView, job_type: int) -> int:
        """RG_j: the Reject Group server of highest rank with a job of the type, or -1."""
        groups = view.classification()
        (holders,) = (view.placement[:, job_type] * groups.reject_group).nonzero()
        return int(holders[groups.rank[holders].argmax()]) if len(holders) else -1

    def spare_servers(self, view: ReservationView, rank: np.ndarray, wanted: gpa.Assigned) -> np.ndarray:
        """The candidates for l_e: empty servers of rank J + 1, in the pools for which GPA wants the configuration."""
        empty = view.empty_servers()
        spare = np.asarray(empty[rank[empty] == view.ranks + 1])
        if len(wanted.pools) == len(self.numbers.pools):
            return spare
        return np.asarray(spare[np.isin(self.numbers.pool_of[spare], wanted.pools)])

    def cra(self, view: ReservationView) -> Decisions:
        """CRA, lines 1-16: rank the servers by GPA's configurations, and reassign empty servers."""
        workload = self.estimator.workload(view)
        reference = [jobs + self.reserved for jobs in workload]  # (4.1)
        found, greedy = gpa.steps(self.numbers, reference)  # line 2
        yield from found
        rank = np.full(view.servers, view.ranks + 1)  # line 3
        i_star = view.ranks  # line 4
        for i, wanted in enumerate(greedy, 1):  # line 5
            holders = view.servers_of(wanted.configuration)  # line 6
            surplus = len(holders) - wanted.count
            rank[holders[max(0, surplus) :]] = i  # line 16: index above X - X-hat
            yield Record("ranked", RANKED, {"i": i, "held": len(holders), "count": wanted.count, "surplus": surplus})
            for missing in range(max(0, -surplus), 0, -1):  # line 7
                candidates = self.spare_servers(view, rank, wanted)
                if not len(candidates):  # line 13
                    i_star = min(i_star, i)  # line 14
                    yield Record("unmatched", UNMATCHED, {"i": i, "missing": missing})
                    break  # the remaining ones find no empty server either
                rank[candidates[0]] = i  # line 11
                yield Reassign(  # line 12
                    line=REASSIGNED,
                    server=int(candidates[0]),
                    configuration=wanted.configuration,
                    values={"i": i, "missing": missing},
                )
        yield Classify(
            line=RANKED,
            configurations=tuple([item.configuration for item in greedy]),
            counts=tuple([item.count for item in greedy]),
            i_star=i_star,
            extended=self.extended,
        )
