"""The family of Online Appendix C, for which the ratio of greedy packing approaches 1 - 1/e.

Psychas & Ghaderi (2022), Proposition 3.  With J types and N jobs of the last type per server,

    K     = everything below J e_1, ..., J e_(J-1), (N + 1) e_J or (1, ..., 1, N),
    u_i   = (1/J) (1 - 1/J)^(i-1) for i < J,    u_J = (1 - 1/J)^(J-1) / (N + 1),
    rho   = (1, ..., 1, N).

The optimum gives (1, ..., 1, N) to every server; greedy packing prefers J e_1, which has a
slightly larger reward, then J e_2, and so on.  As J and N grow the ratio tends to 1 - 1/e.  The
resources printed in the paper admit more configurations than these; K is the set used in its proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from slotscope.model.programs.configurations import Configuration, ConfigurationSpace

#: The most types, and the most jobs of the last type; beyond them rewards differ too much in magnitude for a run.
MOST_TYPES, MOST_JOBS = 8, 1000


@dataclass(frozen=True)
class AppendixC:
    """One member of the family."""

    #: types, jobs: J >= 2 and N >= 1
    types: int
    jobs: int

    def __post_init__(self) -> None:
        """Raise ValueError for types or jobs outside the family."""
        for name, value, least, most in (("J", self.types, 2, MOST_TYPES), ("N", self.jobs, 1, MOST_JOBS)):
            if not least <= value <= most:
                raise ValueError(f"found {name} = {value}, allowed: {least} to {most}")

    @property
    def shrink(self) -> Fraction:
        """1 - 1/J, the factor between consecutive rewards."""
        return 1 - Fraction(1, self.types)

    @property
    def members(self) -> tuple[Configuration, ...]:
        """[J + 1][J] the maximal configurations."""
        last = self.types - 1
        single = [tuple(self.types * (i == j) for j in range(self.types)) for i in range(last)]
        return (*single, (0,) * last + (self.jobs + 1,), (1,) * last + (self.jobs,))

    @property
    def space(self) -> ConfigurationSpace:
        """K."""
        return ConfigurationSpace.from_maximal(self.members)

    @property
    def rewards(self) -> tuple[Fraction, ...]:
        """[J] u_j."""
        first = [self.shrink**i / self.types for i in range(self.types - 1)]
        return (*first, self.shrink ** (self.types - 1) / (self.jobs + 1))

    @property
    def workload(self) -> tuple[Fraction, ...]:
        """[J] rho_j per server."""
        return (*[Fraction(1)] * (self.types - 1), Fraction(self.jobs))

    @property
    def greedy(self) -> Fraction:
        """U^(g) = 1 - (1 - 1/J)^J."""
        return 1 - self.shrink**self.types

    @property
    def optimum(self) -> Fraction:
        """U* = 1 - (1 - 1/J)^(J-1) / (N + 1)."""
        return 1 - self.shrink ** (self.types - 1) / (self.jobs + 1)

    def scenario(self, servers: int) -> dict[str, Any]:
        """The member as the data of a scenario with *servers* servers, as in a TOML file."""
        return {
            "title": f"Appendix C with J = {self.types} and N = {self.jobs}",
            "description": (
                f"The adversarial family: greedy packing reaches {self.greedy / self.optimum} of the optimum."
            ),
            "paper": "Psychas & Ghaderi (2022), Online Appendix C",
            "system": "reservation",
            "seed": 1,
            "policy": {"name": "dra", "parameters": {"reservation_factor": "log^1.1"}},
            "run": {"until": 100, "warmup": 10, "time_unit": "mean service times"},
            "servers": {"count": servers, "configurations": [list(member) for member in self.members]},
            "job_types": [
                {"name": f"type {j}", "reward": str(reward), "workload": str(load)}
                for j, (reward, load) in enumerate(zip(self.rewards, self.workload, strict=True), start=1)
            ],
        }
