"""What tests know of policies of one's own in each kind of system."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import NamedTuple

from tests.own_policies import write

POLICIES = Path(__file__).resolve().parents[2] / "resources" / "policies"


class OwnCase(NamedTuple):
    """A kind of system, as far as files of policies differ by it.

    Attributes
    ----------
    occasion:
        The method that a policy needs, with its arguments.
    right:
        What a sound policy does there.
    wrong:
        By a name: what is done in place of it at an event, and what is said about that.
    example:
        The worked example.
    """

    occasion: str
    right: str
    wrong: dict[str, tuple[str, str]]
    example: str


CASES: dict[str, OwnCase] = {
    "moldable": OwnCase(
        occasion="arrival(self, view, job)",
        right="""\
free = view.free(job.type)
yield say("compared", free=free)
if free:
    yield Allocate(servers=1)
else:
    yield Reject()
""",
        wrong={
            "too many": ("yield Allocate(servers=10**6)", "servers of Allocate is 1000000, allowed: a whole number"),
            "none": ("yield Allocate(servers=0)", "servers of Allocate is 0, allowed: a whole number from 1 to"),
            "half": ("yield Allocate(servers=1.5)", "servers of Allocate is 1.5, allowed: a whole number from 1 to"),
            "not free": (
                "free = view.free(job.type)\nwhile free:\n    yield Allocate(servers=1)",
                "it decides of a job twice",
            ),
            "no decision": (
                "yield say('nothing')\nreturn",
                "it neither gives servers to the arriving job nor rejects it",
            ),
            "another kind's": (
                "from slotscope.model.records import Admit\nyield Admit(server=0)",
                "an object of the class Admit, allowed: Allocate,",
            ),
            "asked": (
                "yield Reject(values={'request': 10**9})",
                "request of Reject is 1000000000, allowed: a whole number from 1 to",
            ),
            "no memory": ("yield Remember(numbers=(1, 2))", "its class declares memory = 1"),
            "state": ("view.running[0, 0] = 3", "what a policy is shown cannot be changed"),
            "view": ("view._state = None", "view._state cannot be set"),
            "numbers": (
                "object.__setattr__(view.numbers, 'servers', 1)\nyield Reject()\nreturn",
                "it changes what it is shown: servers of the numbers",
            ),
        },
        example="half_of_the_rest.py",
    )
}

#: The memory that a policy below declares, and how much of it it uses.
REMEMBERING = "yield Remember(numbers=(view.memory[0] + 1,))\n"


def text_of(system: str, body: str, rest: str = "memory = 1\n") -> str:
    """The text of a policy's file for a kind of system; *body* is what its main method does."""
    return (
        f"from slotscope.model.kinds.{system}.policies.base import *\n\n\nclass Policy(OwnPolicy):\n"
        f"{indent(rest, '    ')}\n    def {CASES[system].occasion}:\n{indent(body, '        ')}"
    )


def written(folder: Path, system: str, body: str, rest: str = "memory = 1\n") -> str:
    """The path of such a file."""
    return write(folder, text_of(system, body, rest))
