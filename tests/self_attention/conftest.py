from collections.abc import Callable, Iterator

import pytest
from self_attention import lesson as example
from torch import Tensor


@pytest.fixture(scope="session")
def lesson() -> example.Lesson:
    """The lesson's example, as lesson.py draws it."""
    return example.lesson()


@pytest.fixture
def lesson_pairs() -> Callable[[int], Iterator[tuple[Tensor, Tensor]]]:
    """10,000 random queries and keys of a width, as lesson.py draws them."""
    return example.pairs
