"""The parsers of the commands about runs, experiments and lessons; this module imports nothing heavy."""

from __future__ import annotations

from pathlib import Path

from slotscope.model.cli.parser import (
    MOST_EVENTS,
    MOST_SEED,
    SCENARIO,
    Parser,
    command,
    json_option,
    language_option,
    length_options,
    replications_option,
    scenario_options,
    trace_option,
    work_options,
)
from slotscope.model.cli.readers import one_of, whole


@command(
    "ask",
    "slotscope.model.cli.ask",
    [
        "slotscope ask dra-vms 'rejected and servers_with_room >= 1' --events 100000",
        "slotscope ask queues-vqs-unstable 'waiting > 50 becomes true' --first",
        "slotscope ask dra-classroom 'I* changes' 'migrated' --csv hits.csv",
        "slotscope ask jrs-two-phases --names",
    ],
)
def ask(parser: Parser) -> None:
    """Finds the events of a run at which a question holds, such as 'rejected and servers_with_room >= 1', and prints
    each as it is found, with the line that opens it. Several questions are answered in one run. --names lists what they
    may name in this scenario; the help's page on questions explains the language. With --json each hit is one line, and
    the last line counts them.
    """
    scenario_options(parser)
    parser.take("questions", "QUESTION", "an expression that is true or false at each event", nargs="*")
    parser.take("--events", "N", "look at so many events (default: 100000)", whole(0, MOST_EVENTS))
    parser.add_argument("--first", action="store_true", help="stop at the first hit of each question")
    parser.add_argument("--names", action="store_true", help="list what questions may name, and ask nothing")
    parser.take("--csv", "FILE", "write the hits to a table, too", Path)
    parser.take("--parquet", "FILE", "the same as Parquet (needs pyarrow)", Path)
    json_option(parser, "one JSON object for each hit, and one at the end,")


@command(
    "why",
    "slotscope.model.cli.why",
    [
        "slotscope why dra-classroom --event 48",
        "slotscope why queues-classroom --policy vqs --job 40 --server 3",
        "slotscope why moldable-classroom --event 51 --json",
    ],
)
def why(parser: Parser) -> None:
    """Says why a job is on its server, was turned away or waits, and why it is on no other: each server stands under
    the first condition of the policy that it failed, or could have been taken; with the numbers, the paper's line, and
    the smallest change that flips the decision, proved by a replay.
    """
    scenario_options(parser)
    parser.take("--event", "N", "the event that decides", whole(1, MOST_EVENTS))
    parser.take("--job", "J", "the job; without --event, at the event that decides it")
    parser.take("--server", "S", "why this server, or why not", whole(1, MOST_EVENTS))
    json_option(parser)


@command(
    "export",
    "slotscope.model.cli.export",
    [
        "slotscope export dra-vms --events 1000000 --to events.parquet",
        "slotscope export queues-classroom --policy vqs --seed 4 --events 20000 --samples queue.csv --every 10",
    ],
)
def export(parser: Parser) -> None:
    """Runs a scenario and writes its events, samples of its state, or both, as tables: CSV or, with the package
    pyarrow, Parquet with types and units. Columns have the names that questions use ('slotscope ask SCENARIO --names').
    """
    scenario_options(parser)
    parser.take("--events", "N", "run so many events (default: 100000)", whole(1, MOST_EVENTS), default=100_000)
    parser.take("--to", "FILE", "a row for each event, to FILE.csv or FILE.parquet", Path)
    parser.take("--samples", "FILE", "the state after events, likewise", Path)
    parser.take("--every", "N", "a sample every N events (default: 1)", whole(1, MOST_EVENTS), default=1)
    json_option(parser)


@command("lessons", "slotscope.model.cli.lessons", ["slotscope lessons", "slotscope lessons check my-lesson.toml"])
def lessons(parser: Parser) -> None:
    """Lists the lessons that come with the program. 'check FILES' reads lessons of your own and stands at the moment of
    each step; what is wrong is said in a line with its place, and the exit code is then 2.
    """
    parser.take("action", "check", "check lessons", one_of("check"), nargs="?")
    parser.take("files", "FILE", "a lesson's name, or the path of its .toml file", nargs="*")
    json_option(parser)


@command("lesson", "", ["slotscope lesson dra-1-decision", "slotscope lesson my-lesson.toml --step 3"])
def lesson(parser: Parser) -> None:
    """Opens the window at a step of a lesson; PageDown and PageUp go on and back. Without a display the moment of the
    step is run offscreen, as slotscope SCENARIO --event N is.
    """
    parser.take("name", "NAME", "from 'slotscope lessons', or the path of a .toml file")
    parser.take("--step", "N", "at step N (default: 1)", whole(1, 100), default=1)
    language_option(parser)


@command(
    "grade",
    "slotscope.model.cli.grade",
    ["slotscope grade answers/*.answers > grades.csv", "slotscope grade ada.answers --lesson my-lesson.toml"],
)
def grade(parser: Parser) -> None:
    """Grades files of answers to lessons' questions and exercises, as students keep them with 'Keep answers in a file'.
    Every moment is opened again, and the reference says what is right there. Prints a CSV table with a line for each
    answer; 'signed' says whether the line stands as the program has written it. The exit code is 1 if a file was
    changed.
    """
    parser.take("files", "FILE", "a file of answers", Path, nargs="+")
    parser.take(
        "--lesson",
        "FILE",
        "a lesson of your own that was given; its questions and moments are compared with those answered",
        Path,
        action="append",
        default=[],
    )
    json_option(parser)


@command(
    "reproduce",
    "slotscope.model.cli.reproduce",
    [
        "slotscope reproduce dra-fig2",
        "slotscope reproduce dra-fig3 --workers 2",
        "slotscope reproduce table1",
        "slotscope reproduce dra-fig4 --scale paper --out results --json",
        "slotscope reproduce dra-fig5 --trace task_events/ --cluster tcp://10.0.0.1:8786",
        "slotscope reproduce queues-fig4b --policy my_policy.py",
    ],
)
def reproduce(parser: Parser) -> None:
    """Makes a figure or table of a paper again: the data as CSV and JSON, the picture as SVG and PNG, and a table with
    the paper's numbers beside ours. The result does not depend on who does the work: this process, worker processes, or
    a Dask cluster.

    Each finished part is kept at once in DIR/EXPERIMENT.parts.jsonl. After Ctrl+C, or after being killed, the same
    command goes on from there.
    """
    parser.take("experiment", "EXPERIMENT", "a name from 'slotscope list'")
    parser.take(
        "--scale",
        "SCALE",
        "quick (about a minute) or paper (as far as the paper goes)",
        one_of("quick", "paper"),
        default="quick",
    )
    parser.take(
        "--policy",
        "P",
        "another policy beside those that an experiment compares, also of your own; several times for more",
        action="append",
        default=[],
    )
    trace_option(parser, "for experiments on a recorded workload: its files, plain or gzip'd, or their folder")
    work_options(parser)


@command(
    "sweep",
    "slotscope.model.cli.sweep",
    [
        "slotscope sweep dra-vms --vary servers.count=20,60,180 --vary policy.parameters.reservation_factor=1,log^2",
        "slotscope sweep dra-vms --vary job_types.small.workload=1,2,4 --policy dra "
        "--policy power-of-d:choices=5 --replications 8 --json",
    ],
)
def sweep(parser: Parser) -> None:
    """Runs a scenario for every combination of values of its parameters and of policies, all on the same jobs, and
    prints each measure with its 95 % interval over replications; writes a table as CSV and JSON and, where a number
    varies, a picture. PATH is a field of the scenario such as servers.count, policy.parameters.reservation_factor,
    job_types[0].workload or job_types.small.workload. All values are checked before anything runs.

    Each finished run is kept at once; after Ctrl+C, or after being killed, the same command goes on from there.
    """
    parser.take("scenario", "SCENARIO", SCENARIO)
    parser.take("--vary", "PATH=V,V", "the values of a field; several times for a grid", action="append", default=[])
    parser.take(
        "--policy",
        "P",
        "a policy, with parameters as in power-of-d:choices=5; several times to compare (default: the scenario's)",
        action="append",
        default=[],
    )
    length_options(parser)
    parser.take("--seed", "S", "another first seed than the scenario's", whole(0, MOST_SEED))
    replications_option(parser, 4, "independent runs with the seeds S, S + 1, ... of each combination (default: 4)")
    trace_option(parser)
    work_options(parser)
