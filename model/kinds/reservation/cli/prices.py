"""``slotscope prices``: a scenario whose job types are machine types with their list prices.

Demands and rewards are those of the price list.  Price lists say nothing on workloads: each type gets the same
share of the servers.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from slotscope.model.cli.guard import note
from slotscope.model.cli.output import print_json
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.scenario.common import MOST_TYPES
from slotscope.model.scenario.load import scenario_text, write_scenario
from slotscope.model.scenario.validation import validated
from slotscope.model.traces.prices import PriceList, read_price_list

#: The denominator of workloads, which makes them short decimals.
WORKLOAD_UNIT = 1000


@dataclass(frozen=True)
class Host:
    """The servers: their number, and the capacity of each."""

    count: int
    cpus: int
    memory: Fraction  #: GB


def price_scenario(prices: PriceList, host: Host, load: Fraction, digits: int | None = None) -> ReservationScenario:
    """A scenario whose job types are the machine types of a price list.

    - *prices*: The machine types, with their prices.
    - *host*: The servers.
    - *load*: The workload of all types together as a multiple of the servers' capacity: each type has an equal
      part of it, measured by its scarcest resource.
    - *digits*: Round prices to this number of decimals; None: not at all.

    Raises ScenarioError if the numbers make no valid scenario, for instance prices with too many digits.
    """
    if len(prices.types) > MOST_TYPES:
        raise ScenarioError(
            f"found {len(prices.types)} machine types, allowed: at most {MOST_TYPES}: name fewer families",
            where="job_types",
        )
    part = load / len(prices.types)
    rows = []
    for machine, price in zip(prices.types, prices.prices, strict=True):
        share = max(Fraction(machine.cpus, host.cpus), machine.memory / host.memory)
        workload = round(part / share * WORKLOAD_UNIT)
        reward = price if digits is None else round(price, digits)
        rows.append(
            {
                "name": machine.name,
                "demand": {"vCPU": machine.cpus, "memory": str(machine.memory)},
                "reward": str(Fraction(reward)),
                "workload": str(Fraction(max(workload, 1), WORKLOAD_UNIT)),
            }
        )
    data: dict[str, Any] = {
        "title": f"Machine types of Google Cloud in {prices.region}",
        "description": _description(prices, host, load),
        "resources": [{"name": "vCPU"}, {"name": "memory", "unit": "GB"}],
        "servers": {"count": host.count, "capacity": {"vCPU": host.cpus, "memory": str(host.memory)}},
        "job_types": rows,
        "run": {"until": 100, "warmup": 10, "time_unit": "mean service times"},
    }
    try:
        return validated(ReservationScenario, data)
    except ScenarioError as error:
        raise error.inside("the scenario from these files") from None


def _description(prices: PriceList, host: Host, load: Fraction) -> str:
    when = f", generated {prices.generated}" if prices.generated else ""
    return (
        f"{len(prices.types)} machine types with their sizes and list prices in dollars an hour, region "
        f"{prices.region}{when}, from google-cloud-pricing-cost-calculator by Nils Knieling (Apache-2.0). Servers have "
        f"{host.cpus} vCPU and {float(host.memory):g} GB. The requests are an assumption: every type asks for the same "
        f"share of the servers, all together for {float(load):g} times what they have."
    )


def execute(options: argparse.Namespace) -> int:
    """Read the files, and write or print the scenario."""
    prices = read_price_list(options.machine_types, options.pricing, options.region, options.family)
    for name, reason in prices.left_out:
        note(f"{name} is left out: {reason}")
    cpus, memory = options.server
    host = Host(options.count, cpus, memory)
    scenario = price_scenario(prices, host, options.load, options.digits)
    try:
        numbers_of(scenario)
    except ScenarioError as error:
        raise ScenarioError(f"{error.message}, for prices with --digits 6", where=error.where) from None
    if options.out is not None:
        write_scenario(options.out, scenario)
    if options.json:
        print_json(_data(prices, str(options.out) if options.out else None))
    elif options.out is None:
        print(scenario_text(scenario), end="")
    else:
        print(f"{options.out}: {len(prices.types)} machine types, {prices.region}")
    return 0


def _data(prices: PriceList, path: str | None) -> dict[str, object]:
    return {
        "scenario": path,
        "region": prices.region,
        "generated": prices.generated,
        "types": [
            {
                "name": machine.name,
                "vcpu": machine.cpus,
                "memory_gb": _exact(machine.memory),
                "price_per_hour": _exact(price),
            }
            for machine, price in zip(prices.types, prices.prices, strict=True)
        ],
        "left_out": [{"name": name, "reason": reason} for name, reason in prices.left_out],
    }


def _exact(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
