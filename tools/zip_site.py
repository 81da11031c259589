"""Pack the built site into one file, for a USB stick or a closed network.

    python tools/zip_site.py [--to plainformer-0.1.0-site.zip]

Who unpacks it opens ``index.html``, which lies in a folder of its own beside a note that says so.
The same pages make the same file, byte for byte. What only a web host needs stays out.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from pathlib import Path

from public_address import PACKAGE
from release import package_version

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
FOR_HOSTS = {"404.html", "robots.txt", "sitemap.xml", ".nojekyll", ".buildinfo"}
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first date that the format knows
NOTE = """\
Transformers, Plainly: the whole course, to be read without a network.

Unpack this file, then open index.html in this folder with a web browser. Everything
is here: the pages, the widgets, the search, and the notebooks to download, with the
package that they need.
"""


def site_files(site: Path) -> list[Path]:
    """Return the files of a built site that a reader without a network needs, in order.

    Raises FileNotFoundError where no finished site is there.
    """
    for name in ("index.html", "_static/search/index.js"):
        if not (site / name).exists():
            raise FileNotFoundError(f"{site} is no finished site, it has no {name}: run make book")
    found = (path for path in site.rglob("*") if path.is_file())
    return sorted(path for path in found if path.relative_to(site).as_posix() not in FOR_HOSTS)


def pack(site: Path, target: Path, folder: str) -> int:
    """Write the files of a site into `target`, below one folder; return how many there are.

    Raises FileNotFoundError where no finished site is there; then nothing is written.
    """
    files = site_files(site)
    contents = {path.relative_to(site).as_posix(): path.read_bytes() for path in files}
    write_zip(target, folder, {"README.txt": NOTE.encode()} | contents)
    return len(files)


def write_zip(target: Path, folder: str, contents: dict[str, bytes]) -> None:
    """Write a zip of these files below one folder; the same files make the same bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f"{target.name}.unfinished")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(f"{folder}/{name}", LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16  # or nobody on Linux may read it
            packed.writestr(entry, content)
    unfinished.replace(target)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 1 where there is nothing to pack."""
    name = f"{PACKAGE}-{package_version(ROOT)}-site"
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--to", type=Path, default=ROOT / "_build" / f"{name}.zip")
    parser.add_argument("--site", type=Path, default=SITE, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    try:
        count = pack(chosen.site, chosen.to, name)
    except FileNotFoundError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"{chosen.to}: {count} files, {chosen.to.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
