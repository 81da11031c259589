"""The public address: what is taken, what is refused, and with which words."""

from pathlib import Path

import pytest

from public_address import AddressError, PublicAddress, main, read_address


def project(folder: Path, urls: str) -> Path:
    (folder / "pyproject.toml").write_text(f"[project]\nname = 'x'\n[project.urls]\n{urls}\n")
    return folder


def test_without_an_address_everything_is_empty(tmp_path: Path) -> None:
    assert read_address(tmp_path) == PublicAddress()
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert read_address(tmp_path) == PublicAddress()
    assert read_address(project(tmp_path, 'Homepage = ""\nRepository = " "')) == PublicAddress()
    nowhere = PublicAddress()
    assert {nowhere.github, nowhere.colab("a"), nowhere.hub_query("a"), nowhere.mistake("a")} == {
        ""
    }


@pytest.mark.parametrize("end", ["", "/"])
@pytest.mark.parametrize("path", ["", "/course", "/a/deep%20er/course", "/v1.2"])
def test_a_path_and_a_slash_at_the_end_are_welcome(tmp_path: Path, path: str, end: str) -> None:
    urls = f'homepage = "https://ada.github.io{path}{end}"\n'
    urls += (
        f'Repository = "https://github.com/ada/course{end or ".git"}"\nOther = "https://x.org/?"'
    )
    address = read_address(project(tmp_path, urls.replace("/?", "/")))
    assert address == PublicAddress(
        f"https://ada.github.io{path}/", "https://github.com/ada/course"
    )
    assert address.page("book/a b") == f"https://ada.github.io{path}/book/a%20b.html"
    assert address.colab("notebooks/a/b.ipynb") == (
        "https://colab.research.google.com/github/ada/course/blob/main/notebooks/a/b.ipynb"
    )


def test_elsewhere_than_on_github_a_hub_can_still_fetch_it(tmp_path: Path) -> None:
    address = read_address(project(tmp_path, 'Repository = "https://codeberg.org/ada/course"'))
    assert not (address.github or address.colab("a.ipynb") or address.mistake("a"))
    assert "repo=https%3A%2F%2Fcodeberg.org%2Fada%2Fcourse&" in address.hub_query("a.ipynb")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('Homepage = "course"', "write the whole address"),
        ('Homepage = "/course/"', "write the whole address"),
        ('Homepage = "//ada.github.io/course/"', "write the whole address"),
        ('Homepage = "ada.github.io/course"', "write the whole address"),
        ('Homepage = "http://ada.github.io/"', "must begin with https://"),
        ('Homepage = "javascript:alert(1)"', "write the whole address"),
        ('Homepage = "file:///home/ada/index.html"', "must begin with https://"),
        ('Homepage = "https://"', "names no host"),
        ('Homepage = "https:///course/"', "names no host"),
        ('Homepage = "https://localhost/course/"', "names no host"),
        ('Homepage = "https://[::1"', "cannot be read"),
        ('Homepage = "https://ada.github.io:port/"', "cannot be read"),
        ('Homepage = "https://ada:secret@ada.github.io/"', "everybody would see"),
        ('Homepage = "https://ada.github.io/?a=b"', "leave that out"),
        ('Homepage = "https://ada.github.io/#top"', "leave that out"),
        ('Homepage = "https://ada.github.io/my course/"', "%20"),
        ('Homepage = "https://ada.github.io/%zz/"', "%20"),
        ("Homepage = 'https://ada.github.io/\"><script>'", "%20"),
        ('Homepage = "https://ada.github.io/a/../b/"', "dots"),
        ('Homepage = "https://ada.github.io/a//b/"', "empty step"),
        ('Homepage = "https://ada.github.io/course/index.html"', "write the folder"),
        ("Homepage = 3", "between quotes"),
        ('Repository = "https://github.com/ada"', "https://github.com/OWNER/NAME"),
        ('Repository = "https://github.com/ada/course/tree/main"', "OWNER/NAME"),
        ('Repository = "https://codeberg.org/"', "names a host alone"),
        ('Repository = "git@github.com:ada/course.git"', "write the whole address"),
        ('Package = "https://pypi.org/project/transformers/"', "until the package is published"),
        ('Changelog = "CHANGELOG.md"', "write the whole address"),
    ],
)
def test_a_bad_address_gets_a_sentence(
    tmp_path: Path, line: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, line)
    with pytest.raises(AddressError, match=r"pyproject\.toml") as raised:
        read_address(tmp_path)
    said = str(raised.value)
    assert line.split()[0] in said
    assert words in said
    assert main(["--root", str(tmp_path)]) == 1
    assert capsys.readouterr().err.strip() == said


def test_a_bare_name_is_trusted_only_where_it_is_said_to_be_ours(tmp_path: Path) -> None:
    urls = 'Repository = "https://github.com/ada/course"\n'
    wheel, source = read_address(project(tmp_path, urls)).sources("1.2.3")
    release = "https://github.com/ada/course/releases/download/v1.2.3/"
    assert wheel == f"{release}plainformer-1.2.3-py3-none-any.whl"
    assert source == "git+https://github.com/ada/course"
    urls += 'Package = "https://pypi.org/project/plainformer/"'
    urls += '\nHomepage = "https://ada.org/course"'
    ours = read_address(project(tmp_path, urls)).sources("1.2.3")
    site = "https://ada.org/course/downloads/plainformer-1.2.3-py3-none-any.whl"
    assert ours == ["plainformer==1.2.3", site, wheel, source]


def test_all_faults_are_said_at_once(tmp_path: Path) -> None:
    project(tmp_path, 'Homepage = "a"\nRepository = "b"')
    with pytest.raises(AddressError) as raised:
        read_address(tmp_path)
    assert len(str(raised.value).splitlines()) == 2


def test_pages_that_go_elsewhere_are_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, 'Homepage = "https://ada.github.io/course"')
    fine = ["--root", str(tmp_path), "--expect"]
    assert main([*fine, "https://ada.github.io/course"]) == 0
    assert main([*fine, "http://ada.github.io/course/"]) == 0
    assert main([*fine, ""]) == 0
    assert main([*fine, "https://bob.github.io/course/"]) == 1
    assert 'write Homepage = "https://bob.github.io/course/"' in capsys.readouterr().err


def test_the_project_s_own_addresses_are_good() -> None:
    read_address()
