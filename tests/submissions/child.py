"""What runs in the process of a submission: it computes what it is asked to, and no more.

There are no tests here, no expected values, and no solution to an exercise until it is graded: of
the reference it gets the functions for the exercises before. The grader's own Answers and Graded
do the work, as they do it in the process of the tests.
"""

import gc
import io
import socket
import sys
from pathlib import Path

import torch.nn.functional as F
from grader import diagnose, operations, verdict
from grader.explain import told
from grader.graded import Graded
from grader.katas import SOLUTIONS, Kata
from grader.load import Answers
from torch import Tensor

from submissions.confined import Bounds, confine
from submissions.wire import Line

MOST_PRINTED = 4000  # bytes of one call
OPERATIONS = {
    operation.__name__: operation
    for operation in (
        operations.call,
        operations.changed,
        operations.shares_memory,
        operations.gradients,
        operations.clashes,
        operations.attention_calls,
    )
}
LOOKS = {look.__name__: look for look in diagnose.LOOKS}
CONTROL = "the control"
QUESTIONS = ("load", "turn_to", "perform", "look")


def _control(first: Tensor, *others: Tensor, **options: object) -> Tensor:
    """Does all that a function may not do. What does not notice is no longer to be trusted."""
    first.add_(first.new_ones(first.shape).cpu())
    F.scaled_dot_product_attention(first, first, first)
    return first


class _Kept(io.RawIOBase):
    """Keeps the beginning of what is written, and cannot be closed."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1  # nowhere, in this process

    def write(self, data: bytes) -> int:
        self._bytes += bytes(data)[: max(MOST_PRINTED - len(self._bytes), 0)]
        return len(data)

    def close(self) -> None:
        pass

    def take(self) -> str:
        """What was printed since the last time."""
        text = self._bytes.decode(errors="replace")
        self._bytes.clear()
        return text


class _Submission:
    """Answers the questions of the tests. Their names are those of the methods."""

    def __init__(self, path: Path, kata: Kata) -> None:
        self._path = path
        self._kata = kata
        self._answers: Answers | None = None
        self._reference: Answers | None = None
        self._fresh: Graded | None = None
        self._operations = dict(OPERATIONS)
        self._listener = operations.Listen()  # always: who looks cannot tell when it matters

    def load(self) -> dict[str, object]:
        """Run the file, and say how it stands with each exercise."""
        answers = self._answers = Answers(self._path, self._kata)
        return {
            "trouble": answers.trouble,
            "exercises": {
                exercise: {
                    "problem": answers.problem(exercise),
                    "place": answers.place(exercise),
                    "question": answers.question(exercise),
                    "not_started": answers.not_started(exercise),
                }
                for exercise in self._kata.exercises
            },
        }

    def turn_to(self, stand_ins: str | None) -> None:
        """Turn to the next exercise; the reference's functions for those before stand in."""
        self._fresh = self._reference = None
        self._listener.heard.clear()
        if stand_ins is not None:
            file = SOLUTIONS / f"{self._kata.name}.py"
            self._reference = Answers(file, self._kata, stand_ins.encode())

    def perform(
        self, function: str, operation: str, args: list, kwargs: dict, anew: bool
    ) -> dict[str, object]:
        """Perform one of the operations on a function."""
        operate = self._operations[operation]
        verdict.begin(function)
        result = None
        try:
            if function == CONTROL:
                result = operate(_control, *args, **kwargs)
            else:
                graded = Graded(function, self._answers, self._reference)
                with self._listener:
                    result = graded.perform(operate, *args, anew=anew, **kwargs)
                if operation == "attention_calls":
                    result = self._listener.heard + result[0], result[1]
        except verdict.Broken:
            pass
        except BaseException as error:
            verdict.broken.append(told(error, self._path, function, set()))
        names = list(verdict.calls[-1].arguments) if verdict.calls else []
        return {
            "names": names,
            "broken": list(verdict.broken),
            "left": list(verdict.left),
            "result": result,
        }

    def look(self, look: str, function: str, args: list, kwargs: dict) -> object:
        """Look at a function for a diagnosis, in the file loaded anew."""
        if self._fresh is None:
            self._fresh = Graded(function, self._answers.again(), self._reference)
        return diagnose.outcome(LOOKS[look], self._fresh.alone, args, kwargs)


def main(connection: socket.socket, path: Path, kata: Kata, bounds: Bounds) -> None:
    """Answer questions about the answers to a kata until nobody asks any more."""
    line, submission, kept = Line(connection), _Submission(path, kata), _Kept()
    # Looked up now: what the submission puts in their place comes too late.
    answers = {name: getattr(submission, name) for name in QUESTIONS}
    gc.freeze()  # or the collector copies all of torch into this process
    confine(bounds, connection.fileno())
    sys.stdout = sys.stderr = io.TextIOWrapper(kept, "utf-8", "replace", write_through=True)
    line.send("ready")
    while True:
        question = line.receive()
        reply = answers[question.pop("ask")](**question)
        line.send({"reply": reply, "printed": kept.take()})
