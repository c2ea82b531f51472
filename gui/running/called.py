"""How messages describe a run, and the way back to a run that was replaced."""

from __future__ import annotations

from slotscope.gui.language.words import tr
from slotscope.gui.window.actions import BACK_KEY, key_words
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.reporting.explain import grouped


def called(run: Run) -> str:
    """The description of a run in messages: scenario, policies, seed and event."""
    policies = " | ".join(lane.origin.policy for lane in lanes_of(run))
    return tr("{name} ({policies}, seed {seed}) at event {event}").format(
        name=run.name or tr("a run without a name"),
        policies=policies,
        seed=run.info.seed,
        event=grouped(run.timeline.event),
    )


def way_back(replaced: Run) -> str:
    """A sentence on how to return to the run that was replaced."""
    return tr("{key} goes back to {run}.").format(key=key_words(BACK_KEY), run=called(replaced))
