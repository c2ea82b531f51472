"""The parsers of the commands that ask a run, or write down all of it; nothing here is heavy to import."""

from __future__ import annotations

from pathlib import Path

from slotscope.model.cli.parser import MOST_EVENTS, Parser, json_option, scenario_options
from slotscope.model.cli.readers import whole


def ask_parser() -> Parser:
    """That of ``slotscope ask``."""
    parser = Parser(
        "ask",
        "Finds the events of a run at which a question holds, such as 'rejected and servers_with_room >= 1', and "
        "prints each as it is found, with the line that opens it. Several questions are answered in one run. "
        "--names lists what they may name in this scenario; the help's page on questions explains the language. "
        "With --json each hit is one line, and the last line counts them.",
        [
            "slotscope ask dra-vms 'rejected and servers_with_room >= 1' --events 100000",
            "slotscope ask queues-vqs-unstable 'waiting > 50 becomes true' --first",
            "slotscope ask dra-classroom 'I* changes' 'migrated' --csv hits.csv",
            "slotscope ask jrs-two-phases --names",
        ],
    )
    scenario_options(parser)
    parser.add_argument(
        "questions", metavar="QUESTION", nargs="*", help="an expression that is true or false at each event"
    )
    parser.add_argument(
        "--events", metavar="N", type=whole(0, MOST_EVENTS), help="look at so many events (default: 100000)"
    )
    parser.add_argument("--first", action="store_true", help="stop at the first hit of each question")
    parser.add_argument("--names", action="store_true", help="list what questions may name, and ask nothing")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write the hits to a table, too")
    parser.add_argument("--parquet", metavar="FILE", type=Path, help="the same as Parquet (needs pyarrow)")
    json_option(parser, "one JSON object for each hit, and one at the end,")
    return parser


def why_parser() -> Parser:
    """That of ``slotscope why``."""
    parser = Parser(
        "why",
        "Says why a job is on its server, was turned away or waits, and why it is on no other: each server stands "
        "under the first condition of the policy that it failed, or could have been taken; with the numbers, the "
        "paper's line, and the smallest change that flips the decision, proved by a replay.",
        [
            "slotscope why dra-classroom --event 48",
            "slotscope why queues-classroom --policy vqs --job 40 --server 3",
            "slotscope why moldable-classroom --event 51 --json",
        ],
    )
    scenario_options(parser)
    parser.add_argument("--event", metavar="N", type=whole(1, MOST_EVENTS), help="the event that decides")
    parser.add_argument("--job", metavar="J", help="the job; without --event, at the event that decides it")
    parser.add_argument("--server", metavar="S", type=whole(1, MOST_EVENTS), help="why this server, or why not")
    json_option(parser)
    return parser


def export_parser() -> Parser:
    """That of ``slotscope export``."""
    parser = Parser(
        "export",
        "Runs a scenario and writes its events, samples of its state, or both, as tables: CSV or, with the "
        "package pyarrow, Parquet with types and units. Columns have the names that questions use ('slotscope ask "
        "SCENARIO --names').",
        [
            "slotscope export dra-vms --events 1000000 --to events.parquet",
            "slotscope export queues-classroom --policy vqs --seed 4 --events 20000 --samples queue.csv --every 10",
        ],
    )
    scenario_options(parser)
    parser.add_argument(
        "--events",
        metavar="N",
        type=whole(1, MOST_EVENTS),
        default=100_000,
        help="run so many events (default: 100000)",
    )
    parser.add_argument("--to", metavar="FILE", type=Path, help="a row for each event, to FILE.csv or FILE.parquet")
    parser.add_argument("--samples", metavar="FILE", type=Path, help="the state after events, likewise")
    parser.add_argument(
        "--every", metavar="N", type=whole(1, MOST_EVENTS), default=1, help="a sample every N events (default: 1)"
    )
    json_option(parser)
    return parser
