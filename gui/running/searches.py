"""The worker's searches through history for things and questions, in slices, and its looks at the monitors."""

from __future__ import annotations

from time import monotonic

from slotscope.gui.intents import Ask, Follow, Inspect
from slotscope.model.api import Session
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.questions.search import QuestionSearch
from slotscope.model.questions.tracks import Followed, Tracks
from slotscope.model.reporting.history import Histories

#: Seconds of searching between two looks at the queue, and between two frames.
SLICE, SHOWN = 0.012, 0.25


class Searches:
    """Searches the histories of a run's lanes; the expressions *followed* and the question *asked* are those of all."""

    def __init__(self) -> None:
        self.followed = Followed()
        self._asked = ""
        self._shown = 0.0

    def begin(self, run: Run) -> None:
        """Another run: ask and follow in it what was asked and followed, and what its file brings along."""
        self._follow(run, self.followed.joined(_lanes(run)[0].tracks.followed))
        for lane in _lanes(run):
            if lane.questions.text != self._asked:  # else it goes on where it was
                lane.questions.want(self._asked)

    @staticmethod
    def leave(run: Run | None) -> None:
        """Another run comes: what is half done in this one is given up, so that it goes with its last holder."""
        for lane in _lanes(run):
            lane.histories.drop()

    def _ask(self, run: Run | None, question: str) -> None:
        self._asked = question
        for lane in _lanes(run):
            lane.questions.want(question)

    def _follow(self, run: Run | None, followed: Followed) -> None:
        self.followed = followed
        for lane in _lanes(run):
            lane.tracks.want(followed)

    @staticmethod
    def _of(run: Run | None) -> tuple[Histories | QuestionSearch | Tracks, ...]:
        return tuple(search for lane in _lanes(run) for search in (lane.histories, lane.questions, lane.tracks))

    def due(self, run: Run | None) -> bool:
        """Whether there is anything to search, or to look at."""
        return any(histories.due for histories in self._of(run)) or any(map(_to_look_at, _lanes(run)))

    def stop(self, run: Run | None) -> None:
        """Search no further until something is asked for."""
        for histories in self._of(run):
            histories.stop()

    def want(self, run: Run | None, wanted: Inspect | Follow | Ask) -> None:
        """Search the history of a thing in one of the lanes, if that is still there; ask or follow something in all.

        Raises UserError if as many are followed as there can be.
        """
        match wanted:
            case Ask(question):
                self._ask(run, question)
            case Follow(text, role, over):
                self._follow(run, self.followed.changed(role, text, over))
            case Inspect():
                for lane in _lanes(run):
                    if lane.info is wanted.run:
                        lane.histories.want(wanted.thing, wanted.further)

    def follow(self, run: Run | None, rests: bool) -> None:
        """While it runs: look at what has just happened, if that is little.

        *rests*: it has come as far as its pace lets it for now.
        """
        for histories in self._of(run):
            histories.follow()
        lanes = _lanes(run)
        for lane in lanes:
            lane.lookout.follow(lane.timeline.event, lane.timeline.state, rests, len(lanes))

    def go_on(self, run: Run | None) -> bool:
        """Search for a slice, and look where the run rests; whether there is something new to show."""
        changed = look_at(run)
        searched = [search for search in self._of(run) if search.due]
        if not searched:
            return changed
        for search in searched:
            search.search(SLICE)
        now = monotonic()
        if self.due(run) and now - self._shown < SHOWN:
            return False
        self._shown = now
        return True


def _lanes(run: Run | None) -> tuple[Session, ...]:
    return () if run is None else lanes_of(run)


def look_at(run: Run | None) -> bool:
    """Judge the monitors of every lane where it rests; whether any stands otherwise than before."""
    before = _standings(run)
    for lane in filter(_to_look_at, _lanes(run)):
        lane.lookout.look(lane.timeline.event, lane.timeline.state)
    return _standings(run) != before


def _standings(run: Run | None) -> list[tuple[str, int]]:
    return [(reading.standing, reading.event) for lane in _lanes(run) for reading in lane.lookout.readings]


def _to_look_at(lane: Session) -> bool:
    """Whether the state in which a lane rests, or from which it makes the next event, was not looked at."""
    return lane.lookout.due(lane.timeline.event)
