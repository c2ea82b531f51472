"""greedy(p*): a job requests i servers with probability p*_i, and gets as many of them as are free.

Reference
    Ghanbarian et al. (2025), Section 4, (10); several classes: Section 6.
Implements
    Lines as in ``pseudocode``.
Symbols
    p*_i   ``distribution(type)``      s_i y*_i / lambda, y* an optimal solution of (P), or of (Q)
    j      ``view.free(type)``  free servers
    b_j    ``shares``           the share of the servers that is reserved for a class
Deviations
    Floor(b_j n) servers are reserved for a class.  The remaining servers stay idle, or with
    ``rest = "common"`` serve all classes whose own servers are busy.  p and b may be given, or computed
    for a load other than the scenario's.  If only shares are given, p is the solution of (Q2), or that
    of (Q) for a class that depends on the common servers.  A single class uses all n servers, unless a
    share is given.
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
    """Parameters that replace the optimum for the scenario's load.

    ``p``: p_1, p_2, ..., for all classes or for each class by name; they add up to 1.  ``shares``: b_j of
    each class; ``"optimal"``: b* of (Q1); ``"none"``: all servers are open to all classes.  ``load``: the
    load for which p* and b* are computed.  ``rest``: how servers that are reserved for no class are used.
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
        """The pseudocode lines in which the parameters make the policy differ from the paper."""
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
        """The pairs (i, p*_i) of a class with p*_i > 0."""
        return [(i, float(p)) for i, p in enumerate(self._distributions[job_class], 1) if p]


def _optimum(numbers: MoldableNumbers, parameters: Parameters) -> Any:
    """The solution of (P) or (Q) that the policy uses; None if it needs none.

    Raises ScenarioError if the policy needs a solution and there is none.
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
    """[l] the arrival rates lambda_j for a *load*, in the same proportions as in the scenario.

    Raises ScenarioError if there are several classes and the scenario gives no arrival rates.
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
    """[l] p_1, ..., p_{d_j} of each class: the given ones, those of (Q), or those of (Q2) for given shares."""
    if parameters.p is not None:
        return _given_distributions(numbers, parameters.p)
    if found is not None:
        return [one.p for one in found.classes]
    if numbers.requests_scripted:  # the script says what each job asks for
        return [(Fraction(1),)] * numbers.classes
    return _distributions_within(numbers, parameters, shares)


def _given_distributions(numbers: MoldableNumbers, given: Any) -> list[Sequence[Fraction]]:
    """[l] the given distributions. Raises ValueError if one has more than d_j entries or a sum other than 1."""
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
    """[l] p* of each class within its share b_j, by (Q2); by (Q) for a class that needs the common servers.

    If a share is below the load of its class, (Q2) has no solution: the jobs of the class then request one
    server each, which is the limit of p* as the share falls to the load.
    Raises ValueError if the load of a class is not known.
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
    """[l] the given shares b_j; empty if none are given: all servers are then one pool, or the optimum
    sets the shares.

    Raises ValueError if the given shares add up to more than 1.
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
    """The pools of the classes, and the common pool if there is one.

    Raises ValueError if a class has neither a server of its own nor a common pool.
    """
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
