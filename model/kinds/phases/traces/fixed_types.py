"""Job types of fixed size, with the rates and lifetimes that a trace has of each.

Hong, Xie & Wang (2023), Section 4.3: "the model parameters can be estimated from workload traces".
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from slotscope.model.traces.report import ImportReport


class FixedType(NamedTuple):
    """Jobs of one size: what they need, and what was seen of them."""

    name: str
    demand: tuple[Fraction, ...]  #: [D] CPUs and GiB, or of the scenario's resources in its units
    arrivals: int
    ends: int  #: how many of them were seen to end
    time: Fraction  #: seconds for which all together were seen to run

    @property
    def departure_rate(self) -> Fraction:
        """Ends per second of running: the maximum likelihood estimate of an exponential distribution's rate.

        That is so whether or not all jobs were seen to end, if an end is not seen for a reason
        that has nothing to do with it, such as the end of the trace.

        Raises
        ------
        ZeroDivisionError
            If none was seen to run for any time.
        """
        return self.ends / self.time


@dataclass(frozen=True)
class FixedTypes:
    """All types of a trace.

    Attributes
    ----------
    types:
        In the order of the trace's own list of types, or of their sizes.
    span:
        Seconds over which the arrivals came.
    report:
        What was read, kept and left out; ``kept`` counts jobs.
    """

    types: tuple[FixedType, ...]
    span: Fraction
    report: ImportReport
