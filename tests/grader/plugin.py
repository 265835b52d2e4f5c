"""The grader in pytest: the fixtures a specification uses, and what is made of a failure."""

import functools
import types
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor

from grader import rules, show, verdict
from grader.diagnose import load_catalogue, name_mistake
from grader.graded import Graded
from grader.katas import ROOT, SOLUTIONS, TOGETHER, exercise_of, find_answers, find_katas, place_of
from grader.load import Answers
from grader.scoreboard import Scoreboard


class Grading:
    """What this run grades: for each kata the answers, and the reference where there is one."""

    def __init__(self, against: str, start: Path) -> None:
        self.katas = find_katas()
        self.files = find_answers(against, start, self.katas)
        self.place = place_of(self.files)
        self._answers: dict[Path, Answers] = {}
        self._mistakes: dict[tuple[str, str], tuple[str, str] | None] = {}

    def answers(self, kata: str) -> Answers:
        """The answers of a kata; the file is run at the first call."""
        return self._load(self.files[kata], kata)

    def reference(self, kata: str) -> Answers | None:
        """The reference, unless solutions/ was left out of this copy."""
        file = SOLUTIONS / f"{kata}.py"
        return self._load(file, kata) if file.exists() else None

    def function(self, kata: str, exercise: str, name: str) -> Graded:
        """A function for a test of an exercise; together, all functions are the learner's own."""
        alone = exercise != TOGETHER
        return Graded(name, self.answers(kata), self.reference(kata) if alone else None)

    def mistake(self, kata: str, exercise: str) -> tuple[str, str] | None:
        """The name of the known mistake that the answer makes, and its sentence."""
        if (kata, exercise) not in self._mistakes:
            self._mistakes[kata, exercise] = self._diagnose(kata, exercise)
        return self._mistakes[kata, exercise]

    def _diagnose(self, kata: str, exercise: str) -> tuple[str, str] | None:
        catalogue = load_catalogue(self.katas[kata])
        reference = self.reference(kata)
        if catalogue is None or reference is None or exercise == TOGETHER:
            return None
        function = self.function(kata, exercise, exercise).fresh().alone
        right = getattr(reference.module, exercise)
        name = name_mistake(function, right, catalogue, exercise)
        return (name, catalogue.sentence(exercise, name)) if name else None

    def _load(self, file: Path, kata: str) -> Answers:
        if file not in self._answers:
            self._answers[file] = Answers(file, self.katas[kata])
        return self._answers[file]


GRADING = pytest.StashKey[Grading]()


def pytest_configure(config: pytest.Config) -> None:
    try:
        grading = Grading(config.option.against, config.invocation_params.dir)
    except ValueError as error:
        raise pytest.UsageError(f"--against: {error}") from None
    config.stash[GRADING] = grading
    if config.args_source is pytest.Config.ArgsSource.INVOCATION_DIR:
        config.args = [str(ROOT / "tests" / kata) for kata in grading.katas]
    torch.set_num_threads(1)  # for tensors this small, threads only get into each other's way
    if not any("test_grader" in arg for arg in config.args):
        _set_the_screen(config, grading)
    names = {name for kata in grading.katas.values() for name in kata.functions}
    config.pluginmanager.register(_fixtures(names), "kata functions")


def _set_the_screen(config: pytest.Config, grading: Grading) -> None:
    """Leave the screen to the scoreboard, unless pytest was asked for more."""
    show_all = config.option.verbose > 0
    config.pluginmanager.register(
        Scoreboard([grading.katas[name] for name in grading.files], grading.place, show_all)
    )
    if not show_all:
        config.option.verbose = min(config.option.verbose, -1)
        config.option.reportchars = ""
        if config.option.tbstyle == "auto":
            config.option.tbstyle = "no"


def _fixtures(names: set[str]) -> types.ModuleType:
    """A plugin with a fixture for each function of each kata."""

    def fixture(name: str) -> Callable:
        @pytest.fixture(name=name)
        def function(request: pytest.FixtureRequest) -> Graded:
            kata, exercise = exercise_of(request.path)
            return request.config.stash[GRADING].function(kata, exercise, name)

        return function

    plugin = types.ModuleType("functions")
    vars(plugin).update({name: fixture(name) for name in names})
    return plugin


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A lone file holds the answers to one kata: the others are not asked for."""
    grading = config.stash[GRADING]
    others = grading.katas.keys() - grading.files.keys()
    items[:] = [item for item in items if item.path.parent.name not in others]


def pytest_sessionstart(session: pytest.Session) -> None:
    _name_what_is_graded(session.config)


def pytest_unconfigure(config: pytest.Config) -> None:
    _name_what_is_graded(config)


def _name_what_is_graded(config: pytest.Config) -> None:
    screen = config.pluginmanager.get_plugin("terminalreporter")
    if screen and GRADING in config.stash:
        missing = "" if SOLUTIONS.is_dir() else " (no solutions/ here: no stand-ins, no diagnosis)"
        screen.write_line(f"graded: {config.stash[GRADING].place}{missing}")


@pytest.fixture
def randn(request: pytest.FixtureRequest) -> Callable[..., Tensor]:
    """Normal random numbers, the same ones in each run of the test: randn(2, 3, dtype=...)."""
    return drawn_for(request.node.nodeid)


def drawn_for(test: str) -> Callable[..., Tensor]:
    """The randn of the test of that name."""
    generator = torch.Generator().manual_seed(zlib.crc32(test.encode()))

    def randn(*sizes: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.randn(sizes, generator=generator, dtype=dtype)

    return randn


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Put what makes an exercise impossible to grade in the place of its tests."""
    place = exercise_of(item.path)
    if place:
        kata, exercise = place
        verdict.begin(exercise)
        problem = item.config.stash[GRADING].answers(kata).problem(exercise)
        if problem:
            verdict.stop(problem)
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    """Show the sentences, not the way they took through the machinery."""
    report = yield
    place = exercise_of(item.path)
    if place:
        grading = item.config.stash[GRADING]
        mistake, broken = None, []
        if report.when == "call" and not report.passed:
            report.outcome = "failed"  # nothing in a specification skips
            broken = verdict.broken[:] or [rules.unforeseen(report)]
            if not grading.answers(place[0]).problem(place[1]):
                mistake = grading.mistake(*place)
        sentences = [*broken, mistake[1]] if mistake else broken
        if sentences:
            report.longrepr = "\n\n".join(map(show.wrapped, sentences))
        report.kata = _about(item, *place) | {"mistake": mistake, "broken": broken}
    return report


def _about(item: pytest.Item, kata: str, exercise: str) -> dict[str, object]:
    """What the scoreboard needs to know, in a form that travels between processes."""
    answers = item.config.stash[GRADING].answers(kata)
    return {
        "kata": kata,
        "exercise": exercise,
        "total": _total(item.getparent(pytest.Module)),
        "place": answers.place(exercise),
        "question": answers.questions.get(exercise, ""),
        "not_started": answers.not_started(exercise),
    }


@functools.cache
def _total(module: pytest.Module) -> int:
    # Collected anew, because the items of this run may be a selection.
    return len(list(module.collect()))
