"""A test that takes too long is ended, whatever it does with exceptions, and in whichever phase it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

#: Tests that never end by themselves, and what pytest reports for each.
ENDLESS = {
    "of Hypothesis": (
        """
        from hypothesis import given, strategies as st
        @given(st.integers())
        def test_it(n):
            while True:
                pass
        """,
        "OutOfTime",
    ),
    "clearing up after a failure": (
        """
        import pytest
        @pytest.fixture
        def thing():
            yield
            while True:
                pass
        def test_it(thing):
            assert False
        """,
        "OutOfTime",
    ),
    "where exceptions are swallowed": (
        """
        def test_it():
            told = 0
            while told < 2:
                try:
                    while True:
                        pass
                except BaseException:
                    told += 1
            while True:
                pass
        """,
        "OutOfTime",
    ),
    "clearing up outside Python": (
        """
        import ctypes, pytest, signal
        @pytest.fixture
        def thing():
            yield
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
            ctypes.PyDLL(None).sleep(10_000)
        def test_it(thing):
            assert False
        """,
        "Timeout (0:00:03)!",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", list(ENDLESS))
def test_whatever_never_ends_is_ended(case, tmp_path):
    text, said = ENDLESS[case]
    lines = text.strip("\n").splitlines()
    (tmp_path / "test_it.py").write_text("\n".join(line[8:] for line in lines))
    (tmp_path / "pytest.ini").write_text(
        f"[pytest]\ntimeout = 0.5\nfaulthandler_timeout = {3 if 'outside' in case else 60}\n"
        "faulthandler_exit_on_timeout = true\n"
    )
    (tmp_path / "conftest.py").write_text(
        "from tests import limits\nlimits.AGAIN = 0.3\n"
        "from tests.limits import pytest_exception_interact, pytest_timeout_set_timer\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1
    assert said in done.stdout + done.stderr
