"""Makes the exercises out of the solutions, so that the two never drift apart."""

import ast

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions_in(source: str) -> dict[str, Function]:
    """The top-level functions by name; of two with one name the last counts, as in Python.

    Raises:
        SyntaxError: the source is not Python
    """
    return {n.name: n for n in ast.parse(source).body if isinstance(n, Function)}


def is_stub(function: Function) -> bool:
    """Whether the body, after a docstring, is `raise NotImplementedError` and nothing else."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return len(body) == 1 and ast.unparse(body[0]).startswith("raise NotImplementedError")


def stub_of(solution: str) -> str:
    """The source of the exercises: imports, signatures and docstrings stay, the bodies go."""
    lines = solution.splitlines()
    functions = list(functions_in(solution).values())
    parts = ["\n".join(lines[: functions[0].lineno - 1]).rstrip()]
    for function in functions:
        docstring = function.body[0]
        kept = "\n".join(lines[function.lineno - 1 : docstring.end_lineno])
        parts.append(f"{kept}\n    raise NotImplementedError")
    return "\n\n\n".join(parts) + "\n"
