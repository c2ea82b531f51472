"""The scenario form's shapes for moldable jobs: distributions of sizes, and speed-ups as lists or laws."""

from __future__ import annotations

from typing import Any, Mapping

from pydantic import ValidationError

from slotscope.gui.panels.scenario_fields import SERVICES
from slotscope.gui.panels.scenario_leaves import LIST, Shape, filled
from slotscope.model.kinds.moldable.scenario.speedup import AmdahlSpeedup, LinearSpeedup, PowerSpeedup, SpeedupLaw

#: Longest list of numbers that can be edited.
_MOSTLISTED = 40

_SPEEDUPS: Mapping[str, type[SpeedupLaw]] = {"linear": LinearSpeedup, "amdahl": AmdahlSpeedup, "power": PowerSpeedup}


def _distribution_of_size(name: str, value: Any) -> dict[str, Any]:
    """Another distribution with the same mean, and default values for its other parameters."""
    mean = value.get("mean", 1) if isinstance(value, dict) else 1
    return filled(SERVICES[name], {"distribution": name, "mean": mean})


def _speedup(name: str, value: Any) -> Any:
    """A law of the same degree, or a law's values as a list of decimals."""
    if name == LIST:
        return _listed(value)
    degree = len(value) if isinstance(value, list) else value.get("degree", 2)
    return filled(_SPEEDUPS[name], {"law": name, "degree": degree})


def _listed(value: Any) -> list[Any]:
    try:
        factors = _SPEEDUPS[value["law"]].model_validate(value).factors()
    except (KeyError, TypeError, ValidationError):  # the present value is not a valid law
        return [1]
    return [
        float(f"{float(factor):.9g}") if factor.denominator > 1 else int(factor) for factor in factors[:_MOSTLISTED]
    ]


#: Shapes by the first and the last key of a path.
SHAPES: Mapping[tuple[str, str], Shape] = {
    ("classes", "size"): Shape("distribution", tuple(SERVICES), _distribution_of_size),
    ("classes", "speedup"): Shape("law", (LIST, *_SPEEDUPS), _speedup),
}
