"""Decisions before Qt is imported, on machines that each lack one thing."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from slotscope.gui import platform
from slotscope.gui.platform import Machine, PlatformError, check_platform, require_platform

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the shared objects of Qt for Linux")

COMPLETE = Machine(
    system="linux",
    python=(3, 11),
    loads=lambda name: True,
    x_answers=lambda display: True,
    wayland_answers=lambda environ: True,
    font_count=lambda: 2,
    pyside_version=lambda: "6.11.3",
    distribution=lambda: "debian",
)
X11 = {"DISPLAY": ":0"}
WAYLAND = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": "/run/user/1000"}


def lacking(*names: str) -> Machine:
    """A machine without the libraries *names*."""
    return replace(COMPLETE, loads=lambda name: name not in names)


class TestDisplay:
    @pytest.mark.parametrize(
        ("environ", "plugin", "no_display"),
        [
            (X11, "xcb", ""),
            (WAYLAND, "wayland", ""),
            (X11 | WAYLAND, "wayland", ""),
            ({}, "offscreen", "neither DISPLAY nor WAYLAND_DISPLAY is set"),
            (X11 | {"QT_QPA_PLATFORM": "offscreen"}, "offscreen", "'offscreen'"),
            (X11 | {"QT_QPA_PLATFORM": "minimal"}, "minimal", "'minimal'"),
            (X11 | WAYLAND | {"QT_QPA_PLATFORM": "xcb"}, "xcb", ""),
            (X11 | WAYLAND | {"QT_QPA_PLATFORM": "wayland;xcb"}, "wayland;xcb", ""),
            ({"QT_QPA_PLATFORM": "xcb"}, "offscreen", "neither"),
            ({"QT_QPA_PLATFORM": "vnc:size=800x600"}, "vnc:size=800x600", ""),
        ],
    )
    def test_it_follows_the_environment(self, environ, plugin, no_display):
        found = check_platform(environ, COMPLETE)
        assert (found.plugin, found.problem) == (plugin, "")
        assert found.display is (no_display == "")
        assert no_display in found.no_display

    def test_one_that_does_not_answer_is_told(self):
        found = check_platform(X11, replace(COMPLETE, x_answers=lambda display: False))
        assert (found.plugin, found.display, found.problem) == ("offscreen", False, "")
        assert found.no_display == "DISPLAY is ':0', but no X server lets us in there"

    def test_both_that_do_not_answer_are_told(self):
        dead = replace(COMPLETE, x_answers=lambda display: False, wayland_answers=lambda environ: False)
        told = check_platform(X11 | WAYLAND, dead).no_display
        assert "WAYLAND_DISPLAY is 'wayland-0'" in told
        assert "DISPLAY is ':0'" in told

    def test_a_dead_wayland_leaves_x11(self):
        machine = replace(COMPLETE, wayland_answers=lambda environ: False)
        assert check_platform(X11 | WAYLAND, machine).plugin == "xcb"

    def test_the_display_whose_libraries_are_there_is_taken(self):
        found = check_platform(X11 | WAYLAND, lacking("libwayland-cursor.so.0"))
        assert (found.plugin, found.problem) == ("xcb", "")

    def test_pictures_ask_for_no_display(self):
        deaf = replace(COMPLETE, x_answers=lambda display: pytest.fail("asked for a display"))
        found = check_platform(X11, deaf, window=False)
        assert (found.plugin, found.display) == ("offscreen", False)

    @pytest.mark.parametrize("system", ["darwin", "win32"])
    def test_other_systems_always_have_one(self, system):
        machine = replace(lacking("libGL.so.1"), system=system)
        found = check_platform({}, machine)
        assert (found.plugin, found.display, found.problem) == ("", True, "")
        offscreen = check_platform({"QT_QPA_PLATFORM": "offscreen"}, machine)
        assert (offscreen.plugin, offscreen.display) == ("offscreen", False)


class TestProblems:
    def test_a_missing_library_names_its_package(self):
        assert check_platform(X11, lacking("libxcb-cursor.so.0")).problem == (
            "Qt needs libxcb-cursor.so.0; on Debian or Ubuntu: apt-get install libxcb-cursor0"
        )

    def test_several_are_told_at_once_and_each_package_once(self):
        machine = lacking("libglib-2.0.so.0", "libgthread-2.0.so.0", "libEGL.so.1")
        assert check_platform({}, machine).problem == (
            "Qt needs libEGL.so.1, libglib-2.0.so.0, libgthread-2.0.so.0; "
            "on Debian or Ubuntu: apt-get install libegl1 libglib2.0-0"
        )

    @pytest.mark.parametrize(
        ("family", "hint"),
        [
            ("fedora", "; on Fedora: dnf install xcb-util-wm"),
            ("", "; on Debian or Ubuntu: apt-get install libxcb-icccm4; on Fedora: dnf install xcb-util-wm"),
        ],
    )
    def test_other_distributions_have_other_names(self, family, hint):
        machine = replace(lacking("libxcb-icccm.so.4"), distribution=lambda: family)
        assert check_platform(X11, machine).problem.endswith(hint)

    def test_without_a_display_the_libraries_of_a_window_are_not_asked_for(self):
        assert check_platform({}, lacking(*platform.X11_LIBRARIES)).problem == ""

    def test_wayland_alone_names_its_own(self):
        found = check_platform(WAYLAND, lacking("libwayland-cursor.so.0"))
        assert found.problem.endswith("apt-get install libwayland-cursor0")

    def test_an_unknown_plugin_is_told_before_qt_aborts(self):
        found = check_platform({"QT_QPA_PLATFORM": "xbc"}, COMPLETE)
        assert found.problem.startswith("QT_QPA_PLATFORM is 'xbc', which Qt does not have; known")
        assert "xcb" in found.problem

    @pytest.mark.parametrize(
        ("version", "python", "refused"),
        [("6.12.0", (3, 11), True), ("6.12.1", (3, 11), True), ("6.12.0", (3, 12), False), ("6.11.3", (3, 11), False)],
    )
    def test_the_pyside_that_loses_references_is_refused(self, version, python, refused):
        machine = replace(COMPLETE, python=python, pyside_version=lambda: version)
        assert (f"PySide6 {version} aborts" in check_platform(X11, machine).problem) is refused

    def test_no_pyside_at_all(self):
        machine = replace(COMPLETE, pyside_version=lambda: "")
        assert "pip install -r requirements.lock" in check_platform(X11, machine).problem

    def test_they_are_errors_of_one_line(self):
        with pytest.raises(PlatformError) as caught:
            require_platform(X11, lacking(*platform.BASE_LIBRARIES, *platform.X11_LIBRARIES))
        assert "\n" not in caught.value.line
        assert require_platform(X11, COMPLETE).display

    def test_no_font_is_a_warning(self):
        (line,) = check_platform(X11, replace(COMPLETE, font_count=lambda: 0)).warnings
        assert line.endswith("on Debian or Ubuntu: apt-get install fonts-dejavu-core")
        assert check_platform(X11, COMPLETE).warnings == ()


class TestThisMachine:
    """The real answers of the machine that runs the tests."""

    def test_qt_can_start_here(self):
        assert check_platform({"QT_QPA_PLATFORM": "offscreen"}).problem == ""

    def test_qt_is_not_imported_to_find_out(self):
        code = (
            "import os, sys; from slotscope.gui.platform import check_platform; check_platform(os.environ);"
            "sys.exit('PySide6' in sys.modules)"
        )
        root = Path(platform.__file__).parent.parent
        assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0

    @pytest.mark.parametrize(
        ("text", "family"),
        [
            ('NAME="Debian GNU/Linux"\nID=debian\n', "debian"),
            ("ID=linuxmint\nID_LIKE=ubuntu\n", "debian"),
            ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "fedora"),
            ("ID=arch\n", ""),
        ],
    )
    def test_distribution(self, text, family, tmp_path):
        release = tmp_path / "os-release"
        release.write_text(text)
        assert platform.distribution(release) == family
        assert platform.distribution(tmp_path / "absent") == ""

    def test_libraries(self):
        assert not platform.library_loads("libslotscope-absent.so.0")

    @linux_only
    def test_fonts(self, tmp_path):
        """Fontconfig counts the fonts of its configuration, here of one folder without a font."""
        config = tmp_path / "fonts.conf"
        config.write_text(f"<fontconfig><dir>{tmp_path}</dir></fontconfig>")
        code = "from slotscope.gui.platform import font_count; print(font_count())"
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(platform.__file__).parent.parent,
            env=os.environ | {"FONTCONFIG_FILE": str(config)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == "0"

    @pytest.mark.parametrize("display", ["garbage", ":7931", "localhost:59000", "nowhere:x", f"{'x' * 99}:1"])
    def test_no_x_server(self, display):
        assert not platform.x_answers(display)

    @linux_only
    def test_something_else_at_the_socket_of_x(self):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("\0/tmp/.X11-unix/X7932")
            server.listen()
            hang_up = threading.Thread(target=_hang_up_on_one, args=(server,), daemon=True)
            hang_up.start()
            assert not platform.x_answers(":7932")
            hang_up.join(timeout=10)

    @pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed")
    def test_a_real_x_server(self):
        reading, writing = os.pipe()
        with subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "320x200x24"],
            pass_fds=[writing],
            stderr=subprocess.DEVNULL,
        ) as server:
            os.close(writing)
            with os.fdopen(reading) as answer:
                display = f":{answer.readline().strip()}"
            try:
                assert platform.x_answers(display)
            finally:
                server.terminate()
        assert not platform.x_answers(display)

    @linux_only
    def test_wayland(self, tmp_path):
        environ = {"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": str(tmp_path)}
        assert not platform.wayland_answers(environ)
        # A socket's path is limited to about a hundred characters, so use a relative path.
        here = Path.cwd()
        os.chdir(tmp_path)
        try:
            with socket.socket(socket.AF_UNIX) as server:
                server.bind("wayland-7")
                server.listen()
                assert platform.wayland_answers(environ | {"XDG_RUNTIME_DIR": "."})
        finally:
            os.chdir(here)


def _hang_up_on_one(server: socket.socket) -> None:
    server.accept()[0].close()


@linux_only
class TestTables:
    """The tables of libraries, compared with those that the installed Qt links to."""

    @pytest.mark.parametrize(
        ("plugin", "table"),
        [("offscreen", {}), ("xcb", platform.X11_LIBRARIES), ("wayland", platform.WAYLAND_LIBRARIES)],
    )
    def test_they_are_what_qt_links_to(self, plugin, table):
        qt = _qt_folder()
        start = [qt / f"plugins/platforms/libq{plugin}.so"]
        start += [qt / f"lib/libQt6{name}.so.6" for name in ("Widgets", "Svg", "Test")]
        needed = _system_libraries(start, qt / "lib")
        assert needed == {*platform.BASE_LIBRARIES, *table}

    def test_the_plugins_are_those_of_qt(self):
        found = {path.stem.removeprefix("libq") for path in _qt_folder().glob("plugins/platforms/*")}
        assert found | {"wayland-egl"} == platform.LINUX_PLUGINS


#: Parts of the C library, which exist wherever Python does.
_C_LIBRARY = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux")


def _qt_folder() -> Path:
    import PySide6

    return Path(PySide6.__file__).parent / "Qt"


def _system_libraries(start: list[Path], qt_libraries: Path) -> set[str]:
    """The libraries that *start* needs, directly or through Qt's own libraries, without Qt's own and the C library."""
    outside: set[str] = set()
    waiting, seen = list(start), set(start)
    while waiting:
        for name in _needed(waiting.pop()):
            own = qt_libraries / name
            if not own.exists():
                outside.add(name)
            elif own not in seen:
                seen.add(own)
                waiting.append(own)
    return {name for name in outside if not name.startswith(_C_LIBRARY)}


def _needed(path: Path) -> list[str]:
    """The DT_NEEDED entries of a 64-bit little-endian shared object."""
    data = path.read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01", path
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * i) for i in range(count)]
    names = []
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind != 6:  # skip all but the dynamic section, which links to the section with its strings
            continue
        for tag, value in struct.iter_unpack("<qQ", data[offset : offset + length]):
            if tag == 1:
                first = sections[link][4] + value
                names.append(data[first : data.index(b"\0", first)].decode())
    return names
