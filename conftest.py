"""The toggle: whose answers do the tests grade?

    pytest                       yours, in exercises/
    pytest --against=solutions   the reference
    pytest --against=FOLDER      anybody's: a folder, a whole clone, or a single .py file
    pytest --against='ALL/*'     many at once; tests/submissions/ does that

The tests are the same each time. Everything else is in tests/grader/.
"""

import shutil
from pathlib import Path

import pytest

# Python has just cached this file beside itself. The folder a learner looks at stays tidy.
shutil.rmtree(Path(__file__).with_name("__pycache__"), ignore_errors=True)

HOW = "To grade answers, write --against=FOLDER, or a pattern in quotes: --against='ALL/*'"
SUBMISSIONS = Path(__file__).with_name("tests") / "submissions"  # not needed for one's own answers
pytest_plugins = ["submissions.plugin"] if SUBMISSIONS.is_dir() else []


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    kata = parser.getgroup("kata")
    kata.addoption(
        "--against",
        metavar="FOLDER",
        action="append",
        help="grade the answers in FOLDER, or in a single .py file (default: exercises)",
    )
    named = {"nargs": "?", "const": "", "metavar": "EXERCISE"}
    kata.addoption("--hint", **named, help="a hint for the exercise in hand, or for EXERCISE")
    kata.addoption("--redo", **named, help="put the stubs back, all or one; yours is kept")
    kata.addoption("--show", action="store_true", help="draw what your functions attend to")
    kata.addoption("--watch", action="store_true", help="grade again whenever you save")
    _refuse_to_run_answers_as_tests(parser, pluginmanager.get_plugin("pytestconfig"))


def _refuse_to_run_answers_as_tests(parser: pytest.Parser, config: pytest.Config) -> None:
    """pytest loads the conftest.py of what it takes for tests. This one it loads before others."""
    given = [str(arg) for arg in config.invocation_params.args]
    here = config.invocation_params.dir
    tests = [Path(__file__).with_name(name) for name in ("tests", "exercises")]
    for name in parser.parse_known_args(given).file_or_dir:
        path = (here / name.partition("::")[0]).resolve()
        ours = path in Path(__file__).parents or any(path.is_relative_to(test) for test in tests)
        if path.exists() and not ours:
            raise pytest.UsageError(f"{name} holds no tests. {HOW}")
    if "--against" in given:
        raise pytest.UsageError(f"--against needs a =. {HOW}")


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    from grader.screen import commands  # pytest has put tests/ on the path by now

    return commands.run(config)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.import_plugin("grader.plugin")  # imports torch, so not for a hint
