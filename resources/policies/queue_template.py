"""A policy of one's own for servers with a queue: copy this file, change it, and choose it.

    slotscope queues-classroom --policy my_policy.py
    slotscope run queues-classroom --policy "my_policy.py:most=3"

or in the window: the box of policies, "From a file ...", or drop the file on the window.
Saving the file again loads it again, and the run is replayed to where it was.

What follows is first fit with a bound on the jobs of a server.  The help page "A policy of your
own" lists all that can be asked and yielded, and every error.
"""

from slotscope.model.kinds.queue.policies.base import OwnPolicy, Place, Section, say


class Parameters(Section):
    """Parameters, with their types and defaults; leave the class out if there are none."""

    most: int = 3


class Policy(OwnPolicy):
    """The class must be called Policy."""

    title = "First fit of few jobs"
    schema = Parameters
    # memory = 2  # so many numbers are kept from event to event: view.memory, Remember

    def slot(self, view):
        """Called in each slot in which something may happen, after departures and arrivals."""
        for job in view.waiting():
            room = view.with_room(job)
            few = [server for server in room if len(view.jobs_on(server)) < self.parameters.most]
            yield say("servers_compared", job=job.number, with_room=len(room), with_few_jobs=len(few))
            if few:
                yield Place(job=job.number, server=few[0])
