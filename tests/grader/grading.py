"""What a run grades: for each kata the answers, the reference beside them, and the mistakes."""

import functools
from pathlib import Path

from grader.diagnose import load_catalogue, name_mistake
from grader.graded import Graded
from grader.katas import ROOT, SOLUTIONS, TOGETHER, find_answers, find_katas, place_of
from grader.load import Answers


class Grading:
    """The answers in `against`, looked up from the folder `start`.

    Attributes:
        katas: all katas, by name
        files: the answer file of each kata that is graded
        place: what is graded, in words
        is_own: whether these are the learner's own exercises

    Raises:
        ValueError: there is nothing to grade; says what could be graded instead
    """

    def __init__(self, against: str, start: Path) -> None:
        self.katas = find_katas()
        self.files = find_answers(against, start, self.katas)
        self.place = place_of(self.files)
        self.is_own = all(file.parent == ROOT / "exercises" for file in self.files.values())
        self.answers = functools.cache(self._answers)  # a file is run once, when it is needed
        self.reference = functools.cache(self._reference)
        self.mistake = functools.cache(self._mistake)

    def _answers(self, kata: str) -> Answers:
        return Answers(self.files[kata], self.katas[kata])

    def _reference(self, kata: str) -> Answers | None:
        file = SOLUTIONS / f"{kata}.py"  # a host may have left solutions/ out
        return Answers(file, self.katas[kata]) if file.exists() else None

    def function(self, kata: str, exercise: str, name: str) -> Graded:
        """A function for a test of an exercise; together, all functions are the learner's own."""
        reference = None if exercise == TOGETHER else self.reference(kata)
        return Graded(name, self.answers(kata), reference)

    def _mistake(self, kata: str, exercise: str) -> tuple[str, str] | None:
        """The name and the sentence of the known mistake in an answer that fails, if it is one."""
        catalogue, reference = load_catalogue(self.katas[kata]), self.reference(kata)
        if exercise == TOGETHER or catalogue is None or reference is None:
            return None
        answer = Graded(exercise, self.answers(kata).again(), reference)
        right = getattr(reference.module, exercise)
        name = name_mistake(answer.alone, right, catalogue, exercise)
        return (name, catalogue.sentence(exercise, name)) if name else None
