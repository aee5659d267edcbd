from . import devices as devices
from . import plots as plots
