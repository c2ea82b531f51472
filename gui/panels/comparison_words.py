"""What the comparison calls decisions, for each kind of system whose jobs are decided singly."""

from __future__ import annotations

from types import MappingProxyType
from typing import Mapping, NamedTuple


class DecisionWords(NamedTuple):
    """Words for decisions that differ."""

    first: str  #: where the first one that differs is
    where: str  #: what else can differ besides whether a job gets in
    where_tip: str
    alike: str  #: ``{count}`` stands for the jobs so far


_LOSS = DecisionWords(
    "Stands just before the first job that one policy admits and another rejects.",
    "or another server",
    "Another server counts as another decision, too.",
    "Each of the {count} jobs so far was admitted, or rejected, by all of them alike.",
)

#: By kind of system; those that are not here compare no decisions.
DECISION_WORDS: Mapping[str, DecisionWords] = MappingProxyType({
    "reservation": _LOSS,
    "moldable": DecisionWords(
        "Stands just before the first job that one policy gives servers and another blocks.",
        "or another number of servers",
        "Another number of servers counts as another decision, too.",
        "Each of the {count} jobs so far got servers, or was blocked, under all of them alike.",
    ),
})  # fmt: skip


def words_of(system: str) -> DecisionWords:
    """The words of a kind of system."""
    return DECISION_WORDS.get(system, _LOSS)
