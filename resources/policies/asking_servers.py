"""Servers that ask: each that has no job asks for one of each type, and pauses until they came.

A worked example of a policy of one's own for jobs with phases, with tokens and backup servers.

    slotscope run jrs-classroom --policy asking_servers.py
"""

from slotscope.model.kinds.phases.policies.base import Match, Overflow, OwnPolicy, Request, say


class Policy(OwnPolicy):
    title = "Empty servers ask for one of each type"
    servers = 8

    def start(self, view):
        for server in range(self.servers):
            yield Request(server=server, jobs=(1,) * self.numbers.phases)

    def arrival(self, view, job):
        yield say("tokens_found", tokens=view.tokens(0, job.type))
        yield Match(job=job.number, position=0) if view.tokens(0, job.type) else Overflow(job=job.number)

    def departure(self, view, job):
        if not view.jobs_on(job.server) and not view.is_paused(job.server):
            yield Request(server=job.server, jobs=(1,) * self.numbers.phases)
