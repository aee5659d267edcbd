"""The decompositions kept in the package are those that the code makes, and right."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.force_limits.models.microspine import DEFAULT_PIECES, load_ready, save_ready


@pytest.mark.parametrize("side", ["inner", "outer"])
def test_the_kept_pieces_are_on_their_side_of_the_formula(side: str) -> None:
    volume, rays = load_ready(side), hf.loads.sphere_directions(20_000)
    limits, formula = volume.radial(rays), hf.models.MicrospineUnit().limit(rays)
    slack = 1e-9 * volume.size
    assert (limits <= formula + slack).all() if side == "inner" else (limits >= formula - slack).all()


def test_the_kept_outer_pieces_are_what_decompose_makes_today() -> None:
    made = hf.decompose(hf.models.microspine_surface(side="outer"), side="outer", max_pieces=DEFAULT_PIECES)
    kept = load_ready("outer")
    assert len(kept) == len(made)
    rays = hf.loads.sphere_directions(5_000)
    np.testing.assert_allclose(kept.radial(rays), made.radial(rays), rtol=1e-6, atol=1e-6 * kept.size)


def test_a_volume_survives_the_file(tmp_path) -> None:
    kept = load_ready("inner")
    save_ready(kept, tmp_path / "again.json")
    again = tmp_path / "again.json"
    assert again.read_text(encoding="utf-8").startswith('{"unit": "N"')
    assert kept.report is not None and kept.report.false_adhesion_newtons == 0.0
    assert hf.models.microspine().fingerprint == kept.fingerprint
