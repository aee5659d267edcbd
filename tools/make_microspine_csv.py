"""Write src/holdfast/data/microspine_unit.csv: synthetic limit forces of the default microspine unit.

Run from the repository root: python tools/make_microspine_csv.py
The same seed gives an identical file. The formula is (11) and (12) of Hauser, Wang and Cutkosky (2018) with
the default parameters below, which are choices of this project: the raw data of the paper are unpublished.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

SEED = 2018
TRIALS = 3
SCATTER = 0.05

F0 = 40.0  # shear limit along the best direction [N]
BETA = np.radians(15.0)  # inclination of the spines
ALPHA = np.radians(15.0)  # cone angle of the tip
MU = 0.3  # spine tip on asperity
MU_CHANNEL = 0.3  # spine in its channel
MU_SUBSTRATE = 0.5  # unit on surface, compressive half
TIP_DECAY = 0.1
PSI_MAX = np.radians(100.0)
CAP = 100.0  # largest compression [N]

AZIMUTHS = np.arange(0, 360, 15)
PULL_ANGLES = (0, 4, 8, 12, 16, 20, 22, 24, 26, 27, 40, 65)  # loading angle phi below the surface [deg]
PRESS_ANGLES = (10, 25, 45)  # elevation above the surface [deg], and one ring at the edge of the cap


def adhesive_limit(phi: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """F(phi, theta) [N] by (11) with beta' of (12): pull at angle phi below the surface, azimuth theta [rad]."""
    phi, theta = np.broadcast_arrays(phi, theta)
    beta = np.arcsin(np.sin(BETA) * np.cos(theta))  # (12)
    return F0 * _usable(phi, beta) / _usable(np.zeros(1), np.array([BETA]))[0]


def _usable(phi: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Integral of C_i C_c over the usable slopes psi_min(phi) <= psi <= psi_max."""
    low = phi + 0.5 * np.pi - np.arctan(MU)
    edge = np.clip(beta + 0.5 * np.pi - 0.5 * ALPHA, low, np.maximum(low, PSI_MAX))
    slopes = (edge - low) + TIP_DECAY * np.maximum(0.0, PSI_MAX - edge)
    channel = np.cos(np.maximum(0.0, np.abs(phi - beta) - np.arctan(MU_CHANNEL)))
    return np.maximum(0.0, slopes) * channel


def limit(directions: np.ndarray) -> np.ndarray:
    """Limit force [N] of the default unit along unit directions (n, 3) in the contact frame (u, v, n)."""
    d = np.asarray(directions, dtype=float)
    theta = np.arctan2(d[:, 1], d[:, 0])
    phi = np.arcsin(np.clip(-d[:, 2], -1.0, 1.0))
    pulled = adhesive_limit(np.maximum(phi, 0.0), theta)
    shear = adhesive_limit(np.zeros(len(d)), theta)
    # Compressive half: |f_t| <= F(0, theta) + mu_t f_n and f_n <= cap.
    across = np.cos(phi) - MU_SUBSTRATE * np.maximum(d[:, 2], 0.0)
    with np.errstate(divide="ignore"):
        friction = np.where(across > 1e-12, shear / across, np.inf)
        cap = np.where(d[:, 2] > 0.0, CAP / d[:, 2], np.inf)
    return np.where(phi > 0.0, pulled, np.minimum(friction, cap))


def measurement_angles() -> np.ndarray:
    """(n, 2) azimuth and elevation [deg] of every direction that is measured."""
    rows = [(0.0, -90.0)]
    rows += [(float(az), -float(phi)) for phi in reversed(PULL_ANGLES) for az in AZIMUTHS]
    rows += [(float(az), float(el)) for el in PRESS_ANGLES for az in AZIMUTHS]
    shear = adhesive_limit(np.zeros(len(AZIMUTHS)), np.radians(AZIMUTHS)) + MU_SUBSTRATE * CAP
    rows += [
        (float(az), round(float(np.degrees(np.arctan2(CAP, s))), 2)) for az, s in zip(AZIMUTHS, shear, strict=True)
    ]
    rows += [(0.0, 90.0)]
    return np.array(rows)


def unit_directions(angles: np.ndarray) -> np.ndarray:
    """Unit vectors (n, 3) of azimuth and elevation (n, 2) [deg]."""
    azimuth, elevation = np.radians(angles).T
    flat = np.cos(elevation)
    return np.column_stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])


def text() -> str:
    """The whole file."""
    angles = measurement_angles()
    nominal = limit(unit_directions(angles))
    rng = np.random.default_rng(SEED)
    measured = nominal[:, None] * np.maximum(0.0, 1.0 + SCATTER * rng.standard_normal((len(nominal), TRIALS)))
    lines = [
        "# SYNTHETIC limit forces of one microspine unit; no physical measurement.",
        "# Adhesive half: equations (11) and (12) of Hauser, Wang and Cutkosky (2018) with F0 = 40 N, beta = 15 deg,",
        "# alpha = 15 deg, mu = 0.3, mu_s = 0.3, c_i = 0.1, psi_max = 100 deg. Compressive half: shear up to",
        "# F(0, theta) + 0.5 f_n, compression up to 100 N. Contact frame: x best shear direction, z into the object;",
        "# azimuth from x towards y, elevation from the surface towards z (negative pulls).",
        f"# {TRIALS} trials a direction, normal scatter {SCATTER:.0%}, seed {SEED} (tools/make_microspine_csv.py).",
        "azimuth [deg],elevation [deg],force [N],trial,unit",
    ]
    for (azimuth, elevation), forces in zip(angles, measured, strict=True):
        lines += [f"{azimuth:g},{elevation:g},{force:.4f},{k + 1},microspine" for k, force in enumerate(forces)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the file."""
    target = Path(__file__).resolve().parents[1] / "src" / "holdfast" / "data" / "microspine_unit.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
