from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError
from holdfast.papers.plots import Pose2D, onset_agreement, onset_strip

DEVICE = hf.devices.two_opposed_units()


def test_every_event_is_a_point_and_what_never_slips_is_at_the_border() -> None:
    ax = onset_agreement(np.radians([10, 50, 90]), [0.2, np.inf, 1.0], ["a", "b", "a"])
    points = {c.get_label(): np.asarray(c.get_offsets()) for c in ax.collections if len(c.get_offsets())}
    assert np.allclose(points["a"], [[np.degrees(0.2), 10], [np.degrees(1.0), 90]])
    assert points["b"][0, 0] > 180
    assert points["b"][0, 1] == pytest.approx(50)
    assert "deg" in ax.get_xlabel()
    assert {t.get_text() for t in ax.get_legend().get_texts()} == {"within 10°", "a", "b"}


def test_gravity_points_down_the_page_whatever_the_angle() -> None:
    for azimuth in (0.0, 0.7, np.pi / 2, np.pi):
        towards = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
        for angle in (0.0, 0.5, 2.0):
            gravity = -np.cos(angle) * np.array([0, 0, 1.0]) + np.sin(angle) * towards
            assert np.allclose(Pose2D(DEVICE, towards, angle).project(gravity[None]), [[0.0, -1.0]], atol=1e-12)


def test_the_left_finger_is_drawn_on_the_left() -> None:
    left = np.array([[-1.0, 0.0, 0.0]])
    for towards in ((1, 0, 0), (-1, 0, 0), (-1, 1, 0)):
        assert Pose2D(DEVICE, np.array(towards, dtype=float), 0.0).project(left)[0, 0] < 0


def test_a_strip_has_a_panel_a_pose_with_units_and_links() -> None:
    towards = np.array([1.0, 0.0, 0.0])
    rows = [[Pose2D(DEVICE, towards, angle, f"{angle:g}") for angle in (0.0, 1.0)]] * 2
    figure = onset_strip(rows, titles=("before", "after"))
    assert len(figure.axes) == 4
    assert [ax.get_title() for ax in figure.axes[:2]] == ["before", "after"]
    for ax in figure.axes:
        assert len(ax.patches) == len(DEVICE.patches)
        assert len(ax.lines) == len(DEVICE.links) + 1  # and the centre of mass
    bare = hf.devices.Device("bare", DEVICE.patches, hf.devices.HeldObject(1.0), links=DEVICE.links)
    assert onset_strip([[Pose2D(bare, towards, 0.0)]]).axes


def test_bad_pictures_are_refused() -> None:
    with pytest.raises(InputError):
        onset_agreement([1.0], [1.0, 2.0], ["a"])
    with pytest.raises(InputError, match="groups"):
        onset_agreement([1.0], [1.0], [])
    for frames in ([], [[], [Pose2D(DEVICE, np.array([1.0, 0, 0]), 0.0)]]):
        with pytest.raises(InputError, match="frames"):
            onset_strip(frames)
