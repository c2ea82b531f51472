"""The job models that numbers of an independent program are known of, and where its plans are."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Mapping

FOLDER = Path(__file__).parents[2] / "golden" / "phases"

A, B, C, E = "A", "B", "C", "E"

#: Built-in scenarios by the letter of their plan.
MODELS: Mapping[str, str] = MappingProxyType(
    {A: "jrs-two-phases", B: "jrs-burst", C: "jrs-three-phases", E: "jrs-fixed-sizes"}
)


def plan_file(model: str) -> Path:
    """The optimal single-server policy that the independent program followed."""
    return FOLDER / f"scenario_{model}.json"
