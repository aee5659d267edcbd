"""Warp kernels of robots: where the palms and the centre of mass are, for many postures at once.

Warp reads annotations when a kernel is made, so that this module has no postponed annotations.
"""

import warp as wp

#: Kinds of joints: a floating base (position and quaternion), a turn about an axis, a shift along it.
FLOATING, TURN, SHIFT = 0, 1, 2

f64 = wp.float64


@wp.func
def rigid(
    a: wp.float64,
    b: wp.float64,
    c: wp.float64,
    w: wp.float64,
    x: wp.float64,
    y: wp.float64,
    z: wp.float64,
) -> wp.mat44d:
    """The pose with origin (a, b, c) and the rotation of the unit quaternion (w, x, y, z)."""
    two = f64(2.0)
    one = f64(1.0)
    zero = f64(0.0)
    return wp.mat44d(
        one - two * (y * y + z * z),
        two * (x * y - w * z),
        two * (x * z + w * y),
        a,
        two * (x * y + w * z),
        one - two * (x * x + z * z),
        two * (y * z - w * x),
        b,
        two * (x * z - w * y),
        two * (y * z + w * x),
        one - two * (x * x + y * y),
        c,
        zero,
        zero,
        zero,
        one,
    )


@wp.kernel(enable_backward=False)
def stand(
    postures: wp.array(dtype=wp.float64, ndim=2),
    kinds: wp.array(dtype=wp.int32, ndim=1),
    parents: wp.array(dtype=wp.int32, ndim=1),
    columns: wp.array(dtype=wp.int32, ndim=1),
    multipliers: wp.array(dtype=wp.float64, ndim=1),
    offsets: wp.array(dtype=wp.float64, ndim=1),
    axes: wp.array(dtype=wp.vec3d, ndim=1),
    placements: wp.array(dtype=wp.mat44d, ndim=1),
    masses: wp.array(dtype=wp.float64, ndim=1),
    centres: wp.array(dtype=wp.vec3d, ndim=1),
    palm_joints: wp.array(dtype=wp.int32, ndim=1),
    palm_frames: wp.array(dtype=wp.mat44d, ndim=1),
    facing: wp.array(dtype=wp.int32, ndim=1),
    turns: wp.array(dtype=wp.mat44d, ndim=1),
    gravity: wp.vec3d,
    joints: wp.array(dtype=wp.mat44d, ndim=2),
    poses: wp.array(dtype=wp.mat44d, ndim=2),
    loads: wp.array(dtype=wp.float64, ndim=2),
):
    """Joint frames in order, then palms, the centre of mass, and the weight about the world origin."""
    i = wp.tid()
    mass = f64(0.0)
    moment = wp.vec3d()
    for n in range(kinds.shape[0]):
        own = rigid(f64(0.0), f64(0.0), f64(0.0), f64(1.0), f64(0.0), f64(0.0), f64(0.0))
        at = columns[n]
        if kinds[n] == FLOATING:
            own = rigid(
                postures[i, at],
                postures[i, at + 1],
                postures[i, at + 2],
                postures[i, at + 6],
                postures[i, at + 3],
                postures[i, at + 4],
                postures[i, at + 5],
            )
        elif kinds[n] == TURN or kinds[n] == SHIFT:
            value = offsets[n]
            if at >= 0:
                value = value + multipliers[n] * postures[i, at]
            axis = axes[n]
            if kinds[n] == TURN:
                half = f64(0.5) * value
                s = wp.sin(half)
                own = rigid(f64(0.0), f64(0.0), f64(0.0), wp.cos(half), s * axis[0], s * axis[1], s * axis[2])
            else:
                own = rigid(value * axis[0], value * axis[1], value * axis[2], f64(1.0), f64(0.0), f64(0.0), f64(0.0))
        pose = placements[n] * own
        if parents[n] >= 0:
            pose = joints[i, parents[n]] * pose
        joints[i, n] = pose
        centre = wp.transform_point(pose, centres[n])
        mass = mass + masses[n]
        moment = moment + masses[n] * centre
    for j in range(palm_joints.shape[0]):
        pose = joints[i, palm_joints[j]] * palm_frames[j]
        if facing[j] == 1:
            turned = turns[j]
            for a in range(3):
                turned[a, 3] = pose[a, 3]
            pose = turned
        poses[i, j] = pose
    torque = wp.cross(moment, gravity)
    for part in range(3):
        loads[i, part] = mass * gravity[part]
        loads[i, 3 + part] = torque[part]


@wp.kernel(enable_backward=False)
def outside(
    postures: wp.array(dtype=wp.float64, ndim=2),
    first: int,
    lower: wp.array(dtype=wp.float64, ndim=1),
    upper: wp.array(dtype=wp.float64, ndim=1),
    within: wp.array(dtype=wp.int8, ndim=1),
):
    """Whether each posture is within the joints' limits."""
    i = wp.tid()
    inside = int(1)
    for n in range(lower.shape[0]):
        value = postures[i, first + n]
        if value < lower[n] or value > upper[n]:
            inside = int(0)
    within[i] = wp.int8(inside)
