"""Of the servers with room the one with most jobs, with a kernel that does the same millions of times a second."""

from slotscope.model.kinds.phases.policies.base import OwnPolicy, Place, say


class Policy(OwnPolicy):
    title = "Fullest first, compiled"

    def arrival(self, view, job):
        room = view.with_room(job.type)
        yield say("servers_compared", with_room=len(room))
        yield Place(job=job.number, server=max(room, key=view.jobs_on, default=view.first_idle()))

    @staticmethod
    def kernel(state, job, type, room, data):
        fullest = -1
        for server in range(len(room)):
            if room[server] and (fullest < 0 or state.jobs_on[server] > state.jobs_on[fullest]):
                fullest = server
        return fullest
