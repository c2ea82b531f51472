"""``slotscope trust``: allow a policy's file, as it is now, to run wherever it is named."""

from __future__ import annotations

import argparse

from model.cli.output import print_json
from model.policies.own.file import digest_of, read_policy
from model.policies.own.trust import allow_text


def execute(options: argparse.Namespace) -> int:
    """Remember the hash of each file's text; nothing of it is executed."""
    digests = {path: digest_of(read_policy(path)) for path in options.files}
    for path, digest in digests.items():
        allow_text(path, digest)
    if options.json:
        print_json({"allowed": [{"file": path, "sha256": digests[path]} for path in digests]})
    else:
        for path in digests:
            print(f"{path} may run from now on, as long as its text stays the same")
    return 0
