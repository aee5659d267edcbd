"""How kernels are compiled: once, kept on disk beside the package, without Python's checks inside loops.

Each compiled function is optimised again inside every one that calls it, so the parts of a kernel are pasted into it
(`inlined`) where that keeps it small, and compiled on their own (`kernel`) where they are called from several places.
Kernels allocate nothing and count no references (`_nrt`), which halves the code. The compiler's store on disk looks
at a kernel's own file only; here it also looks at every file of the feature that the kernel belongs to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba

#: Takes more options than its published types know of.
njit: Any = numba.njit


def sources(folder: Path, *called: Path) -> str:
    """A hash of what the kernels of a folder are made of: its files, those they call into, the tolerances."""
    files = [*sorted(folder.rglob("*.py")), *called, Path(__file__).parent / "tolerances.py"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


_PACKAGE = Path(__file__).parent


@cache
def feature_sources(file: str) -> str:
    """`sources` of the feature folder that holds a module of this package; of the file alone for any other module."""
    path = Path(file)
    if _PACKAGE not in path.parents or path.parent == _PACKAGE:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return _folder_sources(_PACKAGE / path.relative_to(_PACKAGE).parts[0])


_folder_sources = cache(sources)


def stored(sources: str | None = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile and store; a stored kernel is used again only while its `sources` have not changed.

    Args:
        sources: a hash of what the kernel is made of; None: that of the feature folder of its own file.
        options: further options of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = njit(cache=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False, **options)(function)
        file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if hasattr(file, "_source_stamp"):
            made_of = feature_sources(function.__code__.co_filename) if sources is None else sources
            file._source_stamp = (file._source_stamp, made_of)
        return compiled

    return decorate


#: A kernel that other kernels call.
kernel = stored()

#: A kernel called from Python that lets other threads run meanwhile.
released_kernel = stored(nogil=True)

#: A small kernel that is called so often that handing over its many arrays would cost more than it does.
small_kernel = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True, _nrt=False)

#: A part of a kernel that has a name of its own.
inlined = njit(inline="always", error_model="numpy", _nrt=False)

#: A short loop over many columns. Sums may be reordered, so that the processor takes several columns at a time: their
#: rounding changes in the last digit, and every number is known to be finite.
vectorised = njit(
    error_model="numpy",
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
    _nrt=False,
    fastmath={"nnan", "nsz", "reassoc", "contract"},
)


def plain(compiled: Any) -> Callable[..., Any]:
    """The Python function of a kernel, which calls those of the kernels that it calls: the same, uncompiled."""
    function = compiled.py_func
    known = function.__globals__
    called = {name: plain(known[name]) for name in function.__code__.co_names if hasattr(known.get(name), "py_func")}
    return FunctionType(function.__code__, known | called, function.__name__, function.__defaults__)
