"""``slotscope trust``: allows the present text of a policy file to run wherever it is named."""

from __future__ import annotations

import argparse

from slotscope.model.cli.output import print_json
from slotscope.model.policies.own.beside import whole_text
from slotscope.model.policies.own.file import read_policy
from slotscope.model.policies.own.trust import digest_of, keep_allowed


def execute(options: argparse.Namespace) -> int:
    """Record the hash of each file's text with its modules; nothing is executed."""
    texts = {path: whole_text(path, read_policy(path)) for path in options.files}
    for path, text in texts.items():
        keep_allowed(path, text)
    if options.json:
        print_json({"allowed": [{"file": path, "sha256": digest_of(texts[path])} for path in texts]})
    else:
        for path in texts:
            print(f"{path} may run from now on, as long as its text stays the same")
    return 0
