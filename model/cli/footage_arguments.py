"""The parsers of the commands that export a stretch of a run; this module imports nothing heavy."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Callable

from slotscope.model.cli.parser import Parser, command, json_option, scenario_options, theme_option
from slotscope.model.cli.readers import moment, number, one_of, size
from slotscope.model.running.origin import Moment

_WHERE = "event N, N.S or N,N as in slotscope --event, or a time as t=12.5"

_TIME = re.compile(r"t\s*=\s*([0-9.eE+-]+)")


def place(text: str) -> Moment | float:
    """A moment of a run, or a time written as t=12.5."""
    found = _TIME.fullmatch(text.strip())
    if found is not None:
        return number(0, open_end=False)(found[1])
    try:
        return moment(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, or t=12.5 for a time") from None


def _out_option(parser: Parser, name: str, read: Callable[[str], Path], what: str) -> None:
    parser.take("--out", name, what, read, required=True)


def _panel_option(parser: Parser, what: str) -> None:
    parser.take("--panel", "NAME", what, action="append", default=[])


def _ending_options(parser: Parser) -> None:
    """The last options of all these commands."""
    parser.take("--marks", "LESSON:N", "also what is drawn at step N of this lesson")
    json_option(parser, "how far it is, a line of JSON at a time,")


@command(
    "film",
    "",
    [
        "slotscope film dra-classroom --from 40 --to 41 --out decision.mp4",
        "slotscope film dra-vms --from 1000 --to 1100 --by event --pace 5 --out events.gif --size 960x540",
        "slotscope film dra-vms --policy dra --policy first-fit --from t=0 --to t=20 --pace 2 --out two.mp4",
        "slotscope film jrs-classroom --from 12.2 --to 15 --panel phase-servers --panel tokens --out frames",
    ],
)
def film(parser: Parser) -> None:
    """Films a stretch of a run: one decision sub-step by sub-step, many events, or a length of time, with the sentence
    of each moment as its caption. The ending of --out says what is written: .mp4, .gif, or, without an ending, a folder
    with one PNG picture for each moment. Films need ffmpeg: the system's, or the one that 'pip install imageio-ffmpeg'
    brings along; pictures need nothing. The same command writes the same pictures.
    """
    scenario_options(parser, several=True)
    _stretch_options(parser)
    _out_option(parser, "PATH", Path, "FILE.mp4, FILE.gif, or a folder for PNG pictures")
    _panel_option(
        parser, "show this panel; several times for several, the first as the largest (default: as lecture mode shows)"
    )
    _look_options(parser)
    _ending_options(parser)


def _look_options(parser: Parser) -> None:
    """The size, pace and colours of a film."""
    parser.take("--size", "WxH", "of the film, in pixels (default: 1280x720)", size, default=(1280, 720))
    parser.take(
        "--pace",
        "P",
        "moments a second (default: 1 by sub-steps, 2 by events); by time, units of time a second "
        "(default: the scenario's)",
        number(0, open_end=True),
    )
    theme_option(parser)


@command(
    "export-html",
    "",
    [
        "slotscope export-html dra-classroom --from 40 --to 60 --out moment.html",
        "slotscope export-html queues-classroom --from 0 --to 500 --by event --out queues.html",
        "slotscope export-html --lesson dra-1-decision --out lesson.html",
    ],
)
def page(parser: Parser) -> None:
    """Writes one HTML file that plays a stretch of a run in any browser, without a network: forwards and backwards, by
    mouse and keys, with the servers, the pseudocode and its values, and the sentence of each moment. With --lesson it
    plays the steps of a lesson instead, and asks its questions.
    """
    scenario_options(parser, optional=True, several=True)
    parser.set_defaults(scenario=None)
    _stretch_options(parser, required=False)
    parser.take("--lesson", "NAME", "a lesson's name, or the path of its .toml file")
    parser.take("--step", "N", "only this step of the lesson", int)
    _out_option(parser, "FILE.html", _page, "the page to write")
    _panel_option(parser, "also this panel; several times for several")
    _ending_options(parser)


@command(
    "handout",
    "",
    [
        "slotscope handout dra-classroom --event 18 --out handout.pdf",
        "slotscope handout dra-vms --policy dra --policy first-fit --event 1000 --out pictures",
    ],
)
def handout(parser: Parser) -> None:
    """Saves all panels of a moment: a PDF file with a page for each, or a folder of PNG pictures. Captions say the
    scenario, the policy, the seed, the event and the line that opens it. Panels that show nothing are left out.
    """
    scenario_options(parser, several=True)
    parser.take("--event", "M", f"the moment: {_WHERE}", place, dest="start", required=True)
    _out_option(parser, "PATH", Path, "FILE.pdf, or a folder for PNG pictures")
    parser.take("--without", "NAME", "not this panel; several times for several", action="append", default=[])
    theme_option(parser)
    _ending_options(parser)


def _page(text: str) -> Path:
    if not text.lower().endswith((".html", ".htm")):
        raise argparse.ArgumentTypeError(f"found '{text}', allowed: a path that ends in .html")
    return Path(text)


def _stretch_options(parser: Parser, *, required: bool = True) -> None:
    parser.take("--from", "M", f"from here: {_WHERE}", place, dest="start", required=required)
    parser.take("--to", "M", "to here, in the same words", place, dest="end", required=required)
    parser.take(
        "--by",
        "WHAT",
        "substep, event or time (default: sub-steps up to 10 events, then events; time between two times)",
        one_of("substep", "event", "time"),
    )
