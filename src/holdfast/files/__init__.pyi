from .reader import load as load
