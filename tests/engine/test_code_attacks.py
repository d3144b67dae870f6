"""What an answer may try with the channel to its judge: no verdict is forged, nothing leaks, no run is ended by it."""

import json
import shutil

import pytest

from resources.sandbox.limits import Limits
from tmas_assets.engine.code_grader import CodeGrader
from tmas_assets.records import Problem

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed (apt-get install bubblewrap)")


def problem(tests, **data):
    return Problem(benchmark="b", release="r", id="p", statement="", answer="", grader="code",
                   grading_data=json.dumps({"tests": tests, **data}))


SQUARE = problem("SECRET = 'hunter2'\nassert f(3) == 9\nassert f(4) == 16", entry_point="f")
PEER = '''import sys
def peer():
    frame = sys._getframe()
    while frame:
        found = frame.f_locals.get("self")
        if type(found).__name__ == "Peer":
            return found
        frame = frame.f_back
def yes(*others): return True
def zero(*others): return 0
'''


@pytest.fixture(scope="module")
def grader():
    with CodeGrader(limits=Limits(cpu_seconds=4, wall_seconds=8), max_workers=2) as made:
        yield made


FORGED = {
    "a class that the judge makes": '''def f(v):
    made = peer().ask("call", type, ("X", (), {"__eq__": yes, "__sub__": zero}), {})
    return peer().ask("call", made, (), {})''',
    "a class that the judge makes of a number": '''def f(v):
    made = peer().ask("call", type, ("X", (int,), {"__eq__": yes, "__hash__": None}), {})
    return peer().ask("call", made, (), {})''',
    "a class of a class of classes": '''def f(v):
    meta = peer().ask("call", type, ("M", (type,), {}), {})
    return peer().ask("get", peer().ask("call", meta, ("C", (), {"__eq__": yes}), {}), "mro")''',
    "a call of an exception": '''def f(v): return peer().ask("call", ValueError, (9,), {})''',
    "a call of a builtin": '''def f(v): return peer().ask("call", int, ("9",), {})''',
    "a module of the judge": '''import functools
def f(v): return peer().ask("get", functools, "partial")''',
    "numbers never given out": '''class Any:
    def __init__(self, number): self._remote_number, self._remote_peer = number, None
def f(v):
    p = peer()
    for number in (0, 1, -1, 10**6, True, 1.0, "0", None, [0]):
        p._export = lambda value, number=number: ["m", number]
        try: found = p.ask("get", Any(number), "__globals__")
        except Exception: continue
        return v * v''',
    "the judge's format": '''def f(v):
    form = peer().ask("get", "{0._remote_peer._show.__globals__[sys].modules[__main__].__dict__}", "format")
    raise ValueError(peer().ask("call", form, (yes,), {})[:400])''',
    "the judge's format as an operator": '''def f(v):
    raise ValueError(peer().ask("op", "mod", "%r", yes))''',
    "attributes of plain values": '''def f(v):
    for value in (1, "a", b"a", [1], {1: 2}, {1}, (1,), 1.5, range(3), frozenset([1]), None, ValueError):
        for name in ("__class__", "__init__", "real", "format", "mro", "append", "__doc__"):
            try: peer().ask("get", value, name)
            except AttributeError: continue
            return v * v''',
    "news of names that are the tests' own": '''def f(v):
    peer()._news = lambda *a: {name: yes for name in ("abs", "len", "SECRET", "__builtins__", "AssertionError")}
    return 1''',
    "numbers of containers that are the tests'": '''def f(v):
    for number in (1, 3, -1, 0, True, "1", None):
        for message in ([["t", [9, None]], [[number, "list", [9]]], [], []], [["c", number], [], [[number, "list", [9]]], [number]]):
            peer()._channel.send({"give": message, "out": ""})''',
    "a table that is not one": '''def f(v): peer()._channel.send({"ask": [["t", ["call"]], 7]})''',
    "a reply of odd parts": '''def f(v):
    for part in ({"give": 9}, {"ask": 1}, [], "ask", None, {"raise": [[], [["t", []], []], ""], "out": "", "changed": [[], [[], []]]}):
        peer()._channel.send(part)''',
}


@pytest.mark.parametrize("case", FORGED)
def test_no_verdict_is_forged_by_asking_the_judge_for(grader, case):
    verdict = grader.grade_sync(SQUARE, PEER + FORGED[case])
    assert (verdict.outcome, verdict.failure) == ("wrong", None), verdict
    assert "hunter2" not in verdict.reason


GIVEN = {
    "a class of classes": ("class M(type): pass\nassert f(M) == 9", 'def f(m): return m("X", (), {"__eq__": yes})()'),
    "type itself": ("assert f(type) == 9", 'def f(t): return peer().ask("call", t, ("X", (), {"__eq__": yes}), {})()'),
    "what calls anything": ("assert f(lambda g, *a: g(*a)) == 9", 'def f(g): return g(type, "X", (), {"__eq__": yes})'),
    "operator.call": ("import operator\nassert f(operator.call) == 9", 'def f(g): return g(type, "X", (), {"__eq__": yes})'),
    "an empty enum": ("import enum\nclass E(enum.Enum): pass\nassert f(E) == 9", 'def f(e): return e("X", {"__eq__": yes, "A": 1}).A'),
    "a method that the tests call later": ("class N:\n    def same(self, other): return other == 9\nn = N()\nassert n.same(f(n))",
                                           "def f(n):\n    n.same = yes\n    return 0"),
    "a text of the tests' class": ("class S(str): pass\nSECRET = 'hunter2'\nassert f(S, lambda: 0) == 9",
                                   'def f(s, g): raise ValueError(peer().ask("get", s("{0.__globals__}"), "format")(g))'),
    "str.format": ("SECRET = 'hunter2'\nassert f(str.format, lambda: 0) == 9", 'def f(s, g): raise ValueError(s("{0.__globals__}", g))'),
    "getattr": ("SECRET = 'hunter2'\nassert f(getattr, lambda: 0) == 9", 'def f(s, g): raise ValueError(peer().ask("call", s, (g, "__globals__"), {}))'),
    "a function": ("SECRET = 'hunter2'\nassert f(lambda: 0) == 9", 'def f(g): raise ValueError(str(g.__globals__) + str(g.__code__.co_consts))'),
    "a generator": ("SECRET = 'hunter2'\nassert f(x for x in [1]) == 9", 'def f(g): raise ValueError(peer().ask("get", g, "gi_frame").f_globals)'),
    "the end of an iteration": ("assert all(map(lambda c: f(c[0]) == c[1], [(3, 9), (4, 16)]))", "def f(v): raise StopIteration"),
}


@pytest.mark.parametrize("case", GIVEN)
def test_nothing_is_made_of_what_the_tests_hand_over(grader, case):
    tests, code = GIVEN[case]
    verdict = grader.grade_sync(problem(tests), PEER + code)
    assert (verdict.outcome, verdict.failure) == ("wrong", None), verdict
    assert "hunter2" not in verdict.reason


SERVED = {
    "operators of the tests' objects": ("class N:\n    def __init__(self, v): self.v = v\n    def __add__(self, o): return self.v + o.v\n    def __lt__(self, o): return self.v < o.v\n"
                                        "    def __len__(self): return 5\n    def __iter__(self): return iter([1, 2])\n    def __getitem__(self, k): return k * 2\n    def __str__(self): return 'n'\n"
                                        "assert f(N(1), N(2)) == [3, True, 5, [1, 2], 8, 'n']",
                                        "def f(a, b): return [a + b, a < b, len(a), list(a), a[4], str(a)]"),
    "methods and data of the tests' objects": ("class N:\n    x = 1\n    def twice(self, n): return 2 * n\nn = N()\nassert f(n) == 7\nassert n.y == 5 and n.x == 2",
                                               "def f(n):\n    n.y, n.x = 5, 2\n    return n.twice(3) + 1"),
    "a class of the tests": ("class N:\n    def __init__(self, v, n=None): self.v, self.n = v, n\nr = f(N, [1, 2])\nassert (r.v, r.n.v, r.n.n) == (1, 2, None) and type(r) is N",
                             "def f(n, l):\n    last = None\n    for v in reversed(l): last = n(v, last)\n    return last"),
    "an enum of the tests": ("import enum\nclass C(enum.Enum):\n    A = 1\n    B = 2\nassert f(C) is C.B", "def f(c): return c.B if c.A.value == 1 and c(2) is c.B else None"),
    "functions of the library": ("import operator, functools, math\nassert f(operator.add, 1, 2) == 3\nassert f(max, 1, 2) == 2\nassert f(functools.partial(pow, 2), 1, 2) == 2 ** 1 % 2\n"
                                 "assert f(math.gcd, 4, 6) == 2\nassert f(lambda a, b: [a, b], 1, 2) == [1, 2]\nassert f('{}-{}'.join, ['a', 'b'], 0) is None",
                                 "def f(g, a, b):\n    return g(a, b) if not isinstance(a, list) else None"),
    "a generator of the tests": ("def g():\n    yield 1\n    yield 5\nassert f(g()) == [1, [5]]", "def f(g): return [next(g), list(g)]"),
    "builtin classes": ("assert f([1, 'a']) == [int, str]\nassert f(int) == 7", "def f(v): return [type(x) for x in v] if isinstance(v, list) else v('7')"),
    "containers from the tests": ("from collections import Counter, deque\nassert f(Counter, 'aab') == {'a': 2, 'b': 1}\nassert f(deque, [1]) == deque([1])", "def f(c, v): return c(v)"),
}


@pytest.mark.parametrize("case", SERVED)
def test_an_answer_may_use_what_the_tests_hand_over(grader, case):
    tests, code = SERVED[case]
    verdict = grader.grade_sync(problem(tests), code)
    assert verdict.outcome == "right", verdict


LOUD = {
    "names without end": "globals()['x' * 100_000] = 1\ndef h(v): return v",
    "many long names": "for i in range(30): globals()['y' * 30_000 + str(i)] = 1",
    "an exception of a long name": "E = type('E' * 100_000, (Exception,), {})\ndef f(v): raise E('x' * 10**6)",
    "an exception of a huge number": "def f(v): raise KeyError(10**5000)",
    "an exception that raises": "class E(Exception):\n    def __str__(self): raise self\n    __repr__ = __str__\ndef f(v): raise E(E())",
    "an exception that exits": "class E(Exception):\n    def __str__(self): raise SystemExit(0)\n    __repr__ = __str__\ndef f(v): raise E(E())",
    "zeros": "def f(v): raise ValueError('a\\0b')",
    "half characters": "def f(v): raise ValueError('\\ud800')",
    "a name of half a character": "globals()['\\ud800'] = 1\ndef h(v): return v",
    "names that are no list": "import sys\nframe = sys._getframe()\nwhile frame:\n    stage = frame.f_locals.get('self')\n    if type(stage).__name__ == '_Stage': break\n"
                              "    frame = frame.f_back\nstage._module = type('M', (), {'__dict__': [1, [], {}]})()\ndef h(v): return v",
}


@pytest.mark.parametrize("case", LOUD)
def test_an_answer_cannot_be_so_loud_that_its_verdict_is_lost(grader, case):
    verdict = grader.grade_sync(SQUARE, LOUD[case])
    assert (verdict.outcome, verdict.failure) == ("wrong", None), verdict
    assert 0 < len(verdict.reason) < 3_000
    verdict.model_dump_json().encode()
    assert "\0" not in verdict.reason


def test_a_message_too_large_or_too_deep_ends_the_answer_only(grader):
    deep = "def f(v):\n    x = []\n    for _ in range(10**5): x = (x,)\n    return x"
    large = "def f(v): return [0] * 10**8"
    asked = [grader.submit(SQUARE, code) for code in (deep, large, PEER + "def f(v):\n    import os\n    os.write(peer()._channel._writing, (2**62).to_bytes(8, 'big'))\n    return 9")]
    for one in asked:
        verdict = one.result()
        assert (verdict.outcome, verdict.failure) == ("wrong", None), verdict


def test_what_breaks_over_one_answer_is_failed_and_spares_the_others(monkeypatch):
    with CodeGrader(max_workers=1) as made:
        run = made._sandbox.run

        def breaking(job, cancelled):
            if "broken" in job.code:
                raise RuntimeError("x" * 10**5)
            return run(job, cancelled)

        monkeypatch.setattr(made._sandbox, "run", breaking)
        broken, fine = made.submit(SQUARE, "def f(v): return 'broken'"), made.submit(SQUARE, "def f(v): return v * v")
        assert (broken.result().outcome, broken.result().failure.kind) == ("failed", "sandbox")
        assert len(broken.result().failure.detail) < 1_000
        assert fine.result().outcome == "right"


def test_tests_that_go_on_after_any_error_are_not_ended_by_signals(grader):
    tests = "for n in range(50):\n    try:\n        f(n)\n    except BaseException:\n        assert False"
    code = "import os, signal\ndef f(v): os.kill(os.getppid(), signal.SIGINT)"
    assert grader.grade_sync(problem(tests), code).outcome == "right"  # it asks for nothing, and nothing happened


@pytest.mark.parametrize("raised", ["TypeError('metaclass conflict: the metaclass of a derived class')", "ImportError('x')", "ModuleNotFoundError('x', name='x')",
                                    "NameError('x', name='x')"])
def test_an_answer_cannot_have_its_verdict_withheld(grader, raised):
    verdict = grader.grade_sync(problem("import inspect\nassert inspect.isclass(f(3)) and count_fields(3) == 2", entry_point="f"),
                                f"def f(v): raise {raised}\ndef count_fields(v): return v")
    assert (verdict.outcome, verdict.failure) == ("wrong", None), verdict
    verdict = grader.grade_sync(problem("assert count_fields(3) == 2"), "def count_fields(v): return v")
    assert (verdict.outcome, verdict.failure) == ("wrong", None), verdict
