"""The Markov chain of one server under a policy, and its recurrent classes.

Hong, Xie & Wang (2023), Remark 2 and Appendix B.3.

Lemma 7 (Appendix C.2) as a check: the policy's chain has the pi and u that the policy was made from.
u counts requests in the order in which the policy makes them; in the fixed order of Definition 1 the lemma does
not hold for requests of several types.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg
from scipy.sparse.csgraph import connected_components

from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.lattice import Lattice
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, TIMERS, PolicyPart, PolicyTable
from slotscope.model.kinds.phases.programs.program import Transitions, transitions_of

#: Digits to which shares are rounded before they are compared.
SHARE_DIGITS = 9


@dataclass(frozen=True, eq=False)
class Chain:
    """The transitions of one server under a policy."""

    requests_at_once: sparse.csr_matrix  #: [C, C] probabilities of the next configuration in case 2
    settled: sparse.csr_matrix  #: [C, C] the configuration in which a chain of requests ends (itself if it waits)
    #: [C, C] rates from a waiting configuration to the next one before any request at once: transitions of jobs, and
    #: timers
    events: sparse.csr_matrix


def chain_of(model: JobModel, lattice: Lattice, table: PolicyTable) -> Chain:
    """The chain (17) of a policy, as an impulsive one (Remark 2)."""
    size = len(lattice)
    lasts = table.case != AT_ONCE
    at_once = _requesting(lattice, np.where(lasts[:, None], 0.0, table.choice))
    moves: Transitions = transitions_of(model, lattice)
    jobs = sparse.csr_matrix((moves.total, (moves.source, moves.target)), shape=(size, size))
    timers = _requesting(lattice, np.where((table.case == TIMERS)[:, None], table.rate, 0.0))
    events = sparse.diags(lasts.astype(np.float64)) @ (jobs + timers)
    end = sparse.diags(lasts.astype(np.float64)).tocsr()
    settled = end
    while True:
        longer = end + at_once @ settled
        if (longer != settled).nnz == 0:
            break
        settled = longer
    events = sparse.csr_matrix(events)
    events.eliminate_zeros()
    return Chain(at_once, sparse.csr_matrix(settled), events)


def _requesting(lattice: Lattice, weight: NDArray[np.float64]) -> sparse.csr_matrix:
    """[C, C] the weights of requests, at the entries from k to k + e_i."""
    size = len(lattice)
    start, kind = np.nonzero((weight > 0) & (lattice.up >= 0))
    values = weight[start, kind]
    return sparse.csr_matrix((values, (start, lattice.up[start, kind])), shape=(size, size))


@dataclass(frozen=True, eq=False)
class RecurrentClass:
    """A closed set of configurations (S_j), which a server never leaves."""

    members: NDArray[np.int64]  #: [n] indices in K of its waiting configurations
    vanishing: NDArray[np.int64]  #: [m] those of the configurations of case 2 that it passes through
    share: float  #: p_j, the share of all servers
    #: the policy in these configurations, case 3 in all others (sigma^j of Lemma 5, closed under the configurations
    #: passed through)
    table: PolicyTable
    #: stationary, requests: [C] pi^j and [C, I] u^j; 0 if the solution never uses the class (p_j = 0)
    stationary: NDArray[np.float64]
    requests: NDArray[np.float64]
    throughput: NDArray[np.float64]  #: [I] requests of each type per unit of time
    start: NDArray[np.int32]  #: k0 [I]: the most likely member that consists only of types that arrive at the class


def recurrent_classes(
    lattice: Lattice, table: PolicyTable, chain: Chain, part: PolicyPart
) -> tuple[RecurrentClass, ...]:
    """The recurrent classes of a policy's chain, by decreasing share, then in the order of K.

    - *lattice*, *table*, *chain*: Those of the policy.
    - *part*: Its pi and u, and the share of servers that follow it.
    """
    found = [_class_of(lattice, table, chain, members, part) for members in closed_classes(chain)]
    return tuple(sorted(found, key=lambda one: (-round(one.share, SHARE_DIGITS), one.members[0])))


def closed_classes(chain: Chain) -> list[NDArray[np.int64]]:
    """The waiting configurations [n] of each recurrent class."""
    graph = chain.events @ chain.settled
    lasts = chain.settled.diagonal() > 0
    count, label = connected_components(graph, connection="strong")
    closed = np.ones(count, bool)
    source, target = graph.nonzero()
    closed[label[source[label[source] != label[target]]]] = False
    names = [name for name in np.unique(label[lasts]) if closed[name]]
    return [np.flatnonzero((label == name) & lasts) for name in names]


def _class_of(
    lattice: Lattice, table: PolicyTable, chain: Chain, members: NDArray[np.int64], part: PolicyPart
) -> RecurrentClass:
    vanishing = _passed(chain, members)
    inside = np.zeros(len(lattice), bool)
    inside[members] = True
    pi = np.where(inside, part.stationary, 0.0)
    inside[vanishing] = True
    u = np.where(inside[:, None], part.requests, 0.0)
    share = float(pi.sum())
    if share > 0:
        pi, u = pi / share, u / share
    throughput = u.sum(axis=0)
    counts = lattice.configurations[members]
    usable = ((counts == 0) | (throughput > 0)).all(axis=1)
    best = int(np.argmax(np.where(usable, pi[members], -1.0)))
    return RecurrentClass(members, vanishing, part.share * share, table.within(inside), pi, u, throughput, counts[best])


def _passed(chain: Chain, members: NDArray[np.int64]) -> NDArray[np.int64]:
    """The configurations of case 2 that a class passes through."""
    seen: set[int] = set()
    todo = np.unique(chain.events[members].indices)
    at_once = chain.requests_at_once
    requesting = np.diff(at_once.indptr) > 0
    while len(todo):
        fresh = [int(k) for k in todo if requesting[k] and int(k) not in seen]
        seen.update(fresh)
        todo = np.unique(at_once[fresh].indices) if fresh else np.zeros(0, np.int64)
    return np.array(sorted(seen), np.int64)


#: Largest difference that counts as rounding.
LEMMA_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Lemma7:
    """The largest absolute differences between the chain and the solution."""

    stationary: float  #: of pi(k)
    requests: float  #: of u_i(k)

    @property
    def holds(self) -> bool:
        """Whether both differences are only rounding."""
        return max(self.stationary, self.requests) <= LEMMA_TOLERANCE


def lemma7(table: PolicyTable, chain: Chain, part: PolicyPart) -> Lemma7:
    """Compare pi and u of a part with those of its policy's chain, class by class."""
    pi, u = np.zeros_like(part.stationary), np.zeros_like(part.requests)
    for members in closed_classes(chain):
        share = float(part.stationary[members].sum())
        if share > 0:
            here = class_distribution(chain, members)
            pi += share * here
            u += share * class_requests(table, chain, here)
    return Lemma7(float(np.abs(pi - part.stationary).max()), float(np.abs(u - part.requests).max()))


def class_distribution(chain: Chain, members: NDArray[np.int64]) -> NDArray[np.float64]:
    """[C] the stationary distribution of the chain on a recurrent class."""
    found = np.zeros(chain.events.shape[0])
    if len(members) == 1:
        found[members] = 1.0
        return found
    rates = (chain.events[members] @ chain.settled)[:, members]
    out = np.asarray(rates.sum(axis=1)).ravel()
    balance = (rates - sparse.diags(out)).T.tocsc()
    # The last equation follows from the others; the last probability is set to 1 in its place.
    rest = linalg.splu(sparse.csc_matrix(balance[:-1, :-1])).solve(-balance[:-1, -1].toarray().ravel())
    shares = np.append(rest, 1.0)
    found[members] = shares / shares.sum()
    return found


def class_requests(table: PolicyTable, chain: Chain, stationary: NDArray[np.float64]) -> NDArray[np.float64]:
    """[C, I] the transition frequencies of Definition 2, in the order in which the policy makes requests."""
    entering = chain.events.T @ stationary
    passing = np.zeros_like(entering)
    while entering.any():
        entering = np.where(table.case == AT_ONCE, entering, 0.0)
        passing += entering
        entering = chain.requests_at_once.T @ entering
    timers = np.where(table.case == TIMERS, stationary, 0.0)
    return np.asarray(timers[:, None] * table.rate + passing[:, None] * table.choice)
