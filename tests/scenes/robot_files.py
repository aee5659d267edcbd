"""Robot files for tests: the climber on a wall by grips, and braced between two walls by units."""

from __future__ import annotations

WALL = """
holdfast: 1
name: on a wall
robot: {urdf: "@climber_without_fingers"}
posture:
  base: {position: [-0.4, 0, 0], rotation: [[0, 0, -1], [0, 1, 0], [1, 0, 0]]}
  joints: {front_left_2: -0.5, front_right_2: -0.5, rear_left_2: -0.5, rear_right_2: -0.5,
           front_left_4: 1, front_right_4: 1, rear_left_4: 1, rear_right_4: 1}
loads:
  gust: {force: [0, 120, 0], at: [-0.35, 0, 0]}
  anvil: {force: [0, 0, -9000], at: [-0.35, 0, 0]}
grips:
  hook: {box: {lower: [-150, -300, -450, -40, -40, -40], upper: [800, 300, 600, 40, 40, 40]}}
hands:
  - {name: left hand, palm: front_left_palm, grip: hook,
     at: {position: [0, 0.45, 0.5], normal: [-1, 0, 0.1], shear: [0, 0, 1]}}
  - {name: right hand, palm: front_right_palm, grip: hook,
     at: {position: [0, -0.42, 0.55], normal: [-1, 0.15, 0], shear: [0, 0, 1]}}
  - {name: left foot, palm: rear_left_palm, grip: hook,
     at: {position: [0, 0.4, -0.5], normal: [-1, -0.1, 0.2], shear: [0, 0, 1]}}
  - {name: right foot, palm: rear_right_palm, grip: hook,
     at: {position: [0, -0.45, -0.45], normal: [-1, 0, -0.05], shear: [0, 0, 1]}}
"""

BRACED = """
holdfast: 1
name: braced between two walls
robot: {urdf: "@climber_without_fingers"}
posture: {base: {position: [0, 0, 0.6]}}
volumes: {rubber: {model: coulomb, mu: 0.6}}
touches:
  - {name: left hand, link: front_left_palm, volume: rubber, size: [0.1, 0.1], normal: [0, 0, -1], shear: [1, 0, 0]}
  - {name: right hand, link: front_right_palm, volume: rubber, normal: [0, 0, -1]}
  - {name: left foot, link: rear_left_palm, volume: rubber, normal: [0, 0, -1]}
  - {name: right foot, link: rear_right_palm, volume: rubber, normal: [0, 0, -1]}
"""

#: A plate on two hinged fingers of one joint each, the base held.
PINCH = """
holdfast: 1
name: a pinch
robot: {urdf: pinch.urdf, base: fixed, at: {position: [0, 0, 1]}}
object: {mass: 0.4, com: [0.1, 0, 1]}
loads: {tug: {force: [60, 0, 0], at: [0.1, 0, 1]}}
volumes: {rubber: {model: coulomb, mu: 0.6}}
touches:
  - {name: left, link: left, volume: rubber, position: [0.1, 0, 0], normal: [0, -1, 0], shear: [0, 0, 1]}
  - {name: right, link: right, volume: rubber, position: [0.1, 0, 0], normal: [0, 1, 0], shear: [0, 0, 1]}
"""

_INERTIA = '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/>'
_LINK = '<link name="{}"><inertial><mass value="0.1"/>' + _INERTIA + "</inertial></link>"
_JOINT = (
    '<joint name="{0}" type="revolute"><parent link="base"/><child link="{0}"/><origin xyz="0 {1} 0"/>'
    '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="2" velocity="1"/></joint>'
)
PINCH_URDF = (
    '<robot name="pinch">'
    + "".join(_LINK.format(name) for name in ("base", "left", "right"))
    + _JOINT.format("left", 0.02)
    + _JOINT.format("right", -0.02)
    + "</robot>"
)
