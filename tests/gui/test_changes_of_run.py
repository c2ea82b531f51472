"""No panel gets a frame of another kind of system or of another run."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panel import Panel
from slotscope.model.api import Session
from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.running.origin import Moment
from tests.gui.windows import press, rest
from tests.limits import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]


def choose(qtbot: QtBot, window: MainWindow, scenario: str) -> None:
    """Choose a scenario in its combo box, and wait until all its panels show it."""
    box = window.transport.scenario
    box.setCurrentIndex(box.findData(scenario))
    box.activated.emit(box.currentIndex())
    rest(qtbot, window, lambda: window.frame.info.scenario_name == scenario and window.area.complete)


@pytest.mark.parametrize(
    ("first", "event", "second"),
    [
        ("dra-vms", 4075, "dra-classroom"),
        ("queues-classroom", 255, "moldable-classroom"),
        ("jrs-two-phases", 300, "dra-classroom"),
        ("moldable-classroom", 90, "jrs-two-phases"),
    ],
)
def test_another_scenario_at_a_late_event(qtbot, window, first, event, second):
    window.control.open(first, moment=Moment((event,)))
    rest(
        qtbot,
        window,
        lambda: window.frame.info.scenario_name == first and window.frame.event == event and window.area.complete,
    )
    choose(qtbot, window, second)
    for dock in window.docks.values():
        dock.raise_()
        window.settle()
        assert dock.panel.frame.info is window.info, dock.panel.name
    press(qtbot, window, Qt.Key.Key_Right)
    rest(qtbot, window, lambda: window.frame.event == 1)


def test_panels_see_frames_of_their_own_run_alone(qtbot, window, monkeypatch):
    seen = []
    usual = Panel.set_frame

    def watched(self, frame):
        seen.append((type(self).__module__, frame.info.system, frame.info is window.info))
        usual(self, frame)

    monkeypatch.setattr(Panel, "set_frame", watched)
    own = {
        "slotscope.gui.kinds.queue": "queue",
        "slotscope.gui.kinds.phases": "phases",
        "slotscope.gui.kinds.moldable": "moldable",
    }
    for scenario in ("queues-classroom", "jrs-two-phases", "moldable-classroom", "queues-pools"):
        window.control.open(scenario)
        window.control.step()
        window.resize(1400 + len(seen) % 200, 850)
        rest(
            qtbot,
            window,
            lambda name=scenario: (
                window.frame.info.scenario_name == name and window.frame.event == 1 and window.area.complete
            ),
        )
        window.set_theme("dark" if not window.theme.dark else "light")
        window.reset_layout()
    for module, system, of_this_run in seen:
        package = module.rpartition(".")[0]
        assert of_this_run
        assert own.get(package, system) == system


def test_a_run_that_was_replaced_is_not_shown_any_more(qtbot, window):
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
    old = window.frame
    window.area.select(Select(server=1))
    window.control.open("dra-classroom", seed=old.info.seed + 1)
    rest(qtbot, window, lambda: window.frame.info.seed == old.info.seed + 1)
    window._take_frame(old)
    assert window.frame.info is not old.info
    assert window.area.selection == Select()
    assert all(dock.panel.selection == Select() for dock in window.docks.values())
    window.begin(old.info)
    assert window.frame is None
    assert all(dock.panel.frame is None for dock in window.docks.values())


def test_a_run_never_gets_the_bounds_of_another(qtbot, window, monkeypatch):
    """Two runs may begin before the window is notified of the first."""
    asked, taken, both = [], [], threading.Event()
    monkeypatch.setattr(window._bounds, "request", lambda _, receiver: asked.append(receiver))
    runs = [Session.open(name, kernel=False) for name in ("dra-classroom", "dra-vms")]
    window.worker.post(lambda worker: [worker.adopt(run) for run in runs])
    window.worker.post(lambda _: both.set())
    assert both.wait(PATIENCE / 1000)
    qtbot.waitUntil(lambda: len(asked) == 2)
    solved = Bounds(), Bounds()
    for receiver, bounds in zip(asked, solved, strict=True):
        receiver(bounds)
        window.worker.post(lambda worker: taken.append(worker.bounds))
    qtbot.waitUntil(lambda: len(taken) == 2)
    assert taken[0] is None
    assert taken[1] is solved[1]


def test_a_kind_of_event_of_the_last_run_is_refused(qtbot, window, monkeypatch):
    said = []
    monkeypatch.setattr(window.status, "refuse", said.append)
    window.control.open("queues-classroom")
    for ask in (lambda: window.control.run_until(kind="rejection"), lambda: window.control.back_to("rejection")):
        with qtbot.waitSignal(window.worker.refused) as refused:
            ask()
        assert refused.args[0].startswith("found the kind of event 'rejection', allowed: ")
        assert refused.args[0] in said  # another message, "compiled", may have followed
