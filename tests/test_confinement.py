"""A child process gives its result, or its end becomes an error; it ends with all that it has started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.confinement import ProcessLimits, confined
from holdfast.errors import FileError
from tests.viewer.wire import until

LIMITS = ProcessLimits(seconds=1, memory=1024**3, output=1000)


def asked(function: str, given: object) -> bytes:
    return confined(function, given, LIMITS, path="a.x", what="cannot be read", fix="shorten it")


def is_running(number: int) -> bool:
    """Whether a process has not ended."""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(number)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()[:1] not in ("", "Z")


def test_the_result_is_that_of_the_function() -> None:
    assert asked("builtins:bytes", [1, 2, 255]) == b"\x01\x02\xff"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems bound less")
@pytest.mark.parametrize(
    ("function", "given", "says"),
    [
        ("os:_exit", 3, "ends by itself"),
        ("ctypes:string_at", 8, "ends by itself"),  # a segmentation fault
        ("time:sleep", 1000, "needs more than 1 s"),
        ("builtins:bytearray", 4 * 1024**3, "too much memory"),
        ("builtins:bytes", 1001, "result has more than"),
        ("builtins:eval", "1 / 0", "division by zero"),
        ("builtins:eval", "__import__('os').write(1, b'+' * 10**7)", "cannot be read"),
        ("holdfast.inputs:file_bytes", "no/such", "there is no such file"),
    ],
)
def test_what_goes_wrong_is_an_error_of_the_file(function: str, given: object, says: str) -> None:
    with pytest.raises(FileError, match=says) as caught:
        asked(function, given)
    assert caught.value.fix


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other groups of processes")
def test_what_the_child_has_started_ends_with_it() -> None:
    started = "str(__import__('subprocess').Popen(['sleep', '71.5']).pid).encode()"
    number = int(asked("builtins:eval", started))
    until(lambda: not is_running(number), 10.0)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other processes")
def test_a_child_that_waits_ends_after_its_limit_though_nobody_waits_for_it(tmp_path: Path) -> None:
    started = (
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(__import__('os').getpid())) and __import__('time').sleep(60)"
    )
    limits = "ProcessLimits(seconds=1, memory=1024**3, output=1000)"
    code = (
        f"from holdfast.confinement import ProcessLimits, confined\n"
        f"confined('builtins:eval', {started!r}, {limits}, path='a', what='b', fix='c')"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    parent.kill()
    parent.wait()
    child = int((tmp_path / "pid").read_text())
    assert is_running(child)
    until(lambda: not is_running(child), 30.0)
