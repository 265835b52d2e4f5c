"""The grader in pytest: the fixtures a specification uses, and what is made of a failure."""

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
from grader.grading import GRADINGS, Grading
from grader.katas import ROOT, SOLUTIONS, exercise_of, find_answers, find_katas
from grader.screen.scoreboard import Scoreboard

TOTALS = pytest.StashKey[dict[Path, int]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TOTALS] = {}
    gradings = config.stash.get(GRADINGS, None) or [_grading(config)]
    config.stash[GRADINGS] = gradings
    if config.option.usepdb:
        verdict.note = verdict.stop  # the debugger opens where the first rule breaks
    gc.freeze()  # or the collector walks over all of torch again and again: a second of a run
    torch.set_num_threads(1)  # for tensors this small, threads only get into each other's way
    _find_the_tests(config, gradings[0])
    if not any("test_grader" in arg for arg in config.args):
        _set_the_screen(config, gradings[0])
    names = {name for kata in gradings[0].katas.values() for name in kata.functions}
    config.pluginmanager.register(_fixtures(names), "kata functions")


def _grading(config: pytest.Config) -> Grading:
    *others, against = config.option.against or ["exercises"]
    katas = find_katas()
    try:
        if others:
            raise ValueError("one at a time: what grades many is not in this copy")
        return Grading(katas, find_answers(against, config.invocation_params.dir, katas), against)
    except ValueError as error:
        raise pytest.UsageError(f"--against: {error}") from None


def grading_of(item: pytest.Item) -> Grading:
    """What the test of the kata grades: one of many, or the only one."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return parameters.get("grading", item.config.stash[GRADINGS][0])


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
    if not config.pluginmanager.has_plugin("scoreboard"):
        config.pluginmanager.register(Scoreboard(grading, show_all, option.show), "scoreboard")
    if not show_all and not option.collectonly:
        option.verbose = min(option.verbose, -1)
        option.tbstyle = "no" if option.tbstyle == "auto" else option.tbstyle
        option.reportchars = option.reportchars.replace("fE", "")  # pytest's own default


def _fixtures(names: set[str]) -> types.ModuleType:
    """A plugin with a fixture for each function of each kata."""

    def fixture(name: str) -> Callable:
        @pytest.fixture(name=name)
        def function(grading: Grading, request: pytest.FixtureRequest) -> Graded:
            return grading.function(*exercise_of(request.path), name)

        return function

    plugin = types.ModuleType("functions")
    vars(plugin).update({name: fixture(name) for name in names})
    return plugin


@pytest.fixture(scope="session")
def grading(pytestconfig: pytest.Config) -> Grading:
    """What is graded."""
    return pytestconfig.stash[GRADINGS][0]


@pytest.fixture
def randn(request: pytest.FixtureRequest) -> Callable[..., Tensor]:
    """Normal random numbers, the same ones in each run of the test: randn(2, 3, dtype=...)."""
    return drawn_for(request.node, request.config.getoption("seed", None))


def drawn_for(item: pytest.Function, seed: int | None = None) -> Callable[..., Tensor]:
    """The randn of a test: other numbers for each seed, the same whatever is graded."""
    parameters = dict(getattr(getattr(item, "callspec", None), "params", {}))
    parameters.pop("grading", None)
    words = f"{item.path.name} {item.originalname} {sorted(parameters.items())} {seed}"
    generator = torch.Generator().manual_seed(zlib.crc32(words.encode()))

    def randn(*sizes: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.randn(sizes, generator=generator, dtype=dtype)

    return randn


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Count the tests of an exercise, whatever is selected of them later."""
    report = yield
    if isinstance(collector, pytest.Module):
        stash = collector.config.stash
        stash[TOTALS][collector.path] = len(report.result) // len(stash[GRADINGS])
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A lone file holds the answers to one kata: the others are not asked for."""
    items[:] = [
        item
        for item in items
        if not exercise_of(item.path) or item.path.parent.name in grading_of(item).files
    ]


def pytest_collection_finish() -> None:
    gc.freeze()  # the same for the tests, of which there are thousands where many are graded


def pytest_sessionstart(session: pytest.Session) -> None:
    _name_what_is_graded(session.config)


def pytest_unconfigure(config: pytest.Config) -> None:
    _name_what_is_graded(config)


def _name_what_is_graded(config: pytest.Config) -> None:
    screen = config.pluginmanager.get_plugin("terminalreporter")
    if screen and config.pluginmanager.has_plugin("scoreboard"):
        missing = "" if SOLUTIONS.is_dir() else " (no solutions/ here, so no mistake is named)"
        first, *others = config.stash[GRADINGS]
        what = f"{1 + len(others)} submissions" if others else first.place
        screen.write_line(f"graded: {what}{missing}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Put what makes an exercise impossible to grade in the place of its tests."""
    place = exercise_of(item.path)
    if place:
        kata, exercise = place
        verdict.begin(exercise)
        problem = grading_of(item).answers(kata).problem(exercise)
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
    grading = grading_of(item)
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
        "submission": grading.name,
        "kata": place[0],
        "exercise": exercise,
        "total": item.config.stash[TOTALS][item.path],
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
