"""Docstrings by field: prose, each text once, and split without a leak."""

from collections import Counter
from operator import attrgetter

import pytest

from plainformer.data import FIELDS, Docstring, python_docstrings, split_by


def test_there_are_thousands_and_every_field_has_its_share():
    found = python_docstrings()
    assert len(found) == 5_172
    counts = Counter(each.field for each in found)
    assert counts.keys() == FIELDS.keys()
    assert min(counts.values()) > 300
    assert len({each.module for each in found}) > 250


def test_no_text_stands_there_twice_and_all_are_plain():
    found = python_docstrings()
    assert len({each.text.lower() for each in found}) == len(found)
    for each in found:
        assert each.text == " ".join(each.text.split())
        assert ">>>" not in each.text


def test_a_module_is_in_one_field():
    names = [name for names in FIELDS.values() for name in names.split()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("group", ["text", "module", "package"])
def test_a_group_stays_together_and_every_field_gives_its_share(group):
    found, of = python_docstrings(), attrgetter(group)
    for seed in range(3):
        read, held_out = split_by(of, found, 0.25, seed)
        assert Counter(read) + Counter(held_out) == Counter(found)
        assert not {of(each) for each in read} & {of(each) for each in held_out}
        share = Counter(each.field for each in held_out)
        for field, total in Counter(each.field for each in found).items():
            assert 0.15 < share[field] / total <= 0.25
    assert split_by(of, found, 0.25, 1) == split_by(of, found, 0.25, 1)
    assert split_by(of, found, 0.25, 1) != split_by(of, found, 0.25, 2)


def test_shares_and_what_is_no_share():
    texts = [Docstring(str(i), "m", "files") for i in range(4)]
    assert split_by(attrgetter("text"), texts, 0) == (texts, [])
    assert split_by(attrgetter("text"), texts, 1.0) == ([], texts)
    assert split_by(attrgetter("module"), texts, 0.9) == (texts, [])  # groups are not cut
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"held_out must be (from 0 to 1|finite)"):
            split_by(attrgetter("text"), texts, wrong)
    for wrong in (True, "half", None):
        with pytest.raises(TypeError, match="held_out must be a number"):
            split_by(attrgetter("text"), texts, wrong)
