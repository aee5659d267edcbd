"""Problems of planar mechanics: a body, what it touches, its load and velocity, and outlines to draw.

Ready ones are files: `load_planar("@ladder")`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array
from ..errors import InputError
from ..public_names import with_advice
from .bodies import Body, Contact, PlanarOutline, touching_contacts
from .erdmann import FrictionCone
from .motion_sets import MotionSet, motions

GRAVITY = 9.81  # [m/s^2]


@dataclass(frozen=True, eq=False)
class Problem:
    """A body in contact, with what is needed to compute its motions and to draw it.

    Attributes:
        name: a short description.
        body, contacts, force, velocity: as in `motions`.
        outline: of the body, at its position.
        obstacles: outlines of the obstacles.
        centre: (2,) the body's centre of mass.
        points: (k, 2) where the contacts are.
    """

    name: str
    body: Body
    contacts: tuple[Contact, ...]
    force: Array
    velocity: Array
    outline: PlanarOutline
    obstacles: tuple[PlanarOutline, ...]
    centre: Array
    points: Array

    def motions(self) -> MotionSet:
        """All its possible motions."""
        return motions(self.body, self.contacts, self.force, self.velocity)

    def friction_cone(self) -> FrictionCone:
        """Its composite friction cone."""
        return FrictionCone(self.body, self.contacts)

    def changed(
        self, *, force: ArrayLike | None = None, velocity: ArrayLike | None = None, mu: float | None = None
    ) -> Self:
        """The same under another (Fx, Fy, torque about the centre of mass) [N, N m], velocity, or friction."""
        given = {"force": force, "velocity": velocity}
        changes: dict[str, Any] = {n: checks.vector(n, value, 3) for n, value in given.items() if value is not None}
        if mu is not None:
            changes["contacts"] = tuple(replace(contact, mu=mu) for contact in self.contacts)
        return replace(self, **changes)

    def under(self, force: ArrayLike) -> Self:
        """The same under another (Fx, Fy, torque about the centre of mass) [N, N m]."""
        return self.changed(force=force)

    def with_friction(self, mu: float) -> Self:
        """The same with the friction coefficient `mu` at every contact."""
        return self.changed(mu=mu)


@with_advice()
def from_outlines(
    outline: PlanarOutline,
    obstacles: Sequence[PlanarOutline],
    mu: float | Sequence[float],
    force: ArrayLike,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    *,
    mass: float | None = None,
    density: float | None = None,
    body: Body | None = None,
    centre: ArrayLike | None = None,
    name: str = "",
) -> Problem:
    """A problem from outlines at their positions, with contacts found by `touching_contacts`.

    The body is a uniform plate of `mass` [kg] or `density` [kg/m^2], or the given `body` with its `centre` of mass.
    """
    found = touching_contacts(outline, obstacles, mu, centre=centre)
    if body is None:
        if centre is not None:
            raise InputError("is given without a body", where="centre", fix="give body, or leave the centre out")
        body = outline.body(mass=mass, density=density)
    elif mass is not None or density is not None:
        raise InputError("has its mass already", where="body", fix="leave mass and density out")
    load, speed = checks.vector("force", force, 3), checks.vector("velocity", velocity, 3)
    return Problem(
        name, body, found.contacts, load, speed, outline, tuple(obstacles), found.centre, found.points
    )  # fmt: skip


def three_points(mu: float = 0.25, force: ArrayLike = (0.0, -1.0, 0.0)) -> Problem:
    """Erdmann's body on three points of an edge (Section 5.2), left, right, middle: the file @three_points."""
    from .files import PlanarBodyScene, load_planar

    scene = load_planar("@three_points")
    assert isinstance(scene, PlanarBodyScene)
    return scene.changed(mu=mu, force=force)
