"""A function from the answers, as a test receives it."""

import inspect
from collections.abc import Callable

from grader import operations, show, verdict
from grader.explain import ends_the_run
from grader.load import Answers
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

    def perform(self, operation: Callable, *args: object, anew: bool = False, **kwargs: object):
        """Run one of the operations on the function, or on that of the file loaded anew.

        Raises:
            Broken: the function cannot be called like that, or raised an exception
        """
        names = self._check_signature(args, kwargs)
        call = verdict.Call(dict(zip(names, args, strict=False)) | kwargs)
        verdict.calls.append(call)
        try:
            call.result = operation(self.anew if anew else self.alone, *args, **kwargs)
        except BaseException as error:
            if ends_the_run(error):
                raise
            sentence = self._answers.told(error, self.__name__)
            shapes = "   ".join(show.arguments(call.arguments, in_numbers=False))
            verdict.broken.append(f"{sentence}\n    called with {shapes}")
            # With the traceback of the error, --pdb opens at the learner's own line.
            raise verdict.Broken(sentence).with_traceback(error.__traceback__) from error
        return call.result

    def alone(self, *args: object, **kwargs: object) -> object:
        """Call the function itself, with the others in the file replaced by the reference's."""
        return self._call(self._answers, args, kwargs)

    def anew(self, *args: object, **kwargs: object) -> object:
        """The same on the file loaded anew, without what it remembers of earlier calls."""
        return self._call(self._answers.again(), args, kwargs)

    def _call(self, answers: Answers, args: tuple, kwargs: dict) -> object:
        try:
            with stand_ins(answers, self.__name__, self._reference), answers.at_work():
                return getattr(answers.module, self.__name__)(*args, **kwargs)
        finally:
            verdict.left.update(answers.left)

    def _check_signature(self, args: tuple, kwargs: dict) -> list[str]:
        try:
            signature = inspect.signature(getattr(self._answers.module, self.__name__))
        except Exception:  # a builtin has none: calling it will tell
            return [f"argument {i}" for i, _ in enumerate(args, start=1)]
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            takes = ", ".join(signature.parameters)
            count = f"{len(args)} argument{'s' if len(args) > 1 else ''}"
            wanted = " and ".join([count, *(f"{name}= by name" for name in kwargs)])
            place = self._answers.place(self.__name__)
            verdict.stop(f"{self.__name__} takes ({takes}), but is called with {wanted}: {place}")
        return list(signature.parameters)
