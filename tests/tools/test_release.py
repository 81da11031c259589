"""A release is made only where everything that names the version names the same one."""

from pathlib import Path

import pytest

from release import citation_fault, main

CITATION = 'cff-version: 1.2.0\ntitle: "x"\nversion: 0.2.0\ndate-released: "2027-03-01"\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is ready to be released as 0.2.0."""
    package = tmp_path / "src" / "plainformer"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""It."""\n\n__version__ = "0.2.0"\n')
    changes = "# Changes\n\n## 0.2.0 (2027-03-01)\n\n- a door\n\n## 0.1.0 (2026-11-20)\n\n- all\n"
    (tmp_path / "CHANGELOG.md").write_text(changes)
    (tmp_path / "CITATION.cff").write_text(CITATION)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'plainformer'\n")
    return tmp_path


def test_a_release_in_step_passes_and_says_what_is_new(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "v0.2.0", "--root", str(project)]) == 0
    assert capsys.readouterr().out == "in step\n"
    assert main(["notes", "v0.2.0", "--root", str(project)]) == 0
    assert capsys.readouterr().out == "- a door\n"


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("src/plainformer/__init__.py", "0.2.0", "0.3.0", "the package's version is 0.3.0: tag v0"),
        ("src/plainformer/__init__.py", "__version__", "version", "not to be found"),
        ("CHANGELOG.md", "## 0.2.0", "## 0.2.1", "says nothing of 0.2.0"),
        ("CHANGELOG.md", "- a door", "", "says nothing of 0.2.0"),
        ("CHANGELOG.md", "(2027-03-01)", "(soon)", "no date"),
        ("CITATION.cff", "2027-03-01", "2027-02-28", "date-released: 2027-03-01"),
        ("CITATION.cff", "version: 0.2.0", "version: 0.1.0", "tools/release.py citation"),
        ("CITATION.cff", "title", 'url: "https://x.org/"\ntitle', "tools/release.py citation"),
        ("pyproject.toml", "name", "urls = {Homepage = '/x'}\nname", "write the whole address"),
    ],
)
def test_what_is_out_of_step_is_said(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    file: str,
    old: str,
    new: str,
    words: str,
) -> None:
    path = project / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    for command in ("check", "notes"):
        assert main([command, "v0.2.0", "--root", str(project)]) == 1
        said = capsys.readouterr()
        assert words in said.err
        assert not said.out


def test_a_tag_of_another_form_is_refused(project: Path) -> None:
    assert main(["check", "0.2.0", "--root", str(project)]) == 1
    assert main(["check", "", "--root", str(project)]) == 1


def test_the_citation_follows_the_public_address(project: Path) -> None:
    urls = 'Homepage = "https://ada.github.io/course"\nRepository = "https://github.com/ada/course"'
    (project / "pyproject.toml").write_text(f"[project]\nname = 'x'\n[project.urls]\n{urls}\n")
    assert citation_fault(project)
    assert main(["citation", "--root", str(project)]) == 0
    assert not citation_fault(project)
    named = 'url: "https://ada.github.io/course/"\nrepository-code: "https://github.com/ada/course"'
    assert named in (project / "CITATION.cff").read_text()
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert main(["citation", "--root", str(project)]) == 0
    assert (project / "CITATION.cff").read_text() == CITATION


def test_the_project_s_own_citation_is_in_step() -> None:
    assert not citation_fault(Path(__file__).resolve().parents[2])
