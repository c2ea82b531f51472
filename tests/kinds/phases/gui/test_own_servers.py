"""Servers that ask for jobs under a user's policy, which has no plan."""

from __future__ import annotations

from pathlib import Path

from slotscope.gui.kinds.phases.servers_sections import Gatherer, ServerPlace
from slotscope.gui.kinds.phases.servers_words import caption_words, label_words, server_words
from slotscope.model.api import Session
from tests.own_policies import write

TEXT = """\
from slotscope.model.kinds.phases.policies.base import Match, Overflow, OwnPolicy, Request, SetTimer


class Policy(OwnPolicy):
    servers = 3

    def start(self, view):
        yield SetTimer(server=0, rate=1)
        yield Request(server=1, jobs=(1, 1))

    def tick(self, view, server):
        yield SetTimer(server=0, rate=1)

    def arrival(self, view, job):
        yield Match(job=job.number, position=0) if view.tokens(0, job.type) else Overflow(job=job.number)
"""


def test_servers_are_told_without_a_plan(tmp_path: Path) -> None:
    frame = Session.open("jrs-classroom", write(tmp_path, TEXT), kernel=False).frame()
    normal, backups = Gatherer(frame.info.facts).sections(frame.state)
    assert caption_words(frame, normal)[0].endswith("3, 0 in use, 1 paused; 2 tokens (L + H)")
    assert caption_words(frame, backups)[0].startswith("Backup servers: 0 jobs")
    told = [label_words(frame, ServerPlace(server), "doing")[0] for server in range(3)]
    assert told == ["timer", "paused: 2 tokens", "waits"]
    assert "a timer runs" in server_words(frame, ServerPlace(0)).splitlines()
    assert "case" not in server_words(frame, ServerPlace(2))
