#!/usr/bin/python3
"""Every system call of a command fails once, and the power fails at every moment of a run and of an acceptance.

Here is an even part of all faults; failing_calls.py injects them all and prints the table of docs/evidence/faults.md.
"""

import concurrent.futures
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import failing_calls
import failing_worlds
import planted
import power_loss
from fault_rows import VisitLost, WrongVerdict, injected

MOST = 1  # fault for each command, kind of call and error: two minutes on two cores

# Programs with a planted truth, which show that shim and model find what they are for.
SAVES = """
import os, sys
folder, is_safe = sys.argv[1], sys.argv[2] == "safe"
file = os.open(folder + "/new", os.O_WRONLY | os.O_CREAT)
os.write(file, b"new content")
if is_safe: os.fsync(file)
os.close(file)
os.rename(folder + "/new", folder + "/file")
names = os.open(folder, os.O_RDONLY)
if is_safe: os.fsync(names)
"""


def python(code, *words, **variables):
    """Runs a program under the shim."""
    program = pathlib.Path(sys.executable).resolve()
    shim = {"LD_PRELOAD": str(failing_worlds.SHIM), "FAILING_PROGRAM": program.name}
    return subprocess.run(
        [program, "-S", "-c", code, *words], env={**shim, **variables}, capture_output=True, encoding="utf-8"
    )


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-e2e-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder)


class Shim(Folder):
    def test_the_call_with_that_number_fails_with_that_error_and_no_other(self):
        code = "import os, sys\nfor i in range(4): os.mkdir(f'{sys.argv[1]}/{i}')"
        variables = {"FAILING_KIND": "mkdir", "FAILING_WITH": "ENOSPC", "FAILING_BELOW": str(self.folder)}
        done = python(code, str(self.folder), FAILING_NUMBER="3", **variables)
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["0", "1"])

    def test_calls_of_other_programs_and_on_other_files_do_not_count(self):
        code = "import os, sys\nos.mkdir(sys.argv[1] + '/a')"
        variables = {"FAILING_KIND": "mkdir", "FAILING_WITH": "ENOSPC", "FAILING_NUMBER": "1"}
        self.assertEqual(python(code, str(self.folder), FAILING_BELOW="/nowhere", **variables).returncode, 0)
        other = {"FAILING_PROGRAM": "other", "FAILING_BELOW": str(self.folder)}
        (self.folder / "a").rmdir()
        self.assertEqual(python(code, str(self.folder), **variables, **other).returncode, 0)

    def test_a_short_write_writes_half(self):
        code = "import os, sys\nprint(os.write(os.open(sys.argv[1], 65), bytes(100)))"
        variables = {"FAILING_KIND": "write", "FAILING_WITH": "short", "FAILING_BELOW": str(self.folder)}
        done = python(code, str(self.folder / "file"), FAILING_NUMBER="1", **variables)
        self.assertEqual(done.stdout, "50\n", done.stderr)
        self.assertEqual((self.folder / "file").stat().st_size, 50)


class Model(Folder):
    """Of what a power loss leaves."""

    def contents(self, how):
        """What the file can hold, before the end and at the end."""
        start, root, record = self.folder / "start", self.folder / "root", self.folder / "record"
        start.mkdir()
        (start / "file").write_bytes(b"old content")
        shutil.copytree(start, root)
        inodes = power_loss.inodes_of(root)
        done = python(SAVES, str(root), how, FAILING_BELOW=str(root), FAILING_RECORD=str(record))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = list(power_loss.states(root, start, inodes, record))
        last = power_loss.last_states(root, start, inodes, record)
        return {state["file"] for _, state in found}, {state["file"] for state in last}

    def test_a_file_that_is_not_synced_is_lost(self):
        found, last = self.contents("careless")
        self.assertIn(b"", found)
        self.assertIn(b"", last)

    def test_a_file_that_is_synced_is_the_old_or_the_new_one_and_stays(self):
        found, last = self.contents("safe")
        self.assertEqual(found, {b"old content", b"new content"})
        self.assertEqual(last, {b"new content"})


class FailingCalls(Folder):
    def test_a_command_of_which_any_call_fails_says_so_and_loses_nothing(self):
        worlds = failing_calls.Worlds(self.folder)
        done = worlds.inject_all(list(worlds.faults(MOST)))
        harmed = [fault for fault in done if fault.wrong]
        self.assertEqual(harmed, [])
        self.assertGreater(sum(bool(fault.call) for fault in done), 0.9 * len(done))


class PowerLoss(Folder):
    """At every moment of a command. Its states are read and gone on with."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.class_folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-e2e-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.class_folder)
        cls.worlds = failing_calls.Worlds(cls.class_folder, learns=("run", "accept"))

    def states_of(self, name):
        """(the last change, whether the command had ended, a world after a power loss) for each state."""
        command = failing_worlds.command_named(name)
        world = self.worlds.copy(f"{name}-recorded")
        start = shutil.copytree(world, self.folder / "start")
        inodes = power_loss.inodes_of(world)
        record = self.folder / "record"
        variables = failing_worlds.shimmed(world, FAILING_RECORD=str(record))
        self.assertEqual(failing_worlds.call(world, command.words, **variables).returncode, 0)
        shutil.rmtree(world)
        found = list(power_loss.states(world, start, inodes, record))
        found += [("", state) for state in power_loss.last_states(world, start, inodes, record)]
        for number, (change, state) in enumerate(found):
            left = self.folder / str(number) / "world"
            power_loss.write_state(state, left)
            failing_worlds.say_where(left, world)
            yield change, left

    def test_a_finished_run_survives_and_another_is_gone_on_with(self):
        command = failing_worlds.command_named("run")
        for change, world in self.states_of("run"):
            moment = "after a change by `run`" if change else "after the end of `run`"
            happened = "the run is whole, or is resumed" if change else "the run is whole"
            with self.subTest(change), injected("power loss", moment, happened, "no visit of a finished run is lost"):
                if not change:
                    if difference := self.worlds.difference(command, world, ""):
                        raise VisitLost(difference)
                    continue
                if (world / "fresh" / "run.json").exists():
                    shown = failing_worlds.call(world, ("status", "fresh"))
                    self.assertIn(shown.returncode, (0, 3), shown.stderr)
                words = command.again(world)
                if words:
                    again = failing_worlds.call(world, words)
                    self.assertEqual(again.returncode, 0, again.stderr)
                self.assertEqual(failing_worlds.run_state(world / "fresh"), failing_worlds.run_state(self.made("run")))

    def test_an_accepted_baseline_survives_and_otherwise_the_old_one_stays(self):
        command = failing_worlds.command_named("accept")
        accepted = self.made("accept")
        old, new = failing_worlds.judged(self.worlds.copy("old")), failing_worlds.judged(accepted)
        self.assertNotEqual(old, new)
        for change, world in self.states_of("accept"):
            moment = "after a change by `accept`" if change else "after the end of `accept`"
            happened = "the old or the new baseline" if change else "the new baseline"
            with self.subTest(change), injected("power loss", moment, happened, "a baseline is never half of one"):
                if failing_worlds.judged(world) not in ([old, new] if change else [new]):
                    raise WrongVerdict(f"judged by another baseline: {failing_worlds.judged(world)}")
                again = failing_worlds.call(world, command.words)
                self.assertEqual(again.returncode, 0, again.stderr)
                self.assertEqual(failing_worlds.baseline_state(world), failing_worlds.baseline_state(accepted))

    def made(self, name):
        """A world in which the command was called and nothing failed."""
        world = self.worlds.copy(f"{name}-made")
        done = failing_worlds.call(world, failing_worlds.command_named(name).words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return world / "fresh" if name == "run" else world


if __name__ == "__main__":
    if not failing_worlds.SHIM.is_file():
        print(f"{failing_worlds.SHIM} is not built")
        sys.exit(planted.SKIPPED)
    unittest.main(verbosity=2)
