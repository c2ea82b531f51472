"""The plane of the optimum's two widths in words."""

from __future__ import annotations

import math
from typing import Iterator

import numpy as np

from slotscope.gui.kinds.moldable.collapse_values import CollapsePlane, Nearness, Point, bin_edges, spent
from slotscope.gui.kinds.moldable.wording import width_words
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.scales import format_number
from slotscope.model.kinds.moldable.state import BINS
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.letters import subscript


def _percent(share: float) -> str:
    """A share as per cent, in three digits."""
    return f"{significant(100 * share, 3)}{THIN}%" if share else "0"


def point_words(plane: CollapsePlane, frame: Frame, point: Point) -> str:
    """What a point of the plane stands for, and how often the state was there."""
    parts = []
    for width, value in zip(plane.widths, point, strict=True):
        jobs = format_number(value * plane.servers)
        parts.append(f"x{subscript(width)} = {significant(value, 3)}: {jobs} jobs {width_words(width)}")
    parts.append(
        f"r = {significant(plane.rate(point), 3)}, servers in use: {_percent(plane.busy(point) / plane.limit)}"
    )
    share = share_at(plane, frame, point)
    if share is not None:
        parts.append(f"The state was hereabouts {_percent(share)} of the time" if share else "The state was never here")
    return ". ".join(parts) + "."


def share_at(plane: CollapsePlane, frame: Frame, point: Point) -> float | None:
    """The share of the time spent in the bin of a point; None outside the bins."""
    places = [
        int(np.searchsorted(edge, value, side="right")) - 1
        for edge, value in zip(bin_edges(plane, frame.info), point, strict=True)
    ]
    if not all(0 <= place < BINS for place in places):
        return None
    return float(spent(plane, frame)[places[0], places[1]])


def is_ours(info: RunInfo) -> bool:
    """Whether the policy is the one that the paper's lemmas are about."""
    return info.policy_name == "greedy-p"


def path_text(plane: CollapsePlane, info: RunInfo) -> str:
    """What the fluid path is called: (12) is about greedy(p*) and exponential sizes."""
    text = "fluid path" if is_ours(info) else "fluid path of greedy(p*)"
    return text if plane.exponential else f"{text}, exponential sizes"


def tiles(plane: CollapsePlane, near: Nearness, above: float | None, ours: bool) -> Iterator[TileText]:
    """Distance, jobs beside the plane, and what Lemmas 2 and 3 say of greedy(p*): *ours*."""
    i1, i2 = plane.widths
    now, mean = (significant(distance, 3) for distance in (near.distance, near.mean_distance))
    yield TileText("‖x − y*‖₁ now", now, "run", f"The sum over i of |xᵢ − y*ᵢ|; {mean} on average.", "‖x − y*‖")
    yield TileText("its average", mean, "run")
    tip = f"{counted(near.beside, 'job')} on other widths: how far the state is from this plane."
    yield TileText(f"jobs not on {i1} or {i2}", format_number(near.beside), "run", tip, "off plane")
    if plane.least > 1:
        yield from _lemma2(plane, near, ours)
    if above is not None:
        tip = "The share of the time in which sᵢ₁xᵢ₁ + sᵢ₂xᵢ₂ is above λ + δ, outside of the shaded region."
        yield TileText("of the time r > λ + δ", _percent(above), "normal", tip, "r > λ + δ")


def _lemma2(plane: CollapsePlane, near: Nearness, ours: bool) -> Iterator[TileText]:
    """Jobs on fewer than i1 servers, and how often there is more than one."""
    tip = f"Jobs on fewer than i₁ = {plane.least} servers: {near.below} now, at most {near.most_below} so far."
    caption, short = "of the time > 1 of them", "> 1 of them"
    if ours:
        tip += (
            " Lemma 2 of the paper says that there is never more than one. Where two widths are asked for and i₁ ≥ 2 "
            "that does not hold: a job that got one server does not keep the next one from getting too few."
        )
        caption, short = "of the time > 1 (Lemma 2: 0)", "> 1 (Lemma 2: 0)"
    below = f"jobs below i₁ = {plane.least} (most: {format_number(near.most_below)})"
    yield TileText(below, format_number(near.below), "run", tip, f"below i₁, most {near.most_below}")
    role = "rejection" if ours and near.share_below else "run"
    yield TileText(caption, _percent(near.share_below), role, tip, short)


def delta_decimals(plane: CollapsePlane) -> int:
    """The decimals that delta needs for three digits."""
    return 2 - math.floor(math.log10(plane.proved)) if plane.proved else 2


def delta_words(plane: CollapsePlane, delta: float) -> str:
    """Where a delta comes from."""
    if not plane.room:
        return "no room: λ = 1"
    shown = 10.0 ** -delta_decimals(plane)
    if abs(delta - plane.proved) <= shown:
        return "Theorem 2’s proof"
    return "= ½(1 − λ)" if abs(delta - plane.room / 2) <= shown else ""


def delta_tip(plane: CollapsePlane) -> str:
    """What delta is, and which values mean something."""
    return (
        f"δ: how far r may be above λ in the shaded region, less than 1 − λ = {significant(plane.room, 3)}. The proof "
        f"of Theorem 2 takes {significant(plane.proved, 3)}, which is β/(2n^max(α, ½)); half of 1 − λ is "
        f"{significant(plane.room / 2, 3)}."
    )
