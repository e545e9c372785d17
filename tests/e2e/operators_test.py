#!/usr/bin/python3
"""Operators of the dispatcher with unusual arguments or results: measured, and judged correctly."""

import planted

SUITE = """
suite: operators
benchmarks:
  - {op: "aten::bernoulli", args: {self: "rand[n]"}, sweep: {n: [1, 2, 4, 8], dtype: [float32]}}
  - {op: "aten::index.Tensor", args: {self: "rand[30, 30]", indices: "[none, randint(0, 4)[2]]"}, sweep: {dtype: [float32]}}
  - {op: "aten::_foreach_div_.ScalarList", args: {self: "[rand[8], rand[9]]", scalars: "[2.0, 3.0]"}, sweep: {dtype: [float32]}}
  - {op: "aten::sum", args: {self: "aten::as_strided(uniform[64], [64, 8], [1, 0])"}, sweep: {dtype: [float32]}}
"""


class Operators(planted.Planted):
    def test_few_random_numbers_missing_tensors_lists_of_numbers_and_expanded_tensors(self):
        suite, run = self.plant("operators.yaml", SUITE), self.folder / "run"
        self.expect(0, self.plumbline(*self.run_words(suite, run)))
        for row in planted.read_rows(run):
            status = "UNVERIFIED" if row["op"] == "aten::bernoulli" else "OK"
            self.assertEqual(row["status"], status, f"{row['case']}: {row['reason']}")


if __name__ == "__main__":
    planted.main()
