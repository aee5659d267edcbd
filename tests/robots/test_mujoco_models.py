"""Contacts of MuJoCo: its own forces lie in our cones and balance, from either side of a pair."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InputError, MissingDependencyError, UnknownNameError
from holdfast.robots.adapters import load_mujoco, mujoco_contacts

SCENE = """
<mujoco>
  <option cone="elliptic"/>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1" friction=".4"/>
    <body name="box" pos="0 0 .0999">
      <freejoint/>
      <geom name="crate" type="box" size=".2 .1 .1" mass="2" friction=".7"/>
      <body name="lid" pos="0 0 .1"><geom type="sphere" size=".02" mass=".5" friction=".4"/></body>
    </body>
    <body name="ball" pos="0 0 .2399"><freejoint/><geom type="sphere" size=".02" mass=".1" friction=".4"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def simulation():
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    for _ in range(400):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return mujoco, model, data


def test_forces_of_the_simulation_lie_in_the_cones_and_balance_the_weight(simulation):
    mujoco, model, data = simulation
    points = mujoco_contacts(model, data, bodies=["box", "ball"])
    assert set(points.terrains) == {"floor"}
    assert set(points.links) == {"box"}
    contacts = points.contacts(sides=64)
    total, row = np.zeros(6), 0
    for index in range(data.ncon):
        if "floor" not in [model.geom(int(g)).name for g in data.contact.geom[index]]:
            continue
        force = np.zeros(6)
        mujoco.mj_contactForce(model, data, index, force)  # normal, two tangents
        local = np.array([force[1], force[2], force[0]])
        assert force[0] > 0.0
        assert contacts[row].volume.contains(local, tolerance=1e-3)
        world = contacts[row].rotation @ local
        total += np.concatenate([world, np.cross(contacts[row].position, world)])
        row += 1
    weight = hf.loads.gravity_wrench(2.6, gravity=(0, 0, -9.81), com=data.subtree_com[0])
    assert total == pytest.approx(-weight, abs=1e-3 * 2.6 * 9.81)
    assert hf.equilibrium(hf.Assembly(contacts), weight).holds


def test_friction_is_the_one_that_mujoco_uses(simulation):
    _, model, data = simulation
    points = mujoco_contacts(model, data, "box")
    on_floor = points.within(1.0).chosen(np.array([t == "floor" for t in points.terrains]))
    assert on_floor.friction == pytest.approx(0.7)  # the larger of the two


def test_normals_lead_into_whichever_body_is_asked_about(simulation):
    _, model, data = simulation
    ball, box = mujoco_contacts(model, data, "ball"), mujoco_contacts(model, data, "box")
    assert ball.links == ("ball",)
    assert ball.normals[0] == pytest.approx([0, 0, 1], abs=1e-2)
    under = [n for n, t in zip(box.normals, box.terrains, strict=True) if t == "ball"]
    assert len(under) == 1
    assert under[0] == pytest.approx(-ball.normals[0])


def test_by_default_all_that_moves_is_the_body_and_contacts_within_it_are_left_out(simulation):
    _, model, data = simulation
    assert set(mujoco_contacts(model, data).terrains) == {"floor"}


def test_wrong_names_and_objects_are_told(simulation):
    _, model, data = simulation
    with pytest.raises(UnknownNameError, match="did you mean 'ball'"):
        mujoco_contacts(model, data, "bal")
    with pytest.raises(InputError, match="model"):
        mujoco_contacts("model.xml", data)
    with pytest.raises(InputError, match="one of the two"):
        mujoco_contacts(model, data, "ball", bodies=["box"])
    with pytest.raises(InputError, match="body: is a int"):
        mujoco_contacts(model, data, 1)


def test_without_mujoco_the_message_says_what_to_install(monkeypatch):
    true_import = builtins.__import__

    def no_mujoco(name, *args, **kwargs):
        if name == "mujoco":
            raise ImportError(name)
        return true_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_mujoco)
    with pytest.raises(MissingDependencyError, match=r"holdfast\[mujoco\]"):
        load_mujoco()
