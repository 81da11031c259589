"""Names that a package offers without importing their modules until one is asked for.

`from plainformer.inputs import BPETokenizer` should be short to write, and yet importing one
chapter's code should not run another's, nor torch. Python asks a module's `__getattr__` for a name
that it does not have (PEP 562); here that imports the module which does.

A chapter may be called like its function, as `lookup` is. Python, having imported a module, puts it
into its package under its name, where the function should be found: so there the function is put.

Without torch, every name is there that does not need it; one that does says how to install it. (And
so does `import *`, which asks for all.)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["lazy_exports"]


def lazy_exports(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package that imports its names when they are used.

    Args:
        package: the package's `__name__`.
        homes: for each module of the package, the public names that are found there.

    >>> get, names = lazy_exports("json", {"decoder": ["JSONDecoder"]})
    >>> get("JSONDecoder").__module__, names()
    ('json.decoder', ['JSONDecoder'])
    >>> get("JSONEncode")
    Traceback (most recent call last):
    AttributeError: module 'json' has no attribute 'JSONEncode'
    """
    home_of = {name: home for home, names in homes.items() for name in names}
    namesakes = {name for name, home in home_of.items() if name == home}
    if namesakes:
        sys.modules[package].__class__ = _package_with(namesakes)

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            module = import_module(f"{package}.{home_of[name]}")
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            needs = f"{package}.{name} needs torch"
            raise ImportError(f'{needs}: pip install "plainformer[torch]"') from error
        value = getattr(module, name)
        setattr(sys.modules[package], name, value)  # found at once from now on
        return value

    return get, lambda: sorted(home_of)


def _package_with(namesakes: set[str]) -> type[ModuleType]:
    """A kind of module in which these names mean what the modules of the same name hold."""

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            if name in namesakes and isinstance(value, ModuleType):
                value = getattr(value, name)
            super().__setattr__(name, value)

    return Package
