"""Constraints and prices of the optimum as a small table in rich text."""

from __future__ import annotations

from html import escape
from typing import Sequence

from slotscope.gui.kinds.reservation.lp_solution import Solution
from slotscope.gui.panels.pages import table_line, table_of
from slotscope.gui.panels.wording import significant
from slotscope.gui.theme import Theme, type_letter

_HEADINGS = ("", "<i>ρ<sub>j</sub></i>", "", "<i>y<sub>j</sub></i><sup>*</sup>", "", "slots", "price")
_SCALED = "<i>αρ<sub>j</sub></i>"
_NOTE = "Per server; a bold = binds. Price: what one more job of a type in reach, or one more server, adds."


def price_table(solution: Solution, names: Sequence[str], theme: Theme) -> str:
    """Workload, jobs, slots and price of each type, and the price of a server."""
    headings = list(_HEADINGS)
    if solution.alpha != 1:
        headings[1] = _SCALED
    lines = [table_line(f'<span style="color:{theme.muted}">{text}</span>' for text in headings)]
    for j, name in enumerate(names):
        color = theme.ink(theme.type_style(j).color)
        mark = f'<span style="color:{color}"><b>{type_letter(j)}</b></span>'
        lines.append(
            table_line(
                (
                    f"{mark}&ensp;{escape(name)}",
                    significant(solution.workload[j]),
                    _relation(solution.workload_binds[j], "≥", theme),
                    significant(solution.jobs[j]),
                    _relation(solution.slots_bind[j], "≤", theme),
                    significant(solution.slots[j]),
                    significant(solution.prices[j]),
                )
            )
        )
    lines.append(
        table_line(("server", "1", _relation(True, "", theme), "1", "", "", significant(solution.server_price)))
    )
    table = table_of(lines)
    return f'{table}<p style="color:{theme.muted}; margin:4px 2px">{_NOTE}</p>'


def _relation(binds: bool, otherwise: str, theme: Theme) -> str:
    return "<b>=</b>" if binds else f'<span style="color:{theme.muted}">{otherwise}</span>'
