"""Where contacts and joint rows stand at a limit: what each bears, whether it can bear more, what more would bring."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import tolerances
from ...assembly.assembly import Assembly
from ...checks import Array
from .border import AT_LIMIT, is_idle, on_border, utilisation
from .prices import Prices


@dataclass(frozen=True, eq=False)
class ContactState:
    """One contact at the limit.

    Attributes:
        index: its number in the assembly.
        name: its name, or "".
        force: (3,) force on the object in the contact frame [N]; z < 0 pulls.
        piece: the piece of its volume that the force lies in.
        utilisation: share of its strength that is used: 0 for no force, 1 on the border (see `border.utilisation`).
        at_limit: whether the force is on the border of the volume.
        binding: whether it must be, in every choice of forces that attains the limit; else others could relieve it.
        at_piece_limit: whether it is on the border of its piece only, another piece going on beyond.
        idle: whether the contact bears no force.
        price: what the load limit gains per percent that the volume grows about zero; nan when not known.
    """

    index: int
    name: str
    force: Array
    piece: int
    utilisation: float
    at_limit: bool
    binding: bool
    at_piece_limit: bool
    idle: bool
    price: float

    @property
    def label(self) -> str:
        """How sentences call it."""
        return f'contact "{self.name}"' if self.name else f"contact {self.index}"


@dataclass(frozen=True, eq=False)
class JointState:
    """One joint row at the limit.

    Attributes:
        index: its number in the joint rows.
        name: its name, or "".
        value: what the contact forces ask of it [unit].
        lower, upper: its bounds [unit].
        unit: "N m", or "N" for a slide.
        at_lower, at_upper: whether the value is at that bound.
        price_lower: what the load limit gains per unit that the lower bound is lowered; nan when not known.
        price_upper: what it gains per unit that the upper bound is raised; nan when not known.
        reach: sum of |jacobian| |force| [unit]: what the value is the sum of, before parts cancel; that of the
            strongest forces where no force acts.
    """

    index: int
    name: str
    value: float
    lower: float
    upper: float
    unit: str
    at_lower: bool
    at_upper: bool
    price_lower: float
    price_upper: float
    reach: float

    @property
    def label(self) -> str:
        """How sentences call it."""
        return f'joint "{self.name}"' if self.name else f"joint row {self.index}"

    @property
    def at_limit(self) -> bool:
        """Whether the value is at either bound."""
        return self.at_lower or self.at_upper

    @property
    def part(self) -> float:
        """What the row adds to the load limit: its bounds times their prices."""
        lower = self.lower * self.price_lower if np.isfinite(self.lower) else 0.0
        upper = self.upper * self.price_upper if np.isfinite(self.upper) else 0.0
        return upper - lower


def contact_states(assembly: Assembly, forces: Array, pieces: Array, prices: Prices | None) -> tuple[ContactState, ...]:
    """The contacts under local forces (k, 3) [N] in their pieces (k,)."""
    states = []
    for index, (contact, force, piece) in enumerate(zip(assembly.contacts, forces, pieces, strict=True)):
        polytopes = contact.volume.polytopes
        own = on_border((polytopes[piece],), force)
        whole = own and on_border(polytopes, force)
        states.append(
            ContactState(
                index=index,
                name=contact.name,
                force=force,
                piece=int(piece),
                utilisation=utilisation(contact.volume, force, at_limit=whole),
                at_limit=whole,
                binding=prices is not None and bool(prices.binding[index]),
                at_piece_limit=own and not whole,
                idle=is_idle(contact.volume, force),
                price=np.nan if prices is None else float(prices.strength[index]),
            )
        )
    return tuple(states)


def joint_states(assembly: Assembly, forces: Array, prices: Prices | None) -> tuple[JointState, ...]:
    """The joint rows under local forces (k, 3) [N]."""
    joints = assembly.joints
    if joints is None:
        return ()
    world = np.einsum("kij,kj->ki", assembly.rotations, forces)
    values, reach = joints.values(world), np.abs(joints.jacobian) @ np.abs(world.ravel())
    strengths = np.repeat([contact.volume.size for contact in assembly.contacts], 3)
    possible = np.abs(joints.jacobian) @ strengths
    largest = float(np.abs(world).max())
    states = []
    for row, value in enumerate(values):
        rounding = 10 * tolerances.FEASIBILITY * largest * float(np.abs(joints.jacobian[row]).sum())
        lower, upper = float(joints.lower[row]), float(joints.upper[row])
        states.append(
            JointState(
                index=row,
                name=joints.names[row] if joints.names else "",
                value=float(value),
                lower=lower,
                upper=upper,
                unit=row_unit(joints.jacobian[row], assembly.positions),
                at_lower=bool(np.isfinite(lower) and value - lower <= AT_LIMIT * abs(lower) + rounding),
                at_upper=bool(np.isfinite(upper) and upper - value <= AT_LIMIT * abs(upper) + rounding),
                price_lower=np.nan if prices is None else float(prices.lower[row]),
                price_upper=np.nan if prices is None else float(prices.upper[row]),
                reach=float(reach[row]) or float(possible[row]),
            )
        )
    return tuple(states)


def row_unit(row: Array, positions: Array) -> str:
    """Unit of a joint row (3k,) on contacts at `positions` (k, 3): "N" for a slide, "N m" for a hinge.

    Contacts that are not in one line yet load the row alike cannot hang on a hinge: its levers would differ. Where they
    are too few to tell, a block of length one is taken for the axis of a slide, not for a lever of one metre.
    """
    blocks = row.reshape(-1, 3)
    lengths = np.linalg.norm(blocks, axis=1)
    loaded = lengths > tolerances.ZERO_DIRECTION * lengths.max(initial=0.0)
    if not loaded.any():
        return "N m"
    first = blocks[loaded][0]
    alike = loaded & (np.abs(blocks - first).max(axis=1) <= tolerances.ORTHONORMAL * lengths[loaded][0])
    spread = positions[alike] - positions[alike].mean(axis=0)
    widths = np.linalg.svd(spread, compute_uv=False)
    if len(widths) > 1 and widths[1] > tolerances.ORTHONORMAL * np.abs(positions).max():
        return "N"
    return "N" if abs(np.linalg.norm(first) - 1.0) <= tolerances.ORTHONORMAL else "N m"
