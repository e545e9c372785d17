#!/usr/bin/python3
"""Both sides of a comparison on a CUDA GPU: a user's kernel, its header, a Triton kernel and a LibTorch extension, each
changed by a commit in tests/support/user_repository.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), tests/, git, c++ and a Python with torch and triton as
`python3`; ends with 77 and the reason if there is no GPU.
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402
import sides_test  # noqa: E402

SUITE = ("kernels/gpu.yaml", "--extension", "kernels/build/libtwice.so")
SCALE, ADD, TWICE = (
    f"{name}/dtype=float32/n=16777216" for name in ("scale/custom", "triton_add/custom", "user::twice/libtorch")
)
ALL = {SCALE, ADD, TWICE}


class OnGpu(sides_test.Sides):
    device = "cuda"

    def setUp(self):
        super().setUp()
        (self.repository / "plumbline.yaml").write_text(
            "suites: kernels/gpu.yaml\nbuild: python3 kernels/gpu.py\n", encoding="utf-8"
        )
        self.commit("built for a GPU")

    def slower(self, *cases):
        """Checks `ab HEAD~1 .`: exactly these cases are slower, by a quarter or more."""
        done, findings, _ = self.ask(1, "ab", "HEAD~1", ".", *SUITE)
        self.assertEqual(set(findings), ALL)
        for case, finding in findings.items():
            print(f"  {case}: {finding['verdict']} {finding['change']:+.4f}", file=sys.stderr)
            if case in cases:
                self.assertEqual(finding["verdict"], "SLOWER", done.stdout)
                self.assertGreater(finding["change"], 0.25)
            else:
                self.assertIn(finding["verdict"], sides_test.CALM, done.stdout)

    def test_each_change_of_a_commit_moves_its_own_case_and_no_other(self):
        # Neighbouring threads no longer read neighbouring elements.
        index = "blockIdx.x * blockDim.x + threadIdx.x"
        self.edit("kernels/scale.cu", f"i = {index}", f"k = {index}, i = k % 32 * (n / 32) + k / 32")
        self.slower(SCALE)
        self.edit("kernels/scale.h", "PASSES 1", "PASSES 8")
        self.slower(SCALE)
        self.edit("kernels/gpu.py", "TIMES = 1", "TIMES = 16")
        self.slower(ADD)
        self.edit("kernels/twice.cpp", "kLaunches = 1", "kLaunches = 2")
        self.slower(TWICE)

    def test_the_check_finds_an_edited_kernel_and_refuses_the_same_bytes(self):
        subprocess.run(["python3", "kernels/gpu.py"], cwd=self.repository, check=True)
        words = ["run", *SUITE, "--device", "cuda", "-o", self.folder / "accepted"]
        self.expect(0, self.plumbline(*words, cwd=self.repository))
        words = ["accept", self.folder / "accepted", "--author", "a test", "--why", "first"]
        self.expect(0, self.plumbline(*words, cwd=self.repository))
        self.edit("kernels/scale.h", "PASSES 1", "PASSES 12")
        done, findings, _ = self.ask(1, "check", *SUITE, "--baseline-ref", "HEAD~1")
        print(done.stdout, file=sys.stderr)
        self.assertEqual(findings[SCALE]["verdict"], "SLOWER")
        self.assertNotIn("environment moved", done.stdout)
        done, findings, _ = self.ask(3, "check", *SUITE, "--baseline-tree", ".")
        print(done.stdout, file=sys.stderr)
        self.assertEqual(findings[SCALE]["verdict"], "NOT_JUDGED")
        self.assertIn("kernels/scale.h", findings[SCALE]["reason"])


if __name__ == "__main__":
    planted.main_on_gpu()
