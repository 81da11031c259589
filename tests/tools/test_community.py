"""What a person meets who wants to help: the forms, the documents, the container's recipe."""

import re
from pathlib import Path

import pytest
import yaml

from doors import DOORS

ROOT = Path(__file__).parents[2]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
)
KINDS = {"input", "textarea", "dropdown", "checkboxes", "markdown"}


@pytest.mark.parametrize("form", [form for form in FORMS if form.stem != "config"], ids=str)
def test_a_form_is_one_that_github_reads(form: Path) -> None:
    told = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert told["name"] and told["description"] and told["body"]
    assert set(told) <= {"name", "description", "labels", "title", "assignees", "body"}
    ids = [field["id"] for field in told["body"] if field["type"] != "markdown"]
    assert len(set(ids)) == len(ids)
    for field in told["body"]:
        assert set(field) <= {"type", "id", "attributes", "validations"}
        assert field["type"] in KINDS and field["attributes"]["label"]
        assert ("options" in field["attributes"]) == (field["type"] in {"dropdown", "checkboxes"})
    assert any(field.get("validations", {}).get("required") for field in told["body"])


def test_the_form_for_a_mistake_takes_the_page_from_a_link() -> None:
    """The pages link to it with ``page=…``, which fills the field of this id."""
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/mistake.yml").read_text(encoding="utf-8"))
    assert [field["type"] for field in form["body"] if field["id"] == "page"] == ["input"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_document_names_is_there(name: str) -> None:
    """Links, and the files and folders that it names as code."""
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    named = re.findall(r"`((?:book|src|tests|tools|benchmarks|deploy)/[\w./*-]+)`", text)
    here = [place for place in links if "://" not in place] + named
    made = {"src/plainformer/blocks/my_idea.py"}
    missing = [place for place in here if place not in made and not list(ROOT.glob(place))]
    assert missing == []
    assert set(re.findall(r"`make ([a-z-]+)`", text)) <= {*DOORS, "help"}
