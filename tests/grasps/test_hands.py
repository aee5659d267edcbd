"""Hands come from files; what is missing, unknown or impossible in them is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.errors import FileError, InputError, UnknownNameError
from holdfast.grasps.hands import FOLDER, GraspHand, Linkage, Slide, hand_names, load_hand

BARRETT = load_hand("barrett")
TEXT = (FOLDER / "barrett.toml").read_text(encoding="utf-8")


def written(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_three_hands_come_with_holdfast():
    assert hand_names() == ("barrett", "generic", "parallel_jaw")
    for name in hand_names():
        assert load_hand(name).name == name and load_hand(name).source


def test_the_barrett_hand_has_the_figures_of_the_grasp_model():
    assert (BARRETT.pivot_offset, BARRETT.longest_extension, BARRETT.eta) == (25.0, 150.0, 110.0)
    assert (BARRETT.spread_low, BARRETT.spread_high) == (np.deg2rad(2.0), np.deg2rad(88.0))
    assert BARRETT.fingers == 3 and BARRETT.virtual and isinstance(BARRETT.kinematics, Linkage)


def test_the_generic_hand_pivots_in_its_palm_centre_and_the_jaw_has_two_fingers():
    generic, jaw = load_hand("generic"), load_hand("parallel_jaw")
    assert generic.pivot_offset == 0.0 and not generic.virtual and isinstance(generic.kinematics, Slide)
    assert jaw.fingers == 2 and jaw.virtual and 2.0 * jaw.pivot_offset == jaw.fingertip_width


def test_a_hand_of_ones_own_is_a_file(tmp_path: Path):
    path = written(
        tmp_path, TEXT.replace('"barrett"', '"mine"').replace("pivot_offset_mm = 25.0", "pivot_offset_mm = 18")
    )
    mine = load_hand(str(path))
    assert mine == load_hand(path) == load_hand(mine)
    assert mine.name == "mine" and mine.pivot_offset == 18.0
    assert replace(mine, name="barrett", pivot_offset=25.0) == BARRETT


def test_an_unknown_hand_is_refused_with_the_nearest_one():
    with pytest.raises(UnknownNameError) as raised:
        load_hand("barret")
    assert raised.value.nearest == "barrett" and "parallel_jaw" in str(raised.value)


@pytest.mark.parametrize("hand", [None, 3, b"barrett", {"name": "barrett"}])
def test_what_is_no_hand_is_refused(hand: Any):
    with pytest.raises(InputError, match="hand"):
        load_hand(hand)


@pytest.mark.parametrize(
    "old, new, field",
    [
        ("pivot_offset_mm = 25.0", "", "pivot_offset_mm"),
        ("fingers = 3", "", "fingers"),
        ("virtual = true", "", "virtual"),
        ("spread_deg = [2.0, 88.0]", "", "spread_deg"),
        ('kind = "linkage"', "", "kinematics.kind"),
        ("knuckle_mm = 50.0", "", "kinematics.knuckle_mm"),
        ("pivot_offset_mm = 25.0", "pivot_ofset_mm = 25.0", "pivot_ofset_mm"),
        ("fingers = 3", "fingers = 3\ncolour = 1", "colour"),
        ("knuckle_mm = 50.0", "knuckle = 50.0", "kinematics.knuckle"),
        ("pivot_offset_mm = 25.0", "pivot_offset_mm = -1.0", "pivot_offset"),
        ("pivot_offset_mm = 25.0", "pivot_offset_mm = 0.0", "pivot_offset"),
        ("pivot_offset_mm = 25.0", 'pivot_offset_mm = "wide"', "pivot_offset_mm"),
        ("pivot_offset_mm = 25.0", "pivot_offset_mm = nan", "pivot_offset_mm"),
        ("pivot_offset_mm = 25.0", "pivot_offset_mm = true", "pivot_offset_mm"),
        ("fingers = 3", "fingers = 5", "fingers"),
        ("fingers = 3", "fingers = true", "fingers"),
        ("virtual = true", "virtual = 1", "virtual"),
        ('name = "barrett"', "name = 3", "name"),
        ('name = "barrett"', 'name = ""', "name"),
        ("eta_mm = 110.0", "eta_mm = 0.0", "eta"),
        ("longest_extension_mm = 150.0", "longest_extension_mm = 0", "longest_extension"),
        ("longest_extension_mm = 150.0", "longest_extension_mm = 160", "longest_extension"),
        ("spread_deg = [2.0, 88.0]", "spread_deg = [88.0, 2.0]", "spread"),
        ("spread_deg = [2.0, 88.0]", "spread_deg = [0.0, 88.0]", "spread"),
        ("spread_deg = [2.0, 88.0]", "spread_deg = [2.0, 90.0]", "spread"),
        ("spread_deg = [2.0, 88.0]", "spread_deg = 88.0", "spread_deg"),
        ("spread_deg = [2.0, 88.0]", 'spread_deg = [2.0, "x"]', "spread_deg"),
        ('kind = "linkage"', 'kind = "spring"', "kinematics.kind"),
        ("proximal_mm = 70.0", "proximal_mm = 0.0", "kinematics.proximal"),
        ("coupling = 0.3333333333333333", "coupling = -1.0", "kinematics.coupling"),
        ("[0.0, 140.0]", "[140.0, 0.0]", "kinematics.proximal_range"),
        ("fingers = 3", "fingers = = 3", "line"),
    ],
)
def test_a_fault_of_the_file_is_named(tmp_path: Path, old: str, new: str, field: str):
    assert old in TEXT
    path = written(tmp_path, TEXT.replace(old, new, 1))
    with pytest.raises(FileError, match=field.replace(".", r"\.")) as raised:
        load_hand(path)
    assert str(path) in str(raised.value) and raised.value.fix


def test_kinematics_are_a_table(tmp_path: Path):
    with pytest.raises(FileError, match="kinematics"):
        load_hand(written(tmp_path, TEXT[: TEXT.index("[kinematics]")] + "kinematics = 3\n"))


def test_two_fingers_need_virtual_grasps(tmp_path: Path):
    jaw = load_hand("parallel_jaw")
    with pytest.raises(InputError, match="virtual"):
        replace(jaw, virtual=False)
    text = (FOLDER / "parallel_jaw.toml").read_text(encoding="utf-8").replace("height_mm = 100.0", "height_mm = -1")
    with pytest.raises(FileError, match=r"kinematics\.height"):
        load_hand(written(tmp_path, text))


def test_files_that_are_none_are_named(tmp_path: Path):
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(FileError, match="cannot be read"):
            load_hand(path)
    (tmp_path / "noise.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="not TOML"):
        load_hand(tmp_path / "noise.toml")


def test_hands_are_values():
    assert isinstance(BARRETT, GraspHand) and hash(BARRETT) == hash(load_hand("barrett"))


def test_a_whole_number_of_fingers_is_kept_as_one(tmp_path: Path):
    hand = load_hand(written(tmp_path, TEXT.replace("fingers = 3", "fingers = 3.0")))
    assert hand == BARRETT and type(hand.fingers) is int
    with pytest.raises(FileError, match="fingers"):
        load_hand(written(tmp_path, TEXT.replace("fingers = 3", "fingers = 2.5")))


@pytest.mark.parametrize("entry", ["eta_mm", "pivot_offset_mm", "palm_radius_mm", "proximal_mm", "knuckle_mm"])
def test_a_negative_length_is_refused_by_the_name_of_its_entry(tmp_path: Path, entry: str):
    lines = [f"{entry} = -5.0" if line.startswith(f"{entry} ") else line for line in TEXT.splitlines()]
    with pytest.raises(FileError, match=entry):
        load_hand(written(tmp_path, "\n".join(lines)))
