"""From what a planar scene file says to a planar scene; every fault names its line and field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import checks
from ..checks import Array
from ..files.yaml_source import Site
from .bodies import Body, Contact
from .chain_contacts import LinkContact, NodeContact, contact_of
from .chains import Chain
from .climbing.channels import Channel
from .climbing.planner import check_request
from .disturbance_sets import DisturbanceSet
from .files_planar_scene import PlanarBodyScene, PlanarChainScene, PlanarClimbScene, PlanarScene, in_radians
from .files_planar_schema import (
    BodyDocument,
    ChainContactPart,
    ChainDocument,
    ChainPart,
    ClimbDocument,
    DisturbancePart,
    LimitsPart,
    TaskPart,
)
from .outlines import Outline
from .tasks import Task, standstill
from .touching import touching_contacts
from .trajectories import RestToRest

#: Without friction given anywhere the file is at fault.
_MU_FIX = "give mu here, or one mu for the whole scene"


def build_planar(document: BodyDocument | ChainDocument | ClimbDocument, site: Site) -> PlanarScene:
    """The scene that `document` describes; every fault is a SceneError of the file behind `site`."""
    with site.watch():
        if isinstance(document, BodyDocument):
            return _body_scene(document, site)
        return _chain_scene(document, site) if isinstance(document, ChainDocument) else _climb_scene(document, site)


def _head(document: Any, site: Site) -> dict[str, Any]:
    path = site.source.path
    return {"name": document.name or path.stem, "description": document.description, "path": path}


def _mu(given: float | None, common: float | None, site: Site) -> float:
    if given is not None:
        return given
    if common is None:
        raise site.fault("has no friction coefficient", fix=_MU_FIX)
    return common


# -- bodies -----------------------------------------------------------------------------------------


def _body_scene(document: BodyDocument, site: Site) -> PlanarBodyScene:
    part, here = document.body, site / "body"
    outline = None
    if part.outline is not None:
        with (here / "outline").watch():
            outline = Outline(part.outline)
    with here.watch():
        mass = part.mass
        if mass is None:
            assert part.density is not None and outline is not None  # the schema asked for both
            mass = part.density * outline.area
        rho = part.radius_of_gyration
        if rho is None:
            assert outline is not None
            rho = outline.radius_of_gyration
        body = Body(mass, rho)
    centre = part.centre if part.centre is not None else (outline.centroid if outline is not None else (0.0, 0.0))
    centre = np.asarray(centre, dtype=float)
    obstacles = _obstacles(document, site)
    if document.contacts or not document.obstacles:
        contacts, points = _given(document, centre, site)
    else:
        assert outline is not None  # the schema asked for it
        contacts, points = _found(document, outline, obstacles, centre, site)
    names = tuple(part.name for part in document.contacts) or ("",) * len(contacts)
    gravity = document.gravity if isinstance(document.gravity, list) else [0.0, -document.gravity]
    lever = np.zeros(2) if document.load.at is None else np.asarray(document.load.at) - centre
    push = np.asarray(document.load.force)
    total = mass * np.asarray(gravity) + push
    torque = document.load.torque + lever[0] * push[1] - lever[1] * push[0]
    return PlanarBodyScene(
        body=body,
        contacts=contacts,
        force=np.array([*total, torque]),
        velocity=np.array(document.velocity, dtype=float),
        centre=centre,
        points=points,
        names=tuple(name or str(i + 1) for i, name in enumerate(names)),
        outline=outline,
        obstacles=obstacles,
        **_head(document, site),
    )


def _given(document: BodyDocument, centre: Array, site: Site) -> tuple[tuple[Contact, ...], Array]:
    """The contacts of a list, and where they are."""
    contacts: list[Contact] = []
    for i, part in enumerate(document.contacts):
        with (here := site / "contacts" / i).watch():
            r = np.asarray(part.r, dtype=float) if part.point is None else centre - np.asarray(part.point)
            mu = _mu(part.mu, document.mu, here)
            contacts.append(Contact(part.normal, r, mu, part.kind, part.second_variation))
    return tuple(contacts), np.array([centre - contact.r for contact in contacts]).reshape(-1, 2)


def _found(
    document: BodyDocument, outline: Outline, obstacles: tuple[Outline, ...], centre: Array, site: Site
) -> tuple[tuple[Contact, ...], Array]:
    """The contacts of the body's outline with the obstacles, and where they are."""
    frictions = [_mu(part.mu, document.mu, site / "obstacles" / i) for i, part in enumerate(document.obstacles)]
    with (site / "obstacles").watch():
        found = touching_contacts(outline, obstacles, frictions, centre=centre, must_touch=False)
    return tuple(found.contacts), np.asarray(found.points)


def _obstacles(document: BodyDocument, site: Site) -> tuple[Outline, ...]:
    obstacles: list[Outline] = []
    for i, part in enumerate(document.obstacles):
        here = site / "obstacles" / i
        if part.ground is not None:
            with (here / "ground").watch():
                obstacles.append(
                    Outline.ground(part.ground.point, part.ground.normal, part.ground.extent, part.ground.depth)
                )
        else:
            with (here / "outline").watch():
                assert part.outline is not None  # the schema asked for one of them
                obstacles.append(Outline(part.outline))
    return tuple(obstacles)


# -- chains -----------------------------------------------------------------------------------------


def _chain(part: ChainPart, site: Site) -> Chain:
    with (site / "chain").watch():
        return Chain(
            part.links,
            part.masses,
            part.gravity,
            link_masses=part.link_masses,
            inertias=part.inertias,
            parents=part.parents,
            base=part.base,
            passive=part.passive,
        )


def _check_order(part: LimitsPart | None, site: Site) -> None:
    if part is not None and (np.asarray(part.lower) > np.asarray(part.upper)).any():
        raise site.fault("has a lower limit above the upper one", fix="swap them")


def _limits(part: LimitsPart | None) -> tuple[Any, Any] | None:
    return None if part is None else (part.lower, part.upper)


def _chain_scene(document: ChainDocument, site: Site) -> PlanarChainScene:
    chain = _chain(document.chain, site)
    unit, size = document.angle_unit, chain.coordinate_count
    q = in_radians(checks.vector("q", document.q, size), unit)
    qd = None if document.qd is None else in_radians(checks.vector("qd", document.qd, size), unit)
    error = None
    if document.q_error is not None:
        whole = np.ndim(document.q_error) == 0
        error = in_radians(
            checks.vector("q_error", np.full(size, document.q_error) if whole else document.q_error, size), unit
        )
    brace = document.brace_links
    if brace is not None and brace > len(chain.links):
        raise (site / "brace_links").fault(
            f"is {brace} of {len(chain.links)} links", fix="brace with some of the links"
        )
    if brace is not None and qd is not None and qd.any():
        raise (site / "qd").fault("moves beside a brace", fix="leave qd out: a brace is asked about at rest")
    links = len(chain.links) if brace is None else brace
    contacts, names = [], []
    for i, part in enumerate(document.contacts):
        with (here := site / "contacts" / i).watch():
            contact = _chain_contact(part, _mu(part.mu, document.mu, here))
            contacts.append(contact_of(contact, links))
            names.append(part.name or str(i + 1))
    scene = PlanarChainScene(
        chain=chain,
        q=q,
        qd=qd,
        contacts=tuple(contacts),
        names=tuple(names),
        mode="F" * len(contacts) if document.mode is None else document.mode,
        brace_links=brace,
        moves=_moves(document, q, size, site),
        limits=_limits(document.limits),
        friction=None if document.friction is None else (document.friction[0], document.friction[1]),
        q_error=error,
        walls=tuple(np.array(wall, dtype=float) for wall in document.walls),
        **_head(document, site),
    )
    return _asked(scene, document, site)


def _asked(scene: PlanarChainScene, document: ChainDocument, site: Site) -> PlanarChainScene:
    """The scene with what depends on the sizes of its system: tasks, disturbance, torque; mode and limits checked."""
    with (site / "chain").watch():  # each contact is checked already; what is left is about the links
        system = scene.system()
    n, k, t = system.coordinate_count, system.contact_count, system.torque_count
    with site.watch():
        system.check_mode(scene.mode)
    tasks: list[Task] = []
    for i, part in enumerate(document.tasks):
        with (site / "tasks" / i).watch():
            if isinstance(part, TaskPart):
                here = site / "tasks" / i
                sizes = (("a", n), ("f", 2 * k), ("tau", t))
                a, f, tau = (_row(getattr(part, name), size, here / name) for name, size in sizes)
                task = Task(a, f, tau, part.c, part.kind)
                task.rows(n, 2 * k, t)
                tasks.append(task)
            else:
                tasks += standstill(n)
    with (site / "disturbance").watch():
        disturbance = _disturbance(document.disturbance, n, site / "disturbance")
    with site.watch():
        torque = (
            None if document.torque is None else checks.vector("torque", document.torque, scene.whole().torque_count)
        )
    with (site / "limits").watch():
        for name in ("lower", "upper") if document.limits is not None else ():
            bounds = getattr(document.limits, name)
            if isinstance(bounds, list):
                checks.array(name, bounds, (t,), infinite=True)
        _check_order(document.limits, site / "limits")
    return replace(scene, tasks=tuple(tasks), disturbance=disturbance, torque=torque)


def _row(values: list[Any] | None, size: int, site: Site) -> list[Any] | None:
    """Coefficients of a task: `size` numbers, or rows of so many."""
    if values is None:
        return None
    lengths = {len(value) if isinstance(value, list) else -1 for value in values}
    if len(lengths) > 1:
        raise site.fault("has rows of different lengths", fix="give one list of numbers, or lists of the same length")
    given = len(values) if lengths == {-1} else lengths.pop()
    if given != size:
        raise site.fault(f"has {given} coefficients", fix=f"this system has {size}")
    return values


def _chain_contact(part: ChainContactPart, mu: float) -> NodeContact | LinkContact:
    if part.node is not None:
        assert part.normal is not None
        return NodeContact(part.node, part.normal, mu)
    assert part.link is not None
    return LinkContact(part.link, part.along, part.side, mu)


def _disturbance(part: DisturbancePart | None, size: int, site: Site) -> DisturbanceSet | None:
    if part is None or part.moves is not None:
        return None
    if part.vertices is not None:
        for i, vertex in enumerate(part.vertices):
            if len(vertex) != size:
                raise (site / "vertices" / i).fault(
                    f"has {len(vertex)} numbers", fix=f"give {size}: one for each coordinate"
                )
        return DisturbanceSet.polytope(checks.array("vertices", part.vertices, ("p", size)))
    assert part.lower is not None and part.upper is not None
    bounds = []
    for name, values in (("lower", part.lower), ("upper", part.upper)):
        filled = [np.nan if value is None else value for value in values]
        checks.vector(name, [0.0 if value is None else value for value in values], size)
        bounds.append(filled)
    return DisturbanceSet.box(*bounds)


def _moves(document: ChainDocument, q: Array, size: int, site: Site) -> tuple[RestToRest, ...]:
    """The moves of the free part, one from where the last ended; the brace must stand still."""
    if document.disturbance is None or document.disturbance.moves is None:
        return ()
    assert document.brace_links is not None
    fixed, found = document.brace_links + 2, []
    for i, part in enumerate(document.disturbance.moves):
        with (here := site / "disturbance" / "moves" / i).watch():
            end = in_radians(checks.vector("to", part.to, size), document.angle_unit)
            if not np.allclose(end[:fixed], q[:fixed], rtol=0.0, atol=1e-12):
                raise (here / "to").fault("moves the brace", fix=f"begin with the first {fixed} numbers of q")
            end[:fixed] = q[:fixed]
            found.append(RestToRest(found[-1].end if found else q, end, part.duration))
    return tuple(found)


# -- climbs -----------------------------------------------------------------------------------------


def _climb_scene(document: ClimbDocument, site: Site) -> PlanarClimbScene:
    chain = _chain(document.chain, site)
    with (site / "channel").watch():
        channel = Channel(document.channel.left, document.channel.right)
    options: dict[str, Any] = {
        name: getattr(document, name)
        for name in ("mu", "brace_links", "margin", "duration", "start", "side", "branches", "tries")
    }
    options["friction"] = None if document.friction is None else tuple(document.friction)
    if document.limits is not None:
        for name in ("lower", "upper"):
            bounds = getattr(document.limits, name)
            if isinstance(bounds, list) and len(bounds) != len(chain.links) - 1:
                fix = f"give one number, or {len(chain.links) - 1}: one for each joint"
                raise (site / "limits" / name).fault(f"has {len(bounds)} numbers", fix=fix)
        _check_order(document.limits, site / "limits")
    options["limits"] = _limits(document.limits)
    asked = {name: options[name] for name in ("mu", "brace_links", "friction", "start")}
    with site.watch():
        check_request(chain, channel, document.goal, **asked)
    return PlanarClimbScene(chain=chain, channel=channel, goal=document.goal, options=options, **_head(document, site))
