"""The references: each policy as its paper writes it, one module for each.

A reference is a class with a name, a schema of parameters and one generator for each
occasion on which it must act.  It yields what it found (:class:`model.records.Record`) and
what it decides (``Admit``, ``Reject``, ``Migrate``, ...).  The system checks and applies
each decision at once, so that the view the policy reads is always current.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import Any, Mapping

from model.errors import PolicyError, unknown_name

#: Modules by policy name; a module defines one class called ``Reference``.
POLICIES: Mapping[str, str] = MappingProxyType({
    "dra": "model.policies.dra",
    "first-fit": "model.policies.first_fit",
})  # fmt: skip


def reference_class(name: str) -> Any:
    """The reference class of a policy.

    Raises
    ------
    PolicyError
        If no policy has that name; the nearest known one is named.
    """
    if name not in POLICIES:
        raise PolicyError(unknown_name("policy", name, POLICIES))
    return import_module(POLICIES[name]).Reference


def policy_titles() -> list[tuple[str, str]]:
    """(name, title) of each policy."""
    return [(name, reference_class(name).title) for name in POLICIES]
