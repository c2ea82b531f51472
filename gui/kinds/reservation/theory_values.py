"""What the theory says about a frame: effective servers, slot deficit, and the terms of V."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from slotscope.gui.plotting.sampled import Columns, SampledSeries, average_width
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.programs.lyapunov import (
    Counts,
    Lyapunov,
    LyapunovValue,
    configurations_in_play,
    effective_counts,
    next_configuration,
    slot_deficit,
)
from slotscope.model.kinds.reservation.sampling import columns
from slotscope.model.kinds.reservation.state import GREEDY_LENGTH
from slotscope.model.programs.configurations import Configuration
from slotscope.model.reporting.frame import Frame

#: Averages that differ by less are taken as equal, since they are differences of long sums.
SAME = 1e-6


@dataclass(frozen=True)
class EffectiveServers:
    """Effective servers and the slot deficit q at one moment."""

    #: [C] configurations in descending order: those that GPA last gave servers, the target's, and the selected one
    configurations: tuple[Configuration, ...]
    effective: tuple[int, ...]  #: [C] X^(e), servers
    target: tuple[float, ...] | None  #: [C] x^(g), shares of the servers; None while it is not known
    deficit: Counts  #: [C, J] q
    place: int | None  #: the index of the configuration that the next empty server would get
    #: the first configuration that the last CRA left short of servers, if any.  It is the one at ``place`` unless the
    #: policy plans for other jobs than those present.
    lacking: Configuration | None
    #: servers, reserved: L and ceil(g(L))
    servers: int
    reserved: int

    @property
    def all_effective(self) -> bool:
        """Whether every server is effective, so that none can be reassigned."""
        return sum(self.effective) == self.servers

    @property
    def agrees(self) -> bool:
        """Whether (5.3) names what the last CRA would do with one more empty server."""
        named = None if self.place is None else self.configurations[self.place]
        return self.all_effective or named == self.lacking

    def q(self, selected: Configuration | None) -> tuple[int, ...]:
        """[J] q up to *selected*, or up to the last configuration if it is None or not among them."""
        if not self.configurations:
            return tuple(self.deficit.sum(axis=0).tolist())
        row = len(self.configurations) - 1
        if selected in self.configurations:
            row = self.configurations.index(selected)
        return tuple(self.deficit[row].tolist())


def has_greedy(frame: Frame) -> bool:
    """Whether the policy has run GPA; until then no server is effective."""
    return bool(frame.state.number[GREEDY_LENGTH])


def moment_of(frame: Frame, selected: Configuration | None = None) -> EffectiveServers:
    """The effective servers and the slot deficit of a frame; *selected* is one more configuration to include."""
    numbers, state, greedy = frame.info.numbers, frame.state, frame.bounds.greedy
    length = int(state.number[GREEDY_LENGTH])
    found, wanted = state.greedy_configuration[:length].tolist(), state.greedy_count[:length]
    given = [configuration for configuration, count in zip(found, wanted, strict=True) if count]
    lacking = next(
        (tuple(one) for one, held, count in zip(found, frame.derived.held, wanted, strict=True) if held < count), None
    )
    shares = {} if greedy is None else greedy.fractions()
    wished = [*shares, *([] if selected is None else [selected])]
    configurations = configurations_in_play(given, wished, numbers.rewards)
    effective = effective_counts(configurations, found, frame.derived.held.tolist(), wanted.tolist())
    reserved = frame.info.facts.reserved
    deficit = slot_deficit(configurations, effective, state.jobs_in_system, reserved)
    target = None
    if greedy is not None:
        target = tuple(float(shares.get(one, 0)) for one in configurations)
    return EffectiveServers(
        configurations,
        tuple(effective.tolist()),
        target,
        deficit,
        next_configuration(configurations, deficit),
        lacking,
        numbers.servers,
        reserved,
    )


def value_of(function: Lyapunov, frame: Frame, moment: EffectiveServers) -> LyapunovValue:
    """V at the moment shown, as exact terms."""
    servers = moment.servers
    shares = {
        configuration: Fraction(count, servers)
        for configuration, count in zip(moment.configurations, moment.effective, strict=True)
    }
    jobs = [Fraction(int(present), servers) for present in frame.state.jobs_in_system]
    return function.at(shares, jobs)


def read_function(function: Lyapunov, numbers: ReservationNumbers, samples: np.ndarray) -> Columns:
    """V, and the part of it that is due to configurations, at the samples."""
    known = numbers.greedy_set
    effective = samples[:, columns("effective", numbers.types)][:, : len(known)]
    jobs = samples[:, columns("jobs", numbers.types)]
    servers, beyond = function.series(known, effective / numbers.servers, jobs / numbers.servers)
    return Columns(np.column_stack([servers + beyond, servers]))


def falling_for(series: SampledSeries, now: float) -> tuple[float, float]:
    """For how long a series' averages have been falling up to *now*, and the width of one; in units of time."""
    if now <= 0:
        return 0.0, 0.0
    width = average_width(0.0, now)
    times, values = series.averages(0.0, now, width)
    # The last average is repeated at the end of its interval.
    means = values[:-1]
    falls = np.diff(means) < -SAME
    rises = np.flatnonzero(~falls)
    first = int(rises[-1]) + 1 if len(rises) else 0
    if not len(falls) or first >= len(falls):
        return 0.0, width
    return float(times[-1] - times[first]), width
