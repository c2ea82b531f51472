"""Experiments: figures and tables of the papers, made again.

An experiment is a module with the functions of :class:`model.lab.plan.Plan`:
``parts(scale, options)`` and ``result(scale, options, outcomes)``.  Its scales are ``quick`` and
``paper``.  :mod:`model.lab.runner` runs it.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple

from model.errors import UserError, unknown_name


class Experiment(NamedTuple):
    """What an experiment is called, and what makes it: a module, or an object MODULE:NAME.

    ``also`` are shorter names that it answers to.
    """

    title: str
    system: str
    paper: str
    module: str
    needs_trace: bool = False
    also: tuple[str, ...] = ()


#: Experiments by name.
EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType({
    "dra-fig2": Experiment(
        "Global greedy assignment and optimum as the workload grows",
        "reservation", "Psychas & Ghaderi (2022), Figure 2", "model.lab.dra_curves",
    ),
    "dra-fig3": Experiment(
        "Reward of DRA as a fraction of the optimum, over the number of servers",
        "reservation", "Psychas & Ghaderi (2022), Figure 3", "model.lab.dra_servers",
    ),
    "dra-fig4": Experiment(
        "Reward of DRA over time, on 180 servers",
        "reservation", "Psychas & Ghaderi (2022), Figure 4", "model.lab.dra_convergence",
    ),
    "dra-collections": Experiment(
        "Global greedy assignment and optimum in 50 random collections of VM types",
        "reservation", "Psychas & Ghaderi (2022), Section 7.1", "model.lab.dra_collections",
    ),
    "dra-variants": Experiment(
        "DRA beside its variants and peers on 180 servers, from an empty and a full start",
        "reservation", "Psychas & Ghaderi (2022), Sections 7.1, 8 and 9",
        "model.lab.dra_variants",
    ),
    "dra-fig5": Experiment(
        "Rewards on the Google trace, over the number of servers",
        "reservation", "Psychas & Ghaderi (2022), Figure 5", "model.lab.dra_google",
        needs_trace=True,
    ),
    "dra-fig6": Experiment(
        "Rewards on the Google trace over time, and what arrives",
        "reservation", "Psychas & Ghaderi (2022), Figure 6", "model.lab.dra_google_time",
        needs_trace=True,
    ),
    "queues-fig1": Experiment(
        "How many different requests for memory and CPU a Google trace has",
        "queue", "Psychas & Ghaderi (2019), Figure 1", "model.lab.queues_fig1",
        needs_trace=True,
    ),
    "queues-fig3a": Experiment(
        "Queues over time where VQS is unstable and Best-Fit is not",
        "queue", "Psychas & Ghaderi (2019), Figure 3a", "model.lab.queues_fig3:VQS_UNSTABLE",
    ),
    "queues-fig3b": Experiment(
        "Queues over time where Best-Fit is unstable and VQS is not",
        "queue", "Psychas & Ghaderi (2019), Figure 3b",
        "model.lab.queues_fig3:BEST_FIT_UNSTABLE",
    ),
    "queues-fig4a": Experiment(
        "Mean queue over the traffic intensity, sizes uniform from 0.01 to 0.19",
        "queue", "Psychas & Ghaderi (2019), Figure 4a", "model.lab.queues_fig4:SMALL_JOBS",
    ),
    "queues-fig4b": Experiment(
        "Mean queue over the traffic intensity, sizes uniform from 0.1 to 0.9",
        "queue", "Psychas & Ghaderi (2019), Figure 4b", "model.lab.queues_fig4:WIDE_JOBS",
    ),
    "queues-fig5": Experiment(
        "Queues on the Google trace, over the traffic scaling",
        "queue", "Psychas & Ghaderi (2019), Figure 5", "model.lab.queues_fig5",
        needs_trace=True,
    ),
    "queues-limits": Experiment(
        "What workload can be supported, by any policy and by these",
        "queue", "Psychas & Ghaderi (2019), Sections III, V and VII.A", "model.lab.queues_limits",
    ),
    "jrs-gap": Experiment(
        "How far JRS is from its bound, over the scale of the system",
        "phases", "Hong, Xie & Wang (2023), Theorem 1", "model.lab.jrs_gap",
    ),
    "jrs-peers": Experiment(
        "JRS beside first fit, best fit, GRAND and power of two choices",
        "phases", "Hong, Xie & Wang (2023), Section 4.3", "model.lab.jrs_peers",
    ),
    "jrs-misestimation": Experiment(
        "JRS that plans with wrong rates",
        "phases", "Hong, Xie & Wang (2023), Appendix D", "model.lab.jrs_misestimation",
    ),
    "moldable-table1": Experiment(
        "Mean execution time and blocking under four laws of job sizes, by three statistics",
        "moldable", "Ghanbarian et al. (2025), Table 1", "model.lab.moldable_table1",
        also=("table1",),
    ),
    "moldable-fig2": Experiment(
        "Blocking (a) and mean execution time (b) over the number of servers",
        "moldable", "Ghanbarian et al. (2025), Figure 2", "model.lab.moldable_fig2",
        also=("fig2a", "fig2b"),
    ),
})  # fmt: skip


def experiment_name(name: str) -> str:
    """The name under which an experiment stands in :data:`EXPERIMENTS`, also from a shorter one.

    Raises
    ------
    UserError
        If there is no experiment of that name.
    """
    names = {known: known for known in EXPERIMENTS}
    names |= {short: known for known, item in EXPERIMENTS.items() for short in item.also}
    if name not in names:
        raise UserError(unknown_name("experiment", name, names))
    return names[name]


def experiment_module(name: str) -> Any:
    """The module or object of an experiment, a :class:`model.lab.plan.Plan`.

    Raises
    ------
    UserError
        If there is no experiment of that name.
    """
    module, _, inside = EXPERIMENTS[experiment_name(name)].module.partition(":")
    found = import_module(module)
    return getattr(found, inside) if inside else found
