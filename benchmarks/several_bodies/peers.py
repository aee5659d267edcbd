"""The same questions as one sparse linear program in scipy: over rays and vertices, or over facets.

Programs are built from positions, frames and volumes alone, and before the clock starts: only HiGHS is timed.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

import holdfast as hf

#: A peer stops after this time [s].
PATIENCE = 60.0

Form = Literal["rays", "facets"]


class Peer:
    """Balance of every body, with forces over rays and vertices or over facets; one solver of HiGHS.

    Attributes:
        rows: (6 n, v) wrenches on the bodies, torques about the middle of each body's contacts, in units of `length`.
    """

    def __init__(self, assembly: hf.Assembly, form: Form, solver: str) -> None:
        self.name = f"{form}, HiGHS {solver}"
        self.solver = {"simplex": "highs-ds", "ipm": "highs-ipm"}[solver]
        names, k = list(assembly.bodies), len(assembly)
        places = np.array([c.position for c in assembly.contacts])
        sides = [[(names.index(c.body), 1.0)] for c in assembly.contacts if c.body is not None]
        for i, contact in enumerate(assembly.contacts):
            if contact.against is not None:
                sides[i].append((names.index(contact.against), -1.0))
        members = [[i for i in range(k) if any(b == body for b, _ in sides[i])] for body in range(len(names))]
        self.centres = np.array([places[own].mean(axis=0) for own in members])
        self.length = float(np.linalg.norm(places - places.mean(axis=0), axis=1).max()) / np.sqrt(len(names))
        blocks, at, limits, most, sums = [], [], [], [], []
        columns = 0
        for i, contact in enumerate(assembly.contacts):
            (piece,) = contact.volume.polytopes
            normals, offsets = piece.halfspaces
            points = piece.vertices if piece.vertices.any() else np.zeros((0, 3))
            basis = np.eye(3) if form == "facets" else np.concatenate([points, piece.rays]).T
            for body, sign in sides[i]:
                arm = (places[i] - self.centres[body]) / self.length
                turned = contact.rotation @ basis
                blocks.append(sign * np.concatenate([turned, np.cross(arm, turned.T).T]))
                at.append((body, columns))
            if form == "facets":
                limits.append(normals)
                most.append(offsets)
            elif len(points):
                sums.append((columns, len(points)))
            columns += basis.shape[1]
        row = [np.repeat(6 * b + np.arange(6), m.shape[1]) for (b, _), m in zip(at, blocks, strict=True)]
        column = [np.tile(c + np.arange(m.shape[1]), 6) for (_, c), m in zip(at, blocks, strict=True)]
        entries = np.concatenate([m.reshape(-1) for m in blocks]), (np.concatenate(row), np.concatenate(column))
        self.rows = sparse.csr_array(entries, shape=(6 * len(names), columns))
        if form == "facets":
            self.less, self.most = sparse.block_diag(limits, format="csr"), np.concatenate(most)
            self.bounds = (None, None)
        else:  # the weights of vertices sum to 1 at most: zero is among the forces of all volumes here
            self.less = sparse.lil_array((len(sums), columns))
            for number, (first, count) in enumerate(sums):
                self.less[number, first : first + count] = 1.0
            self.less, self.most, self.bounds = self.less.tocsr(), np.ones(len(sums)), (0.0, None)

    def scaled(self, load: np.ndarray) -> np.ndarray:
        """(6 n,) a load about the world origin in the units of `rows`."""
        parts = load.reshape(-1, 6)
        torques = (parts[:, 3:] - np.cross(self.centres, parts[:, :3])) / self.length
        return np.concatenate([parts[:, :3], torques], axis=1).reshape(-1)

    def test(self, load: np.ndarray) -> float:
        """1 if a load is held, -inf if it is not, nan if that was not found; forces in units of the load."""
        wrench = self.scaled(load)
        unit = float(np.abs(wrench).max())
        most = self.most / unit if self.bounds[0] is None else self.most
        right = -wrench / unit
        rows = self.rows if self.bounds[0] is None or not len(self.most) else self.rows / unit
        found = self._solve(np.zeros(rows.shape[1]), self.less, most, rows, right)
        return {0: 1.0, 2: -np.inf}.get(found.status, np.nan)

    def largest(self, base: np.ndarray, increment: np.ndarray) -> float:
        """The largest s with base + s increment held; -inf if there is none, nan if it was not found."""
        constant, growing = self.scaled(base), self.scaled(increment)
        unit = float(max(np.abs(constant).max(), np.abs(growing).max()))
        bounded = self.bounds[0] is not None and len(self.most) > 0
        rows = sparse.hstack([self.rows / unit if bounded else self.rows, growing[:, None] / unit], format="csr")
        less = sparse.hstack([self.less, sparse.csr_array((self.less.shape[0], 1))], format="csr")
        cost = np.zeros(rows.shape[1])
        cost[-1] = -1.0
        most = self.most if self.bounds[0] is not None else self.most / unit
        found = self._solve(cost, less, most, rows, -constant / unit)
        return -found.fun if found.status == 0 else {2: -np.inf, 3: np.inf}.get(found.status, np.nan)

    def _solve(self, cost: np.ndarray, less: object, most: np.ndarray, rows: object, right: np.ndarray) -> Any:
        options = {"time_limit": PATIENCE}
        bounds = [self.bounds] * (len(cost) - 1) + [(None, None) if cost.any() else self.bounds]
        limits = (less, most) if len(most) else (None, None)
        return linprog(cost, *limits, rows, right, bounds=bounds, method=self.solver, options=options)
