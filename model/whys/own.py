"""What policies of users say of their own decisions, which no paper explains."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

from slotscope.model.questions.words import said_by
from slotscope.model.reporting.explain import told
from slotscope.model.reporting.records import Record
from slotscope.model.whys.decision import Setting
from slotscope.model.whys.tables import Preference

#: Where it is asked for, of what the system asks of a decision whoever makes it.
SYSTEM = "the system"


def asked_by(setting: Setting, place: str) -> str:
    """Where a condition of the system comes from: the paper's *place*, under policies that follow it."""
    return SYSTEM if setting.system.policy.may_fail else place


def last_said(setting: Setting) -> tuple[str, dict[str, Any]] | None:
    """The last sub-step of the policy's own about the job before its decision, without the job's number."""
    last = _last(setting)
    return None if last is None else (last.kind, {name: value for name, value in last.values.items() if name != "job"})


def _last(setting: Setting) -> Record | None:
    job = setting.subject.job
    said = [one for one in setting.records if type(one) is Record and one.line and one.values.get("job", job) == job]
    return said[-1] if said else None


def own_choice(setting: Setting, numbers: Callable[[int], str] | None = None) -> Preference:
    """The choice of a policy's file, with what it said last and with it; *numbers* are of the one that was chosen."""
    policy, decision = setting.system.policy, setting.decision
    values = decision.values if decision is not None else {}
    with_it = {name: values[name] for name in said_by(policy) if name in values}
    said = [
        told(*each) for each in (last_said(setting), (decision.kind, with_it) if with_it and decision else None) if each
    ]
    words = f"it says “{'; '.join(said)}”" if said else "it says nothing of why"
    last = _last(setting)
    if last is not None and decision is None and setting.subject.job >= 0 and "job" not in last.values:
        words = f"what it said last names no job: “{'; '.join(said)}”"  # it may be of another one
    return Preference(
        "the one that the policy's file chose",
        Path(policy.name).name,
        lambda one: f"{numbers(one)}; {words}" if numbers else words,
        declined=words,
    )
