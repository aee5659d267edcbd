"""Wrong versions of formulas and kernels, each of which some claim must find."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """One change: `old`, which stands once in `file` (under src/holdfast), becomes `new`."""

    file: str
    old: str
    new: str
    why: str
    claims: str  # the claims that are asked first, without test_ and .py


MUTANTS = (
    # force limits
    Mutant("force_limits/models/microspine.py", "self.slope_limit - 0.5 * math.pi + math.atan(self.mu)",
           "self.slope_limit - 0.5 * math.pi - math.atan(self.mu)", "largest loading angle", "force_limits"),
    Mutant("force_limits/models/adhesion.py", "forward.union(forward.rotated(np.diag([-1.0, -1.0, 1.0])))",
           "forward.union(forward.rotated(np.diag([1.0, 1.0, 1.0])))", "hairs that pull one way only", "force_limits"),
    Mutant("force_limits/grouping.py", "return self.excess > np.maximum(limits[:, None], limits[None, :])",
           "return self.excess < np.maximum(limits[:, None], limits[None, :])", "which triangles may share a piece",
           "force_limits"),
    # geometry and assemblies
    Mutant("geometry/frames.py", "    return np.column_stack([u, np.cross(n, u), n])",
           "    return np.column_stack([u, np.cross(u, n), n])", "the lateral axis points the other way", "assembly"),
    Mutant("geometry/frames.py", "np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)",
           "np.sin(angle) * k + np.cos(angle) * (k @ k)", "Rodrigues' formula without the one", "assembly"),
    Mutant("geometry/frames.py", "return Pose(self.rotation.T, -self.rotation.T @ self.translation)",
           "return Pose(self.rotation.T, -self.rotation @ self.translation)", "inverse of a pose", "assembly"),
    Mutant(
        "assembly/assembly.py",
        "            rows[body, :, touching] = sign * own.transpose(1, 0, 2)",
        "            rows[body, :, touching] = own.transpose(1, 0, 2)",
        "a force acts on both bodies alike",
        "several_bodies assembly",
    ),
    Mutant("assembly/assembly.py", "np.where(second >= 0, -1.0, 0.0)", "np.where(second >= 0, 1.0, 0.0)",
           "reaction on the second body", "several_bodies"),
    Mutant("assembly/assembly.py", "blocks = self.joints.jacobian.reshape(-1, len(self), 3) @ pose.rotation.T",
           "blocks = self.joints.jacobian.reshape(-1, len(self), 3) @ pose.rotation", "joint rows turned back",
           "invariances"),
    Mutant("assembly/joints.py", "    shift = spring - gravity\n", "    shift = spring + gravity\n",
           "sign of gravity in (5)", "assembly robots"),
    Mutant("assembly/joints.py", "np.array([joint.torque_min for joint in parts]) - friction + shift",
           "np.array([joint.torque_min for joint in parts]) + friction + shift", "friction narrows the lower bound",
           "assembly robots"),
    # solvers
    Mutant("solvers/certificates.py", "supports[at] += float((piece.vertices @ directions[contact]).max())",
           "supports[at] = float((piece.vertices @ directions[contact]).max())", "a unit's support is that of its last point",
           "statics"),
    Mutant("solvers/certificates.py", "        found.append(float(supports.max()))", "        found.append(float(supports.min()))",
           "support of the worst piece: proofs that prove nothing", "statics"),
    Mutant("solvers/certificates.py", "        return all(self._closes(problem, lifted, leaf) for leaf in self.leaves)",
           "        return any(self._closes(problem, lifted, leaf) for leaf in self.leaves)", "one closed leaf is enough",
           "statics"),
    Mutant("solvers/problem.py", "        lower, upper = (np.where(np.isfinite(side), 0.0, side) for side in (self.lower, self.upper))",
           "        lower, upper = (np.where(np.isfinite(side), -1.0, side) for side in (self.lower, self.upper))",
           "recession cone of the joint bounds", "statics"),
    Mutant("solvers/exact/simplex.py", "                vectors[Y, r] -= gain * inverse[j, r]", "                vectors[Y, r] += gain * inverse[j, r]",
           "sign of the multipliers", "statics"),
    Mutant("solvers/exact/simplex.py", "rise, behind = qx * dx + qy * dy + qz * dz, -(gx * dx + gy * dy + gz * dz)",
           "rise, behind = qx * dx + qy * dy + qz * dz, gx * dx + gy * dy + gz * dz", "ratio test of the line search", "statics"),
    Mutant("solvers/exact/simplex.py", "LEVEL = 1e-9", "LEVEL = 1e-1", "tolerance of level vertices", "statics"),
    Mutant("solvers/exact/search.py", "    if factor > state.best[BEST] + LEAST_GAIN:", "    if factor < state.best[BEST] + LEAST_GAIN:",
           "the worst forces are kept", "statics"),
    Mutant("solvers/minkowski/simplex.py", "                y[r] -= cost * inverse[i, r]", "                y[r] += cost * inverse[i, r]",
           "sign of the multipliers of sums", "postures"),
    Mutant("solvers/minkowski/simplex.py", "            if block < 0 or basis.tops[j, c] + basis.offsets[j] <= least:",
           "            if block <= 0 or basis.tops[j, c] + basis.offsets[j] <= least:", "the first block is never priced", "postures"),
    Mutant("solvers/minkowski/simplex.py", "total += maps[hand, r, c] * y[r]", "total += maps[hand, c, r] * y[r]",
           "transport of a direction into a hand", "postures"),
    Mutant("solvers/interior_point.py", "columns = (3 * contact[:, None] + np.arange(3)).reshape(-1)",
           "columns = (3 * contact[:, None] + np.arange(3)[::-1]).reshape(-1)", "axes of the half-spaces", "several_bodies"),
    Mutant("statics/strength.py", "low, high = self.bracket\n", "high, low = self.bracket\n", "ends of a bracket", "statics"),
    # wrench spaces
    Mutant("wrench_spaces/computation.py", "return [found[at] for at in np.argsort(order)]", "return [found[at] for at in order]",
           "answers of other rays", "wrench_spaces"),
    # grips
    Mutant("grips/learning.py", "return rows @ self.inverse\n", "return rows @ self.axes.T\n", "directions of supports", "grips"),
    Mutant("grips/learning.py", "return (vectors * values) @ vectors.T", "return (vectors * values) @ vectors",
           "matrix of eigenvalues", "grips"),
    # postures
    Mutant("postures/region.py", "return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))",
           "return 0.5 * float(x @ np.roll(y, -1) + y @ np.roll(x, -1))", "area of a region", "postures"),
    Mutant("postures/region.py", "return own + self.load\n", "return own - self.load\n", "a load beside the weight", "postures"),
    Mutant("postures/proofs.py", 'world = np.einsum("kij,kj->ki", hands.maps, wrenches)\n    return hands.wrench_size(world.sum(axis=0) + load)',
           'world = np.einsum("kij,kj->ki", hands.maps, wrenches)\n    return hands.wrench_size(world.sum(axis=0) - load)',
           "sign of the load in the balance", "postures"),
    Mutant("postures/proofs.py", "    if weights is None or (weights.values < 0.0).any() or (weights.ray_values < 0.0).any():",
           "    if weights is not None:\n        return True\n    if weights is None:", "weights are never checked", "postures"),
    # dynamics
    Mutant("dynamics/cones.py", "move[:3, 3:] = skew(centre)", "move[:3, 3:] = -skew(centre)",
           "lever of the centre of mass", "dynamics"),
    Mutant("dynamics/cones.py", "drive = to_acceleration.T @ (load - convective) +", "drive = to_acceleration.T @ (load + convective) +",
           "convective terms", "dynamics"),
    Mutant("dynamics/dissipation.py", "y, m = multipliers.motion - multipliers.normals @ problem.normals, multipliers.joints",
           "y, m = multipliers.motion + multipliers.normals @ problem.normals, multipliers.joints",
           "sign of the normal rows in the bound", "dynamics"),
    # sharing
    Mutant("sharing/proof.py", "    found = normals[normals @ force >= offsets - near]", "    found = normals",
           "any facet may flow", "sharing"),
    Mutant("sharing/proof.py", "strain = path.flowed - _displacements(result)", "strain = path.flowed + _displacements(result)",
           "sign of the springs in the proof", "sharing"),
    Mutant("sharing/kernels.py", "                    moved += problem.maps[i, c, b] * work.residual[b]\n",
           "                    moved -= problem.maps[i, c, b] * work.residual[b]\n", "Lemke's matrix with the wrong sign",
           "sharing"),
    Mutant("sharing/kernels.py", "        small[row, a] = stiffness[i, a, 0] * gx + stiffness[i, a, 1] * gy + stiffness[i, a, 2] * gz",
           "        small[row, a] = stiffness[i, a, a] * (gx, gy, gz)[a]", "coupled stiffness", "sharing"),
    Mutant("sharing/kernels.py", "    if worst <= least:\n        work.code[i] = FREE", "    if worst <= 1e6 * least + 1.0:\n        work.code[i] = FREE",
           "tolerance of the border", "sharing"),
    Mutant("sharing/kernels.py", "    return problem.rule[i] == SLIP and across > UPRIGHT", "    return problem.rule[i] == SLIP and across < UPRIGHT",
           "which facets slide", "sharing"),
    # reliability
    Mutant("reliability/robust.py", "total = total + width * np.maximum(ends[0], ends[1])", "total = total + width * np.minimum(ends[0], ends[1])",
           "the milder error of position", "reliability"),
    Mutant("reliability/rare_events.py", "along = ((slopes * z).sum(axis=1) - (d - 1.0))", "along = ((slopes * z).sum(axis=1) + (d - 1.0))",
           "step to the border of failure", "reliability"),
    Mutant("reliability/probabilities.py", "betaincinv(most + 1, n - most, 1.0 - tail)", "betaincinv(most, n - most, 1.0 - tail)",
           "upper end of Clopper and Pearson", "reliability"),
    Mutant("reliability/scatter.py", "factors = np.exp(sigma * z - 0.5 * sigma * sigma)", "factors = np.exp(sigma * z)",
           "mean of the lognormal", "reliability"),
    # robots
    Mutant("robots/bodies.py", 'return -1.0 if self.held == "robot" else 1.0', 'return 1.0 if self.held == "robot" else 1.0',
           "sign of J^T f", "robots"),
    Mutant("robots/robot.py", "matrix[base + row, columns[mimic.joint]], offset[row] = mimic.multiplier, mimic.offset",
           "matrix[base + row, columns[mimic.joint]], offset[row] = 1.0, mimic.offset", "a mimic's multiplier", "robots"),
    Mutant("robots/robot.py", "felt[joint.mimic.joint] += abs(joint.mimic.multiplier) * joint.strength.friction",
           "felt[joint.mimic.joint] += joint.strength.friction", "friction of a joint that follows", "robots"),
    # planar
    Mutant("planar/erdmann.py", "return np.array([self.normal + mu * self.v_f, self.normal - mu * self.v_f])",
           "return np.array([self.normal + mu * self.v_f, self.normal + mu * self.v_f])", "one edge of the cone", "planar"),
    Mutant("planar/motion_sets.py", "slant = np.array([-1.0, 1.0])[None, :, None]", "slant = np.array([1.0, 1.0])[None, :, None]",
           "one edge of the cone in whitened coordinates", "planar"),
    Mutant("planar/kernels.py", "rays[total, j] = values[p] * rays[n, j] - values[n] * rays[p, j]",
           "rays[total, j] = values[p] * rays[n, j] + values[n] * rays[p, j]", "double description: the new ray", "planar"),
    # grasps
    Mutant("grasps/criteria.py", "return np.where(twice > 0.0, np.asarray(weight) * area / (2.0 * twice), np.inf)",
           "return np.where(twice > 0.0, np.asarray(weight) * area / twice, np.inf)", "S2", "grasps"),
    Mutant("grasps/criteria.py", "return first * first + second * second + third * third",
           "return first * first + second * second", "C3 without its third pair", "grasps"),
    Mutant("grasps/criteria.py", "cost = np.where(distances < limit, cost, 0.0)", "cost = np.where(distances > limit, cost, 0.0)",
           "S3 counts the wide margins", "grasps"),
    Mutant("grasps/criteria.py", "np.pi / 6.0 / np.where(open_, left, 1.0) - 1.0", "np.pi / 6.0 / np.where(open_, left, 1.0)", "C4",
           "grasps"),
    Mutant("grasps/metrics.py", "frame = np.array([[-ny, 0.0, nx], [nx, 0.0, ny], [0.0, 1.0, 0.0]])",
           "frame = np.array([[-ny, 0.0, -nx], [nx, 0.0, -ny], [0.0, -1.0, 0.0]])", "contacts pull", "grasps"),
)  # fmt: skip
