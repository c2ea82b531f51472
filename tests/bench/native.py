"""The same work in C: compiles a source to a library, and passes arrays to it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.timing import architecture


def library_of(source: Path, folder: Path, *options: str) -> ctypes.CDLL | None:
    """The library compiled from a source, or None where no compiler is installed."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    library = folder / f"{source.name}{''.join(options)}.so"
    command = [compiler, "-O3", f"-march={architecture()}", "-shared", "-fPIC", *options, "-o", str(library)]
    subprocess.run([*command, str(source), "-lm"], check=True, capture_output=True)
    return ctypes.CDLL(str(library))


class Pointers(ctypes.Structure):
    """The base of structures that hold pointers to arrays and whole numbers, in order."""

    @classmethod
    def of(cls, *members: Any) -> Any:
        """A structure of such members; it keeps the arrays alive."""
        kinds = [ctypes.c_void_p if isinstance(one, np.ndarray) else ctypes.c_int64 for one in members]
        fields = [(f"m{place}", kind) for place, kind in enumerate(kinds)]
        structure = type("Made", (cls,), {"_fields_": fields})
        made: Any = structure(*(one.ctypes.data if isinstance(one, np.ndarray) else int(one) for one in members))
        made.members = members
        return made
