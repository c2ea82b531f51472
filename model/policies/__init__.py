"""The reference policies, each written as in its paper, one module each.

A reference policy is a class with a name, a schema of parameters and one generator method for each
occasion on which it must act.  The generator yields what it finds (:class:`model.reporting.records.Record`) and
its decisions (``Admit``, ``Reject``, ``Migrate``, ...).  The system checks and applies each decision at
once, so that the view that the policy reads is always current.
"""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

from slotscope.model import packages
from slotscope.model.errors import PolicyError, UserError, unknown_name
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.scenario.files import is_policy_file

#: By kind of system, the module of each policy by the policy's name; a module defines one class ``Reference``.
#: Different kinds may have a policy of the same name.
POLICIES_OF: Mapping[str, Mapping[str, str]] = {
    name: {policy: spec.reference for policy, spec in room.policies.items()} for name, room in ROOMS.items()
}

#: The names of all policies, each once.
POLICIES: tuple[str, ...] = tuple(dict.fromkeys(chain(*POLICIES_OF.values())))


#: Imported only if a user policy is used.
_OWN = "slotscope.model.policies.own.file"

#: Templates and worked examples of user policies.
_SHIPPED = Path(__file__).resolve().parents[2] / "resources" / "policies"


def template_of(system: str) -> str:
    """The template text of a user policy for a kind of system."""
    return (_SHIPPED / f"{system}_template.py").read_text(encoding="utf-8")


def is_file(name: str) -> bool:
    """Whether a policy's name is the path of a file, that is, a user policy."""
    return is_policy_file(name)


def is_own(name: str) -> bool:
    """Whether a policy is not built in: it comes from a file or from an installed package."""
    return is_policy_file(name) or name in packages.offered("policies")


def another_text(name: str) -> UserError:
    """The error for a series of runs in which the text of a user policy has changed between two runs."""
    allowed = "allowed: one and the same; the same command begins anew with it"
    return UserError(f"found another text than when this began, {allowed}", where=name)


def source_of(name: str) -> tuple[str, str]:
    """The file of a policy that is not built in, and its package ("" if it comes from no package).

    Raises PolicyError if the package has no such file, or if the name is ambiguous.
    """
    try:
        entry = packages.entry_point("policies", name, POLICIES)
        if entry is None:
            return name, ""
        file = packages.module_file(entry)
    except UserError as error:
        raise PolicyError(error.message, where=error.where) from None
    module = entry.module
    return str(file), module if file.name == "__init__.py" else module.rpartition(".")[0]


def reference_class(name: str, among: Sequence[str] = ()) -> Any:
    """The reference class of a built-in policy.

    If several kinds of system have a policy of that name, the first kind's is returned.
    Raises PolicyError if no policy has that name; the error suggests the nearest name, and lists the names in *among*
    (by default all).
    """
    if name not in POLICIES:
        known = among or [*POLICIES, *packages.offered("policies")]
        raise PolicyError(unknown_name("policy", name, known) + "; or give the path of a .py file")
    modules = next(modules for modules in POLICIES_OF.values() if name in modules)
    return import_module(modules[name]).Reference


def reference_for(name: str, system: str) -> Any:
    """The reference class of a policy for a kind of system; for a user policy, the object that replaces the class.

    Raises PolicyError as :func:`reference_class`, and if the policy is for another kind of system or its file cannot
    be used.
    """
    if name in packages.offered("policies"):
        source_of(name)  # raises if the name is ambiguous
    if name in POLICIES_OF[system]:
        return import_module(POLICIES_OF[system][name]).Reference
    own = import_module(_OWN) if is_own(name) else None
    found = own.load_policy(name, system) if own else reference_class(name, _known_to(system))
    if found.system != system:
        allowed = ", ".join(_known_to(system))
        raise PolicyError(f"found '{name}', a policy of {found.system} systems, allowed for this scenario: {allowed}")
    return found


def _known_to(system: str) -> list[str]:
    """The names of the policies of a kind of system, including those of packages."""
    return [*POLICIES_OF[system], *(name for name, _, kind, _ in packaged_policies() if kind == system)]


def stop_what_hangs() -> None:
    """Stop a user policy that has been running noticeably long; can be called from any thread."""
    if "slotscope.model.policies.own.watch" in sys.modules:
        sys.modules["slotscope.model.policies.own.watch"].interrupt()


def policy_titles(system: str) -> list[tuple[str, str]]:
    """(name, title) of each policy of a kind of system."""
    titles = {name: spec.title for name, spec in ROOMS[system].policies.items()}
    titles |= {name: title for name, title, kind, _ in packaged_policies() if kind in (system, "")}
    return list(titles.items())


def packaged_policies() -> Iterator[tuple[str, str, str, str]]:
    """(name, title, kind of system, paper or package) of each policy that installed packages provide.

    For a policy that cannot be used, the title is the error message and the kind is "".
    """
    for name, entries in packages.offered("policies").items():
        package = packages.package_of(entries[0])
        try:
            found = import_module(_OWN).load_policy(name, next(iter(ROOMS)))
        except PolicyError as error:
            yield name, error.line, "", package
        else:
            yield name, found.title, found.system, found.paper or package
