"""What has happened in the test that is running: the calls it made and the rules that broke."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import pytest_check


class Broken(AssertionError):
    """A rule is broken, or the function cannot be judged at all. The message is the sentence."""


@dataclass
class Call:
    """One call of a graded function. Failures show what it was called with."""

    arguments: dict[str, object]
    result: object = "nothing yet"


exercise = ""
broken: list[str] = []
calls: deque[Call] = deque(maxlen=4)  # not all: their arguments may be large
left: dict[str, None] = {}  # the calls by which the answers changed torch for all that follows


def begin(name: str) -> None:
    """Forget the test before; the next one is about the exercise of this name."""
    global exercise
    exercise = name
    broken.clear()
    calls.clear()
    left.clear()


def stop(sentence: str) -> NoReturn:
    """Break a gate: nothing after it in the test would make sense."""
    broken.append(sentence)
    raise Broken(sentence)


@pytest_check.check.check_func
def note(sentence: str) -> None:
    """Break a rule: pytest-check takes it down and lets the test go on to the next one."""
    stop(sentence)


def call_behind(result: object) -> Call | None:
    """The call that returned `result`, or the tensor that it is a view of."""
    for call in reversed(calls):
        members = call.result if isinstance(call.result, Sequence) else [call.result]
        if any(m is result or m is getattr(result, "_base", result) for m in members):
            return call
    return None
