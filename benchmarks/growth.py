"""Growth with the number of contacts: microspine contacts on a dome, k = 8 .. 256."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

import holdfast as hf
from benchmarks.measuring import clocked, exponent, row
from benchmarks.reporting import Report, TextTable, duration, mean_and_worst
from holdfast.assembly import loads

CONTACTS = (8, 16, 32, 64, 128, 256)
RADIUS = 0.3  # [m]
SEED = 11


@dataclass(frozen=True)
class Growth:
    """Times [s] of one number of contacts: cold tests, warm tests, cold limits."""

    contacts: int
    tests: list[float]
    warm: list[float]
    limits: list[float]


def dome(k: int, seed: int = SEED) -> hf.Assembly:
    """k contacts of the default microspine unit on a rough dome, each shearing towards its top.

    Points are spread over the cap up to 60 degrees from the top; normals lean by about 10 degrees. The unit's
    strength is shared, so that all k together are as strong as eight.
    """
    rng = np.random.default_rng([seed, k])
    unit = hf.models.microspine().scaled(8.0 / k)
    contacts = []
    for _ in range(k):
        tilt, around = np.arccos(rng.uniform(0.5, 1.0)), rng.uniform(0.0, 2.0 * np.pi)
        outward = np.array([np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt)])
        normal = -outward + 0.17 * rng.normal(size=3)  # into the object, which hangs below
        normal /= np.linalg.norm(normal)
        up = np.array([0.0, 0.0, 1.0]) + 0.3 * rng.normal(size=3)
        shear = up - (up @ normal) * normal
        shear /= np.linalg.norm(shear)
        rotation = np.column_stack([shear, np.cross(normal, shear), normal])
        contacts.append(hf.Contact(RADIUS * outward, rotation, unit))
    return hf.Assembly(contacts)


def queries(assembly: hf.Assembly, n: int) -> np.ndarray:
    """(n, 6) loads all around, at shares of their limits between a half and one and a half."""
    shares = np.random.default_rng(SEED).uniform(0.5, 1.5, n)
    found = []
    for share, force in zip(shares, loads.sphere_directions(n), strict=True):
        direction = loads.gravity_wrench(1.0, force, (0.0, 0.0, RADIUS / 2.0))
        limit = hf.load_limit(assembly, direction)
        found.append(share * (limit.value if np.isfinite(limit.value) and limit.value > 0.0 else 1.0) * direction)
    return np.array(found)


def measured(k: int, n: int, repeats: int) -> Growth:
    """Tests cold and warm, and limits, of one number of contacts."""
    assembly = dome(k)
    wrenches = queries(assembly, n)
    hf.equilibrium(assembly, wrenches[0])
    tests = [clocked(lambda w=w: hf.equilibrium(assembly, w), repeats)[1] for w in wrenches]
    limits = [clocked(lambda w=w: hf.load_limit(assembly, w), repeats)[1] for w in wrenches]
    solver = hf.Solver(assembly)
    step = np.deg2rad(0.5)
    path = [_turned(wrenches[0], step * i) for i in range(n)]
    solver.equilibrium(path[0])
    warm = [clocked(lambda w=w: solver.equilibrium(w))[1] for w in path]
    return Growth(k, tests, warm, limits)


def _turned(wrench: np.ndarray, angle: float) -> np.ndarray:
    """A wrench turned about the world's z axis."""
    rotation = hf.rotation_about([0.0, 0.0, 1.0], angle)
    return np.concatenate([rotation @ wrench[:3], rotation @ wrench[3:]])


@cache
def _all(quick: bool) -> tuple[Growth, ...]:
    """Both users of these figures share one run of them."""
    return tuple(measured(k, 6 if quick else 48, 1 if quick else 5) for k in (CONTACTS[::2] if quick else CONTACTS))


def exponent_of_tests(quick: bool) -> float:
    """p of the mean time of a cold test ~ k^p."""
    found = _all(quick)
    return exponent([g.contacts for g in found], [float(np.mean(g.tests)) for g in found])


def run(quick: bool) -> Report:
    found = _all(quick)
    cells = [
        [str(g.contacts), mean_and_worst(g.tests), duration(float(np.mean(g.warm))), mean_and_worst(g.limits)]
        for g in found
    ]
    cells.append(["k^p, p =", *(f"{p:.2f}" for p in _exponents(found))])
    header = ("contacts", "test, cold, mean / worst", "test, warm, 0.5 deg apart", "load limit, mean / worst")
    rows = [
        row(f"k = {g.contacts}: {name}", [1e6 * s for s in samples], "us")
        for g in found
        for name, samples in (("test, cold", g.tests), ("test, warm", g.warm), ("load limit", g.limits))
    ]
    title = "Growth with the number of contacts (microspine units on a dome)"
    return Report(rows, [TextTable(title, header, cells, "The last line fits the means.")])


def _exponents(found: Sequence[Growth]) -> list[float]:
    sizes = [g.contacts for g in found]
    kinds = ([g.tests for g in found], [g.warm for g in found], [g.limits for g in found])
    return [exponent(sizes, [float(np.mean(samples)) for samples in kind]) for kind in kinds]
