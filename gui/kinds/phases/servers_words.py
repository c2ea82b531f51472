"""Texts on servers, their jobs and their tokens: captions, labels and tooltips."""

from __future__ import annotations

from textwrap import wrap

from slotscope.gui.kinds.phases.servers_sections import PhaseSection, ServerPlace, info_has_tokens, records_on
from slotscope.gui.kinds.phases.wording import amount_text, configuration_text, units_text
from slotscope.gui.panels.wording import significant
from slotscope.model.kinds.phases.facts import PhaseFacts
from slotscope.model.kinds.phases.state import BACKUP, NOW
from slotscope.model.kinds.phases.words import why_waiting
from slotscope.model.reporting.explain import grouped, plural, quantity, singular
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.letters import own_letters

#: Most jobs or tokens that are listed one by one.
MOST_LISTED = 8
#: Line width of tooltips in characters.
WIDEST = 70


def phase_names(info: RunInfo) -> tuple[str, ...]:
    names: tuple[str, ...] = info.numbers.model.phases
    return names


def counted(info: RunInfo, counts: list[int]) -> str:
    """Jobs or tokens of each type: 2L + H."""
    return configuration_text(phase_names(info), counts)


def per_unit(info: RunInfo, rate: float) -> str:
    """A rate: 0.83 per minute."""
    return f"{amount_text(rate)} per {singular(info.time_unit) or 'unit of time'}"


def place_name(frame: Frame, place: ServerPlace) -> str:
    """The name of a server."""
    pools = frame.info.facts.pools
    if place.is_backup:
        of = f" of pool {place.pool + 1}" if pools > 1 else ""
        return f"backup server {grouped(place.number + 1)}{of}"
    name = f"server {grouped(place.server + 1)}"
    if pools > 1 and info_has_tokens(frame):
        name += f" (pool {int(frame.info.facts.pool_of[place.server]) + 1})"
    return name


# Captions.


def caption_words(frame: Frame, section: PhaseSection) -> tuple[str, ...]:
    """The caption of a section, the longest wording first."""
    state, facts = frame.state, frame.info.facts
    if section.backup:
        name, count = "Backup servers", _jobs_on_backup(frame)
        return f"{name}: {count}, each on a server of its own", f"{name}: {count}", brief_caption(frame, section), name
    chosen = slice(int(section.server[0]), int(section.server[-1]) + 1)
    busy = int((state.jobs_on[chosen] > 0).sum())
    over = int((state.use[chosen] > frame.info.numbers.capacity).any(axis=1).sum())
    overruns = f", {grouped(over)} above capacity" if over else ""
    if not facts.normal_servers:
        words = [f"Servers: {grouped(busy)} in use{overruns}"]
        return tuple(words + [f"{grouped(busy)} in use, {grouped(over)} above"] * (over > 0))
    brief = brief_caption(frame, section)
    servers = f"{brief} {plural(len(section), 'server')}" if section.pool >= 0 else brief
    paused = int((state.tokens_on[chosen] > 0).sum())
    tokens = _tokens_words(frame, max(section.pool, 0))
    short = f"{servers}, {grouped(paused)} paused"
    return (
        f"{servers}, {grouped(busy)} in use, {grouped(paused)} paused{overruns}; {tokens}",
        f"{short}{overruns}; {tokens}",
        f"{short}; {tokens}",
        short,
        brief,
        _name_of(section),
    )


def brief_caption(frame: Frame, section: PhaseSection) -> str:
    """The short caption of a section; empty if it has no name."""
    if section.backup:
        return f"Backup: {_jobs_on_backup(frame)}"
    if not frame.info.facts.normal_servers:
        return caption_words(frame, section)[-1]
    return f"{_name_of(section)}: {grouped(len(section))}"


def _name_of(section: PhaseSection) -> str:
    return f"Pool {section.pool + 1}" if section.pool >= 0 else "Normal servers"


def _jobs_on_backup(frame: Frame) -> str:
    jobs = int(frame.state.number[BACKUP])
    return f"{grouped(jobs)} {plural(jobs, 'job')}"


def _tokens_words(frame: Frame, pool: int) -> str:
    counts = frame.state.token_count[pool].tolist()
    total = sum(counts)
    words = f"{grouped(total)} {plural(total, 'token')}"
    if total > 0 and len(counts) > 1:
        words += f" ({counted(frame.info, counts)})"
    if frame.info.facts.rules is None:  # a user's policy has no plan
        return words
    limit = int(frame.info.facts.rules.limit[pool])
    in_all = getattr(frame.info.parameters, "limit", "type") == "all"
    return f"{words}, at most {grouped(limit)} {'in all' if in_all else 'of a type'}"


# Labels below bins.


def label_words(frame: Frame, place: ServerPlace, kind: str) -> tuple[str, ...]:
    """A line below a bin, the longest wording first."""
    number = grouped(place.number + 1)
    if kind == "number":
        short = f"{'backup' if place.is_backup else 'server'} {number}"
        return place_name(frame, place), short, number
    names = phase_names(frame.info)
    if kind == "configuration":
        counts = (frame.state.real[place.server] + frame.state.virtual[place.server]).tolist()
        full = configuration_text(names, counts)
        short = configuration_text(own_letters(names), counts)
        return full, short, short.replace(" ", "")
    return _doing(frame, place)


def _doing(frame: Frame, place: ServerPlace) -> tuple[str, ...]:
    state, facts = frame.state, frame.info.facts
    tokens = int(state.tokens_on[place.server])
    if tokens:
        return f"paused: {tokens} {plural(tokens, 'token')}", "paused"
    if facts.rules is None:
        return ("timer",) if state.timer_number[place.server] >= 0 else ("waits",)
    if state.timer_number[place.server] >= 0:
        rate = significant(timer_rate(frame, place.server), 2)
        return f"timer, rate {rate}", f"rate {rate}", rate
    case = int(facts.rules.case[facts.pool_of[place.server], state.observed[place.server]])
    return f"waits, case {case}", f"case {case}"


def timer_rate(frame: Frame, server: int) -> float:
    """The rate of a server's timer in its observed configuration."""
    facts: PhaseFacts = frame.info.facts
    return float(facts.rules.rate[facts.pool_of[server], frame.state.observed[server]])


# Tooltips.


def server_words(frame: Frame, place: ServerPlace) -> str:
    """A server's properties, one per line."""
    state, info = frame.state, frame.info
    records = records_on(state, place)
    if place.is_backup:
        lines = [place_name(frame, place)]
        if not records:
            return "\n".join([*lines, "idle"])
        return "\n".join([*lines, *job_lines(frame, records[0]), _use_line(frame, place, records)])
    real, virtual = state.real[place.server].tolist(), state.virtual[place.server].tolist()
    lines = [f"{place_name(frame, place)}: {counted(info, real)}"]
    if info_has_tokens(frame):
        both = [one + other for one, other in zip(real, virtual, strict=True)]
        rules, pool, at = info.facts.rules, int(info.facts.pool_of[place.server]), int(state.observed[place.server])
        case = f", case {rules.case[pool, at]}" if rules is not None else ""
        lines = [f"{place_name(frame, place)}: observed configuration {counted(info, both)}{case}"]
        if any(virtual):
            lines.append(f"real jobs {counted(info, real)}, virtual jobs {counted(info, virtual)}")
        lines += case_lines(frame, place.server)
    lines.append(_use_line(frame, place, records))
    lines += token_lines(frame, place.server)
    records += records_on(state, place, virtual=True)
    lines += [job_lines(frame, record)[0] for record in records[:MOST_LISTED]]
    if len(records) > MOST_LISTED:
        lines.append(f"and {grouped(len(records) - MOST_LISTED)} more jobs")
    return "\n".join(lines if records else [*lines, "no job"])


def case_lines(frame: Frame, server: int) -> list[str]:
    """Why the server requests nothing now, and what it waits for."""
    info = frame.info
    lines = wrap(why_waiting(frame.state, info.numbers, info.facts, server), WIDEST)
    if frame.state.timer_number[server] >= 0:
        if info.facts.rules is None:
            return [*lines, "a timer runs"]
        lines.append(f"a timer runs at {per_unit(info, timer_rate(frame, server))}")
    return lines


def _use_line(frame: Frame, place: ServerPlace, records: list[int]) -> str:
    state, info = frame.state, frame.info
    numbers = info.numbers
    if place.is_backup:
        use = numbers.demand[state.job_phase[records]].sum(axis=0)
        words = f"use {units_text(info, use.tolist())}"
        return f"{words} of {units_text(info, numbers.capacity.tolist())}"
    use = state.use[place.server]
    words = f"use {units_text(info, use.tolist())} of {units_text(info, numbers.capacity.tolist())}"
    if (use > numbers.capacity).any():
        words += ", above capacity"
    if numbers.model.hard:
        return words
    return f"{words}; h = {amount_text(int(state.cost[place.server]) * numbers.cost_unit)}"


def token_lines(frame: Frame, server: int) -> list[str]:
    """The outstanding tokens of a server with their ages, the oldest first."""
    state, names = frame.state, phase_names(frame.info)
    if not state.tokens_on[server]:
        return []
    pool, found = int(frame.info.facts.pool_of[server]), []
    for job_type, count in enumerate(state.token_count[pool].tolist()):
        for position in range(count):
            if state.token_server[pool, job_type, position] == server:
                number = int(state.token_number[pool, job_type, position])
                age = float(state.clock[NOW] - state.token_time[pool, job_type, position])
                found.append((number, f"token {grouped(number + 1)}: type {names[job_type]}, {_age(frame, age)} old"))
    lines = [words for _, words in sorted(found)[:MOST_LISTED]]
    total = int(state.tokens_on[server])
    return [f"paused: {total} {plural(total, 'token')} out", *lines]


def _age(frame: Frame, age: float) -> str:
    return quantity(amount_text(age), frame.info.time_unit)


def job_lines(frame: Frame, record: int) -> list[str]:
    """A job's properties, one per line."""
    state, info = frame.state, frame.info
    names = phase_names(info)
    phase, job_type = int(state.job_phase[record]), int(state.job_type[record])
    virtual = bool(state.job_virtual[record])
    number = int(state.job_number[record])
    name = f"virtual job v{number + 1}" if virtual else f"job {grouped(number)}"
    since = float(state.clock[NOW] - state.job_arrival[record])
    came = "" if job_type == phase else f" (came in {names[job_type]})"
    first = f"{name}: phase {names[phase]}{came}, here for {_age(frame, since)}"
    need = units_text(info, info.numbers.demand[phase].tolist())
    lines = [first, f"would need {need}, but uses nothing" if virtual else f"needs {need}"]
    if state.job_token[record] >= 0:
        waited = float(state.job_arrival[record] - state.job_token_time[record])
        token = grouped(int(state.job_token[record]) + 1)
        lines.append(f"took token {token}, which had waited for {_age(frame, waited)}")
    return lines
