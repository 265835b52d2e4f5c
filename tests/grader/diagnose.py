"""Which known mistake an answer makes, found by comparing what comes out.

The answer and the catalogue's mistakes are run on the same probes, and a mistake that gives
another outcome anywhere is out. A name is given only if one mistake is left, or twins: a wrong
name is worse than none.
"""

import contextlib
import functools
import importlib
import inspect
import io
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor

from grader import operations
from grader.explain import is_plain
from grader.katas import ROOT, SOLUTIONS, Kata
from grader.load import Answers

Function = Callable[..., object]

RAISED = "raised an exception"


@dataclass
class Catalogue:
    """The known mistakes of a kata, and what they do on the probes.

    Attributes:
        mistakes: for each exercise the functions by name; the docstring of one is its sentence
        twins: sets of names that no call can tell apart, for each exercise
        probes: for each exercise the arguments of each call
    """

    mistakes: dict[str, dict[str, Function]]
    twins: dict[str, list[set[str]]]
    probes: dict[str, list[tuple[tuple, dict]]]
    _seen: dict[tuple[Function, int], object] = field(default_factory=dict)

    def looks(self, exercise: str) -> Iterator[tuple[Callable, tuple, dict]]:
        """What is compared, in order."""
        probes = self.probes.get(exercise, [])
        for look in LOOKS:
            for args, kwargs in probes if look is operations.call else probes[:2] + probes[-1:]:
                yield look, args, kwargs

    def seen(self, function: Function, position: int, look: Callable, args: tuple, kwargs: dict):
        """The outcome of a known function at a look, found once however many answers there are.

        A mistake that remembers its calls sees them in order: whatever is left at one look was
        left at those before.
        """
        if (function, position) not in self._seen:
            self._seen[function, position] = outcome(look, function, args, kwargs)
        return self._seen[function, position]

    def sentence(self, exercise: str, name: str) -> str:
        """What the author of the mistake needs to read."""
        return " ".join(inspect.getdoc(self.mistakes[exercise][name]).split())


@functools.cache
def load_catalogue(kata: Kata) -> Catalogue | None:
    """The catalogue in solutions/mistakes/, unless it was left out of this copy."""
    file = SOLUTIONS / "mistakes" / f"{kata.name}.py"
    if not file.exists() or not (ROOT / "tests" / kata.name / "probes.py").exists():
        return None
    module = Answers(file, kata).module
    groups = {name: getattr(module, name, None) for name in kata.functions}
    mistakes = {
        exercise: {name: f for name, f in vars(group).items() if inspect.isfunction(f)}
        for exercise, group in groups.items()
        if group
    }
    twins = {name: [] for name in kata.functions}
    for exercise, names, _ in getattr(module, "TWINS", []):
        twins[exercise].append(names)
    generator = torch.Generator().manual_seed(0)
    probes = importlib.import_module(f"{kata.name}.probes").probes(
        lambda *sizes: torch.randn(sizes, generator=generator, dtype=torch.float64)
    )
    return Catalogue(mistakes, twins, probes)


def name_mistake(
    answer: Callable[[Callable, tuple, dict], object],
    reference: Function,
    catalogue: Catalogue,
    exercise: str,
) -> str | None:
    """The name of the one mistake with the same outcome everywhere, or None.

    Args:
        answer: the outcome of the function in question, for a look and the arguments of a call
    """
    left = dict(catalogue.mistakes.get(exercise, {}))
    wrong_value = answered = False
    with _aside():
        for position, look in enumerate(catalogue.looks(exercise)):
            if not left:
                return None
            if wrong_value and look[0] in (_dtypes, _clashes):
                continue  # where values are wrong, these are a matter of style
            yours, right = answer(*look), catalogue.seen(reference, position, *look)
            left = {
                n: f for n, f in left.items() if _same(catalogue.seen(f, position, *look), yours)
            }
            if yours != RAISED:
                answered = True
                wrong_value |= look[0] is operations.call and not _same(yours, right)
    known = len(left) == 1 or any(left.keys() <= twins for twins in catalogue.twins[exercise])
    return next(iter(left)) if left and known and answered else None


def _changed(function: Function, *args: Tensor, **kwargs: object) -> list[int]:
    """The positions of the arguments that change."""
    return operations.changed(function, *args, **kwargs)[0]


def _cut(function: Function, *args: Tensor, **kwargs: object) -> list[bool]:
    """Which inputs no gradient reaches."""
    return [gradient is None for gradient in operations.gradients(function, *args, **kwargs)]


def _dtypes(function: Function, *args: Tensor, **kwargs: object) -> list[str]:
    """The dtypes that come out when these go in."""
    found = []
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        given = [arg.to(dtype) for arg in args]
        result = operations.call(function, *given, **kwargs)
        found += [str(tensor.dtype) for tensor in operations.tensors_in(result)]
    return found


def _clashes(function: Function, *args: Tensor, **kwargs: object) -> bool:
    return operations.clashes(function, *args, **kwargs)[0] is not None


# Values first, then promises that values do not show.
LOOKS = (operations.call, _changed, _cut, _dtypes, _clashes)


@contextlib.contextmanager
def _aside() -> Iterator[None]:
    """Nothing of it is seen: no output, no warning, no step of torch's random numbers."""
    state, silence = torch.get_rng_state(), io.StringIO()
    with (
        contextlib.redirect_stdout(silence),
        contextlib.redirect_stderr(silence),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
    torch.set_rng_state(state)


def outcome(look: Callable, function: Function, args: tuple, kwargs: dict) -> object:
    """What comes of looking at a function in one way, as plain data."""
    torch.default_generator.manual_seed(0)  # what is drawn at random is the same for all
    try:
        return _plain(look(function, *args, **kwargs))
    except KeyboardInterrupt:
        raise
    except BaseException:  # one exception is as good as another
        return RAISED


def _plain(result: object) -> object:
    """A result as numbers, words and lists of them; a tensor as its shape and its entries."""
    if is_plain(result):
        return [list(result.shape), result.detach().double().flatten().tolist()]
    if isinstance(result, (tuple, list)):
        return [_plain(member) for member in result]
    return result if isinstance(result, (bool, int, str)) else type(result).__name__


def _same(a: object, b: object) -> bool:
    """Equal results, up to rounding. NaN equals NaN."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-12) or (a != a and b != b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    return type(a) is type(b) and a == b
