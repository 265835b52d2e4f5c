"""The options that run no test: --hint and --redo are instant, because torch is not imported."""

import pytest

from grader.katas import ROOT, SOLUTIONS, Kata, find_katas
from grader.screen.hints import next_hint
from grader.screen.record import Record
from grader.screen.redo import redo
from grader.screen.watch import watch
from grader.stubs import functions_in, is_stub


def run(config: pytest.Config) -> int | None:
    """Do what was asked and return the exit status, or None if tests are to be run."""
    option = config.option
    if option.watch:
        return watch(list(config.invocation_params.args))
    if option.hint is None and option.redo is None:
        return None
    if not SOLUTIONS.is_dir():
        print("There is no solutions/ here, so there are no hints and no stubs to put back.")
        return pytest.ExitCode.USAGE_ERROR
    record, katas = Record(), find_katas()
    if record.notice:
        print(record.notice)
    if option.redo == "":
        print(*(redo(name, None, record) for name in katas), sep="\n")
        return pytest.ExitCode.OK
    try:
        kata, exercise = _find(option.redo or option.hint, katas, record)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    print(redo(kata, exercise, record) if option.redo else next_hint(kata, exercise, record))
    return pytest.ExitCode.OK


def _find(wanted: str, katas: dict[str, Kata], record: Record) -> tuple[str, str]:
    """The kata and the exercise that are meant by `score`, `self_attention.score` or nothing."""
    if not wanted:
        return _in_hand(katas, record)
    places = [(kata.name, name) for kata in katas.values() for name in kata.functions]
    meant = [place for place in places if wanted in (place[1], ".".join(place))]
    if len(meant) == 1:
        return meant[0]
    choice = ", ".join(".".join(place) if meant else place[1] for place in meant or places)
    raise ValueError(f"which exercise is {wanted}? There are: {choice}")


def _in_hand(katas: dict[str, Kata], record: Record) -> tuple[str, str]:
    """The exercise the last run pointed at, or the first stub, or the first of all."""
    for kata in katas.values():
        if record.kata(kata.name).in_hand in kata.functions:
            return kata.name, record.kata(kata.name).in_hand
        try:
            written = functions_in((ROOT / f"exercises/{kata.name}.py").read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError):
            continue
        for name in kata.functions:
            if name in written and is_stub(written[name]):
                return kata.name, name
    first = next(iter(katas.values()))
    return first.name, first.functions[0]
