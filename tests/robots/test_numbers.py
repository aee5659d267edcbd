"""Numbers of attributes come whole or not at all."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from holdfast.errors import InputError
from holdfast.robots.urdf import numbers_of

ELEMENT = ElementTree.fromstring('<origin xyz="1 2 3" rpy="1 nan 2" size=""/>')


def test_numbers_are_read_and_defaults_stand_in():
    assert numbers_of(ELEMENT, "xyz", 3, "here") == [1.0, 2.0, 3.0]
    assert numbers_of(ELEMENT, "scale", 2, "here", default=(1, 2)) == [1.0, 2.0]


@pytest.mark.parametrize(("name", "count"), [("xyz", 2), ("rpy", 3), ("size", 1), ("scale", 1)])
def test_anything_else_is_an_error(name, count):
    with pytest.raises(InputError, match=f"here: <origin {name}>"):
        numbers_of(ELEMENT, name, count, "here")
