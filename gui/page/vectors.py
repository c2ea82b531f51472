"""Pictures of a panel as vectors: the parts of which they are made, each written once."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view
from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QFontMetricsF, QImage
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from slotscope.gui.widgets.painted import svg_of

#: Pixels of a side of a tile.  Each has a row and a column more, which its neighbours cover: else there would be
#: seams between them in a picture that is scaled.
TILE = 32
SIDE = TILE + 1

_Pixels = npt.NDArray[np.uint32]

#: What stands for no colour, beyond the edge.
_NONE = 1 << 24


class TileStore:
    """All tiles of a panel's pictures."""

    def __init__(self) -> None:
        self.colours: list[int] = []  #: the colours that occur, as ``0xrrggbb``, in the order of their numbers
        self._numbers = np.zeros(_NONE + 1, np.uint16)  # of each colour there can be; 0: it has not occurred
        self._known: dict[bytes, int] = {}
        self._images: dict[object, int] = {}
        #: Of each image that was numbered its size, how many tiles stand in a row, and the numbers of its tiles.
        self.images: list[tuple[QSize, int, list[int]]] = []
        self._before: dict[Any, tuple[_Pixels, npt.NDArray[np.int_]]] = {}  # by size the image before, and its tiles

    def number(self, image: QImage) -> int:
        """The number of an image that looks like this."""
        columns, numbers = self.cut(image)
        key = image.size().toTuple(), tuple(numbers)
        if key not in self._images:
            self._images[key] = len(self.images)
            self.images.append((image.size(), columns, numbers))
        return self._images[key]

    def cut(self, image: QImage) -> tuple[int, list[int]]:
        """How many tiles stand in a row of a picture, and the numbers of its tiles, row by row.

        Those that look as they did in the image of this size before are not looked at again.
        """
        pixels = _padded(image)
        before, numbers = self._before.get(pixels.shape, (~pixels, None))
        different = _different(pixels, before)
        numbers = np.zeros(different.shape, int) if numbers is None else numbers.copy()
        tiles = self._indexed(sliding_window_view(pixels, (SIDE, SIDE))[::TILE, ::TILE][different])
        numbers[different] = [self._known.setdefault(tile.tobytes(), len(self._known)) for tile in tiles]
        self._before[pixels.shape] = pixels, numbers
        return different.shape[1], numbers.ravel().tolist()

    def _indexed(self, pixels: _Pixels) -> npt.NDArray[np.uint16]:
        """The number of the colour of each pixel, from 1; 0 stands for :data:`_NONE`."""
        found: npt.NDArray[np.uint16] = self._numbers[pixels]
        if (fresh := np.setdiff1d(pixels[found == 0], _NONE)).size:
            self._numbers[fresh] = np.arange(1, fresh.size + 1) + len(self.colours)
            self.colours += fresh.tolist()
            found = self._numbers[pixels]
        return found

    def packed(self) -> str:
        """Of all tiles the numbers of their colours, first the low bytes of all and then the high ones, deflated."""
        pixels = np.frombuffer(b"".join(self._known), np.uint16)
        return in_letters((pixels & 0xFF).astype(np.uint8).tobytes() + (pixels >> 8).astype(np.uint8).tobytes())


def _padded(image: QImage) -> _Pixels:
    """The colours of an image as ``0xrrggbb``, and beyond its edges :data:`_NONE` as far as its last tiles reach."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    shape = image.height(), image.bytesPerLine() // 4
    found = np.full([-(-side // TILE) * TILE + 1 for side in (image.height(), image.width())], _NONE, np.uint32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(shape)[:, : image.width()]
    np.bitwise_and(pixels, 0xFFFFFF, out=found[: image.height(), : image.width()])
    return found


def _different(pixels: _Pixels, before: _Pixels) -> npt.NDArray[np.bool_]:
    """[rows, columns] in which tiles two padded images differ."""
    found: npt.NDArray[np.bool_] = pixels != before
    found = found[:-1].reshape(-1, TILE, found.shape[1]).any(axis=1) | found[TILE::TILE]
    return found[:, :-1].reshape(len(found), -1, TILE).any(axis=2) | found[:, TILE::TILE]


def in_letters(data: bytes) -> str:
    """Data deflated, and written as a page can hold it."""
    return base64.b64encode(zlib.compress(data, 9)).decode()


#: What Qt writes: what is referred to, then one group after the other, each complete in itself.
_DEFINITION = re.compile(r'<(clipPath|pattern|linearGradient|radialGradient) id="([^"]*)"(.*?)</\1>', re.DOTALL)
_GROUP = re.compile(r'(?:<g clip-path="url\(#([^)]*)\)">)?<g ([^>]*)>(.*?)</g>', re.DOTALL)
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_FONT_OF_GROUP = re.compile(r'\s*font-(?:family|size|weight|style)="[^"]*"')
_NOTHING = re.compile(r'\s*(?:transform="matrix\(1,0,0,1,0,0\)"|(?:fill|stroke)-opacity="1"|vector-effect="none")')
_TEXT = re.compile(
    r'<text ([^>]*?)font-family="([^"]*)" font-size="([^"]*)" font-weight="([^"]*)" font-style="([^"]*)"'
    r"([^>]*)>([^<]*)</text>"
)
_IMAGE = re.compile(r'<image x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"[^>]*base64,([^"]*)"[^>]*/>')

#: What a group consists of.
_ELEMENT = re.compile(r"<text .*?</text>|<\w+ [^>]*/>", re.DOTALL)

_PNG = "data:image/png;base64,"

#: Pixels in both directions from which on an image is cut into tiles; smaller ones are written whole, and so are those
#: through which something can be seen.
_LARGE = 33

#: What stands for a family of letters where a machine does not have it.
_FALLBACK = "Verdana, sans-serif"


class _Images(QSvgGenerator):
    """Draws a panel with a pixel in the place of each large image, whose colour is the image's number.

    Qt encodes an image as often as it is painted, for longer than all else takes.
    """

    def __init__(self, tiles: TileStore) -> None:
        super().__init__(QSvgGenerator.SvgVersion.Svg11)
        self._tiles = tiles

    def stand_in(self, image: QImage) -> QImage:
        """See :func:`slotscope.gui.painting.kept.put_image`."""
        size = image.deviceIndependentSize()
        if min(size.width(), size.height()) < _LARGE or image.hasAlphaChannel():
            return image
        pixel = QImage(1, 1, QImage.Format.Format_RGB32)
        pixel.setPixel(0, 0, self._tiles.number(image))
        return pixel


class Vectors:
    """All pictures of one panel."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers: dict[str, int] = {}
        self._named: dict[str, str] = {}
        self._known: dict[bytes, int] = {}
        self._groups: dict[tuple[str, str], list[Any]] = {}
        self._cut: dict[bytes, tuple[str, int, list[int]] | None] = {}
        self.tiles = TileStore()
        #: For each picture the numbers of its parts, in the order in which they are painted.  In place of a number may
        #: stand that of a frame for pixels, how many tiles are in a row, and the numbers of the tiles.
        self.pictures: list[list[Any]] = []

    @property
    def parts(self) -> list[str]:
        """Groups of an SVG picture."""
        return list(self._numbers)

    @property
    def definitions(self) -> list[str]:
        """What the parts refer to, as elements of SVG with names of their own."""
        return [body.replace(" ", f' id="{name}" ', 1) for body, name in self._named.items()]

    def add(self, panel: QWidget) -> int:
        """The number of the picture that a panel shows now."""
        text = svg_of(panel, generator=_Images(self.tiles))
        key = _key(text)
        if key not in self._known:
            self._known[key] = len(self.pictures)
            self.pictures.append(self._taken_apart(text))
        return self._known[key]

    def _taken_apart(self, text: str) -> list[Any]:
        head, _, body = text.partition("</defs>") if "</defs>" in text else ("", "", text)
        names = {found[2]: self._name_of(found) for found in _DEFINITION.finditer(head)}
        picture: list[Any] = []
        for clip, look, content in _GROUP.findall(body[body.index("<g ") + 3 :].partition(">")[2]):
            if content.strip():
                picture += self._group(names, clip, look, content.strip())
        return picture

    def _name_of(self, found: re.Match[str]) -> str:
        body = f"<{found[1]} {found[3].strip()}</{found[1]}>".replace("xlink:href", "href")
        return self._name_for(body)

    def _name_for(self, body: str) -> str:
        return self._named.setdefault(body, f"{self._name}-{len(self._named)}")

    def _group(self, names: dict[str, str], clip: str, look: str, content: str) -> list[Any]:
        """The parts that a group becomes: one for each element in it."""
        if "url(" in look:
            look = _REFERENCE.sub(lambda found: f"url(#{names.get(found[1], found[1])})", look)
        if clip:
            look += f' clip-path="url(#{names.get(clip, clip)})"'
        key = look, content
        if key not in self._groups:
            look = " ".join(_NOTHING.sub("", _FONT_OF_GROUP.sub("", look)).split())
            self._groups[key] = [self._element(f"<g {look}>", element) for element in _ELEMENT.findall(content)]
        return self._groups[key]

    def _element(self, group: str, element: str) -> Any:
        """The part that an element of a group becomes."""
        image = _IMAGE.fullmatch(element)
        if image is None:
            return self._number(f"{group}{_TEXT.sub(_measured, _NOTHING.sub('', element))}</g>")
        x, y, width, height, data = image.groups()
        size = float(width), float(height)
        tiled = None if min(size) < _LARGE else self._tiled(data, *size)
        if tiled is None:
            body = f'<image width="{width}" height="{height}" preserveAspectRatio="none" href="{_PNG}{data}"/>'
            return self._number(f'{group}<use href="#{self._name_for(body)}" x="{x}" y="{y}"/></g>')
        scale, columns, numbers = tiled
        return [self._number(f'{group}<g transform="translate({x},{y}) {scale}">'), columns, *numbers]

    def _tiled(self, data: str, width: float, height: float) -> tuple[str, int, list[int]] | None:
        """How tiles are scaled, how many are in a row, and their numbers; None where something can be seen through."""
        key = _key(data)
        if key not in self._cut:
            picture = QImage.fromData(base64.b64decode(data))
            self._cut[key] = None if picture.hasAlphaChannel() else self._scaled(picture, width, height)
        return self._cut[key]

    def _scaled(self, picture: QImage, width: float, height: float) -> tuple[str, int, list[int]]:
        """The same of a picture through which nothing is seen, or of the image for which its one pixel stands."""
        number = self.tiles.number(picture) if picture.width() > 1 else picture.pixel(0, 0) & 0xFFFFFF
        size, columns, numbers = self.tiles.images[number]
        return f"scale({width / size.width():g},{height / size.height():g})", columns, numbers

    def _number(self, part: str) -> int:
        return self._numbers.setdefault(part, len(self._numbers))


def _key(text: str) -> bytes:
    """What stands for a long text, of which there are many."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _measured(found: re.Match[str]) -> str:
    """A text that is as wide as it is here, also where a browser has other letters."""
    before, family, size, weight, style, after, words = found.groups()
    font = QFont(family)
    font.setPixelSize(1000)
    font.setWeight(QFont.Weight(int(weight)))
    font.setItalic(style == "italic")
    width = QFontMetricsF(font).horizontalAdvance(html.unescape(words)) * float(size) / 1000
    look = f'font-family="{family}, {_FALLBACK}" font-size="{size}"'
    look += f' font-weight="{weight}"' if weight != "400" else ""
    look += ' font-style="italic"' if style == "italic" else ""
    fitted = f' textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"' if words.strip() else ""
    return f"<text {before}{look}{fitted}{after.rstrip()}>{words}</text>"
