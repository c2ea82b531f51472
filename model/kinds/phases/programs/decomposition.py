"""LP (61) solved as a mixture of policies, by the decomposition of Dantzig and Wolfe.

Hong, Xie & Wang (2023), Appendix C.1.  The master problem, a small program, mixes known policies so that the
throughputs are in the right proportion and the budget holds; its dual prices define a decision process whose best
policy (:mod:`model.kinds.phases.programs.process`) joins the mixture, until no policy would improve it.  By duality
that proves the optimum of (61); and as each policy has its pi on its own recurrent class, the
support of the sum is certain, however small its entries are.  With 1001 configurations of 4 phases
this takes a second and the simplex method 20; with 4845 some 20 seconds, and the simplex method many minutes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.programs.policy import PolicyPart, together
from slotscope.model.kinds.phases.programs.process import (
    MOST_IMPROVEMENTS,
    WAIT,
    Evaluated,
    Prices,
    Process,
    UndecidedError,
)
from slotscope.model.kinds.phases.programs.program import SingleServerProgram, program_of
from slotscope.model.kinds.phases.programs.simplex import Progress, unheard

#: Largest excess of the dual bound over Phi, relative to Phi, of a certified optimum.
GAP_TOLERANCE = 1e-8
#: A policy must improve on the mixture by more than this, relative to the mixture's value.
LOCAL_TOLERANCE = 1e-12
#: Solvers of the master problem, tried in turn: HiGHS fails on some small programs in its presolve, and its
#: dual simplex method fails on some whose optimum is 0.
_SOLVERS = (("highs-ds", True), ("highs-ds", False), ("highs-ipm", True))
#: Most policies in a mixture; then the search ends without proof.
MOST_POLICIES = 1_000
#: Weights below this are 0 up to the solver's rounding.
WEIGHT_TOLERANCE = 1e-11
#: A configuration is negligible if less than this share of all events leads there.
RARE_FLOW = 1e-10
#: Policies whose stationary distributions overlap by more than this are mixed on one server.
OVERLAP = 0.01
#: Tolerances of the solver of the master problem.
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
#: With more configurations than this, a program this many times smaller is solved first.
MOST_AT_ONCE, FRACTION = 1_200, 3
#: Improvements of a policy without gain after which the first search stops.
PATIENCE = 2
#: Damping of the prices: the weight of the best known ones.
DAMPING = 0.5
#: The first penalty for throughputs out of proportion, its growth while they remain, and how often it grows at most.
FIRST_PENALTY, PENALTY_GROWTH, MOST_GROWTH = 4.0, 10.0, 12


@dataclass(frozen=True, eq=False)
class Decomposed:
    """An optimum as a mixture; see :class:`model.kinds.phases.programs.single_server`."""

    phi: float
    parts: tuple[PolicyPart, ...]
    spent: float
    budget_price: float
    type_prices: tuple[float, ...]
    certified: bool
    gap: float
    status: str
    evaluations: int


@dataclass(frozen=True, eq=False)
class _Mixture:
    """An optimum of the master problem: Phi, the value less penalties, weights [P], prices, and the sum of faults."""

    phi: float
    value: float
    weights: NDArray[np.float64]
    prices: Prices
    faults: float


def decomposed(program: SingleServerProgram, progress: Progress = unheard) -> Decomposed:
    """Solve (61).

    Raises GivenUpError if the caller's wait was cancelled; ScenarioError if the rates differ too much for floating
    point.
    """
    try:
        return _begun(program, progress).solve()
    except UndecidedError:
        raise undecided(program) from None


def undecided(program: SingleServerProgram) -> ScenarioError:
    """The error that floating point is not precise enough for a model."""
    return ScenarioError(
        "the rates of this model differ so much that floating point cannot tell how often a server is in each of its "
        f"{program.configurations:,} configurations; rates that differ less, or a smaller servers.most_jobs, would do",
        where="phases",
    )


def _begun(program: SingleServerProgram, progress: Progress) -> _Decomposition:
    """The decomposition with its first policies: for a large program, those of the optimum with a smaller K_max."""
    solving = _Decomposition(program, progress)
    most = _fewer_jobs(program)
    if most:
        smaller = program_of(replace(program.model, most_jobs=most))
        before = _begun(smaller, progress)
        before.solve()
        solving.begin_with(before)
    return solving


def _fewer_jobs(program: SingleServerProgram) -> int:
    """The largest K_max with at most a third of the configurations; 0 if there are few enough already."""
    if program.configurations <= MOST_AT_ONCE:
        return 0
    phases, most = len(program.model.phases), program.model.most_jobs
    few = program.configurations // FRACTION
    return next((jobs for jobs in range(most - 1, 0, -1) if comb(jobs + phases, phases) <= few), 0)


class _Decomposition:
    def __init__(self, program: SingleServerProgram, progress: Progress) -> None:
        self._program, self._process = program, Process(program)
        self._progress = progress
        self._arrivals = np.array([float(rate) for rate in program.model.arrival_rates])
        self._budget = float(program.model.budget)
        self._policies: list[Evaluated] = []
        self._throughputs: list[NDArray[np.float64]] = []
        self._costs: list[float] = []
        self._penalty = FIRST_PENALTY
        #: [C] the policy from which the next search starts.
        self._latest = np.full(self._process.size, WAIT, np.int64)
        self._center = Prices(np.where(self._arrivals > 0, 1 / self._arrivals.sum(), 0.0), 0.0)
        for kind in self._process.arriving:
            most = self._process.filled(int(kind), self._budget)
            for jobs in sorted({1, most}):
                action = self._process.first(int(kind), jobs)
                self._add(self._process.evaluate(action, self._center))

    def begin_with(self, other: _Decomposition) -> None:
        """Take over the prices and the policies in use from a solved program with a smaller K_max."""
        self._center = other._center
        self._process.evaluations += other._process.evaluations
        rows = other._process.configurations.tolist()
        places = [self._program.lattice.place(tuple(row)) for row in rows]
        for policy in other._policies:
            action = np.full(self._process.size, WAIT, np.int64)
            action[places] = policy.action
            self._add(self._process.evaluate(action, self._center))

    def solve(self) -> Decomposed:
        """Add policies until none gains, then compute the bound that proves the optimum."""
        center, best = self._center, np.inf
        growths = 0
        while True:
            mixture = self._mix()
            self._tell(mixture)
            if len(self._policies) >= MOST_POLICIES:
                return self._result(mixture, np.inf)
            damped = _between(center, mixture.prices, DAMPING)
            found = self._improve(damped, patience=PATIENCE)
            worth = found.gain + damped.cost * self._budget
            if worth < best:
                center, best = damped, worth
            if self._gains(found, mixture):
                continue
            found, gained = self._search(mixture)
            if gained:
                continue
            if mixture.faults > WEIGHT_TOLERANCE and growths < MOST_GROWTH:
                self._penalty *= PENALTY_GROWTH
                growths += 1
                center, best = mixture.prices, np.inf
                continue
            bound = self._process.bound(found, mixture.prices)
            self._center = mixture.prices
            mixture = self._agreed(mixture, found)
            return self._result(mixture, bound + mixture.prices.cost * self._budget)

    def _search(self, mixture: _Mixture) -> tuple[Evaluated, bool]:
        """A policy that gains at the mixture's prices, from ever more thorough searches, and True; or the best
        policy in all of K, which does not gain, and False.
        """
        found = self._improve(mixture.prices, patience=PATIENCE)
        if self._gains(found, mixture):
            return found, True
        found = self._improve(mixture.prices)
        if self._gains(found, mixture):
            return found, True
        found = self._improve(mixture.prices, everywhere=True)
        return found, self._gains(found, mixture)

    def _improve(self, prices: Prices, everywhere: bool = False, patience: int = MOST_IMPROVEMENTS) -> Evaluated:
        """A good policy for the prices, from a search that starts at the policy found last."""
        found = self._process.improved(self._latest, prices, everywhere, patience)
        self._latest = found.action
        return found

    def _gains(self, found: Evaluated, mixture: _Mixture) -> bool:
        """Add a policy if it is worth more than the mixture at the mixture's prices; return whether it was added."""
        throughput = self._process.frequencies(found).sum(axis=0)
        cost = float(self._process.cost @ found.stationary)
        prices = mixture.prices
        worth = float(prices.types @ throughput) - prices.cost * (cost - self._budget)
        if worth <= mixture.value + LOCAL_TOLERANCE * abs(mixture.value):
            return False
        return self._add(found)

    def _add(self, found: Evaluated) -> bool:
        """Add a policy; return False if an equal one is in the mixture."""
        throughput = self._process.frequencies(found).sum(axis=0)
        cost = float(self._process.cost @ found.stationary)
        for known, spent in zip(self._throughputs, self._costs, strict=True):
            if spent == cost and (known == throughput).all():
                return False
        self._policies.append(found)
        self._latest = found.action
        self._throughputs.append(throughput)
        self._costs.append(cost)
        return True

    def _mix(self) -> _Mixture:
        """Solve the master problem: max Phi less penalties for throughputs out of proportion and for
        cost beyond the budget.
        """
        kinds = self._process.arriving
        arrivals = self._arrivals[kinds]
        count, types = len(self._policies), len(kinds)
        throughput = np.array(self._throughputs)[:, kinds]
        width = count + 1 + 2 * types + 1
        equal = np.zeros((types + 1, width))
        equal[:types, :count] = throughput.T
        equal[:types, count] = -arrivals
        equal[:types, count + 1 : count + 1 + types] = np.eye(types)
        equal[:types, count + 1 + types : -1] = -np.eye(types)
        equal[types, :count] = 1
        most = np.zeros((1, width))
        most[0, :count], most[0, -1] = self._costs, -1
        reach = float((throughput / arrivals).max())
        fault = self._penalty / arrivals
        over = self._penalty * reach / self._budget if self._budget else 1.0
        loss = np.concatenate([np.zeros(count), [-1.0], fault, fault, [over]])
        right = np.append(np.zeros(types), 1.0)
        for method, presolve in _SOLVERS:
            options = TIGHT | {"presolve": presolve}
            solution = linprog(loss, most, [self._budget], equal, right, method=method, options=options)
            if solution.status == 0:
                break
        else:
            raise UndecidedError
        weights = solution.x[:count]
        price = np.zeros(len(self._arrivals))
        price[kinds] = solution.eqlin.marginals[:types]
        cost = max(-float(solution.ineqlin.marginals[0]), 0.0)
        faults = float(solution.x[count + 1 :].sum())
        prices = Prices(price, 0.0 if self._program.model.hard else cost)
        return _Mixture(float(solution.x[count]), -float(solution.fun), weights, prices, faults)

    def _agreed(self, mixture: _Mixture, judge: Evaluated) -> _Mixture:
        """The same mixture, of policies that agree in all configurations in which a server hardly ever is.

        There rounding alone decides; if one policy waits and another requests, the ratio of two tiny numbers would
        become the rate of a timer.  So among policies that are kept together the one that is there most often decides,
        and *judge* if none of them ever is.
        """
        before = self._policies, self._throughputs, self._costs
        used = np.flatnonzero(mixture.weights > WEIGHT_TOLERANCE)
        policies = [self._policies[place] for place in used]
        flows = np.array(
            [weight * self._flow(policy) for weight, policy in zip(mixture.weights[used], policies, strict=True)]
        )
        groups = _groups(policies)
        self._policies, self._throughputs, self._costs = [], [], []
        for number, policy in enumerate(policies):
            same = np.flatnonzero(groups == groups[number])
            flow = flows[same].sum(axis=0)
            actions = np.array([policies[other].action for other in same])
            chosen = actions[flows[same].argmax(axis=0), np.arange(len(flow))]
            chosen = np.where(flow > 0, chosen, judge.action)
            action = np.where(flow < RARE_FLOW * flow.sum(), chosen, policy.action)
            self._add(self._process.evaluate(action, mixture.prices))
        agreed = self._mix()
        worse = agreed.value < mixture.value * (1 - GAP_TOLERANCE / 2)
        if worse or agreed.faults > WEIGHT_TOLERANCE:
            self._policies, self._throughputs, self._costs = before
            return mixture
        return _Mixture(agreed.phi, agreed.value, agreed.weights, mixture.prices, 0.0)

    def _flow(self, policy: Evaluated) -> NDArray[np.float64]:
        """[C] the rate at which a server leaves each configuration."""
        visited = policy.stationary * self._process.out
        return np.asarray(visited + self._process.frequencies(policy).sum(axis=1))

    def _tell(self, mixture: _Mixture) -> None:
        self._progress(self._process.evaluations, 0.0 if mixture.faults > WEIGHT_TOLERANCE else mixture.phi)

    def _result(self, mixture: _Mixture, bound: float) -> Decomposed:
        """The result: the mixture's pi and u, polished, with the gap to *bound*."""
        used = np.flatnonzero(mixture.weights > WEIGHT_TOLERANCE)
        weights = self._polished(used, mixture)
        policies = [self._policies[place] for place in used]
        parts = tuple(
            self._part(weights[same], [policies[place] for place in same]) for same in _members(_groups(policies))
        )
        stationary, requests = together(parts)
        phi = float(requests.sum() / self._arrivals.sum())
        if mixture.faults > WEIGHT_TOLERANCE:
            phi = 0.0
        gap = max(bound - phi, 0.0) / phi if phi > 0 else np.inf
        certified = gap <= GAP_TOLERANCE
        hard = self._program.model.hard
        cost = 0.0 if hard else float(self._process.cost[1:] @ stationary[1:])
        active = 1.0 - float(stationary[0])
        return Decomposed(
            phi=phi,
            parts=parts,
            spent=cost / active if active > 0 else 0.0,
            budget_price=mixture.prices.cost,
            type_prices=tuple(mixture.prices.types.tolist()),
            certified=certified,
            gap=float(gap),
            status="optimal" if certified else f"Phi may be up to {gap:.2g} of itself larger",
            evaluations=self._process.evaluations,
        )

    def _part(self, weights: NDArray[np.float64], policies: list[Evaluated]) -> PolicyPart:
        """The part of policies that are mixed on the same servers, with their *weights*."""
        share = float(weights.sum())
        stationary = np.zeros(self._process.size)
        requests = np.zeros((self._process.size, self._process.types))
        for weight, policy in zip(weights / share, policies, strict=True):
            stationary += weight * policy.stationary
            requests += weight * self._process.frequencies(policy)
        return PolicyPart(share, stationary, requests)

    def _polished(self, used: NDArray[np.int64], mixture: _Mixture) -> NDArray[np.float64]:
        """The weights of the policies in use, solved anew without the solver's rounding."""
        kinds = self._process.arriving
        rows = [*(np.array(self._throughputs)[used][:, kinds] / self._arrivals[kinds]).T, np.ones(len(used))]
        left = np.column_stack([np.array(rows), [*-np.ones(len(kinds)), 0.0]])
        right = np.append(np.zeros(len(kinds)), 1.0)
        if mixture.prices.cost > 0:
            scale = self._budget or 1.0
            left = np.vstack([left, [*np.array(self._costs)[used] / scale, 0.0]])
            right = np.append(right, 1.0)
        guess = np.append(mixture.weights[used], mixture.phi)
        step = np.linalg.lstsq(left, right - left @ guess, rcond=None)[0]
        weights = np.maximum((guess + step)[:-1], 0.0)
        return np.asarray(weights / weights.sum())


def _groups(policies: list[Evaluated]) -> NDArray[np.int64]:
    """[P] a group number for each policy: policies in a group share configurations.

    (61) also allows policies without common configurations on one server, but the server would change between
    them once in a lifetime; such policies get pools of their own.
    """
    count = len(policies)
    pi = np.array([policy.stationary for policy in policies])
    meet = np.array([[np.minimum(one, other).sum() > OVERLAP for other in pi] for one in pi])
    if not count:
        return np.zeros(0, np.int64)
    return np.asarray(connected_components(sparse.csr_matrix(meet))[1], np.int64)


def _members(groups: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [np.flatnonzero(groups == name) for name in np.unique(groups)]


def _between(known: Prices, fresh: Prices, share: float) -> Prices:
    """Prices between *known* (weight *share*) and *fresh*."""
    return Prices(share * known.types + (1 - share) * fresh.types, share * known.cost + (1 - share) * fresh.cost)
