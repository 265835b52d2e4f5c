"""Which submissions there are: what the patterns match, and a short name for each."""

import glob
import os
from dataclasses import dataclass, replace
from pathlib import Path

from grader.katas import ROOT, SOLUTIONS, Kata, find_answers
from grader.show import printable


@dataclass(frozen=True)
class Submission:
    """Somebody's answers.

    Attributes:
        name: as short as tells it from the others
        place: the file, or the folder that all of it is in
        files: the answer file of each kata
        closed: the folders of others, in which it may not read
        trouble: a sentence, if there is no answer file
    """

    name: str
    place: Path
    files: dict[str, Path]
    closed: tuple[Path, ...] = (SOLUTIONS, ROOT / "tests", ROOT / ".git")
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
        return [_the_only_one(patterns[0], start, katas)]
    places = list(dict.fromkeys(place for p in patterns for place in _matches(p, start)))
    if len(places) == 1:
        return [_the_only_one(str(places[0]), start, katas)]
    common = Path(os.path.commonpath([place.parent for place in places]))
    found: dict[str, Submission] = {}
    for place in places:
        submission = _submission(place, common, katas)
        while submission.name in found:  # they differ in what cannot be shown
            submission = replace(submission, name=f"{submission.name} (2)")
        found[submission.name] = submission
    return list(found.values())


def _one_line(name: str) -> str:
    return printable(name).replace("\n", "\\n")


def _is_pattern(text: str, start: Path) -> bool:
    return glob.has_magic(text) and not any((folder / text).exists() for folder in (start, ROOT))


def _the_only_one(place: str, start: Path, katas: dict[str, Kata]) -> Submission:
    try:
        files = find_answers(place, start, katas)
        name = _one_line(Path(place).name)
        return Submission(name, next(iter(files.values())).parent, files)
    except ValueError as error:
        inside = [p for name in katas for p in (start / place).glob(f"*/{name}.py")]
        inside += [p for name in katas for p in (start / place).glob(f"*/exercises/{name}.py")]
        if place and inside:
            raise ValueError(f"{place} holds several. Write --against='{place}/*'") from None
        raise error


def _submission(place: Path, common: Path, katas: dict[str, Kata]) -> Submission:
    within = place.relative_to(common).as_posix()
    name = _one_line(within)
    try:
        files, trouble = find_answers(within, common, katas), None
    except (ValueError, OSError) as error:
        files = {kata: place / f"{kata}.py" for kata in katas}
        trouble = str(error).partition(". Here there are")[0] + "."
    return Submission(name, place, files, (*Submission.closed, common.resolve()), trouble)


def _matches(pattern: str, start: Path) -> list[Path]:
    wanted = str(Path(pattern).expanduser())
    if not _is_pattern(wanted, start):
        wanted = glob.escape(wanted)
    for folder in (start, ROOT):
        found = [folder / name for name in glob.glob(wanted, root_dir=folder)]
        if found:
            places = sorted(Path(os.path.abspath(place)) for place in found)
            return [place for place in places if not place.name.startswith("__")]
    raise ValueError(f"there is no {pattern}")
