from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileError
from holdfast.force_limits import DecompositionReport
from holdfast.force_limits.files_volume_file import load_volume, save_volume

REPORT = DecompositionReport("inner", 1, 0.0, 0.0, 0.0, 12.5, 3.25, 0.1, False)


@pytest.mark.parametrize(
    "volume",
    [
        hf.models.coulomb(1.0 / 3.0),
        hf.models.coulomb(0.0),
        hf.models.gecko_two_way(cap=np.pi),
        hf.ForceVolume([np.vstack([np.zeros(3), np.eye(3)])], report=REPORT),
    ],
    ids=["cone", "flat", "two pieces", "with report"],
)
def test_what_is_saved_reads_back_to_the_same_bits(tmp_path: Path, volume: hf.ForceVolume) -> None:
    path = tmp_path / "volume.json"
    save_volume(volume, path, source="a test")
    again = load_volume(path)
    assert again.fingerprint == volume.fingerprint
    assert again.report == volume.report
    assert json.loads(path.read_text(encoding="utf-8"))["unit"] == "N"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, "not a force volume"),
        ({"version": 2}, "version 2"),
        ({"unit": "kN"}, "unit: is 'kN'"),
        ({"pieces": []}, "pieces: has 0 entries"),
        ({"pieces": [[[0, 0]]]}, r"pieces\[0\]\[0\]"),
        ({"pieces": [[[0, 0, None]]]}, r"pieces\[0\]\[0\]\[2\]"),
        ({"extra": 1}, "extra: is not a field"),
        ({"report": {"side": "inner"}}, "report.pieces: is missing"),
    ],
)
def test_a_damaged_file_is_told_with_its_field(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = tmp_path / "volume.json"
    save_volume(hf.models.gecko(), path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(FileError, match=words) as caught:
        load_volume(path)
    assert caught.value.path == path


@pytest.mark.parametrize("content", [b"", b"[1, 2]", b"{", b"\xff", b'"x"', b"[" * 100_000])
def test_what_is_no_volume_is_told_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "volume.json"
    path.write_bytes(content)
    with pytest.raises(FileError):
        load_volume(path)


def test_a_missing_file_and_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        load_volume(tmp_path / "none.json")
    with pytest.raises(FileError, match="cannot be written"):
        save_volume(hf.models.gecko(), tmp_path / "none" / "volume.json")
