"""Experiments, which reproduce figures and tables of the papers.

An experiment is a module with the functions of :class:`model.lab.plan.Plan`,
``parts(scale, options)`` and ``result(scale, options, outcomes)``.  Its scales are ``quick`` and
``paper``.  :mod:`model.lab.runner` runs it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Mapping, Sequence

from slotscope.model import packages
from slotscope.model.errors import UserError, unknown_name
from slotscope.model.kinds.declaration import Experiment
from slotscope.model.kinds.rooms import ROOMS

#: The built-in experiments by name.
_BUILT_IN: Mapping[str, Experiment] = MappingProxyType(
    {name: item for room in ROOMS.values() for name, item in room.experiments.items()}
)


@cache
def experiments() -> Mapping[str, Experiment]:
    """All experiments by name, including those of installed packages.

    An experiment that cannot be used has the error message as its title, and no module.
    """
    return MappingProxyType(dict(_BUILT_IN) | {name: _packaged(name) for name in packages.offered("experiments")})


def _packaged(name: str) -> Experiment:
    try:
        entry = packages.entry_point("experiments", name, _BUILT_IN)
        assert entry is not None
        found = packages.loaded(entry)
        if isinstance(found, Experiment):
            return found
        raise UserError(f"found a {type(found).__name__}, allowed: an Experiment", where=entry.value)
    except UserError as error:
        return Experiment(error.line, "", packages.package_of(packages.offered("experiments")[name][0]), "")


def experiment_name(name: str) -> str:
    """The full name of an experiment in :func:`experiments`; *name* may be a short form.

    Raises UserError if there is no experiment of that name.
    """
    names = {known: known for known in experiments()}
    names |= {short: known for known, item in experiments().items() for short in item.also}
    if name not in names:
        raise UserError(unknown_name("experiment", name, names, "slotscope list"))
    return names[name]


def check_beside(name: str, policies: Sequence[str]) -> None:
    """Check that policies can run beside those of an experiment; a policy file given here may then run.

    Raises UserError if the experiment compares no policies, or if a policy is given twice, is unknown, or is for
    another kind of system.
    """
    from slotscope.model.policies import reference_for
    from slotscope.model.running.assembly import named_policy

    about = experiments()[name]
    if policies and not about.compares:
        known = ", ".join(known for known, item in experiments().items() if item.compares)
        raise UserError(f"{name} compares no policies; allowed: {known}", where="--policy")
    for text in policies:
        if policies.count(text) > 1:
            raise UserError(f"found {text} twice, allowed: once", where="--policy")
        try:
            reference_for(named_policy(text).name, about.system)
        except UserError as error:
            raise error.inside("--policy") from None


class NamedPlan:
    """An experiment of a package, whose results get the name that it is registered under."""

    def __init__(self, name: str, plan: Any) -> None:
        self._name, self._plan = name, plan

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plan, name)

    def result(self, *given: Any) -> Any:
        """See :class:`model.lab.plan.Plan`."""
        return replace(self._plan.result(*given), experiment=self._name)


def experiment_module(name: str) -> Any:
    """The module or object of an experiment, a :class:`model.lab.plan.Plan`.

    Raises UserError if there is no experiment of that name, or its package cannot be used.
    """
    known = experiment_name(name)
    about = experiments()[known]
    if not about.module:
        raise UserError(about.title)
    module, _, inside = about.module.partition(":")
    found = import_module(module)
    plan = getattr(found, inside) if inside else found
    return plan if known in _BUILT_IN else NamedPlan(known, plan)
