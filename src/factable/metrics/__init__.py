"""The metrics, one file or folder each.

`names()` lists them, plug-ins included; `load(name)` gives the class of one, whose `params` are its declared
parameters; `factable.parse(spec)` makes a metric from spec text.
"""

from factable.core.registry import load, names

__all__ = ["load", "names"]
