#!/usr/bin/python3
"""crosscheck.py finds what is planted in runs of several backends. Needs no GPU."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import crosscheck  # noqa: E402
from evidence_test import row, run_of, steady  # noqa: E402


class CrossCheck(unittest.TestCase):
    def rows_of(self, backend, seconds, error="1e-4", size="m=8", plan="", **columns):
        case = f"gemm/{backend}/dtype=float16/{size}{plan}"
        errors = {"error_rel_l2": error, "tolerance": "1e-3", "reason": ""}
        return steady(case, "kernel_time_cold", seconds, **{**errors, **columns})

    def test_backends_of_a_problem_stand_in_one_line_with_error_and_time(self):
        run = run_of(
            *self.rows_of("libtorch", 2e-5),
            *self.rows_of("cudnn", 1e-5, error="5e-4"),
            *self.rows_of("cudnn", 9e-5, plan="/plan=autotune"),  # the first plan counts
            *self.rows_of("custom", 4e-5),
            *self.rows_of("libtorch", 1e-5, size="m=9"),  # no other backend has it
        )
        text, agreeing, shared = crosscheck.report(crosscheck.answers_of(run, "kernel_time_cold"), True)
        self.assertEqual((agreeing, shared), (1, 1))
        self.assertIn("| gemm float16 forward | 1 | 1/1 | 0.10 | 2.00 | 1/1 | 0.50 | 1.00 | 1/1 | 0.10 | 4.00 |", text)

    def test_cases_of_a_suite_that_compute_an_op_are_backends_of_it(self):
        run = run_of(
            *self.rows_of("libtorch", 2e-5),
            *steady("triton_gemm/custom/dtype=float16/m=8", "kernel_time_cold", 1e-5, error_rel_l2="2e-4", tolerance="1e-3",
                    reason=""),
        )  # fmt: skip
        same = crosscheck.same_of(["gemm=triton_gemm,cute_gemm"])
        self.assertEqual(same, {"triton_gemm": "gemm", "cute_gemm": "gemm"})
        text, agreeing, shared = crosscheck.report(crosscheck.answers_of(run, "kernel_time_cold", same), True)
        self.assertEqual((agreeing, shared), (1, 1))
        self.assertIn("| 1/1 | 0.10 | 2.00 | – | – | – | – | – | – | 1/1 | 0.20 | 1.00 |", text)
        self.assertIn("triton_gemm: right", text)
        with self.assertRaises(crosscheck.evidence.Unusable):
            crosscheck.same_of(["gemm"])

    def test_a_wrong_answer_is_told_unless_it_was_expected_and_what_is_refused_was_not_asked(self):
        def wrong(backend):
            return row(f"gemm/{backend}/dtype=float16/m=8", "", status="WRONG", reason="9 elements are off", samples="")

        refused = row("gemm/custom/dtype=float16/m=8", "", status="UNSUPPORTED", reason="no kernel", samples="")
        rows = [*self.rows_of("libtorch", 2e-5), wrong("cudnn"), refused]
        run = run_of(*rows)
        answers = crosscheck.answers_of(run, "kernel_time_cold")
        self.assertEqual(
            crosscheck.mistakes_of([run], answers),
            ["gemm/dtype=float16/m=8 by cudnn: WRONG: 9 elements are off"],
        )
        text, agreeing, _ = crosscheck.report(answers, True)
        self.assertEqual(agreeing, 0)
        self.assertIn("| 1/1 | 0.10 | – | 0/1 | – | – | – | – | – |", text)
        known = run_of(*rows, expected=[{"case": "gemm/cudnn/dtype=float16/m=8"}])
        self.assertEqual(crosscheck.mistakes_of([known], answers), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
