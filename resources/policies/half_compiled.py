"""Half of what is free, with a kernel of its own: what `half_of_the_rest.py` does, at full speed.

A worked example of a policy of one's own for moldable jobs that brings a Numba kernel along.

    slotscope verify moldable-sublinear --policy half_compiled.py --events 500
    slotscope run moldable-sublinear --policy half_compiled.py
"""

import numpy as np

from slotscope.model.kinds.moldable.policies.base import Allocate, OwnPolicy, Reject, say


class Policy(OwnPolicy):
    title = "Half of what is free, compiled"

    def arrival(self, view, job):
        free, most = view.free(job.type), self.numbers.degrees[job.type]
        yield say("half_of_the_rest", free=free, most=most)
        yield Allocate(servers=min(-(-free // 2), most)) if free else Reject()

    @property
    def kernel_data(self):
        return np.array(self.numbers.degrees)

    @staticmethod
    def kernel(state, job, type, free, data):
        return min(-(-free // 2), data[type])
