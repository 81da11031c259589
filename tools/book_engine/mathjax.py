"""MathJax served from the site: one script, and the fonts that it asks for.

The package ``sphinx-mathjax-offline`` ships all of MathJax, 24 MB. Pages here use TeX input and
HTML output; those components are joined into one file, the way MathJax's own combined files are,
without the context menu (a third of the weight). The hidden MathML for screen readers stays.
Sphinx links the script on pages that have equations, and on those alone.
"""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

COMPONENTS = (
    "core",
    "input/tex",
    "output/chtml",
    "output/chtml/fonts/tex",
    "a11y/assistive-mml",
)
SCRIPT = "pf/mathjax/mathjax.js"
FONTS = "output/chtml/fonts/woff-v2"
EXTENSIONS = "input/tex/extensions"  # loaded by MathJax when an equation needs one
COMMON_FONTS = ("MathJax_Main-Regular.woff", "MathJax_Math-Italic.woff")


def source_folder() -> Path:
    """Return the folder in which the installed package keeps MathJax.

    Raises FileNotFoundError where the package has no such folder.
    """
    for file in importlib.metadata.files("sphinx-mathjax-offline") or []:
        if file.name == "loader.js" and file.parent.name == "mathjax":
            return Path(str(file.locate())).parent
    raise FileNotFoundError("sphinx-mathjax-offline has no folder mathjax with a loader.js")


def make_script(source: Path) -> str:
    """Return the joined script: start, the note of what is there already, the components.

    The start looks for work only when the whole script has run, so the components may follow it.
    """
    names = ", ".join(f'"{name}"' for name in COMPONENTS)
    parts = [(source / "startup.js").read_text(encoding="utf-8")]
    parts.append(f"MathJax.loader.preLoad({names});")
    parts += [(source / f"{name}.js").read_text(encoding="utf-8") for name in COMPONENTS]
    return ";\n".join(parts)


def write(folder: Path) -> None:
    """Write the script, its fonts and its TeX extensions into the site's folder for MathJax."""
    source = source_folder()
    for name in (FONTS, EXTENSIONS):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file in (source / name).iterdir():
            if file.is_file() and file.name != "all-packages.js":
                (folder / name / file.name).write_bytes(file.read_bytes())
    (folder / "mathjax.js").write_text(make_script(source), encoding="utf-8")
