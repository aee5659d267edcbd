"""Does a simulation move where Holdfast says that it must? A cart on three feet is pushed at its handle in MuJoCo.

The contacts are those of the MuJoCo model. Holdfast computes the largest push in 24 directions; MuJoCo gets 98% and
102% of each through `xfrc_applied`. Below the limit the cart stays, above it the cart slides, turns or tips over.

Run it: python examples/19_check_in_mujoco.py [FOLDER]; it needs MuJoCo
"""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np

import holdfast as hf
from holdfast import plotting
from holdfast.plotting import style

CART = """<mujoco><option cone="elliptic" impratio="100" noslip_iterations="10"/>
  <default><geom friction=".5"/></default><worldbody><geom type="plane" size="2 2 .1"/>
  <body name="cart" pos="0 0 .1"><freejoint/><site name="handle" pos="-.2 0 .3"/>
    <geom type="box" size=".25 .2 .04" mass="8"/><geom type="box" size=".05 .05 .05" pos=".1 .08 .09" mass="6"/>
    <geom size=".02" pos=".2 0 -.08" mass=".1"/><geom size=".02" pos="-.2 .15 -.08" mass=".1"/>
    <geom size=".02" pos="-.2 -.15 -.08" mass=".1"/></body></worldbody></mujoco>"""


def moved(model: mujoco.MjModel, start: mujoco.MjData, force: np.ndarray) -> float:
    """How far the handle moves [m] in one second in which the force [N] on it grows and then stays."""
    data = mujoco.MjData(model)
    data.qpos[:] = start.qpos
    handle, cart = start.site("handle").xpos, data.body("cart")
    for grown in np.minimum(np.arange(0.0, 2.0, 0.004), 1.0):  # steps of 2 ms
        cart.xfrc_applied[:] = grown * np.concatenate([force, np.cross(handle - start.body("cart").xipos, force)])
        mujoco.mj_step(model, data)
    return float(np.linalg.norm(data.site("handle").xpos - handle))


def main(folder: Path) -> None:
    model = mujoco.MjModel.from_xml_string(CART)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 1000)  # it settles on its feet
    feet = hf.Assembly(hf.robots.mujoco_contacts(model, data, "cart").contacts(sides=64))
    weight = hf.loads.gravity_wrench(model.body_subtreemass[1], model.opt.gravity, data.body("cart").subtree_com)
    ways = np.array([[np.cos(a), np.sin(a), 0] for a in np.radians(np.arange(0, 360, 15))])
    at_handle = np.hstack([ways, np.cross(data.site("handle").xpos, ways)])
    limits = np.array([hf.load_ramp(feet, weight, wrench).value for wrench in at_handle])
    print(f"pushes of {limits.min():.1f} N to {limits.max():.1f} N are held at the handle, by direction")

    axes = style.axes(None, "plane")
    axes.fill(*(limits[:, None] * ways[:, :2]).T, facecolor="none", edgecolor=style.INK, label="limit by Holdfast")
    for share, colour in ((0.98, style.VERDICT["holds"]), (1.02, style.VERDICT["does not hold"])):
        pushes = share * limits[:, None] * ways
        paths = 1e3 * np.array([moved(model, data, push) for push in pushes])
        print(f"MuJoCo: at {share:.0%} of the limit it moves {paths.min():.1f} to {paths.max():.1f} mm in a second")
        axes.plot(*pushes.T[:2], "o", ms=4, color=colour, label=f"{share:.0%}: up to {paths.max():.2g} mm in MuJoCo")
    axes.set(xlabel="push along x [N]", ylabel="push along y [N]", aspect="equal")
    style.dress_plane(axes, title="A cart on three feet, pushed at its handle")
    style.legend(axes)
    plotting.save(axes, folder / "19_check_in_mujoco.png", dpi=100)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
