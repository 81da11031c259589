"""Names that a package offers without importing their modules until one is asked for.

`from plainformer.inputs import BPETokenizer` should be short to write, and yet importing one
chapter's code should not run another's, nor torch. So a package lists its public names once, in the
`__init__.pyi` beside its `__init__.py`: there a type checker reads them, and there lazy_loader
reads them too, and imports a module when a name of it is first used (PEP 562).

No module may be called like a public name of its package, for Python puts a module into its
package under its own name, where the function should be found: `lookup` is in `soft_lookup.py`.

But: a name that needs torch is there without torch too. Asking for it says how to install torch.
(And so does `import *`, which asks for all.)
"""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import lazy_loader

__all__ = ["attach_folders", "attach_stub"]


def attach_stub(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a package takes as its `__getattr__`, `__dir__` and `__all__`.

    Args:
        package: the package's `__name__`.
        file: its `__file__`; the names stand in the `.pyi` beside it.

    >>> import plainformer.inputs
    >>> get, names, public = attach_stub("plainformer.inputs", plainformer.inputs.__file__)
    >>> get("embed").__module__, "embed" in public
    ('plainformer.inputs.embedding', True)
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
            if error.name != "torch":
                raise
            needs = f"{package}.{name} needs torch"
            raise ImportError(f'{needs}: pip install "plainformer[torch]"') from error

    return get, names, public


def attach_folders(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """What a package takes as `__getattr__` and `__dir__` whose names have folders of their own.

    `BPEMerges` is in `bpe_merges/`: it is found without a look into the stub, where all the others
    stand. So a page of the book that shows one widget uses no file that a new widget changes, and
    is not run again for it. `__all__` is read when it is asked for.

    Args:
        package: the package's `__name__`.
        file: its `__file__`; the names stand in the `.pyi` beside it.

    >>> import plainformer.widgets
    >>> get, names = attach_folders("plainformer.widgets", plainformer.widgets.__file__)
    >>> get("BPEMerges").__module__, "BPEMerges" in names()
    ('plainformer.widgets.bpe_merges.widget', True)
    """

    def get(name: str) -> Any:
        folder = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
        if name[0].isupper():
            try:
                return getattr(import_module(f"{package}.{folder}"), name)
            except ModuleNotFoundError as error:
                if error.name != f"{package}.{folder}":
                    raise
        load, _, public = attach_stub(package, file)
        return public if name == "__all__" else load(name)

    def names() -> list[str]:
        return attach_stub(package, file)[1]()

    return get, names
