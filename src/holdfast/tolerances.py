"""Every tolerance of Holdfast, named, relative, and in one place.

A tolerance is always multiplied by the size of what it is compared with: the largest force of a
volume, the load of a query, the length of a vector. Nothing is compared with a bare number of
newtons, and a torque [N m] is divided by a length before it is compared with a force [N].
"""

from __future__ import annotations

#: Distance from 1 to the next larger double: one operation is right to half of this share of its result.
EPSILON = 2.0**-52

#: Rounding of a sum of products is at most this share of the sum of the magnitudes, per term.
SUM_ROUNDING = 16.0 * EPSILON

#: Results of a few operations on numbers of size one (sines, unit vectors, rotations) are exact to this.
UNIT_ROUNDING = 64.0 * EPSILON

#: Results of a longer direct computation are exact to this share of the size of the operands.
ROUNDING = 1e-12

#: Results of an iterative computation (linear program, hull, bisection) are exact to this share of their size.
SOLVER_ROUNDING = 1e-9

#: A rotation is accepted when R^T R differs from the identity by no more than this; unit normals alike.
ORTHONORMAL = 1e-6

#: Points whose singular values fall below this share of the largest span a lower dimension.
FLAT = 1e-10

#: A vertex is redundant, a plane repeated, a face coplanar within this share of the set's size.
MERGE = 1e-9

#: A force belongs to a set when it is outside by no more than this share of the set's size.
MEMBERSHIP = 1e-9

#: Weights, forces and balances of a solution are right to this share of the load.
FEASIBILITY = 1e-9

#: A ray counts as unbounded support when its slope exceeds this share of |direction| |ray|.
RAY_SLOPE = 1e-9

#: Default relative gap at which a load limit counts as found.
GAP = 1e-6

#: Fraction of the load by which a separating wrench must win before it is a proof.
SEPARATION = 1e-9

#: A direction this much shorter than its neighbours (or than 1) has no direction at all.
ZERO_DIRECTION = 1e-12

#: Magnitudes accepted in files and constructors: beyond these a unit has been mistaken.
SMALLEST_LENGTH = 1e-6  # [m]
LARGEST_LENGTH = 1e4  # [m]
SMALLEST_FORCE = 1e-12  # [N]
LARGEST_FORCE = 1e12  # [N]
SMALLEST_MASS = 1e-9  # [kg]
LARGEST_MASS = 1e9  # [kg]
SMALLEST_ACCELERATION = 1e-9  # [m/s^2]
LARGEST_ACCELERATION = 1e9  # [m/s^2]
