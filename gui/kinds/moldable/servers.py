"""The servers of a system of moldable jobs: every job on its servers, filling as it executes."""

from __future__ import annotations

from typing import Iterator

from slotscope.gui.kinds.moldable.servers_view import MoldableServersView
from slotscope.gui.kinds.moldable.servers_words import job_name
from slotscope.gui.pictures.panel import PicturePanel
from slotscope.model.reporting.frame import Frame

_HEADER = (
    "server",
    "pool",
    "state",
    "jobs",
    "job",
    "class",
    "servers of the job",
    "servers asked for",
    "arrived",
    "departs",
)


class MoldableServersPanel(PicturePanel):
    """Every server, and each job on the servers that it was given."""

    name = "moldable-servers"
    title = "Servers"
    summary = "Every server, and each job on the servers that it runs on, filling as it executes."
    needs = frozenset({"moldable"})
    picture = MoldableServersView

    @staticmethod
    def header(_: Frame) -> list[str]:
        """The names of the columns."""
        return [*_HEADER]

    @staticmethod
    def rows(frame: Frame) -> Iterator[list[object]]:
        """The job that each server runs now; of a server that is free the row ends with its state."""
        state, info = frame.state, frame.info
        for server, record in enumerate(state.server_job.tolist()):
            pool = info.facts.pool_of(server)
            name = info.facts.pool_names[pool] if pool >= 0 else "none"
            if record < 0:
                yield [server + 1, name, "free", 0, *[""] * 6]
            else:
                yield [
                    *(server + 1, name, "in use", 1),
                    job_name(info, int(state.job_number[record])),
                    info.numbers.class_names[int(state.job_class[record])],
                    *(int(state.job_width[record]), int(state.job_request[record])),
                    *(float(state.job_arrival[record]), float(state.job_departure[record])),
                ]
