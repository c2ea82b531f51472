"""What the scenario's form offers of moldable jobs: laws of sizes, a speed-up as list or law."""

from __future__ import annotations

from typing import Any, Mapping

from pydantic import ValidationError

from slotscope.gui.panels.scenario_fields import SERVICES
from slotscope.gui.panels.scenario_leaves import LIST, Shape, filled
from slotscope.model.kinds.moldable.scenario.speedup import AmdahlSpeedup, LinearSpeedup, PowerSpeedup, SpeedupLaw

#: So many numbers of a list can be edited.
_MOSTLISTED = 40

_SPEEDUPS: Mapping[str, type[SpeedupLaw]] = {"linear": LinearSpeedup, "amdahl": AmdahlSpeedup, "power": PowerSpeedup}


def _distribution_of_size(name: str, value: Any) -> dict[str, Any]:
    """Another distribution with the same mean, and whatever else it needs."""
    mean = value.get("mean", 1) if isinstance(value, dict) else 1
    return filled(SERVICES[name], {"distribution": name, "mean": mean})


def _speedup(name: str, value: Any) -> Any:
    """A law of the same degree; or as a list what a law says, in decimals."""
    if name == LIST:
        return _listed(value)
    degree = len(value) if isinstance(value, list) else value.get("degree", 2)
    return filled(_SPEEDUPS[name], {"law": name, "degree": degree})


def _listed(value: Any) -> list[Any]:
    try:
        factors = _SPEEDUPS[value["law"]].model_validate(value).factors()
    except (KeyError, TypeError, ValidationError):  # not a law as it stands
        return [1]
    return [
        float(f"{float(factor):.9g}") if factor.denominator > 1 else int(factor) for factor in factors[:_MOSTLISTED]
    ]


#: By the first and the last key of a path.
SHAPES: Mapping[tuple[str, str], Shape] = {
    ("classes", "size"): Shape("distribution", tuple(SERVICES), _distribution_of_size),
    ("classes", "speedup"): Shape("law", (LIST, *_SPEEDUPS), _speedup),
}
