#!/usr/bin/python3
"""On a GPU: gpu_time agrees with CUPTI for kernels of known length, and no copy is faster than the memory.

Needs bin/ and lib/ of a build (see ../e2e/planted.py) with lib/libspin_ops.so, tests/ and Python;
ends with 77 and the reason where there is no GPU.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import agreement  # noqa: E402
import bandwidth  # noqa: E402
import evidence  # noqa: E402
import planted  # noqa: E402

SPIN_OPS = planted.BUILD / "lib" / "libspin_ops.so"


class Timers(planted.Planted):
    def run_of(self, suite, *more):
        path = self.folder / "run"
        words = ["run", suite, "--device", "cuda", "--rounds", "1", "-o", path]
        self.expect(0, self.plumbline(*words, *more))
        return evidence.read_run(path)

    def test_gpu_time_agrees_with_cupti_on_spin_kernels(self):
        run = self.run_of(HERE / "suites" / "spin.yaml", "--extension", SPIN_OPS)
        found = agreement.agreements(run, "cold")
        self.assertEqual(len(found), 10)
        table = agreement.report(found, {}, markdown=False)
        print(table)
        self.assertEqual([a.case for a in found if not a.is_within], [], table)

    def test_no_copy_moves_more_bytes_than_the_memory_can(self):
        run = self.run_of(HERE / "suites" / "copies.yaml")
        l2 = float(run.environment("device_l2_bytes"))
        peak = run.calibration("copy_bytes_per_s")
        self.assertTrue(peak, "run.json has no calibration.copy_bytes_per_s")
        uncertainty = run.calibration("copy_bytes_per_s_uncertainty") or 0.0
        copies = bandwidth.copies_of(run, l2)
        self.assertEqual(len({copy.case for copy in copies}), 13)
        verdicts = [bandwidth.verdict(copy, l2, peak, uncertainty) for copy in copies]
        table = bandwidth.copy_table(copies, verdicts, markdown=False)
        print(table)
        self.assertNotIn("IMPOSSIBLE", verdicts, table)

    def test_a_launch_of_half_as_many_kernels_as_the_queue_takes_is_held_alone(self):
        network = "rnn/libtorch/batch=2/cell=gru/dtype=float16/hidden=1536/input=1536/steps=375"
        run = self.run_of(planted.ROOT / "suites" / "deepbench" / "rnn_server.yaml", "--case", network)
        (row,) = [row for row in run.rows if row["metric"] == "gpu_time_hot"]
        self.assertEqual(row["status"], "OK")
        self.assertNotIn("enqueue longer than the hold", row["flags"])


if __name__ == "__main__":
    planted.main_on_gpu()
