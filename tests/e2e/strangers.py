"""Code of strangers for tests of --sandbox: a tree with functions that do what a sandbox must stop, and what they reached."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import textwrap

import planted

PYTHON = sys.executable
MISTAKE = 2  # exit code
TOKEN = "token-4711"
LEFT = f"31415.{os.getpid()}"  # seconds that a process left behind sleeps; names it in /proc, with the test
BOMB = 200  # processes; a test that forks for ever would take the machine along
MEASURE = "rounds: 1, blocks_min: 2, blocks_max: 2, samples: 3, budget_s: 0.01, warmup_s: 0, timeout_s: 100"

# Does every forbidden thing once, and prints what it reached.
SPY = """
    import json, os, pathlib, socket

    HERE = pathlib.Path(__file__).resolve().parent

    def tried(what):
        try:
            return what()
        except OSError as error:
            return f"refused: {error}"

    def spoil(run):
        for name in ("results.csv", "run.json", "worker.log"):
            with open(run / name, "r+") as file:
                file.write("spoiled")
        return "reached"

    def call():
        with socket.create_connection(("127.0.0.1", int((HERE / "port").read_text())), timeout=5) as line:
            line.sendall(b"hello")
        return "reached"

    def write(path):
        path.write_text("was here")
        return "reached"

    def environments():
        for folder in pathlib.Path("/proc").iterdir():
            if folder.name.isdigit() and TOKEN in tried((folder / "environ").read_text):
                return "reached"
        return "nothing"

    def opened_to_write(path):
        os.close(os.open(path, os.O_WRONLY))
        return "reached"

    def rights():
        status = pathlib.Path("/proc/self/status").read_text()
        return status.split("CapEff:")[1].split()[0].strip("0") or "none"

    def home():
        return tried((pathlib.Path(os.environ["HOME"]) / "credentials").read_text)

    def report():
        found = {
            "variable": os.environ.get("DEPLOY_TOKEN", "nothing"),
            "proc": environments(),
            "home": home(),
            "git": tried((HERE / ".git" / "credentials").read_text),
            "network": tried(call),
            "tree": tried(lambda: write(HERE / "was-here")),
        }
        if os.getpid() < 10:  # only in a sandbox: elsewhere root may do that
            found["kernel"] = tried(lambda: opened_to_write("/proc/sys/kernel/core_pattern"))
            found["bwrap"] = tried(lambda: opened_to_write("/proc/1/exe"))
            found["rights"] = rights()
        print("SPY " + json.dumps(found), flush=True)
"""

OPS = """
    import os, pathlib, signal, subprocess, sys
    import spy

    HERE = pathlib.Path(__file__).resolve().parent
    done = set()

    def once(name):
        is_first = name not in done
        done.add(name)
        return is_first

    def honest(x):
        return x * 2

    def spying(x):
        if once("spy"):
            spy.report()
        return x * 2

    def spoiling(x):
        if once("spoil"):
            print("SPOIL", spy.tried(lambda: spy.spoil(HERE.parent / "run")), flush=True)
        return x * 2

    def killing(x):
        if once("kill"):
            os.kill(os.getppid(), signal.SIGKILL)
        return x * 2

    def leaving(x):
        if once("leave"):
            for _ in range(COUNT):
                subprocess.Popen(["sleep", LEFT], start_new_session=True)
        return x * 2

    def crashing(x):
        os.kill(os.getpid(), signal.SIGSEGV)
"""

SUITE = f"""
suite: others
measure: {{{MEASURE}}}
benchmarks:
"""
CASE = """
  - {{op: python, name: {name}, source: ops.py, function: {name}, args: {{x: "randn[n]"}},
     reference: "aten::mul(x, 2)", sweep: {{n: [1000], dtype: [float32]}}}}
"""


def can_sandbox():
    """Whether bubblewrap makes a sandbox here, asked without plumbline."""
    words = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "--proc", "/proc"]
    with contextlib.suppress(OSError):
        return subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
    return False


def left_behind():
    """Process ids of the planted sleepers."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and (folder / "cmdline").read_bytes() == f"sleep\0{LEFT}\0".encode():
                found.append(int(folder.name))
    return found


def end_left_behind():
    for pid in left_behind():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Server:
    """Counts who connects to a port of the loopback."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]

    def calls(self):
        self.socket.setblocking(False)
        count = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                self.socket.accept()[0].close()
                count += 1
        return count


class Repository(planted.Planted):
    """A tree of others, and a home with a token."""

    def setUp(self):
        super().setUp()
        self.home = self.folder / "home"
        self.plant("home/credentials", TOKEN)
        self.tree = self.folder / "tree"
        self.plant("tree/spy.py", f"TOKEN = '{TOKEN}'\n" + textwrap.dedent(SPY))
        self.plant("tree/ops.py", f"LEFT, COUNT = '{LEFT}', {BOMB}\n" + textwrap.dedent(OPS))
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("-c", "user.name=A. User", "-c", "user.email=a@user", "commit", "--quiet", "--message", "one")
        self.plant("tree/.git/credentials", TOKEN)
        self.server = Server()
        self.addCleanup(self.server.socket.close)
        self.plant("tree/port", str(self.server.port))

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.tree, check=True, env=self.environment(), stdout=subprocess.DEVNULL)

    def command(self, *words, **variables):
        variables = {"HOME": str(self.home), "DEPLOY_TOKEN": TOKEN, "PLUMBLINE_PYTHON": PYTHON, **variables}
        return self.plumbline(*words, cwd=self.tree, **variables)

    def suite(self, *names):
        return self.plant("tree/others.yaml", SUITE + "".join(CASE.format(name=name) for name in names))

    def ran(self, names, *more, **variables):
        """Runs the functions into `run`, with these flags."""
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        words = ["run", self.suite(*names), "--device", "cpu", "-o", self.folder / "run", *more]
        return self.command(*words, **variables)

    def marking(self, name):
        """A library that makes a file outside of the tree when it is loaded. -> (this file, the library)"""
        source = self.plant("tree/mark.c", """
            #include <stdio.h>
            __attribute__((constructor)) static void mark(void) { FILE* f = fopen(PLACE, "w"); if (f) fclose(f); }
        """)
        mark, library = self.folder / name, self.tree / f"{name}.so"
        subprocess.run(["cc", "-shared", "-fPIC", f'-DPLACE="{mark}"', "-o", library, source], check=True)
        return mark, library

    def log(self):
        return (self.folder / "run" / "worker.log").read_text()

    def spied(self):
        """What the spy reached, by what it tried."""
        reports = [line for line in self.log().splitlines() if line.startswith("SPY ")]
        self.assertTrue(reports, self.log())
        return json.loads(reports[0][4:])
