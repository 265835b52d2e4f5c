"""What a run grades: for each kata the answers, the reference beside them, and the mistakes."""

import functools
from pathlib import Path

import pytest

from grader.diagnose import load_catalogue, name_mistake, outcome
from grader.graded import Graded
from grader.katas import ROOT, SOLUTIONS, TOGETHER, Kata, place_of
from grader.load import Answers

GRADINGS = pytest.StashKey[list["Grading"]]()


@functools.cache
def load_reference(kata: Kata) -> Answers | None:
    """The reference in solutions/, unless a host has left it out."""
    file = SOLUTIONS / f"{kata.name}.py"
    return Answers(file, kata) if file.exists() else None


class Grading:
    """The answers of one learner.

    Attributes:
        katas: all katas, by name
        files: the answer file of each kata that is graded
        name: a short name for what is graded
        place: what is graded, in full
        is_own: whether these are the learner's own exercises
    """

    def __init__(self, katas: dict[str, Kata], files: dict[str, Path], name: str) -> None:
        self.katas = katas
        self.files = files
        self.name = name
        self.place = place_of(files)
        self.is_own = all(file.parent == ROOT / "exercises" for file in self.files.values())
        self.answers = functools.cache(self._answers)  # a file is run once, when it is needed
        self.mistake = functools.cache(self._mistake)

    def _answers(self, kata: str) -> Answers:
        return Answers(self.files[kata], self.katas[kata])

    def _graded(self, answers: Answers, exercise: str, name: str) -> Graded:
        # Together, all functions are the learner's own.
        reference = None if exercise == TOGETHER else load_reference(answers.kata)
        return Graded(name, answers, reference)

    def function(self, kata: str, exercise: str, name: str) -> Graded:
        """A function, as a test of an exercise receives it."""
        return self._graded(self.answers(kata), exercise, name)

    def outcome(self, kata: str, exercise: str):
        """How the function of an exercise, loaded anew, is looked at for a diagnosis."""
        answer = self._graded(self.answers(kata).again(), exercise, exercise)
        return lambda look, args, kwargs: outcome(look, answer.alone, args, kwargs)

    def _mistake(self, kata: str, exercise: str) -> tuple[str, str] | None:
        """The name and the sentence of the known mistake in an answer that fails, if it is one."""
        catalogue = load_catalogue(self.katas[kata])
        reference = load_reference(self.katas[kata])
        if exercise == TOGETHER or catalogue is None or reference is None:
            return None
        right = getattr(reference.module, exercise)
        name = name_mistake(self.outcome(kata, exercise), right, catalogue, exercise)
        return (name, catalogue.sentence(exercise, name)) if name else None
