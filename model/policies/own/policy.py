"""What stands for a policy of one's own where a system calls it: in the program, or in the process of such policies."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Generator, Mapping

from slotscope.model.policies.common import Policy
from slotscope.model.policies.own.kind import OwnKind, kind_of
from slotscope.model.policies.own.loaded import Loaded, Source
from slotscope.model.reporting.records import Record

#: What a policy of one's own is told when a replay takes another course.
ON_DRIFT = (
    "the policy decided differently when it was asked again; take random numbers from "
    "view.random(name) and no time of day, and keep what must last with Remember"
)


class OwnPolicy(Policy):
    """A policy of one's own as a system meets it; a subclass says how it is called.

    - *source*, *loaded*: Its file, and what that says.
    """

    #: what the policy yields: (occasion, view, further arguments); raises :class:`model.errors.PolicyFileError` where
    #: it does what it must not
    called: Callable[..., Generator[Record, None, None]]

    may_fail = True
    on_drift = ON_DRIFT

    def __init__(self, source: Source, loaded: Loaded) -> None:
        self.name, self.title, self.text = source.path, loaded.title, source.text
        self.kind: OwnKind = kind_of(loaded.system)
        self.first_lines = loaded.first_lines

    def made(self, attributes: Mapping[str, Any]) -> None:
        """Have what the file's class has beside its methods, as the guard has checked it."""
        title = self.title
        vars(self).update(attributes)
        self.title = title
        for occasion in self.kind.occasions:
            if occasion.name in self.first_lines:
                setattr(self, occasion.name, partial(self.called, occasion))
