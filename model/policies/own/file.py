"""A user policy: its file is read here, and loaded in the policy process.

The file defines a class ``Policy`` (``Reference`` is accepted, too), as the ``OwnPolicy`` of its
kind of system describes it.  Every error is one line: file, line, what was found, what is allowed.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from slotscope.model.errors import ChangedPolicyError, PolicyError, UnreadablePolicyError
from slotscope.model.folders import without_links
from slotscope.model.policies import is_file, source_of
from slotscope.model.policies.own.beside import modules_beside
from slotscope.model.policies.own.brought import BroughtKernel
from slotscope.model.policies.own.hosted import asked_of_file, hosted, schema_of
from slotscope.model.policies.own.kind import kind_of
from slotscope.model.policies.own.loaded import Loaded, Source
from slotscope.model.policies.own.trust import check_allowed, digest_of

#: The largest size of a policy file, in bytes.
MOST_BYTES = 1_000_000

_lock = threading.RLock()
_loaded: dict[tuple[str, str], PolicyFile] = {}


@dataclass(frozen=True, eq=False)
class PolicyFile:
    """A policy's file as it was read; calling this object makes a policy.

    It is used like the class of a built-in policy: it has ``title``, ``schema`` and so on.
    """

    name: str  #: the path, as given, or the policy's name in its package
    source: Source
    loaded: Loaded

    @property
    def title(self) -> str:
        """The title that the window shows."""
        return self.loaded.title

    @property
    def paper(self) -> str:
        """The source that the file cites, if any."""
        return self.loaded.paper

    @property
    def system(self) -> str:
        """The kind of system that the policy is for."""
        return self.loaded.system

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.source.text

    @cached_property
    def schema(self) -> type[BaseModel]:
        """The stand-in for the schema of its parameters."""
        return schema_of(self.source, self.loaded)

    @property
    def digest(self) -> str:
        """The hash of the file's text."""
        return digest_of(self.text)

    @cached_property
    def _kernel(self) -> BroughtKernel | None:
        """The kernel of the file, if any; compiled once for all policies made from the file."""
        line = self.loaded.kernel_line
        return BroughtKernel(self.source, line, kind_of(self.system).kernels) if line else None

    def __call__(self, numbers: Any, parameters: Any) -> Any:
        """Make the policy for a scenario; the file is executed anew.

        Raises PolicyError if its ``__init__`` fails.
        """
        made = hosted(cast(Any, kind_of(self.system).base))(self.source, self.loaded, numbers, parameters)
        made.brought = self._kernel
        return made


def load_policy(name: str, system: str) -> PolicyFile:
    """The policy in a file, or of an installed package.

    The file is read anew each time, and executed anew if its text, or that of a module beside it, has changed.
    The policy is for the kind of system that its class names, as every ``OwnPolicy`` does; otherwise for *system*.

    No file is executed that the user has not allowed, see :mod:`model.policies.own.trust`; to install a package
    is to allow it.
    Raises PolicyError: one line that names the file, the line, what was found and what is allowed.
    """
    path, package = source_of(name)
    text = read_policy(path)
    if is_file(name):
        check_allowed(path, text)
    beside = tuple((file, digest_of(there)) for file, there in modules_beside(path, text).items())
    source = Source(path, text, package, system, beside)
    with _lock:
        known = _loaded.get((name, system))
        if known is None or known.source != source:
            known = _loaded[name, system] = PolicyFile(name, source, asked_of_file("load", source))
    return known


def files_of(name: str) -> tuple[str, ...]:
    """The file of a user policy, and the modules beside it that it imports; the file itself may be missing."""
    path = source_of(name)[0]
    try:
        return path, *modules_beside(path, read_policy(path))
    except PolicyError:
        return (path,)


def check_unchanged(name: str, digest: str, session: str) -> None:
    """Refuse a saved session if its policy file or package has changed since.

    Raises ChangedPolicyError if the file is gone or the hash of its text is not *digest*.
    """
    kept = "its text of then is in the session (a zip archive) as policy.py"
    try:
        text = read_policy(source_of(name)[0])
    except PolicyError as error:
        told = f"the session was saved with the policy {name}: {error.message}; {kept}"
        raise ChangedPolicyError(told, where=session) from None
    if digest_of(text) != digest:
        told = (
            f"the session was saved with another text of the policy {name}; put it back to reopen the session: {kept}"
        )
        raise ChangedPolicyError(told, where=session)


def with_absolute_path(scenario: Any) -> Any:
    """*scenario* with the absolute path of its policy file."""
    if not is_file(scenario.policy.name):
        return scenario
    name = str(without_links(scenario.policy.name))
    choice = scenario.policy.model_copy(update={"name": name})
    return scenario.model_copy(update={"policy": choice})


def read_policy(path: str) -> str:
    """The text of a policy's file. Raises PolicyError if it is absent, unreadable, too large, empty or not UTF-8."""
    file = Path(path)
    try:
        if file.is_dir():
            raise UnreadablePolicyError("found a directory, allowed: a Python file", where=path)
        if file.exists() and not file.is_file():
            raise UnreadablePolicyError("found a device or pipe, allowed: a Python file", where=path)
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise UnreadablePolicyError(f"found {size:,} bytes, allowed: at most {MOST_BYTES:,}", where=path)
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadablePolicyError(
            f"found the byte 0x{error.object[error.start]:02x} at position "
            f"{error.start}, which is not UTF-8; save the file as UTF-8",
            where=path,
        ) from None
    except FileNotFoundError:
        raise UnreadablePolicyError("no such file", where=path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadablePolicyError(f"cannot be read: {reason}", where=path) from None
    if not text.strip():
        raise UnreadablePolicyError("found an empty file, allowed: a class Policy", where=path)
    return text
