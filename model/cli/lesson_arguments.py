"""The parsers of the commands about lessons; nothing here is heavy to import."""

from __future__ import annotations

from pathlib import Path

from slotscope.model.cli.parser import Parser, json_option, language_option
from slotscope.model.cli.readers import one_of, whole


def lessons_parser() -> Parser:
    """That of ``slotscope lessons``."""
    parser = Parser(
        "lessons",
        "Lists the lessons that come with the program. 'check FILES' reads lessons of your own and stands at the "
        "moment of each step; what is wrong is said in a line with its place, and the exit code is then 2.",
        ["slotscope lessons", "slotscope lessons check my-lesson.toml"],
    )
    parser.add_argument("action", metavar="check", nargs="?", type=one_of("check"), help="check lessons")
    parser.add_argument("files", metavar="FILE", nargs="*", help="a lesson's name, or the path of its .toml file")
    json_option(parser)
    return parser


def lesson_parser() -> Parser:
    """That of ``slotscope lesson``."""
    parser = Parser(
        "lesson",
        "Opens the window at a step of a lesson; PageDown and PageUp go on and back. Without a display the moment of "
        "the step is run offscreen, as slotscope SCENARIO --event N is.",
        ["slotscope lesson dra-1-decision", "slotscope lesson my-lesson.toml --step 3"],
    )
    parser.add_argument("name", metavar="NAME", help="from 'slotscope lessons', or the path of a .toml file")
    parser.add_argument("--step", metavar="N", type=whole(1, 100), default=1, help="at step N (default: 1)")
    language_option(parser)
    return parser


def grade_parser() -> Parser:
    """That of ``slotscope grade``."""
    parser = Parser(
        "grade",
        "Grades files of answers to lessons' questions and exercises, as students keep them with 'Keep answers in a "
        "file'. Every moment is opened again, and the reference says what is right there. Prints a CSV table with a "
        "line for each answer; 'signed' says whether the line stands as the program has written it. The exit code "
        "is 1 if a file was changed.",
        ["slotscope grade answers/*.answers > grades.csv", "slotscope grade ada.answers --lesson my-lesson.toml"],
    )
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a file of answers")
    parser.add_argument(
        "--lesson",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="a lesson of your own that was given; its questions and moments are compared with those answered",
    )
    json_option(parser)
    return parser
