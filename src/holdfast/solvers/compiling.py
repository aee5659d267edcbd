"""How kernels are compiled: once, kept on disk beside the package, without Python's checks inside loops.

Each compiled function is optimised again inside every one that calls it, so only those that are called from several
places are compiled on their own; the others are pasted into their caller (`inlined`). The store on disk knows a
kernel's own file but not the files of kernels it calls: after changing one, clear it with `python3 make.py clean`.
"""

from __future__ import annotations

from numba import njit

#: A kernel that other kernels call.
kernel = njit(cache=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False)

#: A small kernel that is called so often that handing over its many arrays would cost more than it does.
small_kernel = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True, _nrt=False)

#: A part of a kernel that has a name of its own.
inlined = njit(inline="always", error_model="numpy", _nrt=False)

#: A kernel called from Python that lets other threads run meanwhile.
released_kernel = njit(cache=True, error_model="numpy", nogil=True, no_cfunc_wrapper=True, _nrt=False)
