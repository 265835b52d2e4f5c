"""The toggle: whose answers do the tests grade?

    pytest                       yours, in exercises/
    pytest --against=solutions   the reference
    pytest --against=FOLDER      anybody's: a folder, a whole clone, or a single .py file

The tests are the same each time. Everything else is in tests/grader/.
"""

import shutil
from pathlib import Path

import pytest

pytest_plugins = ["grader.plugin"]

# Python has just cached this file beside itself. The folder a learner looks at stays tidy.
shutil.rmtree(Path(__file__).with_name("__pycache__"), ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("kata").addoption(
        "--against",
        metavar="FOLDER",
        default="exercises",
        help="grade the answers in FOLDER, or in a single .py file (default: exercises)",
    )
