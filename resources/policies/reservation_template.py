"""A policy of one's own for reservation systems: copy this file, change it, and choose it.

    slotscope dra-classroom --policy my_policy.py
    slotscope run dra-vms --policy "my_policy.py:most_types=2"

or in the window: the box of policies, "From a file ...", or drop the file on the window.
Saving the file again loads it again, and the run is replayed to where it was.

What follows is first fit with one parameter.  The help page "A policy of your own" lists all
that can be asked and yielded, and every error.
"""

from slotscope.model.kinds.reservation.policies.base import Admit, OwnPolicy, Reject, Section, say


class Parameters(Section):
    """Parameters, with their types and defaults; leave the class out if there are none."""

    most_types: int = 10


class Policy(OwnPolicy):
    """The class must be called Policy."""

    title = "First fit of few types"
    schema = Parameters
    # reserves_slots = True  # jobs go into slots that the policy has reserved with Reassign
    # memory = 2  # so many numbers are kept from event to event: view.memory, Remember

    def arrival(self, view, job):
        """Must yield exactly one Admit or Reject."""
        room = view.with_room(job.type)
        types_there = (view.placement[room] > 0).sum(axis=1)
        few = room[types_there <= self.parameters.most_types]
        yield say("servers_compared", with_room=len(room), with_few_types=len(few))
        yield Admit(server=few[0]) if len(few) else Reject()

    # def departure(self, view, job): a job has left; Migrate, Reassign and Preempt are possible here, and above.
    # def start(self, view): time 0; Reassign, or ask for an update with UpdateAt.
    # def update(self, view): the time asked for with UpdateAt has come.
