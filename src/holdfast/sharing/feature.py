"""Load sharing: its command, page and kernels."""

from ..feature import Command, Feature, Kernels

FEATURE = Feature(
    {"share": Command("Load sharing of elastic contacts: order of failure, peak load.", 60)},
    menu=40,
    shows=("scene",),
    kernels=[Kernels("load sharing", "sharing.sequences:use_kernels", ("sharing.kernels:run",), 40)],
)
