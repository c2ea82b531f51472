"""A policy of one's own for jobs with phases: copy this file, change it, and choose it.

    slotscope jrs-classroom --policy my_policy.py
    slotscope run jrs-two-phases --policy "my_policy.py:most=3"

or in the window: the box of policies, "From a file ...", or drop the file on the window.
Saving the file again loads it again, and the run is replayed to where it was.

What follows places each job on the first busy server with few jobs.  The help page "A policy of your
own" lists all that can be asked and yielded, and every error.
"""

from slotscope.model.kinds.phases.policies.base import OwnPolicy, Place, Section, say


class Parameters(Section):
    """Parameters, with their types and defaults; leave the class out if there are none."""

    most: int = 2


class Policy(OwnPolicy):
    """The class must be called Policy."""

    title = "First busy server with few jobs"
    schema = Parameters
    # servers = 8  # so many servers ask for jobs (Request, Match, Overflow); without it they are unlimited (Place)
    # memory = 2  # so many numbers are kept from event to event: view.memory, Remember

    def arrival(self, view, job):
        """Must yield exactly one Place, or one Match or Overflow where servers ask for jobs."""
        few = [server for server in view.with_room(job.type) if 0 < view.jobs_on(server) < self.parameters.most]
        yield say("servers_compared", with_few_jobs=len(few))
        yield Place(job=job.number, server=few[0] if few else view.first_idle())

    # def move(self, view, job): a job has changed its phase; servers may ask for jobs here, and below.
    # def departure(self, view, job): a job has departed from its server.
    # def start(self, view): time 0.
    # def tick(self, view, server): the timer of a server rang, which SetTimer has started.
