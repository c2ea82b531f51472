"""The arguments of commands that exist only for this kind of system; this module imports quickly."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from slotscope.model.cli.parser import Parser, json_option
from slotscope.model.cli.readers import host_load, host_size, whole

_PRICES = (
    "Makes a scenario of facts from Google Cloud's machine types and list prices, as the files machinetypes.csv and "
    "pricing.yml of google-cloud-pricing-cost-calculator give them: machine types become job types, with their vCPUs "
    "and memory as demands and the price of an hour as reward. Which requests come is not in a price list: each type "
    "asks for the same share of the servers."
)
_EXAMPLES = [
    "slotscope prices machinetypes.csv pricing.yml.gz --region europe-west1 --family "
    "n2-standard n2-highmem --out n2.toml",
    "slotscope prices machinetypes.csv pricing.yml --region us-central1 --family e2-highcpu "
    "--server 32x128 --count 200 --load 1.5",
]


def prices() -> Parser:
    """The arguments of ``slotscope prices``."""
    parser = Parser("prices", _PRICES, _EXAMPLES)
    parser.take("machine_types", "MACHINETYPES", "machinetypes.csv, plain or gzip'd", Path)
    parser.take("pricing", "PRICING", "pricing.yml, plain or gzip'd", Path)
    parser.take("--region", "R", "such as europe-west1", required=True)
    parser.take(
        "--family",
        "F",
        "machine types, or the beginnings of their names up to a hyphen, such as n2-standard",
        nargs="+",
        action="extend",
        required=True,
    )
    parser.take(
        "--server",
        "CPUSxGB",
        "a server's vCPUs and memory in GB (default: 80x640)",
        host_size,
        default=(80, Fraction(640)),
    )
    parser.take("--count", "L", "servers (default: 100)", whole(1, 100_000), default=100)
    parser.take(
        "--load",
        "A",
        "all requests in units of what the servers have (default: 1.25)",
        host_load,
        default=Fraction(5, 4),
    )
    parser.take("--digits", "N", "round prices to N digits (default: exact)", whole(0, 12))
    parser.take("--out", "FILE.toml", "write the scenario here (default: print it)", Path)
    json_option(parser)
    return parser
