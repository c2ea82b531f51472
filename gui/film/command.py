"""``slotscope film``: films a stretch of a run without a display."""

from __future__ import annotations

import argparse
from typing import Any

from slotscope.gui.film.shooting import Looks, shoot
from slotscope.gui.sharing.command import Tell, carry_out, run_of
from slotscope.model.footage.footage import Footage, usual_by
from slotscope.model.lessons.files import marks_of


def execute(options: argparse.Namespace) -> int:
    """Film what the command line names."""
    footage = Footage(options.start, options.end, options.by or usual_by(options.start, options.end))
    looks = Looks(tuple(options.panel), options.size, options.theme, options.pace, marks_of(options.marks))

    def make(tell: Tell) -> dict[str, Any]:
        return {"moments": shoot(run_of(options, options.end), footage, looks, options.out, tell)}

    return carry_out(options, options.scenario, make)
