#!/usr/bin/python3
"""A bundle on CUDA GPUs: a comparison of a user's repository, with a kernel, a cubin of Triton and a LibTorch extension that
a commit made slower, is packed on one machine and measured again on another, without the repository.

  bundle_test.py                both on this machine
  bundle_test.py make FOLDER    only packs: true.tar.zst, turned.tar.zst, elsewhere.tar.zst
  bundle_test.py replay FOLDER  only measures these again

Needs bin/ and lib/ of a build (see ../e2e/planted.py), tests/, git, c++ and a Python with torch and triton as `python3` (for
`make`); ends with 77 and the reason if there is no GPU. Where bubblewrap makes a sandbox, replays run in it, too.
"""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402
from sides_test import Sides  # noqa: E402
from strangers import can_sandbox  # noqa: E402

SUITE = ("kernels/gpu.yaml", "--extension", "kernels/build/libtwice.so")
SCALE, ADD, TWICE = (
    f"{name}/dtype=float32/n=16777216" for name in ("scale/custom", "triton_add/custom", "user::twice/libtorch")
)
ALL = {SCALE, ADD, TWICE}

MODE = sys.argv[1] if len(sys.argv) > 1 else "both"
FOLDER = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="plumbline-bundles-")).absolute()
LOOKS = ("--looks", "3,6,12", "--controls", "0")


def say(*words):
    print(*words, file=sys.stderr, flush=True)


@unittest.skipIf(MODE == "replay", "only replays")
class Make(Sides):
    device = "cuda"

    def setUp(self):
        super().setUp()
        (self.repository / "plumbline.yaml").write_text(
            "suites: kernels/gpu.yaml\nbuild: python3 kernels/gpu.py\n", encoding="utf-8"
        )
        self.commit("built for a GPU")

    def test_1_a_comparison_of_four_kinds_of_code_becomes_a_bundle(self):
        self.edit("kernels/scale.h", "PASSES 1", "PASSES 8")
        self.edit("kernels/gpu.py", "TIMES = 1", "TIMES = 16")
        self.edit("kernels/twice.cpp", "kLaunches = 1", "kLaunches = 2")
        result = self.folder / "ab"
        words = ("ab", "HEAD~3", ".", *SUITE, "-o", result, "--device", "cuda", *LOOKS)
        done = self.expect(1, self.plumbline(*words, cwd=self.repository, timeout=600))
        say(done.stdout)
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.pack(result, "true")
        planted.edit_json(result / "comparison.json", turn)
        self.pack(result, "turned")
        planted.edit_json(result / "comparison.json", move)
        self.pack(result, "elsewhere")
        listed = json.loads(self.plumbline("bundle", "--list", FOLDER / "true.tar.zst", "--json").stdout)
        for side in ("a", "b"):
            held = {source["path"] for source in listed[side]["sources"]}
            names = {"gpu.yaml", "scale.cu", "scale.h", "build/add.cubin", "build/add.json", "build/libtwice.so"}
            self.assertLessEqual({f"kernels/{name}" for name in names}, held)
            self.assertEqual(listed[side]["extensions"], ["kernels/build/libtwice.so"])

    def pack(self, result, name):
        path = FOLDER / f"{name}.tar.zst"
        done = self.expect(0, self.plumbline("bundle", result, "-o", path, cwd=self.repository))
        say(done.stdout, done.stderr)
        say(self.expect(0, self.plumbline("bundle", "--list", path)).stdout if name == "true" else "")
        say(f"{path}: {path.stat().st_size} bytes")


@unittest.skipIf(MODE == "make", "only makes")
class Replay(planted.Planted):
    device = "cuda"

    def replay(self, code, name, *more):
        """{case: answer}, and what was said."""
        words = ("replay", FOLDER / f"{name}.tar.zst", "--json", "--device", "cuda", *LOOKS, *more)
        done = self.plumbline(*words, cwd=self.folder, timeout=600)
        say(name, *more, "exit code", done.returncode, done.stdout, done.stderr)
        self.expect(code, done)
        answers = {}
        for claim in json.loads(done.stdout)["claims"]:
            answers.setdefault(claim["case"], set()).add(claim["answer"])
        return answers, done.stdout + done.stderr

    def test_2_true_claims_are_confirmed(self):
        answers, said = self.replay(0, "true", "--trust")
        self.assertEqual(answers, dict.fromkeys(ALL, {"CONFIRMED"}))
        self.assertIn("kernels/build/add.cubin: machine code, run", said)

    def test_3_a_turned_claim_is_refuted(self):
        answers, _ = self.replay(1, "turned", "--trust", "--case", SCALE)
        self.assertEqual(answers, {SCALE: {"REFUTED"}})

    def test_4_another_class_of_device_is_not_comparable_and_nothing_runs(self):
        answers, said = self.replay(3, "elsewhere")
        self.assertEqual(set().union(*answers.values()), {"NOT COMPARABLE"})
        self.assertIn("Another GPU there", said)
        self.assertNotIn("side a:", said)

    def test_5_without_a_sandbox_it_must_be_trusted_and_in_one_it_is_measured(self):
        if can_sandbox():
            answers, said = self.replay(0, "true", "--case", SCALE)
            self.assertEqual(answers, {SCALE: {"CONFIRMED"}})
            self.assertIn("in a sandbox", said)
            return
        done = self.plumbline("replay", FOLDER / "true.tar.zst", "--device", "cuda", cwd=self.folder)
        say(done.stderr)
        self.expect(2, done, "--trust")


def turn(comparison):
    for finding in comparison["findings"]:
        if finding["verdict"] == "SLOWER":
            low, high = finding["change_low"], finding["change_high"]
            turned = {"change_low": 1 / (1 + high) - 1, "change_high": 1 / (1 + low) - 1}
            finding.update(verdict="FASTER", change=sum(turned.values()) / 2, **turned)


def move(comparison):
    for side in ("baseline", "candidate"):
        comparison[side]["environment"]["device_class"] = "Another GPU"


def main():
    if MODE not in ("both", "make", "replay") or (MODE != "both" and len(sys.argv) != 3):
        sys.exit(__doc__)
    say(f"bundles in {FOLDER}")
    del sys.argv[1:]
    planted.main_on_gpu()


if __name__ == "__main__":
    main()
