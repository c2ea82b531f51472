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
    """What an experiment is called, and the module that makes it."""

    title: str
    system: str
    paper: str
    module: str
    needs_trace: bool = False


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
})  # fmt: skip


def experiment_module(name: str) -> Any:
    """The module of an experiment.

    Raises
    ------
    UserError
        If there is no experiment of that name.
    """
    if name not in EXPERIMENTS:
        raise UserError(unknown_name("experiment", name, EXPERIMENTS))
    return import_module(EXPERIMENTS[name].module)
