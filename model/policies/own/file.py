"""A policy of one's own: its file is read, its shape checked, and it is put under guard.

A file defines a class ``Policy`` (``Reference`` is accepted too) as the ``OwnPolicy``
of its kind of system describes it.  Every fault is one line: file, line, what was found, what
is allowed.
"""

from __future__ import annotations

import ast
import sys
import threading
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from pydantic import BaseModel

from slotscope.model.errors import PolicyError, PolicyFileError, UnreadablePolicyError
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.policies import is_file, source_of
from slotscope.model.policies.common import NoParameters, PseudocodeLine
from slotscope.model.policies.own.faults import QUIET, is_from_outside, line_in, said_by, said_of_memory
from slotscope.model.policies.own.former import answer_to_former_names
from slotscope.model.policies.own.guard import Made, guarded
from slotscope.model.policies.own.kernel import BroughtKernel
from slotscope.model.policies.own.kind import OwnKind
from slotscope.model.policies.own.shape import kernel_function, place_in, policy_class, system_of, takes_nothing
from slotscope.model.policies.own.text import STOP, own_lines, stoppable
from slotscope.model.policies.own.trust import check_allowed, digest_of
from slotscope.model.policies.own.watch import MOST_SECONDS_TO_LOAD, CodeStoppedError, go_on_stopping, watched
from slotscope.model.records import Line

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
    path: str
    package: str  #: in which the file stands, for imports; empty for one of the user's
    text: str
    cls: type
    system: str  #: the kind of system that it is for

    @property
    def title(self) -> str:
        """What the window calls the policy."""
        given = getattr(self.cls, "title", "")
        return given if isinstance(given, str) and given else Path(self.path).stem

    @property
    def paper(self) -> str:
        """Where the policy comes from, if the file says so."""
        return str(getattr(self.cls, "paper", "") or "")

    @property
    def schema(self) -> type[BaseModel]:
        """The schema of its parameters."""
        schema: type[BaseModel] = getattr(self.cls, "schema", None) or NoParameters
        return schema

    @property
    def digest(self) -> str:
        """The hash of the file's text."""
        return digest_of(self.text)

    @cached_property
    def _shown(self) -> tuple[tuple[PseudocodeLine, ...], int]:
        """The pseudocode, and the number of the algorithm made of the file's own lines."""
        given = tuple(getattr(self.cls, "pseudocode", ()) or ())
        number = max((line.line.algorithm for line in given), default=0) + 1
        if given and "pseudocode" in vars(self.cls):
            return given, number
        lines = own_lines(self.text, self.cls.__name__)
        own = (PseudocodeLine(Line(number, n), i, text, "Your file") for n, i, text in lines)
        return (*given, *own), number

    @cached_property
    def _kernel(self) -> BroughtKernel | None:
        """What the file brings along to decide in compiled code; compiled once, whatever policies are made of it."""
        function, kernels = kernel_function(self.cls), kind_of(self.system).kernels
        return None if function is None else BroughtKernel(self.path, function, kernels)

    def __call__(self, numbers: Any, parameters: Any) -> Any:
        """The policy for a scenario, from a file that was executed anew.

        Raises
        ------
        PolicyError
            If its ``__init__`` fails.
        """

        def make(private: Any, wanted: tuple[str, ...]) -> Made:
            module = _executed(self.path, self.text, self.package)
            cls = policy_class(self.path, module, own_kind)
            arguments = () if takes_nothing(cls) else (private, parameters)

            def made() -> Made:
                policy = cls(*arguments)
                return Made(
                    policy, vars(module), {name: getattr(policy, name) for name in wanted if hasattr(policy, name)}
                )

            return cast("Made", _guarded(self.path, made, cls.__name__))

        own_kind = kind_of(self.system)
        pseudocode, number = self._shown
        made = guarded(cast(Any, own_kind.base))(own_kind, self.path, numbers, make, pseudocode, number)
        made.title, made.text, made.parameters = self.title, self.text, parameters
        made.brought = self._kernel
        return made


def kind_of(system: str) -> OwnKind:
    """What a kind of system says of policies of one's own."""
    found: OwnKind = import_module(ROOMS[system].own_policies).OWN
    return found


def load_policy(name: str, system: str) -> PolicyFile:
    """The policy in a file, or of an installed package; read anew each time, executed anew if its text has changed.

    It is for the kind of system that its class names, which every ``OwnPolicy`` does; else for
    *system*.

    Nothing of a file is executed that the user has not allowed, see
    :mod:`model.policies.own.trust`; who installs a package allows it.

    Raises
    ------
    PolicyError
        One line that names the file, the line, what was found and what is allowed.
    """
    path, package = source_of(name)
    text = read_policy(path)
    if is_file(name):
        check_allowed(path, text)
    with _lock:
        known = _loaded.get((name, system))
        if known is None or known.text != text:
            module = _executed(path, text, package)
            named = system_of(module, system)
            known = PolicyFile(name, path, package, text, policy_class(path, module, kind_of(named)), named)
            _loaded[name, system] = known
    return known


def check_unchanged(name: str, digest: str, session: str) -> None:
    """Refuse a saved session whose policy's file, or package, is not what it was.

    Raises
    ------
    PolicyError
        If the file is gone or its text has another hash than *digest*.
    """
    kept = "its text of then is in the session (a zip archive) as policy.py"
    try:
        text = read_policy(source_of(name)[0])
    except PolicyError as error:
        told = f"the session was saved with the policy {name}: {error.message}; {kept}"
        raise PolicyFileError(told, where=session) from None
    if digest_of(text) != digest:
        told = (
            f"the session was saved with another text of the policy {name}; put it back to reopen the session: {kept}"
        )
        raise PolicyFileError(told, where=session)


def with_absolute_path(scenario: Any) -> Any:
    """*scenario* with its policy's file found from any folder."""
    if not is_file(scenario.policy.name):
        return scenario
    name = str(Path(scenario.policy.name).resolve())
    choice = scenario.policy.model_copy(update={"name": name})
    return scenario.model_copy(update={"policy": choice})


def read_policy(path: str) -> str:
    """The text of a policy's file.

    Raises
    ------
    PolicyError
        If it is absent, unreadable, too large, empty or not UTF-8.
    """
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


def _executed(path: str, text: str, package: str) -> ModuleType:
    """A module of its own with all that the file defines."""
    answer_to_former_names()
    code = _compiled(path, text)
    module = ModuleType(f"slotscope_policy_{digest_of(text)[:16]}")
    module.__file__, module.__package__ = path, package
    vars(module)[STOP] = go_on_stopping
    sys.modules[module.__name__] = module  # where pydantic and dataclasses look names up
    folder = str(Path(path).resolve().parent)
    sys.path.append(folder)
    try:
        _guarded(path, lambda: exec(code, vars(module)), "the file")
    finally:
        sys.path.remove(folder)
    return module


def _compiled(path: str, text: str) -> Any:
    try:
        tree = ast.parse(text, filename=path)
        return compile(stoppable(tree), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f"{path}, line {error.lineno}, column {error.offset}" if error.lineno else path
        raise PolicyFileError(f"{type(error).__name__}: {error.msg}", where=place) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise PolicyFileError(f"not Python: {error or type(error).__name__}", where=path) from None


def _guarded(path: str, call: Any, what: str) -> Any:
    """What *call* gives; whatever it raises becomes a PolicyError."""
    try:
        with QUIET:
            return watched(call, MOST_SECONDS_TO_LOAD)
    except CodeStoppedError as error:
        told = said_of_memory(error) or (
            f"{what} takes more than {error.seconds:.0f} seconds to load, allowed: "
            f"{MOST_SECONDS_TO_LOAD:g}; is this a loop without end?"
        )
        raise PolicyFileError(told, where=place_in(path, line_in(error.cause, path))) from None
    except BaseException as error:
        if is_from_outside(error):
            raise
        said = said_by(error)
        if isinstance(error, ImportError):
            said += "; allowed: modules that are installed where slotscope runs, or beside the file"
        place = place_in(path, line_in(error, path))
        raise PolicyFileError(f"while loading: {said}", where=place) from None
