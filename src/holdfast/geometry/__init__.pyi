from .directions import sphere_directions as sphere_directions
from .frames import Pose as Pose
from .frames import frame_from_normal as frame_from_normal
from .frames import rotation_about as rotation_about
from .halfspaces import Generators as Generators
from .halfspaces import generators as generators
from .polytopes import Polytope as Polytope
