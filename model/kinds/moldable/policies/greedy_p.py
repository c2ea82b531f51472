"""greedy(p*): a job asks for i servers with probability p*_i, and gets as many of them as are free.

Reference
    Ghanbarian et al. (2025), Section 4, (10); several classes: Section 6.
Implements
    Lines as in ``pseudocode``.
Symbols
    p*_i   ``distribution(type)``      s_i y*_i / lambda, y* an optimal solution of (P), or of (Q)
    j      ``view.free(type)``  free servers
    b_j    ``shares``           the share of the servers that is reserved for a class
Deviations
    Floor(b_j n) servers are reserved for a class; the rest is idle, or with ``rest = "common"``
    open to all classes once their own servers are busy.  p and b may be given, or found for another
    load than that of the scenario.  For shares that are given p is that of (Q2), or that of (Q)
    where a class is to live off the common rest.  With one class all n servers are open to it,
    unless a share is given.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, Sequence

from pydantic import Field

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.policies.base import NO_TABLE, MoldablePolicy, PseudocodeLine, listing
from slotscope.model.kinds.moldable.programs.classes import class_optimum
from slotscope.model.kinds.moldable.programs.theorem1 import optimum
from slotscope.model.kinds.moldable.rules import AllocationRules, drawn, pooled
from slotscope.model.policies.common import departing
from slotscope.model.reporting.records import Line
from slotscope.model.scenario.fields import Name, NotNegative, Positive, Section, one_or_table

Distribution = tuple[NotNegative, ...]
Distributions = dict[Name, Distribution]
Shares = dict[Name, NotNegative]
Sharing = Literal["optimal", "none"]


class Parameters(Section):
    """What the policy goes by instead of the optimum for the scenario's load.

    ``p``: p_1, p_2, ..., or that of each class; their sum is 1.  ``shares``: b_j of each class;
    ``"optimal"``: those of (Q1); ``"none"``: all servers are open to all classes.  ``load``: the
    load for which p* and b* are found.  ``rest``: what servers reserved for no class are.
    """

    p: Annotated[Distribution | Distributions, one_or_table(Distribution, Distributions)] | None = None
    shares: Annotated[Sharing | Shares, one_or_table(Sharing, Shares)] = "optimal"
    load: Annotated[Positive, Field(le=1)] | None = None
    rest: Literal["idle", "common"] = "idle"


class Reference(MoldablePolicy):
    """greedy(p*)."""

    schema = Parameters
    draws = True
    pseudocode: tuple[PseudocodeLine, ...] = listing("""
        #1 greedy(p*)
        <b>when</b> a job arrives and j servers are free <b>do</b>
          it asks for i servers, i drawn with probability p*<sub>i</sub>
          it gets min(i, j); <b>if</b> j = 0 it is blocked
    """)

    def __init__(self, numbers: MoldableNumbers, parameters: Parameters) -> None:
        self.numbers = numbers
        self.parameters = parameters
        given = _given_shares(numbers, parameters.shares)
        found = _optimum(numbers, parameters)
        self._distributions = _distributions(numbers, parameters, given, found)
        shared = numbers.classes > 1 and parameters.shares == "optimal"
        self.shares = tuple(found.shares) if shared else given
        width, last = drawn(self._distributions)
        self.rules = AllocationRules(width, last, NO_TABLE, **_pools(numbers, self.shares, parameters.rest))
        self.pseudocode = departing(self.pseudocode, self._texts())

    def _texts(self) -> dict[Line, str]:
        """Lines that are not those of the paper, because of parameters."""
        texts = {}
        if self.parameters.p is not None:
            texts[Line(1, 2)] = "it asks for i servers, i drawn with the given probability p<sub>i</sub>"
        elif self.parameters.load is not None:
            texts[Line(1, 2)] = "it asks for i servers, i drawn with probability p*<sub>i</sub> of the given load"
        if self.rules.common_pool[0] >= 0:
            texts[Line(1, 1)] = "<b>when</b> a job arrives, j servers of its class and common ones are free <b>do</b>"
        elif self.shares:
            texts[Line(1, 1)] = "<b>when</b> a job arrives and j of its class's ⌊b n⌋ servers are free <b>do</b>"
        elif self.numbers.classes > 1:
            texts[Line(1, 1)] = "<b>when</b> a job arrives and j servers, open to all classes, are free <b>do</b>"
        return texts

    def distribution(self, job_class: int) -> list[tuple[int, float]]:
        """(i, p*_i) of a class."""
        return [(i, float(p)) for i, p in enumerate(self._distributions[job_class], 1) if p]


def _optimum(numbers: MoldableNumbers, parameters: Parameters) -> Any:
    """The solution of (P) or (Q) that the policy goes by; None if it needs none.

    Raises ScenarioError if it needs one and there is none.
    """
    one_pool = numbers.classes == 1 or parameters.shares == "none"
    if isinstance(parameters.shares, dict) or (parameters.p is not None and one_pool):
        return None
    if parameters.load is None:
        found = numbers.optimum
        if found is None and not (one_pool and numbers.requests_scripted):
            _refuse(numbers)
        return found
    rates = _rates(numbers, parameters.load)
    return class_optimum(rates, tuple(1 / mean for mean in numbers.means), numbers.speedups)


def _rates(numbers: MoldableNumbers, load: Fraction) -> tuple[Fraction, ...]:
    """[l] lambda_j for a load, in the same proportions as they are.

    Raises ScenarioError if there are several classes and nothing tells the proportions.
    """
    if numbers.classes == 1:
        return (load / numbers.means[0],)
    if not all(numbers.loads):
        raise ScenarioError(
            "found no arrival rates, so that a load cannot be shared out among the classes; give p instead",
            where="policy.parameters.load",
        )
    scale = load / numbers.load
    return tuple(rate * scale for rate in numbers.arrival_rates)


def _refuse(numbers: MoldableNumbers) -> None:
    if numbers.load > 1:
        program, instead = ("(P)", "p") if numbers.classes == 1 else ("(Q)", "p and shares")
        raise ScenarioError(
            f"found a load of {float(numbers.load):.6g}, for which {program} has no solution; allowed: at most 1 "
            f"(Proposition 1), or another policy, or policy.parameters.load, or {instead}",
            where="workload.load",
        )
    raise ScenarioError("found no load, allowed: a workload with one, or p*", where="policy.parameters.p")


def _distributions(
    numbers: MoldableNumbers, parameters: Parameters, shares: Sequence[Fraction], found: Any
) -> list[Sequence[Fraction]]:
    """[l] p_1, ..., p_{d_j} of each class: as given, by (Q2) for given shares, or of (Q)."""
    if parameters.p is not None:
        return _given_distributions(numbers, parameters.p)
    if found is not None:
        return [one.p for one in found.classes]
    if numbers.requests_scripted:  # the script says what each job asks for
        return [(Fraction(1),)] * numbers.classes
    return _distributions_within(numbers, parameters, shares)


def _given_distributions(numbers: MoldableNumbers, given: Any) -> list[Sequence[Fraction]]:
    """The distributions that are given. Raises ValueError if one does not fit its class."""
    by_name = given if isinstance(given, dict) else dict.fromkeys(numbers.class_names, given)
    _check_names("p", by_name, numbers)
    for name, degree in zip(numbers.class_names, numbers.degrees, strict=True):
        distribution = by_name[name]
        if len(distribution) > degree:
            raise ValueError(
                f"p: found {len(distribution)} probabilities for class '{name}', allowed: at "
                f"most {degree}, on which its jobs can run"
            )
        if sum(distribution) != 1:
            raise ValueError(f"p: found a sum of {float(sum(distribution)):.9g} for class '{name}', allowed: 1")
    return [by_name[name] for name in numbers.class_names]


def _distributions_within(
    numbers: MoldableNumbers, parameters: Parameters, shares: Sequence[Fraction]
) -> list[Sequence[Fraction]]:
    """p* of each class within its share b_j, by (Q2); of (Q) where it needs the common rest.

    Where a share is below the class's load (Q2) has no solution: its jobs ask for one server each,
    which is what p* comes to as the share comes near the load.
    Raises ValueError if no load is known.
    """
    rates = _rates(numbers, parameters.load) if parameters.load else numbers.arrival_rates
    distributions: list[Sequence[Fraction]] = []
    for j, (name, share) in enumerate(zip(numbers.class_names, shares, strict=True)):
        load = rates[j] * numbers.means[j]
        if not load:
            raise ValueError(
                f"shares: found a share for class '{name}', allowed where its load is known; or give p too"
            )
        found = optimum(numbers.speedups[j], load / share) if share else None
        if found is not None:
            distributions.append(found.p)
        elif parameters.rest == "common" and numbers.optimum is not None:
            distributions.append(numbers.optimum.classes[j].p)
        else:
            distributions.append((Fraction(1),))
    return distributions


def _given_shares(numbers: MoldableNumbers, given: Any) -> tuple[Fraction, ...]:
    """[l] b_j as given; empty where they are not, and then all servers are one pool or shared by
    the optimum.

    Raises ValueError if shares that are given are above 1 together.
    """
    if not isinstance(given, dict):
        return ()
    _check_names("shares", given, numbers)
    if sum(given.values()) > 1:
        raise ValueError(f"shares: found a sum of {float(sum(given.values())):.9g}, allowed: at most 1")
    return tuple(given[name] for name in numbers.class_names)


def _check_names(where: str, by_name: dict[str, Any], numbers: MoldableNumbers) -> None:
    if set(by_name) != set(numbers.class_names):
        raise ValueError(
            f"{where}: found classes {', '.join(by_name) or 'none'}, allowed: each of "
            f"{', '.join(numbers.class_names)} once"
        )


def _pools(numbers: MoldableNumbers, shares: Sequence[Fraction], rest: str) -> dict[str, Any]:
    """The pools of the classes, and the common one behind them. Raises ValueError if a class has no server at all."""
    if not shares:
        return pooled([numbers.servers], [0] * numbers.classes)
    sizes = [floor(share * numbers.servers) for share in shares]
    if rest == "common":
        return pooled([*sizes, numbers.servers - sum(sizes)], range(numbers.classes), numbers.classes)
    for name, size in zip(numbers.class_names, sizes, strict=True):
        if not size:
            raise ValueError(
                f"shares: found less than one server for class '{name}', allowed: at "
                "least one; use more servers, or rest = 'common'"
            )
    return pooled(sizes, range(numbers.classes))
