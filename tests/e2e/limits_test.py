#!/usr/bin/python3
"""--sandbox limits what code takes: memory of one process, of all together, in files; and processes. Each planted case
takes more than it may. Without the limit it gets it, with the limit it is CRASHED, and the cases beside it go on.

Real workers, on the CPU. Where this machine makes no control groups for the test, a part of the limits is tested.
"""

import pathlib
import sys
import textwrap

import planted
from fault_rows import injected
from strangers import MISTAKE, Repository, can_sandbox, end_left_behind, left_behind

LIMIT_HOLDS = "the limit holds, other cases are OK"
GROUP = "plumbline-"
NO_GROUP = "limits the memory of each process"  # of the note where there are none
MEMORY = ("--sandbox-memory", "1500MiB")
PROCESSES = ("--sandbox-processes", "300")
TAKING = """

    MIB = 1 << 20

    def took(what):
        print("TOOK", what, flush=True)

    def hoarding(x):
        if once("hoard"):
            held = [bytes([1]) * (64 * MIB) for _ in range(24)]
            took(len(held))
        return x * 2

    def sharing_out(x):
        if not once("share"):
            return x * 2
        # No process takes much, all together do.
        code = "import sys; held = bytes([1]) * (200 << 20); print('in', flush=True); sys.stdin.read()"
        words = [sys.executable, "-I", "-S", "-c", code]
        started = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(8)]
        took([process.stdout.readline() for process in started].count(b"in\\n"))
        for process in started:
            process.kill()
            process.wait()
        return x * 2

    def filing(x):
        if not once("file"):
            return x * 2
        for folder in ("/tmp", "/dev/shm"):
            with open(folder + "/much", "wb") as file:
                for _ in range(11):
                    file.write(bytes([1]) * (64 * MIB))
        took("files")
        os.remove("/tmp/much")
        os.remove("/dev/shm/much")
        return x * 2

    def forking(x):
        # A test that forks for ever would take the machine along if the limit did not hold.
        if once("fork"):
            started = 0
            try:
                for _ in range(1000):
                    subprocess.Popen(["sleep", LEFT], start_new_session=True)
                    started += 1
            finally:
                took(started)
        return x * 2

    def writing(x):
        refused = []
        for place in ("/planted", "/dev/planted", "/sys/planted"):
            try:
                pathlib.Path(place).write_text("was here")
            except OSError:
                refused.append(place)
        took(f"all but {refused}")
        return x * 2
"""


def groups():
    """The control groups that plumbline made and did not remove."""
    found = []
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, own = line.split(":", 2)
        top = pathlib.Path("/sys/fs/cgroup") / controllers
        for folder in (top / own.lstrip("/"), *(top / own.lstrip("/")).parents):
            if folder.is_relative_to(top) and folder.is_dir():
                found += [path for path in folder.iterdir() if path.name.startswith(GROUP)]
    return found


class Limits(Repository):
    def setUp(self):
        super().setUp()
        self.plant("tree/ops.py", (self.tree / "ops.py").read_text() + textwrap.dedent(TAKING))
        self.addCleanup(end_left_behind)

    def taken(self, names, *limits, code):
        """Runs these cases and an honest one. -> {name: (status, reason)}"""
        done = self.expect(code, self.ran([*names, "honest"], "--sandbox", *limits))
        self.said = done.stderr
        rows = planted.read_rows(self.folder / "run")
        found = {row["case"].split("/")[0]: (row["status"], row["reason"]) for row in rows}
        self.assertEqual(found["honest"][0], "OK", done.stderr)
        return found

    @injected("takes too much memory: one process, all, files", "while a case runs", "CRASHED, the limit named", LIMIT_HOLDS)
    def test_memory_of_all_processes_and_files_is_limited(self):
        names = ["hoarding", "sharing_out", "filing"]
        enough = self.taken(names, "--sandbox-memory", "4GiB", code=0)
        self.assertEqual({status for status, _ in enough.values()}, {"OK"})
        if NO_GROUP in self.said:
            self.skipTest("this machine makes no control group for memory")
        for name in names:
            status, reason = self.taken([name], *MEMORY, code=1)[name]
            self.assertEqual(status, "CRASHED", (name, reason))
            self.assertIn("more memory than its sandbox has, 1.5 GiB (--sandbox-memory)", reason)
        self.assertEqual(groups(), [])

    @injected("starts 1,000 processes", "while a case runs", "refused at the limit", LIMIT_HOLDS)
    def test_processes_are_limited_for_root_too(self):
        found = self.taken(["forking"], code=0)
        self.assertEqual(found["forking"][0], "OK")
        self.assertIn("TOOK 1000", self.log())
        status, reason = self.taken(["forking"], *PROCESSES, code=1)["forking"]
        self.assertNotEqual(status, "OK")
        self.assertIn("300 (--sandbox-processes)", reason)
        started = int(self.log().split("TOOK ")[1].split()[0])
        self.assertTrue(100 < started < 300, started)
        self.assertEqual(left_behind(), [])

    @injected("writes outside of its scratch folder", "while a case runs", "refused", LIMIT_HOLDS)
    def test_only_scratch_can_be_written(self):
        self.taken(["writing"], code=0)
        self.assertIn("TOOK all but ['/planted', '/dev/planted', '/sys/planted']", self.log())

    def test_limits_that_make_no_sense_are_mistakes(self):
        for flag, value in (("--sandbox-memory", "8"), ("--sandbox-memory", "much"), ("--sandbox-processes", "5"),
                            ("--sandbox-processes", "1e9")):
            self.expect(MISTAKE, self.ran(["honest"], "--sandbox", flag, value), f"{flag} {value}", "expected")
        self.expect(MISTAKE, self.ran(["honest"], *MEMORY), "only for --sandbox")


if __name__ == "__main__":
    if not can_sandbox():
        print("skipped: bubblewrap cannot make a sandbox here")
        sys.exit(planted.SKIPPED)
    planted.main()
