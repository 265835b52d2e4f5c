"""The grader in pytest: the fixtures a specification uses, and what is made of a failure."""

import functools
import gc
import types
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor

from grader import rules, show, verdict
from grader.graded import Graded
from grader.grading import Grading
from grader.katas import ROOT, SOLUTIONS, exercise_of
from grader.screen.scoreboard import Scoreboard

GRADING = pytest.StashKey[Grading]()


def pytest_configure(config: pytest.Config) -> None:
    try:
        grading = Grading(config.option.against, config.invocation_params.dir)
    except ValueError as error:
        raise pytest.UsageError(f"--against: {error}") from None
    config.stash[GRADING] = grading
    if config.option.usepdb:
        verdict.note = verdict.stop  # the debugger opens where the first rule breaks
    gc.freeze()  # or the collector walks over all of torch again and again: a second of a run
    torch.set_num_threads(1)  # for tensors this small, threads only get into each other's way
    _find_the_tests(config, grading)
    if not any("test_grader" in arg for arg in config.args):
        _set_the_screen(config, grading)
    names = {name for kata in grading.katas.values() for name in kata.functions}
    config.pluginmanager.register(_fixtures(names), "kata functions")


def _find_the_tests(config: pytest.Config, grading: Grading) -> None:
    """Run the tests of the katas from any folder, and for `pytest exercises/NAME.py` as well."""
    start, exercises = config.invocation_params.dir, ROOT / "exercises"
    named = [(start / arg.partition("::")[0]).resolve() for arg in config.args]
    asked = {path.stem for path in named if path.parent == exercises} & grading.katas.keys()
    from_below = config.args_source is pytest.Config.ArgsSource.INVOCATION_DIR
    if asked or from_below or exercises in named:
        config.args = [str(ROOT / "tests" / kata) for kata in asked or grading.katas]


def _set_the_screen(config: pytest.Config, grading: Grading) -> None:
    """Leave the screen to the scoreboard, unless pytest was asked for more."""
    option = config.option
    show_all = option.verbose > 0
    config.pluginmanager.register(Scoreboard(grading, show_all, option.show), "scoreboard")
    if not show_all and not option.collectonly:
        option.verbose = min(option.verbose, -1)
        option.tbstyle = "no" if option.tbstyle == "auto" else option.tbstyle
        option.reportchars = option.reportchars.replace("fE", "")  # pytest's own default


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
    if screen and config.pluginmanager.has_plugin("scoreboard"):
        missing = "" if SOLUTIONS.is_dir() else " (no solutions/ here, so no mistake is named)"
        screen.write_line(f"graded: {config.stash[GRADING].place}{missing}")


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
    if not place or (report.when != "call" and report.passed):
        return report
    grading = item.config.stash[GRADING]
    answers, exercise = grading.answers(place[0]), place[1]
    broken, mistake = [], None
    if report.when == "call" and not report.passed:
        report.outcome = "failed"  # nothing in a specification skips
        broken = verdict.broken[:] or [rules.unforeseen(report)]
        mistake = None if answers.problem(exercise) else grading.mistake(*place)
        sentences = [*broken, mistake[1]] if mistake else broken
        report.longrepr = "\n\n".join(map(show.wrapped, sentences))
    # What the scoreboard needs to know, in a form that travels between processes.
    report.kata = {
        "kata": place[0],
        "exercise": exercise,
        "total": _total(item.getparent(pytest.Module)),
        "place": answers.place(exercise),
        "question": answers.question(exercise),
        "not_started": answers.not_started(exercise),
        "trouble": bool(answers.trouble),
        "broken": broken,
        "mistake": mistake,
    }
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_exception_interact(call: pytest.CallInfo) -> None:
    """Let --pdb open in the test, or at the learner's own line, and not in the machinery."""
    link, last = call.excinfo.tb, None
    while link:
        if Path(__file__).parent not in Path(link.tb_frame.f_code.co_filename).parents:
            last = link
        link = link.tb_next
    if last:
        last.tb_next = None


@functools.cache
def _total(module: pytest.Module) -> int:
    # Collected anew, because the items of this run may be a selection.
    return len(list(module.collect()))
