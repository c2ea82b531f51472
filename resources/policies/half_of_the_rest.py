"""Half of what is free: wide jobs while there is room, narrow ones when it gets tight.

A worked example of a policy of one's own for moldable jobs.

    slotscope run moldable-sublinear --policy half_of_the_rest.py
"""

from slotscope.model.kinds.moldable.policies.base import Allocate, OwnPolicy, Reject, say


class Policy(OwnPolicy):
    title = "Half of what is free"

    def arrival(self, view, job):
        free, most = view.free(job.type), self.numbers.degrees[job.type]
        width = min(-(-free // 2), most)
        yield say("half_of_the_rest", free=free, half=-(-free // 2), most=most)
        if free:
            yield Allocate(servers=width)
        else:
            yield Reject()
