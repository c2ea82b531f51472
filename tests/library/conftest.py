"""The command line beside the library, which has its name."""

from __future__ import annotations

import pytest


@pytest.fixture
def slotscope_command(slotscope):
    """What the fixture of that name does, where the module is used as well."""
    return slotscope
