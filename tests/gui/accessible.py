"""The tree of accessible objects that screen readers walk, and which of them must have a name."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QTabBar, QWidget

_ROLE = QAccessible.Role

#: Roles of objects that can be operated.
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
#: Roles whose children are not searched: the row or cell describes them.
_WHOLES = {_ROLE.ComboBox, _ROLE.Table, _ROLE.Tree, _ROLE.List, _ROLE.SpinBox}


def tree(root: QWidget) -> Iterator[tuple[str, QAccessibleInterface]]:
    """Every accessible object below a widget with its path, including hidden ones."""
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
    """Whether the object can be operated: it can have the keyboard focus, or its role says so."""
    if found.role() == _ROLE.StaticText:
        return False  # its name is its text; without text there is nothing to operate
    if isinstance(bar := found.object(), QTabBar) and not bar.count():
        return False  # Qt keeps tab bars whose docks have gone, and takes the name from the current tab
    return found.role() in _CONTROLS or bool(found.state().focusable)


def nameless(root: QWidget) -> list[str]:
    """The paths of objects that can be operated and have no name."""
    return [
        path for path, found in tree(root) if is_interactive(found) and not found.text(QAccessible.Text.Name).strip()
    ]


@contextmanager
def listening() -> Iterator[None]:
    """Tell Qt within the body that a screen reader is active."""
    QAccessible.setActive(True)
    try:
        yield
    finally:
        QAccessible.setActive(False)
