"""Solutions of the single-server problem are cached, in memory and in files."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path

import pytest

from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.programs import store
from tests.kinds.phases.models import golden_model


@dataclass(frozen=True)
class Solution:
    """Replaces a solution: the name of the model's first phase."""

    first: str


def test_solutions_are_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In memory; in a file if solving took long; another model is solved anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(store, "WORTH_A_FILE", -inf)
    model, other = golden_model("A"), golden_model("B")
    calls: list[JobModel] = []

    def kept(of: JobModel) -> str:
        def solve() -> Solution:
            calls.append(of)
            return Solution(of.phases[0])

        return store.kept(of, solve, lambda data: Solution(data["first"])).first

    store.forget()
    try:
        assert kept(model) == "L"
        assert kept(model) == "L"
        assert len(calls) == 1
        store.forget()
        assert kept(model) == "L"
        assert len(calls) == 1
        assert kept(other) == "L"
        assert len(calls) == 2
        store.forget()
        for file in store.folder().iterdir():
            file.write_bytes(b"damaged")
        assert kept(model) == "L"
        assert len(calls) == 3
    finally:
        store.forget()
