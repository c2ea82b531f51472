"""The common parts of the parsers of all commands; this module imports nothing heavy."""

from __future__ import annotations

import argparse
import re
from difflib import get_close_matches
from inspect import cleandoc
from pathlib import Path
from textwrap import fill
from typing import Any, Callable, NamedTuple, NoReturn, Sequence

from slotscope.model.cli.readers import memory, number, one_of, whole
from slotscope.model.errors import UserError
from slotscope.model.phrase import LANGUAGES

DEFAULT_SCENARIO = "dra-vms"

#: The width of paragraphs in --help, in characters.
WIDTH = 80

MOST_SEED = 2**63 - 1

#: The most events that a command accepts.
MOST_EVENTS = 10**12

#: The most policies that run side by side.
MOST_POLICIES = 3

SCENARIO = "a name from 'slotscope list', or the path of a .toml or .json file"


class UsageError(UserError):
    """A command line cannot be understood."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line that says what is allowed."""

    def __init__(self, command: str, description: str, examples: Sequence[str]) -> None:
        super().__init__(
            prog=f"slotscope {command}".rstrip(),
            description="\n\n".join(fill(part, WIDTH) for part in description.split("\n\n")),
            epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.set_defaults(command=command or "window")

    def take(
        self, name: str, metavar: str | tuple[str, ...], about: str, read: Callable[[str], object] = str, **others: Any
    ) -> None:
        """Add an argument or option with a value, which *read* parses; *others* are arguments of argparse."""
        self.add_argument(name, metavar=metavar, help=about, type=read, **others)

    def error(self, message: str) -> NoReturn:
        """Raise an error of argparse as :class:`UsageError`."""
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


class TerminalCommand(NamedTuple):
    """A command: its parser, and the module that executes it; empty for commands of the window."""

    name: str
    parser: Callable[[], Parser]
    module: str = ""


def command(name: str, module: str, examples: Sequence[str]) -> Callable[[Callable[[Parser], None]], TerminalCommand]:
    """Makes a command from a function that adds options to a parser; the function's docstring is its description."""

    def with_options(give: Callable[[Parser], None]) -> TerminalCommand:
        def parser() -> Parser:
            made = Parser(name, cleandoc(give.__doc__ or ""), examples)
            give(made)
            return made

        return TerminalCommand(name, parser, module)

    return with_options


class _Policies(argparse.Action):
    """Collects the policies, at most *most* of them; the first is also the single policy of other commands."""

    def __init__(self, *given: Any, most: int, **others: Any) -> None:
        super().__init__(*given, **others)
        self._most = most

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        policies = (*namespace.policies, values)
        if len(policies) > self._most:
            allowed = f"at most {self._most}" if self._most > 1 else "one; 'slotscope run' compares several"
            raise argparse.ArgumentError(self, f"found {len(policies)} policies, allowed: {allowed}")
        namespace.policies, namespace.policy = policies, policies[0]


def scenario_options(parser: Parser, *, optional: bool = False, several: bool = False) -> None:
    """Adds a scenario, which may be optional; its policy, or several side by side; its seed and trace."""
    if optional:
        parser.take(
            "scenario", "SCENARIO", f"{SCENARIO} (default: {DEFAULT_SCENARIO})", nargs="?", default=DEFAULT_SCENARIO
        )
    else:
        parser.take("scenario", "SCENARIO", SCENARIO)
    parser.set_defaults(policies=())
    if several:
        parser.take(
            "--policy",
            "P",
            "another policy than the scenario's, NAME or NAME:key=value; given again, side by side on the same jobs",
            action=_Policies,
            most=MOST_POLICIES,
        )
    else:
        parser.take("--policy", "P", "another policy than the scenario's", action=_Policies, most=1)
    parser.take("--seed", "S", "another seed than the scenario's", whole(0, MOST_SEED))
    trace_option(parser)


def trace_option(
    parser: Parser, what: str = "files of a recorded workload, plain or gzip'd, or a folder of them"
) -> None:
    """Adds the option for recorded workloads."""
    parser.take("--trace", "PATH", what, nargs="+", action="extend", default=[])


def history_options(parser: Parser) -> None:
    """Adds the options for the memory and disk of a run's history."""
    parser.take("--history", "M", "memory for each run's history, such as 512M or 2G (default: 256M)", memory)
    parser.take(
        "--history-disk",
        "M",
        "what does not fit there goes to so much disk, such as 20G, until the window closes (default: none)",
        memory,
        default=0,
    )


def length_options(parser: Parser) -> None:
    """Adds the options for the end of a run and of its warm-up."""
    parser.take("--until", "T", "run up to time T (default: the scenario's)", number(0, open_end=True))
    parser.take(
        "--warmup",
        "T",
        "measure from time T on (default: the scenario's, shortened in proportion where --until shortens the run)",
        number(0, open_end=False),
    )


def replications_option(parser: Parser, default: int, what: str) -> None:
    """Adds the option for the number of independent runs."""
    parser.take("--replications", "N", what, whole(1, 100_000), default=default)


def language_option(parser: Parser, default: str | None = None) -> None:
    """Adds the option for the window's language."""
    usual = default or "that of the settings, else of the system"
    parser.take("--language", "L", f"en or de (default: {usual})", one_of(*LANGUAGES), default=default)


def theme_option(parser: Parser) -> None:
    """Adds the option for the theme of pictures."""
    parser.take("--theme", "THEME", "light or dark (default: light)", one_of("light", "dark"), default="light")


def json_option(parser: Parser, what: str = "one JSON object") -> None:
    """Adds the option for results as JSON."""
    parser.add_argument("--json", action="store_true", help=f"print {what} and nothing else")


def work_options(parser: Parser) -> None:
    """Adds the options for the workers of many runs, and for the folder of their results."""
    parser.take("--workers", "N", "processes (default: one for each processor)", whole(1, 1024))
    parser.take(
        "--cluster",
        "ADDRESS",
        "work on a Dask cluster: its scheduler's address such as tcp://10.0.0.1:8786, or local for one on this machine",
    )
    parser.take(
        "--out",
        "DIR",
        "folder for data and picture (default: slotscope-results)",
        Path,
        default=Path("slotscope-results"),
    )
    parser.add_argument("--fresh", action="store_true", help="forget the parts that are finished, and begin anew")
    json_option(parser)
