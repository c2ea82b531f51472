"""The parsers of the commands that carry out experiments and sweeps; nothing here is heavy to import."""

from __future__ import annotations

from slotscope.model.cli.parser import (
    MOST_SEED,
    SCENARIO,
    Parser,
    length_options,
    replications_option,
    trace_option,
    work_options,
)
from slotscope.model.cli.readers import one_of, whole


def reproduce_parser() -> Parser:
    """That of ``slotscope reproduce``."""
    parser = Parser(
        "reproduce",
        "Makes a figure or table of a paper again: the data as CSV and JSON, the picture as SVG "
        "and PNG, and a table with the paper's numbers beside ours. The result does not depend "
        "on who does the work: this process, worker processes, or a Dask cluster.\n\n"
        "Each finished part is kept at once in DIR/EXPERIMENT.parts.jsonl. After Ctrl+C, or "
        "after being killed, the same command goes on from there.",
        [
            "slotscope reproduce dra-fig2",
            "slotscope reproduce dra-fig3 --workers 2",
            "slotscope reproduce table1",
            "slotscope reproduce dra-fig4 --scale paper --out results --json",
            "slotscope reproduce dra-fig5 --trace task_events/ --cluster tcp://10.0.0.1:8786",
            "slotscope reproduce queues-fig4b --policy my_policy.py",
        ],
    )
    parser.add_argument("experiment", metavar="EXPERIMENT", help="a name from 'slotscope list'")
    parser.add_argument(
        "--scale",
        metavar="SCALE",
        type=one_of("quick", "paper"),
        default="quick",
        help="quick (about a minute) or paper (as far as the paper goes)",
    )
    parser.add_argument(
        "--policy",
        metavar="P",
        action="append",
        default=[],
        help="another policy beside those that an experiment compares, also of your own; several times for more",
    )
    trace_option(parser, "for experiments on a recorded workload: its files, plain or gzip'd, or their folder")
    work_options(parser)
    return parser


def sweep_parser() -> Parser:
    """That of ``slotscope sweep``."""
    parser = Parser(
        "sweep",
        "Runs a scenario for every combination of values of its parameters and of policies, all "
        "on the same jobs, and prints each measure with its 95 % interval over replications; "
        "writes a table as CSV and JSON and, where a number varies, a picture. PATH is a field "
        "of the scenario such as servers.count, policy.parameters.reservation_factor, "
        "job_types[0].workload or job_types.small.workload. All values are checked before "
        "anything runs.\n\n"
        "Each finished run is kept at once; after Ctrl+C, or after being killed, the same command "
        "goes on from there.",
        [
            "slotscope sweep dra-vms --vary servers.count=20,60,180 "
            "--vary policy.parameters.reservation_factor=1,log^2",
            "slotscope sweep dra-vms --vary job_types.small.workload=1,2,4 --policy dra "
            "--policy power-of-d:choices=5 --replications 8 --json",
        ],
    )
    parser.add_argument("scenario", metavar="SCENARIO", help=SCENARIO)
    parser.add_argument(
        "--vary",
        metavar="PATH=V,V",
        action="append",
        default=[],
        help="the values of a field; several times for a grid",
    )
    parser.add_argument(
        "--policy",
        metavar="P",
        action="append",
        default=[],
        help="a policy, with parameters as in power-of-d:choices=5; several times to compare (default: the scenario's)",
    )
    length_options(parser)
    parser.add_argument("--seed", metavar="S", type=whole(0, MOST_SEED), help="another first seed than the scenario's")
    replications_option(parser, 4, "independent runs with the seeds S, S + 1, ... of each combination (default: 4)")
    trace_option(parser)
    work_options(parser)
    return parser
