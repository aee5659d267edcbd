"""The chapter on the scene itself: object, contacts, force volumes, joint rows, loads."""

from __future__ import annotations

import numpy as np

from .. import tolerances
from ..checks import Array
from ..force_limits import ForceVolume
from ..scenes import Scene
from ..statics.diagnosis import AT_LIMIT, active_facets
from . import drawings
from .contents import ReportContents
from .markup import Markup, element, number, picture, table, together, triple


def scene_chapter(contents: ReportContents) -> Markup:
    """What the scene consists of, with its picture."""
    scene = contents.scene
    mass = "no mass given" if scene.mass is None else f"mass {number(scene.mass)} kg"
    facts = f"Object: {mass}, centre of mass {triple(scene.com)} m. Gravity {triple(scene.gravity)} m/s²."
    description = [element("p", line) for line in scene.description.strip().split("\n\n") if line]
    caption = "The contacts with their frames: shear red, lateral green, normal (into the object) blue."
    drawn = picture(drawings.scene(contents), caption, describes="The scene: contacts, gripper and object")
    parts = [element("h2", "The scene"), *description, element("p", facts), drawn, _volumes(scene), _contacts(scene)]
    return together(*parts, _joints(contents), _loads(scene))


def volume_names(scene: Scene) -> dict[str, str]:
    """What each distinct force volume is called, by its fingerprint: its name in the file, or V1, V2 and so on."""
    found: dict[str, str] = {}
    for contact in scene.assembly.contacts:
        key = contact.volume.fingerprint
        found.setdefault(key, scene.volume_names.get(key, f"V{len(found) + 1}"))
    return found


def friction(volume: ForceVolume, way: Array) -> float:
    """Largest shear along the unit vector `way` (3,), at right angles to z, per newton of pressing, at small forces.

    It is that of the cone which the volume is near zero; 0 where pressing allows no shear along `way`, inf where zero
    is inside the volume, so that shear needs no pressing.
    """
    most = 0.0
    for piece in volume.polytopes:
        if not piece.contains(np.zeros(3)):
            continue
        normals = active_facets(piece, np.zeros(3))
        press, shear = normals[:, 2], normals @ way
        along = np.abs(shear) <= AT_LIMIT
        if (press[along] > AT_LIMIT).any():
            continue
        ends = -press[~along] / shear[~along]
        low = float(ends[shear[~along] < 0.0].max(initial=-np.inf))
        high = float(ends[shear[~along] > 0.0].min(initial=np.inf))
        most = max(most, high if low <= high * (1.0 + AT_LIMIT) + AT_LIMIT else 0.0)
    return most


def _limit_along(volume: ForceVolume, way: Array) -> str:
    """The largest force along `way` (3,) [N]; for shear that needs pressing, its share of the normal force f_z."""
    limit = float(volume.radial(way))
    if limit > tolerances.MEMBERSHIP * volume.size:
        return number(limit)
    slope = friction(volume, way) if way[2] == 0.0 else 0.0
    return f"{number(slope)} f_z" if AT_LIMIT < slope < np.inf else number(0.0)


def _volumes(scene: Scene) -> Markup:
    names, rows = volume_names(scene), {}
    for contact in scene.assembly.contacts:
        volume = contact.volume
        name = names[volume.fingerprint]
        users = sum(other.volume.fingerprint == volume.fingerprint for other in scene.assembly.contacts)
        ways = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]], dtype=float)
        rows.setdefault(name, (name, str(users), str(len(volume)), *(_limit_along(volume, way) for way in ways)))
    columns = [
        "model",
        "contacts",
        "pieces",
        "along +x [N]",
        "along -x [N]",
        "along y [N]",
        "pulled off [N]",
        "pressed [N]",
    ]
    said = (
        "Force limits of the contacts: unions of convex pieces in the contact frame; limits along single directions. "
        "0.5 f_z: friction, so much of the force that presses."
    )
    return together(element("h3", "Contact models"), table(columns, rows.values(), caption=said))


def _contacts(scene: Scene) -> Markup:
    names = volume_names(scene)
    rows = [
        (
            contact.name or str(index),
            *(number(x) for x in contact.position),
            triple(contact.rotation[:, 2], 3),
            triple(contact.rotation[:, 0], 3),
            names[contact.volume.fingerprint],
        )
        for index, contact in enumerate(scene.assembly.contacts)
    ]
    columns = ["contact", "x [m]", "y [m]", "z [m]", "normal, into the object", "shear direction", "model"]
    return together(element("h3", f"Contacts ({len(rows)})"), table(columns, rows))


def _joints(contents: ReportContents) -> Markup:
    joints = contents.scene.assembly.joints
    if joints is None:
        return Markup("")
    names = joints.names or tuple(str(row) for row in range(len(joints)))
    rows = [
        (name, number(low) if low > float("-inf") else "no limit", number(high))
        for name, low, high in zip(names, joints.lower.tolist(), joints.upper.tolist(), strict=True)
    ]
    said = "What the contact forces may sum up to in each row, the links' weight included."
    columns = ["joint row", "least [N m, N]", "largest [N m, N]"]
    return together(element("h3", f"Joint rows ({len(rows)})"), table(columns, rows, caption=said))


def _loads(scene: Scene) -> Markup:
    loads = dict(scene.loads)
    if scene.mass is not None:
        loads = {"weight": scene.gravity_load(), **loads}
    if not loads:
        return Markup("")
    rows = [(name, *(number(float(x)) for x in wrench)) for name, wrench in loads.items()]
    columns = ["load", "f_x [N]", "f_y [N]", "f_z [N]", "t_x [N m]", "t_y [N m]", "t_z [N m]"]
    return together(element("h3", "Loads"), table(columns, rows, caption="On the object; torques about the origin."))
