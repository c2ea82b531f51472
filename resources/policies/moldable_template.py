"""A policy of one's own for moldable jobs: copy this file, change it, and choose it.

    slotscope moldable-classroom --policy my_policy.py
    slotscope run moldable-sublinear --policy "my_policy.py:most=2"

or in the window: the box of policies, "From a file ...", or drop the file on the window.
Saving the file again loads it again, and the run is replayed to where it was.

What follows gives each job the same number of servers.  The help page "A policy of your own"
lists all that can be asked and yielded, and every error.
"""

from slotscope.model.kinds.moldable.policies.base import Allocate, OwnPolicy, Reject, Section, say


class Parameters(Section):
    """Parameters, with their types and defaults; leave the class out if there are none."""

    most: int = 2


class Policy(OwnPolicy):
    """The class must be called Policy."""

    title = "Never more than a few servers"
    schema = Parameters
    # memory = 2  # so many numbers are kept from event to event: view.memory, Remember

    def arrival(self, view, job):
        """Must yield exactly one Allocate or Reject."""
        free = view.free(job.type)
        wanted = min(self.parameters.most, self.numbers.degrees[job.type])
        yield say("servers_compared", free=free, wanted=wanted)
        yield Allocate(servers=min(wanted, free)) if free else Reject()

    # def departure(self, view, job): a job has left its servers.
