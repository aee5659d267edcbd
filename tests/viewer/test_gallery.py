from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import HoldfastError
from holdfast.files.reader import DATA
from holdfast.planar.files import planar_names
from holdfast.postures.files import POSTURES
from holdfast.scenes import ready_path
from holdfast.viewer.gallery import entries, file_pages, with_gallery
from holdfast.viewer.session import label
from tests.scenes.robot_files import BRACED, WALL
from tests.viewer.stand_in import Visit

# -- gallery ---------------------------------------------------------------------------------------


def test_every_page_has_a_key_and_a_line_of_its_own_and_the_groups_stand_together() -> None:
    found = entries()
    assert len({entry.key for entry in found}) == len(found)
    assert len({label(entry) for entry in found}) == len(found)
    groups = ["Contacts", "Several bodies", "Wrench spaces", "Load sharing", "Stability", "Climber", "Planar", "Grasps"]
    assert [group for group, _ in groupby(entry.group for entry in found)] == groups
    assert all(entry.summary for entry in found)


# -- file pages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("@block_on_three_points", ["Contacts", "Wrench spaces", "Load sharing", "Stability"]),
        ("@measured_gripper", ["Contacts", "Wrench spaces", "Stability"]),
        ("@stacked_cubes", ["Several bodies"]),
        ("@ladder", ["Planar"]),
        ("@two_link_snake", ["Planar"]),
        ("@quadruped_on_rock", ["Climber"]),
    ],
)
def test_ready_things_and_their_files_have_the_same_pages(name: str, groups: list[str]) -> None:
    from holdfast.planar.files import PLANAR_SCENES

    assert [entry.group for entry in file_pages(name)] == groups
    ready = (
        PLANAR_SCENES.path
        if name[1:] in planar_names()
        else POSTURES.path
        if name[1:] in POSTURES.names()
        else ready_path
    )
    assert [entry.group for entry in file_pages(str(ready(name)))] == groups


def test_a_ready_part_opens_the_page_of_grasps_with_it() -> None:
    (entry,) = file_pages("@bracket")
    assert (entry.group, entry.title) == ("Grasps", "bracket")
    with Visit(entry.make) as visit:
        assert visit.browser.gui.controls["Part"].value == "bracket" and not visit.errors
        assert visit.verdict.shown.status.startswith("grasp 1 of")


def test_the_page_of_a_file_shows_that_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(ready_path("@block_on_three_points").read_text().replace("name: ", "name: my ", 1))
    contacts, space, sharing, stability = file_pages(str(path))
    assert contacts.title == "mine.yaml"
    assert space.title.startswith("my ") and sharing.title == stability.title == space.title


def test_a_robot_file_and_a_urdf_have_the_page_of_robots(tmp_path: Path) -> None:
    pytest.importorskip("pinocchio")
    path = tmp_path / "robot.yaml"
    path.write_text(WALL)
    (entry,) = file_pages(str(path))
    assert (entry.group, entry.title) == ("Climber", "on a wall")
    path.write_text(BRACED)
    (entry,) = file_pages(str(path))
    assert (entry.group, entry.title) == ("Climber", "braced between two walls")
    (entry,) = file_pages(str(DATA / "robots" / "quadruped.urdf"))
    assert (entry.group, entry.title) == ("Climber", "quadruped")


def test_a_contour_or_a_picture_opens_the_page_of_grasps(tmp_path: Path) -> None:
    contour = tmp_path / "plate.csv"
    corners = np.array([[-40, -25], [40, -25], [40, 25], [-40, 25]])
    contour.write_text("x,y\n" + "\n".join(f"{x},{y}" for x, y in corners))
    (entry,) = file_pages(str(contour))
    assert (entry.group, entry.title) == ("Grasps", "plate.csv")
    with Visit(entry.make) as visit:
        assert visit.page.state().upload.name == "plate.csv" and not visit.errors
        assert visit.verdict.shown.status.startswith("grasp 1 of")
    from PIL import Image

    grey = np.full((60, 80), 255, dtype=np.uint8)
    grey[15:45, 20:60] = 30
    picture = tmp_path / "plate.png"
    Image.fromarray(grey).save(picture)
    assert file_pages(str(picture))[0].title == "plate.png"


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("none.yaml", None, "no such file"),
        ("bad.yaml", "holdfast: 1\ndevice: {kind: 9XX}\n", r"bad\.yaml:2"),
        ("bad.yaml", "holdfast: 1\nplanar: chian\n", "did you mean 'chain'"),
        ("bad.yaml", "holdfast: 1\nbody: {mass: -1}\nhands: []\n", r"bad\.yaml"),
        ("bad.yaml", "holdfast: [1\n", r"bad\.yaml"),
        ("bad.yaml", "- 1\n", r"bad\.yaml"),
        ("bad.yaml", "", "empty"),
        ("bad.png", "no picture", r"bad\.png"),
        ("bad.csv", "x,y\n1,nothing\n", r"bad\.csv"),
        ("none.png", None, r"none\.png"),
        ("arm.urdf", "<robot/>", r"arm\.urdf"),
        ("hand.toml", "", "hand file"),
    ],
)
def test_what_has_no_page_is_told_why(tmp_path: Path, file: str, content: str | None, words: str) -> None:
    if content is not None:
        (tmp_path / file).write_text(content)
    with pytest.raises(HoldfastError, match=words):
        file_pages(str(tmp_path / file))


def test_unknown_names_and_climbs_are_reported() -> None:
    with pytest.raises(HoldfastError, match=r"no ready scene '@quadruped_on_rok'.*did you mean '@quadruped_on_rock'"):
        file_pages("@quadruped_on_rok")
    with pytest.raises(HoldfastError, match="holdfast climb"):
        file_pages("@climb_straight")
    with pytest.raises(HoldfastError, match="folder"):
        file_pages(".")


def test_pages_of_a_file_come_first_and_the_menu_keeps_every_line() -> None:
    gallery = entries()
    for name in ("@quadruped_on_rock", "@gecko_on_glass", "@ladder"):
        pages = with_gallery(file_pages(name), gallery)
        assert pages[0].key == file_pages(name)[0].key
        assert len({entry.key for entry in pages}) == len(pages) == len({label(entry) for entry in pages})
        assert {entry.key for entry in gallery} <= {entry.key for entry in pages}
