"""How much does it hold in every load direction?

The load limits in all directions form the wrench space of the gripper. The picture shows the slice of forces for two
opposed microspine units. Every point inside is held; no point outside the outer planes is held.

Run it: python examples/04_wrench_space.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting


def main(folder: Path) -> None:
    device = hf.devices.two_opposed_units()
    rays = hf.wrench_spaces.Rays.sphere(
        hf.wrench_spaces.Subspace.named("fx,fy,fz"), level=2
    )  # 162 directions of the load
    space = hf.wrench_space(device.assembly(), rays)
    for row in space.extents.rows():
        print(f"{row.label}: {row.lowest:.1f} .. {row.highest:.1f} {row.unit}")
    weakest = int(np.argmin(space.values))
    print(
        f"weakest of {len(space)} loads: {space.values[weakest]:.2f} N towards {rays.directions[weakest, :3].round(2)}"
    )
    print("proofs verified" if space.verify() else "a proof fails")
    space.save(folder / "04_wrench_space.h5")  # with the proofs; `holdfast space --mesh` writes one for CAD

    ax = hf.wrench_spaces.plots.wrench_space(space, title="Two opposed units: forces that are held")
    plotting.save(ax, folder / "04_wrench_space.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
