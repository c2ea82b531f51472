"""The global greedy assignment, exactly (Psychas & Ghaderi 2022, Section 3.1).

GPA with fractions instead of whole servers: the configuration of highest reward is used
until some job type in it runs out, that type is removed, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Sequence

from slotscope.model.programs.configurations import Configuration, ConfigurationSpace, definition_order, integer_rewards

#: Most subsets of job types whose MaxReward is asked for the greedy configuration set.
MOST_SUBSETS = 2**16


@dataclass(frozen=True)
class GreedyAssignment:
    """x^(g)[rho] (Definition 5) for the m types that fit in a server; m = J if all do."""

    permutation: tuple[int, ...]  #: [m] sigma of Proposition 1: the type (from 0) that runs out in each step
    configurations: tuple[Configuration, ...]  #: [m + 1] k^(1), ..., k^(m) and the empty configuration
    #: [m] servers, as a share of all, that each configuration would take if there were any number of servers; may add
    #: up to more than 1
    z: tuple[Fraction, ...]
    x: tuple[Fraction, ...]  #: [m + 1] shares of the servers; they add up to 1
    last: int  #: I_rho, from 1: where the servers run out; m + 1 if the whole workload is served
    objective: Fraction  #: U^(g)[rho], reward per server and time unit

    def fractions(self) -> dict[Configuration, Fraction]:
        """The positive shares x_k; they add up to 1, the empty configuration included."""
        return {configuration: share for configuration, share in zip(self.configurations, self.x, strict=True) if share}


def global_greedy(
    space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> GreedyAssignment:
    """The global greedy assignment of a workload, by the construction of Appendix A.

    Proposition 1 does not determine the permutation where several types run out at once;
    the construction takes the lowest one.  x^(g) and U^(g) do not depend on that choice.

    - *space*: K, over J types.
    - *rewards*: [J] u_j >= 0.
    - *workload*: [J] rho_j >= 0 per server.  Types that fit in no server are left out.

    Raises ValueError if a length is wrong or a number negative.
    """
    check_numbers(space, rewards, workload)
    units, _ = integer_rewards(rewards)
    allowed = sum(1 << j for j in range(space.types) if space.fits[j])
    left = list(workload)
    permutation: list[int] = []
    configurations: list[Configuration] = []
    z: list[Fraction] = []
    while allowed:
        configuration = space.max_reward(units, allowed)
        # (56): how far the configuration can be used before each of its types runs out.
        reach = {j: left[j] / count for j, count in enumerate(configuration) if count}
        first = min(reach, key=lambda j: (reach[j], j))
        left = [amount - reach[first] * count for amount, count in zip(left, configuration, strict=True)]
        permutation.append(first)
        configurations.append(configuration)
        z.append(reach[first])
        allowed ^= 1 << first
    configurations.append((0,) * space.types)
    x, last = _shares(z)
    return GreedyAssignment(
        permutation=tuple(permutation),
        configurations=tuple(configurations),
        z=tuple(z),
        x=x,
        last=last,
        objective=_reward(configurations, x, rewards),
    )


def _shares(z: Sequence[Fraction]) -> tuple[tuple[Fraction, ...], int]:
    """(3.5) and I_rho: the servers go to the configurations in order until none is left."""
    left = Fraction(1)
    x: list[Fraction] = []
    last = len(z) + 1
    for i, wanted in enumerate(z, start=1):
        x.append(min(wanted, left))
        if wanted >= left and last > len(z):
            last = i
        left -= x[-1]
    return (*x, left), last


def _reward(configurations: Sequence[Configuration], x: Sequence[Fraction], rewards: Sequence[Fraction]) -> Fraction:
    return sum(
        (
            share * reward * count
            for configuration, share in zip(configurations, x, strict=True)
            if share
            for reward, count in zip(rewards, configuration, strict=True)
            if count
        ),
        Fraction(0),
    )


def greedy_configurations(space: ConfigurationSpace, rewards: Sequence[Fraction]) -> tuple[Configuration, ...]:
    """K^(g), in descending order of Definition 2, the empty configuration last (Definition 6).

    MaxReward(K^{J'}) stays the same as long as J' keeps the types that it uses, so subsets
    are only looked at after one of those has been removed.
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
