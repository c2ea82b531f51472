"""Files are written as a whole or not at all: until then the old content stays."""

from __future__ import annotations

import os
import resource
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Callable, Iterator

import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.file import save_run
from slotscope.model.draft import draft_of, write_text
from slotscope.model.errors import UserError
from slotscope.model.lessons.answers import add_answers
from slotscope.model.lessons.files import add_step
from slotscope.model.questions.columns import write_events
from slotscope.model.scenario.load import load_scenario, write_scenario
from tests.lessons.test_grading import answered
from tests.runs import ran

STEP = {"moment": "slotscope dra-classroom --policy dra --seed 1 --event 10", "text": "Look."}


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Limit the size of files, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _events(path: Path) -> None:
    session = ran("dra-classroom", events=20)
    write_events(path, {"dra": session})


WRITERS: dict[str, Callable[[Path], object]] = {
    "mine.answers": lambda path: add_answers(path, (answered("7"),)),
    "mine.toml": lambda path: add_step(path, STEP),
    "scenario.toml": lambda path: write_scenario(path, load_scenario("dra-classroom")),
    "run.slotscope": lambda path: save_run(Session.open("dra-classroom", kernel=False), path),
    "events.csv": _events,
    "events.parquet": _events,
}


@pytest.mark.parametrize("name", WRITERS)
def test_where_the_disk_is_full_what_stood_there_before_stays(tmp_path: Path, name: str) -> None:
    path, write = tmp_path / name, WRITERS[name]
    write(path)
    before = path.read_bytes()
    with room_for(len(before) // 2), pytest.raises(UserError, match=f"{name}: cannot be written: .*File too large"):
        write(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_who_stops_it_keeps_what_stood_there_before(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_text(path, "before")
    for stop in (KeyboardInterrupt, BrokenPipeError):
        with pytest.raises(stop), draft_of(path) as draft:
            draft.write_text("half", encoding="utf-8")
            raise stop
    assert path.read_text("utf-8") == "before" and list(tmp_path.iterdir()) == [path]


def test_a_link_still_leads_to_the_file_which_as_few_may_read(tmp_path: Path) -> None:
    path, link = tmp_path / "a.answers", tmp_path / "link.answers"
    write_text(path, "before")
    path.chmod(0o600)
    link.symlink_to(path)
    write_text(link, "after")
    assert link.is_symlink() and path.read_text("utf-8") == "after" and path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("place", "said"), [("nowhere/x.html", "cannot be written: No such file"), ("", "found a folder")]
)
def test_where_nothing_can_be_written_it_says_so_first(tmp_path: Path, place: str, said: str) -> None:
    with pytest.raises(UserError, match=said), draft_of(tmp_path / place):
        pytest.fail("it came to writing")


def test_a_pipe_takes_it_as_it_comes(tmp_path: Path) -> None:
    pipe = tmp_path / "events.csv"
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_text("utf-8")), daemon=True)
    read: list[str] = []
    reader.start()
    write_text(pipe, "all")
    reader.join(10)
    assert read == ["all"] and pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]
