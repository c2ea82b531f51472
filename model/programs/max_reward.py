"""MaxReward with the ties of Definition 2 (Psychas & Ghaderi 2022, Definitions 2 and 3).

First the highest reward, by the search of :mod:`model.programs.knapsack`; then, type by
type, the highest count with which the other types can still make up that reward.  Nothing
is listed, and a tie among very many configurations costs no more than none.
"""

from __future__ import annotations

from typing import Sequence

from slotscope.model.programs.knapsack import UNBOUNDED, Integers, densities, heaviest

Configuration = tuple[int, ...]


def additive_max_reward(
    demand: Sequence[Integers], capacity: Integers, rewards: Integers, types: Integers
) -> Configuration:
    """MaxReward over *types*, each of which fits, where demands add up.

    Parameters
    ----------
    demand, capacity, rewards:
        [J][n], [n] and [J], integers >= 0.
    types:
        J', ascending.

    Raises
    ------
    ValueError
        If the search is too long.
    """
    witness = heaviest(demand, capacity, rewards, types)
    assert witness is not None, "the empty configuration is always feasible"
    missing = sum(u * count for u, count in zip(rewards, witness, strict=True))
    room = list(capacity)
    table = densities([demand[j] for j in types], [rewards[j] for j in types])
    answer = [0] * len(demand)
    for place, j in enumerate(types):
        rest = types[place + 1 :]
        most = _most(demand[j], room, rewards[j], missing, table, place + 1)
        for count in range(most, -1, -1):
            left = [r - count * s for r, s in zip(room, demand[j], strict=True)]
            need = missing - count * rewards[j]
            found: Configuration | None = witness
            if witness[j] != count:
                found = heaviest(demand, left, rewards, rest, above=need - 1, enough=need)
            if found is not None:
                witness, room, missing, answer[j] = found, left, need, count
                break
    return tuple(answer)


def _most(
    sizes: Integers, room: Integers, reward: int, missing: int, table: tuple[list[int], list[int]], level: int
) -> int:
    """The highest count of one type with which the rest may still bring what is missing.

    In a column where the rest brings at most p per unit of room, c jobs leave
    (room - c size) p, and c reward + (room - c size) p >= missing bounds c if reward < size p.
    """
    numerators, denominators = table
    most = min(r // s for r, s in zip(room, sizes, strict=True) if s)
    for d, (size, left) in enumerate(zip(sizes, room, strict=True)):
        numerator = numerators[level * len(room) + d]
        denominator = denominators[level * len(room) + d]
        loss = size * numerator - reward * denominator
        if numerator != UNBOUNDED and loss > 0:
            most = min(most, (left * numerator - missing * denominator) // loss)
    return most


def heaviest_restriction(members: Sequence[Integers], rewards: Integers, types: Integers) -> Configuration:
    """MaxReward over *types* in the set below *members*.

    Rewards are not negative, so some member with the other types' slots taken away is best,
    also in the order of Definition 2.
    """
    usable = set(types)
    restricted = (tuple(count if j in usable else 0 for j, count in enumerate(member)) for member in members)
    return max(restricted, key=lambda k: (sum(u * n for u, n in zip(rewards, k, strict=True)), k))
