"""The command line if files and streams cannot be written, or are not regular files."""

import json
import os
import resource
import signal
import subprocess

import fault_test
from fault_test import FaultTest


class FullDisk(FaultTest):
    def test_a_full_disk_is_an_error_and_what_was_written_stays_valid(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8000, resource.RLIM_INFINITY))

        command = ["run", "demo.yaml", "-o", "full", "--rounds", "20"]
        code, _, err = self.plumbline(*command, limit=limit)
        self.assertEqual(code, 2)
        self.assertIn("results.csv", err)
        self.assertIn("--resume", err)
        visits = self.visits("full")
        self.assertGreater(len(visits), 0)
        code, _, err = self.plumbline(*command, "--resume")
        self.assertEqual(code, 0, err)
        self.assertEqual(len(set(self.visits("full"))), 100)
        self.assertEqual(self.visits("full")[: len(visits)], visits)

    def test_a_run_that_could_not_begin_has_nothing_to_go_on_with_and_is_begun_anew(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))

        command = ["run", "demo.yaml", "-o", "full"]
        code, _, err = self.plumbline(*command, limit=limit)
        self.assertEqual(code, 2)
        self.assertIn("full/results.csv: cannot write it: File too large", err)
        self.assertNotIn("--resume", err)
        code, _, err = self.plumbline(*command)
        self.assertEqual(code, 0, err)


class NobodyListens(FaultTest):
    """Nobody reads the messages: standard error is a full disk, or closed."""

    def run_with(self, folder, prepare):
        code, _, _ = self.plumbline("run", "demo.yaml", "-o", folder, limit=prepare)
        self.assertEqual(code, 0)
        self.assertIsNotNone(json.loads((self.work / folder / "run.json").read_text())["finished_at"])
        self.assertEqual(len(self.visits(folder)), 10)

    def test_a_full_disk_under_the_log_stops_no_run(self):
        self.run_with("full", lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), 2))

    def test_a_closed_one_stops_no_run(self):
        self.run_with("closed", lambda: os.close(2))

    def test_no_file_of_a_run_takes_the_place_of_a_closed_one(self):
        code, out, err = self.plumbline("run", "demo.yaml", "-o", "run", limit=lambda: os.closerange(0, 3))
        self.assertEqual((code, out, err), (2, "", ""))  # the run's folder could not be reported
        self.assertEqual(len(self.visits("run")), 10)
        code, _, err = self.plumbline("compare", "run", "run")
        self.assertEqual(code, 0, err)


class Outputs(FaultTest):
    def test_standard_output_and_links_are_written_to_and_stay(self):
        code, _, err = self.plumbline("run", "more/relu.yaml", "-o", "run")
        self.assertEqual(code, 0, err)
        (self.work / "link").symlink_to("comparison.json")
        code, _, err = self.plumbline("compare", "run", "run", "-o", "link")
        self.assertEqual(code, 0, err)
        self.assertTrue((self.work / "link").is_symlink())
        written = (self.work / "comparison.json").read_text()
        self.assertIn("findings", json.loads(written))
        # /dev/stdout leads to this; if the test goes wrong, nothing there can be replaced.
        output = "/proc/self/fd/1"
        code, out, err = self.plumbline("compare", "run", "run", "-o", output)
        self.assertEqual(code, 0, err)
        self.assertTrue(out.startswith(written))
        self.assertIn("1 SAME", out)
        log = self.work / "log"
        log.write_text("before\n")
        words = [fault_test.PROGRAM, "compare", "run", "run", "-o", output]
        with open(log, "a") as file:
            subprocess.run(words, cwd=self.work, env=self.environment, stdout=file, check=True)
        self.assertTrue(log.read_text().startswith("before\n" + written))
        self.assertIn("1 SAME", log.read_text())


if __name__ == "__main__":
    fault_test.main()
