"""First fit for a reservation system, with a kernel that does the same millions of times a second."""

from slotscope.model.kinds.reservation.policies.base import Admit, OwnPolicy, Reject, say


class Policy(OwnPolicy):
    title = "First fit, compiled"

    def arrival(self, view, job):
        room = view.with_room(job.type)
        yield say("servers_compared", with_room=len(room))
        yield Admit(server=room[0]) if len(room) else Reject()

    @staticmethod
    def kernel(state, job, type, room, data):
        for server in range(len(room)):
            if room[server]:
                return server
        return -1
