"""Largest first: of the jobs that wait the largest goes first, to the server that it fills best.

A worked example of a policy of one's own for servers with a queue.

    slotscope run queues-classroom --policy largest_first.py
"""

from slotscope.model.kinds.queue.policies.base import OwnPolicy, Place, say


class Policy(OwnPolicy):
    title = "Largest first"

    def slot(self, view):
        for job in sorted(view.waiting(), key=lambda job: job.room, reverse=True):
            room = view.with_room(job)
            yield say("servers_compared", job=job.number, size=view.told(job.room), with_room=len(room))
            if len(room):
                yield Place(job=job.number, server=view.least_residual(room))
