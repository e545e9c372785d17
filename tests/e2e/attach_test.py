"""`plumbline attach` end to end without a GPU: a program that pretends to use CUDA, under a libcupti that pretends to
record it. Runs of it are compared, a planted slowdown is found, and what goes wrong is told."""

import csv
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PLUMBLINE = BUILD / "bin" / "plumbline"
FAKE = BUILD / "tests" / "fake_activities"
PROGRAM = FAKE / "attached_program"
SCALE = "scale(float*)/program/block=256/grid=128"
ADD = "triton_poi_fused_add/program/block=64/grid=32"


def work(scale_ns=10000, adds="triton_poi_fused_add_0"):
    """The words of a program of two kernels and a range; the numbers of JIT names may differ."""
    return ["launch", "_Z5scalePf", 128, 256, scale_ns, 200, "launch", adds, 32, 64, 5000, 200, "range", "step 1", 90000, 20]


class Attached(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (BUILD / "lib" / "plumbline" / "plumbline_attach.so").exists():
            raise unittest.SkipTest("this build has no plumbline_attach.so")
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.runs = 0

    def call(self, *words, codes=(0,), **variables):
        usual = {"FAKE_CUPTI": str(FAKE / "libcupti.so.13"), "PLUMBLINE_ATTACH_CUPTI": str(FAKE / "libcupti.so.13")}
        done = subprocess.run([str(w) for w in words], cwd=self.folder, env=os.environ | usual | variables,
                              capture_output=True, text=True, timeout=300)  # fmt: skip
        self.assertIn(done.returncode, codes, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def attach(self, words, *flags, codes=(0,), **variables):
        """The folder of a new run, and what was said."""
        Attached.runs += 1
        run = self.folder / f"run-{Attached.runs}"
        done = self.call(PLUMBLINE, "attach", "-o", run, *flags, "--", PROGRAM, *words, codes=codes, **variables)
        return run, done

    def rows(self, run):
        with open(run / "results.csv", newline="") as file:
            return list(csv.DictReader(file))

    def verdicts(self, base, candidate, *flags, codes=(0,)):
        done = self.call(PLUMBLINE, "compare", base, candidate, "--json", *flags, codes=codes)
        return {(f["case"], f["metric"]): f["verdict"] for f in json.loads(done.stdout)["findings"]}

    def test_each_run_of_the_program_is_a_round(self):
        run, done = self.attach(work(), "--visits", 2)
        self.assertEqual(done.stdout.splitlines()[-1], str(run))
        rows = self.rows(run)
        self.assertEqual({row["round"] for row in rows}, {"0", "1"})
        scale = [row for row in rows if row["case"] == SCALE and row["metric"] == "kernel_time_attached"]
        self.assertEqual(len(scale), 2)
        for row in scale:
            samples = [float(s) for s in row["samples"].replace("|", ";").split(";")]
            self.assertEqual(len(samples), 199, "the first launch is apart")
            self.assertLess(max(samples), 11e-6)
            self.assertEqual(row["status"], "UNVERIFIED")
        first = next(row for row in rows if row["case"] == SCALE and row["metric"] == "first_time")
        self.assertGreater(float(first["samples"]), 90e-6)
        info = json.loads((run / "run.json").read_text())
        self.assertEqual(info["environment"]["device_class"], "Fake GPU")
        self.assertEqual(info["environment"]["device_uuid"], "GPU-00000000-0000-0000-0000-000000000001")
        self.assertEqual(info["suites"][0]["name"], "attached_program")
        self.assertTrue(info["finished_at"])

    def test_the_same_program_is_the_same_and_a_slower_kernel_is_found(self):
        base, _ = self.attach(work())
        again, _ = self.attach(work(adds="triton_poi_fused_add_7"))
        same = self.verdicts(base, again)
        self.assertEqual(same[SCALE, "kernel_time_attached"], "SAME")
        self.assertEqual(same[ADD, "kernel_time_attached"], "SAME")
        self.assertNotIn("SLOWER", same.values())
        slower, _ = self.attach(work(scale_ns=13000))
        found = self.verdicts(base, slower, "--trust-screen", codes=(1,))
        self.assertEqual(found[SCALE, "kernel_time_attached"], "SLOWER")
        others = {key: verdict for key, verdict in found.items() if key[0] not in (SCALE, "attached_program/program")}
        self.assertNotIn("SLOWER", others.values(), others)
        self.assertEqual(found["attached_program/program", "program_kernel_time"], "SLOWER")  # the sum of all
        # The other commands take it as any run.
        self.call(PLUMBLINE, "report", slower, "-o", self.folder / "report.html")
        self.call(PLUMBLINE, "accept", base, "--baselines", self.folder / "baselines", "--why", "a start")
        self.verdicts(self.folder / "baselines", again)
        text = self.call(PLUMBLINE, "history", SCALE, "--runs", self.folder).stdout
        self.assertIn("kernel_time_attached", text)

    def test_pairs_confirm_a_slower_kernel(self):
        out = self.folder / "pairs"
        a = shlex.join(str(word) for word in [PROGRAM, *work()])
        self.call(PLUMBLINE, "attach", "--a", a, "--looks", "6", "-o", out, "--", PROGRAM, *work(scale_ns=13000), codes=(1,))
        findings = json.loads((out / "comparison.json").read_text())["findings"]
        found = {(f["case"], f["metric"]): f["verdict"] for f in findings}
        self.assertEqual(found[SCALE, "kernel_time_attached"], "SLOWER")
        self.assertNotEqual(found[ADD, "kernel_time_attached"], "SLOWER")
        self.assertTrue((out / "report.html").exists())

    def test_a_program_that_fails_hands_its_code_through(self):
        run, done = self.attach([*work(), "exit", 3], codes=(3,))
        self.assertIn("the program exited with code 3", done.stderr)
        rows = self.rows(run)
        self.assertEqual({row["round"] for row in rows}, {"0"})  # no further run
        program = next(row for row in rows if row["case"] == "attached_program/program")
        self.assertEqual((program["status"], program["reason"]), ("CRASHED", "the program exited with code 3"))
        self.assertTrue(any(row["case"] == SCALE for row in rows))
        base, _ = self.attach(work(), "--visits", 1)
        self.assertEqual(self.verdicts(base, run, codes=(1,))["attached_program/program", "program_kernel_time"], "BROKEN")

    def test_a_program_that_is_killed_leaves_what_it_did(self):
        run, done = self.attach([*work(), "kill"], codes=(137,))
        self.assertIn("killed by signal 9 (SIGKILL)", done.stderr)
        self.assertIn("ended without exit()", done.stderr)
        self.assertTrue(any(row["case"] == SCALE for row in self.rows(run)))

    def test_a_program_that_leaves_without_exit_handlers_is_measured(self):
        run, done = self.attach([*work(), "quit"], "--visits", 1)
        self.assertIn("its last launches may be missing", done.stderr)
        self.assertTrue(any(row["case"] == ADD for row in self.rows(run)))

    def test_children_are_recorded_and_forked_ones_do_no_harm(self):
        run, _ = self.attach(["fork", *work(), "orphan"], "--visits", 1)
        self.assertTrue(any(row["case"] == "of_child/program/block=32/grid=8" for row in self.rows(run)))
        launches = next(row for row in self.rows(run) if row["case"] == SCALE and row["metric"] == "launches")
        self.assertEqual(float(launches["samples"]), 200)

    def test_what_is_lost_is_told(self):
        _, done = self.attach([*work(), "lose", 5, "endless", "k"], "--visits", 1)
        self.assertIn("CUPTI lost 5 records", done.stderr)
        self.assertIn("1 launch or copy had not ended", done.stderr)

    def test_nothing_ran_is_an_error_that_helps(self):
        run, done = self.attach(["nothing"], codes=(2,))
        self.assertIn("nothing ran: CUDA did not start in the program", done.stderr)
        self.assertFalse(run.exists())
        _, done = self.attach(work(), codes=(2,), FAKE_CUPTI_BUSY="1")
        self.assertIn("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", done.stderr)
        self.assertIn("another tool records in this process already", done.stderr)
        _, done = self.attach(["exit", 4], codes=(4,))
        self.assertIn("exited with code 4, and nothing was measured", done.stderr)

    def test_mistakes_are_told_before_the_program_runs(self):
        _, done = self.attach(work(), codes=(2,), CUDA_INJECTION64_PATH="/opt/nsys.so")
        self.assertIn("injects another tool", done.stderr)
        done = self.call(PLUMBLINE, "attach", codes=(2,))
        self.assertIn("no program is named", done.stderr)
        done = self.call(PLUMBLINE, "attach", "--", "no-such-program", codes=(2,))
        self.assertIn("cannot start 'no-such-program'", done.stderr)
        done = self.call(PLUMBLINE, "attach", "--looks", "3", "--", PROGRAM, *work(), codes=(2,))
        self.assertIn("--a", done.stderr)


if __name__ == "__main__":
    unittest.main()
