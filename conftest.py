"""The toggle: whose answers do the tests grade?

    pytest                       yours, in exercises/
    pytest --against=solutions   the reference
    pytest --against=FOLDER      anybody's: a folder, a whole clone, or a single .py file

The tests are the same each time. Everything else is in tests/grader/.
"""

import shutil
from pathlib import Path

import pytest

# Python has just cached this file beside itself. The folder a learner looks at stays tidy.
shutil.rmtree(Path(__file__).with_name("__pycache__"), ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    kata = parser.getgroup("kata")
    kata.addoption(
        "--against",
        metavar="FOLDER",
        default="exercises",
        help="grade the answers in FOLDER, or in a single .py file (default: exercises)",
    )
    named = {"nargs": "?", "const": "", "metavar": "EXERCISE"}
    kata.addoption("--hint", **named, help="a hint for the exercise in hand, or for EXERCISE")
    kata.addoption("--redo", **named, help="put the stubs back, all or one; yours is kept")
    kata.addoption("--show", action="store_true", help="draw what your functions attend to")
    kata.addoption("--watch", action="store_true", help="grade again whenever you save")


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    from grader.screen import commands  # pytest has put tests/ on the path by now

    return commands.run(config)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.import_plugin("grader.plugin")  # imports torch, so not for a hint
