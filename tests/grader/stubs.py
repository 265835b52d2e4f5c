"""Makes the exercise out of the solution, so that the two never drift apart."""

import ast


def stub_of(solution: str) -> str:
    """The source of the exercises: imports, signatures and docstrings stay, the bodies go."""
    lines = solution.splitlines()
    functions = [n for n in ast.parse(solution).body if isinstance(n, ast.FunctionDef)]
    parts = ["\n".join(lines[: functions[0].lineno - 1]).rstrip()]
    for function in functions:
        docstring = function.body[0]
        kept = "\n".join(lines[function.lineno - 1 : docstring.end_lineno])
        parts.append(f"{kept}\n    raise NotImplementedError")
    return "\n\n\n".join(parts) + "\n"
