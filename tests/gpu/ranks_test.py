#!/usr/bin/env python3
"""Networks over two CUDA GPUs: what ../e2e/ranks_test.py shows on the CPU, by NCCL, and the large cases of suites/ranks.yaml.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, and a Python with torch, which runs this; ends with 77
and the reason if there are not two GPUs.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402
import ranks_test  # noqa: E402


class OnGpus(ranks_test.Ranks):
    device = "cuda"
    backend = "nccl"
    most = 2
    test_what_ranks_cannot_do_says_so = None  # three ranks need three GPUs

    def test_a_rank_without_a_gpu_says_so(self):
        rows = self.rows(ranks_test.network("many", "step: inference, ranks: 1024"))
        row = self.row(rows, "many")
        self.assertEqual(row["status"], "UNSUPPORTED", row["reason"])
        self.assertRegex(row["reason"], "1024 ranks need as many GPUs; rank 0 has number 0 of the [0-9]+ that the worker sees")

    def test_the_large_cases_of_the_suite_are_right(self):
        run = self.folder / "run"
        self.expect(0, self.plumbline("run", planted.ROOT / "suites" / "ranks.yaml", "--tag", "large", "--device", "cuda",
                                      "--rounds", "1", "-o", run, PLUMBLINE_PYTHON=sys.executable))  # fmt: skip
        rows = [row for row in planted.read_rows(run) if row["metric"] in ("wall_time", "")]
        self.assertEqual({row["status"] for row in rows}, {"OK"}, {row["case"]: row["reason"] for row in rows})
        for row in rows:
            print(row["case"], f"{1e3 * planted.median_of(row):.2f} ms", row["flags"])


if __name__ == "__main__":
    planted.main_on_gpu(2)
