"""The references: each policy as its paper writes it, one module for each.

A reference is a class with a name, a schema of parameters and one generator for each
occasion on which it must act.  It yields what it found (:class:`model.records.Record`) and
what it decides (``Admit``, ``Reject``, ``Migrate``, ...).  The system checks and applies
each decision at once, so that the view the policy reads is always current.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import MappingProxyType
from typing import Any, Mapping

from model.errors import PolicyError, unknown_name
from model.scenario.fields import is_policy_file

#: Modules by policy name; a module defines one class called ``Reference``.
POLICIES: Mapping[str, str] = MappingProxyType({
    "dra": "model.policies.dra",
    "dra-periodic": "model.policies.dra_periodic",
    "dra-no-migration": "model.policies.dra_no_migration",
    "dra-preemption": "model.policies.dra_preemption",
    "static-reservation": "model.policies.static_reservation",
    "power-of-d": "model.policies.power_of_d",
    "best-fit": "model.policies.best_fit",
    "first-fit": "model.policies.first_fit",
})  # fmt: skip


def is_file(name: str) -> bool:
    """Whether a policy's name is the path of a file: a policy of one's own."""
    return is_policy_file(name)


def reference_class(name: str) -> Any:
    """The reference class of a policy, or what stands for it where the name is a path.

    Raises
    ------
    PolicyError
        If no policy has that name, the nearest known one is named; or if a file cannot be used.
    """
    if is_file(name):
        return import_module("model.policies.own.file").load_policy(name)
    if name not in POLICIES:
        raise PolicyError(unknown_name("policy", name, POLICIES)
                          + "; or give the path of a .py file")  # fmt: skip
    return import_module(POLICIES[name]).Reference


def stop_what_hangs() -> None:
    """Stop a policy of one's own that has been running noticeably long (from any thread)."""
    if "model.policies.own.watch" in sys.modules:
        sys.modules["model.policies.own.watch"].interrupt()


def policy_titles() -> list[tuple[str, str]]:
    """(name, title) of each policy."""
    return [(name, reference_class(name).title) for name in POLICIES]
