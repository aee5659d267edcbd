from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from holdfast.errors import SceneError
from holdfast.grips import Grip
from holdfast.postures.files_posture_reader import load_posture, posture_names, posture_path, posture_title
from holdfast.postures.files_posture_scene import PostureScene


def largest_factor(scene: PostureScene, wrench: np.ndarray) -> float:
    """Largest share of the load, up to 100, that vertices and rays of the hands balance, by the full program (20)."""
    columns, rows = [], []
    for number, (grip, pose) in enumerate(zip(scene.grips, scene.poses, strict=True)):
        assert isinstance(grip, Grip)
        transport = pose.wrench_transport()
        for corner in grip.vertices:
            columns.append(np.concatenate([transport @ corner, np.eye(len(scene))[number]]))
        for ray in grip.rays:
            columns.append(np.concatenate([transport @ ray, np.zeros(len(scene))]))
    columns.append(np.concatenate([wrench, np.zeros(len(scene))]))
    rows = np.array(columns).T
    cost = np.zeros(len(columns))
    cost[-1] = -1.0
    wanted = np.concatenate([np.zeros(6), np.ones(len(scene))])
    bounds = [(0.0, None)] * (len(columns) - 1) + [(0.0, 100.0)]
    found = linprog(cost, A_eq=rows, b_eq=wanted, bounds=bounds, method="highs")
    assert found.status == 0  # nothing at all is held by hands that need not pull
    return float(found.x[-1])


def test_a_name_leads_to_its_file_and_a_path_to_itself() -> None:
    assert posture_path("@tripod_on_flat_ground").name == "tripod_on_flat_ground.yaml"
    assert posture_path("tripod_on_flat_ground") == Path("tripod_on_flat_ground")


def test_a_wrong_name_suggests_the_nearest() -> None:
    with pytest.raises(SceneError, match="did you mean '@tripod_on_flat_ground'"):
        load_posture("@tripod_on_flatground")


@pytest.mark.parametrize("name", posture_names())
def test_a_ready_posture_begins_with_what_it_is(name: str) -> None:
    first = posture_path(f"@{name}").read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# {posture_title(name)}"
    assert 40 < len(first) <= 120


@pytest.mark.parametrize(
    ("name", "load", "holds"),
    [
        ("tripod_on_flat_ground", None, True),
        ("tripod_on_flat_ground", "push", True),
        ("tripod_on_flat_ground", "shove", False),
        ("quadruped_on_rock", None, True),
        ("quadruped_on_rock", "arm", True),
        ("braced_in_a_chimney", None, True),
        ("climber_on_overhang", None, True),
        ("climber_on_overhang", "rope", True),
        ("climber_on_overhang", "bag", True),
        ("climber_with_tired_hands", None, False),
    ],
)
def test_a_ready_posture_does_what_its_comments_say(name: str, load: str | None, holds: bool) -> None:
    scene = load_posture(f"@{name}")
    wrench = scene.with_loads([] if load is None else [load])
    factor = largest_factor(scene, wrench)
    assert (factor >= 1.0) is holds
    assert abs(factor - 1.0) > 0.05  # not by a hair
