"""A process of its own that answers the queries, so that a hang or a crash is an outcome and not the end of the run."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any

from benchmarks.nightly.checking import Outcome, examine

#: Seconds without an answer before the process counts as hanging; compiling the kernels must fit in.
HANG = 180.0


def serve(pipe: Connection, seed: int) -> None:
    """Answer numbers with outcomes until the other side closes."""
    while True:
        try:
            number = pipe.recv()
        except EOFError:
            return
        pipe.send(examine(number, seed))


class Worker:
    """Examines queries one after another; restarted after it had to be ended."""

    def __init__(self, seed: int, hang: float = HANG, answer: Callable[[Connection, int], None] = serve) -> None:
        self._seed = seed
        self._hang = hang
        self._answer = answer
        self._process: BaseProcess | None = None
        self._pipe: Any = None  # a Connection; its class differs between systems

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def examine(self, number: Any) -> Any:
        """The outcome of one query, or what else `answer` sends; "HANG" and "CRASH" are outcomes, too."""
        pipe = self._pipe or self._begin()
        try:
            pipe.send(number)
            if pipe.poll(self._hang):
                return pipe.recv()
        except (EOFError, ConnectionError):
            code = self._end()
            return Outcome("CRASH", bad=True, detail=f"exit code {code}")
        self._end()
        return Outcome("HANG", bad=True, detail=f"no answer within {self._hang:g} s")

    def _begin(self) -> Any:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=self._answer, args=(theirs, self._seed), daemon=True)
        process.start()
        theirs.close()
        self._pipe, self._process = ours, process
        return ours

    def _end(self) -> int | None:
        """End the process, if there is one; its exit code."""
        process, self._process = self._process, None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if process is None:
            return None
        process.join(timeout=0.5)  # one that crashed has a code of its own
        if process.is_alive():
            process.kill()
            process.join()
        return process.exitcode
