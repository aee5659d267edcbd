from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import holdfast as hf
from holdfast.errors import InputError
from holdfast.plotting import style, utilisation


def table(names: tuple[str, ...] = ("corner", "right", "left")) -> hf.Assembly:
    """Three capped Coulomb feet on a right triangle; none can pull."""
    edges = np.array([[0.5, 0, 1], [0, 0.5, 1], [-0.5, 0, 1], [0, -0.5, 1]])
    volume = hf.ForceVolume([np.vstack([np.zeros(3), 100.0 * edges])])
    feet = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    return hf.Assembly([hf.Contact(x, np.eye(3), volume, n) for x, n in zip(feet, names, strict=True)], name="table")


@pytest.fixture
def standing() -> hf.Diagnosis:
    return hf.diagnose(hf.equilibrium(table(), hf.loads.gravity_wrench(1.0, (0, 0, -10.0), (0.25, 0.25, 0.0))))


def test_bars_are_as_long_as_the_use_and_the_limit_stands_out(standing, pixels: Callable[[Any], np.ndarray]) -> None:
    ax = utilisation(standing)
    bars = {bar.get_gid(): bar for bar in ax.patches}
    for contact in standing.contacts:
        assert bars[contact.label].get_width() == pytest.approx(100.0 * contact.utilisation)
    assert bars['contact "corner"'].get_width() == pytest.approx(100.0)
    assert to_rgb(bars['contact "corner"'].get_facecolor()) == to_rgb(style.LIMIT)
    assert to_rgb(bars['contact "left"'].get_facecolor()) != to_rgb(style.LIMIT)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["corner", "right", "left"]
    assert ax.get_title() == "table: it holds 20 times this load"
    assert pixels(ax).std() > 5.0


def test_numbers_say_what_one_percent_more_brings(standing) -> None:
    texts = [t.get_text() for t in utilisation(standing).texts]
    assert any("100 %" in text and "+1 %" in text for text in texts)
    assert not any("+" in text for text in texts if text.startswith("gain") is False and "100 %" not in text)


def test_contacts_without_force_say_so_and_unnamed_ones_have_numbers() -> None:
    over_the_corner = hf.loads.gravity_wrench(1.0, (0, 0, -10.0))
    ax = utilisation(hf.diagnose(hf.equilibrium(table(("", "", "")), over_the_corner)), title="alone")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["0", "1", "2"]
    assert [t.get_text() for t in ax.texts][1:3] == ["no force", "no force"]
    assert ax.get_title() == "alone"


def test_of_many_contacts_the_most_used_are_drawn(standing) -> None:
    ax = utilisation(standing, most=1)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["corner"]


def test_a_contact_at_the_border_of_its_piece_is_hatched() -> None:
    low = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1.0]])
    halves = hf.ForceVolume(
        [np.concatenate([low, low + [0, 0, 1.0]]), np.concatenate([low + [0, 0, 1.0], low + [0, 0, 2.0]])]
    )
    assembly = hf.Assembly([hf.Contact([0, 0, 0], np.eye(3), halves)])
    diagnosis = hf.diagnose(hf.equilibrium(assembly, np.zeros(6)))
    assert not [bar for bar in utilisation(diagnosis).patches if bar.get_hatch()]  # no force, no limit
    sideways = hf.diagnose(hf.load_limit(assembly, [-1, 0, 0, 0, 0, 0]))
    assert sideways.contacts[0].at_limit
    between = hf.JointRows([[1.0, 0, 0]], [-0.5], [0.5])
    held = hf.diagnose(hf.load_limit(hf.Assembly(assembly.contacts, between), [-1, 0, 0, 0, 0, 0]))
    assert held.contacts[0].at_piece_limit
    assert [bar.get_hatch() for bar in utilisation(held).patches] == ["////"]


@pytest.mark.parametrize("bad", [None, 3.0])
def test_only_a_diagnosis_is_drawn(bad: Any) -> None:
    with pytest.raises(InputError, match="diagnosis"):
        utilisation(bad)


def test_a_diagnosis_without_forces_cannot_be_drawn() -> None:
    stuck = hf.Assembly(table().contacts, hf.JointRows([[0, 0, 1.0] + [0.0] * 6], [-2.0], [-1.0]))
    with pytest.raises(InputError, match="no forces"):
        utilisation(hf.diagnose(hf.load_limit(stuck, [0, 0, -1.0, 0, 0, 0])))
