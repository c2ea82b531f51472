"""What can be said to the commands that are for this kind alone; nothing here is heavy to import."""

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
    """What can be said to ``slotscope prices``."""
    parser = Parser("prices", _PRICES, _EXAMPLES)
    parser.add_argument("machine_types", metavar="MACHINETYPES", type=Path, help="machinetypes.csv, plain or gzip'd")
    parser.add_argument("pricing", metavar="PRICING", type=Path, help="pricing.yml, plain or gzip'd")
    parser.add_argument("--region", metavar="R", required=True, help="such as europe-west1")
    parser.add_argument(
        "--family",
        metavar="F",
        nargs="+",
        action="extend",
        required=True,
        help="machine types, or the beginnings of their names up to a hyphen, such as n2-standard",
    )
    parser.add_argument(
        "--server",
        metavar="CPUSxGB",
        type=host_size,
        default=(80, Fraction(640)),
        help="a server's vCPUs and memory in GB (default: 80x640)",
    )
    parser.add_argument("--count", metavar="L", type=whole(1, 100_000), default=100, help="servers (default: 100)")
    parser.add_argument(
        "--load",
        metavar="A",
        type=host_load,
        default=Fraction(5, 4),
        help="all requests in units of what the servers have (default: 1.25)",
    )
    parser.add_argument("--digits", metavar="N", type=whole(0, 12), help="round prices to N digits (default: exact)")
    parser.add_argument("--out", metavar="FILE.toml", type=Path, help="write the scenario here (default: print it)")
    json_option(parser)
    return parser
