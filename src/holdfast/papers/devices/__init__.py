"""The devices of Hauser, Wang and Cutkosky 2018, IV: two opposed units (2OU), two-finger gripper (2FG), hand (4FH).

Also the hand in its four grips and the climber that carries four such hands (V.E).
`grippers.py` states the world frame and the signs of loads that all of them share.
"""

from ...public_names import attach
from .grippers import list_devices as list  # noqa: F401

__getattr__, __dir__, __all__ = attach(__name__, __file__)
