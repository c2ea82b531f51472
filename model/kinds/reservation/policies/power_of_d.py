"""Power of d choices without reservation: a peer of DRA that samples a few servers for each job.

Reference
    Psychas & Ghaderi (2022), Section 7.2, after Xie et al. (2015).
Implements
    For each arriving job, d servers are sampled without replacement.  The least loaded sampled server
    with enough free resources takes the job; if there is none, it is rejected.  Nothing is reserved
    and nothing migrates.
Symbols
    d  ``choices``   servers sampled for each arrival
    L  ``servers``   all servers
Deviations
    The load of a server is the largest used share over its resources (see
    :mod:`model.kinds.reservation.loads`), compared exactly; ties go to the server sampled
    first.  The paper tries only the least loaded of the d servers; here the least loaded of those
    that the job fits is taken.  The sample is a function of seed and job number, so that a rewind,
    a fork and the kernel draw the same sample.
"""

from __future__ import annotations

from pydantic import Field

from slotscope.model.kinds.reservation.loads import load_measure
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, Decisions, ReservationPolicy, listing
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import Admit, Line, Record, Reject
from slotscope.model.scenario.fields import Section, Whole
from slotscope.model.scenario.streams import stream_key
from slotscope.model.systems.random_words import below, start_of, word_at


class Parameters(Section):
    """Parameters of power of d choices.

    ``choices`` is d, from 1 to the number of servers; by default 5, or the number of servers
    if that is smaller.
    """

    choices: Whole = Field(default=5, ge=1)


class Reference(ReservationPolicy):
    """Power of d choices."""

    schema = Parameters
    pseudocode = listing("""
        <b>procedure</b> ARRIVAL(<i>j</i>, <i>t</i>)
          𝒮 ← <i>d</i> servers, sampled without replacement
          <b>if</b> some server of 𝒮 has room <b>then</b> || <b>if</b> the job fits the least loaded server of 𝒮
            schedule the job in the least loaded of these
          <b>else</b>
            reject the job
    """)

    def __init__(self, numbers: ReservationNumbers, parameters: Parameters) -> None:
        given = "choices" in parameters.model_fields_set
        if given and parameters.choices > numbers.servers:
            raise ValueError(
                f"found choices = {parameters.choices}, allowed: 1 to the number of servers, {numbers.servers}"
            )
        self.numbers = numbers
        self.choices = min(parameters.choices, numbers.servers)
        self.loads = load_measure(numbers)
        self.key = stream_key(numbers.seed, "power-of-d")

    def sampled(self, job: int) -> list[int]:
        """[d] the servers sampled for a job, in order of sampling."""
        servers, start = self.numbers.servers, start_of(self.key, job)
        found: list[int] = []
        swapped: dict[int, int] = {}  # partial Fisher-Yates shuffle: the entries that have been exchanged
        for position in range(self.choices):
            other = position + below(word_at(start, position), servers - position)
            found.append(swapped.get(other, other))
            swapped[other] = swapped.get(position, position)
        return found

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Admit the job to the least loaded sampled server with room, or reject it."""
        sampled = self.sampled(job.number)
        yield Record("servers_sampled", Line(1, 2), {"sampled": tuple(sampled)})
        placement, holds = view.placement, self.numbers.holds_one_more
        fitting = [server for server in sampled if holds(placement[server], job.type, server)]
        yield Record("sampled_with_room", Line(1, 3), {"fitting": tuple(fitting)})
        if fitting:
            load = self.loads.of(placement[fitting], fitting)
            least = int(load.argmin())
            yield Admit(
                line=Line(1, 4),
                server=fitting[least],
                values={"reason": "least_loaded", "load": load[least] / self.loads.full},
            )
        else:
            room_elsewhere = len(view.with_room(job.type))
            yield Reject(line=Line(1, 6), values={"empty_slots": 0, "servers_with_room": room_elsewhere})
