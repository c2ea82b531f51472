"""What Qt will find on this machine, checked before Qt is imported.

Where a system library is missing or the display does not answer, Qt aborts the whole process.  So the program
checks first, with the loader and the sockets that Qt would use, and tells in one line what is wrong and what
to install.  Nothing here imports Qt.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from slotscope.model.errors import UserError

#: Library: package on Debian and Ubuntu, package on Fedora.  The shared objects outside
#: Qt's own wheels that QtCore, QtGui, QtWidgets, QtSvg and the offscreen plugin link to.
BASE_LIBRARIES = {
    "libEGL.so.1": ("libegl1", "libglvnd-egl"),
    "libGL.so.1": ("libgl1", "libglvnd-glx"),
    "libX11.so.6": ("libx11-6", "libX11"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig"),
    "libfreetype.so.6": ("libfreetype6", "freetype"),
    "libgcc_s.so.1": ("libgcc-s1", "libgcc"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libstdc++.so.6": ("libstdc++6", "libstdc++"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
    "libz.so.1": ("zlib1g", "zlib"),
    "libzstd.so.1": ("libzstd1", "libzstd"),
}
#: What the X11 plugin links to beyond :data:`BASE_LIBRARIES`.
X11_LIBRARIES = {
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb"),
    "libxcb.so.1": ("libxcb1", "libxcb"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb"),
    "libxcb-render.so.0": ("libxcb-render0", "libxcb"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb"),
    "libxcb-util.so.1": ("libxcb-util1", "xcb-util"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11"),
}
#: What the Wayland plugin links to beyond :data:`BASE_LIBRARIES`.
WAYLAND_LIBRARIES = {
    "libwayland-client.so.0": ("libwayland-client0", "libwayland-client"),
    "libwayland-cursor.so.0": ("libwayland-cursor0", "libwayland-cursor"),
}
#: A font that has every letter and sign that the program writes.
FONT_PACKAGES = ("fonts-dejavu-core", "dejavu-sans-fonts")

#: Qt's plugins that draw without a screen, and all of its plugins for Linux.
SCREENLESS = frozenset({"minimal", "minimalegl", "offscreen"})
LINUX_PLUGINS = SCREENLESS.union(("eglfs", "linuxfb", "vkkhrdisplay", "vnc", "wayland", "wayland-egl", "xcb"))

#: PySide6 releases that lose a reference to None in each void call, on Pythons before 3.12.
LEAKING_PYSIDE = "6.12."
#: Seconds to wait for a display's socket: a forwarded display may be across a network.
ANSWER_SECONDS = 2.0

_X11_PORT = 6000
_ONLY_PICTURES = "only pictures were asked for"


class PlatformError(UserError):
    """This machine lacks something without which Qt would abort."""


@dataclass(frozen=True)
class Platform:
    """How Qt can run on this machine.

    ``plugin`` is the value for ``QT_QPA_PLATFORM``, empty if Qt's own choice is right.
    ``display`` tells whether a window can be opened; ``no_display`` why not, as a clause.
    ``problem`` is what would make Qt abort, as one line; empty if nothing would.
    ``warnings`` are lines about what will work badly.
    """

    plugin: str = ""
    display: bool = True
    no_display: str = ""
    problem: str = ""
    warnings: tuple[str, ...] = ()


def library_loads(name: str) -> bool:
    """Whether the dynamic loader finds the library *name*, as it would for Qt."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def x_answers(display: str) -> bool:
    """Whether an X server accepts this user at *display*, a value of ``DISPLAY``.

    Performs the handshake that Qt will perform.  If it succeeds the connection is left open: an X server without
    other clients resets when its last one disconnects, and refuses connections meanwhile, which would hit Qt.
    """
    if not library_loads("libxcb.so.1"):
        return True  # the missing library will be reported instead
    if not _x_host_answers(display):
        return False
    library = ctypes.CDLL("libxcb.so.1")
    library.xcb_connect.restype = ctypes.c_void_p
    library.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    library.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = library.xcb_connect(display.encode(), None)
    if library.xcb_connection_has_error(connection):
        library.xcb_disconnect(connection)
        return False
    return True


def wayland_answers(environ: Mapping[str, str]) -> bool:
    """Whether a compositor listens at the socket that ``WAYLAND_DISPLAY`` names."""
    return _listens(str(Path(environ.get("XDG_RUNTIME_DIR", ""), environ["WAYLAND_DISPLAY"])))


def font_count() -> int:
    """The number of fonts that fontconfig, and so Qt, finds."""
    library = ctypes.CDLL("libfontconfig.so.1")
    library.FcConfigGetFonts.restype = ctypes.c_void_p
    library.FcConfigGetFonts.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.FcInit()
    fonts = library.FcConfigGetFonts(None, 0)
    # The first member of an FcFontSet is the number of fonts.
    return ctypes.c_int.from_address(fonts).value if fonts else 0


def pyside_version() -> str:
    """The version of PySide6 that would be imported, empty if none; read from its files, as metadata is slower."""
    found = importlib.util.find_spec("PySide6")
    if found is None or found.origin is None:
        return ""
    build = Path(found.origin).with_name("_config.py")
    told = re.search(r'^version = "(.+)"', build.read_text("utf-8") if build.exists() else "", flags=re.MULTILINE)
    return told[1] if told else "unknown"


def distribution(release: Path = Path("/etc/os-release")) -> str:
    """``debian`` or ``fedora``, the family of this distribution; empty if it belongs to neither."""
    try:
        text = release.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    names = " ".join(re.findall(r'^ID(?:_LIKE)?="?([^"\n]*)', text, flags=re.MULTILINE)).split()
    families = {"ubuntu": "debian", "rhel": "fedora", "debian": "debian", "fedora": "fedora"}
    return next((families[name] for name in names if name in families), "")


@dataclass(frozen=True)
class Machine:
    """The probes of a machine; tests substitute their own."""

    system: str = sys.platform
    python: tuple[int, int] = sys.version_info[:2]
    loads: Callable[[str], bool] = library_loads
    x_answers: Callable[[str], bool] = x_answers
    wayland_answers: Callable[[Mapping[str, str]], bool] = wayland_answers
    font_count: Callable[[], int] = font_count
    pyside_version: Callable[[], str] = pyside_version
    distribution: Callable[[], str] = distribution


#: The machine that the program runs on.
THIS_MACHINE = Machine()


def check_platform(environ: Mapping[str, str], machine: Machine = THIS_MACHINE, *, window: bool = True) -> Platform:
    """Decide how Qt can start; *window* is false if only pictures are wanted."""
    if problem := _pyside_problem(machine) or _plugin_problem(environ, machine):
        return Platform(display=False, no_display="Qt cannot start", problem=problem)
    plugin, no_display = _choose(environ, machine, window=window)
    if not machine.system.startswith("linux"):
        return Platform(plugin, not no_display, no_display)
    missing = missing_libraries(_first(plugin), machine.loads)
    if missing:
        problem = f"Qt needs {', '.join(missing)}; {_install(missing.values(), machine)}"
        return Platform(plugin, not no_display, no_display, problem)
    warnings = []
    if machine.font_count() == 0:
        hint = _install([FONT_PACKAGES], machine)
        warnings.append(f"no font is installed, all text will be empty boxes; {hint}")
    return Platform(plugin, not no_display, no_display, warnings=tuple(warnings))


def require_platform(environ: Mapping[str, str], machine: Machine = THIS_MACHINE, *, window: bool = True) -> Platform:
    """As :func:`check_platform`. Raises PlatformError if Qt would abort; its line names what to install."""
    platform = check_platform(environ, machine, window=window)
    if platform.problem:
        raise PlatformError(platform.problem)
    return platform


def missing_libraries(plugin: str, loads: Callable[[str], bool]) -> dict[str, tuple[str, str]]:
    """The system libraries that *plugin* links to and *loads* does not find, with their packages."""
    needed = dict(BASE_LIBRARIES)
    if plugin == "xcb":
        needed |= X11_LIBRARIES
    elif plugin.startswith("wayland"):
        needed |= WAYLAND_LIBRARIES
    return {name: packages for name, packages in needed.items() if not loads(name)}


def _pyside_problem(machine: Machine) -> str:
    version = machine.pyside_version()
    if not version:
        return "PySide6 is not installed; install it with: pip install -r requirements.lock"
    if version.startswith(LEAKING_PYSIDE) and machine.python < (3, 12):
        major, minor = machine.python
        return (
            f"PySide6 {version} aborts after minutes on Python {major}.{minor}; "
            "use Python 3.12 or newer, or: pip install 'pyside6-essentials<6.12'"
        )
    return ""


def _plugin_problem(environ: Mapping[str, str], machine: Machine) -> str:
    wanted = environ.get("QT_QPA_PLATFORM", "")
    if not machine.system.startswith("linux") or _first(wanted) in LINUX_PLUGINS | {""}:
        return ""
    known = ", ".join(sorted(LINUX_PLUGINS))
    return f"QT_QPA_PLATFORM is '{wanted}', which Qt does not have; known are {known}"


def _choose(environ: Mapping[str, str], machine: Machine, *, window: bool) -> tuple[str, str]:
    """The value for ``QT_QPA_PLATFORM``, and why there is no display (empty if there is)."""
    wanted = environ.get("QT_QPA_PLATFORM", "")
    if _first(wanted) in SCREENLESS:
        return wanted, f"QT_QPA_PLATFORM is '{wanted}'"
    if not window:
        return "offscreen", _ONLY_PICTURES
    kind = _first(wanted).partition("-")[0]
    if not machine.system.startswith("linux") or kind not in {"", "xcb", "wayland"}:
        return wanted, ""
    displays = {name: why for name, why in _displays(environ, machine) if kind in {"", name}}
    usable = [name for name, why in displays.items() if not why]
    if not usable:
        nothing_set = "neither DISPLAY nor WAYLAND_DISPLAY is set"
        return "offscreen", "; ".join(displays.values()) or nothing_set
    # If both displays can be used: the one whose libraries are complete; if neither's are, X11.
    complete = [name for name in usable if not missing_libraries(name, machine.loads)]
    return wanted or (complete or usable[::-1])[0], ""


def _displays(environ: Mapping[str, str], machine: Machine) -> Iterable[tuple[str, str]]:
    """The displays named by the environment, in Qt's order, each with why it cannot be used (empty if it can)."""
    if name := environ.get("WAYLAND_DISPLAY"):
        dead = f"WAYLAND_DISPLAY is '{name}', but no compositor answers there"
        yield "wayland", "" if machine.wayland_answers(environ) else dead
    if name := environ.get("DISPLAY"):
        dead = f"DISPLAY is '{name}', but no X server lets us in there"
        yield "xcb", "" if machine.x_answers(name) else dead


def _install(packages: Iterable[tuple[str, str]], machine: Machine) -> str:
    """The command that installs *packages*; both commands if the distribution belongs to neither family."""
    debian, fedora = (" ".join(dict.fromkeys(names)) for names in zip(*packages, strict=True))
    commands = {
        "debian": f"on Debian or Ubuntu: apt-get install {debian}",
        "fedora": f"on Fedora: dnf install {fedora}",
    }
    return commands.get(machine.distribution(), "; ".join(commands.values()))


def _first(value: str) -> str:
    """The plugin that Qt tries first for a value such as ``xcb:opt=1;wayland``."""
    return re.split("[:;]", value, maxsplit=1)[0]


def _x_host_answers(display: str) -> bool:
    """Whether the host of a remote *display* accepts connections; the X handshake itself would wait for minutes."""
    parts = re.fullmatch(r"(?:tcp/)?(?P<host>[^/]+):(?P<number>\d+)(?:\.\d+)?", display)
    if parts is None or parts["host"] == "unix":
        return True
    address = (parts["host"].strip("[]"), _X11_PORT + int(parts["number"]))
    try:
        socket.create_connection(address, ANSWER_SECONDS).close()
    except (OSError, OverflowError, UnicodeError):
        return False
    return True


def _listens(path: str) -> bool:
    """Whether something listens at the local socket *path*."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(ANSWER_SECONDS)
        try:
            probe.connect(path)
        except OSError:
            return False
    return True
