#!/usr/bin/python3
"""custom_speed.py finds what is planted in runs of two backends. Needs no GPU."""

import contextlib
import io
import math
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import custom_speed  # noqa: E402
import evidence  # noqa: E402
from evidence_test import row, run_of, steady  # noqa: E402

METRIC = "kernel_time_cold"
# 1 GB/s to copy; arithmetic limits above 100 operations per byte.
CALIBRATION = {"copy_bytes_per_s": 1e9, "matmul_float16_flops_per_s": 1e11}
MB_100, MB_10 = "1e8", "1e7"  # bytes of a launch: 0.1 s and 0.01 s at the copy bandwidth


def timed(op, backend, seconds, size="n=1", **columns):
    costs = {"bytes": MB_100, "flops": "1e8", "suite": "nightly-x", "reason": ""}
    return steady(f"{op}/{backend}/dtype=float16/{size}", METRIC, seconds, **{**costs, **columns})


def failed(op, backend, status, reason, size="n=1"):
    return [row(f"{op}/{backend}/dtype=float16/{size}", "", status=status, reason=reason, suite="nightly-x")]


class CustomSpeed(unittest.TestCase):
    def run_of(self, *cases):
        return run_of(*(each for rows in cases for each in rows), calibration=CALIBRATION)

    def problems(self, *cases):
        return custom_speed.problems_of(self.run_of(*cases), METRIC)

    def printed(self, *cases):
        """(exit code, text) of the whole script on a run of these cases."""
        out = io.StringIO()
        with mock.patch.object(evidence, "read_run", lambda path: self.run_of(*cases)):
            with mock.patch.object(sys, "argv", ["custom_speed.py", "planted", "--markdown"]):
                with contextlib.redirect_stdout(out):
                    code = custom_speed.main()
        return code, out.getvalue()

    def test_shares_of_the_bandwidth_are_of_large_cases_of_the_first_kernel(self):
        problems = self.problems(
            timed("add", "custom", 0.1),
            timed("add", "custom", 0.125, size="n=2"),
            timed("add", "custom", 1.0, size="n=3", bytes=MB_10),  # too small to count
            timed("add", "custom", 1.0, size="n=4/plan=1"),  # a slower version of the kernel
            timed("add", "custom", 0.1, size="n=5/plan=0"),  # the first, by its number
        )
        self.assertIn("| add float16 forward | 3 | 0.80–1.00 | 2 |", custom_speed.bandwidth_table(problems, True))

    def test_a_case_below_the_bandwidth_is_named_and_misses_the_bar(self):
        fine = timed("add", "custom", 0.11), timed("add", "libtorch", 0.11)
        code, text = self.printed(*fine)
        self.assertEqual((code, text.count("below")), (0, 0), text)
        code, text = self.printed(*fine, timed("add", "custom", 0.125, size="n=2"))
        self.assertEqual(code, 1)
        self.assertIn("below 0.9: 0.800 add/dtype=float16/n=2 (100 MB in 125000.0 us, nightly-x)", text)

    def test_two_percent_are_close_and_more_are_slower_and_named(self):
        problems = [timed("add", "custom", 0.1019, size="n=1"), timed("add", "libtorch", 0.1, size="n=1")]
        problems += [timed("add", "custom", 0.1021, size="n=2"), timed("add", "libtorch", 0.1, size="n=2")]
        found = self.problems(*problems)
        self.assertEqual([custom_speed.is_close(problem) for problem in found], [True, False])
        self.assertIn("| add float16 forward | 2 | 0.98–0.98 | 0.98 | 1 |", custom_speed.libtorch_table(found, True))
        code, text = self.printed(*problems)
        self.assertEqual(code, 1)  # one of two is less than nine of ten
        self.assertIn("slower than LibTorch: 0.979 add/dtype=float16/n=2 (nightly-x)", text)
        self.assertIn("nightly suites: 1 of 2 problems (50.0 %)", text)

    def test_nine_of_ten_are_enough_and_other_suites_do_not_count_where_there_are_nightly_ones(self):
        cases = []
        for size in range(10):
            cases.append(timed("add", "custom", 0.1, size=f"n={size}"))
            cases.append(timed("add", "libtorch", 0.2 if size else 0.09, size=f"n={size}"))
        self.assertEqual(self.printed(*cases)[0], 0)
        slow = [timed("gelu", "custom", 0.1, suite="custom"), timed("gelu", "libtorch", 0.05, suite="custom")]
        code, text = self.printed(*cases, *slow)
        self.assertEqual(code, 0)
        self.assertIn("other suites: 0 of 1 problems (0.0 %)", text)
        self.assertEqual(self.printed(*slow)[0], 1)  # they are the only ones that are judged

    def test_a_wrong_kernel_is_no_match_for_libtorch_and_a_refused_one_was_not_asked(self):
        fine = timed("add", "custom", 0.1), timed("add", "libtorch", 0.1)
        beside = timed("add", "libtorch", 0.1, size="n=2")
        code, text = self.printed(*fine, failed("add", "custom", "WRONG", "9 elements are off", "n=2"), beside)
        self.assertEqual(code, 1)
        self.assertIn("no time: add/dtype=float16/n=2: WRONG 9 elements are off", text)
        self.assertIn("nightly suites: 1 of 2 problems", text)
        code, text = self.printed(*fine, failed("add", "custom", "UNSUPPORTED", "rows too long", "n=2"), beside)
        self.assertEqual(code, 0)
        self.assertIn("refused: 1 of add: rows too long", text)
        self.assertIn("nightly suites: 1 of 1 problems", text)

    def test_an_op_that_arithmetic_limits_anywhere_is_apart_and_in_neither_bar(self):
        fine = timed("add", "custom", 0.1), timed("add", "libtorch", 0.1)
        product = timed("gemm", "custom", 9.0, flops="2e10"), timed("gemm", "libtorch", 1.0, flops="2e10")
        narrow = timed("gemm", "custom", 9.0, size="n=2"), timed("gemm", "libtorch", 1.0, size="n=2")
        code, text = self.printed(*fine, *product, *narrow)
        self.assertEqual(code, 0)
        memory, products = text.split("Products, which have no part in the bars")
        self.assertNotIn("gemm", memory)
        self.assertIn("| gemm float16 forward | 2 | 0.01–0.01 | 0 |", products)
        self.assertEqual(self.printed(*fine, *narrow)[0], 1)  # nothing shows that it is a product

    def test_a_metric_that_could_not_be_measured_does_not_make_a_case_refused(self):
        other = [row("add/custom/dtype=float16/n=1", "graph_time", status="UNSUPPORTED", reason="no graph")]
        [problem] = self.problems(other, timed("add", "custom", 0.1), timed("add", "libtorch", 0.1))
        self.assertEqual((problem.custom.status, problem.ratio), ("OK", 1.0))
        self.assertFalse(math.isnan(problem.share))

    def test_runs_that_cannot_answer_are_refused(self):
        uncalibrated = run_of(*timed("add", "custom", 0.1))
        with self.assertRaisesRegex(evidence.Unusable, "calibration.copy_bytes_per_s"):
            custom_speed.problems_of(uncalibrated, METRIC)
        with self.assertRaisesRegex(evidence.Unusable, "needed are both backends"):
            self.printed(timed("add", "libtorch", 0.1))


if __name__ == "__main__":
    unittest.main(verbosity=1)
