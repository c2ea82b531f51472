"""A policy of one's own: its file is read, and loaded in the process of such policies.

A file defines a class ``Policy`` (``Reference`` is accepted too) as the ``OwnPolicy``
of its kind of system describes it.  Every fault is one line: file, line, what was found, what
is allowed.
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

#: A policy is some pages of text.
MOST_BYTES = 1_000_000

_lock = threading.RLock()
_loaded: dict[tuple[str, str], PolicyFile] = {}


@dataclass(frozen=True, eq=False)
class PolicyFile:
    """A policy's file as it was when it was read; calling it makes a policy.

    It stands where the built-in policies have a class: with ``title``, ``schema`` and so on.
    """

    name: str  #: the path, as given, or what the package calls it
    source: Source
    loaded: Loaded

    @property
    def title(self) -> str:
        """What the window calls the policy."""
        return self.loaded.title

    @property
    def paper(self) -> str:
        """Where the policy comes from, if the file says so."""
        return self.loaded.paper

    @property
    def system(self) -> str:
        """The kind of system that it is for."""
        return self.loaded.system

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.source.text

    @cached_property
    def schema(self) -> type[BaseModel]:
        """What stands for the schema of its parameters."""
        return schema_of(self.source, self.loaded)

    @property
    def digest(self) -> str:
        """The hash of the file's text."""
        return digest_of(self.text)

    @cached_property
    def _kernel(self) -> BroughtKernel | None:
        """What the file brings along to decide in compiled code; compiled once, whatever policies are made of it."""
        line = self.loaded.kernel_line
        return BroughtKernel(self.source, line, kind_of(self.system).kernels) if line else None

    def __call__(self, numbers: Any, parameters: Any) -> Any:
        """The policy for a scenario, from a file that was executed anew.

        Raises PolicyError if its ``__init__`` fails.
        """
        made = hosted(cast(Any, kind_of(self.system).base))(self.source, self.loaded, numbers, parameters)
        made.brought = self._kernel
        return made


def load_policy(name: str, system: str) -> PolicyFile:
    """The policy in a file, or of an installed package; read anew each time, executed anew if its text, or that
    of a module beside it, has changed.

    It is for the kind of system that its class names, which every ``OwnPolicy`` does; else for
    *system*.

    Nothing of a file is executed that the user has not allowed, see
    :mod:`model.policies.own.trust`; who installs a package allows it.
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
    """The file of a policy of one's own, and those beside it that it imports; the first may be missing."""
    path = source_of(name)[0]
    try:
        return path, *modules_beside(path, read_policy(path))
    except PolicyError:
        return (path,)


def check_unchanged(name: str, digest: str, session: str) -> None:
    """Refuse a saved session whose policy's file, or package, is not what it was.

    Raises ChangedPolicyError if the file is gone or its text has another hash than *digest*.
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
    """*scenario* with its policy's file found from any folder."""
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
