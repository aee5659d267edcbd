"""All accelerations by the case analysis of Erdmann's Sections 5.4 and 5.5, contact subset by contact subset.

His misprints are mended (see `holdfast.planar.erdmann`); contacts with parallel normals, which he leaves out, keep two
freedoms: the lines of zero slip cut their plane into cells, as the numbers c_i cut his line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.optimize import nnls

from holdfast.planar import Body, Contact, Polyhedron
from holdfast.planar.erdmann import (
    contact_vectors,
    generalised_force,
    generalised_velocity,
    single_contact_projection,
    validity_intervals,
)

NEAR = 1e-8


@dataclass
class Family:
    """Generalised accelerations start + T c (x, y, rho theta) for c in conv(vertices) + cone(rays)."""

    start: np.ndarray
    T: np.ndarray  # (3, d)
    vertices: np.ndarray
    rays: np.ndarray

    def samples(self, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Accelerations inside the family."""
        for _ in range(2):
            c = rng.dirichlet(np.ones(len(self.vertices))) @ self.vertices
            yield self.start + self.T @ (c + rng.exponential(size=len(self.rays)) @ self.rays)

    def contains(self, a: np.ndarray, scale: float) -> bool:
        """Whether a is one of the family, within rounding of `scale`."""
        c = np.linalg.lstsq(self.T, a - self.start, rcond=None)[0] if self.T.size else np.zeros(0)
        if np.abs(self.T @ c - (a - self.start)).max() > NEAR * scale:
            return False
        if not self.T.size:
            return True
        count = len(self.vertices)
        G = np.vstack(
            [np.hstack([self.vertices.T, self.rays.T]), np.r_[np.ones(count), np.zeros(len(self.rays))] * scale]
        )
        return bool(nnls(G, np.append(c, scale))[1] <= 10 * NEAR * scale)


class Procedure:
    """Sections 5.4.2 to 5.5.3 for one body."""

    def __init__(self, body: Body, contacts: list[Contact], force: np.ndarray, velocity: np.ndarray) -> None:
        self.body, self.force, self.velocity = body, force, velocity
        self.applied, self.moving = generalised_force(body, force), generalised_velocity(body, velocity)
        size = np.linalg.norm(self.moving)
        approach = [contact_vectors(body, c).normal @ self.moving for c in contacts]
        self.impact = any(v < -1e-9 * size for v in approach)
        self.contacts = [c for c, v in zip(contacts, approach, strict=True) if abs(v) <= 1e-9 * size]
        self.vectors = [contact_vectors(body, c) for c in self.contacts]
        self.N = np.array([v.normal for v in self.vectors]).reshape(-1, 3)
        self.h = np.array([c.normal_bias(velocity) for c in self.contacts])
        self.scale = (
            np.linalg.norm(self.applied) / body.mass + np.abs(self.h).max(initial=0.0) + self.moving @ self.moving
        )

    def families(self) -> list[Family]:
        """Every acceleration that is possible."""
        if self.impact:
            return []
        found = [*self._no_reaction(), *self._no_net_force()]
        for m in range(1, len(self.contacts) + 1):
            for chosen in combinations(range(len(self.contacts)), m):
                rank = np.linalg.matrix_rank(self.N[list(chosen)], tol=1e-9)
                if rank == 1:
                    found += self._parallel(chosen) if m > 1 else self._single(chosen[0])
                elif rank == 2:
                    found += self._two_dimensional(chosen)
        return found

    def _point(self, a: np.ndarray) -> list[Family]:
        """a alone, if it violates no second variation constraint (5)."""
        if (self.N @ a + self.h < -1e-9 * self.scale).any():
            return []
        return [Family(a, np.zeros((3, 0)), np.zeros((1, 0)), np.zeros((0, 0)))]

    def _no_reaction(self) -> list[Family]:
        return self._point(self.applied / self.body.mass)

    def _no_net_force(self) -> list[Family]:
        edges = []
        for contact, v, h in zip(self.contacts, self.vectors, self.h, strict=True):
            if abs(h) > 1e-9 * self.scale:
                continue
            slip = float(self.moving @ v.v_f)
            if abs(slip) <= 1e-9 * np.linalg.norm(self.moving) * np.linalg.norm(v.v_f):
                slip = contact.tangent_bias(
                    self.velocity
                )  # a pivot: zero acceleration of the body is not that of its end
                slip = 0.0 if abs(slip) <= 1e-9 * self.scale else slip
            pair = v.edges(contact.mu)
            edges += [pair[0]] * (slip <= 0.0) + [pair[1]] * (slip >= 0.0)
        if not edges:
            cancels = np.linalg.norm(self.applied) == 0.0
        else:
            cancels = nnls(np.array(edges).T, -self.applied)[1] <= 1e-9 * max(np.linalg.norm(self.applied), 1e-300)
        return self._point(np.zeros(3)) if cancels else []

    def _single(self, i: int) -> list[Family]:
        if not self.moving.any():
            answer = single_contact_projection(self.body, self.contacts[i], self.force)
            if answer.applies:
                return self._point((self.applied + answer.reaction) / self.body.mass)
        return self._parallel((i,))

    def _two_dimensional(self, chosen: tuple[int, ...]) -> list[Family]:
        kept = [self.contacts[i] for i in chosen]
        validity = validity_intervals(self.body, kept, self.force, self.velocity)
        if validity is None:
            return []
        m, found = self.body.mass, []
        start, way = -validity.fictitious, validity.t_c / m
        for span in validity.spans:
            low, high = span.low, span.high
            for row, h in zip(
                self.N, self.h, strict=True
            ):  # of the contacts that are not kept; the kept ones give 0 >= 0
                offset, slope = row @ start + h, row @ way
                if abs(slope) * m > 1e-9 * np.linalg.norm(row):
                    low, high = (max(low, -offset / slope), high) if slope > 0 else (low, min(high, -offset / slope))
                elif offset < -1e-9 * self.scale:
                    low = np.inf
            if low > high + 1e-9 * m * self.scale or not np.isfinite([low, high]).any():
                if np.isinf([low, high]).all() and low < high:
                    found.append(Family(start, way[:, None], np.zeros((1, 1)), np.array([[1.0], [-1.0]])))
                continue
            ends = [[x] for x in (low, high) if np.isfinite(x)]
            rays = [[np.sign(x)] for x in (low, high) if np.isinf(x)]
            found.append(Family(start, way[:, None], np.array(ends), np.array(rays).reshape(-1, 1)))
        return found

    def _parallel(self, chosen: tuple[int, ...]) -> list[Family]:
        """Normals that span one direction: two freedoms c, cut by the lines on which a contact does not slip."""
        rows, h = self.N[list(chosen)], self.h[list(chosen)]
        fictitious = np.linalg.lstsq(rows, h, rcond=None)[0]
        if np.abs(rows @ fictitious - h).max() > 1e-9 * self.scale:
            return []
        T = np.linalg.svd(rows[:1])[2][1:].T  # (3, 2)
        m, spin = self.body.mass, self.velocity[2]
        signs = []
        for i in chosen:
            v = self.vectors[i]
            slip = float(self.moving @ v.v_f)
            still = abs(slip) <= 1e-9 * np.linalg.norm(self.moving) * np.linalg.norm(v.v_f)
            signs.append((-1, 0, 1) if still else (int(np.sign(slip)),))
        found = []
        for cell in product(*signs):
            A, b, C, d, edges = [], [], [], [], []
            for i, sign, open_ in zip(chosen, cell, signs, strict=True):
                v = self.vectors[i]
                pair = v.edges(self.contacts[i].mu)
                edges += [pair[0]] * (sign <= 0) + [pair[1]] * (sign >= 0)
                if len(open_) == 3:
                    row, offset = v.v_f @ T, v.v_f @ (fictitious - spin**2 * v.r)
                    (A if sign else C).append(row * (sign or 1))
                    (b if sign else d).append(offset * (sign or 1))
            cone = Polyhedron.from_generators(np.zeros((1, 3)), np.array(edges))
            start = -self.applied / m - fictitious
            A, b = np.array([*A, *cone.A @ T, *self.N @ T]), [*b, *-cone.A @ start, *self.N @ fictitious - self.h]
            C, d = np.array([*C, *cone.C @ T]).reshape(-1, 2), [*d, *-cone.C @ start]
            # Rows that do not depend on c hold for every c or for none.
            (A, b, low), (C, d, off) = _dependent(A, np.array(b)), _dependent(C, np.array(d))
            if (low > 1e-9 * self.scale).any() or (np.abs(off) > 1e-9 * self.scale).any():
                continue
            cells = Polyhedron(A, b, C, d, dimension=2, least_scale=self.scale)
            generators = cells.generators
            if len(generators.vertices):
                found.append(Family(-fictitious, T, generators.vertices, generators.all_rays))
        return found


def _dependent(rows: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rows, their offsets, offsets of the others) of those that are more than rounding."""
    seen = np.abs(rows).max(axis=1, initial=0.0) > 1e-9
    return rows[seen], offsets[seen], offsets[~seen]
