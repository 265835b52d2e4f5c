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
    asked = [
        name for name in ("hint", "redo", "watch") if getattr(option, name) not in (None, False)
    ]
    if not asked:
        return None
    try:
        if len(asked) > 1:
            raise ValueError(f"one at a time: --{' or --'.join(asked)}")
        if option.against not in (None, ["exercises"]):
            raise ValueError(f"--{asked[0]} is for your own exercises/, not for others --against")
        if not option.watch and not SOLUTIONS.is_dir():
            raise ValueError("there is no solutions/ here, so no hints and no stubs to put back")
        if option.watch:
            return watch(list(config.invocation_params.args))
        record = Record()
        for line in _answer(option.hint, option.redo, record):
            print(line)
        if record.notice:
            print(record.notice)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    return pytest.ExitCode.OK


def _answer(hint: str | None, again: str | None, record: Record) -> list[str]:
    katas = find_katas()
    if again == "" or again in katas:
        return [redo(name, None, record) for name in katas if again in ("", name)]
    if again:
        return [redo(*_find(again, katas), record)]
    return [next_hint(*(_find(hint, katas) if hint else _in_hand(katas, record)), record)]


def _find(wanted: str, katas: dict[str, Kata]) -> tuple[str, str]:
    """The kata and the exercise that are meant by `score` or `self_attention.score`."""
    places = [(kata.name, name) for kata in katas.values() for name in kata.functions]
    meant = [place for place in places if wanted in (place[1], ".".join(place))]
    if len(meant) == 1:
        return meant[0]
    choice = ", ".join(".".join(place) if meant else place[1] for place in meant or places)
    raise ValueError(f"which exercise is {wanted}? There are: {choice}")


def _in_hand(katas: dict[str, Kata], record: Record) -> tuple[str, str]:
    """The exercise that the last run pointed at, or else the first stub."""
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
    raise ValueError("no exercise is in hand; name one, as in --hint=score")
