"""ContactDrawing: object, units, force volumes, forces and motion of a contacts page, in one browser's scene.

Nodes are made once and changed in place: a new answer sends arrows and dots, never the volumes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..assembly.loads import STANDARD_GRAVITY
from ..assembly.plots import subject_of
from ..checks import Array, BoolArray
from ..plotting import style
from ..web import meshes
from .page_contact_states import units_of
from .page_volume_meshes import VolumeMesh, volume_meshes, welded

if TYPE_CHECKING:
    import viser

    from ..force_limits.volume import ForceVolume
    from ..geometry.frames import Pose
    from .page_contact_answers import ContactAnswer
    from .scene import Scene

#: Where the nodes of a page stand in the scene's tree.
ROOT = "/contacts"

#: Sizes as shares of the size of what is drawn: arrows' shafts, heads and lengths of heads, dots, frames' axes, links.
SHAFT, HEAD, HEAD_LENGTH, DOT, AXIS, LINK_WIDTH = 0.0035, 0.009, 0.022, 0.007, 0.035, 0.012

#: Length of the largest force of a volume, and of the largest contact force of the first answer that has some, at
#: first: shares of the size of what is drawn. They have scales of their own, as contacts use little of large volumes.
VOLUME_LENGTH, FORCE_LENGTH = 0.16, 0.25

#: With more contacts than `MOST_VOLUMES` the largest force is this long, so that arrows do not hide what they act on.
SHORT_LENGTH = 0.1

#: Length of the weight where volumes are without limit, as a share of the size of what is drawn.
WEIGHT_LENGTH = 0.8

#: A force below this share of the largest is drawn as none.
NEGLIGIBLE = 1e-3

#: How solid volumes look.
VOLUME_OPACITY = 0.5

#: With more contacts than this, only one volume a unit is drawn at first.
MOST_VOLUMES = 24

BODY, UNIT, LINK = "#9A9A9A", "#E69F00", "#5F6B7A"


class Volumes(StrEnum):
    """Where force volumes are drawn; the value is the word for it."""

    ALL = "at every contact"
    UNITS = "one a unit"
    NONE = "none"


class ContactDrawing:
    """The picture of one page.

    Args:
        client: the browser.
    """

    def __init__(self, client: viser.ClientHandle) -> None:
        self._client = client
        self._nodes: dict[str, Any] = {}
        self._scene: Scene | None = None
        self._volumes: list[VolumeMesh] = []
        self._placed: tuple[Volumes, float, float, bytes] | None = None
        self._pieces: dict[str, list[meshes.Mesh]] = {}
        self._answer: ContactAnswer | None = None
        self.center: Array = np.zeros(3)
        self.solid: Array = np.zeros((0, 3))
        self.size = 1.0
        self.force_scale = 1.0
        self.volume_scale = 1.0
        self.volumes = Volumes.ALL
        self.shows_frames = True
        self.shows_object = True

    # -- what stays while the posture stays ---------------------------------------------------------

    def show_scene(self, scene: Scene) -> None:
        """Draw what depends on the posture alone; nothing happens when it is drawn already."""
        if scene is self._scene:
            return
        first, self._scene = self._scene is None, scene
        subject = subject_of(scene)
        held = np.concatenate([subject.assembly.positions, *subject.faces, *subject.links])
        if first:
            outline = [] if subject.shape is None else [meshes.shape_mesh(subject.shape, held)[0][0]]
            solid = self.solid = np.concatenate([held, *outline])
            self.center = 0.5 * (solid.min(axis=0) + solid.max(axis=0))
            self.size = float(np.ptp(solid, axis=0).max()) or 0.1
            reach = max(meshes.mesh_reach(self._pieces_of(contact.volume)) for contact in scene.assembly.contacts)
            self.volume_scale = VOLUME_LENGTH * self.size / reach
            weight = STANDARD_GRAVITY * float(scene.mass or 0.0)
            self.force_scale = FORCE_LENGTH * self.size / weight if weight else self.volume_scale
            if weight and not all(contact.volume.is_bounded for contact in scene.assembly.contacts):
                # Volumes without limit say nothing of how large forces are.
                self.volume_scale = min(self.volume_scale, WEIGHT_LENGTH * self.size / weight)
            self.volumes = Volumes.ALL if len(scene.assembly) <= MOST_VOLUMES else Volumes.UNITS
        with self._client.atomic():
            # Browsers draw what shines through in the order in which it was made: what is inside comes first.
            self._draw_volumes(scene)
            self._place_volumes(scene, np.ones(len(scene.assembly), dtype=bool), 1.0)
            self._mesh("units", meshes.polygons_mesh(subject.faces), UNIT, 0.8)
            segments = [np.stack([line[:-1], line[1:]], axis=1) for line in subject.links]
            self._lines("links", np.concatenate([*segments, np.zeros((0, 2, 3))]), LINK, LINK_WIDTH * self.size)
            self._draw_frames(subject.frames)
            self._draw_object(subject.shape, held)

    def _draw_object(self, shape: Any, held: Array) -> None:
        mesh, lines = meshes.polygons_mesh(()), np.zeros((0, 2, 3))
        if shape is not None:
            mesh, lines = meshes.shape_mesh(shape, held)
        self._mesh("object", mesh, BODY, 0.2, visible=self.shows_object)
        self._lines("edges", lines, "#6E6E6E", 0.0015 * self.size, visible=self.shows_object)
        self._mesh("ghost", mesh, style.MOTION, 0.3, visible=False)

    def _draw_frames(self, frames: tuple[tuple[Array, Array], ...]) -> None:
        positions = np.array([position for position, _ in frames])
        turns = meshes.quaternions(np.array([rotation for _, rotation in frames]))
        node = self._nodes.get("frames")
        if node is None:
            self._nodes["frames"] = self._client.scene.add_batched_axes(
                f"{ROOT}/frames", turns, positions, axes_length=AXIS * self.size, axes_radius=0.04 * AXIS * self.size
            )
        else:
            node.batched_wxyzs, node.batched_positions = turns, positions
        self._nodes["frames"].visible = self.shows_frames

    def _pieces_of(self, volume: ForceVolume) -> list[meshes.Mesh]:
        """Triangles of each piece [N], made once."""
        if volume.fingerprint not in self._pieces:
            self._pieces[volume.fingerprint] = [welded(mesh) for mesh in meshes.piece_meshes(volume)]
        return self._pieces[volume.fingerprint]

    def _draw_volumes(self, scene: Scene) -> None:
        """Prepare one mesh a piece for all contacts that are drawn; `_place_volumes` puts it into the scene."""
        contacts = scene.assembly.contacts
        own = {contact.volume.fingerprint for contact in contacts}
        self._pieces = {key: pieces for key, pieces in self._pieces.items() if key in own}
        drawn = set(range(len(contacts)))
        if self.volumes is not Volumes.ALL:
            drawn = {indices[0] for indices in units_of(scene.assembly).values()}
        pieces = [self._pieces_of(c.volume) if i in drawn else None for i, c in enumerate(contacts)]
        self._volumes = volume_meshes(pieces)
        self._placed = None

    def _place_volumes(self, scene: Scene, chosen: BoolArray, friction: float) -> None:
        """Send the volumes when posture, scale, friction or touching contacts have changed; else nothing."""
        key = (self.volumes, friction, self.volume_scale, chosen.tobytes())
        if key == self._placed:
            return
        self._placed = key
        whole = self.volume_scale * np.array([friction, friction, 1.0])
        scales = np.where(chosen[:, None], whole, 0.0)  # what does not touch shrinks to its point
        # Closed pieces are seen from outside alone, which is half the work for a browser without a graphics card.
        side = "front" if all(contact.volume.is_bounded for contact in scene.assembly.contacts) else "double"
        used = set()
        for mesh in self._volumes if self.volumes is not Volumes.NONE else ():
            used.add(name := f"piece {mesh.piece}")
            vertices = mesh.placed(scene.assembly, scales)
            self._mesh(name, (vertices, mesh.faces), style.colour(mesh.piece), VOLUME_OPACITY, side=side)
        for name, node in self._nodes.items():
            if name.startswith("piece ") and name not in used:
                node.visible = False

    # -- what changes with every answer -------------------------------------------------------------

    def show_answer(self, answer: ContactAnswer) -> None:
        """Draw forces, load and limits; the motion of an answer before is taken away."""
        self._answer = answer
        with self._client.atomic():
            self.show_scene(answer.scene)
            self._place_volumes(answer.scene, answer.chosen, answer.state.friction)
            self._draw_forces(answer)
            self._draw_load(answer)
            self._draw_letting_go(answer)

    def fitted_scale(self, answer: ContactAnswer) -> float | None:
        """Metres a newton at which the answer's largest contact force has its first length; None without forces."""
        largest = 0.0 if answer.forces is None else float(np.linalg.norm(answer.forces, axis=1).max())
        length = FORCE_LENGTH if len(answer.chosen) <= MOST_VOLUMES else SHORT_LENGTH
        return length * self.size / largest if largest > 0.0 else None

    def refresh(self) -> None:
        """Draw the last answer again, after a change of the scale or of what is shown."""
        if self._scene is not None:
            self._draw_volumes(self._scene)
        for name, shown in (("frames", self.shows_frames), ("object", self.shows_object), ("edges", self.shows_object)):
            if name in self._nodes:
                self._nodes[name].visible = shown
        if self._answer is not None:
            self.show_answer(self._answer)

    def move_ghost(self, pose: Pose | None) -> None:
        """Show a copy of the object moved by a pose; None takes it away."""
        ghost = self._nodes.get("ghost")
        if ghost is None:
            return
        if pose is not None:
            ghost.wxyz, ghost.position = meshes.quaternions(pose.rotation[None])[0], pose.translation
        ghost.visible = pose is not None

    def clear(self) -> None:
        """Remove all nodes."""
        nodes, self._nodes, self._volumes, self._scene = list(self._nodes.values()), {}, [], None
        for node in nodes:
            node.remove()

    def _draw_forces(self, answer: ContactAnswer) -> None:
        points = answer.scene.assembly.positions
        forces = np.zeros_like(points) if answer.forces is None else answer.forces
        sizes = np.linalg.norm(forces, axis=1)
        loaded = sizes > NEGLIGIBLE * float(sizes.max(initial=0.0))
        hot = answer.at_limit & loaded
        ends = points + self.force_scale * forces
        for name, chosen, colour in (("forces", loaded & ~hot, style.FORCE), ("limit forces", hot, style.LIMIT)):
            self._arrows(name, np.stack([points[chosen], ends[chosen]], axis=1), colour)
        for name, chosen, colour, width in (
            ("dots", answer.chosen & ~hot & ~answer.gives_way, style.FORCE, DOT),
            ("first dots", answer.gives_way & ~hot, style.LIMIT, 1.3 * DOT),
            ("limit dots", hot, style.LIMIT, 2.2 * DOT),
        ):
            self._dots(name, points[chosen], colour, width)

    def _draw_load(self, answer: ContactAnswer) -> None:
        """Weight and load as one force at the centre of mass, and the torque left about it."""
        com, force = answer.scene.com, answer.wrench[:3]
        strength = float(np.linalg.norm(force))
        length = min(self.force_scale * strength, style.LONGEST * self.size)
        arrow = [[com, com + length * force / strength]] if strength > 0.0 else []
        self._arrows("load", np.array(arrow).reshape(-1, 2, 3), style.LOAD, 1.8)
        torque = answer.wrench[3:] - np.cross(com, force)
        visible = float(np.linalg.norm(torque)) > 1e-3 * strength * self.size
        ring = meshes.turn_lines(com, torque, 0.1 * self.size) if visible else np.zeros((0, 2, 3))
        self._lines("torque", ring, style.LOAD, 0.004 * self.size)

    def _draw_letting_go(self, answer: ContactAnswer) -> None:
        """The certificate's separating wrench as a motion: an arrow for its velocity, a ring for its turn."""
        motion, com = answer.letting_go, answer.scene.com
        arrow, ring = np.zeros((0, 2, 3)), np.zeros((0, 2, 3))
        if motion is not None:
            velocity, turn = motion[:3] + np.cross(motion[3:], com), motion[3:] * self.size
            strongest = max(float(np.linalg.norm(velocity)), float(np.linalg.norm(turn)))
            if np.linalg.norm(velocity) > 0.1 * strongest:
                arrow = np.array([[com, com + style.LONGEST * self.size * velocity / strongest]])
            if np.linalg.norm(turn) > 0.1 * strongest:
                ring = meshes.turn_lines(com, turn, 0.16 * self.size)
        self._arrows("letting go", arrow, style.MOTION, 2.2)
        self._lines("letting turn", ring, style.MOTION, 0.006 * self.size)

    # -- nodes ----------------------------------------------------------------------------------------

    def _mesh(
        self,
        name: str,
        mesh: meshes.Mesh,
        colour: str,
        opacity: float,
        *,
        visible: bool = True,
        side: Literal["front", "double"] = "double",
    ) -> None:
        vertices, faces = mesh
        node = self._nodes.get(name)
        if not len(faces):
            if node is not None:
                self._nodes.pop(name).remove()
        elif node is None:
            self._nodes[name] = self._client.scene.add_mesh_simple(
                f"{ROOT}/{name}", vertices, faces, color=meshes.rgb(colour), opacity=opacity, flat_shading=True,
                side=side, cast_shadow=False, receive_shadow=False, visible=visible,
            )  # fmt: skip
        else:
            node.vertices, node.faces, node.visible = vertices, faces, visible

    def _lines(self, name: str, points: Array, colour: str, width: float, *, visible: bool = True) -> None:
        node = self._nodes.get(name)
        if not len(points):
            if node is not None:
                node.visible = False
        elif node is None:
            self._nodes[name] = self._client.scene.add_line_segments(
                f"{ROOT}/{name}", points, meshes.rgb(colour), thickness=width, thickness_units="world", visible=visible
            )
        else:
            node.points, node.visible = points, visible
            node.colors = np.broadcast_to(np.array(meshes.rgb(colour), dtype=np.uint8), points.shape)

    def _arrows(self, name: str, points: Array, colour: str, width: float = 1.0) -> None:
        node = self._nodes.get(name)
        if not len(points):
            if node is not None:
                node.visible = False
        elif node is None:
            wide = width * self.size
            self._nodes[name] = self._client.scene.add_arrows(
                f"{ROOT}/{name}", points, meshes.rgb(colour), shaft_radius=SHAFT * wide, head_radius=HEAD * wide,
                head_length=HEAD_LENGTH * wide,
            )  # fmt: skip
        else:
            node.points, node.visible = points, True

    def _dots(self, name: str, points: Array, colour: str, width: float) -> None:
        node = self._nodes.get(name)
        if not len(points):
            if node is not None:
                node.visible = False
        elif node is None:
            self._nodes[name] = self._client.scene.add_point_cloud(
                f"{ROOT}/{name}", points, meshes.rgb(colour), point_size=width * self.size, point_shape="circle",
                precision="float32",
            )  # fmt: skip
        else:
            node.points, node.visible = points, True
