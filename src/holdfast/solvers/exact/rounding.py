"""From a relaxation to admissible forces: read them, place each in a piece, polish; compiled.

All pieces contain the zero force, so shrinking all forces together until each lies in a piece keeps the balance, with
less load.
"""

from __future__ import annotations

from ...compiling import inlined, kernel
from .basis import restrict
from .found import PIVOTS, PROGRAMS, cutoff_of, keep_best
from .program import KEY, MASK, MIXED, SCRATCH, VERTEX, WHO, X, copy_slot
from .simplex import KEPT, OPTIMAL, run
from .tables import FAR, FIRST_PIECE, PIECES

#: Weights below this share of what they may be outside their bounds do not count as part of a mixture.
WEIGHT_SHARE = 1e-2

#: A force counts as inside a piece when it must be shrunk by no more than this.
INSIDE = 1e-12

#: A force that is this much of vertices at the cut of a ray counts as being there.
MOSTLY = 0.5

#: Polishing rounds a node.
POLISH_ROUNDS = 4


@kernel
def read_forces(tables, program, frames, found, s):
    """Local forces of the basic solution, and the allowed pieces that contain all vertices of each; True at a cut."""
    items, base, vectors = frames.items[s], frames.base[s], frames.vectors[s]
    k, m = len(found.pieces), vectors.shape[1]
    forces, common = found.trial, found.common
    at_cut = False
    for i in range(k):
        common[0, i] = items[MASK, i]
        rest, far = 1.0, 0.0
        for c in range(3):
            forces[i, c] = 0.0
        if items[MIXED, i] > 0:
            for j in range(m):
                if base[WHO, j] == i:
                    v, weight = base[VERTEX, j], max(0.0, vectors[X, j])
                    if weight > WEIGHT_SHARE * program.slack[i]:
                        rest -= weight
                        for c in range(3):
                            forces[i, c] += weight * tables.vertices[v, c]
                        common[0, i] &= tables.bits[v]
                    if tables.bits[v] & FAR:
                        far += weight
        key = items[KEY, i]
        if rest > WEIGHT_SHARE * program.slack[i]:
            common[0, i] &= tables.bits[key]
            if tables.bits[key] & FAR:
                far += rest
            for c in range(3):
                forces[i, c] += rest * tables.vertices[key, c]
        at_cut = at_cut or far > MOSTLY
    return at_cut


@kernel
def place(tables, program, frames, found, s):
    """Piece and shrink factor of every contact's force; returns (number of mixed contacts, smallest factor)."""
    count, least = 0, 1.0
    for i in range(len(found.pieces)):
        found.factors[i] = 1.0
        common, shape = found.common[0, i], program.shape_of[i]
        piece, most = 0, 1.0
        if common:
            while not common >> piece & 1:
                piece += 1
        else:
            fx, fy, fz = found.trial[i, 0], found.trial[i, 1], found.trial[i, 2]
            most = -1.0
            for j in range(tables.shapes[shape, PIECES]):
                if frames.items[s, MASK, i] >> j & 1:
                    factor = 1.0
                    at = tables.shapes[shape, FIRST_PIECE] + j
                    for h in range(tables.first_face[at], tables.first_face[at + 1]):
                        height = tables.faces[h, 0] * fx + tables.faces[h, 1] * fy + tables.faces[h, 2] * fz
                        offset = max(0.0, tables.faces[h, 3])
                        if height * factor > offset:
                            factor = offset / height
                    if factor > most:
                        piece, most = j, factor
            found.factors[i] = most
            if most < 1.0 - INSIDE:
                count += 1
            least = min(least, most)
        found.common[1, i] = piece
    return count, least


@inlined
def polish(tables, program, frames, work, found, s, target, gap, tiny, limit):
    """Fix every mixed contact to its best piece and solve again, until the forces are admissible."""
    copy_slot(frames, s, SCRATCH)
    for _ in range(POLISH_ROUNDS):
        for i in range(len(found.pieces)):
            if found.factors[i] < 1.0 - INSIDE:
                restrict(tables, program, frames, SCRATCH, i, 1 << found.common[1, i])
        cutoff = cutoff_of(found, target, gap, tiny)
        outcome, _, pivots = run(tables, program, frames, work, SCRATCH, cutoff, limit, KEPT)
        found.counts[PIVOTS] += pivots
        found.counts[PROGRAMS] += 1
        if outcome != OPTIMAL:
            return
        at_cut = read_forces(tables, program, frames, found, SCRATCH)
        count, _ = place(tables, program, frames, found, SCRATCH)
        if at_cut:
            return
        if count == 0:
            keep_best(found, frames.vectors[SCRATCH, X, 0], 1.0)
            return
