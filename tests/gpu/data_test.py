#!/usr/bin/python3
"""On a CUDA GPU: a function whose sums depend on the size of its batch is WRONG, and rows of normalisations do not depend
on it.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, and a Python with torch, which runs this; ends with 77
and the reason if there is no GPU.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import data_test  # noqa: E402
import planted  # noqa: E402


class OnAGpu(data_test.BatchInvariance):
    device = "cuda"

    def test_the_suite_s_rows_are_those_of_the_whole_batch(self):
        run = self.folder / "run"
        self.expect(0, self.plumbline("run", planted.ROOT / "suites" / "data.yaml", "--tag", "batch", "--device", "cuda", "--rounds", "1",
                                      "--metrics", "gpu_time", "-o", run))  # fmt: skip
        rows = planted.read_rows(run)
        self.assertEqual({row["op"] for row in rows}, {"softmax", "layer_norm", "rms_norm"})
        self.assertEqual({row["status"] for row in rows}, {"OK"}, {row["case"]: row["reason"] for row in rows})


if __name__ == "__main__":
    planted.main_on_gpu()
