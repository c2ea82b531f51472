"""Export from the window: pictures by click and by drag, the line and the link, films, pages and handouts."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QRectF, QSettings, Qt
from PySide6.QtGui import QDrag, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.film.stage import show_at_rest
from slotscope.gui.intents import ApplyScenario
from slotscope.gui.language.words import speak
from slotscope.gui.main_window import MainWindow
from slotscope.gui.page.command import unpacked
from slotscope.gui.panels import decisions_view, panels_of
from slotscope.gui.sharing.dialog import FILM, ShareDialog
from slotscope.gui.sharing.handout import SIZE, save_handout
from slotscope.gui.sharing.job import ShareJob
from slotscope.gui.theme import load_theme
from slotscope.gui.widgets.labels import cut_lines
from slotscope.gui.widgets.painted import svg_of
from slotscope.model.comparison.runs import open_run, stand_at
from slotscope.model.errors import UserError
from slotscope.model.lessons.marks import Mark
from slotscope.model.phrase import Phrase
from slotscope.model.running.origin import Moment
from tests.gui.painted import colours_at
from tests.gui.test_keys import strike
from tests.gui.windows import SolvedOnce, make_window, rest, shared_window
from tests.model.test_draft import room_for

__all__ = ["shared_window"]

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(scope="module")
def window(warm: None, shared_window: MainWindow, request: pytest.FixtureRequest) -> MainWindow:
    """A window shared by all tests, at an event."""
    open_at(QtBot(request), shared_window, "dra-classroom", 18)
    return shared_window


def open_at(qtbot: QtBot, window: MainWindow, scenario: str, event: int, **more: object) -> None:
    window.control.open(scenario, None, None, Moment((event,)), **more)
    qtbot.waitUntil(
        lambda: window.frame is not None and window.frame.event == event and window.frame.info.origin.source == scenario
    )


def said_by(window: MainWindow) -> list[str]:
    said: list[str] = []
    window.sharing.said.connect(said.append)
    return said


def dialog_of(qtbot: QtBot, window: MainWindow, command: str) -> ShareDialog:
    window.actions_by_name[command].trigger()
    found = [one for one in window.findChildren(ShareDialog) if one.isVisible()]
    assert len(found) == 1
    return found[0]


def make(qtbot: QtBot, window: MainWindow, dialog: ShareDialog) -> str:
    """Press Save, and return the window's final message."""
    said = said_by(window)
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert not dialog.save.isEnabled() and dialog.bar.isVisible()
    qtbot.waitUntil(lambda: bool(said))
    return said[-1]


def test_all_panels_can_be_chosen_while_the_window_is_still_built(qtbot: QtBot, tmp_path: Path) -> None:
    window = make_window(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat), "light")
    window._bounds = SolvedOnce()
    qtbot.addWidget(window)
    window.show()
    session = open_run("dra-classroom", ())
    window._take_info(session.info)
    window._take_frame(session.frame())
    assert len(window.docks) < len(panels_of("reservation"))
    try:
        assert dialog_of(qtbot, window, "film").panels.count() == len(panels_of("reservation"))
    finally:
        window.close()


def test_panels_are_chosen_by_keys_and_the_run_stands(qtbot: QtBot, window: MainWindow) -> None:
    dialog, event = dialog_of(qtbot, window, "film"), window.frame.event
    dialog.panels.setFocus()
    dialog.panels.setCurrentRow(1)
    assert dialog.panels.item(1).checkState() is Qt.CheckState.Unchecked
    qtbot.keyClick(dialog.panels, Key.Key_Space)
    assert dialog.panels.item(1).checkState() is Qt.CheckState.Checked
    qtbot.wait(50)
    assert window.frame.event == event and not window.frame.playing
    dialog.close()
    window.activateWindow()
    qtbot.waitUntil(lambda: window.isActiveWindow() and not window.findChildren(ShareDialog))


class TestPictures:
    def test_a_click_copies_pixels_and_vectors(self, qtbot: QtBot, window: MainWindow) -> None:
        dock = window.docks["servers"]
        qtbot.mouseClick(dock._buttons["copy"], Qt.MouseButton.LeftButton)
        data = QGuiApplication.clipboard().mimeData()
        image = QImage(data.imageData())
        assert image.size() == dock.panel.size() * 2
        assert len(colours_at(image, 5, 5)) > 20
        assert bytes(data.data("image/svg+xml").data()).startswith(b"<?xml")

    def test_what_is_copied_does_not_outlive_the_program(self) -> None:
        program = """
from PySide6.QtCore import QMimeData
from slotscope.gui.sharing.picture_button import copy_data
from slotscope.gui.window.application import application
app = application(offscreen=True)
copy_data(QMimeData())
"""
        assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

    def test_a_drag_takes_it_out_as_a_file(
        self, qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        dragged: list[QMimeData] = []
        monkeypatch.setattr(QDrag, "exec", lambda drag, *_: dragged.append(drag.mimeData()))
        button = window.docks["reward"]._buttons["copy"]
        QGuiApplication.clipboard().setText("mine")
        qtbot.mousePress(button, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
        qtbot.mouseMove(button, QPoint(7, 6))
        assert not dragged, "a hand that trembles"
        qtbot.mouseMove(button, QPoint(60, 60))
        qtbot.mouseRelease(button, Qt.MouseButton.LeftButton, pos=QPoint(60, 60))
        (data,) = dragged
        path = Path(data.urls()[0].toLocalFile())
        assert path.name == "reward.png" and QImage(str(path)).size() == window.docks["reward"].panel.size() * 2
        assert QGuiApplication.clipboard().text() == "mine", "a drag is no click"


class TestDialogs:
    def test_a_film_is_made_beside_the_window(self, qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
        qtbot.keyClick(window, Key.Key_F, CTRL | Qt.KeyboardModifier.ShiftModifier)
        (dialog,) = window.findChildren(ShareDialog)
        assert (dialog.start.text(), dialog.end.text()) == ("18", "19")
        assert not dialog.isModal()
        folder = tmp_path / "frames"
        dialog.file.setText(str(folder))
        dialog.extent.setText("320x240")
        dialog.panels.item(0).setCheckState(Qt.CheckState.Checked)
        assert make(qtbot, window, dialog) == f"Saved as {folder}"
        pictures = sorted(folder.glob("*.png"))
        assert len(pictures) > 2 and QImage(str(pictures[0])).width() == 320
        qtbot.waitUntil(lambda: not window.findChildren(ShareDialog))

    def test_it_can_be_asked_for_while_no_panel_is_there_yet(self, qtbot: QtBot) -> None:
        parent = QWidget()
        qtbot.addWidget(parent)
        dialog = ShareDialog(parent, FILM, Moment((18,)), (), lambda take: None)
        dialog.show()
        assert dialog.save.isEnabled() and not dialog.panels.count()
        dialog.close()

    def test_what_is_wrong_is_said_in_it(self, qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
        dialog = dialog_of(qtbot, window, "page")
        dialog.file.setText(str(tmp_path / "x.html"))
        dialog.end.setText("forty")
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        field, said = dialog.faults["to"]
        qtbot.waitUntil(lambda: said.text().startswith("found 'forty', allowed: an event's number"))
        assert field is dialog.end is dialog.focusWidget() and said.isVisible()
        assert field.accessibleDescription() == said.text() and not dialog.fault.isVisible()
        assert dialog.save.isEnabled() and dialog.isVisible() and not list(tmp_path.iterdir())
        qtbot.keyClick(dialog, Key.Key_Escape)
        qtbot.waitUntil(lambda: not window.findChildren(ShareDialog))

    def test_escape_stops_it_and_leaves_nothing(self, qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
        """Sent as the system sends keys, that is through the window's shortcuts."""
        dialog = dialog_of(qtbot, window, "page")
        dialog.file.setText(str(tmp_path / "x.html"))
        dialog.end.setText("4000")
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: dialog.bar.maximum() == 1000 and dialog.bar.value() > 0)
        strike(dialog, Key.Key_Escape)
        qtbot.waitUntil(dialog.save.isEnabled)
        assert dialog.isVisible() and (dialog.fault.text(), list(tmp_path.iterdir())) == ("", [])
        strike(dialog, Key.Key_Escape)
        qtbot.waitUntil(lambda: not window.findChildren(ShareDialog))

    def test_a_run_that_no_line_opens_is_played_all_the_same(
        self, qtbot: QtBot, window: MainWindow, tmp_path: Path
    ) -> None:
        assert window.info is not None
        early = dialog_of(qtbot, window, "page")
        early.file.setText(str(tmp_path / "early.html"))
        data = window.info.scenario.model_dump(mode="json")
        data["seed"] = 5
        window.control.apply(ApplyScenario(data, False))
        qtbot.waitUntil(lambda: window.frame is not None and not window.frame.opening_line)
        assert make(qtbot, window, early).startswith("Saved as ")  # it shows the run for which the dialog was opened
        window.control.go_to(7)
        qtbot.waitUntil(lambda: window.frame is not None and window.frame.event == 7)
        dialog = dialog_of(qtbot, window, "page")
        dialog.file.setText(str(tmp_path / "x.html"))
        assert make(qtbot, window, dialog).startswith("Saved as ")
        chapter = unpacked((tmp_path / "x.html").read_text("utf-8"))["chapters"][0]
        assert (chapter["seed"], chapter["line"], chapter["frames"][0]["moment"]) == (5, "", "7")
        late = dialog_of(qtbot, window, "page")
        late.file.setText(str(tmp_path / "late.html"))
        open_at(qtbot, window, "dra-classroom", 18)
        qtbot.mouseClick(late.save, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: "another run is open meanwhile" in late.fault.text())
        assert not (tmp_path / "late.html").exists()
        late.close()
        qtbot.waitUntil(lambda: not window.findChildren(ShareDialog))

    def test_a_file_that_is_there_is_replaced_at_the_second_press(
        self, qtbot: QtBot, window: MainWindow, tmp_path: Path
    ) -> None:
        path = tmp_path / "x.html"
        path.write_text("mine", encoding="utf-8")
        dialog = dialog_of(qtbot, window, "page")
        dialog.file.clear()
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        _, said = dialog.faults["out"]
        assert said.text() == "found nothing, allowed: a path"
        dialog.file.setText(str(path))
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        assert said.text() == f"{path} is there already; Save once more to replace it"
        assert not dialog.job.running and path.read_text("utf-8") == "mine"
        dialog.end.setText("18")
        assert make(qtbot, window, dialog) == f"Saved as {path}"
        assert path.read_text("utf-8").startswith("<!doctype html>")
        qtbot.waitUntil(lambda: not window.findChildren(ShareDialog))

    @pytest.mark.parametrize(
        ("what", "name"), [("page", "gone/x.html"), ("handout", "x.txt/all"), ("handout", "a.pdf")]
    )
    def test_a_file_that_cannot_be_written_is_told_beside_its_name(
        self, qtbot: QtBot, window: MainWindow, tmp_path: Path, what: str, name: str
    ) -> None:
        (tmp_path / "x.txt").touch()
        (tmp_path / "a.pdf").mkdir()
        dialog = dialog_of(qtbot, window, what)
        dialog.file.setText(str(tmp_path / name))
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        _, said = dialog.faults["out"]
        qtbot.waitUntil(lambda: said.text().startswith(str(tmp_path / name)))
        assert dialog.focusWidget() is dialog.file and not dialog.fault.isVisible()
        assert {path.name for path in tmp_path.rglob("*")} == {"x.txt", "a.pdf"}
        dialog.close()
        qtbot.waitUntil(lambda: not window.findChildren(ShareDialog))

    def test_what_is_wrong_with_the_file_is_said_in_german(
        self, qtbot: QtBot, window: MainWindow, tmp_path: Path, qapp: QApplication
    ) -> None:
        speak(qapp, "de")
        try:
            dialog = dialog_of(qtbot, window, "page")
            dialog.file.clear()
            qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
            _, said = dialog.faults["out"]
            assert said.text() == "nichts gefunden, erlaubt: ein Pfad"
            (path := tmp_path / "x.html").touch()
            dialog.file.setText(str(path))
            qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
            assert said.text() == f"{path} gibt es schon; noch einmal Speichern ersetzt sie"
            dialog.close()
        finally:
            speak(qapp, "en")
        qtbot.waitUntil(lambda: not window.findChildren(ShareDialog))

    def test_a_lesson_becomes_a_page(self, qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
        window.lessons.open("queues-1-slot", 1)
        rest(qtbot, window, lambda: window.frame.info.system == "queue" and window.area.complete)
        dialog = dialog_of(qtbot, window, "page")
        dialog.file.setText(str(tmp_path / "x.html"))
        qtbot.mouseClick(dialog.whole, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
        assert dialog.whole.isChecked() and not dialog.start.isEnabled()
        assert make(qtbot, window, dialog).startswith("Saved as ")
        chapters = unpacked((tmp_path / "x.html").read_text("utf-8"))["chapters"]
        assert len(chapters) == len(window.lessons.lesson.steps) and any(one["question"] for one in chapters)
        window.lessons.end()
        open_at(qtbot, window, "dra-classroom", 18)

    def test_a_file_is_chosen_in_the_usual_way(self, qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
        dialog = dialog_of(qtbot, window, "handout")
        assert not dialog.start.isVisible()
        qtbot.mouseClick(dialog.browse, Qt.MouseButton.LeftButton)
        files = dialog.findChild(QFileDialog, "files")
        assert files is not None
        files.fileSelected.emit(str(tmp_path / "it.pdf"))
        assert dialog.file.text() == str(tmp_path / "it.pdf")
        files.close()
        dialog.reject()
        qtbot.waitUntil(lambda: not window.findChildren(ShareDialog))


class TestHandouts:
    @pytest.mark.parametrize("scenario", ["dra-classroom", "moldable-classroom"])
    def test_every_panel_has_its_picture_and_caption(
        self, qapp: object, tmp_path: Path, scenario: str, pytestconfig: pytest.Config
    ) -> None:
        event = random.Random(int(pytestconfig.option.hypothesis_seed)).randrange(5, 60)
        run = open_run(scenario, (), kernel=False)
        stand_at(run, Moment((event,)))
        servers = {"dra-classroom": "servers", "moldable-classroom": "moldable-servers"}[scenario]
        mark = Mark(panel=servers, shape="stroke", path="0.2,0.5 0.8,0.5")
        count = save_handout(run.frame(), tmp_path / "all", "light", lambda _: None, (mark,))
        pictures = sorted((tmp_path / "all").glob("*.png"))
        assert len(pictures) == count >= 8
        (marked,) = (QImage(str(path)) for path in pictures if path.stem.endswith(f"-{servers}"))
        middle = marked.pixelColor(marked.width() // 2, marked.height() // 2)
        assert middle.name() == load_theme("light").rejection
        captions = (tmp_path / "all" / "captions.txt").read_text("utf-8").split("\n\n")
        for path, caption in zip(pictures, captions, strict=True):
            name, what, *_, line = caption.strip().split("\n")
            assert name == path.name and f"{scenario}, " in what and f"event {event}, t = " in what
            assert line.endswith(f"--event {event}")
            assert len(colours_at(QImage(str(path)), 7, 7)) > 3, f"{name} is empty"
        with pytest.raises(UserError, match="found other pictures"):
            save_handout(run.frame(), tmp_path / "all", "light", lambda _: None)

    @pytest.mark.parametrize("name", ["algorithm", "decisions"])
    def test_what_is_scrolled_stays_in_its_room_on_paper(self, qtbot: QtBot, name: str) -> None:
        """Lines above the first visible one were painted over other parts of the picture."""
        run = open_run("dra-classroom", (), kernel=False)
        stand_at(run, Moment((100,)))
        entry = next(one for one in panels_of("reservation") if one.name == name)
        panel = entry.load()(load_theme("light"))
        qtbot.addWidget(panel)
        panel.resize(1000, 400)
        panel.show()
        show_at_rest(panel, run.frame())
        assert panel.view.verticalScrollBar().value() > 0
        assert "<clipPath" in svg_of(panel.view)

    def test_sentences_are_whole_on_paper(self, qapp: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """On screen a tooltip shows what does not fit on one line; on paper all must be printed."""
        lines: list[str] = []

        def note(painter: QPainter, rect: QRectF, text: str) -> None:
            lines.extend(cut_lines(text, painter.font(), rect.width(), rect.height()))

        monkeypatch.setattr(decisions_view, "paint_cut", note)
        run = open_run("jrs-classroom", (), kernel=False)
        run.run(events=44)
        rest = [entry.name for entry in panels_of("phases") if entry.name != "decisions"]
        save_handout(run.frame(), tmp_path / "log", "light", lambda _: None, without=rest)
        assert any(line.startswith("minutes ago") for line in lines)
        assert not any("…" in line for line in lines)

    def test_a_page_is_as_high_as_what_it_shows_and_nothing_followed_has_none(
        self, qapp: object, tmp_path: Path
    ) -> None:
        run = open_run("dra-classroom", (), kernel=False)
        run.run(events=20)
        save_handout(run.frame(), tmp_path / "all", "light", lambda _: None)
        heights = {path.stem.partition("-")[2]: QImage(str(path)).height() for path in (tmp_path / "all").glob("*.png")}
        assert heights["algorithm"] > heights["servers"] == 2 * SIZE[1]
        assert "track" not in heights

    def test_panels_are_left_out(self, qapp: object, tmp_path: Path) -> None:
        run = open_run("dra-classroom", ("dra", "first-fit"), kernel=False)
        save_handout(run.frame(), tmp_path / "all", "light", lambda _: None)
        save_handout(run.frame(), tmp_path / "some", "light", lambda _: None, without=["servers", "lp"])
        folders = [sorted((tmp_path / name).glob("*.png")) for name in ("all", "some")]
        every, some = ([path.stem.partition("-")[2] for path in folder] for folder in folders)
        assert some == [name for name in every if name not in {"servers", "lp"}] != every
        with pytest.raises(UserError, match=r"--without: found 'server', allowed: servers, "):
            save_handout(run.frame(), tmp_path / "none", "light", lambda _: None, without=["server"])
        assert not (tmp_path / "none").exists()

    def test_no_page_tells_what_an_open_question_asks(self, qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
        questions = window.lessons.questions
        window.lessons.open("dra-5-numbers", 4)
        rest(qtbot, window, lambda: questions.open and window.area.complete)
        hidden = {dock.panel.name for dock in window.docks.values() if dock.panel.veiled}
        assert "servers" in hidden
        dialog = dialog_of(qtbot, window, "handout")
        assert "Servers" in dialog.left_out.text()
        dialog.file.setText(str(tmp_path / "asked"))
        assert make(qtbot, window, dialog).startswith("Saved as ")
        saved = {path.stem.partition("-")[2] for path in (tmp_path / "asked").glob("*.png")}
        assert "algorithm" in saved and not saved & hidden
        window.actions_by_name["reveal"].trigger()
        rest(qtbot, window, lambda: not questions.open)
        dialog = dialog_of(qtbot, window, "handout")
        assert not dialog.left_out.isVisible()
        dialog.close()
        window.lessons.end()
        open_at(qtbot, window, "dra-classroom", 18)

    def test_a_pdf_has_a_page_for_each(self, qapp: object, tmp_path: Path) -> None:
        run = open_run("dra-classroom", ("dra", "first-fit"), kernel=False)
        stand_at(run, Moment((20,)))
        path = tmp_path / "all.pdf"
        count = save_handout(run.frame(), path, "dark", lambda _: None)
        text = path.read_bytes()
        assert text.startswith(b"%PDF") and f"/Count {count}".encode() in text and count >= 12
        with room_for(len(text) // 2), pytest.raises(UserError, match=r"all.pdf: cannot be written: File too large"):
            save_handout(run.frame(), path, "dark", lambda _: None)
        assert path.read_bytes() == text  # the previous file is unchanged
        pictures = tmp_path / "pictures"
        with room_for(1000), pytest.raises(UserError, match=r"01-\w+.png: cannot be written: File too large"):
            save_handout(run.frame(), pictures, "dark", lambda _: None)
        assert not list(pictures.iterdir())  # nor is there a file of captions

    def test_one_that_is_given_up_is_none(self, qapp: object, tmp_path: Path) -> None:
        def stop(_: float) -> None:
            raise KeyboardInterrupt

        path = tmp_path / "x.pdf"
        path.write_bytes(b"the one before")
        with pytest.raises(KeyboardInterrupt):
            save_handout(open_run("dra-classroom", (), kernel=False).frame(), path, "light", stop)
        assert list(tmp_path.iterdir()) == [path] and path.read_bytes() == b"the one before"

    def test_another_ending_is_no_folder(self, qapp: object, tmp_path: Path) -> None:
        frame = open_run("dra-classroom", (), kernel=False).frame()
        with pytest.raises(UserError, match=r"--out: found '.*x.png', allowed: a path that ends in .pdf, or a folder"):
            save_handout(frame, tmp_path / "x.png", "light", lambda _: None)
        assert not list(tmp_path.iterdir())

    def test_a_folder_that_cannot_be_made(self, qapp: object, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(UserError, match="cannot be made"):
            save_handout(
                open_run("dra-classroom", (), kernel=False).frame(), tmp_path / "file", "light", lambda _: None
            )


@pytest.mark.parametrize(
    ("command", "out", "said"),
    [
        ("handout dra-classroom --event 3", "x.odt", "--out: „{out}“ ist angegeben; erlaubt: ein Pfad, der auf .pdf"),
        ("handout dra-classroom --event 3", "no/x.pdf", "{out}: lässt sich nicht schreiben: No such file"),
        ("export-html dra-classroom --from 9 --to 3", "x.html", "--to: 3 ist angegeben; erlaubt: nach 9"),
    ],
)
def test_a_fault_of_an_export_is_told_in_the_windows_language(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, command: str, out: str, said: str
) -> None:
    job, path = ShareJob(qapp), tmp_path / out
    speak(qapp, "de")
    try:
        with qtbot.waitSignal(job.ended, timeout=60_000) as ended:
            job.start([*command.split(), "--out", str(path)])
        assert ended.args is not None
        made, fault = ended.args
        assert not made
        assert fault.startswith(said.format(out=path))
    finally:
        speak(qapp, "en")
        job.end()


def test_a_phrase_is_the_same_beyond_a_process() -> None:
    inner = Phrase("{end}, allowed: after {start}", end="9", start="3")
    phrase = Phrase("{doing}: {share}", doing=inner, share="5%")
    again = Phrase.unpacked(json.loads(json.dumps(phrase.packed())))
    assert (again, again.pattern, again.parts) == (phrase, phrase.pattern, phrase.parts)
    assert isinstance(again.parts["doing"], Phrase)
