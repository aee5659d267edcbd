"""Forward kinematics, mass and energy of a URDF straight from its XML, in NumPy: what robots are compared with."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from holdfast.robots import Robot


def _numbers(element: ElementTree.Element | None, name: str, default: str) -> np.ndarray:
    return np.array([float(x) for x in (default if element is None else element.get(name, default)).split()])


def _placed(origin: ElementTree.Element | None) -> np.ndarray:
    """(4, 4) of an <origin>: fixed axes, roll first."""
    result = np.eye(4)
    result[:3, :3] = Rotation.from_euler("xyz", _numbers(origin, "rpy", "0 0 0")).as_matrix()
    result[:3, 3] = _numbers(origin, "xyz", "0 0 0")
    return result


class UrdfReference:
    """The links of a URDF at coordinates of its driving joints; a floating joint at the root is the base."""

    def __init__(self, text: str) -> None:
        root = ElementTree.fromstring(text)
        self.joints = {joint.get("name", ""): joint for joint in root.findall("joint")}
        self.links = {link.get("name", ""): link for link in root.findall("link")}

    def coordinate(self, name: str, driving: dict[str, float]) -> float:
        """Of a joint, followed through all that it mimics."""
        mimic = self.joints[name].find("mimic")
        if mimic is None:
            return driving[name]
        other = self.coordinate(mimic.get("joint", ""), driving)
        return float(mimic.get("multiplier", "1")) * other + float(mimic.get("offset", "0"))

    def poses(self, driving: dict[str, float], base: np.ndarray) -> dict[str, np.ndarray]:
        """(4, 4) pose of each link in the world, the root link (after a floating joint) at `base`."""
        parents = {j.find("child").get("link"): (name, j) for name, j in self.joints.items()}
        found: dict[str, np.ndarray] = {}

        def pose(link: str) -> np.ndarray:
            if link not in found:
                name, joint = parents.get(link, ("", None))
                if joint is None or joint.get("type") == "floating":
                    found[link] = base
                else:
                    found[link] = pose(joint.find("parent").get("link")) @ self._step(name, joint, driving)
            return found[link]

        return {link: pose(link) for link in self.links}

    def _step(self, name: str, joint: ElementTree.Element, driving: dict[str, float]) -> np.ndarray:
        """(4, 4) from the child of a joint to its parent."""
        origin, motion, kind = _placed(joint.find("origin")), np.eye(4), joint.get("type")
        if kind == "fixed":
            return origin
        axis = _numbers(joint.find("axis"), "xyz", "1 0 0")
        axis = axis / np.linalg.norm(axis)
        x = self.coordinate(name, driving)
        if kind == "prismatic":
            motion[:3, 3] = x * axis
        else:
            motion[:3, :3] = Rotation.from_rotvec(x * axis).as_matrix()
        return origin @ motion

    def mass_and_com(self, driving: dict[str, float], base: np.ndarray) -> tuple[float, np.ndarray]:
        """(mass [kg], centre of mass (3,) [m])."""
        poses, total, moment = self.poses(driving, base), 0.0, np.zeros(3)
        for name, link in self.links.items():
            inertial = link.find("inertial")
            if inertial is not None:
                mass = float(inertial.find("mass").get("value"))
                at = poses[name] @ _placed(inertial.find("origin"))
                total, moment = total + mass, moment + mass * at[:3, 3]
        return total, moment / total


def base_matrix(robot: Robot, q: np.ndarray) -> np.ndarray:
    """(4, 4) of the root link in the posture q."""
    pose, result = robot.base_pose(q), np.eye(4)
    result[:3, :3], result[:3, 3] = pose.rotation, pose.translation
    return result


def driving_of(robot: Robot, q: np.ndarray) -> dict[str, float]:
    """Coordinates of the posture, by name."""
    return dict(zip(robot.joint_names, q[robot.q_base :], strict=True))
