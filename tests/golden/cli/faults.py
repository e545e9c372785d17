"""The command line under faults: killed, interrupted, locked out, resumed by another command."""

import json
import os
import random
import signal

import fault_test
from fault_test import FAKE_WORKER, FaultTest


class Killed(FaultTest):
    def test_a_run_killed_at_random_visits_resumes_and_measures_nothing_twice(self):
        command = ["run", "demo.yaml", "-o", "killed", "--rounds", "6"]
        kills = self.folder / "kills"
        chance = random.Random(20240229)
        kills.write_text(" ".join(str(chance.randint(1, 5)) for _ in range(8)))
        times = 0
        code, _, _ = self.plumbline(*command, FAKE_WORKER_KILLS=str(kills))
        while code == -signal.SIGKILL:
            times += 1
            self.visits("killed")  # readable at any time
            code, out, err = self.plumbline(*command, "--resume", FAKE_WORKER_KILLS=str(kills))
        self.assertEqual(code, 0, err)
        self.assertGreaterEqual(times, 5)
        visits = self.visits("killed")
        self.assertEqual(len(visits), 5 * 6)
        self.assertEqual(len(set(visits)), len(visits))
        code, _, err = self.plumbline("run", "demo.yaml", "-o", "whole", "--rounds", "6")
        self.assertEqual(code, 0, err)
        self.assertEqual(self.visits("whole"), visits, "the order is that of a run that was not killed")

    def test_a_torn_last_row_is_measured_again(self):
        command = ["run", "demo.yaml", "-o", "torn"]
        process = self.hanging(*command)
        process.kill()
        self.finish(process)
        results = self.work / "torn" / "results.csv"
        before = self.visits("torn")
        text = results.read_bytes()
        results.write_bytes(text[: len(text) - 25])
        code, _, err = self.plumbline(*command, "--resume")
        self.assertEqual(code, 0, err)
        self.assertIn("note:", err)
        visits = self.visits("torn")
        self.assertEqual(len(visits), 10)
        self.assertEqual(len(set(visits)), 10)
        self.assertEqual(visits[: max(len(before) - 1, 0)], before[:-1])


class Interrupted(FaultTest):
    def interrupted_by(self, number, code):
        process = self.hanging("run", "demo.yaml", "-o", "stopped", "--rounds", "1")
        process.send_signal(number)
        found, out, err = self.finish(process)
        self.assertEqual(found, code, err)
        self.assertIn("interrupted after", err)
        self.assertIn("plumbline run demo.yaml --rounds 1 -o stopped --resume", err)
        self.assertNotIn(("aten::exp/libtorch/dtype=float32/n=16", 0), self.visits("stopped"))
        found, out, err = self.plumbline("run", "demo.yaml", "--rounds", "1", "-o", "stopped", "--resume")
        self.assertEqual(found, 0, err)
        self.assertEqual(len(self.visits("stopped")), 5)

    def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(self):
        self.interrupted_by(signal.SIGINT, 130)

    def test_a_termination_is_as_clean(self):
        self.interrupted_by(signal.SIGTERM, 143)


class Locked(FaultTest):
    def test_a_second_run_on_the_device_is_refused_with_the_holders_name(self):
        process = self.hanging("run", "demo.yaml", "-o", "first")
        code, _, err = self.plumbline("run", "more/relu.yaml", "-o", "second")
        self.assertEqual(code, 2)
        self.assertIn("device FAKE-0001 is in use by 'plumbline run demo.yaml -o first'", err)
        self.assertIn(f"(process {process.pid}, since 2", err)
        self.assertFalse((self.work / "second").exists())
        code, out, _ = self.plumbline("doctor")
        self.assertIn(f"in use by 'plumbline run demo.yaml -o first' (process {process.pid}", out)
        code, _, err = self.plumbline("run", "more/relu.yaml", FAKE_WORKER_UUID="FAKE-0002")
        self.assertEqual(code, 0, err)
        process.kill()
        self.finish(process)
        code, _, err = self.plumbline("run", "more/relu.yaml", "-o", "second")
        self.assertEqual(code, 0, err)


class Resumed(FaultTest):
    def setUp(self):
        super().setUp()
        process = self.hanging("run", "demo.yaml", "-o", "run", "--filter", "!float16")
        process.kill()
        self.finish(process)

    def refused(self, *arguments, **options):
        code, _, err = self.plumbline("run", *arguments, "-o", "run", "--resume", **options)
        self.assertEqual(code, 2)
        self.assertIn("this is not the command that the run was started with", err)
        return err

    def test_other_flags_are_named(self):
        err = self.refused("demo.yaml", "--rounds", "5")
        self.assertIn("'--filter '!float16'' then, '--rounds 5' now", err)

    def test_an_edited_suite_is_named(self):
        suite = self.work / "demo.yaml"
        suite.write_text(suite.read_text().replace("cols: [64]", "cols: [65]"))
        self.assertIn("suite demo (hash)", self.refused("demo.yaml", "--filter", "!float16"))

    def test_another_device_is_named(self):
        err = self.refused("demo.yaml", "--filter", "!float16", FAKE_WORKER_UUID="FAKE-0002")
        self.assertIn("device: FAKE-0001 then, FAKE-0002 now", err)

    def test_the_same_flags_in_another_order_go_on(self):
        code, _, err = self.plumbline("run", "--resume", "--filter=!float16", "-o", "run", "./demo.yaml")
        self.assertEqual(code, 0, err)


if __name__ == "__main__":
    fault_test.main()
