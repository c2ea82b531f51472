"""Pages that play a moment: the program's states, pictures and texts in one file, tested in a real browser."""

from __future__ import annotations

import random
import re
from functools import partial
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from PySide6.QtGui import QImage

from slotscope.gui.film.stage import panel_classes, panels_in_lecture
from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation import servers_stacks
from slotscope.gui.page import recording
from slotscope.gui.page.command import execute, lesson_data, page_text, unpacked, write_page
from slotscope.gui.page.recording import Dressing, recorded
from slotscope.gui.page.vectors import SIDE, TILE, TileStore
from slotscope.gui.painting.kept import put_image
from slotscope.gui.panels.wording import clock_text, sentence
from slotscope.gui.sharing.command import bounds_of
from slotscope.gui.theme import apply, load_theme
from slotscope.gui.widgets.motion import come_to_rest, lay_out
from slotscope.gui.widgets.painted import svg_of
from slotscope.gui.window.application import application
from slotscope.model.cli.arguments import parse
from slotscope.model.cli.parser import UsageError
from slotscope.model.comparison.runs import Run, open_run, stand_at
from slotscope.model.errors import UserError
from slotscope.model.exercises.posed import verdict
from slotscope.model.exercises.posing import pose
from slotscope.model.footage.footage import Footage
from slotscope.model.lessons.files import lesson_files, load_lesson
from slotscope.model.lessons.marks import Mark
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.origin import Moment
from slotscope.model.scenario.files import scenario_files
from slotscope.model.systems.state import digest
from tests.footage.browser import MISSING, PROGRAM, driven, photographed, stuck
from tests.gui.painted import colours_at

CLASSROOMS = ("dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom")

browser = pytest.mark.skipif(PROGRAM is None, reason=MISSING)


@pytest.fixture(scope="module")
def chance(pytestconfig: pytest.Config) -> random.Random:
    return random.Random(int(pytestconfig.option.hypothesis_seed))


@pytest.fixture(scope="module", params=CLASSROOMS)
def page(request: pytest.FixtureRequest, qapp: Any, chance: random.Random, tmp_path_factory: Any) -> tuple[str, Path]:
    """A scenario, and a page of two of its events from a random one on."""
    start, path = chance.randrange(60), tmp_path_factory.mktemp("page") / "page.html"
    write_page(played(partial(run_of, request.param), start, start + 2), path)
    return request.param, path


def run_of(scenario: str, *policies: str) -> Run:
    return open_run(scenario, policies, kernel=False)


def played(
    opened: Callable[[], Run], start: int, end: int, by: Any = "substep", further: tuple[str, ...] = ()
) -> dict[str, Any]:
    footage = Footage(Moment((start,)), Moment((end,)), by)
    data = recorded(opened, footage, Dressing(further), lambda _: None)
    return {"title": data["scenario"], "chapters": [{"text": "", **data}]}


def pixels_of(themed: dict[str, Any], tiles: list[int], columns: int) -> dict[tuple[int, int], int]:
    """The colours of a picture, assembled from its tiles as a page does."""
    import base64
    import zlib

    data, found = zlib.decompress(base64.b64decode(themed["tiles"])), {}
    for at, tile in enumerate(tiles):
        row, column = divmod(at, columns)
        low = tile * SIDE * SIDE
        for y in range(TILE):
            for x in range(TILE):
                place = low + y * SIDE + x
                number = data[place] + 256 * data[len(data) // 2 + place]
                found[column * TILE + x, row * TILE + y] = themed["colours"][number - 1] if number else -1
    return found


def test_every_state_and_word_is_the_program_s(page: tuple[str, Path]) -> None:
    scenario, path = page
    (chapter,) = unpacked(path.read_text("utf-8"))["chapters"]
    again = run_of(scenario)
    assert len(chapter["frames"]) > 2
    for moment in chapter["frames"]:
        stand_at(again, Moment.read(moment["moment"]))
        frame = again.frame()
        (lane,) = moment["lanes"]
        assert lane["digest"] == digest(frame.state)
        assert lane["said"] == sentence(frame)
        making, inside = frame.event + 1, f"{moment['moment']}.".split(".")[1]
        assert moment["where"] == (f"event {making}, sub-step {inside}" if inside else f"event {frame.event}")
        assert moment["time"] == clock_text(frame.info, frame.time)
        records = frame.records or frame.last_records
        if records and records[-1].line is not None:
            assert chapter["lanes"][0]["code"][lane["line"]]["number"] == records[-1].line.number
    for panel in chapter["panels"]:
        for themed in panel["themes"]:
            assert len(themed["parts"]) > 10, "an empty picture"


def test_a_comparison_has_the_states_of_all_its_policies(qapp: Any, chance: random.Random) -> None:
    start = chance.randrange(40)
    data = played(partial(run_of, "dra-classroom", "dra", "first-fit"), start, start + 2, "event")
    again = run_of("dra-classroom", "dra", "first-fit")
    for moment in data["chapters"][0]["frames"]:
        stand_at(again, Moment.read(moment["moment"]))
        assert [lane["digest"] for lane in moment["lanes"]] == [digest(part.state) for part in again.frame().lanes]


@pytest.mark.parametrize("by", ["event", "time"])
def test_no_picture_of_either_theme_knows_what_comes(qapp: Any, by: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[tuple[int, int]] = []
    show = recording.show_at_rest

    def noted(panel: Any, frame: Frame) -> None:
        known.append((frame.event, frame.extent.live_end))
        show(panel, frame)

    monkeypatch.setattr(recording, "show_at_rest", noted)
    footage = Footage(Moment((3,)), Moment((9,)), by, 0.2)
    recorded(partial(run_of, "dra-classroom"), footage, Dressing(), lambda _: None)
    half = len(known) // 2
    assert known[:half] == known[half:]
    assert half > 3
    assert all(event == end for event, end in known)


def test_tiles_give_each_pixel_back(chance: random.Random) -> None:
    image = QImage(chance.randrange(33, 90), chance.randrange(33, 90), QImage.Format.Format_RGB32)
    for x in range(image.width()):
        for y in range(image.height()):
            image.setPixel(x, y, 0xFF000000 | chance.choice((0, 0xFFFFFF, 0x123456, 256 * x + y)))
    store = TileStore()
    columns, tiles = store.cut(image)
    themed = {"tiles": store.packed(), "colours": store.colours}
    found = pixels_of(themed, tiles, columns)
    for x in range(image.width()):
        for y in range(image.height()):
            assert found[x, y] == image.pixel(x, y) & 0xFFFFFF


@pytest.mark.parametrize("scenario", CLASSROOMS)
def test_no_large_image_is_encoded(qapp: Any, monkeypatch: pytest.MonkeyPatch, scenario: str) -> None:
    texts: list[str] = []
    monkeypatch.setattr(
        "slotscope.gui.page.vectors.svg_of", lambda *to, **by: texts.append(svg_of(*to, **by)) or texts[-1]
    )
    played(partial(run_of, scenario), 3, 3, "event")
    encoded = [data for text in texts for data in re.findall('base64,([^"]*)', text)]
    assert encoded and max(map(len, encoded)) < 2000


def test_a_moment_is_drawn_once_in_each_theme_and_its_programs_solved_once(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(servers_stacks, "put_image", lambda *image: drawn.append(put_image(*image)))
    (chapter,) = played(partial(run_of, "dra-classroom"), 3, 5, "event")["chapters"]
    assert len(drawn) == 2 * len(chapter["frames"])
    assert bounds_of(run_of("dra-classroom")) is bounds_of(run_of("dra-classroom"))


def test_what_stands_still_is_written_once(qapp: Any) -> None:
    few, many = (len(page_text(played(partial(run_of, "dra-classroom"), 10, end, "event"))) for end in (11, 21))
    assert many - few < 10 * 2_000_000 / 500


def test_five_hundred_events_take_less_than_two_megabytes_where_all_is_pixels(qapp: Any, tmp_path: Path) -> None:
    """Each event of this scenario changes much of a picture that is made of pixels."""
    path = tmp_path / "page.html"
    write_page(played(partial(open_run, "queues-small-jobs", (), kernel=True), 1000, 1500, "event"), path)
    assert path.stat().st_size < 2_000_000


def test_nothing_is_loaded_and_nothing_else_may_run(qapp: Any) -> None:
    data = played(partial(run_of, "dra-classroom"), 3, 4)
    data["title"] = "<script>alert(1)</script> @DATA@"
    text = page_text(data)
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!data:|#|\$)""", text.replace('href="${', 'href="#')), (
        "a link out"
    )
    assert "http" not in text.replace("http-equiv", "")
    assert "default-src 'none'" in text and "&lt;script&gt;alert(1)" in text
    assert len(re.findall(r"<script", text)) == 2


@browser
def test_a_name_that_looks_like_markup_stays_a_name(qapp: Any, tmp_path: Path) -> None:
    name = """x<img src=y onerror=throw(1)>&lt;"'"""
    path, page = tmp_path / f"{name}.toml", tmp_path / "page.html"
    path.write_text(scenario_files()["dra-classroom"].read_text("utf-8"), encoding="utf-8")
    write_page(played(partial(run_of, str(path)), 3, 3, "event"), page)
    script = """
        const images = document.querySelectorAll("img").length;
        return [document.querySelector("h1").textContent, document.title, images, byId("line").textContent];
    """
    *titles, images, line = driven(page, script, tmp_path)
    assert titles == [name, name] and images == 0
    assert "x<img src=y onerror=throw(1)>&lt;" in line


def test_words_that_a_lesson_or_a_run_alone_takes_are_refused(qapp: Any, tmp_path: Path) -> None:
    out = f"--out={tmp_path / 'x.html'}"
    for words, told in (
        ("--lesson dra-1-decision --seed 3", "found --policy, --seed, --trace or --marks, allowed: without --lesson"),
        ("dra-classroom --from 3 --to 4 --step 2", "--step: found no lesson, allowed: with --lesson"),
    ):
        with pytest.raises(UsageError, match=told):
            execute(parse(["export-html", *words.split(), out]))
    assert not list(tmp_path.iterdir())


def test_files_are_named_without_where_they_are(qapp: Any, tmp_path: Path) -> None:
    import shutil

    path = tmp_path / "mine.toml"
    shutil.copy(scenario_files()["dra-classroom"], path)
    text = page_text(played(partial(run_of, str(path)), 0, 0, "event"))
    assert unpacked(text)["chapters"][0]["line"].startswith("slotscope mine.toml --policy dra --seed ")
    assert str(tmp_path) not in text


def test_what_a_step_draws_and_outlines_is_in_the_pictures(qapp: Any) -> None:
    note = Mark(panel="servers", shape="note", path="0.1,0.1", text="Look here")
    footage = Footage(Moment((18,)), Moment((18,)), "event")
    plain, dressed = (
        recorded(partial(run_of, "dra-classroom"), footage, dressing, lambda _: None)
        for dressing in (Dressing(), Dressing(("reward",), Select(server=2), 0, (note,)))
    )
    parts = [themed["parts"] for themed in dressed["panels"][0]["themes"]]
    assert all(any(">Look here<" in part for part in one) for one in parts)
    assert [panel["name"] for panel in dressed["panels"]] == ["servers", "reward"]
    assert len(parts[0]) > len(plain["panels"][0]["themes"][0]["parts"]) + 1


def test_too_long_a_stretch_is_refused_before_anything_is_drawn(qapp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slotscope.gui.page.recording.MOST_MOMENTS", 3)
    monkeypatch.setattr("slotscope.gui.page.recording._staged", None)
    with pytest.raises(UserError, match="a stretch of more than 3 moments, allowed: a shorter one"):
        played(partial(run_of, "dra-classroom"), 0, 9, "event")


# In a browser.

_WALK = """
const seen = [], look = () => {
  seen.push([document.body.dataset.moment, byId("digest").textContent, views[0].said.textContent,
    codes[0].lines.findIndex(({row}) => row.hasAttribute("aria-current")), views[0].svg.innerHTML.length,
    codes[0].lines.map(({values}) => values.textContent).join("|")]);
};
const back = [];
look();
while (place < limit()) { press("ArrowRight", {shiftKey: true}); look(); }
while (place > 0) { press("ArrowLeft", {shiftKey: true}); back.unshift(document.body.dataset.moment); }
press("End"); const last = document.body.dataset.moment;
byId("place").value = 1; byId("place").dispatchEvent(new Event("input")); const slid = document.body.dataset.moment;
press("Home"); press("ArrowRight"); const event = document.body.dataset.moment;
press("d"); const dark = getComputedStyle(document.body).backgroundColor;
byId("play").click(); await until(() => place === limit() || !timer); byId("play").click();
return {seen, back, last, slid, event, dark, live: views[0].said.getAttribute("aria-live"),
  words: views[0].words.textContent, by: views[0].svg.getAttribute("aria-describedby") === views[0].words.id,
  label: views[0].svg.getAttribute("aria-label"), drawn: views[0].svg.querySelectorAll("*").length};
"""


@browser
def test_a_browser_plays_what_the_program_shows(page: tuple[str, Path], tmp_path: Path) -> None:
    path = page[1]
    found = driven(path, _WALK, tmp_path)
    frames = unpacked(path.read_text("utf-8"))["chapters"][0]["frames"]
    assert [one[:2] for one in found["seen"]] == [[one["moment"], one["lanes"][0]["digest"]] for one in frames]
    assert [one[2] for one in found["seen"]] == [one["lanes"][0]["said"] for one in frames]
    assert [one[3] for one in found["seen"]] == [one["lanes"][0]["line"] for one in frames]
    assert all(one[4] > 1000 for one in found["seen"])
    values = [bool(one["lanes"][0]["values"]) for one in frames]
    assert [bool(one[5].replace("|", "")) for one in found["seen"]] == values
    assert found["back"] == [one["moment"] for one in frames][: len(found["back"])] and len(found["back"]) > 1
    assert found["last"] == frames[-1]["moment"] and found["slid"] == frames[1]["moment"]
    assert found["event"] == str(int(frames[0]["moment"]) + 1)
    assert found["dark"] != "rgb(236, 239, 242)" and found["live"] == "polite"
    assert found["by"] and len(found["words"]) > 60
    assert found["drawn"] > 30 and found["label"].endswith(frames[-1]["lanes"][0]["said"])


@browser
def test_what_is_not_unpacked_yet_is_told_nothing_of(page: tuple[str, Path], tmp_path: Path) -> None:
    """Without data the page showed "State: ." and buttons that did nothing."""
    markup, parts = stuck(page[1], tmp_path), ("controls", "foot")
    assert "This page cannot be played here" in markup
    assert all(re.search(rf'id="{part}"[^>]* hidden', markup) for part in parts)
    ask = f"return {list(parts)}.some((part) => document.getElementById(part).hidden);"
    assert driven(page[1], ask, tmp_path) is False


def coarse(image: QImage) -> np.ndarray:
    """The mean colour of each block of 20 by 20 pixels."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3]
    return pixels.reshape(image.height() // 20, 20, image.width() // 20, 20, 3).mean(axis=(1, 3))


@browser
def test_a_browser_s_picture_is_the_panel_s(page: tuple[str, Path], tmp_path: Path) -> None:
    scenario, path = page
    bare = "show(2); return [byId('definitions').outerHTML + views[0].svg.outerHTML, chapter.frames[2].moment];"
    svg, moment = driven(path, f"setTheme(0); {bare}", tmp_path)
    alone = tmp_path / "alone.html"
    style = "<style>body{margin:0}#definitions{position:absolute}svg[viewBox]{display:block;width:960px}</style>"
    alone.write_text(f"<!doctype html><meta charset='utf-8'>{style}{svg}", encoding="utf-8")
    seen = QImage(str(photographed(alone, "", (960, 600), tmp_path)))
    run = run_of(scenario)
    stand_at(run, Moment.read(moment))
    theme = load_theme("light")
    apply(application(), theme, lecture=True)
    (panel,) = (cls(theme) for cls in panel_classes(run.info.system, panels_in_lecture(run.info.system, 1)[:1]))
    panel.resize(960, 600)
    panel.show()
    panel.set_frame(run.frame())
    lay_out(panel)
    come_to_rest(panel)
    apart = np.abs(coarse(seen) - coarse(panel.grab().toImage())).max(axis=2)
    panel.close()
    apply(application(), theme)
    assert (apart > 60).mean() < 0.01 and apart.mean() < 3, "another picture"


@browser
def test_a_lesson_asks_and_grades_as_the_program_does(qapp: Any, tmp_path: Path) -> None:
    path, data = tmp_path / "lesson.html", lesson_data("dra-1-decision", 3, (), lambda _: None)
    write_page(data, path)
    found = driven(
        path,
        """
        const asked = byId("asked").textContent, held = [limit()];
        press("ArrowRight"); held.push(place);
        const answer = (value) => {
          document.querySelector(`input[value="${value}"]`).checked = true;
          byId("commit").click();
          return byId("verdict").textContent;
        };
        const wrong = answer("2"); const moment = document.body.dataset.moment;
        open(0); const open_again = byId("verdict").textContent;
        delete chapter.answered; open(0); const right = answer("7");
        delete chapter.answered; open(0); press("r");
        return {asked, held, wrong, moment, open_again, right, revealed: byId("verdict").textContent, rest: limit()};
        """,
        tmp_path,
    )
    assert "From which one does a job migrate" in found["asked"] and found["held"] == [0, 0]
    assert found["wrong"] == (
        "✗ Not so: server 2 has no job of type training: 0 jobs (Algorithm 2, line 24). Right is 7."
    )
    assert found["open_again"] == found["wrong"]
    assert found["right"].startswith("✓ Right: job 12 of server 7 migrates")
    assert found["revealed"].startswith("7: job 12 of server 7") and found["rest"] > 0
    assert found["moment"] == data["chapters"][0]["frames"][data["chapters"][0]["question"]["decided"]]["moment"]


@browser
def test_no_picture_tells_what_is_asked(qapp: Any, tmp_path: Path) -> None:
    """A panel's picture and its text for screen readers are hidden until the question is answered or revealed."""
    path = tmp_path / "lesson.html"
    write_page(lesson_data("dra-5-numbers", 5, ("lp", "reward"), lambda _: None), path)
    found = driven(
        path,
        """
        const hides = (part) => part.textContent === VEILED;
        const veiled = () => views.map((view) => [view.panel.name, hides(view.svg), hides(view.words)]);
        const asked = veiled();
        press("r"); const revealed = veiled();
        press("Home");
        return {asked, revealed, back: veiled(), place};
        """,
        tmp_path,
    )
    names = ["servers", "lp", "reward"]
    assert found["asked"] == [["servers", True, True], ["lp", True, True], ["reward", False, False]]
    assert found["revealed"] == found["back"] == [[name, False, False] for name in names]
    assert found["place"] == 0


@browser
def test_a_curve_is_drawn_and_graded_as_the_program_does(qapp: Any, tmp_path: Path) -> None:
    path, lesson = tmp_path / "drawn.html", tmp_path / "drawn.toml"
    line = "slotscope dra-classroom --policy dra --seed 171 --event 12"
    step = f'moment = "{line}"\ntext = "So?"\nquestion = {{ ask = "curve", until = 24.0 }}\n'
    lesson.write_text(f'title = "Drawn"\nlearn = "How it goes on."\n\n[[steps]]\n{step}', "utf-8")
    write_page(lesson_data(str(lesson), None, (), lambda _: None), path)
    found = driven(
        path,
        """
        const pad = byId("sketch"), {sketch} = chapter.question, seen = [pad.hidden, byId("choices").hidden];
        const key = (name) => pad.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));
        for (const name of ["ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown"]) key(name);
        const box = pad.getBoundingClientRect();
        const at = {clientX: box.right - 1, clientY: box.top + 1, buttons: 1, bubbles: true};
        pad.dispatchEvent(new PointerEvent("pointerdown", at));
        const drawn = [...sketch.hand], kept = place;
        byId("commit").click();
        const wrong = byId("verdict").textContent, curves = pad.querySelectorAll(".known").length;
        delete chapter.answered; open(0);
        sketch.hand = [...sketch.right];
        byId("commit").click();
        return {seen, drawn, kept, wrong, curves, right: byId("verdict").textContent, top: sketch.top};
        """,
        tmp_path,
    )
    run, asked = run_of("dra-classroom"), load_lesson(lesson).steps[0].question
    stand_at(run, Moment((12,)))
    assert asked is not None
    posed = pose(run, asked, 0)
    first, second, *_, last = found["drawn"]
    assert found["seen"] == [False, True] and found["kept"] == 0 and found["curves"] == 2
    assert first > second and last == found["top"]
    graded = verdict(posed, " ".join(f"{value:.4g}" for value in found["drawn"])).text
    assert found["wrong"].removeprefix("✗ ") == graded.partition(" Right is")[0]
    assert found["right"].removeprefix("✓ ") == verdict(posed, posed.taken).text


@browser
def test_a_page_is_seen_at_every_width(qapp: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_page(played(partial(run_of, "dra-classroom"), 40, 41), path)
    for size in ((1280, 720), (420, 800)):
        picture = QImage(str(photographed(path, "40.2", size, tmp_path)))
        assert (picture.width(), picture.height()) == size
        assert len(colours_at(picture, 2, 2)) > 40


def test_a_lesson_becomes_a_page_of_less_than_two_megabytes(qapp: Any, chance: random.Random, tmp_path: Path) -> None:
    name, path = chance.choice(sorted(lesson_files())), tmp_path / "lesson.html"
    write_page(lesson_data(name, None, (), lambda _: None), path)
    assert path.stat().st_size < 2_000_000
    data = unpacked(path.read_text("utf-8"))
    steps = load_lesson(lesson_files()[name]).steps
    for chapter, step in zip(data["chapters"], steps, strict=True):
        question = chapter["question"]
        assert (question is None) == (step.question is None)
        assert chapter["frames"][0]["moment"] == str(step.place(tmp_path).moment)
        if question is not None and question["answers"]:
            assert question["answers"][question["taken"]][0] == 1


def test_of_many_answers_a_page_offers_all_or_a_field(qapp: Any) -> None:
    """A single option, such as the one that says "none", would give the answer away."""
    for name, number, offered in (("dra-2-reserve", 1, 17), ("tour", 4, 8)):
        (chapter,) = lesson_data(name, number, (), lambda _: None)["chapters"]
        question = chapter["question"]
        assert len(question["options"]) == offered and set(question["options"]) == set(question["answers"])
        assert sum(right for right, _ in question["answers"].values()) == 1


def test_a_hundred_events_take_less_than_a_fifth_of_two_megabytes(
    qapp: Any, chance: random.Random, tmp_path: Path
) -> None:
    """At a random place in the first five hundred events, which thus take less than two megabytes."""
    scenario, start, path = chance.choice(CLASSROOMS), chance.randrange(400), tmp_path / "page.html"
    write_page(played(partial(run_of, scenario), start, start + 100, "event"), path)
    assert path.stat().st_size < 400_000
    data = unpacked(path.read_text("utf-8"))["chapters"][0]
    again = run_of(scenario)
    for moment in data["frames"][::10]:
        stand_at(again, Moment.read(moment["moment"]))
        assert moment["lanes"][0]["digest"] == digest(again.frame().state)
