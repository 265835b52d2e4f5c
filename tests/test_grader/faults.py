"""Submissions that break, cheat or misbehave, and what has to be said of each.

Each is the reference with some code at its end, where the last definition counts, so everything
but the exercise named is right. ROOT is the copy of the repository that grades it.
"""

from dataclasses import dataclass

WHOLE = "the whole file"
RIGHT = "nothing"

PREAMBLE = "import ctypes, importlib.util, os, signal, sys, time\nROOT = {root!r}\n"


@dataclass(frozen=True)
class Fault:
    """A submission that is not what it should be.

    Attributes:
        spoils: the exercise that must not pass, or WHOLE, or RIGHT if all must pass
        reason: what its sentence has to contain
        code: what is put at the end of the reference
    """

    spoils: str
    reason: str
    code: str


def in_score(code: str) -> str:
    """A `score` that runs some code and then answers right."""
    body = "\n".join(f"    {line}" for line in code.strip().splitlines())
    return f"def score(q, k):\n{body}\n    return q @ k.mT / math.sqrt(q.shape[-1])\n"


def by_sdpa(call: str) -> str:
    """An `attend` that leaves the work to torch."""
    return (
        f"def attend(q, k, v, is_causal=False):\n    return {call}(q, k, v, is_causal=is_causal)\n"
    )


SDPA = "torch.nn.functional.scaled_dot_product_attention"
SEND = """
for number in range(3, 50):
    try: os.write(number, {bytes})
    except OSError: pass
time.sleep(60)
"""

AT_IMPORT = {
    "exits_at_import": Fault(WHOLE, "ended its own process (exit status 0)", "os._exit(0)"),
    "sys_exits_at_import": Fault(WHOLE, "called sys.exit()", "sys.exit(0)"),
    "loops_at_import": Fault(WHOLE, "still running after 2 s", "while True: pass"),
    "kills_itself_at_import": Fault(
        WHOLE, "ended its own process (SIGKILL)", "signal.raise_signal(signal.SIGKILL)"
    ),
    "aborts_at_import": Fault(WHOLE, "ended its own process (SIGABRT)", "os.abort()"),
    "interrupts_at_import": Fault(WHOLE, "ended its own process", "raise KeyboardInterrupt"),
    "raises_at_import": Fault(WHOLE, "ZeroDivisionError", "1 / 0"),
    "misses_a_module": Fault(WHOLE, "no_such_module", "import no_such_module"),
    "is_not_python": Fault(WHOLE, "is not Python yet", "def score(q, k) return q"),
    "is_not_text": Fault(WHOLE, "not plain text", "x = '\0'"),
    "is_nested_too_deeply": Fault(WHOLE, "", "x = " + "-" * 100_000 + "1"),
    "imports_solutions": Fault(
        WHOLE, "reads solutions/", "from solutions.self_attention import score"
    ),
    "imports_solutions_by_path": Fault(
        WHOLE,
        "reads solutions/",
        "path = ROOT + '/solutions/self_attention.py'\n"
        "spec = importlib.util.spec_from_file_location('s', path)\n"
        "spec.loader.exec_module(importlib.util.module_from_spec(spec))",
    ),
    "opens_solutions": Fault(
        WHOLE, "reads solutions/", "exec(open(ROOT + '/solutions/self_attention.py').read())"
    ),
    "opens_solutions_by_folder": Fault(
        WHOLE,
        "opens a file by its name in an open folder",
        "folder = os.open(ROOT + '/solutions', os.O_RDONLY)\n"
        "os.open('self_attention.py', os.O_RDONLY, dir_fd=folder)",
    ),
    "imports_the_tests": Fault(
        WHOLE,
        "reads tests/",
        "exec(open(ROOT + '/tests/self_attention/test_1_make_qkv.py').read())",
    ),
    "reads_the_memory_of_the_tests": Fault(
        WHOLE, "reads what is not for it", "open(f'/proc/{os.getppid()}/mem', 'rb')"
    ),
    "signals_at_import": Fault(WHOLE, "sends a signal", "os.kill(os.getpid(), 9)"),
}

AT_WORK = {
    "loops": Fault("score", "score was still running after 2 s", in_score("while True: pass")),
    "sleeps": Fault("score", "score was still running after 2 s", in_score("time.sleep(1e6)")),
    "stops_itself": Fault(
        "score", "score was still running after 2 s", in_score("signal.raise_signal(19)")
    ),
    "recurses": Fault("score", "RecursionError", in_score("return score(q, k)")),
    "recurses_on_and_on": Fault(
        "score",
        "score ended its own process (SIGSEGV)",
        in_score("sys.setrecursionlimit(10**9)\nf = lambda n: max([n], key=f)\nf(1)"),
    ),
    "takes_gigabytes": Fault(
        "score", "score needs more memory than there is", in_score("torch.zeros(10**10)")
    ),
    "takes_gigabytes_in_python": Fault(
        "score", "score needs more memory than there is", in_score("bytearray(10**10)")
    ),
    "returns_gigabytes": Fault(
        "score",
        "what comes back is a tensor",
        "def score(q, k):\n    return torch.zeros(2, 10**7)\n",
    ),
    "sys_exits": Fault("score", "score called sys.exit()", in_score("sys.exit(0)")),
    "exits": Fault("score", "score ended its own process (exit status 0)", in_score("os._exit(0)")),
    "kills_itself": Fault(
        "score",
        "score ended its own process (SIGKILL)",
        in_score("signal.raise_signal(signal.SIGKILL)"),
    ),
    "kills_its_parent": Fault("score", "sends a signal", in_score("os.kill(os.getppid(), 9)")),
    "kills_its_parent_in_c": Fault(
        "score",
        "score ended its own process",
        in_score("ctypes.CDLL(None).kill(os.getppid(), 9)\ntime.sleep(60)"),
    ),
    "closes_everything": Fault(
        "score", "score cut the connection", in_score("os.closerange(0, 1000)\ntime.sleep(60)")
    ),
    "interrupts": Fault("score", "KeyboardInterrupt", in_score("raise KeyboardInterrupt")),
    "skips": Fault("score", "Skipped", in_score("import pytest\npytest.skip('all is well')")),
    "ends_pytest": Fault("score", "Exit", in_score("import pytest\npytest.exit('bye', 0)")),
    "forks": Fault("score", "starts another process", in_score("os.fork() or time.sleep(60)")),
    "forks_in_c": Fault(
        "score",
        "score ended its own process",
        in_score("if ctypes.CDLL(None).fork() == 0:\n    time.sleep(60)\nos._exit(3)"),
    ),
    "starts_a_process": Fault(
        "score",
        "starts another process",
        in_score("import subprocess\nsubprocess.Popen(['sleep', '60'])"),
    ),
    "writes_beside_the_tests": Fault(
        "score", "writes a file", in_score("open(ROOT + '/tests/left.py', 'w').write('x')")
    ),
    "writes_over_itself": Fault("score", "writes a file", in_score("open(__file__, 'w')")),
    "removes_files": Fault(
        "score", "file", in_score("import shutil\nshutil.rmtree(ROOT + '/exercises')")
    ),
    "removes_a_file": Fault("score", "changes files", in_score("os.remove(__file__)")),
    "removes_a_file_by_folder": Fault(
        "score",
        "changes files",
        in_score(
            "folder = os.open(os.path.dirname(__file__), os.O_RDONLY)\n"
            "os.remove('self_attention.py', dir_fd=folder)"
        ),
    ),
    "uses_the_network": Fault(
        "score",
        "uses the network",
        in_score("import socket\nsocket.create_connection(('127.0.0.1', 9))"),
    ),
    "asks_the_keyboard": Fault("score", "EOFError", in_score("input()")),
    "sends_rubbish": Fault(
        "score",
        "score sent back what no function returns",
        in_score(SEND.format(bytes="bytes(15) + b'\\2{}'")),
    ),
    "promises_too_much": Fault(
        "score",
        "score sent back what no function returns",
        in_score(SEND.format(bytes="b'\\xff' * 64")),
    ),
    "ends_by_an_unnamed_signal": Fault(
        "score", "score ended its own process (signal 40)", in_score("signal.raise_signal(40)")
    ),
    "digs_too_deep": Fault(
        "score",
        "changes files",
        in_score("for _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')"),
    ),
    "stops_the_tests": Fault(
        "score",
        "goes past Python",
        in_score("signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 19)"),
    ),
    "limits_the_tests": Fault(
        "score",
        "limits a process",
        in_score("import resource\nresource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (1, 1))"),
    ),
    "starts_a_process_from_below": Fault(
        "score",
        "goes past Python",
        in_score(
            "from multiprocessing.util import spawnv_passfds\n"
            "spawnv_passfds(b'/usr/bin/setsid', [b'setsid', b'sleep', b'60'], [])"
        ),
    ),
    "saves_by_torch": Fault(
        "score", "goes past Python", in_score("torch.save(q, os.path.dirname(__file__) + '/x')")
    ),
    "maps_a_file": Fault(
        "score",
        "goes past Python",
        in_score("torch.from_file(__file__, size=9, shared=True, dtype=torch.uint8)"),
    ),
    "opens_a_database": Fault(
        "score",
        "writes a file",
        in_score("import sqlite3\nsqlite3.connect(os.path.dirname(__file__) + '/x.db')"),
    ),
    "returns_a_huge_number": Fault(
        "score", "what comes back is a tensor", "def score(q, k):\n    return 10**5000\n"
    ),
    "raises_with_a_huge_name": Fault(
        "score", "AAAA", in_score("raise type('A' * 5000, (Exception,), {})")
    ),
    "says_nothing": Fault(
        "score",
        "score sent back what no function returns",
        in_score("from grader import verdict\nverdict.broken[:] = ['']\nraise ValueError"),
    ),
    "answers_out_of_turn": Fault(
        WHOLE,
        "sent back what no function returns",
        "import submissions.wire as wire\n"
        "send = wire.Line.send\n"
        "wire.Line.send = lambda line, message: send(line, {'printed': ''})",
    ),
    "knows_no_problem": Fault(
        WHOLE,
        "",
        "import grader.load\ngrader.load.Answers.problem = lambda *_: torch.ones(3)\n"
        "def score(q, k):\n    return q\n",
    ),
    "turns_gradients_off": Fault(
        "score",
        "You cut the gradients off",
        in_score("torch.set_grad_enabled(False)"),
    ),
}

CHEATS = {
    "nan_for_all": Fault("score", "", "def score(q, k):\n    return q @ k.mT * math.nan\n"),
    "inf_for_all": Fault("score", "", "def score(q, k):\n    return q @ k.mT + math.inf\n"),
    "a_tensor_that_agrees": Fault(
        "score",
        "what comes back is a tensor",
        """
class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            result = func(*args, **(kwargs or {}))
        return torch.ones_like(result).bool() if result.dtype == torch.bool else result

def score(q, k):
    return (q @ k.mT).as_subclass(Agreeable)
""",
    ),
    "an_object_that_agrees": Fault(
        "score",
        "",
        """
class Agreeable:
    def __getattr__(self, name): return self
    def __call__(self, *args, **kwargs): return self
    def __eq__(self, other): return True
    def __bool__(self): return True
    __class__ = Tensor

def score(q, k):
    return Agreeable()
""",
    ),
    "patches_the_comparison": Fault(
        WHOLE,
        "dot product",
        """
torch.isclose = torch.eq = lambda a, b, **_: torch.ones(a.shape).bool()
torch.allclose = torch.equal = lambda *_, **__: True
Tensor.__eq__ = Tensor.all = lambda *_, **__: torch.tensor(True)

def score(q, k):
    return q @ k.mT
""",
    ),
    "patches_the_rules": Fault(
        WHOLE,
        "reads what is not for it",
        """
import grader.rules, grader.verdict, pytest
for name in ("close", "shape", "exactly", "gradients", "keeps_dtype", "repeatable"):
    setattr(grader.rules, name, lambda *_, **__: None)
grader.verdict.stop = grader.verdict.note = lambda *_: None
pytest.TestReport.outcome = "passed"
pytest.TestReport.failed = False

def score(q, k):
    return q @ k.mT
""",
    ),
    "patches_what_is_reported": Fault(
        WHOLE,
        "tampers with what the tests measure",
        """
torch.equal = lambda *_: True

def score(q, k):
    return q.mul_(2) @ k.mT / math.sqrt(q.shape[-1]) / 2
""",
    ),
    "reads_the_frames": Fault(
        "score",
        "dot product",
        """
def score(q, k):
    frame = sys._getframe()
    while frame:
        for name in ("expected", "wanted", "reference"):
            if isinstance(frame.f_locals.get(name), Tensor):
                return frame.f_locals[name]
        frame = frame.f_back
    return q @ k.mT
""",
    ),
    "searches_the_memory": Fault(
        "score",
        "dot product",
        """
del score  # the right one, in whose place this file comes

def score(q, k):
    import gc
    shape = (*q.shape[:-1], k.shape[-2])
    for thing in gc.get_objects():
        if type(thing) is Tensor and thing.shape == shape and thing is not q and thing is not k:
            return thing
        code = getattr(thing, "__code__", None)
        if getattr(thing, "__name__", "") == "score" and "sqrt" in getattr(code, "co_names", ()):
            return thing(q, k)
    return q @ k.mT
""",
    ),
    "knows_the_visible_inputs": Fault(
        "score",
        "",
        """
def score(q, k):
    if q.shape == (1, 3) and q.equal(torch.tensor([[1.0, 2.0, 2.0]])):
        return torch.tensor([[9 / 3**0.5]])
    return q @ k.mT * 0
""",
    ),
    "nonsense_in_bfloat16": Fault(
        "score",
        "dtype of the inputs",
        in_score("if q.dtype == torch.bfloat16: return (q @ k.mT) * 0 + 7"),
    ),
    "nothing_in_bfloat16": Fault(
        "make_qkv",
        "",
        "right = make_qkv\n\ndef make_qkv(*args):\n"
        "    return [] if args[0].dtype == torch.bfloat16 else right(*args)\n",
    ),
    "nonsense_when_watched": Fault(
        "score",
        "the same inputs give the same result",
        in_score("if torch._C._len_torch_function_stack() > 1: return q.new_zeros(())"),
    ),
    "no_gradients_at_all": Fault(
        WHOLE,
        "sent back what no function returns",
        "torch.autograd.grad = lambda *_, **__: ()\n\ndef score(q, k):\n"
        "    x = q @ k.mT / math.sqrt(q.shape[-1])\n"
        "    return x.detach() + 0 * x if q.requires_grad else x\n",
    ),
    "reads_a_neighbour": Fault(
        WHOLE,
        "reads what is not for it",
        "import pathlib\n"
        "exec((pathlib.Path(__file__).parents[1] / 'right/self_attention.py').read_text())",
    ),
    "reads_solutions_in_a_thread": Fault(
        "score",
        "score",
        "from threading import Thread\nfound = []\n"
        "def look():\n    time.sleep(0.3)\n"
        "    found.append(open(ROOT + '/solutions/self_attention.py').read())\n"
        "Thread(target=look).start()\n" + in_score("time.sleep(0.5)\nreturn found[0]"),
    ),
    "opens_the_lock": Fault(
        WHOLE,
        "reads what is not for it",
        "import grader.load\ngrader.load._closed.append(set())\n"
        "exec(open(ROOT + '/solutions/self_attention.py').read())",
    ),
    "sdpa_when_nobody_looks": Fault(
        "attend",
        "write it yourself",
        "right = attend\n\ndef attend(q, k, v, is_causal=False):\n"
        "    if torch._C._len_torch_function_stack() > 1: return right(q, k, v, is_causal)\n"
        f"    return {SDPA}(q, k, v, is_causal=is_causal)\n",
    ),
    "sdpa_in_parts": Fault(
        "attend",
        "write it yourself",
        "def attend(q, k, v, is_causal=False):\n    with torch._C.DisableTorchFunction():\n"
        "        part = torch._scaled_dot_product_attention_math\n"
        "        return part(q, k, v, is_causal=is_causal)[0]\n",
    ),
    "sdpa_by_another_name": Fault(
        "attend", "write it yourself", f"mix = {SDPA}\n" + by_sdpa("mix")
    ),
    "sdpa_from_below": Fault(
        "attend", "write it yourself", by_sdpa("torch._C._nn.scaled_dot_product_attention")
    ),
    "sdpa_from_the_operators": Fault(
        "attend", "write it yourself", by_sdpa("torch.ops.aten.scaled_dot_product_attention")
    ),
    "sdpa_in_a_thread": Fault(
        "attend",
        "write it yourself",
        "from concurrent.futures import ThreadPoolExecutor\n\n"
        f"def mix(*args, **named):\n    pool = ThreadPoolExecutor(1)\n"
        f"    return pool.submit({SDPA}, *args, **named).result()\n" + by_sdpa("mix"),
    ),
    "sdpa_and_deaf_tests": Fault(
        "attend",
        "write it yourself",
        "import submissions.child\n"
        "submissions.child.OPERATIONS['attention_calls'] = lambda *_, **__: []\n" + by_sdpa(SDPA),
    ),
}

INNOCENT = {
    "sets_the_default_dtype": "torch.set_default_dtype(torch.float64)",
    "sets_the_default_device": "torch.set_default_device('meta')",
    "turns_gradients_off_for_all": "torch.set_grad_enabled(False)",
    "changes_everything_around_it": """
import random, warnings
os.chdir("/"); sys.path.insert(0, "/"); sys.argv[:] = ["x"]
warnings.simplefilter("error"); torch.manual_seed(3); random.seed(3)
torch.set_num_threads(3)
os.environ.clear(); signal.signal(signal.SIGTERM, signal.SIG_IGN)
""",
    "patches_what_others_use": "torch.randn = torch.eye = torch.nn.functional.pad = None",
    "hooks_in": """
import atexit
atexit.register(os._exit, 0)
sys.settrace(lambda *_: None); sys.excepthook = lambda *_: os._exit(0)
sys.addaudithook(lambda *_: None)
""",
    "leaves_a_thread": "import threading\nthreading.Thread(target=time.sleep, args=(99,)).start()",
    "prints_a_million_lines": "print('line\\n' * 1_000_000)\nsys.stderr.write('x' * 1_000_000)",
    "closes_stdout": "sys.stdout.close(); os.close(1); os.close(2)",
    "waits_at_a_breakpoint": in_score("breakpoint()"),
    "speaks_to_the_screen": """
import faulthandler, tempfile
faulthandler.enable()
sys.stdout.reconfigure(encoding="utf-8")
sys.stdout.buffer.write(b"x")
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x")
""",
    "saves_a_file": in_score("open('mine.txt', 'w').write('x')"),
}

FAULTS = {
    **AT_IMPORT,
    **AT_WORK,
    **CHEATS,
    **{name: Fault(RIGHT, "", code) for name, code in INNOCENT.items()},
}
