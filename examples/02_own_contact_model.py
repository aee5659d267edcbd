"""My contact is not one of the ready models: how do I describe it?

Give the largest force in each direction as a function. Holdfast approximates it by convex pieces and reports the error.
The example is tape that resists shear and holds less the more it is peeled off.

Run it: python examples/02_own_contact_model.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting


def tape(directions: np.ndarray) -> np.ndarray:
    """(n,) the largest force [N] along unit directions (n, 3) of the contact frame: z presses, x is its length."""
    x, z = directions[:, 0], directions[:, 2]
    shear = 15.0 + 10.0 * x**2  # stronger along its length than across
    return np.where(z > 0.0, shear + 35.0 * z, shear * np.maximum(0.0, 1.0 + 1.3 * z))


def main(folder: Path) -> None:
    unit = hf.models.from_function(tape, side="inner", resolution=np.radians(15), max_pieces=5)
    print(f"{len(unit)} pieces, at most {unit.report.loss_newtons:.2f} N lost along any ray")
    for words, way in {"along": (1, 0, 0), "across": (0, 1, 0), "straight off": (0, 0, -1)}.items():
        direction = np.array([way], dtype=float)
        print(f"{words}: {unit.radial(direction)[0]:.1f} N of {tape(direction)[0]:.1f} N")

    flat = hf.frame_from_normal((0, 0, 1), shear=(1, 0, 0))
    strips = hf.Assembly([hf.Contact((x, 0, 0), flat, unit, f"strip {x:+g}") for x in (-0.04, 0.04)])
    print(f"two strips, pulled along: {hf.load_limit(strips, [1, 0, 0, 0, 0, 0]).value:.1f} N")

    ax = hf.force_limits.plots.force_volume(
        unit, reach=30.0, view=(18, -60), title="Tape: forces that it bears, pieces coloured"
    )
    plotting.save(ax, folder / "02_own_contact_model.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
