"""A panel's pictures as vector graphics, composed of parts that are each stored once."""

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

#: Side of a tile in pixels.  A tile is stored with one more row and column, covered by its neighbours, to avoid seams
#: between tiles when the picture is scaled.
TILE = 32
SIDE = TILE + 1

_Pixels = npt.NDArray[np.uint32]

#: The value of pixels beyond the image's edge.
_NONE = 1 << 24


class TileStore:
    """All tiles of a panel's pictures, each stored once."""

    def __init__(self) -> None:
        self.colours: list[int] = []  #: the colours used, as ``0xrrggbb``, in the order of their numbers
        self._numbers = np.zeros(_NONE + 1, np.uint16)  # number of each possible colour; 0: not used so far
        self._known: dict[bytes, int] = {}
        self._images: dict[object, int] = {}
        #: Of each numbered image: its size, the number of tiles per row, and the numbers of its tiles.
        self.images: list[tuple[QSize, int, list[int]]] = []
        self._before: dict[Any, tuple[_Pixels, npt.NDArray[np.int_]]] = {}  # by shape: last image, and its tiles

    def number(self, image: QImage) -> int:
        """The number of an image; equal images have the same number."""
        columns, numbers = self.cut(image)
        key = image.size().toTuple(), tuple(numbers)
        if key not in self._images:
            self._images[key] = len(self.images)
            self.images.append((image.size(), columns, numbers))
        return self._images[key]

    def cut(self, image: QImage) -> tuple[int, list[int]]:
        """Cut an image into tiles; returns the number of tiles per row, and the numbers of the tiles, row by row.

        Only the tiles that differ from the previous image of the same shape are looked up.
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
        """The colour number of each pixel, from 1; 0 stands for :data:`_NONE`."""
        found: npt.NDArray[np.uint16] = self._numbers[pixels]
        if (fresh := np.setdiff1d(pixels[found == 0], _NONE)).size:
            self._numbers[fresh] = np.arange(1, fresh.size + 1) + len(self.colours)
            self.colours += fresh.tolist()
            found = self._numbers[pixels]
        return found

    def packed(self) -> str:
        """The colour numbers of all tiles' pixels: the low bytes, then the high bytes; deflated, in base 64."""
        pixels = np.frombuffer(b"".join(self._known), np.uint16)
        return in_letters((pixels & 0xFF).astype(np.uint8).tobytes() + (pixels >> 8).astype(np.uint8).tobytes())


def _padded(image: QImage) -> _Pixels:
    """The colours of an image as ``0xrrggbb``, padded with :data:`_NONE` to whole tiles."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    shape = image.height(), image.bytesPerLine() // 4
    found = np.full([-(-side // TILE) * TILE + 1 for side in (image.height(), image.width())], _NONE, np.uint32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(shape)[:, : image.width()]
    np.bitwise_and(pixels, 0xFFFFFF, out=found[: image.height(), : image.width()])
    return found


def _different(pixels: _Pixels, before: _Pixels) -> npt.NDArray[np.bool_]:
    """Boolean array [rows, columns]: the tiles in which two padded images differ."""
    found: npt.NDArray[np.bool_] = pixels != before
    found = found[:-1].reshape(-1, TILE, found.shape[1]).any(axis=1) | found[TILE::TILE]
    return found[:, :-1].reshape(len(found), -1, TILE).any(axis=2) | found[:, TILE::TILE]


def in_letters(data: bytes) -> str:
    """Data deflated and encoded in base 64, for embedding in a page."""
    return base64.b64encode(zlib.compress(data, 9)).decode()


#: Qt's SVG output: definitions, then a flat sequence of complete groups.
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

#: An element of a group.
_ELEMENT = re.compile(r"<text .*?</text>|<\w+ [^>]*/>", re.DOTALL)

_PNG = "data:image/png;base64,"

#: Images with at least this many pixels in both directions are cut into tiles; smaller and transparent ones are stored
#: whole.
_LARGE = 33

#: Fonts to use if the browser's machine lacks the family.
_FALLBACK = "Verdana, sans-serif"


class _Images(QSvgGenerator):
    """Replaces each large image by one pixel whose colour is the image's number.

    Qt would encode the image each time it is painted, which takes longer than everything else.
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
    """All pictures of one panel, composed of numbered parts."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers: dict[str, int] = {}
        self._named: dict[str, str] = {}
        self._known: dict[bytes, int] = {}
        self._groups: dict[tuple[str, str], list[Any]] = {}
        self._cut: dict[bytes, tuple[str, int, list[int]] | None] = {}
        self.tiles = TileStore()
        #: For each picture its parts' numbers in painting order.  An entry may instead be a list, for a tiled image:
        #: the
        #: number of its frame, the number of tiles per row, and the numbers of its tiles.
        self.pictures: list[list[Any]] = []

    @property
    def parts(self) -> list[str]:
        """The parts: groups of an SVG picture, in the order of their numbers."""
        return list(self._numbers)

    @property
    def definitions(self) -> list[str]:
        """The SVG elements that the parts refer to, each with a unique id."""
        return [body.replace(" ", f' id="{name}" ', 1) for body, name in self._named.items()]

    def add(self, panel: QWidget) -> int:
        """Add the panel's current picture; returns its number."""
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
        """The parts of a group, one per element."""
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
        """The part of one element: its number, or the list of a tiled image."""
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
        """The transform of an image's tiles, tiles per row, and their numbers; None if the image is transparent."""
        key = _key(data)
        if key not in self._cut:
            picture = QImage.fromData(base64.b64decode(data))
            self._cut[key] = None if picture.hasAlphaChannel() else self._scaled(picture, width, height)
        return self._cut[key]

    def _scaled(self, picture: QImage, width: float, height: float) -> tuple[str, int, list[int]]:
        """The same for an opaque image, or for one pixel that stands for a numbered image."""
        number = self.tiles.number(picture) if picture.width() > 1 else picture.pixel(0, 0) & 0xFFFFFF
        size, columns, numbers = self.tiles.images[number]
        return f"scale({width / size.width():g},{height / size.height():g})", columns, numbers

    def _number(self, part: str) -> int:
        return self._numbers.setdefault(part, len(self._numbers))


def _key(text: str) -> bytes:
    """A short key for a long text."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _measured(found: re.Match[str]) -> str:
    """A text element with a fixed width, so that a substitute font in a browser takes the same room."""
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
