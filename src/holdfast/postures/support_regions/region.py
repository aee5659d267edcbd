"""SupportRegion: where the centre of mass of a body may be so that its hands hold it (V.C), with the proof of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ... import checks, tolerances
from ...checks import Array
from ...solvers.minkowski.slices import CORNER, SliceKind
from ..hands import Hands
from .centring import Centring
from .frame import RegionFrame, Weight
from .planar import Pieces, area_of, clipped_square, pieces_of

if TYPE_CHECKING:
    from .active import ActiveConstraint
    from .verification import RegionResiduals

#: What a region says of the truth: it is exact, every point of it is in, or every point that is in is in it.
Side = Literal["exact", "inner", "outer"]


@dataclass(frozen=True, eq=False)
class RegionProof:
    """Why a region is what it is.

    Attributes:
        wrenches: (n, k, 6) per vertex, the wrench of every hand in its palm frame [N, N m] that holds the body there;
            NaN in a region that is only outer.
        weights: (n,) per vertex, per hand: the vertices and rays of its grip that its wrench combines, and with which
            weights. They mean nothing for hands that have no vertices.
        multipliers: (e, 6) per edge, y against wrenches about the world's origin. The hands give together no more
            than h(y) along y, and y turns the weight into the edge: normal . z <= offset. NaN in a region that is
            only inner.
        separator: (6,) of an empty region: y along which the hands give less than is wanted, wherever the centre of
            mass is. None otherwise.
    """

    wrenches: Array
    weights: Sequence[Any]
    multipliers: Array
    separator: Array | None


@dataclass(frozen=True, eq=False, repr=False)
class SupportRegion:
    """Centres of mass, in coordinates across gravity, for which the hands hold the body (21).

    The region is conv(vertices) + cone(rays), and also {z : normals @ z <= offsets}. Under gravity along -z the
    coordinates are world x and y [m]; see `frame`. The height of the centre of mass never matters.

    Attributes:
        kind: "polygon", "segment", "point", "empty", "unbounded" or "plane".
        vertices: (n, 2) [m] corners, counter-clockwise. An unbounded region that contains a whole line has no corners;
            one point of each border line stands here. Of "plane", one point that holds.
        rays: (m, 2) unit directions without limit. The border comes in along the first and leaves along the last of
            two. Opposite rays: a line (one vertex), a strip (two), or with a third ray a half-plane.
        normals: (e, 2) outward unit normals; edge i of a polygon leads from vertex i to the next, of an unbounded
            region to vertex i. Points and segments have four half-planes round them.
        offsets: (e,) [m] of the half-planes.
        side: "exact"; "inner" or "outer" from sampling, "outer" of lazy hands whose volumes are not convex.
        frame: the coordinates.
        weight: mass and gravity.
        hands: grips and poses.
        proof: wrenches per vertex, multipliers per edge.
        method: what computed it.
        solves: how many programs, or passes over all vertices of the hands, it took.
        size: [m] what the region's tolerances are shares of: its own, or the hands' length where that is larger.
    """

    kind: SliceKind
    vertices: Array
    rays: Array
    normals: Array
    offsets: Array
    side: Side
    weight: Weight
    hands: Hands
    proof: RegionProof
    method: str
    solves: int
    size: float

    def __repr__(self) -> str:
        rays = f", {len(self.rays)} rays" if len(self.rays) else ""
        area = f", {self.area:.4g} m^2" if self.kind is SliceKind.POLYGON else ""
        return f"SupportRegion({self.kind}, {len(self.vertices)} vertices{rays}{area})"

    @property
    def frame(self) -> RegionFrame:
        """Coordinates of the region: its origin and its axes (2, 3) in the world."""
        return self.weight.frame

    @cached_property
    def centring(self) -> Centring:
        """The hands as seen from amid their palms."""
        return Centring(self.hands)

    @property
    def mass(self) -> float:
        """[kg]."""
        return self.weight.mass

    @property
    def gravity(self) -> Array:
        """(3,) [m/s^2] in the world."""
        return self.weight.gravity

    @property
    def is_empty(self) -> bool:
        """Whether no centre of mass holds."""
        return self.kind is SliceKind.EMPTY

    @property
    def is_bounded(self) -> bool:
        """Whether the region has an end in every direction."""
        return not len(self.rays)

    @cached_property
    def area(self) -> float:
        """[m^2]; 0 of points, segments and lines, inf of other unbounded regions."""
        return area_of(self.kind, self.vertices, self.rays)

    @cached_property
    def pieces(self) -> Pieces:
        """The border, as pieces of lines in the region's coordinates."""
        return pieces_of(self.kind, self.vertices, self.rays, self.normals)

    # -- questions about a centre of mass -------------------------------------------------------

    def signed_distance(self, com: ArrayLike) -> Array:
        """Distance [m] of centres of mass (..., 3) or (..., 2) to the border across gravity, positive inside.

        Outside it is minus the distance to the region. Thin regions have no inside: 0 on them. -inf for an empty
        region, inf in the whole plane.
        """
        z = self.frame.coordinates(com)
        if self.is_empty or self.kind is SliceKind.PLANE:
            return np.full(z.shape[:-1], -np.inf if self.is_empty else np.inf)[()]
        flat = z.reshape(-1, 2)
        slack = (self.offsets - flat @ self.normals.T).min(axis=1)
        if self.kind in (SliceKind.POINT, SliceKind.SEGMENT):
            slack = np.minimum(slack, 0.0)
        outside = slack < 0.0
        slack[outside] = -self.pieces.distance(flat[outside])
        return slack.reshape(z.shape[:-1])[()]

    @cached_property
    def extent(self) -> float:
        """[m] largest distance between the corners of a polygon; `size` where there is no such thing, or it is larger.

        Thin and unbounded regions are known to shares of `size` alone, and corners to a small share of it: the extent
        counts as no less.
        """
        if self.kind is not SliceKind.POLYGON:
            return self.size
        own = float(np.hypot(*np.ptp(self.vertices, axis=0)))
        return min(self.size, max(own, CORNER / tolerances.MEMBERSHIP * self.size))

    def contains(self, com: ArrayLike, *, tolerance: float = tolerances.MEMBERSHIP) -> Array:
        """Whether centres of mass (..., 3) or (..., 2) are in the region, to `tolerance` times its `extent`."""
        return self.signed_distance(com) >= -tolerance * self.extent

    def active(self, com: ArrayLike) -> ActiveConstraint | None:
        """What a centre of mass (3,) or (2,) meets first or violates most: an edge, its proof, its hands.

        None where there is none: in the whole plane.
        """
        from .active import active_constraint

        return active_constraint(self, com)

    # -- shape ----------------------------------------------------------------------------------

    def outline(self, reach: float, centre: ArrayLike | None = None) -> Array:
        """(p, 2) corners, counter-clockwise, of the region, unbounded ones cut off `reach` [m] about `centre` (2,).

        The centre is the mean of the vertices by default. Bounded regions are given whole.
        """
        if self.is_bounded:
            return self.vertices
        reach = checks.positive("reach", reach, unit="m")
        middle = self.vertices.mean(axis=0) if centre is None else self.frame.coordinates(centre)
        if self.area == 0.0:  # a line or a half-line
            along = self.rays * reach
            return np.concatenate([self.vertices[:1] + along[1:], self.vertices, self.vertices[:1] + along[:1]])
        return clipped_square(self.normals, self.offsets, middle, reach)

    # -- proof ----------------------------------------------------------------------------------

    @cached_property
    def residuals(self) -> RegionResiduals:
        """What the proof leaves open, by arithmetic that shares nothing with the solver."""
        from .verification import residuals_of

        return residuals_of(self)

    def verify(self) -> bool:
        """Whether every vertex is held, every half-plane proven, and both describe the same set."""
        return self.residuals.passed
