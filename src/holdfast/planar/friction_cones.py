"""The composite friction cone: every generalised force that contacts can exert (Erdmann 1993, Sections 4.3 and 5.2)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray
from .bodies import Body, Contact
from .configuration_space import contact_vectors, generalised_force
from .polyhedra import Polyhedron

#: A force is on the cone, an edge on a facet, within this share of its length.
ON_CONE = 1e-9


class FrictionCone:
    """The sum of the friction cones of all contacts, in (Fx, Fy, torque / rho) [N]; immutable.

    For a body at rest this is every force that the contacts can cancel, whichever of them push.

    Attributes:
        body, contacts: whose cone it is.
        edges: (k, 2, 3) Delta n + mu v_f and Delta n - mu v_f of each contact, for a normal force of 1 N.
        polyhedron: the cone in rows, irredundant: A F >= 0, C F = 0.
    """

    def __init__(self, body: Body, contacts: Iterable[Contact]) -> None:
        checks.iterable("contacts", contacts, fix="give a list of Contact")
        self.body = body
        self.contacts: tuple[Contact, ...] = tuple(contacts)
        edges = [contact_vectors(body, contact).edges(contact.mu) for contact in self.contacts]
        self.edges: Array = np.array(edges).reshape(-1, 2, 3)
        self.edges.setflags(write=False)
        self.polyhedron = Polyhedron.from_generators(np.zeros((1, 3)), self.edges.reshape(-1, 3))

    def __repr__(self) -> str:
        return f"FrictionCone({len(self.contacts)} contacts, dimension {self.dimension})"

    @property
    def facets(self) -> Array:
        """(m, 3) inward unit normals: a force F is in the cone when facets @ F >= 0 and equalities @ F = 0."""
        return self.polyhedron.A

    @property
    def equalities(self) -> Array:
        """(e, 3) unit vectors at right angles to a flat cone; none for a solid one."""
        return self.polyhedron.C

    @property
    def dimension(self) -> int:
        """Dimension of the cone's span: 0 without contacts, 2 for one contact with friction, mostly 3 for more."""
        return 3 - len(self.equalities)

    @cached_property
    def rays(self) -> Array:
        """(m, 3) unit extreme rays; for a cone that holds lines, of what is left beside them."""
        return self.polyhedron.generators.rays

    @cached_property
    def lines(self) -> Array:
        """(m, 3) unit vectors that span the forces F with both F and -F in the cone: the contacts can squeeze."""
        return self.polyhedron.generators.lines

    @property
    def is_pointed(self) -> bool:
        """Whether no force and its opposite are both in the cone."""
        return not len(self.lines)

    @property
    def is_whole_space(self) -> bool:
        """Whether every force is in the cone: force closure."""
        return len(self.lines) == 3

    @cached_property
    def facet_rays(self) -> tuple[Array, ...]:
        """For each facet the unit edges (m, 3) of single contacts that lie on it, without doubles."""
        flat = self.edges.reshape(-1, 3)
        units = flat / np.linalg.norm(flat, axis=1, keepdims=True)
        found = []
        for facet in self.facets:
            kept: list[Array] = []
            for edge in units[np.abs(units @ facet) <= ON_CONE]:
                if all(np.abs(edge - other).max() > ON_CONE for other in kept):
                    kept.append(edge)
            found.append(np.array(kept).reshape(-1, 3))
        return tuple(found)

    def contains(self, forces: ArrayLike) -> BoolArray:
        """Whether each generalised force (..., 3), as (Fx, Fy, torque / rho), is in the cone."""
        given = checks.rows("forces", forces, 3)
        near = ON_CONE * np.linalg.norm(given, axis=-1, keepdims=True)
        inside = (given @ self.facets.T >= -near).all(axis=-1)
        return inside & (np.abs(given @ self.equalities.T) <= near).all(axis=-1)

    def can_resist(self, force: ArrayLike) -> BoolArray:
        """Whether reactions can cancel each load (Fx, Fy, torque about the centre of mass) [N, N m]; at rest."""
        return self.contains(-generalised_force(self.body, force))


def friction_cone(body: Body, contacts: Iterable[Contact]) -> FrictionCone:
    """The composite friction cone of a body's contacts."""
    checks.instance("body", body, Body, fix="give holdfast.planar.Body(mass, radius_of_gyration)")
    return FrictionCone(body, contacts)
