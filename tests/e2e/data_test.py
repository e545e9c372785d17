#!/usr/bin/python3
"""`data` chooses the values of inputs, and cases that cannot fit are UNSUPPORTED. Real workers, on the CPU."""

import sys
import unittest

import planted

PYTHON = sys.executable  # CTest runs this with a Python that has torch
NAMES = ("uniform", "normal", "sparse", "zeros", "real_like")
SAME_INPUTS = "same inputs in every launch"


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


class Data(Cases):
    def test_every_kind_of_op_runs_on_every_kind_of_data_and_the_default_is_left_out_of_ids(self):
        axis = f"data: [{', '.join(NAMES)}]"
        rows = self.rows_of(
            suite(
                f"{{op: softmax, sweep: {{rows: 32, cols: 512, dtype: [float32, bfloat16], {axis}}}}}",
                f"{{op: gelu, sweep: {{elements: 4096, dtype: float32, direction: backward, {axis}}}}}",
                f"{{op: gemm, sweep: {{m: 32, n: 32, k: 64, dtype: bfloat16, {axis}}}}}",
                f"{{op: 'aten::add.Tensor', args: {{self: 'randn[n]', other: 'uniform[n]'}}, "
                f"sweep: {{n: 1024, dtype: float32, {axis}}}}}",
            )
        )
        self.assertEqual(len(rows), 25)
        self.assertEqual({row["status"] for case in rows.values() for row in case}, {"OK"})
        self.assertIn("softmax/libtorch/cols=512/dtype=float32/rows=32", rows)
        self.assertIn("softmax/libtorch/cols=512/data=sparse/dtype=float32/rows=32", rows)
        for case, of_case in rows.items():
            for row in of_case:
                self.assertEqual(SAME_INPUTS in row["flags"], "data=zeros" in case, row)

    def test_a_cache_of_results_is_found_on_random_data_and_flagged_where_all_data_are_equal(self):
        self.plant(
            "ops.py",
            "kept = []\n\ndef doubled(x):\n    if not kept:\n        kept.append(x * 2)\n    return kept[0].clone()\n",
        )
        rows = self.rows_of(
            suite(
                "{op: python, name: doubled, source: ops.py, function: doubled, args: {x: 'uniform[n]'}, "
                "reference: 'aten::mul(x, 2)', sweep: {n: 4096, dtype: float32, data: [sparse, zeros]}}"
            ),
            code=1,
        )
        found = {case.split("/")[2]: (of_case[0]["status"], of_case[0]["flags"]) for case, of_case in rows.items()}
        self.assertEqual(found["data=sparse"][0], "WRONG")
        self.assertEqual(found["data=zeros"][0], "OK")
        self.assertIn(SAME_INPUTS, found["data=zeros"][1])

    def test_data_that_change_no_input_are_unsupported(self):
        rows = self.rows_of(
            suite(
                "{op: relu, sweep: {elements: 64, dtype: float32}}",
                "{op: int8_gemm, sweep: {m: 32, n: 32, k: 32, dtype: int8, data: zeros}}",
                "{op: 'aten::neg', args: {self: 'randint(0, 9)[n]'}, sweep: {n: 64, dtype: float32, data: zeros}}",
            )
        )
        refused = [case[0] for name, case in rows.items() if not name.startswith("relu")]
        self.assertEqual([row["status"] for row in refused], ["UNSUPPORTED"] * 2)
        for row in refused:
            self.assertIn("data=zeros: no floating-point input of this case", row["reason"])


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
