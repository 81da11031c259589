"""What a site offers to those who run notebooks: the package's wheel, and a zip with everything.

A notebook that was downloaded alone finds the wheel at the site's address and installs it (see
`notebook_engine`). The zip contains all notebooks and the wheel, so it needs no address: after
unpacking it, a reader can open any notebook and run it. There is one zip for the whole course
because the wheel is larger than all notebooks together, and a zip for every page would make the
site thirty times as large.
"""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from build_wheel import WheelError, build
from public_address import DOWNLOADS
from zip_site import write_zip

NOTE = """\
Transformers, Plainly: the notebooks of all chapters, and the package that they need.

Open any notebook in this folder in JupyterLab, VS Code or a similar program, and run its
cells from the top. The first cell installs {wheel}
from this folder, and downloads the packages that it depends on from the Python Package
Index.
"""


def write(app: Sphinx, config: Config) -> None:
    """Write the wheel and the zip into the site, and tell the pages the zip's name and size.

    A book whose project is not a package, such as the small ones in the tests, gets neither.
    """
    root, folder = Path(app.srcdir), Path(app.outdir) / DOWNLOADS
    made: dict[str, bytes] = {}
    project = root / "pyproject.toml"
    if project.is_file() and "build-system" in tomllib.loads(project.read_text(encoding="utf-8")):
        try:
            made = make(root)
        except WheelError as problem:
            raise ConfigError(str(problem)) from problem
    for path in folder.glob("*"):
        if path.name not in made:
            path.unlink()
    for name, content in made.items():
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / name).is_file() or (folder / name).read_bytes() != content:
            (folder / name).write_bytes(content)
    zips = [name for name in made if name.endswith(".zip")]
    config.book_engine_downloads = (
        [zips[0], max(1, round(len(made[zips[0]]) / 1e6))] if zips else []
    )


def make(root: Path) -> dict[str, bytes]:
    """Return the files to offer, by name: the wheel, and a zip of it with all notebooks."""
    with tempfile.TemporaryDirectory() as place:
        wheel = build(Path(place), root)
        name = "-".join([*wheel.name.split("-")[:2], "notebooks"])
        notebooks = root / "notebooks"
        contents = {"README.txt": NOTE.format(wheel=wheel.name).encode()}
        contents |= {wheel.name: wheel.read_bytes()}
        contents |= {
            path.relative_to(notebooks).as_posix(): path.read_bytes()
            for path in sorted(notebooks.rglob("*.ipynb"))
            if ".ipynb_checkpoints" not in path.parts
        }
        write_zip(packed := Path(place) / f"{name}.zip", name, contents)
        return {wheel.name: wheel.read_bytes(), packed.name: packed.read_bytes()}


def setup(app: Sphinx) -> None:
    """Write the downloads at the start of a build, before any page is written."""
    app.add_config_value("book_engine_downloads", [], "html", list)
    app.connect("config-inited", write, priority=200)
