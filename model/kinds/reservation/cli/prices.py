"""``slotscope prices``: a scenario of facts from machine types and their list prices."""

from __future__ import annotations

import argparse
from fractions import Fraction

from slotscope.model.cli.guard import note
from slotscope.model.cli.output import print_json
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.traces.price_scenario import Host, price_scenario
from slotscope.model.scenario.load import scenario_text, write_scenario
from slotscope.model.traces.prices import PriceList, read_price_list


def execute(options: argparse.Namespace) -> int:
    """Read the files, and write the scenario or print it."""
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
