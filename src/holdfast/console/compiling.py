"""Kernels are compiled when they are first used on a machine: a terminal is told while it lasts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .options import is_exact
from .output import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from ..statics.equilibrium import Method

#: Seconds between looks at whether kernels are being compiled.
LOOK_EVERY = 0.1

NOTICE = "compiling the solver for this machine: once, some 30 seconds"


def prepare(method: Method) -> None:
    """Have the exact method's kernels loaded, or compiled and kept, by a question of no interest.

    The answers that follow then tell their own time. Other methods have no kernels.
    """
    if not is_exact(method):
        return
    from ..solvers.exact.search import solve
    from ..solvers.exact.support_tables import fill_cells

    _watched((fill_cells, solve), _ask)


def prepare_separation() -> None:
    """The same for the kernels that separation needs besides."""
    from ..dynamics.program import compile_kernels
    from ..solvers import Exact
    from ..solvers.min_norm import run

    prepare(Exact())
    _watched((run,), compile_kernels)


def _watched(kernels: Sequence[Any], question: Callable[[], None]) -> None:
    """Put a question that needs the kernels, unless they are loaded, and tell a terminal while it lasts."""
    if all(kernel.signatures for kernel in kernels):
        return
    ended = threading.Event()
    watcher = threading.Thread(target=_tell, args=(messages(), kernels, ended), daemon=True)
    watcher.start()
    try:
        question()
    finally:
        ended.set()
        watcher.join()


def _ask() -> None:
    """A question that needs every kernel."""
    import numpy as np

    from ..assembly import Contact
    from ..assembly.assembly import Assembly
    from ..force_limits import ForceVolume
    from ..solvers import Exact

    ball = ForceVolume([np.concatenate([np.eye(3), -np.eye(3)])])
    Exact().test(Assembly([Contact(np.zeros(3), np.eye(3), ball)]).build([0.0, 0.0, 0.5, 0.0, 0.0, 0.0]))


def _tell(console: Console, kernels: Sequence[Any], ended: threading.Event) -> None:
    """Show a notice on a terminal from when a kernel is found missing on the disk until `ended`."""
    while console.is_terminal and not ended.wait(LOOK_EVERY):
        if any(sum(kernel.stats.cache_misses.values()) for kernel in kernels):
            with console.status(NOTICE):
                ended.wait()
