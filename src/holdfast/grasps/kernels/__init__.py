"""Compiled kernels of planar grasps; arrays in and out, lengths in mm, angles in rad.

How the kernels of planar grasps are compiled and kept: as all kernels are, but stored by their own sources.
"""

from __future__ import annotations

from pathlib import Path

from ...compiling import sources, stored

#: A kernel, called from Python or from other kernels of this folder.
kernel = stored(sources(Path(__file__).parent))
