"""Zip archives with arrays in them, the format of saved runs: written as a whole, and read within limits.

A file may be damaged or malicious: no member is unpacked before the unpacked size is known to be acceptable, and
arrays have the expected numeric type and contain no objects.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import struct
import warnings
import zipfile
import zlib
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any, Collection, Iterator, Mapping

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from slotscope.model.draft import draft_of
from slotscope.model.errors import ScenarioError

#: The file ending of saved sessions, by which the window and the command line recognize them.
SESSION_SUFFIX = ".slotscope"

#: The most bytes that an archive may unpack to, and likewise each archive of arrays within it.
MOST_BYTES = 2**30

#: The member that contains the digest of all others.
DIGEST = "digest.txt"

#: Prefix of an error about an archive without that member.
UNSIGNED = f"the file has no {DIGEST} and may have been changed by hand; else "

#: The exceptions that reading a damaged archive can raise.
_DAMAGE = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ArithmeticError,
    SyntaxError,
    MemoryError,
    Warning,
)


@contextmanager
def damage_as_errors(path: Path, what: str) -> Iterator[None]:
    """Within this block, any exception that a damaged file causes becomes an error of one line.

    Raises ScenarioError, which names the file and says that it is not *what*.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise ScenarioError(f"cannot be read: {reason}", where=str(path)) from None
    except _DAMAGE as error:
        told = f"it lacks {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ScenarioError(f"not {what}: {told[:300]}", where=str(path)) from None


def written(path: Path, members: Mapping[str, bytes], compression: int) -> None:
    """Write an archive with its digest, as a whole or not at all.

    Raises ScenarioError if the path has not the ending by which it would be opened again, the archive is too large
    for that, or it cannot be written.
    """
    if path.suffix != SESSION_SUFFIX:
        raise ScenarioError(f"found a name that ends in '{path.suffix}', allowed: {SESSION_SUFFIX}", where=str(path))
    whole = sum(map(len, members.values()))
    if whole > MOST_BYTES:
        raise ScenarioError(f"found {whole:,} bytes to save, allowed: at most {MOST_BYTES:,}", where=str(path))
    with draft_of(path, ScenarioError) as draft, zipfile.ZipFile(draft, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        archive.writestr(DIGEST, _digest(members))


def members_of(source: Path | bytes, signed: bool = True) -> dict[str, bytes]:
    """The members of an archive, by name; with *signed*, its digest is checked if it has one.

    Raises any exception of the library for a damaged archive, see :func:`damage_as_errors`.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
    except zipfile.BadZipFile:
        raise ValueError("it is cut off, or another kind of file") from None
    with archive:
        entries = archive.infolist()
        whole = sum(entry.file_size for entry in entries)
        if whole > MOST_BYTES:
            raise ValueError(f"it unpacks to {whole:,} bytes, allowed: at most {MOST_BYTES:,}")
        for entry in entries:
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{entry.filename} is packed in an unknown way")
        members = {entry.filename: archive.read(entry) for entry in entries}
    found = members.pop(DIGEST, None) if signed else None
    if found is not None and found != _digest(members):
        raise ValueError("its contents do not have the digest that was saved with them")
    return members


def has_member(path: Path, name: str) -> bool:
    """Whether a file is an archive with such a member; False if it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return name in archive.namelist()
    except (OSError, *_DAMAGE):
        return False


def _digest(members: Mapping[str, bytes]) -> bytes:
    result = hashlib.blake2b(digest_size=16)
    for name in sorted(members):
        result.update(f"{name} {len(members[name])} ".encode())
        result.update(members[name])
    return result.hexdigest().encode()


def as_json(data: bytes) -> dict[str, Any]:
    """A JSON object. Raises ValueError if *data* is anything else."""
    table = json.loads(data)
    if not isinstance(table, dict):
        raise ValueError("its contents are not a table")
    return table


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Arrays in the format of an ``.npz`` file."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpacked(
    data: bytes, wanted: Mapping[str, tuple[np.dtype[Any], int]], added: Collection[str] = ()
) -> dict[str, NDArray[Any]]:
    """The arrays of an ``.npz`` file; *wanted* gives the type and number of axes for each name.

    Arrays *added* in a later version of the format are empty if they are missing.
    Raises ValueError if another array is missing or has another type, or any exception of the library for a damaged
    archive.
    """
    members = members_of(data, signed=False)
    absent = {name for name in added if f"{name}.npy" not in members}
    return {
        name: np.zeros((0,) * like[1], like[0]) if name in absent else _array(name, members.pop(f"{name}.npy"), *like)
        for name, like in wanted.items()
    }


def _array(name: str, data: bytes, dtype: np.dtype[Any], axes: int) -> NDArray[Any]:
    stream = io.BytesIO(data)
    with warnings.catch_warnings(action="error"):
        version = npy.read_magic(stream)
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, by_columns, found = header(stream)
    if found != dtype or len(shape) != axes:
        raise ValueError(f"{name} is an array of {found} with {len(shape)} axes, allowed: {dtype} with {axes}")
    held = len(data) - stream.tell()
    if min(shape, default=0) < 0 or prod(shape) * dtype.itemsize != held:
        raise ValueError(f"{name} has the shape {list(shape)}, but {held:,} bytes")
    values = np.frombuffer(data, dtype, offset=stream.tell())
    return values.reshape(shape, order="F" if by_columns else "C").copy()
