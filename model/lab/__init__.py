"""Experiments: figures and tables of the papers, made again.

An experiment is a module with the functions of :class:`model.lab.plan.Plan`:
``parts(scale, options)`` and ``result(scale, options, outcomes)``.  Its scales are ``quick`` and
``paper``.  :mod:`model.lab.runner` runs it.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any, Mapping

from slotscope.model.errors import UserError, unknown_name
from slotscope.model.kinds.declaration import Experiment
from slotscope.model.kinds.rooms import ROOMS

#: Experiments by name.
EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {name: item for room in ROOMS.values() for name, item in room.experiments.items()}
)


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
