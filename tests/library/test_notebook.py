"""The example notebook runs from its first cell to its last, and the values of its cells can be displayed."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "resources" / "notebooks"

#: The methods that a notebook tries before it falls back on an object's text.
PICTURES = ("_repr_html_", "_repr_svg_")

pytestmark = pytest.mark.slow


def shown_by(code: str, known: dict[str, object]) -> object:
    """Run a cell; return the value of its last line, if that is an expression."""
    body = ast.parse(code).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), known)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), known) if isinstance(last, ast.Expr) else None


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_itself(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    known: dict[str, object] = {}
    drawn = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [], "kept without results, which would be another version's"
        value = shown_by("".join(cell["source"]), known)
        pictures = [getattr(value, name)() for name in PICTURES if hasattr(value, name)]
        assert all("<" in picture for picture in pictures)
        drawn += len(pictures)
    assert drawn >= 4
