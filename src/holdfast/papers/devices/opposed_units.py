"""2OU: two opposed units on a spring-loaded slide, on a curved object (IV.C.b, Fig. 7).

The spines of both units point inwards: the right unit (at +x) pulls the object towards -x, the left one
towards +x, each along the surface, which rises inwards. The slide's coordinate is the distance between the
units, each moving half of it; the spring draws them together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...assembly import Joint, Patch
from ...errors import GeometryError, InputError
from ...force_limits.volume import ForceVolume
from ...geometry.frames import Pose
from .device import Device, HeldObject, Link
from .dimensions import Dimensions, dimension
from .unit import default_unit
from .wrapping import RoundObject

#: Height of the slide above the crest of the object, where it is drawn [m].
SLIDE_HEIGHT = 0.02

#: The plate is drawn this many times further round than the middle of the units.
PLATE_SPAN = 3.0


@dataclass(frozen=True)
class OpposedUnitsDimensions(Dimensions):
    """Dimensions of the 2OU; all are this project's choice, the paper gives none."""

    radius: float = dimension(0.150, "m", "radius of the object's curved surface")
    half_distance: float = dimension(0.030, "m", "from the middle plane to the middle of each unit")
    unit_size: tuple[float, float] = dimension((0.028, 0.030), "m", "unit along its shear direction and across")
    com_depth: float = dimension(0.050, "m", "object's centre of mass below the crest")
    object_mass: float = dimension(0.30, "kg", "mass of the object")
    object_length: float = dimension(0.10, "m", "object along the y axis, to draw it")
    preload: float = dimension(30.0, "N", "force of the spring that draws the units together")
    spring_range: float = dimension(
        10.0, "N", "by how much that force may change, either way, while the units shift as far as their spines give"
    )


def two_opposed_units(*, unit: ForceVolume | None = None, dimensions: OpposedUnitsDimensions | None = None) -> Device:
    """Two opposed microspine units on a spring-loaded slide (2OU); eight contacts, one joint row.

    The row of the slide (5): -(preload + spring_range) <= (f_right,x - f_left,x)/2 <= -(preload - spring_range),
    with f_right and f_left the units' forces on the object. Without a load the units already pull against one
    another with the preload; the slide cannot push them apart.

    Args:
        unit: admissible forces of one unit; the default microspine unit when None.
        dimensions: sizes, masses and the spring.
    """
    size = OpposedUnitsDimensions() if dimensions is None else dimensions
    if size.half_distance >= size.radius:
        raise GeometryError(
            f"is {size.half_distance:g} m with a radius of {size.radius:g} m",
            where="half_distance",
            fix="the units must stand on the upper half of the object",
        )
    if size.spring_range > size.preload:
        raise InputError(
            f"is {size.spring_range:g} N with a preload of {size.preload:g} N",
            where="spring_range",
            fix="at most the preload: the spring draws the units together and cannot push them apart",
        )
    around = RoundObject(size.radius, size.com_depth)
    tilt = float(np.arcsin(size.half_distance / size.radius))
    pattern = Patch.rectangle(Pose.identity(), size.unit_size, default_unit() if unit is None else unit)
    patches, blocks, links = [], [], []
    top = size.com_depth + SLIDE_HEIGHT
    for name, side in (("left", -1.0), ("right", 1.0)):
        normal = np.array([-side * np.sin(tilt), 0.0, -np.cos(tilt)])  # into the object
        shear = np.array([-side * np.cos(tilt), 0.0, np.sin(tilt)])  # inwards, up the surface
        pose = Pose(np.column_stack([shear, np.cross(normal, shear), normal]), around.center - size.radius * normal)
        patches.append(pattern.moved(pose, name=name))
        # J^T of the slide's coordinate: each unit moves half of it, outwards.
        blocks.append(np.tile([[side / 2.0, 0.0, 0.0]], (1, len(pattern))))
        x = float(pose.translation[0])
        links.append(Link(f"{name} leg", np.array([pose.translation, (x, 0.0, top)])))
    links.append(Link("slide", np.array([link.points[-1] for link in links])))
    slide = Joint("slide", -size.spring_range, size.spring_range, preload=-size.preload)
    return Device(
        "2OU",
        tuple(patches),
        HeldObject(size.object_mass, shape=around.shape(size.object_length, PLATE_SPAN * tilt)),
        (slide,),
        np.array([2.0 * size.half_distance]),
        np.concatenate(blocks, axis=1),
        np.zeros((1, 3)),  # equal units on either side: their weights cancel along the slide
        tuple(links),
    )
