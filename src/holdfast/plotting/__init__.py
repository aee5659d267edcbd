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

from typing import TYPE_CHECKING

from ..lazy_names import loader

if TYPE_CHECKING:
    from ..assembly.plots_assemblies import assembly
    from ..assembly.plots_shapes import Box, Cylinder, Mesh, Shape, Sphere
    from ..dynamics.plots_falls import fall_strip
    from ..dynamics.plots_separations import separation
    from ..force_limits.plots_sections import bands, section
    from ..force_limits.plots_surfaces import limit_surface
    from ..force_limits.plots_volumes import force_volume
    from ..grasps.plots_grasp_distributions import criterion_distributions
    from ..grasps.plots_grasp_overlays import grasp_gallery, grasp_overlay, grasp_sheet
    from ..grasps.plots_grasp_steps import grasp_clearance, grasp_regions
    from ..grasps.plots_grasp_studies import correlation_map, stability_chart, variation_chart
    from ..grips.plots import grip
    from ..papers.plots_climbing import climbing_case
    from ..papers.plots_hierarchy import growth_times, region_growth
    from ..papers.plots_paper_figures import paper_figure
    from ..papers.plots_slip import onset_agreement, onset_strip
    from ..planar.plots_climbs import animate_climb, brace_disturbance, chain_posture, climb_margins, climb_stills
    from ..planar.plots_moving_chains import chain_motions
    from ..planar.plots_planar_bodies import planar_body, planar_motions
    from ..planar.plots_planar_cones import friction_cone
    from ..planar.plots_planar_maps import region_map
    from ..planar.plots_torque_sets import torque_projections, torque_set
    from ..postures.plots import posture, support_region
    from ..reliability.plots_probabilities import (
        first_failure_bars,
        limit_histogram,
        probability_curve,
        quantile_outline,
    )
    from ..reliability.plots_sensitivities import tornado
    from ..robots.plots_robots import robot
    from ..statics.plots_bars import load_limits
    from ..statics.plots_diagnoses import utilisation
    from ..statics.plots_sweeps import gravity_polar
    from ..wrench_spaces.plots_comparisons import comparison_bars, comparison_radar
    from ..wrench_spaces.plots_wrench_spaces import wrench_difference, wrench_sections, wrench_space
    from .files import save

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
    "fall_strip",
    "first_failure_bars",
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

_HOME = {
    "Box": ".assembly.plots_shapes",
    "Cylinder": ".assembly.plots_shapes",
    "Mesh": ".assembly.plots_shapes",
    "Shape": ".assembly.plots_shapes",
    "Sphere": ".assembly.plots_shapes",
    "animate_climb": ".planar.plots_climbs",
    "assembly": ".assembly.plots_assemblies",
    "bands": ".force_limits.plots_sections",
    "brace_disturbance": ".planar.plots_climbs",
    "chain_motions": ".planar.plots_moving_chains",
    "chain_posture": ".planar.plots_climbs",
    "climb_margins": ".planar.plots_climbs",
    "climb_stills": ".planar.plots_climbs",
    "climbing_case": ".papers.plots_climbing",
    "comparison_bars": ".wrench_spaces.plots_comparisons",
    "comparison_radar": ".wrench_spaces.plots_comparisons",
    "correlation_map": ".grasps.plots_grasp_studies",
    "criterion_distributions": ".grasps.plots_grasp_distributions",
    "fall_strip": ".dynamics.plots_falls",
    "first_failure_bars": ".reliability.plots_probabilities",
    "force_volume": ".force_limits.plots_volumes",
    "friction_cone": ".planar.plots_planar_cones",
    "grasp_clearance": ".grasps.plots_grasp_steps",
    "grasp_gallery": ".grasps.plots_grasp_overlays",
    "grasp_overlay": ".grasps.plots_grasp_overlays",
    "grasp_regions": ".grasps.plots_grasp_steps",
    "grasp_sheet": ".grasps.plots_grasp_overlays",
    "gravity_polar": ".statics.plots_sweeps",
    "grip": ".grips.plots",
    "growth_times": ".papers.plots_hierarchy",
    "limit_histogram": ".reliability.plots_probabilities",
    "limit_surface": ".force_limits.plots_surfaces",
    "load_limits": ".statics.plots_bars",
    "onset_agreement": ".papers.plots_slip",
    "onset_strip": ".papers.plots_slip",
    "paper_figure": ".papers.plots_paper_figures",
    "planar_body": ".planar.plots_planar_bodies",
    "planar_motions": ".planar.plots_planar_bodies",
    "posture": ".postures.plots",
    "probability_curve": ".reliability.plots_probabilities",
    "quantile_outline": ".reliability.plots_probabilities",
    "region_growth": ".papers.plots_hierarchy",
    "region_map": ".planar.plots_planar_maps",
    "robot": ".robots.plots_robots",
    "save": "files",
    "section": ".force_limits.plots_sections",
    "separation": ".dynamics.plots_separations",
    "stability_chart": ".grasps.plots_grasp_studies",
    "support_region": ".postures.plots",
    "tornado": ".reliability.plots_sensitivities",
    "torque_projections": ".planar.plots_torque_sets",
    "torque_set": ".planar.plots_torque_sets",
    "utilisation": ".statics.plots_diagnoses",
    "variation_chart": ".grasps.plots_grasp_studies",
    "wrench_difference": ".wrench_spaces.plots_wrench_spaces",
    "wrench_sections": ".wrench_spaces.plots_wrench_spaces",
    "wrench_space": ".wrench_spaces.plots_wrench_spaces",
}

__getattr__ = loader(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
