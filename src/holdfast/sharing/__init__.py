"""Load sharing: which force each contact carries by its stiffness, what fails first, and what is carried in the end.

`load_sharing` follows the forces while a load grows, exactly from event to event. `load_limit` in `statics` assumes the
best possible forces; here they follow from small displacements. Questions about scatter: `sharing_probability`,
`stiffness_range`; about design: `stiffness_sensitivity`.
"""

from ..public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
