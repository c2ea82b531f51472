"""What every experiment must fulfil, at its shortest: its rows, and the curves that it plans."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.errors import UserError
from slotscope.model.kinds.moldable.experiments import moldable_fig2, moldable_runs, moldable_table1
from slotscope.model.kinds.phases.experiments import jrs_gap, jrs_misestimation, jrs_peers, phase_runs
from slotscope.model.kinds.queue.experiments import queue_runs, queues_fig3, queues_fig4, queues_limits
from slotscope.model.kinds.reservation.experiments import dra_collections, dra_convergence, dra_servers, dra_variants
from slotscope.model.kinds.spec import KINDS
from slotscope.model.lab import check_beside, experiment_module, experiments
from slotscope.model.lab.parts import carry_out
from slotscope.model.lab.plan import NO_OPTIONS, Options
from slotscope.model.lab.results import Result

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "resources" / "policies"

_QUEUE, _PHASES = queue_runs.QueueLength(2500, 2), phase_runs.PhaseLength(2, 5, 2)
_MOLDABLE = moldable_runs.MoldableLength((300, 900), 2)

#: The shortest scale of each module that has scales.
TINY: dict[Any, Any] = {
    dra_collections: 2,
    dra_servers: dra_servers.ServersScale((5, 10), 2, 500),
    dra_convergence: dra_convergence.ConvergenceScale(2, 5.0),
    dra_variants: dra_variants.VariantsScale(2, 10.0, 1.0),
    queues_fig3: _QUEUE,
    queues_fig4: queues_fig4.IntensityScale(_QUEUE),
    queues_limits: _QUEUE,
    jrs_gap: ((4, 8, 20, 25), _PHASES),
    jrs_peers: ((5, 20), _PHASES),
    jrs_misestimation: (20, _PHASES),
    moldable_table1: moldable_table1.TableScale(moldable_runs.MoldableLength((900,), 2), _MOLDABLE),
    moldable_fig2: ((20, 50), moldable_runs.MoldableLength((900,), 2)),
}

#: The outcome of a part, cached: two tests need the parts of the built-in policies.
outcome_of = cache(carry_out)

#: Experiments that read no trace file.
ALONE = [name for name, item in experiments().items() if not item.needs_trace]


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, scale in TINY.items():
        monkeypatch.setattr(module, "SCALES", {**module.SCALES, "tiny": scale})
    monkeypatch.setattr(moldable_table1, "SERVERS", 50)
    monkeypatch.setattr(moldable_fig2, "SERVERS", 50)
    monkeypatch.setattr(jrs_gap, "LARGE", 20)
    monkeypatch.setattr(jrs_misestimation, "LEARNED", (5,))  # in less time no job leaves


@pytest.mark.parametrize("name", experiments())
def test_it_is_registered_in_full(name: str) -> None:
    item, plan = experiments()[name], experiment_module(name)
    assert item.title and item.paper and item.system in KINDS
    if item.needs_trace:
        with pytest.raises(UserError, match="--trace"):
            plan.parts("paper", NO_OPTIONS)


@pytest.mark.parametrize("name", ALONE)
def test_its_shortest_run_gives_what_it_declares(name: str) -> None:
    plan = experiment_module(name)
    parts = plan.parts("tiny", NO_OPTIONS)
    assert parts == plan.parts("tiny", NO_OPTIONS)
    assert len({part.key for part in parts}) == len(parts) > 0
    outcomes = {part: outcome_of(part) for part in parts}
    check(plan.result("tiny", NO_OPTIONS, outcomes), name)
    for some in (parts[:0], parts[:1], parts[1::2]):  # partial results, as while the experiment runs
        begun = plan.result("tiny", NO_OPTIONS, {part: outcomes[part] for part in some})
        for figure in begun.figures:
            assert {curve.name for curve in figure.curves} <= set(figure.planned)


#: A user policy for each kind.
OWN = {
    "reservation": "keep_room.py",
    "queue": "largest_first.py",
    "phases": "asking_servers.py",
    "moldable": "half_of_the_rest.py",
}


@pytest.mark.parametrize("name", [name for name in ALONE if experiments()[name].compares])
def test_a_policy_of_one_s_own_runs_beside_those_that_it_compares(name: str, tmp_path: Path) -> None:
    """It has parts of its own, which change with the file's text, and rows and curves named after the file."""
    plan, file = experiment_module(name), OWN[experiments()[name].system]
    path = tmp_path / file
    path.write_text((EXAMPLES / file).read_text(encoding="utf-8"), encoding="utf-8")
    options = Options(policies=(str(path),))
    check_beside(name, options.policies)
    alone, parts = plan.parts("tiny", NO_OPTIONS), plan.parts("tiny", options)
    assert parts == plan.parts("tiny", options)
    assert set(alone) < set(parts)
    mine = [part for part in parts if part not in alone]
    result = plan.result("tiny", options, {part: outcome_of(part) for part in parts})
    check(result, name)
    assert any(file in str(row.at.get("policy", "")) for row in result.rows)
    assert any(file in curve.name for figure in result.figures for curve in figure.curves)
    path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert not set(mine) & set(plan.parts("tiny", options))


def test_what_cannot_run_beside_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="dra-fig2 compares no policies; allowed: dra-fig3"):
        check_beside("dra-fig2", ("dra",))
    for wrong in (str(EXAMPLES / "largest_first.py"), "no-such-policy", str(tmp_path / "none.py")):
        with pytest.raises(UserError):
            check_beside("dra-fig3", (wrong,))
    with pytest.raises(UserError, match="found first-fit twice"):
        check_beside("dra-fig3", ("first-fit", "first-fit"))


def check(result: Result, name: str) -> None:
    """Check a finished result: its curves are the planned ones, and its rows can be written as JSON."""
    assert result.experiment == name
    assert result.rows and result.figures
    for row in result.rows:
        assert json.loads(json.dumps(row.as_dict()))["what"] == row.what
    for figure in result.figures:
        assert figure.title and figure.x_label and figure.y_label
        drawn = [curve.name for curve in figure.curves]  # curves without any value are left out
        assert drawn == [name for name in figure.planned if name in drawn]
        for curve in figure.curves:
            assert len(curve.x) == len(curve.y) > 0, curve.name
            assert len(curve.half_width) in {0, len(curve.x)}
            assert len(curve.crossed) in {0, len(curve.x)}
