"""Fuzz: whatever a file contains, nothing but a UserError is raised."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import ScenarioError, UserError
from slotscope.model.scenario.load import load_scenario
from slotscope.model.scenario.validation import shown
from tests.breaking import FULL, GOOD, INSTANCE, SCRIPT, changed, is_one_line, places, worth_trying

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NAN, INF = float("nan"), float("inf")

WORTH_TRYING = worth_trying("a log log^9 full", "a kind start name mean")


@st.composite
def mutated(draw: st.DrawFn, data: dict[str, Any]) -> dict[str, Any]:
    """*data* with one to three fields removed, replaced or swapped."""
    result = copy.deepcopy(data)
    for _ in range(draw(st.integers(1, 3))):
        known = places(result)
        if not known:
            break
        place = draw(st.sampled_from(known))
        other: Any = result
        for part in draw(st.sampled_from(known)):
            other = other[part]
        value = draw(st.one_of(WORTH_TRYING, st.just(copy.deepcopy(other))))
        result = changed(place, value, result)
    return result


def try_out(path: Path) -> None:
    """Open and run a file; anything but a UserError fails the test."""
    try:
        session = Session.open(str(path), kernel=False)
        if session.bench.numbers.servers <= 50:
            session.run(events=5)
            session.frame()
    except UserError as error:
        assert is_one_line(error.line), error.line


def writable(data: Any) -> Any:
    """*data* as TOML can represent it: without None."""
    if isinstance(data, dict):
        return {key: writable(value) for key, value in data.items() if value is not None}
    if isinstance(data, list):
        return [writable(value) for value in data if value is not None]
    return data


#: Each example overwrites one file in the test's own folder.
FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
LONGER = settings(FUZZ, max_examples=120)
VARIANTS = [
    GOOD,
    GOOD | {"initial": FULL},
    GOOD | {"workload": SCRIPT},
    GOOD | {"servers": {"count": 2, "configurations": [[2, 1], [0, 2]]}},
]


@LONGER
@given(data=st.sampled_from(VARIANTS).flatmap(mutated))
def test_mutated_scenarios(data: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "fuzz.toml"
    path.write_text(tomli_w.dumps(writable(data)), encoding="utf-8")
    try_out(path)


@LONGER
@given(data=mutated(INSTANCE))
def test_mutated_instances(data: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "fuzz.json"
    path.write_text(json.dumps(data))
    try_out(path)


@FUZZ
@given(
    raw=st.one_of(st.binary(max_size=80), st.text(max_size=80).map(lambda t: t.encode())),
    suffix=st.sampled_from([".toml", ".json", ""]),
)
@example(raw=b"\xef\xbb\xbfseed = 1", suffix=".toml")
@example(raw=b'{"instance": {"sizes": []}}', suffix=".json")
def test_random_bytes(raw: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"fuzz{suffix}"
    path.write_bytes(raw)
    with pytest.raises(ScenarioError) as raised:
        load_scenario(path)
    assert len(raised.value.line.splitlines()) == 1


@LONGER
@given(st.data())
def test_damaged_text(tmp_path: Path, data: st.DataObject) -> None:
    """A valid file with bytes removed, doubled or changed."""
    kind, text = data.draw(
        st.sampled_from(
            [
                (".toml", tomli_w.dumps(GOOD).encode()),
                (".json", json.dumps(INSTANCE).encode()),
                (".toml", (ROOT / "resources" / "scenarios" / "dra-vms.toml").read_bytes()),
            ]
        )
    )
    start = data.draw(st.integers(0, len(text)))
    end = min(len(text), start + data.draw(st.integers(0, 40)))
    put_in = data.draw(st.one_of(st.just(b""), st.just(text[start:end] * 2), st.binary(max_size=4)))
    path = tmp_path / f"fuzz{kind}"
    path.write_bytes(text[:start] + put_in + text[end:])
    try_out(path)


@given(st.recursive(WORTH_TRYING, lambda inner: st.lists(inner, max_size=3)))
def test_values_are_shown_short_and_on_one_line(value: Any) -> None:
    text = shown(value)
    assert len(text) <= 60
    assert len(text.splitlines()) <= 1
