from __future__ import annotations

from xml.etree import ElementTree

import pytest

from holdfast.errors import InputError
from holdfast.papers.devices.climber import BoxLink, Hinge, RobotModel

ARM = RobotModel(
    "arm",
    (BoxLink("base", 2.0, (0.3, 0.2, 0.1)), BoxLink("upper", 0.1 + 0.2, (0.4, 0.05, 0.05), (0.2, 0.0, 0.0))),
    (Hinge("elbow", "base", "upper", (1 / 3, 0.0, 0.0), (0.0, 0.0, 1.0), lower=-1.0, upper=2.0, effort=9.0),),
    "two -- boxes & a hinge",
)


def test_numbers_read_back_to_the_last_digit() -> None:
    root = ElementTree.fromstring(ARM.urdf())
    assert [link.get("name") for link in root.iter("link")] == ["base", "upper"]
    masses = [float(mass.get("value", "")) for mass in root.iter("mass")]
    assert masses == [2.0, 0.1 + 0.2]
    joint = root.find("joint")
    assert joint is not None
    origin, limit = joint.find("origin"), joint.find("limit")
    assert origin is not None
    assert limit is not None
    assert [float(x) for x in origin.get("xyz", "").split()] == [1 / 3, 0.0, 0.0]
    assert limit.attrib == {"lower": "-1", "upper": "2", "effort": "9", "velocity": "1"}
    assert joint.find("dynamics") is None


def test_the_inertia_is_that_of_a_solid_box() -> None:
    """By adding up a fine grid of points."""
    link = BoxLink("box", 3.0, (0.3, 0.2, 0.1))
    import numpy as np

    n = 60
    axes = [(np.arange(n) + 0.5) / n * size - size / 2.0 for size in link.size]
    x, y, z = (grid.ravel() for grid in np.meshgrid(*axes))
    share = link.mass / n**3
    own = [share * (a**2 + b**2).sum() for a, b in ((y, z), (x, z), (x, y))]
    assert link.inertia == pytest.approx(own, rel=1e-3)


def test_trees_that_are_none_are_refused() -> None:
    base, arm = ARM.links
    with pytest.raises(InputError, match="two links called base"):
        RobotModel("twice", (base, base))
    with pytest.raises(InputError, match="does not carry every link"):
        RobotModel("loose", (base, arm))
    hinge = Hinge("elbow", "nothing", "upper")
    with pytest.raises(InputError, match="hangs on 'nothing'"):
        RobotModel("nowhere", (base, arm), (hinge,))
    with pytest.raises(InputError, match="mass of air"):
        BoxLink("air", 0.0, (1.0, 1.0, 1.0))
