"""Load sharing: the force that each contact carries by its stiffness, what fails first, and the largest load.

`load_sharing` follows the forces while a load grows, exactly from event to event. `load_limit` in `statics` assumes the
best possible forces; here they follow from small displacements. For scatter see `sharing_probability` and
`stiffness_range`; for design see `stiffness_sensitivity`.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
