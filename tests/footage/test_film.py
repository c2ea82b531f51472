"""Films: reproducible pictures of the requested moments, written completely or not at all."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from slotscope.gui.film import writers
from slotscope.gui.film.command import Looks, shoot
from slotscope.gui.film.stage import FilmStage, panels_in_lecture
from slotscope.gui.panels.wording import clock_text
from slotscope.gui.theme import load_theme
from slotscope.model.comparison.runs import open_run, stand_at
from slotscope.model.errors import UserError
from slotscope.model.footage.footage import Footage, usual_by, walk
from slotscope.model.lessons.files import marks_of
from slotscope.model.lessons.marks import Mark
from slotscope.model.running.origin import Moment
from tests.gui.painted import colours_at

CLASSROOMS = ("dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom")
SMALL = Looks(size=(640, 400))


@pytest.fixture
def chance(pytestconfig) -> random.Random:
    return random.Random(int(pytestconfig.option.hypothesis_seed))


def digests(folder: Path) -> list[str]:
    pictures = [QImage(str(path)) for path in sorted(folder.glob("*.png"))]
    return [hashlib.sha256(bytes(picture.constBits())).hexdigest() for picture in pictures]


def moments(run, footage: Footage) -> list[str]:
    return [str(run.frame().moment) for _ in walk(run, footage)]


class TestWalk:
    @pytest.mark.parametrize("policies", [("dra",), ("dra", "first-fit")])
    def test_every_substep_is_the_one_that_a_seek_finds(self, policies, chance):
        start = chance.randrange(60)
        run, other = (open_run("dra-classroom", policies, kernel=False) for _ in range(2))
        seen = 0
        for _ in walk(run, Footage(Moment((start,)), Moment((start + 2,)), "substep")):
            frame = run.frame()
            stand_at(other, frame.moment)
            assert other.frame().moment == frame.moment
            for mine, theirs in zip(frame.lanes, other.frame().lanes, strict=True):
                assert [str(record) for record in mine.records] == [str(record) for record in theirs.records]
            seen += 1
        assert frame.event == start + 2 and seen > 4

    def test_events_end_at_the_substep_that_was_asked_for(self):
        run = open_run("dra-classroom", (), kernel=False)
        assert moments(run, Footage(Moment((3,), 2), Moment((6,), 1), "event")) == ["3.2", "4", "5", "6", "6.1"]

    def test_time_goes_in_equal_parts(self, chance):
        run = open_run("dra-classroom", (), kernel=False)
        start, length = chance.uniform(0, 5), 4.0
        times = [run.timeline.time for _ in walk(run, Footage(start, start + length, "time", 0.5))]
        assert len(times) == 9 and times == sorted(times)
        for number, time in enumerate(times):
            assert time <= start + 0.5 * number
            run.timeline.seek_time(start + 0.5 * number)
            assert run.timeline.time == time

    def test_what_ends_before_it_begins_is_refused(self):
        run = open_run("dra-classroom", (), kernel=False)
        with pytest.raises(UserError, match="--to: found 4, allowed: after 5"):
            moments(run, Footage(Moment((5,)), Moment((4,)), "event"))

    def test_what_begins_after_the_end_is_refused(self):
        run = open_run("dra-example-2", (), kernel=False)
        with pytest.raises(UserError, match="--from: found event 99"):
            moments(run, Footage(Moment((99,)), Moment((100,)), "event"))

    def test_usual_steps(self):
        few, many = Moment((10,)), Moment((100,))
        assert [usual_by(Moment((4,)), few), usual_by(few, many), usual_by(1.0, 2.0), usual_by(1.0, few)] == [
            "substep",
            "event",
            "time",
            "event",
        ]


@pytest.mark.parametrize("scenario", CLASSROOMS)
def test_the_same_film_has_the_same_pictures(qapp, tmp_path, scenario, chance):
    start = chance.randrange(40)
    footage = Footage(Moment((start,)), Moment((start + 1,)), "substep")
    shown = set()
    for name in ("first", "again"):
        run = open_run(scenario, (), kernel=False)
        count = shoot(run, footage, SMALL, tmp_path / name, shown.add)
    first = digests(tmp_path / "first")
    assert first == digests(tmp_path / "again")
    assert len(first) == count and len(set(first)) > 1, "nothing moves"
    assert {0.0, 1.0} <= shown, "progress from the start to the end"
    described = QImage(str(tmp_path / "first" / "frame-00001.png")).text("Description")
    assert described.startswith(f"slotscope {scenario} --policy ") and described.endswith(f"--event {start}")


def test_marks_are_on_every_picture(qapp, tmp_path):
    footage = Footage(Moment((9,)), Moment((10,)), "event")
    mark = Mark(panel="algorithm", shape="stroke", path="0.1,0.5 0.9,0.5")
    for name, marks in (("bare", ()), ("marked", (mark,))):
        shoot(open_run("dra-classroom", (), kernel=False), footage, SMALL._replace(marks=marks), tmp_path / name, print)
    for bare, marked in zip(digests(tmp_path / "bare"), digests(tmp_path / "marked"), strict=True):
        assert bare != marked


@pytest.mark.parametrize("named", ["dra-1-decision", "dra-1-decision:0", "dra-1-decision:99", "no-lesson:1"])
def test_marks_are_those_of_a_step_that_there_is(named):
    with pytest.raises(UserError):
        marks_of(named)


def test_panels_size_and_theme_are_those_that_were_asked_for(qapp, tmp_path):
    footage = Footage(Moment((9,)), Moment((9,)), "event")
    looks = {"usual": SMALL, "dark": SMALL._replace(theme="dark"), "curve": Looks(("reward", "decisions"), (500, 300))}
    for name, look in looks.items():
        shoot(open_run("dra-classroom", (), kernel=False), footage, look, tmp_path / name, lambda _: None)
    pictures = {name: QImage(str(tmp_path / name / "frame-00001.png")) for name in looks}
    assert (pictures["curve"].width(), pictures["curve"].height()) == (500, 300)
    corner = {name: picture.pixelColor(2, 2).lightness() for name, picture in pictures.items()}
    assert corner["dark"] < 90 < 200 < corner["usual"]
    for name, picture in pictures.items():
        assert len(colours_at(picture, 3, 3)) > 12, f"{name} is empty"


def test_several_policies_stand_beside_each_other(qapp, tmp_path):
    run = open_run("dra-classroom", ("dra", "first-fit"), kernel=False)
    shoot(run, Footage(Moment((20,)), Moment((21,)), "event"), SMALL, tmp_path / "two", lambda _: None)
    assert len(digests(tmp_path / "two")) == 2
    assert panels_in_lecture("reservation", 2)[1] == "comparison"


@pytest.mark.parametrize(
    ("scenario", "when"),
    [
        ("dra-classroom", r"t = \d+\.\d{2} seconds"),
        ("queues-classroom", r"slot \d+"),
        ("moldable-sublinear", r"t = \d+\.\d{5}"),
    ],
)
def test_the_time_above_a_picture_is_as_in_the_window(qapp, scenario, when):
    """With its unit, slots as numbers, and no more digits than in the window."""
    run = open_run(scenario, (), kernel=False)
    run.run(events=1)
    frame = run.frame()
    stage = FilmStage(frame, ["x"], panels_in_lecture(frame.info.system, 1), load_theme("light"), (500, 300))
    stage.show_frame(frame)
    assert re.search(rf" {when}$", stage._heads[0].text())
    assert stage._heads[0].text().endswith(clock_text(frame.info, frame.time))
    stage.close()


def test_words_that_look_like_markup_stay_words(qapp, monkeypatch):
    frame = open_run("dra-classroom", (), kernel=False).frame()
    monkeypatch.setattr("slotscope.gui.film.stage.sentence", lambda _: "<b>k</b>")
    theme = load_theme("light")
    stage = FilmStage(frame, ["<i>x</i>"], panels_in_lecture("reservation", 1), theme, (500, 300))
    stage.show_frame(frame)
    labels = [*stage._heads, *stage._captions]
    assert [label.textFormat() for label in labels] == [Qt.TextFormat.PlainText] * 2
    stage.close()


class TestRefused:
    @pytest.fixture
    def run(self):
        return open_run("dra-classroom", (), kernel=False)

    FOOTAGE = Footage(Moment((3,)), Moment((4,)), "event")

    def test_unknown_panel(self, qapp, run, tmp_path):
        with pytest.raises(UserError, match=r"--panel: found 'rewards', allowed: servers, .*reward"):
            shoot(run, self.FOOTAGE, Looks(("rewards",)), tmp_path / "x", lambda _: None)

    def test_unknown_ending(self, qapp, run, tmp_path):
        with pytest.raises(UserError, match=r"--out: found '.*x.avi', allowed: a path that ends in .mp4 or .gif"):
            shoot(run, self.FOOTAGE, SMALL, tmp_path / "x.avi", lambda _: None)

    def test_pictures_of_another_film_stay(self, qapp, run, tmp_path):
        (tmp_path / "frame-00001.png").write_bytes(b"mine")
        with pytest.raises(UserError, match="found pictures of another film"):
            shoot(run, self.FOOTAGE, SMALL, tmp_path, lambda _: None)
        assert (tmp_path / "frame-00001.png").read_bytes() == b"mine"

    def test_a_moment_that_would_be_seen_for_hours(self, qapp, run, tmp_path):
        with pytest.raises(UserError, match=r"--pace: found 1e-06, allowed: at least 0.01 moments a second"):
            shoot(run, self.FOOTAGE, SMALL._replace(pace=1e-6), tmp_path / "x", lambda _: None)
        assert not list(tmp_path.iterdir())

    def test_a_folder_in_the_place_of_a_film(self, qapp, run, tmp_path, monkeypatch):
        monkeypatch.setattr(writers, "ffmpeg", lambda: "true")
        (tmp_path / "x.mp4").mkdir()
        with pytest.raises(UserError, match=r"x\.mp4: found a folder, allowed: the path of a file"):
            shoot(run, self.FOOTAGE, SMALL, tmp_path / "x.mp4", lambda _: None)
        assert [path.name for path in tmp_path.iterdir()] == ["x.mp4"]

    def test_no_ffmpeg(self, qapp, run, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
        with pytest.raises(UserError, match=r"found no ffmpeg.*apt-get install ffmpeg.*folder for PNG"):
            shoot(run, self.FOOTAGE, SMALL, tmp_path / "x.mp4", lambda _: None)
        assert not list(tmp_path.iterdir())

    def test_ffmpeg_that_fails_says_why_and_leaves_nothing(self, qapp, run, tmp_path, monkeypatch):
        program = tmp_path / "ffmpeg"
        program.write_text("#!/bin/sh\necho 'no such codec' >&2\nexit 1\n")
        program.chmod(0o755)
        monkeypatch.setattr(writers, "ffmpeg", lambda: str(program))
        with pytest.raises(UserError, match="ffmpeg could not write the film: no such codec"):
            shoot(run, self.FOOTAGE, SMALL, tmp_path / "x.gif", lambda _: None)
        assert [path.name for path in tmp_path.iterdir()] == ["ffmpeg"]


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg here")
class TestFilms:
    @pytest.mark.parametrize("ending", [".mp4", ".gif"])
    def test_a_film_lasts_as_long_as_its_moments(self, qapp, tmp_path, ending):
        path = tmp_path / f"film{ending}"
        footage = Footage(Moment((16,)), Moment((17,)), "substep")
        count = shoot(
            open_run("dra-classroom", (), kernel=False), footage, SMALL._replace(pace=4), path, lambda _: None
        )
        asked = "stream=width,height:format=duration"
        words = ["ffprobe", "-v", "error", "-show_entries", asked, "-of", "csv=p=0", str(path)]
        size, duration = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        assert size == "640,400"
        assert abs(float(duration) - count / 4) <= 0.3 + 0.3 * (ending == ".gif")
        assert [one.name for one in tmp_path.iterdir()] == [path.name]

    def test_the_fastest_film_shows_a_picture(self, qapp, tmp_path):
        footage, fast = Footage(Moment((3,)), Moment((4,)), "event"), SMALL._replace(pace=1000)
        shoot(open_run("dra-classroom", (), kernel=False), footage, fast, tmp_path / "x.mp4", lambda _: None)
        asked = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0"]
        found = subprocess.run([*asked, str(tmp_path / "x.mp4")], capture_output=True, text=True, check=True).stdout
        assert int(found) == 1

    def test_one_that_is_given_up_is_none(self, qapp, tmp_path):
        def stop(done: float) -> None:
            if done > 0:
                raise KeyboardInterrupt

        footage = Footage(Moment((3,)), Moment((9,)), "event")
        with pytest.raises(KeyboardInterrupt):
            shoot(open_run("dra-classroom", (), kernel=False), footage, SMALL, tmp_path / "x.mp4", stop)
        assert not list(tmp_path.iterdir())

    def test_ctrl_c_is_heard_between_two_moments(self, tmp_path: Path) -> None:
        words = "film dra-classroom --from 0 --to 900 --by event --size 320x240 --out x.mp4"
        command = [sys.executable, "-m", "slotscope", *words.split(), "--json"]
        out = subprocess.PIPE
        with subprocess.Popen(command, cwd=tmp_path, stdout=out, stderr=out, text=True, start_new_session=True) as film:
            assert film.stdout is not None
            while "done" not in film.stdout.readline():
                pass
            os.killpg(film.pid, signal.SIGINT)
            _, said = film.communicate(timeout=60)
        assert (film.returncode, said) == (130, "slotscope: stopped\n")
        assert not list(tmp_path.iterdir())
