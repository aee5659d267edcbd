from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import holdfast as hf
from holdfast.assembly.plots import subject_of
from holdfast.errors import InputError


@pytest.fixture
def patch(dented: hf.ForceVolume) -> hf.Patch:
    return hf.Patch.rectangle(hf.Pose(np.eye(3), [0.1, 0.2, 0.3]), (0.04, 0.02), dented, name="unit")


def test_units_are_found_by_the_names_of_their_contacts(patch: hf.Patch, dented: hf.ForceVolume) -> None:
    lone = hf.Contact([0, 0, 0], np.eye(3), dented, "lone")
    subject = subject_of(hf.Assembly([*patch.contacts, lone]))
    (face,) = subject.faces
    assert {tuple(c) for c in face.round(9).tolist()} == {tuple(c) for c in patch.faces[0].round(9).tolist()}
    assert len(subject.frames) == 2
    np.testing.assert_allclose(subject.frames[0][0], [0.1, 0.2, 0.3])
    assert subject.shape is None and subject.links == ()


def test_contacts_without_names_in_line_or_out_of_plane_make_no_unit(dented: hf.ForceVolume) -> None:
    def contacts(points: list, name: str) -> list[hf.Contact]:
        return [hf.Contact(p, np.eye(3), dented, f"{name}[{k}]" if name else "") for k, p in enumerate(points)]

    line = contacts([[0, 0, 0], [1, 0, 0], [2, 0, 0]], "line")
    bent = contacts([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]], "bent")
    none = contacts([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "")
    assert subject_of(hf.Assembly([*line, *bent, *none])).faces == ()


def test_patches_and_polygons_that_are_given_come_first(patch: hf.Patch) -> None:
    assembly = hf.Assembly(patch.contacts)
    np.testing.assert_array_equal(subject_of(assembly, [patch]).faces[0], patch.faces[0])
    triangle = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    np.testing.assert_array_equal(subject_of(assembly, [triangle]).faces[0], triangle)


def test_scenes_bring_their_drawing_and_their_centre(patch: hf.Patch) -> None:
    line = np.array([[0, 0, 0], [0, 0, 1.0]])
    drawing = SimpleNamespace(shape="shape", faces=patch.faces, links=(("base", line),))
    scene = SimpleNamespace(assembly=hf.Assembly(patch.contacts), com=np.array([0, 0, 1.0]), drawing=drawing)
    subject = subject_of(scene)
    assert subject.shape == "shape" and len(subject.faces) == 1
    np.testing.assert_array_equal(subject.links[0], line)
    np.testing.assert_array_equal(subject.center, [0, 0, 1])
    assert subject_of(scene, shape="other").shape == "other"


def test_devices_bring_their_units_links_and_object(dented: hf.ForceVolume) -> None:
    device = hf.devices.two_finger_gripper("D", "MD", unit=dented)
    subject = subject_of(device)
    assert len(subject.assembly) == 12 and len(subject.faces) == 3 and len(subject.frames) == 3
    assert subject.shape is device.object.shape
    assert len(subject.links) == len(device.links)


@pytest.mark.parametrize(("bad", "where"), [([[[0, 0, 0], [1, 0, 0]]], r"patches\[0\]"), (["x"], r"patches\[0\]")])
def test_bad_patches_are_named(patch: hf.Patch, bad: list, where: str) -> None:
    with pytest.raises(InputError, match=where):
        subject_of(hf.Assembly(patch.contacts), bad)


def test_other_things_are_refused() -> None:
    with pytest.raises(InputError, match="assembly: is a list"):
        subject_of([])
