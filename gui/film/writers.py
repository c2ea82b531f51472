"""Where the pictures of a film go: a folder of PNG files, or ffmpeg, which makes a film of them."""

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

#: Pictures a second, of films.
RATE = 25

#: How ffmpeg writes a film, by its ending.  A film has an even number of pixels in both directions; a GIF has the
#: colours that occur, and leaves out a picture that is as the one before, for half a second at most.
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
    """Takes the pictures of a film, one after the other."""

    moves: bool  #: whether it wants what moves between moments

    def add(self, picture: QImage, seconds: float, moment: str) -> None:
        """A picture that is seen for so long; *moment* is the line that opens what it shows."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The film is complete, or given up: then there is none."""


def writer_for(path: Path) -> Writer:
    """What writes a film to a path, by its ending. Raises UserError if nothing can write it."""
    ending = path.suffix.lower()
    if ending in _HOW:
        return FilmWriter(path, ending, ffmpeg())
    if ending:
        said = Phrase("found '{path}', allowed: a path that ends in .mp4 or .gif, or a folder's", path=path)
        raise UserError(said, where="--out")
    return PictureFolder(path)


def ffmpeg() -> str:
    """The program that makes films: the system's, else that of the package ``imageio-ffmpeg``.

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
    """A folder of PNG files, one for each moment at rest; each says which line opens it."""

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
        """The pictures stay, also where they are not all."""

    def add(self, picture: QImage, seconds: float, moment: str) -> None:
        """Write the next picture."""
        self._count += 1
        path = self._folder / f"frame-{self._count:05}.png"
        picture.setText("Description", moment)
        write_image(picture, path)


class FilmWriter:
    """ffmpeg, which is handed one picture after the other and writes beside the film until it is complete."""

    moves = True

    def __init__(self, path: Path, ending: str, program: str) -> None:
        self._path, self._ending, self._program = path, ending, program
        self._process: subprocess.Popen[bytes] | None = None
        self._owed = 0.0  # pictures of the film that are not written yet

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
            start_new_session=True,  # Ctrl+C is for this process, which ends that one
        )

    def add(self, picture: QImage, seconds: float, moment: str) -> None:
        """Show a picture for so long, to the nearest picture of the film, what was rounded before included."""
        least = 0
        if self._process is None:
            self._process, least = self._start(picture), 1  # the first one is seen, however short
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
        with suppress(OSError):  # of a pipe that nobody reads any more
            process.communicate()
        if kind is None and process.returncode:
            raise self._failed()

    def _failed(self) -> UserError:
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").strip().splitlines() or ["it says nothing"]
        return UserError(f"ffmpeg could not write the film: {lines[-1]}", where=str(self._path))
