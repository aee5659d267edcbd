"""Robots: from a URDF and a posture to contacts, joint rows, whole-body equilibrium and what fails first."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
