from .families import CompiledFamily as CompiledFamily
from .families import compile as compile
from .families import is_compiled as is_compiled
