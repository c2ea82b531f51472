"""The worker's searches through history for things and questions, in time slices, and its checks of monitors."""

from __future__ import annotations

from time import monotonic

from slotscope.gui.intents import Ask, Follow, Inspect
from slotscope.model.api import Session
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.questions.search import QuestionSearch
from slotscope.model.questions.tracks import Followed, Tracks
from slotscope.model.reporting.history import Histories

#: Seconds of searching between two polls of the command queue, and between two frames.
SLICE, SHOWN = 0.012, 0.25


class Searches:
    """Searches the histories of a run's lanes; all have the same *followed* expressions and the same question."""

    def __init__(self) -> None:
        self.followed = Followed()
        self._asked = ""
        self._shown = 0.0

    def begin(self, run: Run) -> None:
        """Begin with another run: search it for the same question and expressions, and those saved in its file."""
        self._follow(run, self.followed.joined(_lanes(run)[0].tracks.followed))
        for lane in _lanes(run):
            if lane.questions.text != self._asked:  # otherwise its search continues where it was
                lane.questions.want(self._asked)

    @staticmethod
    def leave(run: Run | None) -> None:
        """Leave a run: drop its unfinished searches, so that they are freed with it."""
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
        """Whether there is anything left to search, or a state to check the monitors in."""
        return any(histories.due for histories in self._of(run)) or any(map(_to_look_at, _lanes(run)))

    def stop(self, run: Run | None) -> None:
        """Stop searching until something new is asked for."""
        for histories in self._of(run):
            histories.stop()

    def want(self, run: Run | None, wanted: Inspect | Follow | Ask) -> None:
        """Search one lane's history of a thing, if that lane still runs; ask or follow something in all lanes.

        Raises UserError if the maximum number of expressions is followed already.
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
        """While the run goes on: take in the latest events, if they are few.

        *rests* tells that the run has caught up with its pace.
        """
        for histories in self._of(run):
            histories.follow()
        lanes = _lanes(run)
        for lane in lanes:
            lane.lookout.follow(lane.timeline.event, lane.timeline.state, rests, len(lanes))

    def go_on(self, run: Run | None) -> bool:
        """Search for one time slice, and check the monitors if the run rests; returns whether a frame is due."""
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
    """Check the monitors of every lane that rests; returns whether any standing has changed."""
    before = _standings(run)
    for lane in filter(_to_look_at, _lanes(run)):
        lane.lookout.look(lane.timeline.event, lane.timeline.state)
    return _standings(run) != before


def _standings(run: Run | None) -> list[tuple[str, int]]:
    return [(reading.standing, reading.event) for lane in _lanes(run) for reading in lane.lookout.readings]


def _to_look_at(lane: Session) -> bool:
    """Whether the monitors are not yet checked in the state where a lane rests, or where its next event starts."""
    return lane.lookout.due(lane.timeline.event)
