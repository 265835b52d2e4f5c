"""While one function is graded, the others in the file stand aside for the reference's.

So a wrong `score` does not turn `attend` red, and the exercises can be done in any order.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator

from torch import Tensor

from grader.load import Answers


@contextlib.contextmanager
def stand_ins(answers: Answers, graded: str, reference: Answers | None) -> Iterator[None]:
    """Put the reference's functions in the place of all but the graded one."""
    there = vars(reference.module) if reference else {}
    own = vars(answers.module)
    calls = {
        name: _stand_in(there[name], own.get(name))
        for name in answers.kata.functions
        if name != graded and name in there and (own.get(name) is None or callable(own[name]))
    }
    before = {name: own[name] for name in calls if name in own}
    own.update(calls)
    try:
        yield
    finally:
        for name in calls:
            own.pop(name, None)
        own.update(before)


def _stand_in(reference: Callable[..., object], own: Callable[..., object] | None):
    """The reference, if it is called as the contract says; otherwise the learner's own."""

    @functools.wraps(own or reference)
    def call(*args: object, **kwargs: object) -> object:
        if own is None:
            return reference(*args, **kwargs)
        tensors = [a for a in (*args, *kwargs.values()) if not isinstance(a, bool)]
        if not all(isinstance(a, Tensor) and a.dim() > 1 for a in tensors):
            return own(*args, **kwargs)
        try:
            return reference(*args, **kwargs)
        except Exception:
            return own(*args, **kwargs)

    return call
