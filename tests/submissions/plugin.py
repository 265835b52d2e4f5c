"""Grading other people's answers, in pytest: the options, and one grading for each submission."""

import secrets
import signal
import sys
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("submissions", "other people's answers")
    how = group.addoption
    how("--isolated", action="store_true", help="run the answers in a process of their own")
    how("--in-process", action="store_true", help="run others' answers here, for breakpoint()")
    how("--seed", type=int, metavar="N", help="for the random numbers of the tests")
    how("--report", type=Path, metavar="FILE", help="write a .json, .csv or .md file as well")
    limit = {"type": float, "metavar": "N"}
    how("--call-limit", **limit, default=10.0, help="seconds for a call (default: 10)")
    how("--time-limit", **limit, default=120.0, help="seconds for a submission (default: 120)")
    how("--memory-limit", **limit, default=2.0, help="gigabytes for a submission (default: 2)")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose what is graded and how, before the grader turns to the learner's own answers."""
    option = config.option
    if option.isolated and option.in_process:
        raise pytest.UsageError("--isolated or --in-process, not both")
    if min(option.call_limit, option.time_limit, option.memory_limit) <= 0:
        raise pytest.UsageError("a limit is a number above 0")
    if option.against or option.isolated or option.report:
        from grader.katas import find_katas

        katas = find_katas()
        found = _find(config, katas)
        _listen(config, found, katas)
        if option.isolated or not (option.in_process or (len(found) == 1 and found[0].is_ours)):
            _isolate(config, found, katas)
        else:
            _grade_here(config, found, katas)


def _find(config: pytest.Config, katas: dict) -> list:
    from submissions.find import find_submissions

    against = config.option.against or ["exercises"]
    try:
        return find_submissions(against, config.invocation_params.dir, katas)
    except ValueError as error:
        raise pytest.UsageError(f"--against: {error}") from None


def _listen(config: pytest.Config, found: list, katas: dict) -> None:
    """Set up all that hears of the results: a report, and for many the screen."""
    from submissions.board import Board
    from submissions.report import Report
    from submissions.results import Results

    option, results = config.option, Results(found, katas)
    if option.report and not hasattr(config, "workerinput"):
        try:
            report = Report(config.invocation_params.dir / option.report, results)
        except ValueError as error:
            raise pytest.UsageError(f"--report: {error}") from None
        config.pluginmanager.register(report, "report")
    config.pluginmanager.register(results, "results")
    if len(found) > 1:
        config.pluginmanager.register(Board(results, option.verbose > 0), "scoreboard")
        option.verbose = min(option.verbose, 0)


def _isolate(config: pytest.Config, found: list, katas: dict) -> None:
    from grader.grading import GRADINGS

    from submissions.isolated import IsolatedGrading
    from submissions.process import Limits

    option = config.option
    limits = Limits(option.call_limit, option.time_limit, option.memory_limit)
    config.stash[GRADINGS] = [IsolatedGrading(katas, submission, limits) for submission in found]
    if option.seed is None:
        option.seed = secrets.randbelow(1_000_000)
    if not hasattr(config, "workerinput"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as after Ctrl-C


def _grade_here(config: pytest.Config, found: list, katas: dict) -> None:
    from grader.grading import GRADINGS, Grading

    config.stash[GRADINGS] = [Grading(katas, s.files, s.name) for s in found]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test of a kata to each submission; pytest keeps those of one together."""
    from grader.grading import GRADINGS

    gradings = metafunc.config.stash[GRADINGS]
    if len(gradings) > 1 and "grading" in metafunc.fixturenames:
        names = [grading.name.replace("-", "_") for grading in gradings]
        metafunc.parametrize("grading", gradings, ids=names, scope="session")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """With -n, give all tests of a submission to the same worker."""
    from grader.grading import GRADINGS
    from xdist.scheduler import LoadScopeScheduling

    class Submissions(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return nodeid.partition("[")[2].rstrip("]").partition("-")[0]

    return Submissions(config, log) if len(config.stash[GRADINGS]) > 1 else None


def pytest_sessionstart(session: pytest.Session) -> None:
    screen = session.config.pluginmanager.get_plugin("terminalreporter")
    seed = session.config.option.seed
    if screen and seed is not None and session.config.pluginmanager.has_plugin("scoreboard"):
        screen.write_line(f"random numbers: --seed={seed}")


def pytest_unconfigure() -> None:
    isolated = sys.modules.get("submissions.isolated")
    if isolated and isolated.IsolatedAnswers.at_work:
        isolated.IsolatedAnswers.at_work.stop()
