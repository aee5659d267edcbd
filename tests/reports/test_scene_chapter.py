from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import holdfast as hf
from holdfast.reports.contents import ReportContents, ReportOptions, answer_scene
from holdfast.reports.scene_chapter import friction, scene_chapter, volume_names


def test_contacts_of_the_same_volume_share_its_name_in_the_file(contents: ReportContents) -> None:
    assert list(volume_names(contents.scene).values()) == ["foot"]
    assert len(volume_names(hf.load_scene("@two_finger_gripper_d_md"))) == 1
    assert list(volume_names(replace(contents.scene, volume_names={})).values()) == ["V1"]


@pytest.mark.parametrize("cap", [None, 80.0])
def test_the_friction_of_a_cone_is_read_off_its_edges(cap: float | None) -> None:
    cone = hf.models.coulomb(0.6, facets=4, **({} if cap is None else {"cap": cap}))
    edges = cone.rays[0] if cap is None else cone.pieces[0][np.abs(cone.pieces[0]).max(axis=1) > 0.0]
    for x, y, z in edges[edges[:, 2] > 0.0]:
        shear = np.array([x, y, 0.0])
        way = shear / np.linalg.norm(shear)
        assert friction(cone, way) == pytest.approx(np.linalg.norm(shear) / z)


def test_friction_is_none_without_shear_and_needs_no_pressing_where_zero_is_inside() -> None:
    smooth = hf.ForceVolume([[(0, 0, 0), (0, 0, 100.0)]], allow_flat=True)
    assert friction(smooth, np.array([1.0, 0, 0])) == 0.0
    assert friction(hf.models.magnet(30.0, mu=0.5, cap=100.0), np.array([1.0, 0, 0])) == np.inf


def test_a_cone_shows_its_friction_and_not_a_limit_of_zero() -> None:
    contents = answer_scene("@block_on_three_points", ReportOptions(slices=()))
    text = scene_chapter(contents).text
    assert text.count("0.6 f_z") == 3
    assert ">rubber<" in text and ">V1<" not in text


def test_the_chapter_names_what_the_scene_has(contents: ReportContents) -> None:
    text = scene_chapter(contents).text
    assert "mass 1 kg" in text
    assert "(0, 0, 0.05)" in text
    assert "Contacts (3)" in text
    assert "&lt;b&gt;a&lt;/b&gt;" in text
    assert "Joint rows" not in text
    assert '<td class="number">30</td>' in text  # what one magnet bears straight off
