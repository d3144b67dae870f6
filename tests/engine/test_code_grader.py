"""Verdicts on code: right answers of every kind pass, forged ones do not, and what cannot judge is failed."""

import asyncio
import gzip
import json
import os
import shutil
import threading
import time
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from resources.sandbox.limits import Limits
from tmas_assets.engine.code_grader import CodeGrader
from tmas_assets.records import Problem

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed (apt-get install bubblewrap)")
DATA = Path(os.environ.get("TMAS_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
QUICK = Limits(cpu_seconds=1, wall_seconds=6)


def problem(**data):
    return Problem(benchmark="b", release="r", id="p", statement="", answer="", grader="code",
                   grading_data=json.dumps(data))


SQUARE = problem(tests="assert f(3) == 9\nassert f(4) == 16", entry_point="f")


@pytest.fixture(scope="module")
def grader():
    with CodeGrader(max_workers=2) as made:
        yield made


@pytest.fixture(scope="module")
def quick():
    with CodeGrader(limits=QUICK, max_workers=4) as made:
        yield made


TREE = '''class Node:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next


def rev(head):
    """Reverse a list."""
'''
WALK = '''def build(values):
    head = None
    for value in reversed(values):
        head = Node(value, head)
    return head

def walk(head):
    found = []
    while head:
        found.append(head.val)
        head = head.next
    return found

assert walk(rev(build([1, 2, 3]))) == [3, 2, 1]
'''
RIGHT = {
    "a Counter": ("assert f('aab') == {'a': 2, 'b': 1}\nassert f('a')['z'] == 0\nassert isinstance(f('a'), dict)",
                  "from collections import Counter\ndef f(s): return Counter(s)"),
    "a defaultdict": ("r = f([1, 2])\nassert r == {1: [1], 2: [2]}\nassert r[9] == []",
                      "from collections import defaultdict\ndef f(l):\n    d = defaultdict(list)\n    for x in l: d[x].append(x)\n    return d"),
    "an OrderedDict in its order": ("assert list(f()) == ['b', 'a']", "from collections import OrderedDict\ndef f():\n    d = OrderedDict(a=1, b=2)\n    d.move_to_end('a')\n    return d"),
    "a deque": ("from collections import deque\nassert f() == deque([1, 2])", "from collections import deque\ndef f(): return deque([1, 2])"),
    "a namedtuple": ("assert f() == (1, 2)\nassert f().x == 1", "from collections import namedtuple\nQ = namedtuple('Q', 'x y')\ndef f(): return Q(1, 2)"),
    "a bool where a number is asked": ("assert f(3) == 1\nassert f(3) is True", "def f(v): return v > 2"),
    "a number where a bool is asked": ("assert f() == True", "def f(): return 1"),
    "an IntEnum": ("assert f() == 2", "from enum import IntEnum\nclass E(IntEnum):\n    A = 2\ndef f(): return E.A"),
    "a subclass of str": ("assert f() + 'c' == 'abc'", "class S(str): pass\ndef f(): return S('ab')"),
    "a subclass of list": ("assert sorted(f()) == [1, 2] and f() == [1, 2]", "class L(list): pass\ndef f(): return L([1, 2])"),
    "a generator": ("assert list(f(3)) == [0, 1, 2]\nassert next(f(3)) == 0", "def f(n):\n    for i in range(n): yield i"),
    "an endless generator": ("from itertools import islice\nassert list(islice(f(), 3)) == [0, 1, 2]", "import itertools\ndef f(): return itertools.count()"),
    "a map": ("assert list(f([1, 2])) == [2, 3]", "def f(l): return map(lambda x: x + 1, l)"),
    "keys": ("assert f() == {1, 2} and len(f()) == 2", "def f(): return {1: 0, 2: 0}.keys()"),
    "a range": ("assert f() == range(3)", "def f(): return range(3)"),
    "a Fraction": ("from fractions import Fraction\nassert f() == Fraction(1, 2) == 0.5", "from fractions import Fraction\ndef f(): return Fraction(1, 2)"),
    "a Decimal": ("assert float(f()) == 0.5", "from decimal import Decimal\ndef f(): return Decimal('0.5')"),
    "a date": ("import datetime\nassert f() == datetime.date(2020, 1, 2)", "import datetime\ndef f(): return datetime.date(2020, 1, 2)"),
    "odd numbers": ("import math\na, b, c, d = f()\nassert math.isnan(a) and b == math.inf and c == 10**5000 and d == 1 + 2j",
                    "def f(): return float('nan'), float('inf'), 10**5000, 1 + 2j"),
    "odd text": ("assert f('\\ud800') == '\\ud800\\x00'\nassert g() == b'\\xff'", "def f(s): return s + '\\x00'\ndef g(): return b'\\xff'"),
    "sets of tuples": ("assert f() == {(1, 2), (3, 4)}", "def f(): return {(1, 2), (3, 4)}"),
    "what refers to itself": ("x = f()\nassert x[0] is x", "def f():\n    x = []\n    x.append(x)\n    return x"),
    "a list sorted in place": ("a = [3, 1, 2]\nf(a)\nassert a == [1, 2, 3]", "def f(a): a.sort()"),
    "nested lists changed in place": ("a = [[1, 2], [3]]\nb = a[0]\nf(a)\nassert a == [[9, 2], [3], [5]] and b is a[0]",
                                      "def f(a):\n    a[0][0] = 9\n    a.append([5])"),
    "its argument": ("a = [1]\nassert f(a) is a", "def f(a): return a"),
    "a call of what it was given": ("assert f(lambda x: x * 2, [1, 2]) == [2, 4]\nseen = []\nf(seen.append, [1])\nassert seen == [1]",
                                    "def f(g, l): return [g(x) for x in l]"),
    "an exception from what it was given": ("def bad(x): raise KeyError(x)\nassert f(bad)", "def f(g):\n    try: g(1)\n    except KeyError: return True"),
    "a closure": ("assert f(3)(4) == 7", "def f(n): return lambda x: x + n"),
    "a decorator": ("@f\ndef g(x): return x\nassert g(3) == 4", "import functools\ndef f(g):\n    @functools.wraps(g)\n    def w(x): return g(x) + 1\n    return w"),
    "an exception that is asked for": ("try:\n    f(-1)\n    assert False\nexcept ValueError as e:\n    assert 'neg' in str(e)", "def f(v): raise ValueError('neg')"),
    "an exception of its own": ("try:\n    f()\n    assert False\nexcept MyError as e:\n    assert e.args == (3,)", "class MyError(Exception): pass\ndef f(): raise MyError(3)"),
    "a class": ("s = Stack()\ns.push(1)\ns.push(2)\nassert s.pop() == 2 and len(s) == 1 and s.items == [1] and isinstance(s, Stack)",
                "class Stack:\n    def __init__(self): self.items = []\n    def push(self, x): self.items.append(x)\n    def pop(self): return self.items.pop()\n    def __len__(self): return len(self.items)"),
    "a class that is a list": ("s = Stack()\ns.push(1)\ns.push(2)\nassert s.top() == 2 and s == [1, 2] and list(s) == [1, 2]",
                               "class Stack(list):\n    def push(self, x): self.append(x)\n    def top(self): return self[-1]"),
    "values of its own class": ("assert V(1, 2) + V(3, 4) == V(4, 6) != V(1, 1)\nassert str(V(1, 2)) == 'V(x=1, y=2)'",
                                "from dataclasses import dataclass\n@dataclass\nclass V:\n    x: int\n    y: int\n    def __add__(self, o): return V(self.x + o.x, self.y + o.y)"),
    "a context": ("with C() as c:\n    assert c == 5", "class C:\n    def __enter__(self): return 5\n    def __exit__(self, *a): pass"),
    "objects of the tests' class": ("class N:\n    def __init__(self, v, n=None): self.v, self.n = v, n\nassert f(N(1, N(2))) == 3",
                                    "def f(n):\n    s = 0\n    while n is not None:\n        s += n.v\n        n = n.n\n    return s"),
    "a method of class Solution": ("assert f(3) == 9", "class Solution:\n    def f(self, v): return v * v"),
    "a coroutine": ("import asyncio\nassert asyncio.run(f(3)) == 9", "import asyncio\nasync def f(v):\n    await asyncio.sleep(0)\n    return v * v"),
    "an async generator": ("import asyncio\nasync def main():\n    assert [x async for x in f(2)] == [0, 1]\nasyncio.run(main())", "async def f(n):\n    for i in range(n): yield i"),
    "a lambda": ("assert f(3) == 9", "f = lambda v: v * v"),
    "a partial": ("assert f(3) == 9", "from functools import partial\nf = partial(pow, exp=2)"),
    "a cached function": ("assert f(90) == 2880067194370816120\nf.cache_clear()", "from functools import lru_cache\n@lru_cache\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)"),
    "deep recursion": ("assert f(50000) == 50000", "import sys\nfrom functools import cache\nsys.setrecursionlimit(10**6)\n@cache\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)"),
    "what it prints": ("import io, contextlib\nb = io.StringIO()\nwith contextlib.redirect_stdout(b):\n    f()\nassert b.getvalue() == 'hi\\n'", "def f(): print('hi')"),
    "much print": ("assert f() == 1", "def f():\n    for _ in range(10000): print('x' * 1000)\n    return 1"),
    "a main block": ("assert f(3) == 9", "def f(v): return v * v\nif __name__ == '__main__':\n    print(f(int(input())))"),
    "an example that asks for input": ("assert f(3) == 9", "def f(v): return v * v\n# Test cases\nn = int(input('n? '))\nprint(f(n))"),
    "a wrong example": ("assert f(3) == 9", "def f(v): return v * v\nassert f(2) == 5"),
    "annotations of the future": ("assert f(3) == 9", "from __future__ import annotations\ndef f(v: Foo) -> Bar: return v * v"),
    "a counter of calls": ("assert f() == 1\nassert f() == 2", "n = 0\ndef f():\n    global n\n    n += 1\n    return n"),
    "a match": ("assert f('a1').group() == '1' and f('a') is None", "import re\ndef f(s): return re.search(r'\\d', s)"),
    "an import that the tests use": ("assert math.isclose(f(2), math.sqrt(2))", "import math\ndef f(x): return math.sqrt(x)"),
    "a name of the tests": ("def check(c):\n    assert c(2) == 4\n\ncheck(f)", "def check(c): return True\ndef f(v): return v * v"),
    "standard output closed": ("assert f(3) == 9", "import sys\nsys.stdout.close()\ndef f(v): return v * v"),
    "attributes of its own exception": ("try:\n    f(3)\n    assert False\nexcept MyErr as e:\n    assert e.code == 3 and e.twice() == 6 and str(e) == 'need 3' and isinstance(e, Exception)",
                                       "class MyErr(Exception):\n    kind = 'x'\n    def __init__(self, c):\n        self.code = c\n        super().__init__(f'need {c}')\n    def twice(self): return 2 * self.code\ndef f(v): raise MyErr(v)"),
    "a base of its own exceptions": ("try:\n    f(-1)\nexcept BankError as e:\n    assert isinstance(e, Poor) and isinstance(e, ValueError) and type(e).__name__ == 'Poor' and issubclass(Poor, BankError)\nelse:\n    assert False",
                                    "class BankError(Exception):\n    pass\nclass Poor(BankError, ValueError):\n    pass\ndef f(v): raise Poor('x')"),
    "a base of an exception that the tests do not name": ("try:\n    f(-1)\nexcept BankError as e:\n    assert e.args == ('x', [1])\nelse:\n    assert False",
                                    "class BankError(Exception):\n    pass\nclass Poor(BankError):\n    pass\ndef f(v): raise Poor('x', [1])"),
    "an exception made by the tests": ("e = MyErr(3)\nassert e.code == 3 and isinstance(e, MyErr)\ndef g(): raise MyErr(4)\nassert f(g) == 4",
                                     "class MyErr(Exception):\n    def __init__(self, c):\n        super().__init__(c)\n        self.code = c\ndef f(g):\n    try: g()\n    except MyErr as e: return e.code"),
    "its own exception through the tests": ("def g(): return h()\nassert f(g) == 7", "class E(Exception):\n    n = 7\ndef h(): raise E('x')\ndef f(g):\n    try: g()\n    except E as e: return e.n"),
    "an exception's cause": ("try:\n    f()\nexcept RuntimeError as e:\n    assert isinstance(e.__cause__, KeyError) and e.hint == 'h'", "def f():\n    try: {}['x']\n    except KeyError as k:\n        e = RuntimeError('r')\n        e.hint = 'h'\n        raise e from k"),
    "an exception given": ("e = f()\nassert isinstance(e, Mine) and e.args == (1,) and isinstance(g()[0], ValueError)", "class Mine(Exception): pass\ndef f(): return Mine(1)\ndef g(): return [ValueError('x')]"),
    "an attribute changed in place": ("a = A()\na.h.append(1)\nassert a.h == [1] and a.size() == 1\na.d['k'] = 2\nassert a.get() == 2\na.h += [5]\na.s.add(3)\nassert a.h == [1, 5] and a.s == {3}\na.g[0][1] = 7\nassert a.g == [[0, 7]] and a.row() == [0, 7]",
                                      "class A:\n    def __init__(self):\n        self.h, self.d, self.s, self.g = [], {}, set(), [[0, 0]]\n    def size(self): return len(self.h)\n    def get(self): return self.d['k']\n    def row(self): return self.g[0]"),
    "an attribute held by the tests": ("a = A()\nh = a.h\na.push(1)\nassert h == [1] and h is a.h\nh.clear()\nassert a.h == []", "class A:\n    def __init__(self): self.h = []\n    def push(self, x): self.h.append(x)"),
    "an argument kept and changed later": ("l = [1]\na = A(l)\na.push(2)\nassert l == [1, 2]\nl.append(3)\nassert a.total() == 6", "class A:\n    def __init__(self, l): self.l = l\n    def push(self, x): self.l.append(x)\n    def total(self): return sum(self.l)"),
    "odd containers changed in place": ("from collections import OrderedDict\no, d, c, b = f()\no.move_to_end('a')\nd.appendleft(0)\nc['x'] += 2\nb.extend(b'z')\nassert g() == (['b', 'a'], [0, 1], 3, b'z')",
                                        "from collections import OrderedDict, deque, Counter\nT = OrderedDict(a=1, b=2), deque([1]), Counter('x'), bytearray()\ndef f(): return T\ndef g(): return list(T[0]), list(T[1]), T[2]['x'], bytes(T[3])"),
    "a list of its own class changed in place": ("f().append(1)\nassert f() == [1] and f.n == 1", "class L(list):\n    def append(self, x): raise ValueError\nl = L()\nclass F:\n    @property\n    def n(self): return len(l)\n    def __call__(self): return l\nf = F()"),
    "a global list": ("f(1)\nassert LOG == [1]\nLOG.clear()\nf(2)\nassert LOG == [2]\nassert g() is LOG", "LOG = []\ndef f(x): LOG.append(x)\ndef g(): return LOG"),
    "a global number": ("assert f(f(2)) == 16\nassert counter == 2\ndef check():\n    f(1)\n    assert counter == 3\ncheck()", "counter = 0\ndef f(v):\n    global counter\n    counter += 1\n    return v * v"),
    "a class that the tests derive": ("class B(A):\n    tag = 'b'\n    def __init__(self, x, y):\n        super().__init__(x)\n        self.y = y\n    def g(self): return super().g() + 1\n    @property\n    def both(self): return self.x, self.y\n    @classmethod\n    def make(cls): return cls(8, 9)\n    @staticmethod\n    def s(): return 4\n"
                                      "b = B(1, 2)\nassert b.g() == 2 and isinstance(b, A) and isinstance(b, B) and b.both == (1, 2) and b.call() == 2 and B.make().both == (8, 9) and B.s() == 4 and b.tag == 'b'\nassert type(b) is B and issubclass(B, A) and not isinstance(A(1), B) and use(b) == 2\n"
                                      "class C(B):\n    def g(self): return super().g() + 10\nassert C(1, 2).g() == 12 and str(C(1, 2)) == 'A1!'\nb.x = 5\nassert b.g() == 6",
                                      "class A:\n    n = 0\n    def __init__(self, x): self.x = x\n    def g(self): return self.x\n    def call(self): return self.g()\n    def __str__(self): return f'A{self.x}!'\ndef use(a): return a.g()"),
    "an abstract class that the tests derive": ("class Sq(Shape):\n    def area(self): return 4\nassert Sq().twice() == 8\ntry:\n    Shape()\n    assert False\nexcept TypeError: pass",
                                                "from abc import ABC, abstractmethod\nclass Shape(ABC):\n    @abstractmethod\n    def area(self): pass\n    def twice(self): return 2 * self.area()"),
    "names of classes": ("assert A().__class__.__name__ == 'A' == type(A()).__name__ == A.__name__\nassert type(A()) is A and A().__class__ is A and type(B()) is not A and isinstance(B(), A) and B.__bases__ == (A,)\nassert A.made == 6\nA.made = 9\nB()\nassert B.made == 10",
                         "class A:\n    made = 0\n    def __init__(self): A.made += 1\nclass B(A): pass"),
    "an Enum": ("assert [c.name for c in Color] == ['RED', 'BLUE'] and Color.RED.value == 1 and Color(2) is Color.BLUE and Color['RED'] == Color.RED and len(Color) == 2 and f(1) is Color.RED and isinstance(Color.RED, Color)",
                "from enum import Enum\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\ndef f(v): return Color(v)"),
    "copies of its objects": ("import copy\na = A()\nb, c = copy.deepcopy(a), copy.copy(a)\na.l.append(1)\nassert b.l == [] and c.l == [1]", "class A:\n    def __init__(self): self.l = []"),
    "copies of the tests' objects": ("class N:\n    def __init__(self, v): self.v, self.l = v, []\nn = N(3)\nm = f(n)\nassert m is not n and m.v == 3 and m.l == [1] and n.l == []", "import copy\ndef f(n):\n    m = copy.deepcopy(n)\n    m.l.append(1)\n    return m"),
    "the class of the tests' objects": ("class N:\n    def __init__(self, v): self.v = v\nm = f(N(3))\nassert isinstance(m, N) and m.v == 4", "def f(n): return type(n)(n.v + 1)"),
    "__dict__ of its objects": ("a = A()\nassert a.__dict__ == {'x': 1} == vars(a)", "class A:\n    def __init__(self): self.x = 1"),
    "many rows, changed by both": ("g = [[0] for _ in range(3000)]\nf(g)\nassert all(r == [1] for r in g)\ng[5][0] = 7\nf(g)\nassert g[5] == [8] and g[6] == [2]", "def f(g):\n    for r in g: r[0] += 1"),
    "many results, kept by both": ("a = [f(i) for i in range(1100)]\nassert a[1050] == [1050] and len(L) == 1100", "L = []\ndef f(i):\n    L.append([i])\n    return L[-1]"),
    "threads of the tests": ("from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as pool:\n    assert list(pool.map(f, range(40))) == [v * v for v in range(40)]", "def f(v): return v * v"),
    "threads of its own": ("assert sorted(f(lambda x: x + 1)) == list(range(1, 21))", "from concurrent.futures import ThreadPoolExecutor\ndef f(g):\n    with ThreadPoolExecutor(4) as pool: return list(pool.map(g, range(20)))"),
    "a process left behind": ("assert f(3) == 9", "import os, time\ndef f(v):\n    if os.fork() == 0:\n        time.sleep(100)\n    return v * v"),
}


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_answer_is_right_with(grader, case):
    tests, code = RIGHT[case]
    verdict = grader.grade_sync(problem(tests=tests), code)
    assert verdict.outcome == "right", verdict


@pytest.mark.parametrize("own", ["", TREE.partition("\n\n\n")[0] + "\n"], ids=["the prompt's class", "its own copy of the class"])
def test_objects_of_a_class_that_the_prompt_declares(grader, own):
    answer = f"```python\n{own}def rev(head):\n    last = None\n    while head:\n        head.next, last, head = last, head, head.next\n    return last\n```"
    assert grader.grade_sync(problem(prompt=TREE, tests=WALK, entry_point="rev"), answer).outcome == "right"


def test_a_class_that_the_prompt_declares_may_reckon_with_numbers(grader):
    prompt = 'class V:\n    """A vector."""\n    def __init__(self, x):\n        pass\n    def __mul__(self, k):\n        pass\n'
    answer = "class V:\n    def __init__(self, x): self.x = x\n    def __mul__(self, k): return V(self.x * k)"
    assert grader.grade_sync(problem(prompt=prompt, tests="assert (V(2) * 3).x == 6", entry_point="V"), answer).outcome == "right"


EQUALS_ALL = '''class E:
    def __init__(self, *a): pass
    def __eq__(self, o): return True
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __eq__
    __ne__ = lambda s, o: False
    def __sub__(self, o): return 0
    __rsub__ = __add__ = __radd__ = __abs__ = __hash__ = __int__ = lambda s, *o: 9
'''
FORGED = {
    "an object that equals everything": EQUALS_ALL + "def f(v): return E()",
    "a class that equals everything": EQUALS_ALL + "f = E",
    "a list that equals everything": "class E(list):\n    def __eq__(self, o): return True\n    __ne__ = lambda s, o: False\ndef f(v): return E()",
    "a number that equals everything": "class E(int):\n    def __eq__(self, o): return True\n    __hash__ = int.__hash__\ndef f(v): return E(1)",
    "an exit before the tests": "import sys\ndef f(v): return v * v\nsys.exit(0)",
    "an exit in a test": "import sys\ndef f(v): sys.exit(0)",
    "a hard exit": "import os\ndef f(v): return 0\nos._exit(0)",
    "a hard exit in a test": "import os\ndef f(v): os._exit(0)",
    "a hard exit from a thread": "import threading, os, time\nthreading.Timer(0.05, os._exit, [0]).start()\ndef f(v):\n    time.sleep(1)",
    "SystemExit": "def f(v): raise SystemExit",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)\ndef f(v): return 0",
    "other builtins": "import builtins\nbuiltins.AssertionError = ValueError\nbuiltins.print = builtins.exit = lambda *a: None\nbuiltins.__build_class__ = None\ndef f(v): return 0",
    "frames and their constants": "import sys\ndef f(v):\n    frame = sys._getframe()\n    while frame:\n        for c in frame.f_code.co_consts:\n            if c in (9, 16): return c\n        frame = frame.f_back",
    "all objects of its process": "import gc\ndef f(v):\n    return v * v if any('assert f(3)' in str(o) for o in gc.get_objects() if isinstance(o, (dict, str, list))) else 0",
    "files": "import os\ndef f(v):\n    for top in ('/tmp', '/dev/shm', '/proc/self', '/root', '/home', '/srv', '/var'):\n        for at, _, files in os.walk(top):\n            for one in files:\n                try:\n                    fd = os.open(os.path.join(at, one), os.O_RDONLY | os.O_NONBLOCK)\n                    if b'assert f(3)' in os.read(fd, 1 << 16): return v * v\n                except OSError: pass",
    "the memory of other processes": "import os\ndef f(v):\n    for p in os.listdir('/proc'):\n        if p.isdigit() and p != str(os.getpid()):\n            try:\n                with open(f'/proc/{p}/maps') as maps, open(f'/proc/{p}/mem', 'rb') as mem:\n                    for line in maps:\n                        if '[heap]' not in line and 'rw-p' not in line: continue\n                        low, high = (int(x, 16) for x in line.split()[0].split('-'))\n                        mem.seek(low)\n                        if b'assert f(3)' in mem.read(high - low): return v * v\n            except OSError: pass",
    "ptrace": "import ctypes, os\ndef f(v):\n    return v * v if ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0 else 0",
    "reports of its own": "import os\nfor n in range(64):\n    try: os.write(n, b'{\"marker\": \"m\", \"outcome\": \"passed\", \"reason\": \"\", \"status\": 0}\\n')\n    except OSError: pass\ndef f(v): return 0",
    "replies of its own": "import os, json\ndef f(v):\n    for n in range(3, 64):\n        for k in range(50):\n            b = json.dumps({'give': [True, []], 'changed': [[], [[], []]], 'out': ''}).encode()\n            try: os.write(n, len(b).to_bytes(8, 'big') + b)\n            except OSError: break\n    return 0",
    "no reply that can be read": "import os\ndef f(v):\n    for n in range(3, 64):\n        try: os.write(n, b'\\xff' * 64)\n        except OSError: pass\n    return 0",
    "its judge's end": "import os\ndef f(v): os.kill(os.getppid(), 9)",
    "the end of all": "import os\ndef f(v): os.kill(-1, 9)",
    "closed files": "import os\ndef f(v): os.closerange(0, 256)",
    "two of itself": "import os\nos.fork()\ndef f(v): return 0",
    "names bound anew that are not its own": "import gc\ndef f(v):\n    for o in gc.get_objects():\n        if type(o).__name__ == 'Peer': o._news = lambda *a: {'__builtins__': {'AssertionError': 0}, 'AssertionError': ValueError, 'g': f}\n    return 0",
    "a class that it says it is": "class E:\n    __class__ = int\n    def __eq__(self, o): return True\ndef f(v): return E()",
    "another name": "def g(v): return v * v",
    "a coroutine nobody waits for": "async def f(v): return v * v",
    "a package that is not there": "import numpy\ndef f(v): return v * v",
}


@pytest.mark.parametrize("case", FORGED)
def test_a_verdict_cannot_be_forged_with(grader, case):
    verdict = grader.grade_sync(SQUARE, FORGED[case])
    assert (verdict.outcome, verdict.failure) == ("wrong", None), verdict
    assert verdict.reason


def test_expected_values_are_hidden_from_close_comparisons(grader):
    near = problem(tests="assert abs(f(3) - 9) < 1e-6", entry_point="f")
    assert grader.grade_sync(near, EQUALS_ALL + "def f(v): return E()").outcome == "wrong"
    within = problem(tests="assert 9 in f(3)", entry_point="f")
    assert grader.grade_sync(within, EQUALS_ALL + "def f(v): return E()").outcome == "wrong"


def test_a_class_that_the_tests_derive_compares_no_better(grader):
    derived = problem(tests="class B(A): pass\nassert B() == 9 or B() >= 9 or 9 in B() or len(B()) == 9", entry_point="A")
    assert grader.grade_sync(derived, EQUALS_ALL + "A = E").outcome == "wrong"


def test_only_names_that_the_tests_never_bind_follow_the_answer(grader):
    loop = problem(tests="for n in range(3):\n    assert f(n) == n * n")
    assert grader.grade_sync(loop, "n = 0\ndef f(v):\n    global n\n    n = 1\n    return 1").outcome == "wrong"


@pytest.mark.parametrize(("tests", "reason"), [
    ("class M: pass\nclass B(A, M): pass\nassert B().g() == 1", "derives from the answer's class and from one of the tests"),
    ("from abc import ABC\nclass B(A, ABC): pass\nassert B().g() == 1", "metaclass conflict"),
    ("import inspect\nassert A().g() == 1\nassert list(inspect.signature(A.g).parameters) == ['self']", "look with 'inspect.' into objects of the answer"),
    ("from dataclasses import asdict\nassert asdict(A()) == {'x': 1}", "look with 'asdict('"),
])
def test_what_two_processes_cannot_do_is_said_and_not_held_against_the_answer(grader, tests, reason):
    answer = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\n    def g(self): return 1"
    verdict = grader.grade_sync(problem(tests=tests, entry_point="A"), answer)
    assert (verdict.outcome, verdict.failure.kind) == ("failed", "bad_grading_data")
    assert reason in verdict.failure.detail


def test_a_helper_of_the_prompt_is_the_prompts_for_the_tests(grader):
    prompt = "def poly(xs, x):\n    return sum(c * x ** i for i, c in enumerate(xs))\n\n\ndef zero(xs):\n    \"\"\"A root.\"\"\"\n"
    asked = problem(prompt=prompt, tests="assert abs(poly([-1, 1], zero([-1, 1]))) < 1e-4", entry_point="zero")
    assert grader.grade_sync(asked, "def poly(xs, x): return 0\ndef zero(xs): return 99").outcome == "wrong"
    assert grader.grade_sync(asked, "def zero(xs): return -xs[0] / xs[1]").outcome == "right"


OWN_BUILTINS = {
    "all": "assert all(f(i) == i * i for i in range(5))", "abs": "assert abs(f(3) - 9) < 1e-6", "len": "assert len(f(3)) == 3",
    "set": "assert set(f(3)) == {1, 2}", "round": "assert round(f(2), 2) == 1.41", "sorted": "assert sorted(f(3)) == [1, 2]",
    "str": "assert str(f(3)) == '9'", "range": "for i in range(1, 4):\n    assert f(i) == i * i", "int": "assert f(3) == int('9')",
    "any": "assert any(f(i) == i * i for i in [3])", "isinstance": "assert isinstance(f(3), float)",
    "AssertionError": "try:\n    assert f(3) == 9\nexcept AssertionError:\n    raise",
}
TRICKS = {"round": "def round(*a): return 1.41", "len": "def len(x): return 3", "abs": "def abs(x): return 0", "set": "def set(x): return {1, 2}",
          "str": "def str(x): return '9'", "range": "def range(*a): return []", "int": "int = lambda x: 0", "sorted": "def sorted(x): return [1, 2]"}


@pytest.mark.parametrize("entry", ["f", None])
@pytest.mark.parametrize("name", OWN_BUILTINS)
def test_the_tests_keep_pythons_own(grader, name, entry):
    code = f"{TRICKS.get(name, f'def {name}(*a): return True')}\ndef f(v): return []"
    assert grader.grade_sync(problem(tests=OWN_BUILTINS[name], entry_point=entry), code).outcome == "wrong"


@pytest.mark.parametrize(("data", "code"), [
    ({"tests": "assert sum(10, 15) == 6", "entry_point": "sum"}, "def sum(a, b): return 6"),
    ({"tests": "assert sum(10, 15) == 6"}, "def sum(a, b): return 6"),
    ({"tests": "def check(c):\n    assert c(10, 15) == 6\ncheck(sum)", "entry_point": "sum"}, "def sum(a, b): return 6"),
    ({"tests": "assert len(sorted([2, 1])) == 2", "prompt": "def sorted(xs):\n    'Sort.'\n"}, "def sorted(xs): return xs"),
    ({"tests": "assert f([2, 1]) == [1, 2]", "entry_point": "f"}, "def sorted(xs): return xs[::-1]\ndef print(*a): pass\ndef f(x):\n    print(x)\n    return sorted(x)"),
    ({"tests": "def check(candidate):\n    assert candidate(2) == 4\n", "entry_point": "f"}, "def f(v): return v * v"),
    ({"tests": "METADATA = {}\n\ndef check(candidate):\n    assert candidate(2) == 4\n", "entry_point": "Solution().f"}, "class Solution:\n    def f(self, v): return v * v"),
])
def test_what_is_under_test_is_the_answers(grader, data, code):
    assert grader.grade_sync(problem(**data), code).outcome == "right"


def test_tests_that_swallow_everything_do_not_hide_the_end_of_the_answer(grader):
    tests = "try:\n    f(1)\nexcept:\n    pass\n"
    assert grader.grade_sync(problem(tests=tests), "import os\ndef f(v): os._exit(0)").outcome == "wrong"
    assert grader.grade_sync(problem(tests=tests), "def f(v): raise ValueError").outcome == "right"


def test_a_missing_name_is_called_one(grader):
    verdict = grader.grade_sync(problem(tests="assert most_common([1]) == 1", entry_point="most_common"), "def frequent(v): return 1")
    assert (verdict.outcome, verdict.failure) == ("wrong", None)
    assert verdict.reason == "missing name: the tests use 'most_common', and the answer defines frequent"


@pytest.mark.parametrize("data", [
    {"tests": ""}, {"tests": "# nothing"}, {"tests": "def check(c):\n    assert c(1) == 1"},
    {"tests": "def check(c, n):\n    assert c(n) == 1", "entry_point": "f"}, {"tests": "assert len(sorted([2, 1])) == 2"},
    {"tests": "assert 1 == 1"}, {"tests": "assert f(("}, {"tests": "import numpy as np\nassert f(1) == 1"},
    {"prompt": "import numpy as np\n\n\ndef f(v):\n    '''f'''\n", "tests": "assert f(1) == 1"}, {},
])
def test_tests_that_cannot_judge_fail_and_pay_nobody(grader, data):
    verdict = grader.grade_sync(problem(**data), "def f(v): return 1")
    assert (verdict.outcome, verdict.failure.boundary, verdict.failure.kind) == ("failed", "grader", "bad_grading_data")


@pytest.mark.parametrize(("stdin", "stdout", "code", "outcome"), [
    ("3\n1 2 3\n", "6\n", "n = int(input())\nprint(sum(map(int, input().split())))", "right"),
    ("a b\n", "b a", "print(*open(0).read().split()[::-1])", "right"),
    ("", "6\n", "print(6)\nexit()", "right"),
    ("", "1", "import os\nprint(1, flush=True)\nos._exit(0)", "right"),
    ("", "1", "import sys, threading\nthreading.stack_size(1 << 26)\nt = threading.Thread(target=print, args=(1,))\nt.start()\nt.join()", "right"),
    ("", "1", "import os, time\nprint(1, flush=True)\nif os.fork() == 0: time.sleep(100)", "right"),
    ("5", "1", "if __name__ == '__main__':\n    print(1)", "right"),
    ("", "6\n", "import sys\nprint(6)\nsys.exit(1)", "wrong"),
    ("", "", "raise ValueError('x')", "wrong"),
    ("", "1", "print(1)\n1 / 0", "wrong"),
    ("", "1", "print(int(input()))", "wrong"),
    ("", "1", "import sys\nsys.stdout.buffer.write(b'\\xff')", "wrong"),
    ("", "1", "print(2)", "wrong"),
])
def test_a_program_is_judged_by_what_it_prints(grader, stdin, stdout, code, outcome):
    verdict = grader.grade_sync(problem(stdin=stdin, stdout=stdout), f"```python\n{code}\n```")
    assert (verdict.outcome, verdict.failure) == (outcome, None), verdict


@pytest.mark.parametrize("starts", ["solve()", "if __name__ == '__main__':\n    solve()", "import sys\nsys.setrecursionlimit(9999)\nprint(end='')\nsolve()"])
def test_a_program_that_only_defines_runs_with_the_block_that_starts_it(grader, starts):
    asked = problem(stdin="1 2", stdout="3\n")
    text = f"```python\nimport sys\ndef solve():\n    print(sum(map(int, input().split())))\n```\nRun it with\n```python\n{starts}\n```\n```\n3\n```"
    assert grader.grade_sync(asked, text).outcome == "right"
    whole = "```python\ndef solve():\n    print(sum(map(int, input().split())))\nsolve()\n```\nE.g.\n```python\nsolve()\n```"
    assert grader.grade_sync(asked, whole).outcome == "right"


def test_what_ends_at_a_limit_is_wrong_and_says_which(quick):
    endless = {
        "used more than 1 s of CPU time": "def f(v):\n    while True: pass",
        "killed, by itself or over 1 s of CPU time": "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\ndef f(v):\n    while True: pass",
        "did not end within 6 s": "import time\ndef f(v): time.sleep(1000)",
        "not end within 6 s": "import os, signal\ndef f(v): os.kill(os.getppid(), signal.SIGSTOP)",
    }
    asked = {said: quick.submit(SQUARE, code) for said, code in endless.items()}
    for said, one in asked.items():
        verdict = one.result()
        assert (verdict.outcome, verdict.failure) == ("wrong", None)
        assert said in verdict.reason


def test_threads_and_loops_share_a_grader(grader):
    async def all_at_once():
        asked = [grader.submit(SQUARE, f"def f(v): return v * v + {n % 2}") for n in range(6)]
        return [verdict.outcome for verdict in await asyncio.gather(*map(asyncio.wrap_future, asked))]

    found = []
    threads = [threading.Thread(target=lambda: found.append(asyncio.run(all_at_once()))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["right", "wrong"] * 3] * 2


def test_cancelling_a_grade_ends_its_answer():
    with CodeGrader(max_workers=1) as made:
        slow = made.submit(SQUARE, "import time\ndef f(v): time.sleep(1000)")
        time.sleep(0.3)
        started = time.monotonic()
        assert slow.cancel()
        assert made.grade_sync(SQUARE, "def f(v): return v * v").outcome == "right"
        assert time.monotonic() - started < 60


def test_closing_cancels_what_is_owed():
    made = CodeGrader(max_workers=1)
    owed = [made.submit(SQUARE, "import time\ndef f(v): time.sleep(1000)") for _ in range(3)]
    time.sleep(0.2)
    started = time.monotonic()
    made.close()
    assert time.monotonic() - started < 60
    for one in owed:
        with pytest.raises(CancelledError):
            one.result()
    with pytest.raises(RuntimeError):
        made.submit(SQUARE, "def f(v): return 1")


def test_a_sandbox_that_stops_working_scores_nobody(tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: Creating new namespace failed: Operation not permitted' >&2\nexit 1\n")
    broken.chmod(0o755)
    with CodeGrader(max_workers=1) as made:
        made._sandbox._bwrap = str(broken)
        verdict = made.grade_sync(SQUARE, "def f(v): return v * v")
    assert (verdict.outcome, verdict.failure.kind) == ("failed", "sandbox")
    assert "Creating new namespace failed" in verdict.failure.detail


def test_without_a_sandbox_every_verdict_says_so(caplog):
    with CodeGrader("none", max_workers=1) as made:
        verdicts = [made.grade_sync(SQUARE, code) for code in ("def f(v): return v * v", "def f(v): return 0", "")]
    assert [verdict.outcome for verdict in verdicts] == ["right", "wrong", "wrong"]
    assert all(verdict.unsandboxed for verdict in verdicts)
    assert "WITHOUT a sandbox" in caplog.text


def test_a_verdict_shows_the_code_that_ran(grader):
    verdict = grader.grade_sync(SQUARE, f"Text.\n```python\ndef f(v):\n    return v * v\n{'# long' * 2000}\n```")
    assert verdict.extracted.startswith("def f(v):\n    return v * v\n# long")
    assert len(verdict.extracted) == 4_000
    assert not verdict.unsandboxed


def test_the_same_answer_gets_the_same_verdict(grader):
    order = "def f(v):\n    return v * v if list({'a', 'b', 'c', 'd', 'e'}) == sorted('abcde', key=hash) or True else 0\n"
    chance = problem(tests="assert f() == f()\nassert list(set('abcdef')) == f()")
    asked = [grader.submit(chance, "def f(): return list(set('abcdef'))") for _ in range(6)]
    assert {one.result().outcome for one in asked} == {"right"}
    assert grader.grade_sync(SQUARE, order).outcome == "right"


def humaneval():
    path = DATA / "humaneval" / "HumanEval.jsonl.gz"
    return [json.loads(line) for line in gzip.open(path)] if path.is_file() else []


@pytest.mark.skipif(not humaneval(), reason=f"no HumanEval in {DATA}; set TMAS_DATA")
def test_bodies_of_humaneval_pass_and_empty_ones_do_not(grader):
    """A sample; all 164 of each were tried."""
    asked = []
    for row in humaneval()[3::12]:
        one = problem(prompt=row["prompt"], entry_point=row["entry_point"], tests=f"{row['test']}\ncheck({row['entry_point']})")
        asked.append((grader.submit(one, f"```python\n{row['canonical_solution']}```"), "right"))
        asked.append((grader.submit(one, f"{row['prompt']}    pass\n"), "wrong"))
    assert [verdict.result().outcome for verdict, _ in asked] == [outcome for _, outcome in asked]
