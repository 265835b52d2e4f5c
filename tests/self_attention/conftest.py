"""The lesson's example as fixtures. It imports torch, so not before a test asks for it."""

from collections.abc import Callable
from importlib import import_module

import pytest


@pytest.fixture(scope="session")
def lesson() -> object:
    """The Lesson that lesson.py draws."""
    return import_module("self_attention.lesson").lesson()


@pytest.fixture
def lesson_pairs() -> Callable:
    """10,000 random queries and keys of a width, as lesson.py draws them."""
    return import_module("self_attention.lesson").pairs
