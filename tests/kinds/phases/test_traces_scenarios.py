"""Traces as phases of scenarios: rule by rule, and against numbers of the real data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.errors import ScenarioError, TraceError
from slotscope.model.kinds.phases.numbers import numbers_of
from slotscope.model.kinds.phases.traces.azure_flavours import read_flavours
from slotscope.model.kinds.phases.traces.workload import pod_types, rounded, with_trace
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario, scenario_text
from slotscope.model.traces.alibaba_pods import read_pods
from tests.kinds.phases.traces import scenario, typed, written
from tests.model.trace_files import TRACES, needs_traces, oracle, pod_list, pod_row

AZURE = TRACES / "azure2017-huawei"
PODS = TRACES / "alibaba-gpu-2023/openb_pod_list_default.csv.gz"


class TestScenario:
    def test_types_become_phases_with_the_rates_of_the_trace(self, tmp_path: Path) -> None:
        found, recorded, report = with_trace(scenario(seconds=100), (str(written(tmp_path)),))
        assert recorded is None
        assert found.phase_names == ("1 vCPU 0.75 GiB", "2 vCPU 3.5 GiB")
        model = numbers_of(found).model
        assert model.demand == ((1, Fraction(3, 4)), (2, Fraction(7, 2)))
        assert model.arrival_rates == (Fraction(15, 100), Fraction(15, 100))
        assert model.departure_rates == (rounded(Fraction(1, 3)), rounded(Fraction(1, 24)))
        assert model.hard
        assert [(item.count, item.reason) for item in report.left_out] == [(1, "of one type larger than a server")]
        assert report.kept == 6
        assert report.notes[-1].startswith("2 types: 1 vCPU 0.75 GiB (3), ")

    def test_scale_multiplies_the_arrivals_alone(self, tmp_path: Path) -> None:
        path = str(written(tmp_path))
        one, ten = (numbers_of(with_trace(scenario(scale=scale), (path,))[0]) for scale in (1, 10))
        assert one.model == ten.model
        assert [10 * rate for rate in one.arrival_rates] == list(ten.arrival_rates)

    def test_the_most_frequent_types_are_kept(self, tmp_path: Path) -> None:
        path = written(tmp_path, v1_dev="1000 b,a,b\n", v1_dev_c3000="1000 U1,U1,C3\n")
        found, _, report = with_trace(scenario(most_types=1), (str(path),))
        assert found.phase_names == ("2 vCPU 3.5 GiB",)
        assert [(item.count, item.reason) for item in report.left_out] == [
            (1, "of one type beyond the 1 most frequent")
        ]

    def test_no_more_types_are_kept_than_a_server_has_configurations_for(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("slotscope.model.kinds.phases.lattice.MOST_CONFIGURATIONS", 6)
        found, _, report = with_trace(scenario(seconds=77), (str(written(tmp_path)),))
        assert found.phase_names == ("1 vCPU 0.75 GiB",)
        assert report.left_out[-1].reason == "of one type beyond the 1 most frequent"
        assert report.notes[-1] == "with more types a server would have more than 20,000 configurations"

    def test_types_without_a_mean_lifetime_are_left_out(self, tmp_path: Path) -> None:
        path = written(tmp_path, v1_dev="1000 a,b,b\n", v1_dev_c3000="1000 U1,C3,C3\n")
        found, _, report = with_trace(scenario(), (str(path),))
        assert found.phase_names == ("1 vCPU 0.75 GiB",)
        assert [(item.count, item.reason) for item in report.left_out] == [
            (2, "of one type of which no mean lifetime can be told")
        ]
        path = written(tmp_path, v1_dev="1000 b,c\n", v1_dev_c3000="1000 U0,U0\n")
        with pytest.raises(TraceError, match="no type of the trace can be used: 1 virtual") as told:
            with_trace(scenario(), (str(path),))
        assert "larger than a server; 1 virtual machine of one type of which" in told.value.line

    def test_a_server_with_a_cost_may_hold_more_than_it_has(self, tmp_path: Path) -> None:
        data = as_data(scenario()) | {"servers": {"most_jobs": 8, "capacity": {"CPU": 4}}, "cost": {"budget": 0.1}}
        found, _, _ = with_trace(typed(parse_scenario(data)), (str(written(tmp_path)),))
        assert [found.demand_of(phase) for phase in found.phases] == [(1,), (2,), (8,)]

    def test_units_of_the_scenario(self, tmp_path: Path) -> None:
        data = as_data(scenario()) | {
            "resources": [{"name": "Memory", "unit": "MiB"}, {"name": "cpus", "unit": "mCPU"}],
            "servers": {"most_jobs": 8, "capacity": {"Memory": "8 GiB", "cpus": 4000}, "contention": "never"},
        }
        found, _, _ = with_trace(typed(parse_scenario(data)), (str(written(tmp_path)),))
        assert found.demand_of(found.phases[1]) == (3584, 2000)

    @pytest.mark.parametrize(
        ("changes", "line"),
        [
            ({"capacity": {"vCPU": 8, "disk": 1}}, "servers.capacity: found the resources vCPU, disk"),
            ({"capacity": {"vCPU": 8, "cpu": 1}}, "servers.capacity: found the resources vCPU, cpu"),
            ({"capacity": 8}, "servers.capacity: found the resources size"),
        ],
    )
    def test_other_resources_are_refused(self, changes: dict[str, Any], line: str, tmp_path: Path) -> None:
        data = as_data(scenario())
        broken = typed(parse_scenario(data | {"servers": data["servers"] | changes}))
        with pytest.raises(ScenarioError) as raised:
            with_trace(broken, (str(written(tmp_path)),))
        assert raised.value.line.startswith(line)

    def test_another_unit_is_refused(self, tmp_path: Path) -> None:
        data = as_data(scenario()) | {"resources": [{"name": "memory", "unit": "pages"}]}
        with pytest.raises(ScenarioError, match=r"resources\.memory\.unit: found 'pages'"):
            with_trace(typed(parse_scenario(data)), (str(written(tmp_path)),))

    def test_no_path_and_no_trace(self) -> None:
        with pytest.raises(ScenarioError, match="--trace PATH"):
            with_trace(scenario())
        with pytest.raises(ScenarioError, match="such as jrs-azure"):
            with_trace(typed(load_scenario("jrs-two-phases")), ("x",))

    def test_the_scenario_with_its_types_can_be_written_and_read(self, tmp_path: Path) -> None:
        found, _, _ = with_trace(scenario(), (str(written(tmp_path)),))
        path = tmp_path / "again.toml"
        path.write_text(scenario_text(found))
        again = typed(load_scenario(path))
        assert again == found
        assert with_trace(again)[0] == found  # the path of the trace is kept

    @given(st.fractions(Fraction(1, 10**6), 10**6))
    def test_rates_keep_six_digits(self, rate: Fraction) -> None:
        assert abs(rounded(rate) / rate - 1) <= Fraction(1, 10**5) / 2
        assert len(str(float(rounded(rate))).strip("0").replace(".", "").split("e")[0].strip("0")) <= 6


def some_pods(path: Path) -> str:
    return pod_list(
        path,
        [
            pod_row(1, 0, 5, 65, 1500, 1024),
            pod_row(2, 10, 10, 50, 4000, 2048),
            pod_row(3, 20, 30, 50, 1500, 1024),
            pod_row(4, 30, "", "", 1500, 1024),
            pod_row(5, 100, 100, 200, 64_000, 1024),
        ],
    )


class TestPods:
    def test_a_request_is_a_type(self, tmp_path: Path) -> None:
        found = pod_types(read_pods([Path(some_pods(tmp_path / "pods.csv"))]))
        assert found.types == (
            ("1.5 CPU 1024 MiB", (Fraction(3, 2), 1), 2, 2, 80),
            ("4 CPU 2048 MiB", (4, 2), 1, 1, 40),
            ("64 CPU 1024 MiB", (64, 1), 1, 1, 100),
        )
        assert found.span == 100
        assert "half of the pods came within 20.0% of it" in found.report.notes[-1]

    def test_pods_of_a_scenario(self, tmp_path: Path) -> None:
        path = some_pods(tmp_path / "pods.csv")
        found, _, report = with_trace(scenario(format="alibaba-pods", seconds=10), (path,))
        model = numbers_of(found).model
        assert model.phases == ("1.5 CPU 1024 MiB", "4 CPU 2048 MiB")
        assert model.demand == ((Fraction(3, 2), 1), (4, 2))
        assert model.arrival_rates == (Fraction(1, 5), Fraction(1, 10))
        assert model.departure_rates == (Fraction(1, 4), Fraction(1, 4))
        assert [(item.count, item.what) for item in report.left_out] == [(1, "pods"), (1, "pods")]
        assert (report.kept, report.rows) == (3, 5)

    def test_a_limit_counts_pods(self, tmp_path: Path) -> None:
        pods = read_pods([Path(some_pods(tmp_path / "pods.csv"))])
        found = pod_types(pods, limit=3)
        assert (found.span, found.report.kept) == (20, 3)
        assert (found.report.left_out[-1].count, found.report.left_out[-1].what) == (1, "pods")

    @pytest.mark.parametrize("rows", [[], [(5, 5, 9), (5, 6, 9)]])
    def test_pods_of_one_time_have_no_rate(self, rows: list[tuple[int, int, int]], tmp_path: Path) -> None:
        lines = [pod_row(place, *times, 1000, 1024) for place, times in enumerate(rows)]
        pods = read_pods([Path(pod_list(tmp_path / "pods.csv", lines))])
        with pytest.raises(TraceError, match=f"found {len(rows)} pods"):
            pod_types(pods)


@needs_traces
class TestRealData:
    def test_azure_counts_are_those_of_the_oracle(self) -> None:
        told, found = oracle("azure2017_huawei_dev"), read_flavours([AZURE])
        report = found.report
        assert (report.rows, report.kept) == (told["lines"], told["vms"])
        assert f"in {told['batches']:,} batches" in report.notes[0]
        assert f"{told['durations_censored']:,} machines were still" in report.notes[2]
        assert sum(item.ends for item in found.types) == told["durations_uncensored"]
        assert {item.name: item.arrivals for item in found.types} == {
            f"{flavour['vcpu']} vCPU {flavour['mem_gib']} GiB": flavour["vms"] for flavour in told["flavors"].values()
        }
        assert sum(item.arrivals * item.demand[0] for item in found.types) == Fraction(told["sum_vcpu"])
        memory = sum(item.arrivals * item.demand[1] for item in found.types)
        assert memory == Fraction(told["sum_mem_gib"])
        first, last = told["first_last_timestamp_s"]
        assert found.span == last + 300 - first == 300_000

    def test_azure_times_are_those_of_the_oracle_s_bins(self) -> None:
        told, found = oracle("azure2017_huawei_dev"), read_flavours([AZURE])
        shortest: dict[int, int] = {}
        longest: dict[int, int] = {}
        for seconds, label in interval_map():
            shortest.setdefault(label, seconds)
            longest[label] = seconds
        counts = {int(label): count for label, count in told["uncensored_duration_bins"].items()}
        lowest = sum(count * shortest[label] for label, count in counts.items())
        middle = sum(Fraction(shortest[label] + longest[label], 2) * count for label, count in counts.items())
        # A machine that was still running had run for at least 300 s, at most 300,000 s.
        running = told["durations_censored"]
        time = sum(item.time for item in found.types)
        assert lowest + 300 * running < time < middle + 300_000 * running

    def test_azure_scenario(self) -> None:
        start = typed(load_scenario("jrs-azure"))
        found, _, report = with_trace(start, (str(AZURE),))
        told = oracle("azure2017_huawei_dev")
        numbers = numbers_of(found)
        assert report.kept + report.total("virtual machines") == told["vms"]
        most = sorted((flavour["vms"] for flavour in told["flavors"].values()), reverse=True)[:6]
        hours = Fraction(300_000, 3600)
        assert numbers.model.arrival_rates == tuple(rounded(vms / hours) for vms in most)
        assert len(numbers.lattice) == 1134
        assert numbers.model.peak == numbers.model.demand

    def test_pods_are_those_of_the_oracle(self) -> None:
        told, found = oracle("alibaba_pods_default"), pod_types(read_pods([PODS]))
        ran = told["rows"] - told["rows_without_scheduled_time"]
        assert sum(item.arrivals for item in found.types) == found.report.kept == ran
        first, last = told["creation_first_last"]
        assert found.span <= last - first
        quantiles = told["lifetime_s_quantiles_scheduled_to_deletion"]
        assert max(item.time for item in found.types) >= quantiles["1"]
        assert all(item.time >= quantiles["0"] * item.arrivals for item in found.types)

    def test_pods_scenario(self) -> None:
        found, _, report = with_trace(typed(load_scenario("jrs-alibaba")), (str(PODS),))
        assert len(found.phases) == 4
        assert report.kept + report.total("pods") == oracle("alibaba_pods_default")["rows"]
        assert len(numbers_of(found).lattice) < 1000


def interval_map() -> Iterator[tuple[int, int]]:
    for line in (AZURE / "v1.interval_map.txt").read_text().splitlines():
        seconds, label = line.split()
        yield int(seconds), int(label)
