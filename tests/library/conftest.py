"""The command line under another name than the library's module."""

from __future__ import annotations

import pytest


@pytest.fixture
def slotscope_command(slotscope):
    """The fixture *slotscope*, for tests that also use the module of that name."""
    return slotscope
