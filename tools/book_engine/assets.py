"""What the pages load: the course's style sheet everywhere, the rest only where a page needs it.

Jupyter Book loads every script below a root ``_static`` on every page. So the files live in
``book/_static`` and in a folder that is made at the start of a build (icons, a font, the widgets'
scripts), both handed to Sphinx as static paths, and each page names what it needs itself.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

import pydata_sphinx_theme
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from plainformer.widgets import engine
from plainformer.widgets.kit import site

from . import glossary, icons, math_font, mending
from .boxes import box
from .search_sections import spoken

TEMPLATES = Path(__file__).with_name("templates")
FONTAWESOME = Path("theme/pydata_sphinx_theme/static/vendor/fontawesome/6.5.2")
EVERYWHERE = (f"pf/{site.SHEET}", "pf/icons.css")
STYLES = [  # one sheet, in this order: what comes later wins
    "text", "formulas", "code", "boxes", "first_page", "folds",
    "views", "questions", "practice", "terms", "lessons", "sheets", "menus", "margin", "launch",
    "phones", "paper",
]  # fmt: skip
KEEPING = {  # what a page has, and the scripts that it needs after the one that keeps the progress
    "pf-question": ["questions"],
    "pf-practice": ["practice_tasks", "practice"],
    'data-bank="': ["practice_bank"],
    'class="pf-map"': ["map_progress"],
}
VIEWED = re.compile(r'<details [^>]*data-from="(?:code|everything)"')  # what a view opens
DESCRIPTION = 200  # characters of a page's description, at most


def prepare(app: Sphinx, config: Config) -> None:
    """Make the folder of generated files and name all static paths."""
    book, made = Path(app.srcdir) / "book", made_folder(app)
    source = book / "_static"
    write(made / "pf")
    forget(Path(app.outdir) / "_static" / "pf", made / "pf")
    glossary.write(Path(app.srcdir), made)
    sheets = [(book / "styles" / f"{name}.css").read_text(encoding="utf-8") for name in STYLES]
    write_if_new(made / "plainformer.css", "\n".join(sheets))
    config.html_static_path = [*config.html_static_path, str(source), str(made)]
    config.templates_path = [str(TEMPLATES), *config.templates_path]
    # Pages name their files with a checksum: when a file changes, the pages are written again.
    config.book_engine_assets = folder_digest(source, made, TEMPLATES)
    for name in EVERYWHERE:
        app.add_css_file(name, priority=600)
    app.add_css_file("plainformer.css", priority=900)
    app.add_js_file("plainformer.js", loading_method="defer")
    app.add_js_file("views.js", loading_method="defer")


def made_folder(app: Sphinx) -> Path:
    """Return where generated static files are kept between builds, outside of the site."""
    return Path(app.outdir).parent / ".book_static"


def write(folder: Path) -> None:
    """Write icons, the formulas' font and the widgets' files into `folder`, what changed."""
    stamp = folder.parents[1] / ".book_static.stamp"
    version = folder_digest(math_font.find_font(), Path(math_font.__file__), Path(icons.__file__))
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != version:
        shutil.rmtree(folder, ignore_errors=True)  # with what an earlier version put there
        folder.mkdir(parents=True)
        (folder / math_font.FILE).write_bytes(math_font.make_font())
        theme = Path(pydata_sphinx_theme.__file__).parent
        sheet = icons.make_style_sheet(theme / FONTAWESOME)
        (folder / "icons.css").write_text(sheet, encoding="utf-8")
        stamp.write_text(version, encoding="utf-8")
    marker = mending.spare_drawings(mending.MARKER.read_text(encoding="utf-8"))
    files = {**site.assets(), mending.MARKER.name: marker}
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        write_if_new(file, text)
    for file in [each for each in folder.rglob("*") if each.is_file()]:
        if file.relative_to(folder).as_posix() not in {*files, math_font.FILE, "icons.css"}:
            file.unlink()  # of a widget as it was


def forget(built: Path, made: Path) -> None:
    """Delete from the site what is made no more; the models that widgets load are made later."""
    for file in [each for each in built.rglob("*") if each.is_file()]:
        name = file.relative_to(built)
        if name.parts[0] != engine.FOLDER and not (made / name).is_file():
            file.unlink()


def write_weights(site_folder: Path, body: str) -> None:
    """Write the models that a page's widgets load on demand, beside the widgets' scripts."""
    folder = site_folder / "_static" / "pf" / engine.FOLDER
    for name, data in engine.files_for(body).items():
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / name).is_file() or (folder / name).read_bytes() != data:
            (folder / name).write_bytes(data)


def write_if_new(file: Path, text: str) -> None:
    """Write a file unless it holds this text, so that its time tells when it changed."""
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def folder_digest(*folders: Path) -> str:
    """Return a digest of the files in some folders: their names, sizes and times."""
    seen = hashlib.sha256()
    for folder in folders:
        files = [folder] if folder.is_file() else sorted(folder.rglob("*"))
        for file in files:
            if file.is_file():
                state = file.stat()
                seen.update(f"{file.name} {state.st_size} {state.st_mtime_ns}\n".encode())
    return seen.hexdigest()


def link(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Name on a page the widgets' files that its body needs, and say what the page is about."""
    body, marker = context.get("body") or "", mending.MARKER.name
    unwanted = {f"_static/{marker}"}
    if 'class="sd-' not in body:  # Jupyter Book brings cards and tabs, which no page has so far
        unwanted |= {"_static/sphinx-design.min.css", "_static/design-tabs.js"}
    for files in (context["script_files"], context["css_files"]):
        files[:] = [it for it in files if getattr(it, "filename", "") not in unwanted]
    app.add_js_file(f"pf/{marker}", priority=200)  # where Sphinx had its own
    for name in site.assets_for(body):
        if name.endswith(".css") and f"pf/{name}" not in EVERYWHERE:
            app.add_css_file(f"pf/{name}", priority=700)
        elif name.endswith(".js"):
            app.add_js_file(f"pf/{name}", loading_method="defer")
    if "data-pf-widget" in body:
        app.add_js_file("rest.js", loading_method="defer")
    write_weights(Path(app.outdir), body)
    context["pf_has_views"] = bool(VIEWED.search(body))
    for marker, scripts in KEEPING.items():
        if marker in body:
            for name in ("progress", *scripts):
                app.add_js_file(f"{name}.js", loading_method="defer")
    if "pf-term" in body:
        app.add_js_file(glossary.DATA, loading_method="defer")
        app.add_js_file("terms.js", loading_method="defer")
    if doctree is not None and 'name="description"' not in (context.get("metatags") or ""):
        context["pf_description"] = describe(doctree)
    if "<math" not in body:
        # A reader's next page probably has formulas: fetch their font while this one is read.
        context["pf_prefetch"] = f"_static/pf/{math_font.FILE}"


def describe(doctree: nodes.document) -> str:
    """Return the page's first paragraph outside of a box, cut at a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        parents = []
        parent = paragraph.parent
        while parent is not None:
            parents.append(parent)
            parent = parent.parent
        inside = any(isinstance(each, box | nodes.container | nodes.table) for each in parents)
        text = " ".join("".join(map(plain, paragraph.findall(nodes.Text))).split())
        if not inside and len(text) > 30:
            return text if len(text) <= DESCRIPTION else text[:DESCRIPTION].rsplit(" ", 1)[0] + " …"
    return ""


def plain(text: nodes.Text) -> str:
    """Return a piece of a paragraph as a line of text, also where it is a formula's TeX."""
    return spoken(text) if isinstance(text.parent, nodes.math) else str(text)


def setup(app: Sphinx) -> None:
    """Prepare the files when the configuration is known; link them page by page."""
    app.add_config_value("book_engine_assets", "", "html", str)
    app.connect("config-inited", prepare)
    app.connect("html-page-context", link)
