"""The oldest job that waits and fits goes first, with a kernel that does the same millions of times a second."""

from slotscope.model.kinds.queue.policies.base import OwnPolicy, Place, say


class Policy(OwnPolicy):
    title = "Oldest first, compiled"

    def slot(self, view):
        for job in view.waiting():
            room = view.with_room(job)
            yield say("servers_compared", job=job.number, with_room=len(room))
            if len(room):
                yield Place(job=job.number, server=room[0])

    @staticmethod
    def kernel(state, free, data):
        job = state.first_waiting[0]
        while job >= 0:
            for server in range(len(free)):
                if state.job_room[job, 0] <= free[server, 0]:
                    return job, server
            job = state.job_next[job]
        return -1, -1
