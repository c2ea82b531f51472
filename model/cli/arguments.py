"""The parsers of the command line; this module imports nothing heavy."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Mapping, Sequence, cast

from slotscope.model.cli.command_arguments import ask, export, grade, lesson, lessons, reproduce, sweep, why
from slotscope.model.cli.footage_arguments import film, handout, page
from slotscope.model.cli.parser import (
    MOST_EVENTS,
    Parser,
    TerminalCommand,
    UsageError,
    command,
    history_options,
    json_option,
    language_option,
    length_options,
    replications_option,
    scenario_options,
    theme_option,
)
from slotscope.model.cli.readers import moment, number, one_of, picture, size, whole
from slotscope.model.errors import quoted
from slotscope.model.kinds.declaration import CommandSpec
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.phrase import ENGLISH

#: The beginning of a link that opens a moment, see :mod:`model.cli.links`.
SCHEME = "slotscope://"


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line; ``command`` is one of :data:`COMMANDS` or ``window``.

    A first argument that is a command's name means the command, even if a scenario has the same name.
    Options before it belong to the command, as if they followed it.
    Raises UsageError if the arguments cannot be understood.
    """
    if arguments and arguments[0].startswith(SCHEME):
        arguments = [*_words_of_link(arguments[0]), *arguments[1:]]
    if arguments and arguments[0] in COMMANDS:
        return _COMMANDS[arguments[0]].parser().parse_intermixed_args(arguments[1:])  # questions may follow options
    if arguments:
        _refuse_misspelt(*arguments)
    options, unknown = _window().parse_known_args(arguments)
    if options.scenario in COMMANDS:
        behind = list(arguments)
        behind.remove(options.scenario)
        return parse([options.scenario, *behind])
    if unknown:
        _window().error(f"unrecognized arguments: {' '.join(unknown)}")
    options.as_it_comes = {"--language", options.language, f"--language={options.language}"}.issuperset(arguments)
    return options


def _words_of_link(link: str) -> list[str]:
    """The command line of a link; the module that checks its policies is imported only when there is a link."""
    words: list[str] = import_module("slotscope.model.cli.links").words_of_link(link)
    return words


def _refuse_misspelt(first: str, *behind: str) -> None:
    """Refuse a misspelt command, which would otherwise be taken for a scenario."""
    near = get_close_matches(first, COMMANDS, n=1)
    meant = near or (behind and not behind[0].startswith("-"))  # behind a scenario there are only options
    if meant and first.isalpha() and not Path(first).exists():
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise UsageError(f"no command or scenario is called {quoted(first)}; {hint}commands are {', '.join(COMMANDS)}")


class _ShowVersion(argparse.Action):
    """Prints the program's version, which is looked up only now."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"slotscope {version('slotscope')}")
        parser.exit()


@cache  # a lesson has a command line for each of its steps
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
    scenario_options(parser, optional=True, several=True)
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="print the version and nothing else")
    parser.take(
        "--event",
        "N",
        "stand still after event N (default: run from the start); N.S: S "
        "sub-steps into the next; N,N: so many under each policy",
        moment,
    )
    history_options(parser)
    language_option(parser)
    return parser


@command("list", "slotscope.model.cli.listing", ["slotscope list", "slotscope list --json"])
def _list(parser: Parser) -> None:
    """Lists the scenarios that come with the program, the policies that can run them, and the experiments that
    reproduce figures and tables of the papers.
    """
    json_option(parser)


@command(
    "run",
    "slotscope.model.cli.run",
    [
        "slotscope run dra-vms",
        "slotscope run dra-vms --policy first-fit --until 1000 --seed 3",
        "slotscope run dra-example-1 --replications 8 --json",
        'slotscope run dra-vms --policy dra --policy first-fit --policy "power-of-d:choices=5"',
        "slotscope run dra-google --trace part-00000-of-00500.csv.gz",
    ],
)
def _run(parser: Parser) -> None:
    """Runs a scenario without drawing it and prints the means of its measures with the half-widths of their 95 %
    confidence intervals: by batch means of one run, or over independent replications. Under --seed the output is
    repeatable byte for byte; it then says nothing about the speed (events_per_second is null) unless --timing asks for
    it.

    With --policy given two or three times the policies run side by side on the very same jobs: the measures of each,
    their differences from the first with paired intervals (by batches of time, or by seed over replications), and the
    first decision that differs. What --json printed into a file, --check FILE compares with.
    """
    scenario_options(parser, several=True)
    length_options(parser)
    replications_option(parser, 1, "independent runs with the seeds S, S + 1, ...")
    _engine_options(parser)
    _check_options(parser)
    json_option(parser)


def _engine_options(parser: Parser) -> None:
    parser.take(
        "--engine",
        "E",
        "kernel (compiled; the default where there is one, but for runs of a few hundred jobs) or reference",
        one_of("kernel", "reference"),
    )
    parser.add_argument("--timing", action=argparse.BooleanOptionalAction, help="tell the speed, also under --seed")
    parser.take("--to", "FILE", "write the measures to FILE.csv or FILE.parquet, too", Path)


def _check_options(parser: Parser) -> None:
    parser.take("--check", "FILE", "exit with 1 if the result is not that of FILE, which --json printed", Path)
    parser.take(
        "--check-by",
        "HOW",
        "by the digest (the default for the same run) or by whether 95 %% intervals meet",
        one_of("digest", "intervals"),
    )


@command(
    "trace",
    "slotscope.model.cli.trace",
    [
        "slotscope trace dra-example-2",
        "slotscope trace dra-classroom --events 40",
        "slotscope trace instance.json --json",
    ],
)
def _trace(parser: Parser) -> None:
    """Prints every event of a run: what happened, what the policy did and why. With --json the first line is the
    instance, and each following one the whole state after an event (resources/help/trace-format.md). A scripted
    scenario, or an instance file, is traced to its end; others for 100 events unless --events says otherwise.
    """
    scenario_options(parser)
    parser.take("--events", "N", "so many events at most", whole(0, MOST_EVENTS))
    json_option(parser, "one JSON object per line")


@command(
    "bounds",
    "slotscope.model.cli.bounds",
    [
        "slotscope bounds dra-vms",
        "slotscope bounds dra-appendix-c --json",
        "slotscope bounds dra-appendix-c --appendix-c 4 20 --save worse.toml",
    ],
)
def _bounds(parser: Parser) -> None:
    """Solves the linear programs and closed forms that belong to a scenario, exactly. With slots: the optimum of the
    workload, the global greedy assignment, their ratio, the guarantees, both curves over a scaled workload with their
    critical points, and a short search for a violation of the monotone greedy property (Definition 8), on which the
    better of the guarantees rests. With queues: the supportable workload. With phases: the plan and the servers that it
    needs. With moldable jobs: the optimal widths and shares, Erlang's formula and exact chains; also for a file that
    lists such problems.
    """
    scenario_options(parser)
    parser.take(
        "--appendix-c",
        ("J", "N"),
        "with dra-appendix-c: another member of its family, J types and N jobs of the last",
        whole(1, MOST_EVENTS),
        nargs=2,
    )
    parser.take("--save", "FILE.toml", "with --appendix-c: write that member as a scenario, to run it", Path)
    json_option(parser)


@command("trust", "slotscope.model.cli.trust", ["slotscope trust helper.py"])
def _trust(parser: Parser) -> None:
    """Allows policies' files to run wherever a scenario or a saved session names them, as long as their text stays as
    it is now. Nothing is executed by this. A file that is named with --policy, or chosen in the window, is allowed by
    that.
    """
    parser.take("files", "FILE", "a policy's Python file", nargs="+")
    json_option(parser)


@command("traces", "slotscope.model.cli.traces", ["slotscope traces", "slotscope traces fetch google-2011 --to traces"])
def _traces(parser: Parser) -> None:
    """Lists public traces of real clusters that scenarios can play, with size, licence and source. 'fetch NAME'
    downloads one, checks it, and prints the lines that open it.
    """
    parser.take("action", "fetch", "fetch a trace", one_of("fetch"), nargs="?")
    parser.take("name", "NAME", "of a trace", nargs="?")
    parser.take("--to", "DIR", "the folder that gets a folder NAME (default: this one)", Path, default=Path())
    json_option(parser)


@command(
    "screenshot",
    "",
    [
        "slotscope screenshot dra-vms --at 10 --out vms.png",
        "slotscope screenshot dra-classroom --event 18 --out why.png --size 1280x720",
        "slotscope screenshot dra-vms --at 10 --out groups.png --panel groups --theme dark",
        "slotscope screenshot dra-vms --policy dra --policy first-fit --at 10 --out two.png",
    ],
)
def _screenshot(parser: Parser) -> None:
    """Writes a picture of the window, or of one of its panels, as it looks at a time or after an event. No display is
    needed.
    """
    scenario_options(parser, several=True)
    when = parser.add_mutually_exclusive_group(required=True)
    when.add_argument("--at", metavar="T", type=number(0, open_end=False), help="at time T")
    when.add_argument("--event", metavar="N", type=moment, help="after event N; N.S and N,N as in slotscope --event")
    parser.take("--out", "FILE.png", "the picture to write", picture, required=True)
    parser.take("--size", "WxH", "of the window, in pixels (default: 1600x1000)", size, default=(1600, 1000))
    parser.take("--panel", "NAME", "one panel instead of the whole window")
    theme_option(parser)
    language_option(parser, ENGLISH)


@command(
    "verify",
    "slotscope.model.cli.verify",
    ["slotscope verify dra-vms", "slotscope verify dra-classroom --events 5000 --json"],
)
def _verify(parser: Parser) -> None:
    """Runs the reference and the compiled twin of a policy side by side, compares the digests of their states after
    every event, and checks every invariant: capacity, slots, conservation of jobs, indexes, groups, the lists inside
    the state, and that CRA applied to its own result changes nothing. The exit code is 1 if anything disagrees.
    """
    scenario_options(parser)
    parser.take("--events", "N", "so many events at most (default: 1000)", whole(0, MOST_EVENTS), default=1000)
    json_option(parser)


def _of_room(name: str, said: CommandSpec) -> TerminalCommand:
    """A command for a single kind; its parser is imported only when the command is used."""
    module, parser = said.parser
    return TerminalCommand(name, lambda: cast(Parser, getattr(import_module(module), parser)()), said.module)


_COMMANDS: Mapping[str, TerminalCommand] = {
    one.name: one
    for one in (
        *(_list, _run, _trace, ask, why, export, _bounds, reproduce, sweep),
        *(_of_room(name, said) for room in ROOMS.values() for name, said in room.commands.items()),
        *(lessons, lesson, grade, _traces, _trust, _screenshot, film, page, handout, _verify),
    )
}

#: The module that executes each command; those of the window belong to ``gui/library/__main__.py``.
COMMANDS: Mapping[str, str] = {name: one.module for name, one in _COMMANDS.items()}
