"""How kernels are compiled: once, kept on disk beside the package, without Python's checks inside loops.

Each compiled function is optimised again inside every one that calls it, so the parts of a kernel are pasted into it
(`inlined`) where that keeps it small, and compiled on their own (`kernel`) where they are called from several places.
Kernels allocate nothing and count no references (`_nrt`), which halves the code. The compiler's store on disk looks
at a kernel's own file only; here it also looks at the files of the kernels that it calls.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

#: Takes more options than its published types know of.
njit: Any = numba.njit


def sources(folder: Path, *called: Path) -> str:
    """A hash of what the kernels of a folder are made of: its files, those they call into, the tolerances."""
    files = [*sorted(folder.rglob("*.py")), *called, Path(__file__).parent / "tolerances.py"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def stored(sources: str, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile and store; a stored kernel is used again only while its `sources` have not changed."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = njit(cache=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False, **options)(function)
        file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if hasattr(file, "_source_stamp"):
            file._source_stamp = (file._source_stamp, sources)
        return compiled

    return decorate


_SOURCES = sources(Path(__file__).parent / "solvers")

#: A kernel that other kernels call.
kernel = stored(_SOURCES)

#: A kernel called from Python that lets other threads run meanwhile.
released_kernel = stored(_SOURCES, nogil=True)

#: A small kernel that is called so often that handing over its many arrays would cost more than it does.
small_kernel = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True, _nrt=False)

#: A part of a kernel that has a name of its own.
inlined = njit(inline="always", error_model="numpy", _nrt=False)
