"""Which katas there are, which exercises they have, and where the answers to grade lie.

A kata is a name. tests/NAME/ holds its specification, one file for each exercise in order
(test_1_make_qkv.py), and exercises/NAME.py and solutions/NAME.py hold the answers.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = ROOT / "solutions"

# The last exercise of a kata: no function of its own, all the others at work as one.
TOGETHER = "together"


@dataclass(frozen=True)
class Kata:
    """The name of a kata and its exercises, in order."""

    name: str
    exercises: tuple[str, ...]

    @property
    def functions(self) -> tuple[str, ...]:
        """The exercises that are functions to write."""
        return tuple(name for name in self.exercises if name != TOGETHER)


def find_katas() -> dict[str, Kata]:
    """All katas under tests/, by name."""
    katas = {}
    for folder in sorted((ROOT / "tests").iterdir()):
        exercises = sorted(filter(None, map(_numbered, folder.glob("test_*.py"))))
        if exercises:
            katas[folder.name] = Kata(folder.name, tuple(name for _, name in exercises))
    return katas


@functools.cache
def exercise_of(test_file: Path) -> tuple[str, str] | None:
    """The names of the kata and the exercise that a test file specifies, if it does."""
    numbered = _numbered(test_file)
    return (test_file.parent.name, numbered[1]) if numbered else None


def _numbered(test_file: Path) -> tuple[int, str] | None:
    match = re.fullmatch(r"test_(\d+)_(\w+)", test_file.stem)
    return (int(match[1]), match[2]) if match else None


def find_answers(wanted: str, start: Path, katas: dict[str, Kata]) -> dict[str, Path]:
    """The answer file of each kata in `wanted`: a folder, a whole clone, or one .py file.

    Relative names are looked up from `start`, then from the root of the repository.

    Raises:
        ValueError: there is nothing to grade; says what could be graded instead
    """
    places = [start / Path(wanted).expanduser(), ROOT / wanted]
    place = next((p.resolve() for p in places if wanted and p.exists()), None)
    if place is None and wanted == "exercises":
        place = ROOT / "exercises"  # deleted: each exercise says so
    if place is None:
        raise ValueError(
            f"there is no {wanted or 'folder without a name'}. {_what_there_is(katas)}"
        )
    if place.is_file():
        if place.suffix != ".py":
            raise ValueError(
                f"{wanted} is neither a folder nor a .py file. {_what_there_is(katas)}"
            )
        return {_kata_of(place, katas): place}
    for folder in (place, place / "exercises"):
        if any((folder / f"{name}.py").exists() for name in katas):
            return {name: folder / f"{name}.py" for name in katas}
    if place == ROOT / "exercises":
        return {name: place / f"{name}.py" for name in katas}
    files = " or ".join(f"{name}.py" for name in katas)
    raise ValueError(f"{wanted} holds no {files}. {_what_there_is(katas)}")


def _kata_of(file: Path, katas: dict[str, Kata]) -> str:
    """The kata of a lone file: the one it is named after, or whose functions it defines."""
    if file.stem in katas:
        return file.stem
    words = set(re.findall(r"def (\w+)", file.read_text(errors="replace")))
    kata = max(katas.values(), key=lambda kata: len(words & set(kata.functions)))
    if not words & set(kata.functions):
        raise ValueError(f"{file.name} defines none of the functions. {_what_there_is(katas)}")
    return kata.name


def _what_there_is(katas: dict[str, Kata]) -> str:
    """What a mistyped --against could have meant."""
    folders = [ROOT / "exercises", SOLUTIONS, *SOLUTIONS.glob("*/")]
    there = sorted(shown(f) for f in folders if any((f / f"{name}.py").exists() for name in katas))
    return f"Here there are: {', '.join(there)}."


def shown(path: Path) -> str:
    """A path as a reader wants it: from the root of the repository, or its last parts."""
    parts = 3 if path.parent.name == "exercises" else 2  # in a clone, the name of the clone
    return _from_root(path) or "/".join(path.parts[-parts:])


def _from_root(path: Path) -> str | None:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None


def place_of(files: dict[str, Path]) -> str:
    """What is graded: the one file, or the folder of several, with its path in full."""
    first, *others = files.values()
    graded = first.parent if others else first
    return _from_root(graded) or str(graded)
