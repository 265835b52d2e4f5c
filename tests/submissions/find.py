"""Which submissions there are: what the patterns match, and a short name for each."""

import glob
import os
from dataclasses import dataclass
from pathlib import Path

from grader.katas import ROOT, SOLUTIONS, Kata, find_answers
from grader.show import printable


@dataclass(frozen=True)
class Submission:
    """Somebody's answers.

    Attributes:
        name: as short as tells it from the others
        files: the answer file of each kata
        trouble: a sentence, if there is none
    """

    name: str
    files: dict[str, Path]
    trouble: str | None = None

    @property
    def is_ours(self) -> bool:
        """Whether it belongs to this copy: the learner's exercises, or the solutions."""
        ours = {ROOT / "exercises", SOLUTIONS}
        return all(ours & set(file.parents) for file in self.files.values())


def find_submissions(patterns: list[str], start: Path, katas: dict[str, Kata]) -> list[Submission]:
    """All that the patterns match, looked up from `start`, then from the root of the repository.

    What is matched and holds no answers is a submission all the same: somebody handed it in. The
    only one has to hold some.

    Raises:
        ValueError: there is nothing to grade; says what could be graded instead
    """
    if len(patterns) == 1 and not _is_pattern(patterns[0], start):
        files = find_answers(patterns[0], start, katas)
        return [Submission(_one_line(Path(patterns[0]).name), files)]
    places = list(dict.fromkeys(place for p in patterns for place in _matches(p, start)))
    if len(places) == 1:
        return [Submission(_one_line(places[0].name), find_answers(str(places[0]), start, katas))]
    common = Path(os.path.commonpath([place.parent for place in places]))
    return [_submission(place, common, katas) for place in places]


def _one_line(name: str) -> str:
    return printable(name).replace("\n", "\\n")


def _is_pattern(text: str, start: Path) -> bool:
    return glob.has_magic(text) and not any((folder / text).exists() for folder in (start, ROOT))


def _submission(place: Path, common: Path, katas: dict[str, Kata]) -> Submission:
    within = place.relative_to(common).as_posix()
    name = _one_line(within)
    try:
        return Submission(name, find_answers(within, common, katas))
    except (ValueError, OSError) as error:
        missing = {kata: place / f"{kata}.py" for kata in katas}
        return Submission(name, missing, str(error).partition(". Here there are")[0] + ".")


def _matches(pattern: str, start: Path) -> list[Path]:
    wanted = str(Path(pattern).expanduser())
    if not _is_pattern(wanted, start):
        wanted = glob.escape(wanted)
    for folder in (start, ROOT):
        found = [folder / name for name in glob.glob(wanted, root_dir=folder)]
        if found:
            places = sorted(Path(os.path.abspath(place)) for place in found)
            return [place for place in places if place.name != "__pycache__"]
    raise ValueError(f"there is no {pattern}")
