"""Pictures: force volumes, limit surfaces, sections, assemblies with their forces, sweeps, limits, wrench spaces.

Every function takes `ax=None` (an Axes to draw on; without one a new figure is made) and returns the Axes.
Nothing is shown, pyplot is never touched, and no setting of matplotlib is changed. `save` writes the file:

    force_volume(volume, ax=None, *, level=None, reach=None, labels=None, opacity=0.75, view=(22, -60), title="")
    limit_surface(surface, ax=None, *, samples=True, reach=None, view=(22, -60), title="")
    section(things, plane="xz", ax=None, *, labels=None, reach=None, window=None, near=5.0, samples=True, title="")
    bands(surface, plane="xz", ax=None, *, near=5.0, samples=True, reach=None, window=None, title="")
    assembly(assembly, *, forces=None, wrench=None, result=None, shape=None, patches=(), ax=None, frames=True,
             force_scale=None, view=(20, -62), title="")      # an Assembly, a Device or a Scene
    gravity_polar(angles, statuses, factors=None, ax=None, *, farthest=10.0, title="")
    load_limits(limits, ax=None, *, unit="N", log=False, title="")      # {device: {direction: limit}}
    utilisation(diagnosis, ax=None, *, most=60, title="")      # how much of its strength each contact uses
    wrench_space(space, ax=None, *, levels=None, cap=None, view=(22, -60), title="")      # a slice's limit surface
    wrench_sections(space, ax=None, *, axis=1, values=None, cap=None, title="")
    wrench_difference(difference, ax=None, *, names=("first", "second"), cap=None, view=(22, -60), title="")
    comparison_radar(comparison, ax=None, *, measures=None, title="");  comparison_bars(comparison, *, title="")
    onset_agreement(predicted, true, groups, ax=None, *, within=radians(10), title="")
    onset_strip(frames, *, titles=())      # a gripper and its object, side by side as they turn
    paper_figure(data)      # a figure of the paper from `holdfast.papers.studies.figures`
    tornado(data, ax=None, *, most=20, title="")      # what a load limit depends on most
    separation(subject, answer, *, shape=None, patches=(), ax=None, view=(20, -62), title="")      # which way it goes
    fall_strip(subject, fall, *, shape=None, most=5, side=None, title="")      # an object that lets go, in frames
    probability_curve(curve, ax=None, *, label="", colour=0, degrees=False, title="")
    limit_histogram(limits, ax=None, *, share=0.05, title="");  first_failure_bars(failures, ax=None, *, title="")
    quantile_outline(volume, ax=None, *, plane=(0, 2), title="")
    grip(grip, *, planes=PLANES, look="section", title="")      # sections of a hand's wrenches; inner green, outer red
    posture(scene, *, result=None, region=None, ax=None, view=(18, -55), title="")      # palms, hand forces, region
    support_region(regions, ax=None, *, labels=None, colours=None, com=None, hands=None, names=None, title="")
    growth_times(growth, ax=None, *, title="");  region_growth(regions, ax=None, *, title="")      # Figs. 15 and 16
    planar_body(problem, ax=None, *, mode=None, motion=None, cones=True, load=True, title="")
    planar_motions(problem, answer=None, *, columns=3, title="")      # each possible motion with its mode
    friction_cone(cone, ax=None, *, names=None, view=(18, -35), title="")      # Erdmann's, in configuration space
    region_map(regions, ax=None, *, xlabel="", ylabel="", columns=2, title="")      # possible modes over two parameters
    torque_set(answer, ax=None, *, axes=None, torques=None, view=(22, -60), title="")      # torques of planar chains
    torque_projections(answer, pairs=None, *, torques=None, columns=2, title="")
    chain_posture(chain, q, ax=None, *, contacts=(), walls=(), mode=None, bracing=None, title="")
    chain_motions(chain, q, answer, *, qd=None, contacts=(), walls=(), columns=3, title="")      # each motion
    brace_disturbance(found, *, title="");  climb_stills(climb, *, most=6, title="")
    climb_margins(climb, ax=None, *, rate=50.0, title="")
    animate_climb(climb, path, *, rate=10.0, most=300, dpi=80, progress=None)      # .gif or .html
    grasp_overlay(grasp, contour, ax=None, *, picture=None, mm_per_px=1.0, hand=True, legend=True, title="")
    grasp_sheet(ranking, *, picture=None, mm_per_px=1.0, best=6, columns=3, hand=True, title="")
    grasp_gallery(rankings, *, pictures=None, mm_per_px=1.0, columns=3, hand=True, title="")      # best of each part
    grasp_regions(ranking, ax=None, *, picture=None, mm_per_px=1.0, title="")      # curvature and regions
    grasp_clearance(grasp, contour, ax=None, *, opening_mm=None, title="")      # can the fingers get there?
    criterion_distributions(ranking, *, columns=4, title="");  correlation_map(correlation, *, title="")
    variation_chart(variation, ax=None, *, best=10, title="");  stability_chart(stability, ax=None, ...)
    robot(robot, q, ax=None, ...)      # a robot of a URDF as its shapes;  climbing_case(case, ax=None, ...)
    save(figure_or_ax, path, *, dpi=150)      # .png, .svg or .pdf

Shapes of the object for `assembly`: Box(size, pose), Cylinder(center, axis, radius, length, half_angle), Sphere(radius,
center), Mesh(vertices, faces); lengths in metres, in the world. Forces are in newtons; cameras (elevation, azimuth) and
`near` in degrees, the angles of a sweep in radians.
"""

from __future__ import annotations

from ..lazy_names import loader

_HOME = {
    "Box": ".assembly.shapes",
    "Cylinder": ".assembly.shapes",
    "Mesh": ".assembly.shapes",
    "Shape": ".assembly.shapes",
    "Sphere": ".assembly.shapes",
    "animate_climb": ".planar.plots",
    "assembly": ".assembly.plots",
    "bands": ".force_limits.plots",
    "brace_disturbance": ".planar.plots",
    "chain_motions": ".planar.plots",
    "chain_posture": ".planar.plots",
    "climb_margins": ".planar.plots",
    "climb_stills": ".planar.plots",
    "climbing_case": ".papers.plots",
    "comparison_bars": ".wrench_spaces.plots",
    "comparison_radar": ".wrench_spaces.plots",
    "correlation_map": ".grasps.plots",
    "criterion_distributions": ".grasps.plots",
    "failure_mode_bars": ".reliability.plots",
    "force_volume": ".force_limits.plots",
    "friction_cone": ".planar.plots",
    "grasp_clearance": ".grasps.plots",
    "grasp_gallery": ".grasps.plots",
    "grasp_overlay": ".grasps.plots",
    "grasp_regions": ".grasps.plots",
    "grasp_sheet": ".grasps.plots",
    "gravity_polar": ".statics.plots",
    "grip": ".grips.plots",
    "growth_times": ".papers.plots",
    "limit_histogram": ".reliability.plots",
    "limit_surface": ".force_limits.plots",
    "load_limits": ".statics.plots",
    "onset_agreement": ".papers.plots",
    "onset_strip": ".papers.plots",
    "paper_figure": ".papers.plots",
    "planar_body": ".planar.plots",
    "planar_motions": ".planar.plots",
    "posture": ".postures.plots",
    "probability_curve": ".reliability.plots",
    "quantile_outline": ".reliability.plots",
    "region_growth": ".papers.plots",
    "region_map": ".planar.plots",
    "release_strip": ".dynamics.plots",
    "robot": ".robots.plots",
    "save": "files",
    "section": ".force_limits.plots",
    "separation": ".dynamics.plots",
    "stability_chart": ".grasps.plots",
    "support_region": ".postures.plots",
    "tornado": ".reliability.plots",
    "torque_projections": ".planar.plots",
    "torque_set": ".planar.plots",
    "utilisation": ".statics.plots",
    "variation_chart": ".grasps.plots",
    "wrench_difference": ".wrench_spaces.plots",
    "wrench_sections": ".wrench_spaces.plots",
    "wrench_space": ".wrench_spaces.plots",
}

__all__ = [
    "Box",
    "Cylinder",
    "Mesh",
    "Shape",
    "Sphere",
    "animate_climb",
    "assembly",
    "bands",
    "brace_disturbance",
    "chain_motions",
    "chain_posture",
    "climb_margins",
    "climb_stills",
    "climbing_case",
    "comparison_bars",
    "comparison_radar",
    "correlation_map",
    "criterion_distributions",
    "failure_mode_bars",
    "force_volume",
    "friction_cone",
    "grasp_clearance",
    "grasp_gallery",
    "grasp_overlay",
    "grasp_regions",
    "grasp_sheet",
    "gravity_polar",
    "grip",
    "growth_times",
    "limit_histogram",
    "limit_surface",
    "load_limits",
    "onset_agreement",
    "onset_strip",
    "paper_figure",
    "planar_body",
    "planar_motions",
    "posture",
    "probability_curve",
    "quantile_outline",
    "region_growth",
    "region_map",
    "release_strip",
    "robot",
    "save",
    "section",
    "separation",
    "stability_chart",
    "support_region",
    "tornado",
    "torque_projections",
    "torque_set",
    "utilisation",
    "variation_chart",
    "wrench_difference",
    "wrench_sections",
    "wrench_space",
]

__getattr__ = loader(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
