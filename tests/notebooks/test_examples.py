"""The examples in the generator's own docstrings."""

import doctest
import importlib
import pkgutil

import pytest

import notebook_engine

MODULES = [module.name for module in pkgutil.iter_modules(notebook_engine.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(f"notebook_engine.{name}")).failed == 0
