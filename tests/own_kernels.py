"""User policies with a kernel, one for each kind of system: right, or wrong as a parameter says.

Each remembers something, so that the kernel's writes to the memory are checked, too; from event ``since`` on
it is wrong in the way of number ``wrong``.  All variants share one text, so that it is compiled once.
"""

from __future__ import annotations

from textwrap import dedent, indent

_HEAD = """\
import numpy as np
from slotscope.model.kinds.{kind}.policies.base import *


class Parameters(Section):
    wrong: int = 0
    since: int = 0
    slots: bool = False


class Policy(OwnPolicy):
    schema = Parameters
    memory = 1

    @property
    def kernel_data(self):
        return np.array([self.parameters.wrong, self.parameters.since])

"""

_BODIES = {
    "reservation": """
    def __init__(self, numbers, parameters):
        super().__init__(numbers, parameters)
        self.reserves_slots = parameters.slots

    def start(self, view):
        for server in view.empty_servers() if self.reserves_slots else ():
            one = tuple(int(j == server % self.numbers.types) for j in range(self.numbers.types))
            if self.numbers.space.contains(one):
                yield Reassign(server=server, configuration=one)

    def arrival(self, view, job):
        room = np.flatnonzero(view.empty_slots(job.type)) if self.reserves_slots else view.with_room(job.type)
        yield Remember(numbers=(view.memory[0] + len(room),))
        yield Admit(server=room[-1]) if len(room) else Reject()

    @staticmethod
    def kernel(state, job, type, room, data):
        wrong = data[0] * (state.number[0] + 1 >= data[1])
        last, full = -1, -1
        for server in range(len(room)):
            if room[server]:
                last = server
                state.memory[0] += 1
            else:
                full = server
        if wrong == 1:
            state.memory[0] += 1
        if wrong == 2:
            return -1
        if wrong == 3:
            return len(room) + 70
        if wrong == 4 and full >= 0:
            return full
        if wrong == 5:
            raise ValueError(job)
        if wrong == 6:
            return state.stamp[len(room)]
        return last
    """,
    "queue": """
    def slot(self, view):
        yield Remember(numbers=(max(view.memory[0], len(view.waiting())),))
        for job in view.waiting():
            room = view.with_room(job)
            if len(room):
                yield Place(job=job.number, server=room[0])

    @staticmethod
    def kernel(state, free, data):
        wrong = data[0] * (state.number[0] + 1 >= data[1])
        state.memory[0] = max(state.memory[0], state.number[4])
        record = state.first_waiting[0]
        if wrong == 1:
            state.memory[0] += 1
        if wrong == 2 and state.number[5] > 0:
            return -1, -1
        if wrong == 3 and record >= 0:
            return record, len(free) + 70
        if wrong == 4 and state.first_job[0] >= 0:
            return state.first_job[0], 0
        if wrong == 5 and record >= 0:
            raise ValueError(record)
        if wrong == 6 and record >= 0:
            return record, state.jobs_on[len(free)]
        while record >= 0:
            for server in range(len(free)):
                fits = state.stalled[server] == 0
                for d in range(free.shape[1]):
                    fits = fits and state.job_room[record, d] <= free[server, d]
                if fits or (wrong == 7 and free[server, 0] < state.job_room[record, 0]):
                    return record, server
            record = state.job_next[record]
        return -1, -1
    """,
    "phases": """
    def arrival(self, view, job):
        room = view.with_room(job.type)
        yield Remember(numbers=(view.memory[0] + len(room),))
        yield Place(job=job.number, server=room[len(room) // 2] if len(room) else view.first_idle())

    @staticmethod
    def kernel(state, job, type, room, data):
        wrong = data[0] * (state.number[0] + 1 >= data[1])
        found = 0
        full = -1
        for server in range(len(room)):
            found += room[server]
            if not room[server]:
                full = server
        state.memory[0] += found + (wrong == 1)
        if wrong == 2 and found > 2:
            return -1
        if wrong == 3:
            return len(room) + 70
        if wrong == 4 and full >= 0:
            return full
        if wrong == 5:
            raise ValueError(job)
        if wrong == 6:
            return state.jobs_on[len(room)]
        left = found // 2
        for server in range(len(room)):
            if room[server]:
                if left == 0:
                    return server
                left -= 1
        return -1
    """,
}

#: The text of the file for each kind of system.
SOURCES = {kind: _HEAD.format(kind=kind) + indent(dedent(body), " " * 4) for kind, body in _BODIES.items()}
