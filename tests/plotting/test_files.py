from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.errors import FileError, InputError
from holdfast.plotting import save
from holdfast.statics.plots import gravity_polar

MAGIC = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def picture():
    return gravity_polar([0.0, 1.0], ["holds", "does not hold"])


@pytest.mark.parametrize("suffix", [*MAGIC, ".PNG"])
def test_the_suffix_decides_the_format_and_equal_pictures_are_equal_bytes(tmp_path: Path, suffix: str) -> None:
    first = save(picture(), tmp_path / f"a{suffix}")
    second = save(picture().get_figure(), str(tmp_path / f"b{suffix}"))
    assert first == tmp_path / f"a{suffix}"
    assert first.read_bytes().startswith(MAGIC[suffix.lower()])
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(("name", "fault"), [("a.bmpp", "'.bmpp'"), ("a", "no suffix"), ("a.jpg", "'.jpg'")])
def test_an_unknown_suffix_is_named_with_the_known_ones(tmp_path: Path, name: str, fault: str) -> None:
    with pytest.raises(FileError, match=fault) as caught:
        save(picture(), tmp_path / name)
    assert all(suffix in caught.value.fix for suffix in MAGIC)
    assert caught.value.path == tmp_path / name


def test_a_folder_that_is_missing_or_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="folder does not exist"):
        save(picture(), tmp_path / "none" / "a.png")
    (tmp_path / "taken.png").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        save(picture(), tmp_path / "taken.png")


def test_only_pictures_can_be_saved(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="figure_or_ax: is a str"):
        save("picture", tmp_path / "a.png")
    with pytest.raises(InputError, match="dpi"):
        save(picture(), tmp_path / "a.png", dpi=0)


def test_importing_is_cheap_and_drawing_touches_neither_pyplot_nor_settings(tmp_path: Path) -> None:
    code = f"""
import sys
import holdfast as hf
from holdfast import plotting
assert not any(name.startswith(("matplotlib", "mpl_toolkits")) for name in sys.modules)
import matplotlib
before = dict(matplotlib.rcParams)
volume = hf.ForceVolume([[[0, 0, 0], [1, 0, 1], [0, 1, 1], [-1, -1, 1]]])
contact = hf.Contact([0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], volume)
plotting.save(hf.force_limits.plots.force_volume(volume), r"{tmp_path / "a.png"}")
plotting.save(hf.force_limits.plots.section(volume), r"{tmp_path / "a.svg"}")
plotting.save(hf.assembly.plots.assembly(hf.Assembly([contact]), forces=[[0, 0, 1]]), r"{tmp_path / "b.png"}")
plotting.save(hf.statics.plots.gravity_polar([0.0], ["holds"], [2.0]), r"{tmp_path / "c.png"}")
plotting.save(hf.statics.plots.load_limits({{"a": {{"pull": 1.0}}}}), r"{tmp_path / "d.pdf"}")
assert "matplotlib.pyplot" not in sys.modules
assert dict(matplotlib.rcParams) == before
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
