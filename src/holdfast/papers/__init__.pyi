from . import climbing as climbing
from . import devices as devices
from . import figures as figures
from . import hierarchy as hierarchy
from . import plots as plots
from . import slip as slip
from . import table_one as table_one
from . import tables as tables
