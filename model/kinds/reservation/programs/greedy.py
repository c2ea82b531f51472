"""The global greedy assignment, exactly (Psychas & Ghaderi 2022, Section 3.1).

GPA with fractions instead of whole servers: the configuration of largest reward is used
until some job type in it runs out, this type is removed, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import mul
from typing import Sequence

from slotscope.model.programs.configurations import Configuration, ConfigurationSpace, definition_order, integer_rewards

#: The most subsets of job types for which MaxReward is computed for the greedy configuration set.
MOST_SUBSETS = 2**16


@dataclass(frozen=True)
class GreedyAssignment:
    """x^(g)[rho] (Definition 5) for the m types that fit a server; m = J if all do."""

    permutation: tuple[int, ...]  #: [m] sigma of Proposition 1: the type (from 0) that runs out in each step
    configurations: tuple[Configuration, ...]  #: [m + 1] k^(1), ..., k^(m) and the empty configuration
    #: [m] the servers, as a share of all, that each configuration would take if servers were unlimited; may add up to
    #: more than 1
    z: tuple[Fraction, ...]
    x: tuple[Fraction, ...]  #: [m + 1] shares of the servers; they add up to 1
    last: int  #: I_rho, from 1: the configuration at which the servers run out; m + 1 if the whole workload is served
    objective: Fraction  #: U^(g)[rho], reward per server and unit of time

    def fractions(self) -> dict[Configuration, Fraction]:
        """The positive shares x_k; they add up to 1, including that of the empty configuration."""
        return {configuration: share for configuration, share in zip(self.configurations, self.x, strict=True) if share}


def global_greedy(
    space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> GreedyAssignment:
    """The global greedy assignment of a workload, by the construction of Appendix A.

    Proposition 1 does not determine the permutation if several types run out at once;
    the construction takes the lowest type.  x^(g) and U^(g) do not depend on this choice.

    - *space*: K, over J types.
    - *rewards*: [J] u_j >= 0.
    - *workload*: [J] rho_j >= 0 per server.  Types that fit no server are left out.

    Raises ValueError if a length is wrong or a number negative.
    """
    check_numbers(space, rewards, workload)
    units, unit = integer_rewards(rewards)
    allowed = sum(1 << j for j in range(space.types) if space.fits[j])
    parts = lcm(*(amount.denominator for amount in workload))  # z and x are integers in units of 1 / parts
    left = [amount.numerator * (parts // amount.denominator) for amount in workload]
    permutation: list[int] = []
    configurations: list[Configuration] = []
    z: list[tuple[int, int]] = []
    while allowed:
        configuration = space.max_reward(units, allowed)
        # (56): how many servers can have the configuration before each of its types runs out.
        first = _first_out(left, configuration)
        wanted, count = left[first], configuration[first]
        left = [amount * count - wanted * other for amount, other in zip(left, configuration, strict=True)]
        parts *= count
        permutation.append(first)
        configurations.append(configuration)
        z.append((wanted, parts))
        allowed ^= 1 << first
    configurations.append((0,) * space.types)
    x, last = _shares([wanted * (parts // each) for wanted, each in z], parts)
    reward = sum(
        share * sum(map(mul, units, configuration)) for share, configuration in zip(x, configurations, strict=True)
    )
    return GreedyAssignment(
        permutation=tuple(permutation),
        configurations=tuple(configurations),
        z=tuple(Fraction(*one) for one in z),
        x=tuple(Fraction(share, parts) for share in x),
        last=last,
        objective=reward * unit / parts,
    )


def _first_out(left: Sequence[int], configuration: Configuration) -> int:
    """The type that runs out first if servers with a configuration take the workload *left*; ties: the lowest type."""
    first = -1
    for j, count in enumerate(configuration):
        if count and (first < 0 or left[j] * configuration[first] < left[first] * count):
            first = j
    return first


def _shares(z: Sequence[int], parts: int) -> tuple[list[int], int]:
    """(3.5) and I_rho: the servers, as *parts* units, are given to the configurations in order until none is left."""
    left, x, last = parts, [], len(z) + 1
    for i, wanted in enumerate(z, start=1):
        x.append(min(wanted, left))
        if wanted >= left and last > len(z):
            last = i
        left -= x[-1]
    return [*x, left], last


def greedy_configurations(space: ConfigurationSpace, rewards: Sequence[Fraction]) -> tuple[Configuration, ...]:
    """K^(g), in descending order of Definition 2, the empty configuration last (Definition 6).

    MaxReward(K^{J'}) stays the same as long as J' contains the types that it uses, so that a further
    subset is examined only after one of these types has been removed.
    Raises ValueError if MaxReward would be needed for more than :data:`MOST_SUBSETS` subsets; never with 16 job
    types or fewer.
    """
    units, _ = integer_rewards(rewards)
    start = (1 << space.types) - 1
    seen, waiting = {start}, [start]
    found: set[Configuration] = {(0,) * space.types}
    while waiting:
        allowed = waiting.pop()
        configuration = space.max_reward(units, allowed)
        found.add(configuration)
        smaller = {allowed ^ (1 << j) for j, count in enumerate(configuration) if count}
        waiting.extend(smaller - seen)
        seen |= smaller
        if len(seen) > MOST_SUBSETS:
            raise ValueError(
                f"the greedy configurations of {space.types} job types need MaxReward for more "
                f"than {MOST_SUBSETS} subsets of them; at most 16 types always work"
            )
    return tuple(definition_order(found, rewards))


def check_numbers(space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> None:
    """Refuse rewards and workloads of the wrong length or sign (ValueError)."""
    for name, numbers in (("rewards", rewards), ("workloads", workload)):
        if len(numbers) != space.types:
            raise ValueError(f"found {len(numbers)} {name} for {space.types} job types")
        if min(numbers) < 0:
            raise ValueError(f"found {min(numbers)} among the {name}; at least 0 is allowed")
