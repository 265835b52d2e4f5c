"""Whatever goes wrong is told in a sentence, in the place of the exercise it belongs to."""

import shutil

import pytest
from grader.katas import ROOT

SCORE = "tests/self_attention/test_2_score.py"
ATTEND = "tests/self_attention/test_5_attend.py"

CASES = {
    "syntax error": (
        "def score(q, k):\n    return (q @ k.mT",
        ["is not Python yet: '(' was never closed.", "return (q @ k.mT", "           ^"],
    ),
    "raises on import": (
        "import no_such_library",
        [
            "Loading the file raised an exception at ",
            "ModuleNotFoundError: No module named 'no_such_library'",
            "    import no_such_library",
        ],
    ),
    "exits on import": ("import sys\nsys.exit(0)", ["Loading the file called sys.exit() at "]),
    "missing": ("del score", ["defines no function score."]),
    "misspelt": ("scores = score\ndel score\ndef scored(): ...", ["Is it scored, on line"]),
    "no function": ("score = 3", ["score in ", "is no function; it is of type int."]),
    "too many parameters": (
        "def score(q, k, d_k):\n    return q @ k.mT / d_k**0.5",
        ["score takes (q, k, d_k), but is called with 2 arguments: "],
    ),
    "None": ("def score(q, k):\n    q @ k.mT", ["yours None (is a `return` missing?)"]),
    "NumPy": (
        "def score(q, k):\n    return (q @ k.mT).numpy()",
        ["yours a NumPy ndarray"],
    ),
    "list": ("def score(q, k):\n    return [q, k]", ["yours a list of 2"]),
    "tuple": ("def score(q, k):\n    return q @ k.mT, None", ["yours a tuple of 2"]),
    "number": ("def score(q, k):\n    return 3.5", ["yours the number 3.5"]),
    "generator": (
        "def score(q, k):\n    yield q @ k.mT",
        ["yours a generator (`yield`, or parentheses that make no tuple?)"],
    ),
    "coroutine": (
        "async def score(q, k):\n    return q @ k.mT",
        ["yours a coroutine (`async def` instead of `def`?)"],
    ),
    "subclass": (
        "def score(q, k):\n    return torch.nn.Parameter(q @ k.mT)",
        ["yours a Parameter, a special kind of tensor"],
    ),
    "integers": (
        "def score(q, k):\n    return (q @ k.mT).long()",
        ["score: what comes back is a tensor of floating-point numbers yours a tensor of int64"],
    ),
    "wrong shape": (
        "def score(q, k):\n    return k @ q.mT / q.shape[-1] ** 0.5",
        ["expected shape   (B=2, T_q=3, T_k=4)", "yours            (B=2, T_k=4, T_q=3)"],
    ),
    "wrong dtype": (
        "def score(q, k):\n    return q.float() @ k.float().mT / q.shape[-1] ** 0.5",
        ["the scores have the dtype of the inputs", "float64 in, float32 out"],
    ),
    "NaN": (
        "def score(q, k):\n    return q @ k.mT * float('nan')",
        ["a score is the dot product", "yours      nan", "NaN comes out of 0 / 0"],
    ),
    "exception": (
        "def score(q, k):\n    return q @ k",
        [
            "score raised an exception at ",
            "RuntimeError: Expected size",
            "return q @ k",
            "called with q (2, 3, 6) k (2, 4, 6)",
        ],
    ),
    "exception in a helper": (
        "def helper(q):\n    return q.nothing\n\ndef score(q, k):\n    return helper(q)",
        ["score raised an exception at ", "AttributeError: ", "    return q.nothing"],
    ),
    "assertion": (
        "def score(q, k):\n    assert q.dim() == 2, 'two axes only'\n    return q @ k.mT",
        ["score raised an exception at ", "AssertionError: ", "two axes only"],
    ),
    "sys.exit": (
        "import sys\ndef score(q, k):\n    sys.exit(0)",
        ["score called sys.exit() at ", "    sys.exit(0)"],
    ),
    "skip": (
        "import pytest\ndef score(q, k):\n    pytest.skip('later')",
        ["score raised an exception at ", "Skipped: later", "pytest.skip('later')"],
    ),
    "import of the solutions": (
        "from solutions.self_attention import score",
        ["reads solutions/. The answers here have to be your own."],
    ),
    "import of the solutions in a function": (
        "import importlib\ndef score(q, k):\n"
        "    return importlib.import_module('solutions.self_attention').score(q, k)",
        ["reads solutions/. The answers here have to be your own."],
    ),
}


@pytest.mark.parametrize(("code", "sentences"), CASES.values(), ids=CASES)
def test_a_sentence_in_the_place_of_the_exercise(grade, code, sentences):
    result = grade(code, SCORE)

    screen = result.stdout.str()
    for sentence in sentences:
        assert plain(sentence) in plain(screen)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert_no_machinery(screen)


@pytest.mark.parametrize("option", ["-v", "-q", "-x", "--maxfail=1", "--tb=short", "-n2"])
def test_the_sentence_survives_every_way_to_run(grade, option):
    sentence = "score: a score is the dot product divided by √d_k"

    result = grade("def score(q, k):\n    return q @ k.mT", SCORE, option)

    assert sentence in result.stdout.str()
    assert_no_machinery(result.stdout.str())


def test_what_is_not_written_takes_one_line(grade):
    stub = 'def score(q, k):\n    """How much?"""\n    raise NotImplementedError'

    brief = grade(stub, SCORE).stdout.str()
    full = grade(stub, SCORE, "-v").stdout.str()

    assert "▶ score         not started    answers/self_attention.py:" in brief
    assert "Next: write score. How much?" in brief
    assert "NOT STARTED" in full
    assert_no_machinery(brief + full)


def test_is_causal_has_to_be_accepted_by_name(grade):
    result = grade("def attend(q, k, v, causal=False):\n    return v", ATTEND, "-k", "future")

    sentence = (
        "attend takes (q, k, v, causal), but is called with 3 arguments and is_causal= by name"
    )
    assert plain(sentence) in plain(result.stdout.str())


def test_a_missing_file_is_told(run, copy):
    (copy / "exercises/self_attention.py").unlink()

    result = run(root=copy)

    assert "There is no exercises/self_attention.py." in result.stdout.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_wrong_exercise_does_not_turn_another_red(grade):
    result = grade("def score(q, k):\n    return q @ k.mT", "-k", "not together")

    screen = result.stdout.str()
    assert "▶ score" in screen
    for name in ("make_qkv", "mask", "softmax_rows", "attend"):
        assert f"✓ {name}" in screen


def plain(text: str) -> str:
    """The words, wherever the lines break."""
    return " ".join(text.split())


def assert_no_machinery(screen: str) -> None:
    assert "tests/grader" not in screen
    assert "Traceback" not in screen
    assert "INTERNALERROR" not in screen


RIGHT = {
    "additive mask": "def mask(s):\n    return s + torch.full_like(s, -torch.inf).triu(1)",
    "deque": "import collections\ndef make_qkv(x, *w):\n"
    "    return collections.deque(x @ m for m in w)",
    "default dtype": "torch.set_default_dtype(torch.float64)",
    "default device": "torch.set_default_device('meta')",
    "grad mode": "torch.set_grad_enabled(False)",
    "moved by type": (
        "def mask(s):\n    keep = torch.ones(s.shape[-2:]).tril().type(s.type()).bool()\n"
        "    return s.masked_fill(~keep, -torch.inf)"
    ),
    "callable object": (
        "class Score:\n    def __call__(self, q, k):\n"
        "        return q @ k.mT / q.shape[-1] ** 0.5\nscore = Score()"
    ),
}


@pytest.mark.parametrize("code", RIGHT.values(), ids=RIGHT)
def test_an_unusual_right_answer_passes(grade, code):
    assert grade(code).ret == pytest.ExitCode.OK


WRONG = {
    "CPU mask made at import": (
        "TABLE = torch.ones(99, 99).tril()\ndef mask(s):\n"
        "    return s.masked_fill(TABLE[: s.size(-2), : s.size(-1)] == 0, -torch.inf)",
        "on a GPU, masked_fill mixes a tensor made on the CPU with the inputs",
    ),
    "CPU mask from numpy": (
        "import numpy\ndef mask(s):\n    future = numpy.triu(numpy.ones(s.shape[-2:]), 1) > 0\n"
        "    return s.masked_fill(torch.from_numpy(future), -torch.inf)",
        "on a GPU, masked_fill mixes a tensor made on the CPU with the inputs",
    ),
    "grad switched on": (
        "def mask(s):\n    s.requires_grad_()\n    return s.masked_fill("
        "torch.ones_like(s, dtype=bool).triu(1), -torch.inf)",
        "after the call, s is no longer what it was",
    ),
    "SDPA under another name": (
        "from torch.nn.functional import scaled_dot_product_attention as my_own\n"
        "def attend(q, k, v, is_causal=False):\n    return my_own(q, k, v, is_causal=is_causal)",
        "yours calls scaled_dot_product_attention",
    ),
    "solutions by a crooked path": (
        f"exec(open({str(ROOT / 'tests/../solutions/self_attention.py')!r}, 'rb').read())",
        "reads solutions/",
    ),
    "solutions behind a fallback": (
        "try:\n    from solutions.self_attention import score\nexcept ImportError:\n    pass",
        "reads solutions/",
    ),
    "a message that cannot be shown": (
        "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\nraise Odd",
        "Odd: (no message)",
    ),
    "a result that cannot be shown": (
        "class Odd:\n    def __repr__(self):\n        raise ValueError\n"
        "def score(q, k):\n    return Odd()",
        "yours a Odd",
    ),
    "too deep to read": ("x = " + "-" * 200_000 + "1", "is nested too deeply"),
    "sparse": ("def score(q, k):\n    return (q @ k.mT).to_sparse()", "a sparse or nested tensor"),
    "a class": ("class score:\n    pass", "is no function; it is a class."),
    "not UTF-8": ("\0", "is not plain text in UTF-8"),
}


@pytest.mark.parametrize(("code", "sentence"), WRONG.values(), ids=WRONG)
def test_an_unusual_wrong_answer_is_told(grade, code, sentence):
    result = grade(code)

    assert plain(sentence) in plain(result.stdout.str())
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert max(map(len, result.stdout.lines[1:-1])) <= 80
    assert_no_machinery(result.stdout.str())


def test_without_solutions_a_stub_that_is_called_is_named(run, copy):
    shutil.rmtree(copy / "solutions")
    file = copy / "exercises/self_attention.py"
    file.write_text(file.read_text() + ATTEND_COMPOSED)

    result = run("-k", "attend", root=copy)

    assert "attend calls score, which is not written yet: exercises/" in result.stdout.str()


ATTEND_COMPOSED = """

def attend(q, k, v, is_causal=False):
    return softmax_rows(score(q, k)) @ v
"""


def test_pytest_on_the_exercises_runs_their_tests(run, copy):
    for wanted in ("exercises", "exercises/self_attention.py"):
        assert "not started in" in run(wanted, root=copy).stdout.str()
