"""A policy of one's own for jobs with phases: copy this file, change it, and choose it.

    slotscope jrs-classroom --policy my_policy.py
    slotscope run jrs-two-phases --policy "my_policy.py:most=3"

or in the window: the box of policies, "From a file ...", or drop the file on the window.
Saving the file again loads it again, and the run is replayed to where it was.

What follows places each job on the first server with few jobs.  The help page "A policy of your
own" lists all that can be asked and yielded, and every error.
"""

from slotscope.model.kinds.phases.policies.base import OwnPolicy, Place, Section, say


class Parameters(Section):
    """Parameters, with their types and defaults; leave the class out if there are none."""

    most: int = 2


class Policy(OwnPolicy):
    """The class must be called Policy."""

    title = "First server with few jobs"
    schema = Parameters

    # How many servers ask for jobs (Request, Match, Overflow); 0: servers are unlimited (Place).
    servers = 0

    # How many numbers are kept from event to event (view.memory, Remember).
    memory = 0

    def arrival(self, view, job):
        """Must yield exactly one Place, or one Match or Overflow where servers ask for jobs."""
        room = [server for server in view.busy_servers() if self.has_room(view, server, job.type)]
        yield say("servers_compared", with_room=len(room))
        yield Place(job=job.number, server=room[0] if room else view.first_idle())

    def has_room(self, view, server, type):
        most = min(self.parameters.most, self.numbers.model.most_jobs)
        left = self.numbers.capacity - view.use(server)
        return view.jobs_on(server) < most and (self.numbers.demand[type] <= left).all()

    def move(self, view, job):
        """A job has changed its phase: servers may ask for jobs here, and below."""
        yield from ()

    def departure(self, view, job):
        """A job has departed from its server."""
        yield from ()

    def tick(self, view, server):
        """The timer of a server rang, which SetTimer has started."""
        yield from ()
