"""Pictures of chains in motion: a panel a mode, arrows by second differences of the nodes."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InputError
from holdfast.planar import system_motions
from holdfast.planar.plots import ARROW, chain_motions, node_accelerations
from holdfast.scenes import PlanarChainScene, load_planar


def scene() -> PlanarChainScene:
    found = load_planar("@two_link_snake_ambiguous")
    assert isinstance(found, PlanarChainScene)
    return found


def test_accelerations_of_nodes_are_second_differences_of_their_places():
    chain, q = scene().chain, scene().q
    rng = np.random.default_rng(0)
    qd, qdd = rng.normal(size=(2, 4))
    step = 1e-4
    places = [chain.nodes(q + t * qd + 0.5 * t * t * qdd) for t in (-step, 0.0, step)]
    seen = (places[0] - 2.0 * places[1] + places[2]) / step**2
    assert np.allclose(node_accelerations(chain, q, qd, qdd), seen, atol=1e-5)


def test_every_mode_has_a_panel_with_its_name_and_arrows():
    asked = scene()
    answer = asked.motions([-0.05])
    figure = chain_motions(asked.chain, asked.q, answer, contacts=asked.contacts)
    assert [ax.get_title() for ax in figure.axes] == list(answer.modes) and len(answer.modes) > 1
    size = float(np.ptp(asked.chain.nodes(asked.q), axis=0).max())
    longest = 0.0
    for ax, (mode, piece) in zip(figure.axes, answer.modes.items(), strict=True):
        arrows = [child for child in ax.get_children() if child.get_gid() == "acceleration"]
        a = node_accelerations(asked.chain, asked.q, None, piece.sample().acceleration)
        if mode == "FFF":
            assert np.abs(a).max() < 1e-6 and not arrows
            continue
        (arrow,) = arrows
        lengths = np.hypot(arrow.U, arrow.V)
        longest = max(longest, float(lengths.max()))
    assert longest == pytest.approx(ARROW * size)


def test_no_motion_and_bad_answers():
    asked = scene()
    still = chain_motions(asked.chain, asked.q, system_motions(asked.system(), [-0.5]), contacts=asked.contacts)
    assert "nothing accelerates" in still.get_suptitle()
    with pytest.raises(InputError):
        chain_motions(asked.chain, asked.q, "motions")  # type: ignore[arg-type]
