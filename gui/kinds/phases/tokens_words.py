"""What the panel of tokens says in words and numbers."""

from __future__ import annotations

from typing import Iterator

from slotscope.gui.kinds.phases.tokens_lives import Life
from slotscope.gui.kinds.phases.tokens_reading import RecentRates, TokenRow
from slotscope.gui.panels.tiles import TileText
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.scales import format_number
from slotscope.model.kinds.phases.explain import PhaseNarrator
from slotscope.model.kinds.phases.state import PAUSED, TOKENS
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.reporting.frame import Frame


def tiles(frame: Frame, lives: tuple[Life, ...], rates: RecentRates) -> tuple[TileText, ...]:
    """The few numbers above the curves; *lives* are the tokens that wait, the oldest first."""
    state, servers = frame.state, frame.info.facts.normal_servers
    oldest = significant(lives[0].age(frame.time), 2) if lives else "–"
    return (
        TileText(
            "tokens now",
            format_number(int(state.number[TOKENS])),
            "run",
            "Places that servers have asked jobs for, and that are not taken yet.",
        ),
        TileText(
            f"of {format_number(servers)} servers paused",
            format_number(int(state.number[PAUSED])),
            "normal",
            "A normal server with a token asks for nothing more until all are taken.",
            "paused",
        ),
        TileText("oldest waits", oldest, "normal", f"The age of the oldest token ({unit(frame)}).", "oldest"),
        *_met_tiles(frame, rates),
    )


def _met_tiles(frame: Frame, rates: RecentRates) -> Iterator[TileText]:
    """How many jobs met a token lately, and how many tokens a virtual job."""
    met = sum(of.matches for of in rates.of)
    arrived = met + sum(of.overflows for of in rates.of)
    made = met + sum(of.virtual for of in rates.of)
    span = significant(rates.span, 2)
    if arrived:
        yield TileText(
            "of jobs met a token",
            percent(met / arrived),
            "normal",
            f"Over the last {span} {unit(frame)}; the others went to backup servers.",
            "met one",
        )
    if made:
        limited = bool(frame.info.facts.token_limits)
        why = "Because there were more than the limit of their type allows" if limited else "As the policy decides"
        yield TileText(
            "of tokens to virtual jobs",
            percent(1 - met / made),
            "migration",
            f"{why}; over the last {span} {unit(frame)}.",
            "virtual",
        )


def unit(frame: Frame) -> str:
    """The unit of time; "units of time" where it has no name."""
    return frame.info.time_unit or "units of time"


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{format_number(100 * share)}{THIN}%"


def token_name(life: Life) -> str:
    """A token as it is called everywhere."""
    return f"token {grouped(life.token + 1)}"


def life_words(frame: Frame, life: Life) -> str:
    """The life of a token, one step a line."""
    info, state = frame.info, frame.state
    kind = info.numbers.model.phases[life.type]
    where = f" of pool {life.pool + 1}" if info.facts.pools > 1 else ""
    lines = [f"{token_name(life)} of type {kind} on server {grouped(life.server + 1)}{where}"]
    assert isinstance(info.narrator, PhaseNarrator)
    lines += info.narrator.token_life(life.token, state, frame.rows)
    if life.virtual:
        present = (state.job_token == life.token).any()
        lasted = significant(life.age(frame.time), 3)
        gone = "" if present else f"taken after {lasted} by a virtual job, which has left; "
        lines.append(f"{gone}{_beyond(frame, life)}")
    elif life.used is None:
        lines.append("its server asks for nothing more until all its tokens are taken")
    return "\n".join(lines)


def _beyond(frame: Frame, life: Life) -> str:
    """Why a virtual job took a token."""
    facts, name = frame.info.facts, frame.info.numbers.model.phases[life.type]
    if not facts.token_limits:
        return "the policy decided so"
    kind = "in all" if facts.limit_in_all else f"of type {name}"
    return f"there were more tokens than the limit ηₘₐₓ = {facts.token_limits[life.pool]} {kind}"


def row_words(frame: Frame, row: TokenRow, rates: RecentRates, place: int) -> str:
    """A type's tokens and rates, and how they hang together."""
    of, count = rates.of[place], sum(row.tokens)
    lines = [f"type {row.name}: {grouped(count)} {plural(count, 'token')} now"]
    if len(row.pools) > 1:
        of_most = [f" of at most {limit}" for limit in row.limits] or [""] * len(row.pools)
        lines[0] += ", " + ", ".join(
            f"{tokens}{most} in pool {pool + 1}"
            for pool, tokens, most in zip(row.pools, row.tokens, of_most, strict=True)
        )
    elif row.limits and not frame.info.facts.limit_in_all:
        lines[0] += f", at most {row.limits[0]}"
    arrival = float(frame.info.numbers.arrival_rates[row.type])
    lines += [
        f"in the last {significant(rates.span, 2)} {unit(frame)}, each per unit of time:",
        f"{_rate(of.requests)} tokens asked for = {_rate(of.matches)} taken by jobs + "
        f"{_rate(of.virtual)} by virtual jobs (+ those that wait)",
        f"{_rate(of.matches + of.overflows)} jobs arrived = {_rate(of.matches)} that met a token "
        f"+ {_rate(of.overflows)} that went to backup servers",
    ]
    if arrival:
        lines.append(f"in the long run {significant(arrival)} jobs arrive")
    return "\n".join(lines)


def _rate(value: float) -> str:
    return significant(value, 3)
