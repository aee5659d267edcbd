"""Pictures: force volumes, limit surfaces, sections, assemblies with their forces, sweeps, limits, wrench spaces.

Every function takes `ax=None` (an Axes to draw on; without one a new figure is made) and returns the Axes.
Nothing is shown, pyplot is never touched, and no setting of matplotlib is changed. `save` writes the file:

    force_volume(volume, ax=None, *, level=None, reach=None, labels=None, opacity=0.75, view=(22, -60), title="")
    limit_surface(surface, ax=None, *, samples=True, reach=None, view=(22, -60), title="")
    section(things, plane="xz", ax=None, *, labels=None, reach=None, window=None, near=5.0, samples=True, title="")
    bands(surface, plane="xz", ax=None, *, near=5.0, samples=True, reach=None, window=None, title="")
    assembly(assembly, *, forces=None, wrench=None, result=None, shape=None, patches=(), ax=None, frames=True,
             force_scale=None, view=(20, -62), title="")      # an Assembly, a Device or a Scene
    gravity_polar(angles, statuses, factors=None, ax=None, *, farthest=10.0, title="")
    load_limits(limits, ax=None, *, unit="N", log=False, title="")      # {device: {direction: limit}}
    utilisation(diagnosis, ax=None, *, most=60, title="")      # how much of its strength each contact uses
    wrench_space(space, ax=None, *, levels=None, cap=None, view=(22, -60), title="")      # a slice's limit surface
    wrench_sections(space, ax=None, *, axis=1, values=None, cap=None, title="")
    wrench_difference(difference, ax=None, *, names=("first", "second"), cap=None, view=(22, -60), title="")
    comparison_radar(comparison, ax=None, *, measures=None, title="");  comparison_bars(comparison, *, title="")
    onset_agreement(predicted, true, groups, ax=None, *, within=radians(10), title="")
    onset_strip(frames, *, titles=())      # a gripper and its object, side by side as they turn
    paper_figure(data)      # a figure of the paper from `holdfast.studies.figures`
    save(figure_or_ax, path, *, dpi=150)      # .png, .svg or .pdf

Shapes of the object for `assembly`: Box(size, pose), Cylinder(center, axis, radius, length, half_angle), Sphere(radius,
center), Mesh(vertices, faces); lengths in metres, in the world. Forces are in newtons; cameras (elevation, azimuth) and
`near` in degrees, the angles of a sweep in radians.
"""

from .assemblies import assembly
from .bars import load_limits
from .comparisons import comparison_bars, comparison_radar
from .diagnoses import utilisation
from .files import save
from .paper_figures import paper_figure
from .sections import bands, section
from .shapes import Box, Cylinder, Mesh, Shape, Sphere
from .slip import onset_agreement, onset_strip
from .surfaces import limit_surface
from .sweeps import gravity_polar
from .volumes import force_volume
from .wrench_spaces import wrench_difference, wrench_sections, wrench_space

__all__ = [
    "Box",
    "Cylinder",
    "Mesh",
    "Shape",
    "Sphere",
    "assembly",
    "bands",
    "comparison_bars",
    "comparison_radar",
    "force_volume",
    "gravity_polar",
    "limit_surface",
    "load_limits",
    "onset_agreement",
    "onset_strip",
    "paper_figure",
    "save",
    "section",
    "utilisation",
    "wrench_difference",
    "wrench_sections",
    "wrench_space",
]
