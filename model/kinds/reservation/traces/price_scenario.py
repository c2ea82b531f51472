"""Makes a scenario of facts from a price list: real machine types as job types.

Demands and rewards are the list's.  Which requests come is not in any price list: each type
asks for the same share of the servers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.scenario.common import MOST_TYPES
from slotscope.model.scenario.validation import validated
from slotscope.model.traces.prices import PriceList

#: Denominator of workloads, so that they are short decimals.
WORKLOAD_UNIT = 1000


@dataclass(frozen=True)
class Host:
    """The servers: how many, and what each has."""

    count: int
    cpus: int
    memory: Fraction  #: GB


def price_scenario(prices: PriceList, host: Host, load: Fraction, digits: int | None = None) -> ReservationScenario:
    """A scenario whose job types are the machine types of a price list.

    - *prices*: The machine types, with their prices.
    - *host*: The servers.
    - *load*: What all types together ask for, as a multiple of what the servers have: each type asks for an equal
      part of it, measured by its scarcest resource.
    - *digits*: Round prices to so many digits after the point; by default they stay as they are.

    Raises ScenarioError if the numbers make no scenario, for instance prices with too many digits.
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
