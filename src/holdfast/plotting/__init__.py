"""Toolkit of pictures: one style, primitives in space and in the plane, and `save`.

The pictures of a feature are in its `plots` module: `hf.assembly.plots.assembly(...)`,
`hf.wrench_spaces.plots.wrench_space(...)`. Every such function takes `ax=None` (an Axes to draw on; without one a new
figure is made) and returns the Axes. Nothing is shown, pyplot is never used, and no setting of matplotlib is changed.
"""

from importlib.util import find_spec

from ..errors import missing_extra

if find_spec("matplotlib") is None:
    raise missing_extra("matplotlib", "plot", purpose="drawing")

from .files import save

__all__ = ["save"]
