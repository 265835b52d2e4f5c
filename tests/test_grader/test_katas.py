"""Stubs follow from solutions, and a kata is files of one name: no machinery knows it."""

import ast
import textwrap

import pytest
from grader.katas import ROOT, find_katas
from grader.stubs import is_stub, stub_of

KATAS = find_katas()


@pytest.mark.parametrize("kata", KATAS)
def test_the_stubs_are_the_solutions_without_their_bodies(kata):
    solution = (ROOT / f"solutions/{kata}.py").read_text()
    parts = {part.name: part for part in functions(stub_of(solution))}

    for function in functions(solution):
        stub = parts[function.name]
        assert ast.unparse(stub.args) == ast.unparse(function.args)
        assert ast.get_docstring(stub) == ast.get_docstring(function)
        assert is_stub(stub)
    assert set(parts) == set(KATAS[kata].functions)


def functions(source: str) -> list[ast.FunctionDef]:
    return [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def test_a_kata_is_files_of_one_name(run, copy):
    files = {
        "exercises/mean.py": '''
            def score(x):
                """What is the mean of each row?"""
                raise NotImplementedError
        ''',
        "solutions/mean.py": '''
            def score(x):
                """What is the mean of each row?"""
                return x.mean(-1)
        ''',
        "tests/mean/test_1_score.py": """
            from grader.rules import close

            def test_the_mean_of_each_row(score, randn):
                x = randn(2, 3)
                close(score(x), x.sum(-1) / 3, "the mean of a row")
        """,
    }
    for name, text in files.items():
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text(textwrap.dedent(text))

    fresh = run(root=copy).stdout.str()
    reference = run("--against=solutions", root=copy)
    (copy / "exercises/self_attention.py").write_text("broken(")
    broken = run(root=copy).stdout.str()
    alone = run(f"--against={copy / 'solutions/mean.py'}", root=copy)

    assert "mean · grading exercises/mean.py" in fresh
    assert "self_attention · grading exercises/self_attention.py" in fresh
    assert "✓ score  1 of 1" in reference.stdout.str()
    assert "5 of 5" in reference.stdout.str()
    assert reference.ret == pytest.ExitCode.OK
    assert "▶ score  not started" in broken
    assert "is not Python yet" in broken
    assert "5 of 5" not in alone.stdout.str()
    assert alone.ret == pytest.ExitCode.OK
