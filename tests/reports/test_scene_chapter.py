from __future__ import annotations

import holdfast as hf
from holdfast.reports.contents import ReportContents
from holdfast.reports.scene_chapter import scene_chapter, volume_names


def test_contacts_of_the_same_volume_share_its_letter(contents: ReportContents) -> None:
    assert list(volume_names(contents.scene).values()) == ["V1"]
    assert len(volume_names(hf.load_scene("@two_finger_gripper_d_md"))) == 1


def test_the_chapter_names_what_the_scene_has(contents: ReportContents) -> None:
    text = scene_chapter(contents).text
    assert "mass 1 kg" in text
    assert "(0, 0, 0.05)" in text
    assert "Contacts (3)" in text
    assert "&lt;b&gt;a&lt;/b&gt;" in text
    assert "Joint rows" not in text
    assert '<td class="number">30</td>' in text  # what one magnet bears straight off
