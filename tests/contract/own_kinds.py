"""What differs between kinds of system in tests of user policies."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import NamedTuple

from tests.own_policies import write

POLICIES = Path(__file__).resolve().parents[2] / "resources" / "policies"


class OwnCase(NamedTuple):
    """How user policy files of one kind of system differ from those of others."""

    occasion: str  #: the method that a policy must have, with its arguments
    right: str  #: the body of that method in a correct policy
    #: By name: a wrong body in its place, and a part of the error message.
    wrong: dict[str, tuple[str, str]]
    example: str  #: file name of the worked example


CASES: dict[str, OwnCase] = {
    "reservation": OwnCase(
        occasion="arrival(self, view, job)",
        right="""\
room = view.with_room(job.type)
yield say("compared", with_room=len(room))
if len(room):
    yield Admit(server=room[0])
else:
    yield Reject()
""",
        wrong={},  # tests/model/test_user_policies_faults.py
        example="keep_room.py",
    ),
    "phases": OwnCase(
        occasion="arrival(self, view, job)",
        right="""\
yield say("compared", busy=sum(1 for _ in view.busy_servers()))
yield Place(job=job.number, server=view.first_idle())
""",
        wrong={
            "no such server": (
                "yield Place(job=job.number, server=10**6)",
                "it names server 1000001; there are servers 1",
            ),
            "half a server": (
                "yield Place(job=job.number, server=0.5)",
                "server of Place is 0.5, allowed: a whole number",
            ),
            "another job": ("yield Place(job=10**6, server=0)", "job 1000000, which does not arrive now"),
            "full": (
                "for s in view.busy_servers():\n"
                "    for _ in range(2): yield Place(job=job.number, server=view.first_idle())",
                "twice",
            ),
            "match": ("yield Match(job=job.number, position=0)", "it takes token 1 of type"),
            "overflow": ("yield Overflow(job=job.number)", "it sends a job to the backup servers of pool 1, allowed"),
            "request": (
                "yield Request(server=0, jobs=(1,) * self.numbers.phases)",
                "allowed: with servers = L in the class",
            ),
            "types": ("yield Request(server=0, jobs=())", "jobs of Request is a tuple of 0, allowed: a tuple of"),
            "timer": ("yield SetTimer(server=0, rate=1)", "server 1 asks for no jobs, allowed: with servers = L"),
            "rate": ("yield SetTimer(server=0, rate=float('inf'))", "rate of SetTimer is inf, allowed: a rate"),
            "nowhere": ("yield say('nothing')\nreturn", "leaves the arriving job nowhere; allowed: Place"),
            "no memory": ("yield Remember(numbers=(1, 2))", "its class declares memory = 1"),
            "own kind": ("yield say('move')", "kind 'move', which the program itself uses"),
            "state": ("view._state.real[0, 0] = 3", "what a policy is shown cannot be changed"),
            "choices": ("view.choices._state.real[0, 0] = 3", "what a policy is shown cannot be changed"),
            "view": ("view.choices = None", "view.choices cannot be set"),
            "numbers": (
                "object.__setattr__(view.numbers, 'seed', 99)\nyield Place(job=job.number, server=view.first_idle())\n"
                "return",
                "it changes what it is shown: seed of the numbers",
            ),
        },
        example="asking_servers.py",
    ),
    "queue": OwnCase(
        occasion="slot(self, view)",
        right="""\
for job in view.waiting():
    room = view.with_room(job)
    yield say("compared", job=job.number, with_room=len(room))
    if len(room):
        yield Place(job=job.number, server=room[0])
""",
        wrong={
            "no such server": ("yield Place(job=0, server=10**6)", "server of Place is 1000000, allowed"),
            "no such job": ("yield Place(job=10**6, server=0)", "but it is neither waiting nor in service"),
            "in service": (
                "for s in range(view.numbers.servers):\n    for job in view.jobs_on(s):\n"
                "        yield Place(job=job.number, server=s)",
                "but it is in service already, on server",
            ),
            "renew": ("yield Renew(server=0, configuration=0)", "server 1, but declares no configurations"),
            "stall": (
                "for s in range(view.numbers.servers):\n    if view.is_empty(s): yield Stall(server=s)",
                "it stalls server",
            ),
            "unstall": ("yield Stall(server=0, stalled=False)", "a stalled server does so once it is empty"),
            "evict": ("yield Evict(job=10**6, server=0)", "it evicts job 1000000 from server 1, but it is neither"),
            "reject": (
                "from slotscope.model.reporting.records import Reject\nyield Reject()",
                "the class Reject, allowed: Place,",
            ),
            "no memory": ("yield Remember(numbers=(1, 2))", "its class declares memory = 1"),
            "own kind": ("yield say('arrival')", "kind 'arrival', which the program itself uses"),
            "state": ("view.queue_length[0] = 3", "what a policy is shown cannot be changed"),
            "view": ("view._arrived = ()", "view._arrived cannot be set"),
            "numbers": (
                "object.__setattr__(view.numbers, 'servers', 1)\nreturn",
                "it changes what it is shown: servers of the numbers",
            ),
        },
        example="largest_first.py",
    ),
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
                "from slotscope.model.reporting.records import Admit\nyield Admit(server=0)",
                "an object of the class Admit, allowed: Allocate,",
            ),
            "asked": (
                "yield Reject(values={'request': 10**9})",
                "request of Reject is 1000000000, allowed: a whole number from 1 to",
            ),
            "asked in silence": (
                "yield Reject(values={'request': 1})",
                "it says for how many servers the job asks, allowed in a class with asks = True",
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
    ),
}

#: A statement that uses the memory that the policies below declare.
REMEMBERING = "yield Remember(numbers=(view.memory[0] + 1,))\n"


def text_of(system: str, body: str, rest: str = "memory = 1\n") -> str:
    """The text of a user policy file for a kind of system; *body* is the body of its main method."""
    return (
        f"from slotscope.model.kinds.{system}.policies.base import *\n\n\nclass Policy(OwnPolicy):\n"
        f"{indent(rest, '    ')}\n    def {CASES[system].occasion}:\n{indent(body, '        ')}"
    )


def written(folder: Path, system: str, body: str, rest: str = "memory = 1\n") -> str:
    """Write such a file and return its path."""
    return write(folder, text_of(system, body, rest))
