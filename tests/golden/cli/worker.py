"""`plumbline worker test`: docs/reference/numpy_worker.py passes, and each planted fault fails its check.

Runs in a Python with NumPy.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "docs" / "reference" / "numpy_worker.py"
FAULTY = ROOT / "tests" / "support" / "numpy_worker_faults.py"
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SHORT_S = "10"  # wait for answers that never come; start-up takes a tenth of it

# Fault of numpy_worker_faults.py: the check that finds it, and what it reports.
FAULTS = {
    "prints beside the list": ("--devices lists devices", "which is no JSON"),
    "no device": ("--devices lists devices", "found 0 items"),
    "no list of operators": ("--schemas lists operators", "exited with code 2"),
    "no hello": ("says hello in time", f"nothing within {SHORT_S} s"),
    "dies at the start": ("says hello in time", "it exited with code 6"),
    "another protocol": ("the hello fits the schema", "hello.protocol: found 2"),
    "no class of device": ("the hello fits the schema", "hello.environment.device_class: found nothing"),
    "profile trace alone": ("serves profile timing", "hello.profiles: trace"),
    "another device": ("uses the device that it was given", "hello.environment.device_uuid: 'cpu-"),
    "crashes": ("answers a visit with samples", "it exited with code 6"),
    "hangs": ("answers a visit with samples", f"nothing within {SHORT_S} s"),
    "OK without samples": ("answers a visit with samples", "OK without a metric"),
    "a text for a number": ("the answer fits the schema", 'answer.flops: found "many"'),
    "OK without an error": ("the result was compared", "OK with error_rel_l2 nan"),
    "OK with a large error": ("the result was compared", "OK with error_rel_l2 1,"),
    "one block too few": ("samples lie in blocks as asked", "1 block of wall_time"),
    "samples of one block alone": ("samples lie in blocks as asked", "4 samples of wall_time in block 1"),
    "a clock too many": ("samples lie in blocks as asked", "1 value of block_clocks_hz"),
    "milliseconds": ("times are possible, and in their unit", "wall_time in 'ms'"),
    "microseconds called seconds": ("times are possible, and in their unit", "samples of wall_time that add up to"),
    "a time of 0": ("times are possible, and in their unit", "a sample of 0 s"),
    "a metric that there is not": ("times are possible, and in their unit", "metric 'speed'"),
    "fails at the second visit": ("answers several requests in order", "it exited with code 6"),
    "answers twice": ("writes nothing but messages", "after its last answer"),
    "crashes at an unknown op": ("an unknown op is UNSUPPORTED, in words", "it exited with code 6"),
    "measures an unknown op": ("an unknown op is UNSUPPORTED, in words", "OK for op 'an_op_that_nobody_has'"),
    "no reason": ("an unknown op is UNSUPPORTED, in words", "UNSUPPORTED without a reason"),
    "refuses newer keys": ("passes over keys that it does not know", "unknown key 'later'"),
    "prints into the answers": ("writes nothing but messages", "'computing'"),
    "an unknown message": ("writes nothing but messages", '{"progress":0.5}'),
    "silent about nonsense": ("refuses a malformed request in words", "nothing"),
    "no goodbye": ("says goodbye when it is to finish", "exited with code 6"),
    "does not end": ("ends when its requests end", f"did not end within {SHORT_S} s"),
}


class Kit(unittest.TestCase):
    def kit(self, *words):
        variables = os.environ | {"PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
        done = subprocess.run(
            [PROGRAM, "worker", "test", *words], capture_output=True, text=True, timeout=120, env=variables
        )
        return done.returncode, done.stdout, done.stderr

    def failed(self, fault):
        """{check: what was found} for failed checks."""
        code, out, err = self.kit("--json", "--timeout-s", SHORT_S, FAULTY, fault)
        failed = {row["check"]: row for row in json.loads(out) if not row["ok"]}
        self.assertEqual(code, 1 if failed else 0, err)
        return {check: row["found"] for check, row in failed.items()}

    def test_the_sample_worker_passes(self):
        code, out, err = self.kit(SAMPLE)
        self.assertEqual((code, err), (0, "it is a worker: 18 checks passed\n"), out + err)
        self.assertRegex(out, r"(?m)^ *ok +an unknown op is UNSUPPORTED, in words +UNSUPPORTED: this worker has no op ")

    def test_a_program_and_its_arguments_may_stand_behind_dashes(self):
        code, out, err = self.kit("--", sys.executable, SAMPLE, "--mood", "good")
        self.assertEqual(code, 0, out + err)

    def test_a_case_of_a_suite_stands_in_for_the_add(self):
        suite = pathlib.Path(self.enterContext(__import__("tempfile").TemporaryDirectory())) / "s.yaml"
        suite.write_text(
            "suite: s\nbenchmarks:\n- {op: softmax, backend: worker, sweep: {rows: 8, cols: 8, dtype: float64}}\n"
        )
        code, out, err = self.kit("--suite", suite, SAMPLE)
        self.assertEqual(code, 0, out + err)
        self.assertIn("softmax/worker/cols=8/dtype=float64/rows=8 in ", out)

    def test_a_check_that_fails_says_what_was_found_and_expected_and_where_to_read(self):
        code, out, err = self.kit(FAULTY, "milliseconds")
        self.assertEqual((code, err), (1, "1 of 18 checks failed\n"), out)
        self.assertRegex(
            re.sub(r"\s+", " ", out),
            r"failed times are possible, and in their unit found wall_time in 'ms'; expected 's' "
            r"\(docs/reference/protocol.md#samples\)",
        )

    def test_a_program_that_is_not_there_is_a_mistake(self):
        code, _, err = self.kit("/no/such/worker")
        self.assertEqual(code, 2)
        self.assertIn("cannot start '/no/such/worker'", err)

    def test_without_a_program_it_says_what_is_missing(self):
        code, _, err = self.kit()
        self.assertEqual(code, 2)
        self.assertIn("see `plumbline worker test --help`", err)

    def test_each_planted_fault_is_found_by_its_check(self):
        for fault, (check, words) in FAULTS.items():
            with self.subTest(fault):
                failed = self.failed(fault)
                self.assertIn(check, failed, failed)
                self.assertIn(words, failed[check])

    def test_each_check_is_seen_to_fail(self):
        code, out, err = self.kit("--json", SAMPLE)
        self.assertEqual(code, 0, err)
        self.assertEqual({row["check"] for row in json.loads(out)}, {check for check, _ in FAULTS.values()})


if __name__ == "__main__":
    unittest.main()
