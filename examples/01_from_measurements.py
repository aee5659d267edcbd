"""I have measured limit forces in a CSV file: what can the contact carry, and what is guaranteed?

The inner volume lies within the limits of the weakest trials, the outer volume covers those of the strongest. For a
straight pull the measurements have a notch. A convex model would fill this notch and predict a pull that no trial
showed.

Run it: python examples/01_from_measurements.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast import plotting


def bench(path: Path, seed: int = 4) -> None:
    """Simulated tests of a spiny pad: strong along x, it holds nothing at pull angles of 50 degrees and more."""
    rng = np.random.default_rng(seed)
    lines = ["azimuth [deg],elevation [deg],force [N],trial"]
    for elevation in (-90, -60, -45, -30, -15, 0, 45, 90):  # negative elevations pull the pad off
        for azimuth in (0,) if abs(elevation) == 90 else range(0, 360, 30):
            forward = np.cos(np.radians(azimuth))
            shear = 22 + (28 if forward > 0 else 13) * forward
            limit = shear * max(0.0, 1 + elevation / 50) if elevation < 0 else shear + 0.2 * elevation
            lines += [f"{azimuth},{elevation},{max(0.0, limit * rng.normal(1, 0.06)):.2f},{k}" for k in (1, 2, 3)]
    path.write_text("\n".join(lines), encoding="utf-8")


def main(folder: Path) -> None:
    bench(folder / "01_pad.csv")
    surface = hf.read_measurements(folder / "01_pad.csv").surface()
    inner = hf.decompose(surface.inner, side="inner", max_pieces=4)
    outer = hf.decompose(surface.outer, side="outer", max_pieces=4)
    print(f"{len(surface.directions)} directions, {surface.radial([[1.0, 0, 0]])[0]:.1f} N along x")
    print(f"inner: {len(inner)} pieces, at most {inner.report.lost_adhesion_newtons:.2f} N of pull lost")
    print(f"outer: {len(outer)} pieces, at most {outer.report.false_adhesion_newtons:.2f} N of false pull")
    off = [[0.0, 0.0, -1.0]]
    print(f"straight off: measured {surface.radial(off)[0]:.2f} N, a convex model {outer.hull().radial(off)[0]:.2f} N")

    things, names = [surface, inner, outer, outer.hull()], ["measured", "inner volume", "outer volume", "convex hull"]
    title, window = "A spiny pad, pulled (down) and sheared (right)", ((-17, 56), (-15, 13))
    ax = hf.force_limits.plots.section(things, "xz", labels=names, window=window, title=title)
    plotting.save(ax, folder / "01_from_measurements.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
