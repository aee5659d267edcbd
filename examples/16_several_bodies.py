"""An arch of nine loose stones: does it stand, what load brings it down, and which joints open?

The stones are bodies with shapes. Contacts are found where they touch, and every stone has its own balance. The load on
one side grows while the weights stay constant. Beyond the limit the arch opens at hinges, which the result names, and
collapses.

Run it: python examples/16_several_bodies.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import holdfast as hf
from holdfast import plotting
from holdfast.assembly import shapes

RADIUS, DEPTH, DENSITY = 0.5, 0.12, 2400.0  # m, m, kg/m^3


def arch(thickness: float, stones: int = 9) -> hf.scenes.Scene:
    """A semicircular arch on two supports, with friction 0.7."""
    angles = np.linspace(np.pi, 0.0, stones + 1)
    ring = [(r * np.cos(a), y, r * np.sin(a)) for a in angles for r in (RADIUS - thickness / 2, RADIUS + thickness / 2)
            for y in (-DEPTH / 2, DEPTH / 2)]  # fmt: skip
    solids = {f"S{k + 1}": shapes.convex_mesh(ring[4 * k : 4 * k + 8]) for k in range(stones)}
    ground = shapes.Box((1.6, 0.3, 0.05), hf.Pose(np.eye(3), (0.0, 0.0, -0.025)))
    bodies = [hf.RigidBody(DENSITY * shapes.filled(s)[0], name=name, shape=s) for name, s in solids.items()]
    return hf.scenes.Scene.touching(bodies, hf.models.coulomb(0.7), world=[ground], shear=(0, 1, 0), name="arch")


def main(folder: Path) -> None:
    scene = arch(0.09)
    for one in (arch(0.045), scene):
        answer = hf.equilibrium(one.assembly, one.gravity_load())
        print(f"{answer.status} with {one.mass:.0f} kg of stone; proof verified: {answer.verify()}")
    stones, weights = scene.assembly, scene.gravity_load()
    push = {"S3": hf.loads.force_wrench((0, 0, -1), at=(-0.35, 0, 0.417))}  # 1 N down, left of the middle
    ramp = hf.load_ramp(stones, weights, push)
    print(f"on one side it holds {ramp.value:.1f} N in addition to the weights; proof verified: {ramp.verify()}")
    more = weights + 1.2 * ramp.value * stones.stacked(push)
    why = hf.diagnose(hf.equilibrium(stones, more))
    print("joints that open: " + ", ".join(side.name for side in why.interfaces if side.gives_way))

    figure = Figure(figsize=(10.0, 4.6))
    left, right = (figure.add_subplot(1, 2, number, projection="3d") for number in (1, 2))
    stands, falls = hf.equilibrium(stones, weights), hf.separation(stones, more, scene.mass_matrix())
    hf.assembly.plots.assembly(scene, result=stands, ax=left, frames=False, title="It stands under its weight")
    hf.dynamics.plots.separation(scene, falls, ax=right, title=f"{1.2 * ramp.value:.0f} N on one side: it falls")
    for ax in (left, right):
        ax.view_init(elev=10.0, azim=-80.0)
    plotting.save(figure, folder / "16_several_bodies.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
