"""Small robots as URDF texts: a planar two-link arm, a planar finger, a body on legs, with figures known by hand."""

from __future__ import annotations

import numpy as np

from holdfast import Pose, models
from holdfast.assembly.contacts import Patch
from holdfast.robots import ContactSite, Hand, Robot

#: Contact frame at the end of a leg that points down: n out of the foot, down; u forward.
SOLE = Pose(np.diag([1.0, -1.0, -1.0]), np.zeros(3))


def link(name: str, mass: float = 0.0, com: tuple[float, float, float] = (0.0, 0.0, 0.0), extra: str = "") -> str:
    """A link with a mass [kg] at `com` [m], massless without one."""
    inertia = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    x, y, z = com
    inertial = f'<inertial><origin xyz="{x} {y} {z}"/><mass value="{mass}"/>{inertia}</inertial>' if mass else ""
    return f'<link name="{name}">{inertial}{extra}</link>'


def joint(
    name: str,
    parent: str,
    child: str,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    axis: str = "0 1 0",
    kind: str = "revolute",
    effort: float | None = 50.0,
    friction: float = 0.0,
    limits: tuple[float, float] = (-3.0, 3.0),
    follows: tuple[str, float, float] | None = None,
) -> str:
    """A joint; "fixed" ones have no axis; `follows`: the joint that it mimics, multiplier and offset."""
    x, y, z = at
    bounds = f'lower="{limits[0]}" upper="{limits[1]}"' if kind != "continuous" else ""
    strength = "" if effort is None else f'effort="{effort}"'
    mimic = "" if follows is None else '<mimic joint="{}" multiplier="{!r}" offset="{!r}"/>'.format(*follows)
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{x!r} {y!r} {z!r}"/><axis xyz="{axis}"/><limit {bounds} {strength} velocity="1"/>'
        f'<dynamics friction="{friction}"/>{mimic}</joint>'
    )


def urdf(*parts: str, name: str = "sample") -> str:
    """The text of a robot."""
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def two_link_arm(l1: float = 0.4, l2: float = 0.3, m1: float = 2.0, m2: float = 1.0, effort: float = 50.0) -> str:
    """Two links in the x-z plane on hinges about -y: angles from +x towards +z; masses halfway, a tip."""
    return urdf(
        link("base", 5.0),
        link("upper", m1, (l1 / 2, 0, 0)),
        link("lower", m2, (l2 / 2, 0, 0)),
        link("tip"),
        joint("shoulder", "base", "upper", axis="0 -1 0", effort=effort),
        joint("elbow", "upper", "lower", (l1, 0, 0), axis="0 -1 0", effort=effort),
        joint("wrist", "lower", "tip", (l2, 0, 0), kind="fixed"),
        name="arm",
    )


def planar_finger(lengths: tuple[float, ...], masses: tuple[float, ...], friction: float = 0.01) -> str:
    """A finger as `mechanism.PlanarFinger` has it: hinges about +y, x towards the tip, centres of mass halfway."""
    parts = [link("palm", 0.3)]
    before, at = "palm", 0.0
    for index, (length, mass) in enumerate(zip(lengths, masses, strict=True)):
        parts += [
            link(f"phalanx{index}", mass, (length / 2, 0, 0)),
            joint(f"hinge{index}", before, f"phalanx{index}", (at, 0, 0), effort=0.0, friction=friction),
        ]
        before, at = f"phalanx{index}", length
    return urdf(*parts, name="finger")


def legged(effort: float = 30.0, legs: int = 4, friction: float = 0.1) -> str:
    """A 10 kg body on legs: roll, hip, knee, massless foot 0.55 m below the hip when straight."""
    parts = [link("body", 10.0, (0.02, 0.0, 0.01))]
    for i, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)][:legs]):
        parts += [
            link(f"roll{i}"),
            link(f"thigh{i}", 1.0, (0, 0, -0.15)),
            link(f"shin{i}", 0.5, (0, 0, -0.12)),
            link(f"foot{i}"),
            joint(f"roll{i}", "body", f"roll{i}", (x, y, 0), "1 0 0", effort=effort, limits=(-1.5, 1.5)),
            joint(f"hip{i}", f"roll{i}", f"thigh{i}", effort=effort, friction=friction, limits=(-1.5, 1.5)),
            joint(f"knee{i}", f"thigh{i}", f"shin{i}", (0, 0, -0.3), effort=effort, limits=(-2.5, 2.5)),
            joint(f"ankle{i}", f"shin{i}", f"foot{i}", (0, 0, -0.25), kind="fixed"),
        ]
    return urdf(*parts, name="legged")


def crouching(robot: Robot, bend: float = 0.4, height: float = 0.5) -> np.ndarray:
    """The legged robot with all knees bent alike, its body level."""
    legs = [name[4:] for name in robot.joint_names if name.startswith("knee")]
    angles = {f"hip{i}": bend for i in legs} | {f"knee{i}": -2 * bend for i in legs}
    return robot.configuration(angles, base=Pose(np.eye(3), np.array([0.0, 0.0, height])))


def point_feet(legs: int = 4, mu: float = 0.6, cap: float | None = None) -> list[ContactSite]:
    """A ball on level ground at each foot: a friction cone about the vertical, however the foot turns."""
    volume = models.coulomb(mu, cap=cap)
    return [ContactSite(f"foot{i}", volume, facing=SOLE.rotation) for i in range(legs)]


def flat_feet(legs: int = 4, mu: float = 0.6, cap: float = 80.0) -> list[Hand]:
    """A rectangular sole at each foot, as a hand whose palm is the foot."""
    sole = Patch.rectangle(Pose.identity(), (0.06, 0.04), models.coulomb(mu, cap=cap, facets=6))
    return [Hand(f"foot{i}", (ContactSite(f"foot{i}", sole, SOLE),)) for i in range(legs)]


def random_posture(robot: Robot, rng: np.random.Generator, spread: float = 1.0) -> np.ndarray:
    """Any posture within the limits, a floating base anywhere."""
    angles = np.clip(spread * rng.normal(size=len(robot.joints)), robot.lower, robot.upper)
    if robot.base == "fixed":
        return robot.configuration(angles)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    return robot.configuration(angles, base=Pose(turn, rng.normal(size=3)))
