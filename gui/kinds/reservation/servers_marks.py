"""The marks of Figure 1 on the stacks: X-hat, missing servers, groups, I* and captions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers_columns import ConfigurationColumn
from slotscope.gui.kinds.reservation.servers_legend import dashed
from slotscope.gui.kinds.reservation.servers_scene import LABEL_GAP, MARGIN, StackScene
from slotscope.gui.kinds.reservation.servers_steps import StepMark
from slotscope.gui.kinds.reservation.servers_words import HAT, Caption, Captions, caption_lines, labels_above, slot_of
from slotscope.gui.painting.kept import Kept
from slotscope.gui.pictures.marks import paint_brackets, paint_reason
from slotscope.model.reporting.explain import grouped

#: From this many pixels per server, each missing server has its own dashed box.
SINGLE_BOX = 6.0

#: Pixels between a server and its number, to leave room for the brackets of the selection.
BESIDE = 8.0
#: Minimum vertical distance of two texts, in line heights; less than 1, since letters are lower than a line.
APART = 0.75

#: How far brackets may extend beyond the stage, in pixels.
_AROUND = 7.0


def paint_stage(painter: QPainter, scene: StackScene, labels: bool, selected: int | None) -> None:
    """Paint the marks on the stacks; *labels* adds texts (not during play), also the *selected* one's number."""
    stage = scene.regions.stage
    painter.save()
    painter.setClipRect(stage.adjusted(-2, 0, 2, 2))
    base = round(scene.y(0)) + 0.5
    painter.setPen(QPen(QColor(scene.theme.border), 1))
    painter.drawLine(QPointF(stage.left(), base), QPointF(stage.right(), base))
    for number, column in enumerate(scene.figure.columns):
        if column is not None:
            _missing(painter, scene, number, column)
            _reject_group(painter, scene, number, column)
            numbers = server_numbers(scene, number, column, selected) if labels else []
            _wanted(painter, scene, number, column, [y for y, _ in numbers])
            for y, words in numbers:
                scene.text.draw(painter, scene.span(number)[1] + BESIDE, y, words, scene.theme.muted)
            if labels:
                _labels(painter, scene, number, column)
    painter.restore()


def _missing(painter: QPainter, scene: StackScene, number: int, column: ConfigurationColumn) -> None:
    if not column.missing:
        return
    left, right, _ = scene.span(number)
    painter.setPen(dashed(scene.theme))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    top, bottom = scene.y(column.wanted or 0), scene.y(column.held)
    stage = scene.regions.stage
    if scene.layout.scale.unit / scene.ratio < SINGLE_BOX:
        height = max(bottom - top, 3.0)
        painter.drawRect(QRectF(left + 0.5, bottom - height + 0.5, right - left - 1, height - 1))
        return
    for place in range(column.held, column.wanted or 0):
        low, high = scene.y(place), scene.y(place + 1)
        if high < stage.bottom() and low > stage.top():
            painter.drawRect(QRectF(left + 0.5, high + 1.5, right - left - 1, low - high - 2))


def _reject_group(painter: QPainter, scene: StackScene, number: int, column: ConfigurationColumn) -> None:
    servers = column.servers
    if not len(servers) or not scene.figure.reject_group[servers[-1]]:
        return
    # Only the server with index 1, at the top of the stack, can be in the Reject Group.
    left, right, _ = scene.span(number)
    drawn = scene.layout.counts[number]
    top, bottom = scene.y(drawn), scene.y(drawn - 1)
    unit = bottom - top
    color = QColor(scene.theme.reject_group)
    if unit < 8:
        # Too low for a frame: paint edges that are visible at any size.
        height = max(unit, 3.0)
        painter.fillRect(QRectF(left, bottom - height, right - left, 1.0), color)
        for x in (left, right - 4):
            painter.fillRect(QRectF(x, bottom - height, 4, height), color)
        return
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(color, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap, Qt.PenJoinStyle.MiterJoin))
    painter.drawRect(QRectF(left + 1, top + 1, right - left - 2, unit - 2))


def _wanted(
    painter: QPainter, scene: StackScene, number: int, column: ConfigurationColumn, numbers: Sequence[float]
) -> None:
    """Paint the line of X-hat; its name is omitted where it would cover a server's number."""
    if not column.position or column.wanted is None:
        return
    left, right, end = scene.span(number)
    color = scene.theme.greedy if column.settled else scene.theme.border
    y = round(scene.y(column.wanted))
    painter.setPen(QPen(QColor(color), 2))
    painter.drawLine(QPointF(left - 3, y), QPointF(right + 5, y))
    text, stage = scene.text, scene.regions.stage
    top = min(stage.bottom() - text.height, y - text.height / 2)
    clear = all(abs(top - other) >= APART * text.height for other in numbers)
    if clear and text.width(HAT) + 7 <= end - right and stage.top() <= y <= stage.bottom():
        ink = scene.theme.ink(scene.theme.greedy) if column.settled else scene.theme.muted
        text.draw(painter, right + 7, top, HAT, ink)


def _labels(painter: QPainter, scene: StackScene, number: int, column: ConfigurationColumn) -> None:
    left, _, end = scene.span(number)
    text, theme = scene.text, scene.theme
    labels = labels_above(scene.figure, number)
    beside = len(labels) > scene.rows.labels
    room = (min(end, scene.regions.stage.right()) - left - 6) / (len(labels) if beside else 1)
    x, y = left, scene.y(column.tallest - scene.cut[number]) - LABEL_GAP - text.height
    for words, role in labels:
        if y < scene.regions.stage.top():
            break
        color = theme.muted if role == "muted" else theme.ink(theme.color(role))
        text.draw_first(painter, QRectF(x, y, room - 4 * beside, text.height), (*words, ""), color)  # no partial words
        x, y = (x + room, y) if beside else (x, y - text.height)


def paint_foot(painter: QPainter, scene: StackScene, captions: Captions, kept: Kept) -> None:
    """Paint below each stack the letters of its types, and how many of their slots are filled."""
    foot, text = scene.regions.foot, scene.text
    painter.save()
    painter.setClipRect(foot)
    for number, column in enumerate(scene.figure.columns):
        left, right, end = scene.span(number)
        if column is None:
            continue
        if scene.cut[number]:
            spare = end - right
            area = QRectF(left - spare / 2, foot.y(), right - left + spare, foot.height())
            words = f"+ {grouped(scene.cut[number])}"
            text.draw_first(painter, area, (words, "+"), scene.theme.muted, 0.5)
        elif column.held:
            filled = captions.columns[number].filled
            look = filled, tuple(scene.pictures[number].boxes), left % 1, foot.getRect(), scene.rows.legend
            box = QRectF(left, foot.y(), right - left, foot.height()).toAlignedRect().adjusted(-2, 0, 2, 0)
            letters = partial(_letters, scene=scene, left=left, number=number, filled=filled)
            kept.paint(painter, box, QColor(scene.theme.panel), look, letters)
    painter.restore()


def _letters(painter: QPainter, scene: StackScene, left: float, number: int, filled: tuple[str, ...]) -> None:
    ends: dict[int, list[int]] = {}
    for box in scene.pictures[number].boxes:
        start, end = ends.get(box.job_type, [box.left, box.right])
        ends[box.job_type] = [min(start, box.left), max(end, box.right)]
    foot = scene.regions.foot
    for job_type, (start, end) in ends.items():
        style = scene.theme.type_style(job_type)
        area = QRectF(left + start / scene.ratio, foot.y(), (end - start) / scene.ratio, foot.height())
        words = f"{style.letter} {filled[job_type]}" if job_type < len(filled) else style.letter
        texts = [words]
        if not scene.rows.legend:  # no legend explains the letter
            name = scene.frame.info.numbers.type_names[job_type]
            texts.insert(0, words if name == style.letter else f"{words} {name}")
        room = area.width() - scene.text.height / 2  # texts side by side would read as one
        apart = [text for text in texts if scene.text.width(text) <= room]
        scene.text.draw_first(painter, area, (*apart, style.letter, ""), scene.theme.ink(style.color), 0.5)


def paint_header(painter: QPainter, scene: StackScene, captions: Captions, split: bool, kept: Kept) -> None:
    """Paint the captions of the columns, and the brackets above them that show I*."""
    painter.save()
    header = scene.regions.header
    painter.setClipRect(header.adjusted(0, -2 * scene.text.height, MARGIN, 0))
    for number, caption in enumerate(_alike(scene, captions, split)[: len(scene.figure.columns)]):
        left, _, end = scene.span(number)
        if end > header.left() and left < header.right():
            # A caption stays visible as long as a part of its column is.
            start = max(left, header.left())
            stop = header.right() + MARGIN if number == len(scene.figure.columns) - 1 else end - 8
            area = QRectF(start, header.top(), max(0.0, stop - start), scene.text.height)
            # A slanted letter begins slightly left of its position.
            look = caption, split, scene.rows.captions, area.getRect(), header.right()
            box = QRectF(start, header.top(), area.width(), header.height()).toAlignedRect().adjusted(-2, 0, 2, 0)
            words = partial(_caption, scene=scene, area=area, caption=caption, split=split)
            kept.paint(painter, box, QColor(scene.theme.panel), look, words)
    _bracket(painter, scene, captions)
    painter.restore()


def _caption(painter: QPainter, scene: StackScene, area: QRectF, caption: Caption, split: bool) -> None:
    text, theme = scene.text, scene.theme
    strong = theme.normal if caption.settled else theme.muted
    if not caption.counts:
        strong = theme.muted
    *titles, numbers = caption_lines(caption, scene.rows.captions, split)
    for words, stands_out in titles:
        text.draw_first(painter, area, words, strong if stands_out else theme.muted)
        area.translate(0, text.height)
    if titles and area.right() < scene.regions.header.right():  # numbers side by side would read as one
        area = area.adjusted(0, 0, -text.height / 2, 0)
    text.draw_first(painter, area, numbers[0], strong if numbers[1] else theme.muted)


def needs_split(scene: StackScene, captions: Captions) -> bool:
    """Whether k[i] and its configuration need two lines to be readable."""
    return _any_cut(scene, captions, lambda caption: f"{caption.name} = {caption.configuration}")


def _alike(scene: StackScene, captions: Captions, split: bool) -> tuple[Caption, ...]:
    """The captions; if one configuration does not fit in full, all are written by their letters."""
    if not split or not _any_cut(scene, captions, lambda caption: caption.configuration):
        return captions.columns
    return tuple(replace(caption, configuration=caption.letters) for caption in captions.columns)


def _any_cut(scene: StackScene, captions: Captions, words: Callable[[Caption], str]) -> bool:
    return any(
        scene.text.width(words(caption)) > scene.span(number)[2] - scene.span(number)[0] - 8
        for number, caption in enumerate(captions.columns)
        if caption.name
    )


def _bracket(painter: QPainter, scene: StackScene, captions: Captions) -> None:
    """Paint a line over the columns up to I*, one over GPA's other columns, and one over the remaining columns."""
    figure, area = scene.figure, scene.regions.bracket
    if not figure.greedy:
        return
    last = min(captions.reach, figure.greedy)
    others = figure.greedy + len(figure.places)
    ranges = [(0, last, captions.i_star, scene.theme.normal, 1.0)]
    if last < figure.greedy:
        ranges.append((last, figure.greedy, captions.above, scene.theme.muted, 0.0))
    ranges.append((figure.greedy, others, captions.others, scene.theme.muted, 0.0))
    for first, end, words, color, align in ranges:
        left, right = scene.span(first)[0], scene.span(end - 1)[1]
        y = round(area.bottom()) - 1.5
        painter.setPen(QPen(QColor(color), 1))
        painter.drawLine(QPointF(left, y), QPointF(right, y))
        for x in (left + 0.5, right - 0.5):
            painter.drawLine(QPointF(x, y), QPointF(x, y + 3))
        words_area = QRectF(left, area.top(), right - left, scene.text.height)
        scene.text.draw_first(painter, words_area, words, color, align)


def paint_named(painter: QPainter, scene: StackScene, named: tuple[StepMark, ...]) -> None:
    """Outline the servers and columns that the current step names."""
    for mark in named:
        color = scene.theme.color(mark.role)
        if mark.server is not None:
            box = scene.rect(scene.server_box(mark.server))
            outline(painter, scene, box, color)
            paint_reason(painter, box, mark.reason, scene.text, scene.theme, color)
        elif mark.position is not None and 0 < mark.position <= scene.figure.greedy:
            left, _, end = scene.span(mark.position - 1)
            header = scene.regions.header
            painter.fillRect(QRectF(left, header.bottom() + 1, end - left - 8, 2), QColor(color))


def server_numbers(
    scene: StackScene, number: int, column: ConfigurationColumn, selected: int | None
) -> list[tuple[float, str]]:
    """The y coordinate and the text of each server's number, to the right of the stack.

    A number is at its server's foot, or at its top if the line of X-hat crosses the foot.  If servers are lower than a
    line
    of text, as nearly always with many servers, only the *selected* one has a number.
    """
    _, right, end = scene.span(number)
    text, stage = scene.text, scene.regions.stage
    shown = column.servers[scene.cut[number] :]
    low = scene.layout.scale.unit / scene.ratio < text.height
    if low:  # comparing thousands of servers with None would take a millisecond
        shown = shown[:0] if selected is None else shown[shown == selected]
    boxes = {server: scene.rect(scene.server_box(server)) for server in shown}
    words = {server: grouped(server + 1) for server in boxes}
    if right + BESIDE + max(map(text.width, words.values()), default=0.0) > end:
        return []
    hat = scene.y(column.wanted) if column.position and column.wanted is not None else stage.top() - 2 * text.height
    result = []
    for server, box in boxes.items():
        top = box.center().y() - text.height / 2 if low else box.bottom() - text.height
        if not low and abs(top + text.height / 2 - hat) < APART * text.height:
            top = box.top()
        if stage.top() <= box.top() and box.bottom() <= stage.bottom() + 1:
            result.append((top, words[server]))
    return result


def paint_selection(painter: QPainter, scene: StackScene, selection: Select) -> None:
    """Outline the selected server and job."""
    state = scene.frame.state
    if selection.server is not None and selection.server < len(state.placement):
        painter.save()
        painter.setClipRect(scene.regions.stage.adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND))
        paint_brackets(painter, scene.rect(scene.server_box(selection.server)), scene.theme)
        painter.restore()
    where = slot_of(state, selection.job) if selection.job is not None else None
    if where is not None:
        outline(painter, scene, scene.rect(scene.slot_box(*where)), scene.theme.run)


def outline(painter: QPainter, scene: StackScene, rect: QRectF, color: str) -> None:
    """Paint an outline around *rect*, as far as it is visible on the stage."""
    painter.save()
    painter.setClipRect(scene.regions.stage.adjusted(-6, 0, 6, 6))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    join = Qt.PenJoinStyle.MiterJoin
    painter.setPen(QPen(QColor(scene.theme.panel), 5, j=join))
    frame = rect.adjusted(-3, -3, 3, 3)
    painter.drawRect(frame)
    painter.setPen(QPen(QColor(color), 2, j=join))
    painter.drawRect(frame)
    painter.restore()
