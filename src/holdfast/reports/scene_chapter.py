"""The chapter on the scene itself: object, contacts, force volumes, joint rows, loads."""

from __future__ import annotations

from .. import tolerances
from ..scene import Scene
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
    """A letter for each distinct force volume of the scene, by the volume's fingerprint."""
    found: dict[str, str] = {}
    for contact in scene.assembly.contacts:
        found.setdefault(contact.volume.fingerprint, f"V{len(found) + 1}")
    return found


def _volumes(scene: Scene) -> Markup:
    names, rows = volume_names(scene), {}
    for contact in scene.assembly.contacts:
        volume = contact.volume
        name = names[volume.fingerprint]
        users = sum(other.volume.fingerprint == volume.fingerprint for other in scene.assembly.contacts)
        ways = ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 1.0])
        dust = tolerances.MEMBERSHIP * volume.size
        limits = (number(float(limit) if limit > dust else 0.0) for limit in volume.radial(ways))
        rows.setdefault(name, (name, str(users), str(len(volume)), *limits))
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
    said = "Force limits of the contacts: unions of convex pieces in the contact frame; limits along single directions."
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
