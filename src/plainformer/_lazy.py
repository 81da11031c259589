"""Packages whose names are imported when they are first used.

``from plainformer.inputs import BPETokenizer`` should be short to write, and yet importing one
chapter's code should import neither another chapter's nor torch. Each package therefore lists its
public names once, in the `__init__.pyi` next to its `__init__.py`, where type checkers read them.
lazy_loader reads the same file, and imports a module when one of its names is first used.

No module may have the same name as a public function of its package, because Python would put the
module where the function should be found. That is why `lookup` is in `soft_lookup.py`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lazy_loader

__all__ = ["attach_stub"]


def attach_stub(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the `__getattr__`, `__dir__` and `__all__` of a package, as lazy_loader does.

    `file` is the package's `__file__`, and the names are in the `.pyi` next to it. The only
    difference is in the errors: a name that needs torch says how to install torch.
    """
    if not (stub := Path(file).with_suffix(".pyi")).is_file():
        raise ImportError(
            f"{package} was installed without {stub.name}, the list of its names: install "
            "plainformer again, with pip's option --force-reinstall"
        )
    load, names, public = lazy_loader.attach_stub(package, file)

    def get(name: str) -> Any:
        try:
            return load(name)
        except ModuleNotFoundError as error:
            if error.name not in ("torch", "safetensors"):  # which is installed with it
                raise
            needs = f"{package}.{name} needs torch"
            raise ImportError(f'{needs}: pip install "plainformer[torch]"') from error

    return get, names, public
