"""Assemblies: the page of scenes with several bodies, and the files of shapes."""

from ..feature import Feature, FileKind

FEATURE = Feature(
    menu=20,
    shows=("scene",),
    files=[
        FileKind(
            "mesh",
            suffixes=(".stl", ".obj", ".ply", ".glb", ".off", ".dae"),
            advice="name it in a scene file: shape: {kind: mesh, file: FILE}",
        )
    ],
)
