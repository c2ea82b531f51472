"""Of the jobs that wait the largest goes first, with a kernel that does the same millions of times a second."""

from slotscope.model.kinds.queue.policies.base import OwnPolicy, Place, say


class Policy(OwnPolicy):
    title = "Largest first, compiled"

    def slot(self, view):
        for job in sorted(view.waiting(), key=lambda job: job.room, reverse=True):
            room = view.with_room(job)
            yield say("servers_compared", job=job.number, size=view.told(job.room), with_room=len(room))
            if len(room):
                yield Place(job=job.number, server=view.least_residual(room))

    @staticmethod
    def kernel(state, free, data):
        largest, tightest = -1, -1
        job = state.first_waiting[0]
        while job >= 0:
            size = state.job_room[job, 0]
            if largest < 0 or size > state.job_room[largest, 0]:
                for server in range(len(free)):
                    fits = size <= free[server, 0]
                    if fits and (largest != job or free[server, 0] < free[tightest, 0]):
                        largest, tightest = job, server
            job = state.job_next[job]
        return largest, tightest
