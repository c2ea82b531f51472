"""Experiments: figures and tables of the papers, made again.

An experiment is a module with a function
``reproduce(scale, workers, progress) -> model.lab.results.Result``.
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
