"""What limits an answer: contacts and joints at their limit, what more strength would bring, all of it in words."""

from .diagnosis import Diagnosis, diagnose
from .motion import Motion
from .states import ContactState, JointState

__all__ = ["ContactState", "Diagnosis", "JointState", "Motion", "diagnose"]
