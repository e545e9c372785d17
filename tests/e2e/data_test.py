#!/usr/bin/python3
"""`data` chooses the values of inputs, `batch_invariant` is checked, and cases that cannot fit are UNSUPPORTED. Real
workers, on the CPU."""

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


    def test_checks_of_an_op_that_need_other_values_than_zeros_judge_the_rest_or_refuse(self):
        axis = "dtype: float32, data: [sparse, zeros]"
        rows = self.rows_of(
            suite(
                f"{{op: dropout, sweep: {{elements: 65536, direction: [forward, backward], {axis}}}}}",
                f"{{op: quantize_int8, sweep: {{rows: 16, cols: 256, {axis}}}}}",
            )
        )
        quantized = rows.pop("quantize_int8/libtorch/cols=256/data=zeros/dtype=float32/rows=16")[0]
        self.assertEqual((quantized["status"], "scale of zeros" in quantized["reason"]), ("UNSUPPORTED", True))
        self.assertEqual(len(rows), 5)
        self.assertEqual({row["status"] for case in rows.values() for row in case}, {"OK"})


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


FUNCTIONS = """
import torch

def honest(x, w):
    return torch.stack([row @ w for row in x])

def split_by_batch(x, w):
    if x.shape[0] < 8:  # a short batch splits the sums, to have work for all cores
        half = x.shape[1] // 2
        return torch.stack([row[:half] @ w[:half] + row[half:] @ w[half:] for row in x])
    return honest(x, w)
"""


class BatchInvariance(Cases):
    def benchmark(self, function):
        return (
            f"{{op: python, name: {function}, source: ops.py, function: {function}, batch_invariant: rows, "
            "args: {x: 'uniform[rows, k]', w: 'uniform[k, n]'}, reference: 'aten::matmul(x, w)', "
            "sweep: {rows: 16, k: 512, n: 8, dtype: float32}}"
        )

    def test_a_sum_split_by_the_size_of_the_batch_is_wrong_and_an_honest_one_is_right(self):
        self.plant("ops.py", FUNCTIONS)
        rows = self.rows_of(suite(*map(self.benchmark, ("honest", "split_by_batch"))), code=1)
        found = {case.split("/")[0]: of_case[0] for case, of_case in rows.items()}
        self.assertEqual(found["honest"]["status"], "OK", found["honest"])
        self.assertEqual(found["split_by_batch"]["status"], "WRONG")
        self.assertRegex(
            found["split_by_batch"]["reason"],
            r"the result depends on the batch: computed alone, 1 of rows=16 \(from 0\) gives other bits: "
            r"\d of 8 elements differ, the first at \[0, \d\]: -?[\d.e-]+, in the whole batch -?[\d.e-]+",
        )

    def test_ops_of_the_catalogue_are_checked_by_the_parameter_that_is_named(self):
        rows = self.rows_of(
            suite(
                "{op: softmax, batch_invariant: rows, sweep: {rows: 16, cols: 64, dtype: float32}}",
                "{op: layer_norm, batch_invariant: rows, sweep: {rows: 16, cols: 64, dtype: float32, "
                "direction: [forward, backward]}}",
                "{op: relu, batch_invariant: elements, sweep: {elements: 64, dtype: float32}}",
                "{op: sum, batch_invariant: rows, sweep: {rows: 16, cols: 64, axis: rows, dtype: float32}}",
            )
        )
        found = {case.split("/")[0]: of_case[0] for case, of_case in rows.items() if "backward" not in case}
        for op in ("softmax", "layer_norm", "relu"):
            self.assertEqual(found[op]["status"], "OK", found[op])
        self.assertEqual(found["sum"]["status"], "UNSUPPORTED")
        self.assertIn("no result grows with rows", found["sum"]["reason"])
        self.assertFalse([case for case in rows if "batch_invariant" in case])


if __name__ == "__main__":
    unittest.main(verbosity=2)
