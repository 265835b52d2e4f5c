"""`pytest --hint`: the hints beside the solution, one more each time. Reads text, runs nothing."""

import ast
import textwrap

from grader.katas import SOLUTIONS
from grader.screen.record import Record


def next_hint(kata: str, exercise: str, record: Record) -> str:
    """The next hint for an exercise; at the end the last one again."""
    hints = hints_in((SOLUTIONS / f"{kata}.py").read_text(encoding="utf-8")).get(exercise)
    if not hints:
        return f"There are no hints for {exercise}."
    given = record.kata(kata).hints
    number = given[exercise] = min(given.get(exercise, 0) + 1, len(hints))
    record.save()
    text = textwrap.fill(hints[number - 1], 76, initial_indent="  ", subsequent_indent="  ")
    more = "Ask again for the next one." if number < len(hints) else "This was the last one."
    return f"{exercise}, hint {number} of {len(hints)}\n\n{text}\n\n  {more}"


def hints_in(solution: str) -> dict[str, list[str]]:
    """The hints for each function, from a line `score.hints = [...]` beneath it."""
    return {
        node.targets[0].value.id: ast.literal_eval(node.value)
        for node in ast.parse(solution).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith(".hints")
    }
