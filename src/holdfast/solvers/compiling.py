"""How kernels are compiled: once, kept on disk beside the package, without Python's checks inside loops.

The store on disk knows a kernel's own file but not the files of kernels it calls: after changing one, clear it with
`python3 make.py clean`.
"""

from __future__ import annotations

from numba import njit

#: A kernel that other kernels call.
kernel = njit(cache=True, error_model="numpy")

#: A kernel called from Python that lets other threads run meanwhile.
released_kernel = njit(cache=True, error_model="numpy", nogil=True)
