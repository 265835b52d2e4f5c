"""One file of answers: read, run, and looked through for what each exercise needs.

Whatever is wrong with it becomes a sentence, so that a broken file is a failure in its place
and never the end of the run.
"""

import ast
import contextlib
import difflib
import inspect
import linecache
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import torch

from grader.explain import ends_the_run, syntax, told
from grader.katas import ROOT, SOLUTIONS, TOGETHER, Kata, shown
from grader.stubs import Function, is_stub

LARGEST = 2**20  # bytes of a file


class Answers:
    """The answers to one kata in one file, loaded anew.

    Attributes:
        path: the file
        kata: the kata
        module: what running the file defined
        trouble: a sentence, if the file as a whole cannot be used
        written: the top-level functions by name; of two with one name the last counts
        stubs: the names of those that are still to be written
        left: the calls for which torch is no longer as it was after the answers were at work

    Args:
        source: the text, if it is not that of the file
    """

    def __init__(self, path: Path, kata: Kata, source: bytes | None = None) -> None:
        self.path = path
        self.kata = kata
        self.module = types.ModuleType(f"answers.{path.stem}")
        self.trouble: str | None = None
        self.written: dict[str, Function] = {}
        self.stubs: set[str] = set()
        self.left: dict[str, None] = {}
        others = {SOLUTIONS, path.parents[1] / SOLUTIONS.name, ROOT / "tests" / kata.name}
        self._closed = others - set(path.parents)
        try:
            source = _read(path) if source is None else source
            linecache.checkcache(str(path))
            tree = ast.parse(source, str(path))
        except PermissionError:
            self.trouble = f"{shown(path)} may not be read."
        except IsADirectoryError:
            self.trouble = f"{shown(path)} is a folder."
        except OSError:
            back = " pytest --redo puts it back." if path.parent == ROOT / "exercises" else ""
            self.trouble = f"There is no {shown(path)}.{back}"
        except OverflowError:
            self.trouble = f"{shown(path)} is larger than any answer."
        except (SyntaxError, ValueError) as error:
            self.trouble = syntax(error, path)
        except (RecursionError, MemoryError):
            self.trouble = f"{shown(path)} is nested too deeply for Python to read."
        else:
            self.written = {node.name: node for node in tree.body if isinstance(node, Function)}
            self.stubs = {name for name, node in self.written.items() if is_stub(node)}
            self._run(tree)

    def _run(self, tree: ast.Module) -> None:
        self.module.__file__ = str(self.path)
        sys.modules[self.module.__name__] = self.module  # dataclasses look their module up
        try:
            with self.at_work():
                _refuse_solutions(tree)
                exec(compile(tree, str(self.path), "exec", dont_inherit=True), vars(self.module))
        except BaseException as error:  # SystemExit as well: it must not end the run
            if ends_the_run(error):
                raise
            self.trouble = self.told(error, "Loading the file")

    def again(self) -> "Answers":
        """The same file, loaded anew."""
        return Answers(self.path, self.kata)

    def told(self, error: BaseException, doing: str) -> str:
        """An exception in the file as a sentence."""
        return told(error, self.path, doing, self.stubs)

    def problem(self, exercise: str) -> str | None:
        """Why the exercise cannot be graded, in a sentence, or None if it can."""
        if self.trouble:
            return self.trouble
        if exercise == TOGETHER:
            return next(filter(None, map(self.problem, self.kata.functions)), None)
        if self.not_started(exercise):
            return f"{exercise} is not written yet: {self.place(exercise)}"
        found = getattr(self.module, exercise, None)
        if found is None:
            others = [name for name in self.written if name != exercise]
            near = difflib.get_close_matches(exercise, others, n=1, cutoff=0.5)
            hint = f" Is it {near[0]}, on line {self.written[near[0]].lineno}?" if near else ""
            return f"{shown(self.path)} defines no function {exercise}.{hint}"
        if not callable(found) or inspect.isclass(found):
            what = "a class" if inspect.isclass(found) else f"of type {type(found).__name__}"
            return f"{exercise} in {shown(self.path)} is no function; it is {what}."
        return None

    def not_started(self, exercise: str) -> bool:
        """Whether the exercise, or for `together` any of them, is still a stub."""
        if exercise == TOGETHER:
            return any(map(self.not_started, self.kata.functions))
        return not self.trouble and exercise in self.stubs

    def question(self, exercise: str) -> str:
        """The first line of the docstring of the exercise."""
        function = self.written.get(exercise)
        return ((function and ast.get_docstring(function)) or "").partition("\n")[0]

    def place(self, exercise: str) -> str:
        """The file, and the line of the exercise where it is known."""
        function = self.written.get(exercise)
        return f"{shown(self.path)}:{function.lineno}" if function else shown(self.path)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Around all that the answers do: helpers beside them, no solutions, torch as it was."""
        sys.path.append(str(self.path.parent))
        _closed.append(self._closed)
        try:
            yield
        finally:
            _closed.remove(self._closed)
            with contextlib.suppress(ValueError):
                sys.path.remove(str(self.path.parent))
            self.left |= dict.fromkeys(_reset_torch())


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        source = file.read(LARGEST + 1)
    if len(source) > LARGEST:
        raise OverflowError
    return source


def _reset_torch() -> Iterator[str]:
    """Undo what people set in all innocence: the tests, and other answers, count on the usual."""
    if torch.get_default_dtype() != torch.float32:
        yield f"torch.set_default_dtype({torch.get_default_dtype()})"
        torch.set_default_dtype(torch.float32)
    if not torch.is_grad_enabled():
        yield "torch.set_grad_enabled(False)"
        torch.set_grad_enabled(True)
    if torch.empty(0).device.type != "cpu":
        yield f'torch.set_default_device("{torch.empty(0).device.type}")'
        torch.set_default_device(None)


class _ReadsAnswers(ImportError):
    """Raised at the line of the answers that reads others, in the folder of that name."""

    def __init__(self, folder: str = SOLUTIONS.name) -> None:
        super().__init__(name=folder)


def _refuse_solutions(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.partition(".")[0] == SOLUTIONS.name for name in names):
            raise _ReadsAnswers


_closed: list[set[Path]] = []


def _guard_solutions(event: str, args: tuple[object, ...]) -> None:
    # An audit hook sees every other way in: importlib, runpy, open and exec.
    if _closed and event == "open" and isinstance(args[0], (str, bytes, os.PathLike)):
        name = os.fsdecode(args[0])
        opened = _closed[-1] & set(Path(name).resolve().parents)
        if opened and name.endswith((".py", ".pyc")):
            raise _ReadsAnswers(SOLUTIONS.name if SOLUTIONS.name in name else "tests")


sys.addaudithook(_guard_solutions)
