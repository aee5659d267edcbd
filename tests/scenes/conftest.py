"""A scene that is right, and a way to write others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

#: One line a field, so that faults have lines of their own.
BLOCK = """\
holdfast: 1
name: block
object:
  mass: 2.0
  com: [0, 0, 0.05]
  shape: {kind: box, size: [0.3, 0.3, 0.1], position: [0, 0, 0.05]}
loads:
  push: {force: [5, 0, 0], at: [0, 0, 0.05]}
volumes:
  rubber:
    model: coulomb
    mu: 0.6
    cap: 100
contacts:
  - name: front
    position: [0.1, 0.0, 0.0]
    normal: [0, 0, 1]
    volume: rubber
  - name: left
    position: [-0.1, 0.1, 0.0]
    normal: [0, 0, 1]
    shear: [1, 0, 0]
    volume: rubber
  - name: right
    position: [-0.1, -0.1, 0.0]
    rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    volume: rubber
joints:
  - kind: hinge
    name: lever
    axis: [0, 1, 0]
    through: [0, 0, -0.1]
    contacts: [front]
    torque: 4
"""


@pytest.fixture
def block() -> str:
    """The text of a right scene."""
    return BLOCK


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write a text to a scene file; its path."""

    def save(text: str | bytes, name: str = "scene.yaml") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return save
