"""The servers of a system with phases: their jobs to scale, tokens, timers and backup servers."""

from __future__ import annotations

from typing import Iterator

import numpy as np

from slotscope.gui.kinds.phases.servers_sections import Gatherer, PhaseContent, ServerPlace, content_of, info_has_tokens
from slotscope.gui.kinds.phases.servers_view import PhaseServersView
from slotscope.gui.kinds.phases.wording import configuration_text
from slotscope.gui.pictures.panel import PicturePanel
from slotscope.model.reporting.frame import Frame


class PhaseServersPanel(PicturePanel):
    """Every server with its real and virtual jobs, and what it waits for."""

    name = "phase-servers"
    title = "Servers"
    summary = "Every server with its jobs to scale, real and virtual, its tokens and its timer."
    needs = frozenset({"phases"})
    picture = PhaseServersView

    @staticmethod
    def header(frame: Frame) -> list[str]:
        """The names of the columns; virtual jobs and tokens only where the policy knows them."""
        model = frame.info.numbers.model
        known = ("jobs", "virtual jobs", "tokens") if info_has_tokens(frame) else ("jobs",)
        counts = [f"{what} of {name}" for what in known for name in model.phases]
        uses = [f"{name} in use" for name in model.resources]
        return ["server", "kind", "pool", "jobs", *uses, *counts, "configuration", "state"]

    @staticmethod
    def rows(frame: Frame) -> Iterator[list[object]]:
        """All normal servers, then the backup servers in use; of unlimited ones those in use."""
        numbered = info_has_tokens(frame)
        for section in Gatherer(frame.info.facts).sections(frame.state):
            content = content_of(frame.state, section, np.arange(len(section)))
            for index in range(len(section)):
                if (numbered and not section.backup) or content.real[index].any():
                    yield _row(frame, section.place(index), content, index)


def _row(frame: Frame, place: ServerPlace, content: PhaseContent, index: int) -> list[object]:
    facts, numbers = frame.info.facts, frame.info.numbers
    real, virtual = content.real[index], content.virtual[index]
    use = zip((real @ numbers.demand).tolist(), numbers.unit, strict=True)
    counts = [*real.tolist()]
    kind: list[object] = ["unlimited", ""]
    if info_has_tokens(frame):
        counts += [*virtual.tolist(), *content.tokens[index].tolist()]
        pool = place.pool if place.is_backup else int(facts.pool_of[place.server])
        kind = ["backup" if place.is_backup else "normal", pool + 1]
    observed = configuration_text(numbers.model.phases, (real + virtual).tolist())
    amounts = [float(units * unit) for units, unit in use]
    return [place.number + 1, *kind, int(real.sum()), *amounts, *counts, observed, _state(content, index)]


def _state(content: PhaseContent, index: int) -> str:
    if content.paused[index]:
        return "paused"
    if content.timer[index]:
        return "a timer runs"
    return "in use" if content.real[index].any() else "idle"
