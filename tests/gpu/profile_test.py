#!/usr/bin/python3
"""`plumbline profile` with the real Nsight Compute: it records only launches of the case.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/, Python, and ncu with permission to read the
GPU's counters; ends with 77 and the reason if one of them or the GPU is missing.
"""

import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

NCU = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
SOFTMAX = ("softmax/libtorch/cols=4096/dtype=float16/rows=8192", "quick.yaml")
STREAMS = ("gemm/libtorch/dtype=float16/k=512/m=512/n=512/stream.count=4", "streams.yaml")


class Profile(planted.Planted):
    def kernels(self, case, suite, *more):
        """The kernels of the case that ncu recorded, by its own output."""
        words = ("--tool", "ncu", "-o", self.folder, "--device", "cuda", *more)
        done = self.plumbline("profile", case, planted.ROOT / "suites" / suite, *words)
        if "ERR_NVGPUCTRPERM" in done.stderr:
            self.skipTest("ncu may not read this GPU's counters")
        self.expect(0, done, "the case is OK")
        report = done.stdout.strip()
        self.assertTrue(report.endswith(".ncu-rep"), report)
        table = subprocess.run([NCU, "--import", report, "--csv", "--page", "raw"], capture_output=True, text=True, check=True)
        header, _, *rows = table.stdout.splitlines()
        column = header.replace('"', "").split(",").index("Kernel Name")
        return [row.split('","')[column] for row in rows]

    def test_one_launch_is_captured_unless_said_otherwise(self):
        (kernel,) = self.kernels(*SOFTMAX)
        self.assertIn("softmax", kernel.lower())
        self.assertEqual(self.kernels(*SOFTMAX, "--launches", "3"), [kernel] * 3)

    def test_a_launch_of_several_streams_is_a_launch_on_each(self):
        kernels = self.kernels(*STREAMS)
        self.assertEqual(len(kernels) % 4, 0, kernels)
        self.assertEqual(len(set(kernels)) * 4, len(kernels), kernels)


if __name__ == "__main__":
    if NCU is None:
        print("ncu is not installed")
        sys.exit(planted.SKIPPED)
    planted.main_on_gpu()
