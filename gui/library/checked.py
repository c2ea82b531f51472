"""Validation of the arguments of public functions: an invalid value raises one line that says what is allowed."""

from __future__ import annotations

from functools import cache, wraps
from inspect import signature
from typing import Annotated, Any, Callable, ParamSpec, TypeVar

from pydantic import Field, ValidationError, validate_call

from slotscope.model.cli.parser import MOST_EVENTS, MOST_SEED
from slotscope.model.cli.readers import MOST_PIXELS
from slotscope.model.errors import UserError
from slotscope.model.scenario.validation import allowed_instead, shown

Given = ParamSpec("Given")
Made = TypeVar("Made")

Seed = Annotated[int, Field(ge=0, le=MOST_SEED)]
Count = Annotated[int, Field(ge=0, le=MOST_EVENTS)]
Several = Annotated[int, Field(ge=1)]
Pixels = Annotated[int, Field(ge=1, le=MOST_PIXELS)]
Time = Annotated[float, Field(gt=0, allow_inf_nan=False)]
TimeOrStart = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def checked(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """Return *function* with its arguments validated against its annotations.

    The returned function raises :class:`UserError`, which names the parameter, for an invalid value.
    """
    parameters = signature(function)

    @cache
    def checking() -> Callable[..., Made]:
        """Build the validator at the first call, when every name in the annotations can be resolved."""
        return validate_call(function)

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        given: dict[str, Any] = parameters.bind(*args, **kwargs).arguments
        try:
            return checking()(**given)
        except ValidationError as error:
            if error.title != function.__qualname__:
                raise
            fault = error.errors(include_url=False)[0]
        name, *places = fault["loc"]
        where = f"{name}{''.join(f'[{place}]' for place in places if isinstance(place, int))}"
        raise UserError(f"found {shown(fault['input'])}, allowed: {allowed_instead(fault)}", where=where)

    return call
