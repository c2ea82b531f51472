"""What is written above and beside each column."""

from __future__ import annotations

from dataclasses import dataclass

from slotscope.gui.kinds.reservation.servers_columns import ConfigurationColumn, StackFigure
from slotscope.gui.kinds.reservation.servers_words import X_HAT, configuration_words, letter_words, reward_of
from slotscope.gui.painting.stack_text import symbol
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame

HAT = symbol(X_HAT)


@dataclass(frozen=True)
class Caption:
    """The lines above one column, the most important first."""

    name: str  #: k[i]
    position: str  #: i
    configuration: str
    letters: str  #: the configuration in as little room as can be
    reward: str
    short_reward: str
    counts: str
    short_counts: str
    settled: bool = True
    filled: tuple[str, ...] = ()  #: [J] filled slots of all slots of each type


@dataclass(frozen=True)
class Captions:
    """All that is written at the columns of one moment."""

    columns: tuple[Caption, ...]
    reach: int  #: I*, up to which the first bracket reaches
    i_star: tuple[str, ...]  #: in full and in short, as the others
    above: tuple[str, ...]  #: over the columns that come after I*
    others: tuple[str, ...]  #: over the columns that GPA does not want


def captions_of(frame: Frame, figure: StackFigure) -> Captions:
    """The captions of a moment."""
    last = frame.info.numbers.ranks + 1
    i_star = f"{symbol('I')}* = {figure.i_star}"
    at_i_star = figure.columns[figure.i_star - 1] if figure.i_star <= figure.greedy else None
    reason = ": all are matched"
    if frame.records and frame.records[-1].kind != "classify":
        reason = " of the last CRA"
    elif at_i_star is not None and at_i_star.missing:
        reason = ": the first that stays short"
    return Captions(
        tuple(_caption(frame, column) for column in figure.columns),
        reach=figure.i_star,
        i_star=(f"{i_star}{reason}", i_star),
        above=(f"rank above {symbol('I')}*", f"> {symbol('I')}*", ""),
        others=(f"not wanted: rank {last}", f"rank {last}", ""),
    )


def _caption(frame: Frame, column: ConfigurationColumn | None) -> Caption:
    if column is None:
        return Caption("", "", "none now", "none", "", "", "", "")
    held = grouped(column.held)
    if not column.position:
        words = "no slots" if column.is_empty else configuration_words(column.configuration)
        rewards = ("", "") if column.is_empty else _rewards(frame, column)
        counts = f"{symbol('X')} = {held}"
        letters = "none" if column.is_empty else letter_words(column.configuration, "")
        return Caption("", "", words, letters, *rewards, counts, held, filled=_filled(frame, column))
    wanted = "…" if column.wanted is None else grouped(column.wanted)
    reward, short_reward = _rewards(frame, column)
    return Caption(
        name=f"{symbol('k')}[{column.position}]",
        position=str(column.position),
        configuration=configuration_words(column.configuration),
        letters=letter_words(column.configuration, ""),
        reward=reward,
        short_reward=short_reward,
        counts=f"{symbol('X')} = {held}   {HAT} = {wanted}",
        short_counts=f"{held} / {wanted}",
        settled=column.settled,
        filled=_filled(frame, column),
    )


def caption_lines(caption: Caption, rows: int, split: bool) -> list[tuple[tuple[str, ...], bool]]:
    """The lines above a column: words, in full and in short, and whether they stand out.

    In two lines the reward stands behind the numbers of servers as far as it fits; a single line
    has the name and the numbers.  What a column has no room for is not written: half a number is another one.
    """
    titles: tuple[str, ...] = (caption.configuration, caption.letters)
    counts, short = caption.counts, caption.short_counts
    if rows == 1:
        names = (f"{caption.name} = {titles[0]}", caption.name) if caption.name else titles
        tight = short.replace(" ", "")
        briefer: tuple[str, ...] = (short or titles[-1], tight)
        if caption.name:  # numbers alone would pass for those of another column
            briefer = (f"{caption.name} {tight}", f"{caption.position}: {tight}", f"{caption.position}:")
        return [((*(f"{name}   {short}" for name in names), *briefer, ""), True)]
    lines: list[tuple[tuple[str, ...], bool]] = []
    if caption.name and split:
        lines.append(((caption.name, caption.position), True))
    elif caption.name:
        titles = tuple(f"{caption.name} = {title}" for title in titles)
    lines.append(((*titles, ""), True))
    numbers = counts, short, short.replace(" ", ""), ""
    if rows == 2:
        together = tuple(f"{words}   {caption.reward}" for words in (counts, short))
        return [*lines, ((*together, *numbers), True)]
    return [*lines, ((caption.reward, caption.short_reward, ""), False), (numbers, True)]


def _filled(frame: Frame, column: ConfigurationColumn) -> tuple[str, ...]:
    jobs = frame.state.placement[column.servers].sum(axis=0).tolist()
    return tuple(
        f"{grouped(n)}/{grouped(slots * column.held)}" for n, slots in zip(jobs, column.configuration, strict=True)
    )


def _rewards(frame: Frame, column: ConfigurationColumn) -> tuple[str, str]:
    reward = reward_of(frame, column.configuration)
    return f"{symbol('U')} = {reward}", reward


def labels_above(figure: StackFigure, number: int) -> list[tuple[tuple[str, ...], str]]:
    """What stands over a stack, from below: words, in full and in short, and their colour."""
    column = figure.columns[number]
    if column is None:
        return []
    result: list[tuple[tuple[str, ...], str]] = []
    if column.held and figure.reject_group[column.servers[-1]]:
        result.append((("Reject Group", "RG"), "reject_group"))
    if column.missing:
        missing = grouped(column.missing)
        result.append(((f"{missing} missing", missing), "greedy"))
    elif column.position and column.surplus:
        surplus = grouped(column.surplus)
        result.append(((f"{surplus} surplus", surplus), "muted"))
    return result
