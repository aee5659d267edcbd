from __future__ import annotations

import numpy as np
import pytest

from holdfast.planar import Body, Contact, motions
from holdfast.planar.erdmann import generalised_force, single_contact_projection

UNIT = Body(1.0, 1.0)


def test_the_projection_is_the_one_motion_of_a_body_at_rest_wherever_it_applies():
    rng = np.random.default_rng(0)
    seen = {"S": 0, "F": 0, "R": 0, "L": 0}
    for case in range(200):
        angle = rng.uniform(0, 2 * np.pi) if case % 2 else rng.integers(4) * np.pi / 2
        r = rng.normal(size=2) if case % 2 else rng.integers(-2, 3, 2)
        body = Body(rng.uniform(0.5, 2.0), rng.uniform(0.5, 2.0))
        contact = Contact((np.cos(angle), np.sin(angle)), r, float(rng.choice([0.0, 0.3, 1.0, 2.0])))
        force = rng.normal(size=3) if case % 3 else rng.integers(-1, 2, 3)
        found = single_contact_projection(body, contact, force)
        if not found.applies:
            continue
        answer = motions(body, [contact], force)
        assert answer.status == "unique"
        assert list(answer.modes) == [found.mode]
        seen[found.mode] += 1
        np.testing.assert_allclose(answer.acceleration, found.acceleration, atol=1e-9 * (1 + np.abs(force).max()))
        ft, fn = found.forces
        assert fn >= -1e-12 and abs(ft) <= contact.mu * fn + 1e-9
        rows = contact.tangent_row * ft + contact.normal_row * fn
        np.testing.assert_allclose(generalised_force(body, rows), found.reaction, atol=1e-9)
    assert min(seen.values()) >= 5


def test_a_cone_below_its_tangent_plane_is_left_to_the_whole_analysis():
    """Painleve's rod at rest: at tan 2 the cone dips below the plane above mu = 4/3, and motions are no longer one."""
    r = np.array([1.0, 2.0]) / np.sqrt(5.0)
    body = Body(1.0, 1.0 / np.sqrt(3.0))
    for mu in (0.5, 1.3, 1.34, 2.0):
        assert single_contact_projection(body, Contact((0, 1), r, mu), (0, -9.81, 0)).applies == (mu < 4 / 3)


def test_a_force_along_the_surface_slides_without_reaction():
    found = single_contact_projection(UNIT, Contact((0, 1), (0, 0), 0.5), (-2.0, 0.0, 0.0))
    assert found.mode == "L"
    np.testing.assert_allclose(found.acceleration, [-2.0, 0.0, 0.0])
    np.testing.assert_allclose(found.reaction, 0.0)
    assert single_contact_projection(UNIT, Contact((0, 1), (0, 0), 0.5), (0, 0, 0)).mode == "F"


@pytest.mark.parametrize(("push", "mode"), [(0.4, "F"), (0.5, "F"), (0.6, "R"), (-0.6, "L")])
def test_within_the_friction_angle_it_sticks_and_beyond_it_keeps_to_the_edge(push, mode):
    found = single_contact_projection(UNIT, Contact((0, 1), (0, 0), 0.5), (push, -1.0, 0.0))
    assert found.mode == mode
    assert found.h == pytest.approx(np.clip(push, -0.5, 0.5))
    np.testing.assert_allclose(found.forces, [-np.clip(push, -0.5, 0.5), 1.0])
