"""What can be said on the command line; nothing here is heavy to import."""

from __future__ import annotations

import argparse
import re
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from textwrap import fill
from types import MappingProxyType
from typing import Callable, Mapping, NoReturn, Sequence

from model.cli.readers import host_load, host_size, moment, number, one_of, picture, size, whole
from model.errors import UserError
from model.kinds.rooms import ROOMS

#: Commands and the modules that carry them out; the window's two belong to ``main``.
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "list": "model.cli.listing",
        "run": "model.cli.run",
        "trace": "model.cli.trace",
        "bounds": "model.cli.bounds",
        "reproduce": "model.cli.reproduce",
        "sweep": "model.cli.sweep",
        **{name: module for room in ROOMS.values() for name, module in room.commands.items()},
        "trust": "model.cli.trust",
        "screenshot": "main",
        "verify": "model.cli.verify",
    }
)

DEFAULT_SCENARIO = "dra-vms"

#: Columns of the paragraphs of --help.
WIDTH = 80

MOST_EVENTS = 10**12
MOST_SEED = 2**63 - 1

#: Policies that are run side by side at most.
MOST_POLICIES = 3

_SCENARIO = "a name from 'slotscope list', or the path of a .toml or .json file"


class UsageError(UserError):
    """A command line that cannot be understood."""


class Parser(argparse.ArgumentParser):
    """A parser whose faults are one line that says what is allowed."""

    def __init__(self, command: str, description: str, examples: Sequence[str]) -> None:
        super().__init__(
            prog=f"slotscope {command}".rstrip(),
            description="\n\n".join(fill(part, WIDTH) for part in description.split("\n\n")),
            epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.set_defaults(command=command or "window")

    def error(self, message: str) -> NoReturn:
        """Raise what argparse found as :class:`UsageError`."""
        unknown = re.fullmatch(r"unrecognized arguments: (.*)", message, flags=re.DOTALL)
        if unknown:
            raise self._unknown(unknown[1])
        place = re.fullmatch(r"argument ([^:]*): (.*)", message, flags=re.DOTALL)
        if place:
            raise UsageError(place[2], where=place[1].split("/")[0])
        command = self.prog.partition(" ")[2]
        raise UsageError(f"{message}; '{self.prog} --help' shows all", where=command)

    def _unknown(self, arguments: str) -> UsageError:
        first, _, _ = arguments.lstrip().partition(" ")
        if not first.startswith("-"):
            return UsageError(
                f"found one argument too many; '{self.prog} --help' shows what is allowed", where=f"'{first}'"
            )
        options = [name for name in self._option_string_actions if name.startswith("--")]
        near = get_close_matches(first.split("=")[0], options, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        return UsageError(f"no such option; {hint}allowed: {', '.join(options)}", where=first)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line; ``command`` is one of :data:`COMMANDS` or ``window``.

    A first argument that is a command's name means the command, also where a scenario has
    the same name.

    Raises
    ------
    UsageError
        If the arguments cannot be understood.
    """
    if arguments and arguments[0] in COMMANDS:
        return _PARSERS[arguments[0]]().parse_args(arguments[1:])
    if arguments:
        _refuse_misspelt(arguments[0])
    options = _window().parse_args(arguments)
    if options.scenario in COMMANDS:
        raise UsageError(
            f"found a command after options, allowed: 'slotscope {options.scenario} ...'", where=options.scenario
        )
    options.as_it_comes = not arguments
    return options


def _refuse_misspelt(first: str) -> None:
    """Refuse what was surely meant as a command, before it is taken for a scenario."""
    near = get_close_matches(first, COMMANDS, n=1) if first.isalpha() else ()
    if near and not Path(first).exists():
        raise UsageError(
            f"no command or scenario is called '{first}'; did you mean '{near[0]}'? commands are {', '.join(COMMANDS)}"
        )


class _Policies(argparse.Action):
    """Collects the policies to compare; the first of them is also the only one elsewhere."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        policies = (*namespace.policies, values)
        if len(policies) > MOST_POLICIES:
            raise argparse.ArgumentError(self, f"found {len(policies)} policies, allowed: at most {MOST_POLICIES}")
        namespace.policies, namespace.policy = policies, policies[0]


def _scenario(parser: Parser, *, optional: bool = False, several: bool = False) -> None:
    if optional:
        parser.add_argument(
            "scenario",
            metavar="SCENARIO",
            nargs="?",
            default=DEFAULT_SCENARIO,
            help=f"{_SCENARIO} (default: {DEFAULT_SCENARIO})",
        )
    else:
        parser.add_argument("scenario", metavar="SCENARIO", help=_SCENARIO)
    parser.set_defaults(policies=())
    if several:
        parser.add_argument(
            "--policy",
            metavar="P",
            action=_Policies,
            help="another policy than the scenario's, NAME or NAME:key=value; "
            "given again, side by side on the same jobs",
        )
    else:
        parser.add_argument("--policy", metavar="P", help="another policy than the scenario's")
    parser.add_argument("--seed", metavar="S", type=whole(0, MOST_SEED), help="another seed than the scenario's")
    parser.add_argument(
        "--trace",
        metavar="PATH",
        nargs="+",
        action="extend",
        default=[],
        help="files of a recorded workload, plain or gzip'd, or a folder of them",
    )


def _json(parser: Parser, what: str = "one JSON object") -> None:
    parser.add_argument("--json", action="store_true", help=f"print {what} and nothing else")


def _window() -> Parser:
    parser = Parser(
        "",
        "A laboratory in which cluster-scheduling policies run in front of your eyes. Without a "
        "command it opens the window on a scenario; where there is no display it says so, runs "
        "the scenario offscreen, and writes a screenshot and a summary to slotscope-first-run/.\n\n"
        f"Commands, each with its own --help: {', '.join(COMMANDS)}.",
        [
            "slotscope",
            "slotscope dra-classroom",
            "slotscope my-cluster.toml --policy first-fit",
            "slotscope dra-vms --policy dra --seed 7 --event 1234",
            "slotscope dra-vms --policy dra --policy first-fit",
        ],
    )
    _scenario(parser, optional=True, several=True)
    parser.add_argument(
        "--event",
        metavar="N",
        type=moment,
        help="stand still after event N (default: run from the start); N.S: S "
        "sub-steps into the next; N,N: so many under each policy",
    )
    return parser


def _list() -> Parser:
    parser = Parser(
        "list",
        "Lists the scenarios that come with the program, the policies that can run them, and the "
        "experiments that reproduce figures and tables of the papers.",
        ["slotscope list", "slotscope list --json"],
    )
    _json(parser)
    return parser


def _run() -> Parser:
    parser = Parser(
        "run",
        "Runs a scenario without drawing it and prints the means of its measures with the "
        "half-widths of their 95 % confidence intervals: by batch means of one run, or over "
        "independent replications. Under --seed the output is repeatable byte for byte; it then "
        "says nothing about the speed (events_per_second is null) unless --timing asks for it.\n\n"
        "With --policy given two or three times the policies run side by side on the very same "
        "jobs: the measures of each, their differences from the first with paired intervals "
        "(by batches of time, or by seed over replications), and the first decision that "
        "differs.",
        [
            "slotscope run dra-vms",
            "slotscope run dra-vms --policy first-fit --until 1000 --seed 3",
            "slotscope run dra-example-1 --replications 8 --json",
            'slotscope run dra-vms --policy dra --policy first-fit --policy "power-of-d:choices=5"',
            "slotscope run dra-google --trace part-00000-of-00500.csv.gz",
        ],
    )
    _scenario(parser, several=True)
    parser.add_argument(
        "--until", metavar="T", type=number(0, open_end=True), help="run up to time T (default: the scenario's)"
    )
    parser.add_argument(
        "--warmup",
        metavar="T",
        type=number(0, open_end=False),
        help="measure from time T on (default: the scenario's, shortened in proportion where --until shortens the run)",
    )
    parser.add_argument(
        "--replications",
        metavar="N",
        type=whole(1, 100_000),
        default=1,
        help="independent runs with the seeds S, S + 1, ...",
    )
    parser.add_argument(
        "--engine",
        metavar="E",
        type=one_of("kernel", "reference"),
        help="kernel (compiled; the default where there is one) or reference",
    )
    parser.add_argument("--timing", action=argparse.BooleanOptionalAction, help="tell the speed, also under --seed")
    _json(parser)
    return parser


def _trace() -> Parser:
    parser = Parser(
        "trace",
        "Prints every event of a run: what happened, what the policy did and why. With --json "
        "the first line is the instance, and each following one the whole state after an event "
        "(resources/help/trace-format.md). A scripted scenario, or an instance file, is traced "
        "to its end; others for 100 events unless --events says otherwise.",
        [
            "slotscope trace dra-example-2",
            "slotscope trace dra-classroom --events 40",
            "slotscope trace instance.json --json",
        ],
    )
    _scenario(parser)
    parser.add_argument("--events", metavar="N", type=whole(0, MOST_EVENTS), help="so many events at most")
    _json(parser, "one JSON object per line")
    return parser


def _bounds() -> Parser:
    parser = Parser(
        "bounds",
        "Solves the linear programs and closed forms that belong to a scenario, exactly. With "
        "slots: the optimum of the workload, the global greedy assignment, their ratio, the "
        "guarantees, both curves over a scaled workload with their critical points, and a short "
        "search for a violation of the monotone greedy property (Definition 8), on which the "
        "better of the guarantees rests. With queues: the supportable workload. With phases: the "
        "plan and the servers that it needs. With moldable jobs: the optimal widths and shares, "
        "Erlang's formula and exact chains; also for a file that lists such problems.",
        [
            "slotscope bounds dra-vms",
            "slotscope bounds dra-appendix-c --json",
            "slotscope bounds dra-appendix-c --appendix-c 4 20 --save worse.toml",
        ],
    )
    _scenario(parser)
    parser.add_argument(
        "--appendix-c",
        metavar=("J", "N"),
        nargs=2,
        type=whole(1, MOST_EVENTS),
        help="with dra-appendix-c: another member of its family, J types and N jobs of the last",
    )
    parser.add_argument(
        "--save", metavar="FILE.toml", type=Path, help="with --appendix-c: write that member as a scenario, to run it"
    )
    _json(parser)
    return parser


def _reproduce() -> Parser:
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
        "--trace",
        metavar="PATH",
        nargs="+",
        action="extend",
        default=[],
        help="for experiments on a recorded workload: its files, plain or gzip'd, or their folder",
    )
    _work(parser)
    return parser


def _work(parser: Parser) -> None:
    """Who does the work of many runs, and where its results go."""
    parser.add_argument(
        "--workers", metavar="N", type=whole(1, 1024), help="processes (default: one for each processor)"
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="work on a Dask cluster: its scheduler's address such as "
        "tcp://10.0.0.1:8786, or local for one on this machine",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("slotscope-results"),
        help="folder for data and picture (default: slotscope-results)",
    )
    parser.add_argument("--fresh", action="store_true", help="forget the parts that are finished, and begin anew")
    _json(parser)


def _sweep() -> Parser:
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
    parser.add_argument("scenario", metavar="SCENARIO", help=_SCENARIO)
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
    parser.add_argument(
        "--until", metavar="T", type=number(0, open_end=True), help="run up to time T (default: the scenario's)"
    )
    parser.add_argument(
        "--warmup",
        metavar="T",
        type=number(0, open_end=False),
        help="measure from time T on (default: the scenario's, shortened in proportion)",
    )
    parser.add_argument("--seed", metavar="S", type=whole(0, MOST_SEED), help="another first seed than the scenario's")
    parser.add_argument(
        "--replications",
        metavar="N",
        type=whole(1, 100_000),
        default=4,
        help="independent runs with the seeds S, S + 1, ... of each combination (default: 4)",
    )
    parser.add_argument(
        "--trace",
        metavar="PATH",
        nargs="+",
        action="extend",
        default=[],
        help="files of a recorded workload, plain or gzip'd, or a folder of them",
    )
    _work(parser)
    return parser


def _trust() -> Parser:
    parser = Parser(
        "trust",
        "Allows policies' files to run wherever a scenario or a saved session names them, as long "
        "as their text stays as it is now. Nothing is executed by this. A file that is named with "
        "--policy, or chosen in the window, is allowed by that.",
        ["slotscope trust helper.py"],
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a policy's Python file")
    _json(parser)
    return parser


def _prices() -> Parser:
    parser = Parser(
        "prices",
        "Makes a scenario of facts from Google Cloud's machine types and list prices, as the "
        "files machinetypes.csv and pricing.yml of google-cloud-pricing-cost-calculator give "
        "them: machine types become job types, with their vCPUs and memory as demands and the "
        "price of an hour as reward. Which requests come is not in a price list: each type asks "
        "for the same share of the servers.",
        [
            "slotscope prices machinetypes.csv pricing.yml.gz --region europe-west1 --family "
            "n2-standard n2-highmem --out n2.toml",
            "slotscope prices machinetypes.csv pricing.yml --region us-central1 --family e2-highcpu "
            "--server 32x128 --count 200 --load 1.5",
        ],
    )
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
    _json(parser)
    return parser


def _screenshot() -> Parser:
    parser = Parser(
        "screenshot",
        "Writes a picture of the window, or of one of its panels, as it looks at a time or after "
        "an event. No display is needed.",
        [
            "slotscope screenshot dra-vms --at 10 --out vms.png",
            "slotscope screenshot dra-classroom --event 18 --out why.png --size 1280x720",
            "slotscope screenshot dra-vms --at 10 --out groups.png --panel groups --theme dark",
            "slotscope screenshot dra-vms --policy dra --policy first-fit --at 10 --out two.png",
        ],
    )
    _scenario(parser, several=True)
    when = parser.add_mutually_exclusive_group(required=True)
    when.add_argument("--at", metavar="T", type=number(0, open_end=False), help="at time T")
    when.add_argument("--event", metavar="N", type=moment, help="after event N; N.S and N,N as in slotscope --event")
    parser.add_argument("--out", metavar="FILE.png", type=picture, required=True, help="the picture to write")
    parser.add_argument(
        "--size", metavar="WxH", type=size, default=(1600, 1000), help="of the window, in pixels (default: 1600x1000)"
    )
    parser.add_argument("--panel", metavar="NAME", help="one panel instead of the whole window")
    parser.add_argument(
        "--theme", metavar="THEME", type=one_of("light", "dark"), default="light", help="light or dark (default: light)"
    )
    return parser


def _verify() -> Parser:
    parser = Parser(
        "verify",
        "Runs the reference and the compiled twin of a policy side by side, compares the digests "
        "of their states after every event, and checks every invariant: capacity, slots, "
        "conservation of jobs, indexes, groups, the lists inside the state, and that CRA applied "
        "to its own result changes nothing. The exit code is 1 if anything disagrees.",
        ["slotscope verify dra-vms", "slotscope verify dra-classroom --events 5000 --json"],
    )
    _scenario(parser)
    parser.add_argument(
        "--events", metavar="N", type=whole(0, MOST_EVENTS), default=1000, help="so many events at most (default: 1000)"
    )
    _json(parser)
    return parser


_PARSERS: Mapping[str, Callable[[], Parser]] = MappingProxyType(
    {
        "list": _list,
        "run": _run,
        "trace": _trace,
        "bounds": _bounds,
        "reproduce": _reproduce,
        "sweep": _sweep,
        "prices": _prices,
        "trust": _trust,
        "screenshot": _screenshot,
        "verify": _verify,
    }
)
