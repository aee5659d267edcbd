from . import plots as plots
from .sequences import LoadSharing as LoadSharing
from .sequences import SharingEvent as SharingEvent
from .sequences import SharingStatus as SharingStatus
from .sequences import load_sharing as load_sharing
