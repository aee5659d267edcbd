from __future__ import annotations

import io
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

import holdfast as hf
import holdfast.solvers.exact.method
from holdfast.console import compiling


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Console:
    console = Console(force_terminal=True, width=100, file=io.StringIO(), highlight=False)
    monkeypatch.setattr(compiling, "messages", lambda: console)
    monkeypatch.setattr(compiling, "LOOK_EVERY", 0.001)
    return console


def kernel(*, misses: int, signatures: tuple[str, ...] = ()) -> Any:
    """What a kernel shows of itself: how often it was not found on the disk, and what it is compiled for."""
    return SimpleNamespace(stats=SimpleNamespace(cache_misses={"signature": misses}), signatures=signatures)


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def pretend(monkeypatch: pytest.MonkeyPatch, solve: Any, question: Callable[[], None]) -> None:
    """Let the exact method have these kernels, and be prepared by this question."""
    monkeypatch.setattr(
        "holdfast.solvers.exact.support_tables.fill_cells", kernel(misses=0, signatures=("float64[:]",))
    )
    monkeypatch.setattr("holdfast.solvers.exact.search.solve", solve)
    monkeypatch.setattr(compiling, "_ask", question)


def test_a_kernel_that_is_not_on_the_disk_is_announced(monkeypatch: pytest.MonkeyPatch, terminal: Console) -> None:
    told = threading.Event()
    monkeypatch.setattr(terminal, "status", lambda text: (told.set(), terminal.print(text), Status())[-1])
    pretend(monkeypatch, kernel(misses=1), lambda: assert_in_time(told))
    compiling.prepare(hf.Exact())
    assert compiling.NOTICE in shown(terminal)


class Status:
    """What `Console.status` gives: a notice that stands for as long as a block lasts."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def assert_in_time(event: threading.Event) -> None:
    assert event.wait(10.0)


def test_a_kernel_from_the_disk_is_loaded_in_silence(monkeypatch: pytest.MonkeyPatch, terminal: Console) -> None:
    asked: list[int] = []
    pretend(monkeypatch, kernel(misses=0), lambda: asked.append(1))
    compiling.prepare(hf.Exact())
    assert asked == [1] and shown(terminal) == ""


def test_kernels_that_are_there_are_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    pretend(monkeypatch, kernel(misses=1, signatures=("float64[:]",)), lambda: asked.append(1))
    compiling.prepare(hf.Exact())
    pretend(monkeypatch, kernel(misses=0), lambda: asked.append(2))
    compiling.prepare(hf.Reference())
    assert asked == []


def test_nothing_is_announced_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO())
    ended = threading.Event()
    compiling._tell(console, [kernel(misses=1)], ended)
    assert shown(console) == ""


def test_the_question_that_prepares_uses_every_kernel() -> None:
    from holdfast.solvers.exact.search import solve
    from holdfast.solvers.exact.support_tables import fill_cells

    compiling._ask()
    kernels: tuple[Any, ...] = (fill_cells, solve)
    before = [list(made.signatures) for made in kernels]
    assert all(before)
    assembly = hf.devices.two_opposed_units(unit=hf.models.gecko_two_way(20.0)).assembly()
    assert hf.load_limit(assembly, hf.devices.PULL).verify()
    assert hf.Solver(assembly).equilibrium_many([hf.devices.PULL, hf.devices.PUSH]).holds.all()
    assert [list(made.signatures) for made in kernels] == before  # nothing had to be compiled for other questions
