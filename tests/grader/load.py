"""One file of answers: read, run, and looked through for what each exercise needs.

Whatever is wrong with it becomes a sentence, so that a broken file is a failure in its place
and never the end of the run.
"""

import ast
import contextlib
import difflib
import linecache
import sys
import traceback
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.katas import SOLUTIONS, TOGETHER, Kata, shown


class Answers:
    """The answers to one kata in one file, loaded anew.

    Attributes:
        path: the file
        module: what running the file defined
        trouble: a sentence, if the file as a whole cannot be used
        lines: the line on which each top-level function begins
        questions: the first line of each one's docstring
        unwritten: the functions that are still stubs
    """

    def __init__(self, path: Path, kata: Kata) -> None:
        self.path = path
        self.kata = kata
        self.module = types.ModuleType(f"answers.{path.stem}")
        self.trouble: str | None = None
        self.lines: dict[str, int] = {}
        self.questions: dict[str, str] = {}
        self.unwritten: set[str] = set()
        try:
            source = path.read_bytes()
            linecache.checkcache(str(path))
            tree = ast.parse(source, str(path))
        except OSError:
            self.trouble = f"There is no {shown(path)}."
        except SyntaxError as error:
            self.trouble = _syntax(path, error)
        except ValueError as error:  # null bytes, before Python 3.12
            self.trouble = f"{shown(path)} is not Python: {error}."
        else:
            self._look_through(tree)
            self._run(tree)

    def _look_through(self, tree: ast.Module) -> None:
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.lines[node.name] = node.lineno
                self.questions[node.name] = (ast.get_docstring(node) or "").partition("\n")[0]
                self.unwritten.discard(node.name)  # the last definition of a name counts
                if is_stub(node):
                    self.unwritten.add(node.name)

    def _run(self, tree: ast.Module) -> None:
        self.module.__file__ = str(self.path)
        sys.modules[self.module.__name__] = self.module  # dataclasses look their module up
        try:
            with self.own_work():
                exec(compile(tree, str(self.path), "exec", dont_inherit=True), vars(self.module))
        except BaseException as error:  # SystemExit as well: it must not end the run
            if ends_the_run(error):
                raise
            self.trouble = told(error, self, "Loading the file")

    def again(self) -> "Answers":
        """The same file, loaded anew."""
        return Answers(self.path, self.kata)

    def problem(self, exercise: str) -> str | None:
        """Why the exercise cannot be graded, in a sentence, or None if it can."""
        if self.trouble:
            return self.trouble
        if exercise == TOGETHER:
            problems = filter(None, map(self.problem, self.kata.functions))
            return next(problems, None)
        if exercise in self.unwritten:
            return f"{exercise} is not written yet: {self.place(exercise)}"
        if not hasattr(self.module, exercise):
            others = [name for name in self.lines if name != exercise]
            near = difflib.get_close_matches(exercise, others, n=1, cutoff=0.5)
            hint = f" Is it {near[0]}, on line {self.lines[near[0]]}?" if near else ""
            return f"{shown(self.path)} defines no function {exercise}.{hint}"
        found = getattr(self.module, exercise)
        if not callable(found):
            kind = type(found).__name__
            return f"{exercise} in {shown(self.path)} is no function; it is of type {kind}."
        return None

    def not_started(self, exercise: str) -> bool:
        """Whether the exercise, or for `together` any of them, is still a stub."""
        if self.trouble:
            return False
        wanted = self.kata.functions if exercise == TOGETHER else (exercise,)
        return any(name in self.unwritten for name in wanted)

    def place(self, exercise: str) -> str:
        """The file, and the line of the exercise where it is known."""
        line = self.lines.get(exercise)
        return f"{shown(self.path)}:{line}" if line else shown(self.path)

    @contextlib.contextmanager
    def own_work(self) -> Iterator[None]:
        """While the answers run they may import helpers beside them, but not the solutions."""
        kept = {SOLUTIONS, self.path.parents[1] / SOLUTIONS.name} - set(self.path.parents)
        sys.path.append(str(self.path.parent))
        _closed.append(kept)
        try:
            yield
        finally:
            _closed.remove(kept)
            sys.path.remove(str(self.path.parent))


def is_stub(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the body, after a docstring, is `raise NotImplementedError` and nothing else."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return len(body) == 1 and ast.unparse(body[0]) in (
        "raise NotImplementedError",
        "raise NotImplementedError()",
    )


def ends_the_run(error: BaseException) -> bool:
    """Whether somebody asked for the end: Ctrl-C, or `q` in the debugger."""
    by_debugger = isinstance(error, pytest.exit.Exception) and error.returncode is None
    return by_debugger or isinstance(error, KeyboardInterrupt)


def told(error: BaseException, answers: Answers, doing: str) -> str:
    """An exception in somebody's file as a sentence, with their own line beneath it."""
    path = str(answers.path)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and not own:
        return _syntax(answers.path, error)
    where = f"{shown(answers.path)}:{own[-1].lineno}" if own else shown(answers.path)
    code = f"\n    {own[-1].line}" if own else ""
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == SOLUTIONS.name:
        return f"{where} reads solutions/. The answers here have to be your own.{code}"
    if isinstance(error, SystemExit):
        return f"{doing} called sys.exit() at {where}.{code}"
    if isinstance(error, NotImplementedError) and own and own[-1].name in answers.unwritten:
        return f"{doing} calls {own[-1].name}, which is not written yet: {where}"
    message = f"\n    {type(error).__name__}: {_first_line(error)}"
    return f"{doing} raised an exception at {where}{message}{code}"


def _first_line(error: BaseException) -> str:
    try:
        return str(error).strip().partition("\n")[0]
    except Exception:  # somebody's own exception class
        return "(its message cannot be shown)"


def _syntax(path: Path, error: SyntaxError) -> str:
    place = f"{shown(path)}:{error.lineno}" if error.lineno else shown(path)
    text = f"{place} is not Python yet: {error.msg}."
    if error.text:
        line = error.text.rstrip().expandtabs(1)
        indent = len(line) - len(line.lstrip())
        caret = " " * max((error.offset or 1) - 1 - indent, 0) + "^"
        text += f"\n    {line.strip()}\n    {caret}"
    return text


class _ReadsSolutions(ImportError):
    """Raised at the line of the answers that does it."""


_closed: list[set[Path]] = []


def _guard_solutions(event: str, args: tuple[object, ...]) -> None:
    # An audit hook sees every way in: import, importlib, runpy, open and exec.
    if _closed and event == "open" and str(args[0]).endswith((".py", ".pyc")):
        if _closed[-1] & set(Path(str(args[0])).absolute().parents):
            raise _ReadsSolutions("solutions", name=SOLUTIONS.name)


sys.addaudithook(_guard_solutions)
