"""Dynamics: its commands, page and kernels, with those of the solver."""

from ..feature import Command, Feature, Kernels

FEATURE = Feature(
    {
        "stability": Command("Strong stability: is rest the only motion that Coulomb's law allows?", 90),
        "motion": Command("One motion that Coulomb's law allows: rest, sliding or separation.", 100),
        "separate": Command("Initial motion of a scene that does not hold, for any contact type.", 110, several=True),
    },
    menu=50,
    shows=("scene",),
    kernels=[
        Kernels(
            "equilibrium, load limits, separation",
            "dynamics.separations:use_kernels",
            ("solvers.exact.search:solve", "solvers.min_norm:run"),
            20,
        ),
        Kernels("motion by Coulomb's law", "dynamics.stability:use_kernels", (), 30),
    ],
)
