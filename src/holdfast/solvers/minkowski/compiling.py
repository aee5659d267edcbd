"""How the kernels of sums are compiled and kept: as all kernels are, but stored by their own sources."""

from __future__ import annotations

from pathlib import Path

from ...compiling import inlined, njit, sources, stored

__all__ = ["inlined", "kernel", "released_kernel", "vectorised"]

_HERE = Path(__file__).parent
_SOURCES = sources(_HERE, _HERE.parent / "exact" / "simplex.py")

#: A kernel that other kernels call.
kernel = stored(_SOURCES)

#: A kernel called from Python that lets other threads run meanwhile.
released_kernel = stored(_SOURCES, nogil=True)

#: A short loop over many columns. Sums may be reordered, so that the processor takes several columns at a time: their
#: rounding changes in the last digit, and every number is known to be finite.
vectorised = njit(
    error_model="numpy",
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
    _nrt=False,
    fastmath={"nnan", "nsz", "reassoc", "contract"},
)
