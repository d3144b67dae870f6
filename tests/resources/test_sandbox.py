"""A sandbox harms neither the machine nor its secrets, leaves nothing behind, and says so where it cannot be had."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import pytest

from resources.sandbox.bubblewrap import SandboxFault, ways
from resources.sandbox.census import below, resident_bytes
from resources.sandbox.folders import own_folder, remove_left
from resources.sandbox.interpreter import hidden_folders
from resources.sandbox.jobs import ProgramJob, TestJob
from resources.sandbox.limits import Limits
from resources.sandbox.sandbox import Sandbox, _read
from resources.sandbox.syscalls import refused_calls
from resources.sandbox.watch import Watched

ROOT = Path(__file__).resolve().parents[2]
with_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed (apt-get install bubblewrap)")
MIB = 2**20


def quick(**changed):
    """Limits for answers that run into them, told apart from all others on this machine by their time."""
    return Limits(**{"cpu_seconds": 1, "wall_seconds": 3 + random.random() / 1000, "memory_bytes": 512 * MIB, **changed})


def left_of(limits):
    """Processes of sandboxes with these limits, by their command lines."""
    mark = repr(limits.wall_seconds).encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def program(code, stdin=""):
    return ProgramJob(textwrap.dedent(code), stdin, "marker")


@pytest.fixture(scope="module", params=ways())
def sandbox(request):
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed (apt-get install bubblewrap)")
    made = Sandbox(limits=quick())
    if request.param != made._way and (wrong := made._trial(request.param)) is not None:
        pytest.skip(f"no {request.param} here: {wrong[-200:]}")
    made._way = request.param
    yield made
    assert left_of(made.limits) == []


def said(sandbox, code, stdin=""):
    run = sandbox.run(program(code, stdin))
    assert run.report is not None, run
    assert run.report.status == 0, run
    return run.stdout.strip()


def test_the_project_the_home_and_the_secrets_of_the_machine_are_not_there(sandbox, monkeypatch, tmp_path):
    monkeypatch.setenv("PLANTED_SECRET", "7f3a")
    secret = tmp_path / "secret"
    secret.write_text("7f3a")
    code = f"""
        import os
        paths = ["/etc/passwd", "/etc/shadow", "/home", "/var", {str(ROOT / "tmas_assets")!r}, {str(secret)!r}, {str(ROOT / ".venv")!r}]
        print([p for p in paths if os.path.exists(p)])
        os.symlink({str(secret)!r}, "/tmp/link")
        os.symlink(os.path.join("/proc/1", "root", "etc", "passwd"), "/tmp/other")
        for p in ("/tmp/link", "/tmp/other", "/proc/1/root{secret}", "/proc/1/cwd/../etc/passwd"):
            try: print(p, open(p).read())
            except OSError: pass
        for p in os.listdir("/proc"):
            try:
                if "PLANTED" in open(f"/proc/{{p}}/environ").read(): print(p, "has it")
            except OSError: pass
        print(sorted(set(os.environ) - {{"HOME", "TMPDIR", "LANG", "PATH", "PYTHONHASHSEED", "MALLOC_ARENA_MAX", "PWD"}}))
        print(sorted(os.listdir("/tmp")), os.path.expanduser("~"))
        """
    assert said(sandbox, code).split("\n") == ["[]", "[]", "['link', 'other'] /tmp"]


def test_only_its_own_folder_can_be_written(sandbox):
    code = """
        import os, sys
        written = []
        for folder in ("/", "/usr", "/lib", "/dev", "/dev/shm", "/etc", "/proc/sys/kernel", sys.prefix, os.path.dirname(os.__file__), "/tmp"):
            try:
                open(os.path.join(folder, "x"), "w").close()
                written.append(folder)
            except OSError: pass
        print(written)
        """
    assert said(sandbox, code) == "['/dev/shm', '/tmp']"


def test_there_is_no_network_and_nobody_else(sandbox):
    code = """
        import os, socket
        print([line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line])
        for kind, where in ((socket.AF_INET, ("1.1.1.1", 53)), (socket.AF_INET, ("127.0.0.1", 22)), (socket.AF_UNIX, "/run/docker.sock")):
            try:
                socket.socket(kind).connect(where)
                print("reached", where)
            except OSError: pass
        print(len([p for p in os.listdir("/proc") if p.isdigit()]) < 6, os.getuid() != 0, socket.gethostname())
        """
    assert said(sandbox, code).split("\n") == ["['lo']", "True True sandbox"]


def test_memory_that_no_process_is_seen_to_have_cannot_be_had(sandbox):
    code = """
        import mmap, socket
        pair = socket.socketpair()
        for what in (socket.socket, lambda: socket.socket(socket.AF_UNIX), lambda: socket.socketpair(type=socket.SOCK_DGRAM),
                     lambda: pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30), lambda: mmap.mmap(-1, 4096),
                     lambda: mmap.mmap(open("/dev/zero", "r+b").fileno(), 4096)):
            try: print("allowed", what())
            except OSError: pass
        held, size = [*pair], 0
        try:
            while True: held += socket.socketpair()
        except OSError: pass
        for one in held:
            one.setblocking(False)
            try:
                while True: size += one.send(b"x" * 65536)
            except BlockingIOError: pass
        print(len(held) <= 64, size < 16 * 2**20)
        """
    assert said(sandbox, code) == "True True"


def test_its_judge_keeps_its_own_limits(sandbox):
    code = """
        import os, resource
        for pid in (os.getppid(), 1):
            try: print("changed", resource.prlimit(pid, resource.RLIMIT_NOFILE, (1, 1)))
            except PermissionError: pass
        print(resource.prlimit(0, resource.RLIMIT_NOFILE, (30, 30)) == (64, 64), resource.getrlimit(resource.RLIMIT_NOFILE))
        """
    assert said(sandbox, code) == "True (30, 30)"


def test_what_asyncio_and_multiprocessing_need_is_there(sandbox):
    code = """
        import asyncio, mmap, multiprocessing
        print(asyncio.run(asyncio.sleep(0, 5)), multiprocessing.Array("i", [1, 2])[:])
        print(len(mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)))
        """
    assert said(sandbox, code) == "5 [1, 2]\n4096"


def test_packages_beside_the_library_are_not_there(sandbox):
    code = """
        import glob, sys
        print([p for k in ("site-packages", "dist-packages") for p in glob.glob(f"{sys.base_prefix}/lib*/python*/{k}/*")])
        """
    assert said(sandbox, code) == "[]"
    assert hidden_folders()


def test_it_cannot_become_more_than_it_is(sandbox):
    code = """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        for what in (lambda: os.setuid(0), lambda: os.memfd_create("x"), lambda: os.chroot("/tmp"), lambda: os.nice(-5)):
            try:
                what()
                print("allowed")
            except OSError: pass
        print([libc.unshare(0x10000000), libc.mount(b"x", b"/tmp", b"tmpfs", 0, None), libc.shmget(0, 4096, 0o1000), libc.ptrace(16, 1, 0, 0)])
        print([line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm", "NoNewPrivs", "Seccomp:"))])
        """
    assert said(sandbox, code).split("\n") == ["[-1, -1, -1, -1]", "['0000000000000000', '0000000000000000', '1', '2']"]


@pytest.mark.parametrize("calls", ["import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
                                   "import os\nfor n in range(10**6):\n    try: os.fork()\n    except OSError: os._exit(3)"])
def test_a_process_flood_ends_and_leaves_nobody(sandbox, calls):
    most = 0
    done = threading.Event()

    def count():
        nonlocal most
        while not done.wait(0.01):
            most = max(most, len(left_of(sandbox.limits)))

    counting = threading.Thread(target=count)
    counting.start()
    run = sandbox.run(program(calls))
    done.set()
    counting.join()
    assert run.stopped in ("cpu", "wall", "processes") or (run.report is not None and run.report.status != 0)
    assert most <= sandbox.limits.processes + 8
    assert left_of(sandbox.limits) == []


@pytest.mark.parametrize("children", [0, 12])
def test_a_memory_flood_ends_before_the_machine_notices(sandbox, children):
    code = f"""
        import os
        for _ in range({children}):
            if os.fork() == 0: break
        held = []
        while True:
            try: held.append(b"x" * 10**7)
            except MemoryError:
                if not {children}: raise
        """
    most = 0
    done = threading.Event()

    def measure():
        nonlocal most
        while not done.wait(0.01):
            most = max(most, resident_bytes(left_of(sandbox.limits)))

    measuring = threading.Thread(target=measure)
    measuring.start()
    run = sandbox.run(program(code))
    done.set()
    measuring.join()
    # one process alone reaches the end of its own address space or, with what it shares, the limit for all
    assert run.stopped in ("memory", "cpu") or (not children and run.report.status != 0)
    assert most < 4 * sandbox.limits.memory_bytes
    assert left_of(sandbox.limits) == []


def test_memory_in_files_is_bounded(sandbox):
    code = """
        n = size = 0
        try:
            while True:
                with open(f"/tmp/{n}", "wb") as file:
                    n += 1
                    for _ in range(8): size += file.write(bytes(2**20))
        except OSError as error: print(error.errno, size <= 64 * 2**20)
        """
    assert said(sandbox, code) == "28 True"
    run = sandbox.run(program("with open('/tmp/x', 'wb') as file:\n    while True: file.write(bytes(2**20))"))
    assert run.report.status != 0
    assert "File too large" in run.errors
    run = sandbox.run(program("n = 0\nwhile True:\n    n += 1\n    open(f'/tmp/{n}', 'w').close()"))
    assert run.stopped in ("files", "cpu")


def test_an_output_flood_is_cut_and_our_memory_stays_flat(sandbox):
    before = resident_bytes([os.getpid()])
    for stream in (1, 2):
        for _ in range(2):
            run = sandbox.run(program(f"import os\nwhile True: os.write({stream}, b'x' * 65536)"))
            assert run.stopped == "output"
            assert len(run.stdout) <= sandbox.limits.output_bytes
    assert resident_bytes([os.getpid()]) - before < 32 * MIB


def test_output_up_to_the_limit_is_all_there(sandbox):
    run = sandbox.run(program("print('x' * (3 * 2**20), flush=True)"))
    assert (run.stopped, len(run.stdout)) == (None, 3 * MIB + 1)


@pytest.mark.parametrize("code", [
    "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(1000)\n    os._exit(0)",
    "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)'], start_new_session=True)",
    "import os, signal, time\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nif os.fork() == 0: time.sleep(1000)",
])
def test_a_background_child_is_gone_with_the_run(sandbox, code):
    started = time.monotonic()
    run = sandbox.run(program(code))
    assert (run.stopped, run.report.status) == (None, 0), run
    assert time.monotonic() - started < sandbox.limits.wall_seconds
    assert left_of(sandbox.limits) == []


@pytest.mark.parametrize("code", ["import time\ntime.sleep(1000)", "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nos.kill(0, signal.SIGSTOP)"])
def test_what_sleeps_is_ended_by_the_clock(sandbox, code):
    run = sandbox.run(program(code))
    assert run.stopped == "wall"
    assert left_of(sandbox.limits) == []


@pytest.mark.parametrize(("code", "most"), [
    # children that wait for each other while the main process sleeps, then a main process that waits among its own children
    ("import os, time\nfor _ in range(24):\n    if os.fork() == 0:\n        while time.process_time() < 0.08: pass\n        break\ntime.sleep(1000)", 1.3),
    ("import os\nfor _ in range(24):\n    if os.fork() == 0: break\nwhile True: pass", 3.0),
])
def test_an_answer_that_makes_the_machine_busy_gets_no_more_time(sandbox, code, most):
    started = time.monotonic()
    run = sandbox.run(program(code))
    assert run.stopped in ("wall", "cpu") or run.report.status == -signal.SIGXCPU
    assert time.monotonic() - started < most * sandbox.limits.wall_seconds + 1
    assert left_of(sandbox.limits) == []


def test_the_time_of_children_that_nobody_waits_for_counts(sandbox):
    code = """
        import os, signal, time
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            try:
                if os.fork() == 0:
                    while time.process_time() < 0.3: pass
                    os._exit(0)
            except BlockingIOError: pass
            time.sleep(0.2)
        """
    made = Sandbox(limits=quick(wall_seconds=30 + random.random() / 1000))
    made._way = sandbox._way
    started = time.monotonic()
    assert made.run(program(code)).stopped == "cpu"
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("code", [
    "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()", "import ctypes\nctypes.string_at(0)",
    "import os\nos.kill(-1, 9)", "import os\nos.closerange(0, 1000)\nraise SystemExit(3)", "while True: pass",
])
def test_what_crashes_has_not_ended_well(sandbox, code):
    run = sandbox.run(program(code))
    assert run.started
    assert run.stopped or run.report is None or run.report.status != 0
    assert left_of(sandbox.limits) == []


def test_standard_input_is_read_to_its_end_and_then_closed(sandbox):
    assert said(sandbox, "import sys\nprint(len(sys.stdin.read()))\nprint(repr(sys.stdin.read()))", "x" * 10**6) == "1000000\n''"


def test_threads_and_processes_of_an_answer_work(sandbox):
    code = """
        import concurrent.futures, multiprocessing
        with concurrent.futures.ThreadPoolExecutor(4) as pool: print(sum(pool.map(abs, [-1, 2])))
        with multiprocessing.get_context("fork").Pool(2) as pool: print(sum(pool.map(abs, [-1, 2])))
        """
    assert said(sandbox, code) == "3\n3"


@with_sandbox
def test_many_runs_leave_our_memory_and_files_as_they_were():
    made = Sandbox(limits=quick())
    job = TestJob("", "junk = bytearray(5 * 2**20)\ndef f(v): return v", "assert f(1) == 1", ("f",), (), ("f",), "marker")
    assert made.run(job).report.outcome == "passed"
    before, files = resident_bytes([os.getpid()]), len(os.listdir("/proc/self/fd"))
    for _ in range(40):
        assert made.run(job).report.outcome == "passed"
    assert resident_bytes([os.getpid()]) - before < 8 * MIB
    assert len(os.listdir("/proc/self/fd")) == files


@pytest.mark.parametrize("isolation", [pytest.param("bubblewrap", marks=with_sandbox), "none"])
def test_a_caller_killed_outright_leaves_no_process(isolation):
    limits = quick(wall_seconds=30 + random.random() / 1000)
    script = (
        "from resources.sandbox.sandbox import Sandbox\nfrom resources.sandbox.limits import Limits\n"
        "from resources.sandbox.jobs import ProgramJob\n"
        f"made = Sandbox({isolation!r}, Limits(wall_seconds={limits.wall_seconds!r}))\nprint('up', flush=True)\n"
        "made.run(ProgramJob('import os, time\\nos.fork()\\ntime.sleep(100)', '', 'm'))\n")
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT) as caller:
        assert caller.stdout.readline() == b"up\n"
        wait_until(lambda: len(set(left_of(limits)) - {caller.pid}) >= 4)
        caller.send_signal(signal.SIGKILL)
    wait_until(lambda: not left_of(limits))


@with_sandbox
@pytest.mark.skipif(os.geteuid() != 0 or not Path("/usr/bin/python3").exists(), reason="needs root and the system's Python")
def test_an_ordinary_user_is_as_safe(tmp_path):
    """The other way into a sandbox, which root does not take: started by an ordinary user, with a Python all may read."""
    script = tmp_path / "run.py"
    script.write_text(textwrap.dedent("""
        import os, sys
        sys.dont_write_bytecode = True
        sys.path.insert(0, sys.argv[1])
        from resources.sandbox.sandbox import Sandbox
        from resources.sandbox.jobs import TestJob
        from resources.sandbox.limits import Limits
        made = Sandbox(limits=Limits(cpu_seconds=1, wall_seconds=2))
        print(made._way, os.getuid())
        flood = "import os\\ndef f():\\n    while True:\\n        try: os.fork()\\n        except OSError: pass"
        judge = "import os\\ndef f():\\n    return open(f'/proc/{os.getppid()}/mem', 'rb')"
        links = "import os\\ndef f():\\n    return os.listdir(f'/proc/{os.getppid()}/fd')"
        files = "import os\\ndef f():\\n    n = 0\\n    while True:\\n        n += 1\\n        open(f'/tmp/{n}', 'w').close()"
        secret = "def f():\\n    return open('/etc/passwd')"
        for code in ("def f(): return 1", "def f(): return 2", flood, judge, links, files, secret):
            run = made.run(TestJob("", code, "assert f() == 1", ("f",), (), ("f",), "m"))
            print(run.report.outcome if run.report else None, run.stopped, run.report.reason if run.report else "")
        """))
    tmp_path.chmod(0o755)
    readable = subprocess.run(["/usr/bin/python3", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); import resources.sandbox.sandbox"],
                              user=12345, group=12345, extra_groups=[], env={"PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True)
    if readable.returncode:
        pytest.skip("an ordinary user cannot read this project, or the system's Python is too old for it")
    with open(script) as code:
        done = subprocess.run(["/usr/bin/python3", "-", str(ROOT)], stdin=code, capture_output=True, text=True, user=12345, group=12345,
                              extra_groups=[], cwd="/", timeout=120, env={"PATH": os.environ["PATH"]})
    lines = done.stdout.splitlines()
    assert lines[:3] == ["user_namespace 12345", "passed None ", "failed None a test fails (line 1 of the tests)"], done.stderr
    flooded, judge, links, files, secret = lines[3:]
    assert flooded.split()[1] in ("cpu", "wall") or "killed" in flooded or "gone" in flooded
    assert "PermissionError" in judge
    assert "PermissionError" in links
    assert files.split()[1] in ("files", "cpu")
    assert "FileNotFoundError" in secret


def wait_until(true):
    deadline = time.monotonic() + 15
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_without_bubblewrap_the_fault_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SandboxFault, match="apt-get install bubblewrap"):
        Sandbox()


def test_a_machine_that_refuses_namespaces_is_told_apart(monkeypatch, tmp_path):
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SandboxFault, match=r"(?s)No permissions to create new namespace.*allow user namespaces"):
        Sandbox()


@pytest.mark.parametrize("isolation", [pytest.param("bubblewrap", marks=with_sandbox), "none"])
def test_limits_above_the_machines_are_lowered_and_noted_once(isolation):
    script = (
        "import logging, resource\nlogging.basicConfig(format='%(message)s')\n"
        "resource.setrlimit(resource.RLIMIT_STACK, (4 * 2**20, 4 * 2**20))\nresource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "from resources.sandbox.sandbox import Sandbox\nfrom resources.sandbox.jobs import TestJob\n"
        f"made = [Sandbox({isolation!r}) for _ in range(2)][-1]\nprint(made.lowered)\n"
        "code = 'import resource\\ndef f(): return resource.getrlimit(resource.RLIMIT_AS)[0], resource.getrlimit(resource.RLIMIT_STACK)[0]'\n"
        "print(made.run(TestJob('', code, f'assert f() == ({2**30}, {4 * 2**20})', ('f',), (), ('f',), 'm')).report.outcome)\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
    assert "memory_bytes of an answer is 1073741824, the hard limit of this machine, not 2147483648" in done.stdout
    assert done.stdout.endswith("passed\n")
    assert done.stderr.count("stack_bytes of an answer is 4194304") == 1


@with_sandbox
def test_a_trial_that_is_too_slow_says_so_and_blames_no_setting(monkeypatch):
    monkeypatch.setattr("resources.sandbox.sandbox._CHECKED", "import time\ndef f(most): time.sleep(100)")
    for isolation in ("bubblewrap", "none"):
        with pytest.raises(SandboxFault, match=r"did not end within 0\.3 s; the machine is probably busy, try again") as fault:
            Sandbox(isolation, quick(wall_seconds=0.3))
        assert "TMAS_CODE_ISOLATION" not in str(fault.value)


def test_reports_that_cannot_be_read_are_none():
    for line in (b"{", b"[]", b"7", b'{"marker": "m", "outcome": "pas', b"\xff", b"[" * 50_000, b'{"marker": "m", "status": "0"}', b'{"marker": "n"}'):
        run = _read(Watched(b'{"started": true}\n' + line, b"", b"", None), "m")
        assert (run.started, run.report) == (True, None)


def test_folders_of_dead_processes_are_removed_at_the_next_start(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, other = tmp_path / "tmas-answer-left", tmp_path / "other"
    for folder in (left, other):
        folder.mkdir()
        (folder / "file").touch()
    later = time.time() + 3600
    with own_folder() as held:
        remove_left(time.time())
        assert left.exists()  # so young that its maker may not have locked it yet
        remove_left(later)
        assert sorted(tmp_path.iterdir()) == sorted([other, Path(held)])
    assert list(tmp_path.iterdir()) == [other]


def test_a_limit_of_nothing_is_refused():
    with pytest.raises(ValueError, match="cpu_seconds is 0"):
        Limits(cpu_seconds=0)


def test_without_a_sandbox_limits_still_hold_and_nothing_stays(caplog):
    made = Sandbox("none", quick())
    assert "WITHOUT a sandbox" in caplog.text
    assert ("root, whose processes the kernel does not limit" in caplog.text) == (os.geteuid() == 0)
    assert made.run(program("print(6)")).stdout == "6\n"
    assert made.run(program("while True: pass")).report.status == -signal.SIGXCPU
    assert made.run(program("bytearray(2**31)")).report.status == 1
    assert made.run(program("import time\ntime.sleep(100)")).stopped == "wall"
    run = made.run(program("import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(100)\n    os._exit(0)"))
    assert run.report.status == 0
    assert left_of(made.limits) == []
    assert below(os.getpid()) == [] or all(Path(f"/proc/{pid}/cmdline").exists() for pid in below(os.getpid()))


def test_every_machine_we_know_refuses_the_same_calls():
    assert refused_calls("riscv64") is None
    for machine in ("x86_64", "aarch64"):
        lines = refused_calls(machine)
        assert len(lines) % 8 == 0
        assert lines[-4:] == (0x7FFF0000).to_bytes(4, sys.byteorder)  # what is not refused is allowed
