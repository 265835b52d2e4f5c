"""A submission as the tests see it: like one's own answers, but in another process."""

import ast
import contextlib
import functools
import time
from collections.abc import Callable

from grader import operations, verdict
from grader.diagnose import RAISED
from grader.grading import Grading, load_catalogue, load_reference
from grader.katas import SOLUTIONS, TOGETHER, Kata, shown
from torch import Tensor

from submissions.child import CONTROL
from submissions.find import Submission
from submissions.process import NO_REPLY, Fault, Limits, Process

# Only the other side can know these. It is asked about a function that is guilty of all, as well.
TAKEN_ON_TRUST = (
    operations.changed,
    operations.shares_memory,
    operations.clashes,
    operations.attention_calls,
)


class IsolatedAnswers:
    """The answers to one kata in one file, which is never read in this process.

    Its own process takes the exercises in order. When something goes wrong with it, the exercise
    is asked no more, the rest of its tests have the same sentence, and the next exercise gets a
    new process.

    Attributes:
        trouble: a sentence, if the file as a whole cannot be used
    """

    at_work: "IsolatedAnswers | None" = None  # only one has a process

    def __init__(self, kata: Kata, submission: Submission, limits: Limits) -> None:
        self.path = submission.files[kata.name]
        self.kata = kata
        self.trouble = submission.trouble
        self._submission = submission
        self._limits = limits
        self._left = limits.total
        self._process: Process | None = None
        self._turn = ""
        self._known: dict[str, dict[str, object]] = {}
        self._faults: dict[str, Fault] = {}

    def ask(self, exercise: str, doing: str, **question: object) -> dict[str, object]:
        """Ask for something in an exercise.

        Raises:
            Fault: there is no reply; says why
        """
        if exercise not in self._faults:
            try:
                self._turn_to(exercise)
                return self._ask(doing, **question)
            except Fault as fault:
                self._faults[exercise] = fault
                self.stop()
        raise self._faults[exercise]

    def _ask(self, doing: str, **question: object) -> dict[str, object]:
        start = time.monotonic()
        try:
            return self._process.ask(doing, min(self._limits.call, self._left), question)
        except Fault:
            if time.monotonic() - start < self._left:
                raise
            total = f"The submission had {self._limits.total:g} s, and they are over."
            raise Fault(total) from None
        finally:
            self._left -= time.monotonic() - start

    def _turn_to(self, exercise: str) -> None:
        order = ["", *self.kata.exercises]
        if order.index(exercise) < order.index(self._turn):
            self.stop()  # it has seen what stood in for this exercise
        self._load()
        if exercise != self._turn:
            self._turn = exercise
            self._ask(exercise, ask="turn_to", stand_ins=_reference_before(self.kata, exercise))

    def _load(self) -> None:
        """Have the file loaded in a process of its own, and no other at work."""
        if self._process:
            return
        if IsolatedAnswers.at_work:
            IsolatedAnswers.at_work.stop()
        IsolatedAnswers.at_work = self
        doing = f"Loading {shown(self.path)}"
        try:
            closed, own = self._submission.closed, self._submission.place
            self._process = Process(self.path, self.kata, self._limits, closed, own)
            known = self._ask(doing, ask="load")["reply"]
            if not isinstance(known, dict) or not isinstance(known.get("exercises"), dict):
                raise Fault(f"{doing} {NO_REPLY}.")
        except Fault as fault:
            self.trouble = str(fault)
            raise
        trouble = known.get("trouble")
        self.trouble = None if trouble is None else str(trouble)
        self._known = known["exercises"]

    def stop(self) -> None:
        """End the process, if there is one."""
        if self._process:
            self._process.stop()
        self._process, self._turn = None, ""
        IsolatedAnswers.at_work = None

    def _find_out(self, exercise: str) -> dict[str, object]:
        if not self._known and not self.trouble:
            with contextlib.suppress(Fault):  # it is in self.trouble now
                self._load()
        known = self._known.get(exercise)
        return known if isinstance(known, dict) else {}

    def problem(self, exercise: str) -> str | None:
        """Why the exercise cannot be graded, in a sentence, or None if it can."""
        problem = self._find_out(exercise).get("problem")
        if exercise in self._faults:
            problem = self._faults[exercise]
        found = self.trouble or problem
        return None if found is None else str(found) or NO_REPLY

    def not_started(self, exercise: str) -> bool:
        """Whether the exercise is still a stub."""
        return self._find_out(exercise).get("not_started") is True

    def question(self, exercise: str) -> str:
        """The first line of the docstring of the exercise."""
        return str(self._find_out(exercise).get("question", ""))

    def place(self, exercise: str) -> str:
        """The file, and the line of the exercise where it is known."""
        return str(self._find_out(exercise).get("place", shown(self.path)))


@functools.cache
def _reference_before(kata: Kata, exercise: str) -> str | None:
    """The source of the reference's functions for the exercises before this one."""
    file = SOLUTIONS / f"{kata.name}.py"
    if exercise == TOGETHER or not file.exists():
        return None
    later = kata.exercises[kata.exercises.index(exercise) :]
    tree = ast.parse(file.read_bytes())
    tree.body = [node for node in tree.body if not _gives_away(node, later)]
    return ast.unparse(tree)


def _gives_away(node: ast.stmt, later: tuple[str, ...]) -> bool:
    if isinstance(node, ast.Assign):  # the hints
        return any(isinstance(target, ast.Attribute) for target in node.targets)
    return getattr(node, "name", "") in later


class IsolatedFunction:
    """A function of a submission, as a test receives it. Like grader.graded.Graded."""

    def __init__(self, name: str, exercise: str, answers: IsolatedAnswers) -> None:
        self.__name__ = name
        self._exercise = exercise
        self._answers = answers

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self.perform(operations.call, *args, **kwargs)

    def perform(self, operation: Callable, *args: object, anew: bool = False, **kwargs: object):
        """Have one of the operations performed on the function, in its own process.

        Raises:
            Broken: the function cannot be called like that, or failed, or is out of reach
        """
        order = {"operation": operation.__name__, "args": args, "kwargs": kwargs, "anew": anew}
        try:
            reply = self._ask(ask="perform", function=self.__name__, **order)
            if operation in TAKEN_ON_TRUST:
                control = self._ask(ask="perform", function=CONTROL, **order)
                _check(reply, control, self.__name__)
            if operation is operations.gradients and not reply["broken"]:
                _check_gradients(reply["result"], len(args), self.__name__)
        except Fault as fault:
            verdict.stop(str(fault))
        call = verdict.Call(dict(zip(reply["names"], args, strict=False)) | kwargs)
        if len(call.arguments) < len(args) + len(kwargs):
            call.arguments = {f"argument {i}": arg for i, arg in enumerate(args, 1)} | kwargs
        verdict.calls.append(call)
        verdict.left.update(dict.fromkeys(reply["left"]))
        if reply["broken"]:
            verdict.broken += reply["broken"]
            raise verdict.Broken(reply["broken"][-1])
        call.result = _own(reply["result"])
        return call.result

    def _ask(self, **question: object) -> dict[str, object]:
        answer = self._answers.ask(self._exercise, self.__name__, **question)
        print(answer["printed"] if isinstance(answer["printed"], str) else "", end="")
        reply = answer["reply"]
        if not isinstance(reply, dict) or not all(map(_is_words, map(reply.get, WORDS))):
            raise Fault(f"{self.__name__} {NO_REPLY}.")
        return reply


WORDS = ("names", "broken", "left")


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word for word in value)


def _check(reply: dict, control: dict, name: str) -> None:
    """A function that does all that is forbidden has to be found guilty."""
    if not reply["broken"] and not _is_finding(reply["result"]):
        raise Fault(f"{name} {NO_REPLY}.")
    if not _is_finding(control["result"]) or not control["result"][0]:
        raise Fault(f"{name} tampers with what the tests measure.")


def _is_finding(result: object) -> bool:
    return isinstance(result, (list, tuple)) and len(result) == 2


def _check_gradients(result: object, count: int, name: str) -> None:
    right = isinstance(result, list) and len(result) == count
    if not right or not all(g is None or isinstance(g, Tensor) for g in result):
        raise Fault(f"{name} {NO_REPLY}.")


def _own(result: object) -> object:
    """The result as tensors of their own: views of a message would give themselves away."""
    if isinstance(result, Tensor):
        return result.clone()
    return type(result)(map(_own, result)) if isinstance(result, (list, tuple)) else result


class IsolatedGrading(Grading):
    """A grading whose answers run in processes of their own.

    Args:
        katas: all katas, by name
        submission: the answers
        limits: what they may use
    """

    def __init__(self, katas: dict[str, Kata], submission: Submission, limits: Limits) -> None:
        super().__init__(katas, submission.files, submission.name)
        self._submission = submission
        self._limits = limits
        for kata in katas.values():  # what is loaded now, no submission can change
            load_catalogue(kata)
            load_reference(kata)

    def _answers(self, kata: str) -> IsolatedAnswers:
        return IsolatedAnswers(self.katas[kata], self._submission, self._limits)

    def function(self, kata: str, exercise: str, name: str) -> IsolatedFunction:
        """A function, as a test of an exercise receives it."""
        return IsolatedFunction(name, exercise, self.answers(kata))

    def outcome(self, kata: str, exercise: str) -> Callable[[Callable, tuple, dict], object]:
        """How the function of an exercise, loaded anew, is looked at for a diagnosis."""
        answers = self.answers(kata)

        def look(look: Callable, args: tuple, kwargs: dict) -> object:
            question = {"look": look.__name__, "args": args, "kwargs": kwargs}
            try:
                reply = answers.ask(exercise, exercise, ask="look", function=exercise, **question)
                return reply["reply"]
            except Fault:
                return RAISED

        return look
