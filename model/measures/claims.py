"""Judges the long-run claims of papers by a run so far, with its confidence intervals."""

from __future__ import annotations

from math import isfinite, isnan
from typing import Any, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.kinds.spec import STABLE, UNSTABLE, Judgement
from slotscope.model.measures.metrics import Batches, Estimate
from slotscope.model.measures.monitors import Claim, Standing
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.scenario.common import ARE_RECORDED, is_recorded


class ClaimReading(NamedTuple):
    """The judgement of a claim by a run so far; ``slack`` is how far the mean lies on the right side of the bound."""

    claim: Claim
    standing: Standing
    sentence: str
    slack: Estimate | None = None


def judged(
    claim: Claim, numbers: Any, bounds: Any, batches: Mapping[str, Batches], judgement: Judgement | None
) -> ClaimReading:
    """Judge a claim by batches since the end of the warm-up; before it ends, *batches* are empty.

    The claim holds, or is violated, if the whole confidence interval of the mean lies on one side of the bound.
    """
    if not batches:
        return ClaimReading(claim, "open", "nothing is judged before the warm-up is over")
    if not claim.measure:
        return _by_verdict(claim, judgement)
    bound, mean = claim.bound(numbers, bounds), batches[claim.measure].estimate()
    if bound is None:
        return ClaimReading(claim, "open", "the bound is not known")
    if not isfinite(mean.mean):
        return ClaimReading(claim, "open", "the mean is not known yet")
    sign = 1 if claim.side == "at least" else -1
    slack = Estimate(sign * (mean.mean - bound), mean.half_width)
    said = f"mean {_with_interval(mean)}, {claim.side} {bound:.4g} is claimed"
    if isnan(slack.half_width):
        return ClaimReading(claim, "open", f"{said}: without an interval nothing is judged", slack)
    if abs(slack.mean) <= slack.half_width:
        return ClaimReading(claim, "open", f"{said}: too near to be told apart yet", slack)
    return ClaimReading(claim, "holds" if slack.mean > 0 else "violated", said, slack)


def _by_verdict(claim: Claim, judgement: Judgement | None) -> ClaimReading:
    if judgement is None:
        return ClaimReading(claim, "open", "nothing is judged of this run")
    standings: Mapping[str, Standing] = {STABLE: "holds", UNSTABLE: "violated"}
    return ClaimReading(claim, standings.get(judgement.verdict, "open"), judgement.reason)


def _with_interval(value: Estimate) -> str:
    return f"{value.mean:.4g}" if isnan(value.half_width) else f"{value.mean:.4g} ± {value.half_width:.2g}"


def claim_readings(info: RunInfo, samples: NDArray[np.float64], bounds: Any, now: float) -> tuple[ClaimReading, ...]:
    """Judge each claim of the run's kind, by batches of its samples [n, width] since the end of the warm-up.

    A mean is judged once it has been measured for as long as the warm-up: shorter batches are correlated, and
    their interval is too narrow.  No mean is judged for recorded jobs, as they are a single sample path.
    """
    kind, warmup = info.kind, float(info.scenario.run.warmup)
    found = kind.batches_so_far(info.numbers, [samples], warmup, now) if now > warmup else ()
    batches: Mapping[str, Batches] = found[0] if found else {}
    judgement = kind.judge(info.scenario, [batches], now - warmup) if batches and kind.judges else None
    known = (claim for claim in kind.claims if not claim.measure or not batches or claim.measure in batches)
    found_out = (judged(claim, info.numbers, bounds, batches, judgement) for claim in known)
    why = "it is judged when that took as long as the warm-up" if now - warmup < warmup else ""
    why = ARE_RECORDED if is_recorded(info.scenario.workload) else why
    return tuple(_of_policy(_not_judged(reading, why) if why else reading, info) for reading in found_out)


def _of_policy(reading: ClaimReading, info: RunInfo) -> ClaimReading:
    """Add to the sentence that the theorem is about another policy, if it is."""
    policy = reading.claim.policy
    if policy in ("", info.policy_name):
        return reading
    proved = ROOMS[info.system].policies[policy].title
    return reading._replace(sentence=f"{reading.sentence}; proved of {proved}, this run is under {info.policy_title}")


def _not_judged(reading: ClaimReading, why: str) -> ClaimReading:
    if reading.standing == "open" or not reading.claim.measure:
        return reading
    return reading._replace(standing="open", sentence=f"{reading.sentence}; {why}")
