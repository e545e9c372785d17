#!/usr/bin/python3
"""plumbline-worker --lock-clocks on a fake GPU (a library of the test): locked clocks are restored however the process
that locked them ends."""

import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["PLUMBLINE_BUILD"])
WORKER = BUILD / "bin/plumbline-worker"
FAKE_NVML = BUILD / "tests/fake_nvml"
LIMIT_S = 300  # loading the libraries from a cold disk

# A parent like plumbline: its child is to be killed when it dies. It prints the child's first line and then waits
# forever.
PARENT = """
import ctypes, signal, subprocess, sys
libc = ctypes.CDLL(None)
keeper = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          start_new_session=True,
                          preexec_fn=lambda: libc.prctl(1, signal.SIGKILL))  # PR_SET_PDEATHSIG
print(keeper.pid, keeper.stdout.readline(), end="", flush=True)
signal.pause()
"""


class ClockKeeper(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "nvml.log"
        self.marker = self.folder / "GPU-1.clock"

    def words(self, clock="1500", device="GPU-1"):
        return [str(WORKER), "--lock-clocks", clock, "--device", device, "--marker", str(self.marker)]

    def environment(self, **more):
        return os.environ | more | {
            "LD_LIBRARY_PATH": str(FAKE_NVML),
            "PLUMBLINE_FAKE_NVML_LOG": str(self.log),
        }

    def start(self, words, **more):
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.environment(**more),
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def start_locked(self, clock="1500"):
        process = self.start(self.words(clock))
        answer = json.loads(process.stdout.readline())["locked"]
        self.assertEqual(answer["observed_hz"], 1.5e9)
        return process, answer

    def done(self):
        return self.log.read_text().split("\n")[:-1] if self.log.exists() else []

    def test_a_clock_is_locked_until_the_input_ends(self):
        process, answer = self.start_locked()
        self.assertEqual(answer["left_behind"], "")
        self.assertEqual(self.done(), ["lock 1500 1500"])
        self.assertIn(f"process {process.pid} ", self.marker.read_text())
        out, err = process.communicate("", timeout=LIMIT_S)
        self.assertEqual((process.returncode, out, err), (0, '{"restored": true}\n', ""))
        self.assertEqual(self.done(), ["lock 1500 1500", "unlock"])
        self.assertEqual(self.marker.read_text(), "")

    def test_signals_that_end_others_do_not_keep_it_from_restoring(self):
        process, _ = self.start_locked()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            process.send_signal(number)
        process.communicate("", timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.done(), ["lock 1500 1500", "unlock"])

    def test_the_clock_is_restored_when_the_parent_is_killed(self):
        parent = self.start([sys.executable, "-c", PARENT, *self.words()])
        keeper = os.pidfd_open(int(parent.stdout.readline().split()[0]))
        self.addCleanup(os.close, keeper)
        self.assertEqual(self.done(), ["lock 1500 1500"])
        parent.kill()
        self.wait_for_end(keeper)
        self.assertEqual(self.done(), ["lock 1500 1500", "unlock"])
        self.assertEqual(self.marker.read_text(), "")

    def wait_for_end(self, descriptor):
        self.assertTrue(select.select([descriptor], [], [], LIMIT_S)[0], "the keeper lives on")

    def test_what_a_killed_keeper_left_behind_is_restored_by_the_next(self):
        killed, _ = self.start_locked()
        killed.kill()
        killed.communicate()
        self.assertEqual(self.done(), ["lock 1500 1500"])
        process, answer = self.start_locked("base")
        self.assertIn(f"process {killed.pid} ", answer["left_behind"])
        base = str(0xFFFFFF01)  # NVML's number for it
        self.assertEqual(self.done(), ["lock 1500 1500", "unlock", f"lock {base} {base}"])
        process.communicate("", timeout=LIMIT_S)
        self.assertEqual(self.done()[-1], "unlock")

    def expect_error(self, words, expected, **more):
        process = self.start(words, **more)
        out, err = process.communicate("", timeout=LIMIT_S)
        self.assertEqual((process.returncode, out), (2, ""))
        self.assertIn(expected, err)
        self.assertEqual(self.done(), [])

    def test_without_permission_nothing_is_locked_and_the_drivers_words_are_told(self):
        self.expect_error(
            self.words(), "cannot lock the SM clock: Insufficient Permissions; it takes root",
            PLUMBLINE_FAKE_NVML_REFUSES="1",
        )
        self.assertEqual(self.marker.read_text(), "")

    def test_mistakes_are_named(self):
        self.expect_error(self.words(clock="fast"), "'fast' is no clock; allowed: base, or a whole")
        self.expect_error(self.words(device="cuda:0"), "'cuda:0' is no UUID of a GPU")
        self.expect_error(self.words(device="GPU-2"), "NVML does not know this GPU")
        self.expect_error(self.words()[:-2], "'--marker' lacks its value")


if __name__ == "__main__":
    unittest.main()
