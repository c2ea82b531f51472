"""The declaration of a question in lesson files and answer files."""

from __future__ import annotations

from typing import Literal, Mapping, Self, get_args

from pydantic import Field, model_validator

from slotscope.model.scenario.fields import Section

Ask = Literal["server", "configuration", "ranks", "migration", "job", "token", "servers", "value", "ahead", "curve"]

#: All kinds of question, each described in a few words.
ASKS: Mapping[Ask, str] = {
    "server": "which server takes the job, or none",
    "configuration": "which configuration comes next",
    "ranks": "the order of the configurations",
    "migration": "from which server a job migrates",
    "job": "which job is served next",
    "token": "which token the job takes",
    "servers": "how many servers the job gets",
    "value": "the value of a variable after the next line that sets it",
    "ahead": "which policy is ahead later on",
    "curve": "how the curve goes on",
}

assert set(ASKS) == set(get_args(Ask))

#: The kinds that are about a future time instead of a decision.
LATER: frozenset[Ask] = frozenset({"ahead", "curve"})


class QuizQuestion(Section):
    """A question at the moment of a step; the right answer is not stored, but given by the reference."""

    ask: Ask  #: the kind of question, one of :data:`ASKS`
    text: str = Field(default="", max_length=300)  #: the wording, if not the usual one
    of: str = Field(default="", max_length=40)  #: for ``value``: the name of the variable
    until: float | None = Field(default=None, gt=0)  #: for ``ahead`` and ``curve``: the time asked about

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.ask == "value") != bool(self.of):
            raise ValueError("a table with 'of', the name of a variable, where ask is \"value\", and without it else")
        if (self.ask in LATER) != (self.until is not None):
            raise ValueError(f"a table with 'until', a time, where ask is one of {', '.join(sorted(LATER))}")
        return self
