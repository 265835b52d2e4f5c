"""A function from the answers, as a test receives it."""

import inspect
from collections.abc import Callable

from torch import Tensor

from grader import operations, verdict
from grader.load import Answers, ends_the_run, told
from grader.standins import stand_ins


class Graded:
    """Called like the function itself. Whatever goes wrong in it becomes a sentence.

    The function gets copies: what it does to its arguments never reaches what a test compares.
    """

    def __init__(self, name: str, answers: Answers, reference: Answers | None) -> None:
        self.__name__ = name
        self._answers = answers
        self._reference = reference

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self.perform(operations.call, *args, **kwargs)

    def perform(self, operation: Callable, *args: object, **kwargs: object):
        """Run one of the operations on the function.

        Raises:
            Broken: the function cannot be called like that, or raised an exception
        """
        function = getattr(self._answers.module, self.__name__)
        names = self._parameters(function, args, kwargs)
        call = verdict.Call(self.__name__, dict(zip(names, args, strict=False)) | kwargs)
        verdict.calls.append(call)
        try:
            call.result = operation(self.alone, *args, **kwargs)
        except BaseException as error:
            if ends_the_run(error):
                raise
            sentence = told(error, self._answers, self.__name__)
            verdict.broken.append(sentence + "\n" + called_with(call.arguments))
            # With the traceback of the error, --pdb opens at the learner's own line.
            raise verdict.Broken(sentence).with_traceback(error.__traceback__) from error
        return call.result

    def alone(self, *args: object, **kwargs: object) -> object:
        """Call the function itself, with the others in the file replaced by the reference's."""
        function = getattr(self._answers.module, self.__name__)
        with stand_ins(self._answers, self.__name__, self._reference), self._answers.own_work():
            return function(*args, **kwargs)

    def fresh(self) -> "Graded":
        """The same function from the file run anew, without what it remembers of earlier calls."""
        return Graded(self.__name__, self._answers.again(), self._reference)

    def _parameters(self, function: Callable, args: tuple, kwargs: dict) -> list[str]:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # a builtin without one: calling it will tell
            return [f"argument {i}" for i in range(1, len(args) + 1)]
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            takes = ", ".join(signature.parameters)
            count = f"{len(args)} argument{'s' if len(args) > 1 else ''}"
            wanted = " and ".join([count] + [f"{name}= by name" for name in kwargs])
            place = self._answers.place(self.__name__)
            verdict.stop(f"{self.__name__} takes ({takes}), but is called with {wanted}: {place}")
        return list(signature.parameters)


def called_with(arguments: dict[str, object]) -> str:
    """The shapes a function was called with."""
    shapes = (
        f"{name} {tuple(value.shape)}" if isinstance(value, Tensor) else f"{name}={value}"
        for name, value in arguments.items()
    )
    return "    called with " + ", ".join(shapes)
