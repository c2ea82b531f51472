"""How fast a run goes, measured while it goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from slotscope.model.frame import Speed

#: Seconds over which the displayed speed is averaged.
SPEED_WINDOW = 0.5


@dataclass
class Meter:
    """Events and simulated time per second, over the last half second."""

    started: float = field(default_factory=monotonic)
    event: int = 0
    time: float = 0.0
    speed: Speed = field(default_factory=Speed)

    def restart(self, event: int, time: float) -> None:
        """Measure from here on."""
        self.started, self.event, self.time, self.speed = monotonic(), event, time, Speed()

    def read(self, event: int, time: float) -> Speed:
        """The speed, when the run has come to an event and a time."""
        passed = monotonic() - self.started
        if passed >= SPEED_WINDOW:
            speed = Speed(max(0.0, (event - self.event) / passed), max(0.0, (time - self.time) / passed))
            self.started, self.event, self.time, self.speed = monotonic(), event, time, speed
        return self.speed
