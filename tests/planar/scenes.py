"""Bodies in contact whose answers are known, and random ones of every degenerate kind."""

from __future__ import annotations

import numpy as np

from holdfast.planar import Body, Contact, MotionSet, motions

G = 9.81


def three_points(mu: float) -> list[Contact]:
    """Erdmann's example of Section 5.2: left, right and middle contact with a horizontal edge (4)."""
    return [Contact((0, 1), (1, 1), mu), Contact((0, 1), (-1, 1), mu), Contact((0, 1), (0, 1), mu)]


def floor(count: int, mu: float) -> list[Contact]:
    """A box of half width 1 whose centre is 1 above the floor, on `count` points."""
    return [Contact((0, 1), (x, 1), mu) for x in np.linspace(-1.0, 1.0, count)]


def rod(mu: float, spin: float, *, tangent: float = 2.0, speed: float = -5.0, half: float = 1.0) -> MotionSet:
    """Painleve's rod: length 2 half, mass 1, at atan(tangent), its lower end on a floor slipping at `speed` along +x."""
    angle = np.arctan(tangent)
    r = half * np.array([np.cos(angle), np.sin(angle)])
    body = Body(1.0, half / np.sqrt(3.0))
    # The end moves at v - omega z x r; it stays on the floor.
    velocity = (speed - spin * r[1], spin * r[0], spin)
    return motions(body, [Contact((0, 1), r, mu)], (0.0, -G, 0.0), velocity)


def random_contacts(rng: np.random.Generator, count: int, kind: int) -> list[Contact]:
    """Contacts all around (kind 0) or on a lattice (1 to 3), often duplicate, parallel, antiparallel or aligned."""
    found: list[Contact] = []
    for _ in range(count):
        angle = rng.uniform(0.0, 2.0 * np.pi) if kind < 2 else rng.integers(4) * np.pi / 2.0
        normal = np.array([np.cos(angle), np.sin(angle)])
        r = rng.normal(size=2) if kind == 0 else rng.integers(-2, 3, 2).astype(float)
        if found and rng.random() < 0.3:
            twin = found[rng.integers(len(found))]
            if rng.random() < 0.5:
                normal, r = twin.normal * rng.choice([-1.0, 1.0]), twin.r
            else:
                normal, r = twin.normal, twin.r + rng.integers(-1, 2) * twin.tangent
        mu = float(rng.choice([0.0, 0.25, 0.5, 1.0, 2.0, rng.uniform(0.0, 2.0)]))
        found.append(Contact(normal, r, mu, str(rng.choice(["vertex", "edge"]))))
    return found


def random_velocity(rng: np.random.Generator, contacts: list[Contact]) -> np.ndarray:
    """Rest, or a motion that may leave contacts, keeps all of them, or keeps them and pivots about the first."""
    if rng.random() < 0.5:
        return np.zeros(3)
    velocity = rng.normal(size=3) * [1.0, 1.0, rng.integers(2)]
    rows = [[], [c.normal_row for c in contacts], [*(c.normal_row for c in contacts), contacts[0].tangent_row]]
    chosen = rows[rng.integers(3)]
    if chosen:
        _, values, right = np.linalg.svd(np.array(chosen))
        free = right[int((values > 1e-9).sum()) :]
        velocity = free.T @ (free @ velocity)
    return velocity


def random_query(rng: np.random.Generator, count: int) -> tuple[Body, list[Contact], np.ndarray, np.ndarray]:
    """A body, `count` contacts, a force and a velocity."""
    kind = int(rng.integers(4))
    contacts = random_contacts(rng, count, kind)
    velocity = random_velocity(rng, contacts)
    force = rng.normal(size=3) if kind % 2 == 0 else rng.integers(-2, 3, 3).astype(float)
    return Body(rng.uniform(0.5, 2.0), rng.uniform(0.5, 2.0)), contacts, force, velocity
