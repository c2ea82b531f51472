"""The object that a system calls in place of a user policy, in the program or in the policy process."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Generator, Mapping

from slotscope.model.policies.common import Policy
from slotscope.model.policies.own.kind import OwnKind, kind_of
from slotscope.model.policies.own.loaded import Loaded, Source
from slotscope.model.reporting.records import Record

#: The advice to the author of a user policy whose decisions differ in a replay.
ON_DRIFT = (
    "the policy decided differently when it was asked again; take random numbers from "
    "view.random(name) and no time of day, and keep what must last with Remember"
)


class OwnPolicy(Policy):
    """A user policy as a system sees it; subclasses define how the policy itself is called.

    - *source*, *loaded*: Its file, and what that declares.
    """

    #: the records that the policy yields: (occasion, view, further arguments); raises
    #: :class:`model.errors.PolicyFileError` if the policy does something that it must not
    called: Callable[..., Generator[Record, None, None]]

    may_fail = True
    on_drift = ON_DRIFT

    def __init__(self, source: Source, loaded: Loaded) -> None:
        self.name, self.title, self.text = source.path, loaded.title, source.text
        self.kind: OwnKind = kind_of(loaded.system)
        self.first_lines = loaded.first_lines

    def made(self, attributes: Mapping[str, Any]) -> None:
        """Set the attributes of the file's class, as checked by the guard, and the methods that it defines."""
        title = self.title
        vars(self).update(attributes)
        self.title = title
        for occasion in self.kind.occasions:
            if occasion.name in self.first_lines:
                setattr(self, occasion.name, partial(self.called, occasion))
