from __future__ import annotations

import numpy as np

from holdfast.scenes import load_scene
from holdfast.scenes.page_volume_meshes import volume_meshes, welded
from holdfast.web.meshes import piece_meshes


def test_every_vertex_is_a_force_of_its_contact_at_its_contact() -> None:
    assembly = load_scene("@two_opposed_units").assembly
    volume = assembly.contacts[0].volume
    pieces = [welded(mesh) for mesh in piece_meshes(volume)]
    drawn = [pieces if index % 2 == 0 else None for index in range(len(assembly))]
    scales = np.tile([2e-3, 2e-3, 1e-3], (len(assembly), 1))
    scales[4] = 0.0  # one that does not touch shrinks to its point
    made = volume_meshes(drawn)
    assert [mesh.piece for mesh in made] == list(range(len(volume)))
    for mesh in made:
        world = mesh.placed(assembly, scales)
        assert set(mesh.owner) == {0, 2, 4, 6}
        assert mesh.faces.max() == len(world) - 1
        for point, owner in zip(world[::7], mesh.owner[::7], strict=True):
            contact = assembly.contacts[owner]
            local = contact.rotation.T @ (point - contact.position)
            if owner == 4:
                assert np.allclose(local, 0.0)
            else:
                assert volume.polytopes[mesh.piece].contains(local / scales[owner])
        owners = mesh.owner[mesh.faces]
        assert (owners == owners[:, :1]).all()  # no face joins two contacts


def test_welding_keeps_the_triangles() -> None:
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    faces = np.array([[0, 1, 2], [3, 4, 5]])
    fewer, corners = welded((vertices, faces))
    assert len(fewer) == 4
    assert np.array_equal(fewer[corners], vertices[faces])
