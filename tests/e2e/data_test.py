#!/usr/bin/python3
"""Cases that cannot fit are UNSUPPORTED. Real workers, on the CPU."""

import sys
import unittest

import planted

PYTHON = sys.executable  # CTest runs this with a Python that has torch


def suite(*benchmarks):
    return planted.suite_text("data", [f"  - {benchmark}\n" for benchmark in benchmarks])


class Cases(planted.Planted):
    @classmethod
    def environment(cls, **more):
        return super().environment(**({"PLUMBLINE_PYTHON": PYTHON} | more))

    def rows_of(self, text, code=0):
        """{case: its rows} of a run of the suite."""
        rows = {}
        for row in planted.read_rows(self.measured(self.plant("data.yaml", text), "run", code=code)):
            rows.setdefault(row["case"], []).append(row)
        return rows


class Memory(Cases):
    def test_a_case_that_cannot_fit_is_unsupported_with_what_it_needs_and_what_there_is(self):
        rows = self.rows_of(
            suite(
                "{op: relu, sweep: {elements: [64, 1000000000000], dtype: float32}}",
                "{op: gemm, sweep: {m: 4000000, n: 4000000, k: 1, dtype: bfloat16}}",
                "{op: 'aten::neg', args: {self: 'randn[n]'}, sweep: {n: 1000000000000, dtype: float32}}",
            )
        )
        self.assertEqual(rows.pop("relu/libtorch/dtype=float32/elements=64")[0]["status"], "OK")
        self.assertEqual(len(rows), 3)
        for case, of_case in rows.items():
            row = of_case[0]
            self.assertEqual(row["status"], "UNSUPPORTED", row)
            self.assertRegex(row["reason"], r"needs at least \d+ bytes \([\d.]+ GiB\) of the device's memory: inputs")
            self.assertRegex(row["reason"], r"there are \d+ bytes \([\d.]+ GiB\) for the tensors of a case")
        product = rows["gemm/libtorch/dtype=bfloat16/k=1/m=4000000/n=4000000"][0]["reason"]
        self.assertIn("expected results in float64 128000000000000 bytes", product)


if __name__ == "__main__":
    unittest.main(verbosity=2)
