"""Make the link that brings students to a released notebook in a JupyterHub: nbgitpuller's.

    python link.py https://hub.example.edu https://github.com/you/week-1 week-1.ipynb

Whoever follows it gets their own copy of the repository on the hub, and the notebook opens. What
they wrote stays when the repository changes.

But: the repository is for released notebooks alone. A course's folder has its references in it.
"""

from __future__ import annotations

import argparse
import sys
from urllib.parse import urlencode, urlsplit


def link(hub: str, repository: str, path: str, branch: str = "main") -> str:
    """Return the link.

    Args:
        hub: its address, as students type it.
        repository: its address, as git clones it.
        path: of the notebook in the repository.
        branch: of the repository.

    >>> link("https://hub.example.edu/", "https://example.org/ann/week.git", "a b.ipynb")[:53]
    'https://hub.example.edu/hub/user-redirect/git-pull?re'

    Raises:
        ValueError: an address is none, or the path leaves the repository.
    """
    for name, address in (("the hub", hub), ("the repository", repository)):
        parts = urlsplit(address)
        if parts.scheme not in ("https", "http") or not parts.netloc or parts.query:
            raise ValueError(
                f"{name} must be an address such as https://example.org; got {address!r}"
            )
        if parts.username or parts.password:
            raise ValueError(f"{name} must be an address without a name or a password in it")
    if not path.endswith(".ipynb") or path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"path must lead to an .ipynb file inside the repository; got {path!r}")
    folder = urlsplit(repository).path.rstrip("/").rpartition("/")[2].removesuffix(".git")
    asked = {"repo": repository, "branch": branch, "urlpath": f"lab/tree/{folder}/{path}"}
    return f"{hub.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(asked)}"


def main(words: list[str] | None = None) -> int:
    """Print it, or say what is wrong; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("hub")
    parser.add_argument("repository")
    parser.add_argument("path")
    parser.add_argument("--branch", default="main")
    given = parser.parse_args(words)
    try:
        print(link(given.hub, given.repository, given.path, given.branch))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
