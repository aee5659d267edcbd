"""The viewer as users start it: `holdfast view` in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

COMMAND = "import sys; from holdfast.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Serving:
    """A viewer that runs.

    Attributes:
        url: where.
        pid: number of its process.
        process: for asking whether it still runs.
    """

    url: str
    pid: int
    process: subprocess.Popen[str]


@contextmanager
def serving(*words: str) -> Iterator[Serving]:
    """`holdfast view WORDS` on a free port, ended with the block; a RuntimeError when it says no address."""
    command = [sys.executable, "-c", COMMAND, "view", *words, "--port", "0", "--no-open"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        greeting = process.stdout.readline() if process.stdout is not None else ""
        address = re.search(r"http://\S+", greeting)
        if address is None:
            raise RuntimeError(f"the viewer said no address: {greeting!r}")
        yield Serving(address.group(), process.pid, process)
    finally:
        process.terminate()
        process.wait(10.0)
        if process.stdout is not None:
            process.stdout.close()
