"""Machine types and list prices: against numbers of the real files, and error by error."""

from __future__ import annotations

import gzip
import json
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import ScenarioError, TraceError, UserError
from slotscope.model.kinds.reservation.cli.prices import Host, price_scenario
from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.programs.bounds import solve_bounds
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.kinds.reservation.programs.reward_lp import formulate
from slotscope.model.programs.configurations import ConfigurationSpace
from slotscope.model.programs.solver import choose_solver
from slotscope.model.scenario.load import load_scenario, parse_scenario_text, scenario_text
from slotscope.model.traces.prices import (
    DEEPEST,
    MachineType,
    PriceList,
    read_machine_types,
    read_price_list,
    read_pricing,
)

MACHINES = """NAME;CPUS;SHARED_CPU;MEMORY_GB;DEPRECATED;ZONE
n1-standard-1;1;False;3.75;;
n2-standard-2;2;False;8.00;;
n2-highmem-2;2;False;16.00;;
n2-old-2;2;False;16.00;DEPRECATED;
e2-micro;2;True;1.00;;
n2-unsold-4;4;False;16.00;;
"""

PRICING = """---
about:
  copyright: |2

    Somebody's rights: all of them.

  generated: Thu Jul 30 06:13:17 2026
compute:
  instance:
    n1-standard-1:
      cost:
        here:
          hour: 0.04749975
          month: 24.3
        there:
          hour: 5e-02
    n2-highmem-2: {cpu: 2, cost: {here: {hour: 0.131}, there: {hour_spot: 0.1}}}
    n2-standard-2:
      cpu: 2
      cost:
        here: &price
          hour: 0.0971
        there: *price
    e2-micro:
      cost:
        here:
          hour: 0.01
    n2-old-2:
      cost:
        here:
          hour: 0.3
    n2-unsold-4:
      cpu: 4
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    machines, pricing = tmp_path / "machinetypes.csv", tmp_path / "pricing.yml"
    machines.write_text(MACHINES, encoding="utf-8")
    pricing.write_text(PRICING, encoding="utf-8")
    return machines, pricing


def test_machine_types_and_their_prices(files: tuple[Path, Path]) -> None:
    prices = read_price_list(*files, "here", ["n2", "n1-standard-1", "e2"])
    assert prices.types == (
        MachineType("n2-highmem-2", 2, Fraction(16), False, False),
        MachineType("n2-standard-2", 2, Fraction(8), False, False),
        MachineType("n1-standard-1", 1, Fraction(15, 4), False, False),
    )
    assert prices.prices == (Fraction("0.131"), Fraction("0.0971"), Fraction("0.04749975"))
    assert prices.generated == "Thu Jul 30 06:13:17 2026"
    assert dict(prices.left_out) == {
        "n2-unsold-4": "no hourly price in here",
        "n2-old-2": "deprecated",
        "e2-micro": "its CPUs are shared, so that its size is not told",
    }


def test_another_region_has_other_prices(files: tuple[Path, Path]) -> None:
    prices = read_price_list(*files, "there", ["n1", "n2-standard", "n2-highmem"])
    assert prices.prices == (Fraction("0.0971"), Fraction("0.05"))
    assert dict(prices.left_out) == {"n2-highmem-2": "no hourly price in there"}


def test_a_family_ends_at_a_hyphen(files: tuple[Path, Path]) -> None:
    with pytest.raises(TraceError, match="no family of machine types is called 'n2-st'"):
        read_price_list(*files, "here", ["n2-st"])


def test_packed_files_are_read_alike(files: tuple[Path, Path], tmp_path: Path) -> None:
    packed = tmp_path / "pricing.yml.gz"
    packed.write_bytes(gzip.compress(files[1].read_bytes()))
    families = ["n1", "n2"]
    assert read_price_list(files[0], packed, "here", families) == read_price_list(*files, "here", families)


FAULTS: dict[str, tuple[str, str, str, str]] = {
    "no header": ("machines", "NAME;", "WORD;", "row 1"),
    "a comma for a semicolon": ("machines", "1;False;3.75;;", "1,False,3.75,,", "row 2"),
    "no CPUs": ("machines", "n1-standard-1;1;", "n1-standard-1;0;", "column 'CPUS': found '0'"),
    "CPUs in words": ("machines", "n1-standard-1;1;", "n1-standard-1;one;", "found 'one'"),
    "memory below 0": ("machines", "3.75", "-3.75", "'MEMORY_GB': found '-3.75'"),
    "memory not a number": ("machines", "3.75", "nan", "found 'nan'"),
    "shared neither": ("machines", "1;False;", "1;Perhaps;", "allowed is True or False"),
    "no name": ("machines", "n1-standard-1;", ";", "'NAME'"),
    "an open quote": ("machines", "n1-standard-1;", 'n1";"x;', "row"),
    "a price below 0": ("pricing", "0.04749975", "-1", "n1-standard-1.cost.here.hour: found '-1'"),
    "a price in words": ("pricing", "0.04749975", "much", "found 'much'"),
    "an infinite price": ("pricing", "0.04749975", ".inf", "found '.inf'"),
    "a price as a list": ("pricing", "0.04749975", "[1, 2]", "n1-standard-1.cost.here.hour"),
    "a tab for an indent": ("pricing", "      cost:", "\tcost:", "row 1"),
    "an open bracket": ("pricing", "{cpu: 2,", "{cpu: 2, [", "not YAML"),
    "an unknown alias": ("pricing", "*price", "*cost", "not YAML"),
    "no instances": ("pricing", "  instance:", "  instances:", "no entries under compute.instance"),
    "no compute": ("pricing", "compute:", "computer:", "no entries under compute"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_told_in_one_line(name: str, files: tuple[Path, Path]) -> None:
    which, old, new, expected = FAULTS[name]
    path = files[which == "pricing"]
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TraceError) as caught:
        read_price_list(*files, "here", ["n1-standard-1", "n2-standard"])
    assert expected in caught.value.line
    assert str(path) in caught.value.line
    assert "\n" not in caught.value.line


def test_an_unknown_region_names_the_nearest(files: tuple[Path, Path]) -> None:
    with pytest.raises(TraceError, match="no region is called 'hare'; did you mean 'here'"):
        read_price_list(*files, "hare", ["n1"])


def test_a_list_without_any_usable_type_says_why(files: tuple[Path, Path]) -> None:
    with pytest.raises(TraceError, match="e2-micro: its CPUs are shared"):
        read_price_list(*files, "here", ["e2"])


@pytest.mark.parametrize("text", ["[" * 40_000, "{a: " * 40_000, "- " * 5_000 + "x"])
def test_deep_nesting_is_refused_and_not_followed(text: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.yml"
    path.write_text("\n".join(text[i : i + 60_000] for i in range(0, len(text), 60_000)))
    with pytest.raises(TraceError, match=f"nested more than {DEEPEST} deep"):
        read_pricing(path)


def test_names_of_python_objects_make_none(tmp_path: Path) -> None:
    path, victim = tmp_path / "evil.yml", tmp_path / "made"
    path.write_text(f"compute: !!python/object/apply:os.mkdir ['{victim}']\n")
    assert read_pricing(path) == {"compute": [str(victim)]}
    assert not victim.exists()


def test_aliases_of_aliases_fill_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "laughs.yml"
    rows = ["a0: &a0 [x, x]"]
    rows += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    path.write_text("\n".join(rows))
    assert len(read_pricing(path)) == 60


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_mangled_files_are_read_or_refused_in_one_line(data: st.DataObject) -> None:
    """With bytes removed, inserted or changed, a file gives a price list or a UserError, never another error."""
    mangled = []
    for text in (MACHINES, PRICING):
        content = bytearray(text.encode())
        for _ in range(data.draw(st.integers(0, 3))):
            place = data.draw(st.integers(0, len(content)))
            cut = data.draw(st.integers(0, 30))
            put = data.draw(
                st.binary(max_size=4)
                | st.sampled_from([b"{", b"- ", b": ", b"&a ", b"*a", b"!!int ", b"\t", b"\n", b";", b'"', b"~"])
            )
            content[place : place + cut] = put
        mangled.append(bytes(content))
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("machinetypes.csv", "pricing.yml")]
        for path, content in zip(paths, mangled, strict=True):
            path.write_bytes(content)
        try:
            prices = read_price_list(*paths, "here", ["n1", "n2-standard"])
        except UserError as error:
            assert "\n" not in error.line
        else:
            assert len(prices.types) == len(prices.prices) > 0
            assert all(price >= 0 for price in prices.prices)


# The scenario.


def some_prices() -> PriceList:
    types = (MachineType("big", 8, Fraction(16), False, False), MachineType("small", 1, Fraction(15, 4), False, False))
    return PriceList("here", "today", types, (Fraction("1.25"), Fraction("0.04749975")), ())


def test_a_scenario_has_the_list_s_numbers() -> None:
    scenario = price_scenario(some_prices(), Host(10, 16, Fraction(64)), Fraction(3, 2))
    numbers = numbers_of(scenario)
    assert numbers.type_names == ("big", "small")
    assert numbers.rewards == (Fraction("1.25"), Fraction("0.04749975"))
    assert numbers.space.demand == ((8, 64), (1, 15))  # memory in quarters of a GB
    # Each asks for 3/4 of a server: 8 of 16 vCPUs, and 3.75 of 64 GB (more than 1 of 16).
    assert numbers.workload == (Fraction(3, 2), Fraction(12))
    assert "here" in scenario.title
    assert "today" in scenario.description
    again = parse_scenario_text(scenario_text(scenario), "again")
    assert again == scenario


def test_more_types_than_a_scenario_holds_are_refused() -> None:
    one = MachineType("m", 1, Fraction(1), False, False)
    prices = PriceList("here", "", (one,) * 63, (Fraction(1),) * 63, ())
    with pytest.raises(ScenarioError, match="63 machine types, allowed: at most 62"):
        price_scenario(prices, Host(1, 16, Fraction(64)), Fraction(1))


def test_prices_are_rounded_only_on_request() -> None:
    host = Host(1, 16, Fraction(64))
    scenario = price_scenario(some_prices(), host, Fraction(1), digits=2)
    assert [item.reward for item in scenario.job_types] == [Fraction("1.25"), Fraction("0.05")]
    types = some_prices().types
    fine = PriceList("here", "", types, (Fraction("4.722993526"), Fraction("0.01")), ())
    with pytest.raises(ScenarioError, match="fewer digits"):
        numbers_of(price_scenario(fine, host, Fraction(1)))
    numbers_of(price_scenario(fine, host, Fraction(1), digits=6))


def test_the_scenario_that_comes_along_runs() -> None:
    session = Session.open("dra-gcp", kernel=False)
    numbers = session.bench.numbers
    assert numbers.types == 12
    assert numbers.space.count() == 602_806
    assert f"{602_806:,}" in session.info.scenario.description
    assert all(numbers.space.fits)
    session.run(events=60)
    assert session.timeline.state.jobs_in_system.sum() > 0


def test_its_programs_agree() -> None:
    """12 types and 602,806 configurations: column generation equals PuLP over the maximal configurations."""
    numbers = numbers_of(load_scenario("dra-gcp"))
    exact = exact_optimum(numbers.space, numbers.rewards, numbers.workload)
    assert len(exact.generated) < 100
    bounds = solve_bounds(numbers.pool_shares, numbers.rewards, numbers.workload)
    assert bounds.problem == ""
    assert bounds.optimum is not None
    assert bounds.optimum.exact == exact.value
    assert bounds.optimum.objective == pytest.approx(float(exact.value), rel=1e-6)
    assert bounds.greedy is not None
    assert 0.98 < bounds.greedy.objective / exact.value < 1


def test_the_full_program_of_some_of_its_types_agrees() -> None:
    """For the eight larger types, PuLP over all configurations has the same optimum."""
    numbers = numbers_of(load_scenario("dra-gcp"))
    large = [j for j, name in enumerate(numbers.type_names) if not name.endswith("-4")][:8]
    space = ConfigurationSpace.from_demands([numbers.space.demand[j] for j in large], numbers.space.capacity)
    rewards = [numbers.rewards[j] for j in large]
    workload = [numbers.workload[j] for j in large]
    configurations = [tuple(row) for row in space.enumerate(20_000).tolist()]
    assert len(configurations) > 500
    problem, _ = formulate(configurations, rewards, workload)
    problem.solve(choose_solver()[0])
    exact = exact_optimum(space, rewards, workload)
    assert float(problem.objective.value()) == pytest.approx(float(exact.value), rel=1e-6)


@pytest.mark.slow
def test_all_its_maximal_configurations_written_out_agree() -> None:
    numbers = numbers_of(load_scenario("dra-gcp"))
    configurations = [tuple(row) for row in numbers.space.maximal().tolist()]
    assert len(configurations) > 100_000
    problem, _ = formulate(configurations, numbers.rewards, numbers.workload)
    problem.solve(choose_solver()[0])
    exact = exact_optimum(numbers.space, numbers.rewards, numbers.workload)
    assert float(problem.objective.value()) == pytest.approx(float(exact.value), rel=1e-6)


# The real files.


@pytest.fixture(scope="module")
def real(request: pytest.FixtureRequest) -> tuple[Path, Path, dict[str, Any]]:
    folder = Path(__file__).resolve().parents[3].parent / "shared" / "traces"
    if not (folder / "gcp-prices").is_dir():
        pytest.skip("the real price lists are not beside the repository (../shared/traces)")
    oracle = json.loads((folder / "oracle.json").read_text(encoding="utf-8"))["gcp_prices"]
    return folder / oracle["files"][1], folder / oracle["files"][0], oracle


@pytest.mark.slow
def test_the_real_files_have_the_figures_of_an_independent_program(real: tuple[Path, Path, dict[str, Any]]) -> None:
    machine_types, pricing, oracle = real
    machines = read_machine_types(machine_types)
    assert len(machines) == oracle["machinetypes_rows"]
    assert sum(machine.shared for machine in machines.values()) == oracle["machinetypes_shared_cpu"]
    instances = read_pricing(pricing)["compute"]["instance"]
    assert len(instances) == oracle["instances_in_pricing"]
    assert len(instances.keys() & machines.keys()) == oracle["in_both"]
    names = [name for name in oracle["samples"] if name in machines]
    found = read_price_list(machine_types, pricing, "us-central1", names)
    for machine, price in zip(found.types, found.prices, strict=True):
        sample = oracle["samples"][machine.name]
        assert price == Fraction(sample["hour_us-central1"])
        assert machine.cpus == Fraction(sample["cpu"])
        assert machine.memory == Fraction(sample["ram"])
    assert len(found.types) + len(found.left_out) == len(names)


@pytest.mark.slow
def test_the_scenario_that_comes_along_says_what_the_real_files_say(real: tuple[Path, Path, dict[str, Any]]) -> None:
    scenario = load_scenario("dra-gcp")
    names = [item.name for item in scenario.job_types]
    prices = read_price_list(*real[:2], "europe-west1", names)
    assert {
        machine.name: (Fraction(machine.cpus), machine.memory, price)
        for machine, price in zip(prices.types, prices.prices, strict=True)
    } == {
        item.name: (
            item.demand["vCPU"].in_unit(scenario.unit_of("vCPU")),
            item.demand["memory"].in_unit(scenario.unit_of("memory")),
            item.reward,
        )
        for item in scenario.job_types
    }
    made = price_scenario(prices, Host(120, 128, Fraction(864)), Fraction(2))
    assert made.job_types == scenario.job_types
