"""Writers of a film's pictures: into a folder of PNG files, or through ffmpeg into a video file."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from PySide6.QtGui import QImage

from slotscope.gui.widgets.painted import write_image
from slotscope.model.draft import draft_of
from slotscope.model.errors import UserError
from slotscope.model.phrase import Phrase

#: Frame rate of films, in pictures per second.
RATE = 25

#: Options of ffmpeg, by suffix.  MP4 requires even width and height; a GIF uses exactly the colours that occur, and
#: drops repeated pictures, for at most half a second.
_HOW = {
    ".mp4": ("-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart"),
    ".gif": (
        "-filter_complex",
        "mpdecimate=max=12:hi=1:lo=1:frac=0,split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none",
        "-fps_mode",
        "vfr",
        "-final_delay",
        "50",
    ),
}


class Writer(Protocol):
    """Takes the pictures of a film one by one."""

    moves: bool  #: whether it takes the animation between moments

    def add(self, picture: QImage, seconds: float, moment: str) -> None:
        """Add a picture that is shown for *seconds*; *moment* is the command line that opens what it shows."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Complete the film, or after an exception discard it."""


def writer_for(path: Path) -> Writer:
    """The writer for a path, by its suffix. Raises UserError if the suffix is unknown, or ffmpeg is missing."""
    ending = path.suffix.lower()
    if ending in _HOW:
        return FilmWriter(path, ending, ffmpeg())
    if ending:
        said = Phrase("found '{path}', allowed: a path that ends in .mp4 or .gif, or a folder's", path=path)
        raise UserError(said, where="--out")
    return PictureFolder(path)


def ffmpeg() -> str:
    """The path of ffmpeg: the system's, else that of the package ``imageio-ffmpeg``.

    Raises UserError if there is none.
    """
    if found := shutil.which("ffmpeg"):
        return found
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        said = Phrase(
            "found no ffmpeg, which makes films of pictures; install it ('apt-get install ffmpeg', or 'pip install "
            "imageio-ffmpeg'), or give a folder for PNG pictures"
        )
        raise UserError(said, where="--out") from None
    return str(get_ffmpeg_exe())


class PictureFolder:
    """A folder of PNG files, one per moment at rest; each file's description is the line that opens the moment."""

    moves = False

    def __init__(self, folder: Path) -> None:
        self._folder, self._count = folder, 0

    def __enter__(self) -> Self:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                Phrase("cannot be made: {fault}", fault=error.strerror or error), where=str(self._folder)
            ) from None
        if any(self._folder.glob("frame-*.png")):
            raise UserError(Phrase("found pictures of another film, allowed: an empty folder"), where=str(self._folder))
        return self

    def __exit__(self, *_: object) -> None:
        """Keep the pictures, even if some are missing."""

    def add(self, picture: QImage, seconds: float, moment: str) -> None:
        """Write the next picture."""
        self._count += 1
        path = self._folder / f"frame-{self._count:05}.png"
        picture.setText("Description", moment)
        write_image(picture, path)


class FilmWriter:
    """Pipes the pictures into ffmpeg, which writes to a draft file until the film is complete."""

    moves = True

    def __init__(self, path: Path, ending: str, program: str) -> None:
        self._path, self._ending, self._program = path, ending, program
        self._process: subprocess.Popen[bytes] | None = None
        self._owed = 0.0  # time not yet written, in pictures; carries rounding

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._said = stack.enter_context(tempfile.TemporaryFile())
            self._unfinished = stack.enter_context(draft_of(self._path))
            stack.push(self._end)
            self._stack = stack.pop_all()
        return self

    def _start(self, picture: QImage) -> subprocess.Popen[bytes]:
        size = f"{picture.width()}x{picture.height()}"
        pixels = ("-f", "rawvideo", "-pix_fmt", "bgr0", "-s", size, "-r", str(RATE), "-i", "-")
        written = (*_HOW[self._ending], "-fflags", "+bitexact", "-map_metadata", "-1", str(self._unfinished))
        return subprocess.Popen(
            [self._program, "-nostdin", "-loglevel", "error", "-y", *pixels, "-an", *written],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._said,
            start_new_session=True,  # Ctrl+C reaches only this process, which ends ffmpeg
        )

    def add(self, picture: QImage, seconds: float, moment: str) -> None:
        """Write the picture as often as its time and the rounding carried from earlier pictures require."""
        least = 0
        if self._process is None:
            self._process, least = self._start(picture), 1  # the first picture is shown even if its time rounds to 0
        self._owed += seconds * RATE
        times = max(least, round(self._owed))
        self._owed -= times
        pipe, data = self._process.stdin, bytes(picture.constBits())
        assert pipe is not None
        try:
            for _ in range(times):
                pipe.write(data)
        except OSError:
            raise self._failed() from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def _end(self, kind: type[BaseException] | None, *_: object) -> None:
        process = self._process
        if process is None:
            return
        if kind is not None:
            process.kill()
        with suppress(OSError):  # the pipe is closed already
            process.communicate()
        if kind is None and process.returncode:
            raise self._failed()

    def _failed(self) -> UserError:
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").strip().splitlines() or ["it says nothing"]
        return UserError(f"ffmpeg could not write the film: {lines[-1]}", where=str(self._path))
