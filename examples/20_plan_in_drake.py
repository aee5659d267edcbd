"""How fast may an arm move what its suction cups hold? Sets of Holdfast become constraints of a Drake optimisation.

Drake finds the largest acceleration of a plate in 24 directions, under three constraints: the hull of loads that are
held, a VPolytope; the half-spaces that contain all held loads, an HPolyhedron; and the force volumes of the cups.

Run it: python examples/20_plan_in_drake.py [FOLDER]; it needs Drake: pip install drake
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from pydrake.geometry.optimization import HPolyhedron, VPolytope
from pydrake.solvers import MathematicalProgram, Solve

import holdfast as hf
from holdfast import plotting
from holdfast.plotting import style

MASS, GRAVITY = 6.0, np.array([0.0, 0.0, -9.81])
AT_CENTRE = np.vstack([np.eye(3), [[0, 0.04, 0], [-0.04, 0, -0.02], [0, 0.02, 0]]])  # of mass, at (0.02, 0, -0.04) m


def fastest(held, way: np.ndarray) -> float:
    """The largest acceleration [m/s^2] along `way` for which the load is in the set that `held` describes."""
    program = MathematicalProgram()
    rate, load = program.NewContinuousVariables(1), program.NewContinuousVariables(6)
    program.AddLinearCost(-rate[0])
    swing = np.column_stack([np.eye(6), MASS * AT_CENTRE @ way])  # load = mass (gravity - rate way), at the centre
    program.AddLinearEqualityConstraint(swing, MASS * AT_CENTRE @ GRAVITY, np.concatenate([load, rate]))
    held(program, load)
    return float(Solve(program).GetSolution(rate)[0])


def main(folder: Path) -> None:
    cup, down = hf.models.suction(vacuum=60.0, mu=0.5, cap=90.0), hf.frame_from_normal((0, 0, -1))  # into the plate
    cups = hf.Assembly([hf.Contact((x, y, 0), down, cup) for x in (-0.1, 0.1) for y in (-0.08, 0.08)])
    space = hf.wrench_space(cups, hf.geometry.sphere_directions(300) @ AT_CENTRE.T)

    def by_forces(program: MathematicalProgram, load: np.ndarray) -> None:
        forces = program.NewContinuousVariables(12)
        for force in forces.reshape(4, 3):
            VPolytope(down @ cup.polytopes[0].vertices.T).AddPointInSetConstraints(program, force)
        balance = np.column_stack([cups.wrench_matrix, np.eye(6)])
        program.AddLinearEqualityConstraint(balance, np.zeros(6), np.concatenate([forces, load]))

    sets = {"hull of held loads": VPolytope(space.points.T).AddPointInSetConstraints, "force volumes": by_forces}
    sets["half-spaces"] = HPolyhedron(space.normals, space.offsets).AddPointInSetConstraints
    ways = np.array([[np.cos(a), 0, np.sin(a)] for a in np.radians(np.arange(0, 360, 15))])
    axes = style.axes(None, "plane")
    for (name, held), look in zip(sets.items(), ("-", "o", "--"), strict=True):
        found = np.array([fastest(held, way) for way in ways])
        axes.plot(*(found[:, None] * ways)[[*range(24), 0]].T[[0, 2]], look, ms=4, label=name)
        print(f"{name}: {found[0]:.3f} m/s^2 sideways, {found[6]:.3f} m/s^2 up")
    exact = [hf.load_ramp(cups, MASS * AT_CENTRE @ GRAVITY, -MASS * AT_CENTRE @ ways[k]).value for k in (0, 6)]
    print(f"by Holdfast: {exact[0]:.3f} m/s^2 sideways, {exact[1]:.3f} m/s^2 up")
    axes.set(xlabel="acceleration along x [m/s$^2$]", ylabel="acceleration upwards [m/s$^2$]")
    style.dress_plane(axes, title="A plate of 6 kg on four suction cups")
    style.legend(axes)
    plotting.save(axes, folder / "20_plan_in_drake.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
