"""The line to a submission carries data and nothing else, and its limits hold."""

import json
import time

import pytest
import torch
from grader.explain import Described
from submissions.wire import Malformed, pack, unpack

SCORE = "tests/self_attention/test_2_score.py"
RIGHT = "import math\n\ndef score(q, k):\n    {}\n    return q @ k.mT / math.sqrt(q.shape[-1])\n"


def sent(message: object) -> object:
    data = b"".join(pack(message))
    return unpack(bytearray(data[16:]), int.from_bytes(data[8:16], "big"))


@pytest.mark.parametrize(
    "message",
    [
        None,
        True,
        -3,
        2.5,
        float("inf"),
        "Wörter\nund mehr",
        [],
        [1, (2, "x"), {"a": [None]}],
        {"list": 1, "tensor": 2},
    ],
)
def test_data_arrives_as_it_was_sent(message):
    assert sent(message) == message


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.bool])
def test_tensors_arrive_as_they_were_sent(dtype):
    tensors = [torch.randn(2, 3, 4).to(dtype), torch.ones(()).to(dtype), torch.ones(0, 3).to(dtype)]
    tensors += [tensors[0].mT, tensors[0].permute(2, 0, 1), tensors[0][:, ::2], tensors[0][1:, 1]]

    for before, after in zip(tensors, sent(tensors), strict=True):
        assert after.equal(before)
        assert after.dtype == dtype
    assert sent(tensors[0].mT).stride() == tensors[0].mT.stride()


def test_what_is_no_data_arrives_as_words():
    assert sent(print) == Described("a builtin_function_or_method")
    assert sent(1 + 2j) == Described("the number (1+2j)")
    assert sent([torch.eye(2).to_sparse()]) == [Described("a sparse or nested tensor")]
    assert sent(2**70) == Described(f"the number {2**70}")
    assert "more than anybody needs" in sent(torch.zeros(1).expand(10**8)).words


HEADERS = [
    b"",
    b"{",
    b"[" * 100_000,
    b'{"tensor": "torch.float32"}',
    b'{"tensor": "torch.float32", "sizes": [9], "order": [0]}',
    b'{"tensor": "torch.float32", "sizes": [-1], "order": [0]}',
    b'{"tensor": "torch.float32", "sizes": [1e3], "order": [0]}',
    b'{"tensor": "torch.float32", "sizes": [1], "order": [1]}',
    b'{"tensor": "torch.float32", "sizes": [1, 1], "order": [0, 0]}',
    b'{"tensor": "torch.float32", "sizes": [99999999999, 99999999999], "order": [0, 1]}',
    b'{"tensor": "torch.qint8", "sizes": [1], "order": [0]}',
    b'{"tensor": ["torch.float32"], "sizes": [1], "order": [0]}',
    b'{"words": 3}',
    b'{"words": "a", "list": []}',
    b'{"list": 3}',
    b'{"list": {"a": 1}, "dict": {}}',
    b'{"object": []}',
    b'{"dict": [1]}',
    b"{}",
    b"null",
    b"\xff",
    b"1" * 5000,
]


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: repr(header[:40]))
def test_what_is_no_message_is_refused(header):
    with pytest.raises(Malformed):
        unpack(bytearray(header + bytes(16)), len(header))


def grade(run, tmp_path, code: str, *args: str):
    (tmp_path / "score.py").write_text(RIGHT.format(code))
    return run(f"--against={tmp_path / 'score.py'}", SCORE, *args)


def test_the_time_for_all_of_a_submission_is_limited(run, tmp_path):
    start = time.monotonic()
    result = grade(run, tmp_path, "import time; time.sleep(0.3)", "--time-limit=2")

    assert "The submission had 2 s, and they are over." in result.stdout.str()
    assert time.monotonic() - start < 30
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_compiled_function_is_taken_as_it_is(run, tmp_path):
    code = "import math, torch\n\n@torch.compile\ndef score(q, k):\n"
    (tmp_path / "score.py").write_text(f"{code}    return q @ k.mT / math.sqrt(q.shape[-1])\n")

    assert run(f"--against={tmp_path / 'score.py'}", SCORE).ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    "options", [("--call-limit=0",), ("--memory-limit=-1",), ("--isolated", "--in-process")]
)
def test_options_without_sense_are_usage_errors(run, tmp_path, options):
    assert grade(run, tmp_path, "pass", *options).ret == pytest.ExitCode.USAGE_ERROR


def test_a_helper_beside_the_file_and_a_file_of_numbers_are_found(run, tmp_path):
    (tmp_path / "helper.py").write_text("POWER = 0.5\n")
    (tmp_path / "numbers.json").write_text(json.dumps([1.0]))
    code = (
        "import json, pathlib, helper\n"
        "    one, = json.loads(pathlib.Path(__file__).with_name('numbers.json').read_text())\n"
        "    return q @ k.mT / q.shape[-1] ** helper.POWER * one"
    )

    assert grade(run, tmp_path, code).ret == pytest.ExitCode.OK
    assert {path.name for path in tmp_path.iterdir()} == {"helper.py", "numbers.json", "score.py"}
