"""The tree of objects that readers of the screen walk, and what in it must have a name."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QTabBar, QWidget

_ROLE = QAccessible.Role

#: Objects of these roles do something when they are used.
_CONTROLS = {
    _ROLE.Button,
    _ROLE.ButtonMenu,
    _ROLE.CheckBox,
    _ROLE.ComboBox,
    _ROLE.EditableText,
    _ROLE.Link,
    _ROLE.MenuItem,
    _ROLE.PageTab,
    _ROLE.PageTabList,
    _ROLE.RadioButton,
    _ROLE.Slider,
    _ROLE.SpinBox,
    _ROLE.Table,
    _ROLE.Tree,
    _ROLE.Window,
}
#: Of what stands below these their own row or cell says what it is.
_WHOLES = {_ROLE.ComboBox, _ROLE.Table, _ROLE.Tree, _ROLE.List, _ROLE.SpinBox}


def tree(root: QWidget) -> Iterator[tuple[str, QAccessibleInterface]]:
    """Every object below a widget with the place where it stands, hidden ones included."""
    yield from _below(QAccessible.queryAccessibleInterface(root), "")


def _below(found: QAccessibleInterface | None, path: str) -> Iterator[tuple[str, QAccessibleInterface]]:
    if found is None or not found.isValid():
        return
    thing = found.object()
    path = f"{path}/{found.role().name if thing is None else type(thing).__name__}"
    yield path, found
    if found.role() not in _WHOLES:
        for number in range(found.childCount()):
            yield from _below(found.child(number), path)


def is_interactive(found: QAccessibleInterface) -> bool:
    """Whether something can be done with it: it takes the focus of the keys, or its role says so."""
    if found.role() == _ROLE.StaticText:
        return False  # its name is its text; there is nothing to use where it has none
    if isinstance(bar := found.object(), QTabBar) and not bar.count():
        return False  # Qt keeps those whose docks have gone, and takes its name from the tab in front
    return found.role() in _CONTROLS or bool(found.state().focusable)


def nameless(root: QWidget) -> list[str]:
    """Where objects stand that can be used and have no name."""
    return [
        path for path, found in tree(root) if is_interactive(found) and not found.text(QAccessible.Text.Name).strip()
    ]


@contextmanager
def listening() -> Iterator[None]:
    """A reader of the screen is there."""
    QAccessible.setActive(True)
    try:
        yield
    finally:
        QAccessible.setActive(False)
