"""A real headless browser, in which a script drives a page and reports what it shows."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

#: Names of browsers that can run headless.
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

PROGRAM = next(filter(None, map(shutil.which, _NAMES)), None)

MISSING = f"no browser is installed, looked for: {', '.join(_NAMES)}"

_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
)

#: Waits until the page is ready, runs a script in it, and adds the result to the page as JSON.
_DRIVER = """
<script>
const press = (key, more) => document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, ...more}));
const until = async (told) => { while (!told()) await new Promise((done) => setTimeout(done, 20)); };
(async () => {
  const faults = [];
  addEventListener("error", (event) => faults.push(event.message));
  await until(() => document.body.dataset.ready);
  let found = null;
  try { found = await (async () => { %s })(); } catch (fault) { faults.push(String(fault)); }
  const result = document.createElement("pre");
  result.id = "result";
  result.textContent = JSON.stringify({found, faults});
  document.body.append(result);
})();
</script>
"""


def _unguarded(text: str) -> str:
    """A page without its content security policy."""
    return re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)


def driven(page: Path, script: str, folder: Path) -> Any:
    """Run a script in a page, whose content security policy is removed for it, and return the result."""
    text = _unguarded(page.read_text(encoding="utf-8"))
    copy = folder / "driven.html"
    copy.write_text(text.replace("</body>", _DRIVER % script + "</body>"), encoding="utf-8")
    dumped = _run(folder, "--virtual-time-budget=20000", "--dump-dom", copy.as_uri())
    found = re.search(r'<pre id="result">(.*?)</pre>', dumped, re.DOTALL)
    assert found, f"the page says nothing: {dumped[-2000:]}"
    result = json.loads(html.unescape(found[1]))
    assert result["faults"] == []
    return result["found"]


def stuck(page: Path, folder: Path) -> str:
    """The markup of a page in a browser that cannot decompress its data."""
    text = page.read_text(encoding="utf-8")
    copy = folder / "stuck.html"
    copy.write_text(_unguarded(text).replace("new DecompressionStream", "new (void 0)"), encoding="utf-8")
    return _run(folder, "--virtual-time-budget=5000", "--dump-dom", copy.as_uri())


def photographed(page: Path, moment: str, size: tuple[int, int], folder: Path) -> Path:
    """A screenshot of a page at a moment."""
    picture = folder / "page.png"
    address = f"{page.as_uri()}#{moment}"
    window = f"--window-size={size[0]},{size[1]}"
    _run(folder, "--virtual-time-budget=5000", window, f"--screenshot={picture}", address)
    return picture


def _run(folder: Path, *words: str) -> str:
    assert PROGRAM is not None
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [PROGRAM, *_OPTIONS, profile, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
