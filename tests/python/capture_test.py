#!/usr/bin/python3
"""plumbline capture: the suite of a program has the right contents, and the program runs as it would without.

Argument: plumbline.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "support" / "captured"
PYTHONS = ROOT / "harness" / "python"
PLUMBLINE = sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build" / "bin" / "plumbline"

try:
    import torch  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

BENCHMARK = re.compile(r"  - op: (\S+)\n    args: (.*)\n    sweep: \{call: \[\"(.*)\"\], dtype: \[(\w+)\]\}\n    calls: \{(.*)\}")


class Suite:
    def __init__(self, text):
        self.text = text
        self.head = text.partition("suite:")[0]
        self.benchmarks = []
        for op, args, call, dtype, calls in BENCHMARK.findall(text):
            weights = {phase: float(number) for phase, _, number in (part.partition(": ") for part in calls.split(", "))}
            self.benchmarks.append((op, args, call, dtype, weights))

    def weights(self, op):
        """Calls per step of all cases of the operator, by phase."""
        total = collections.Counter()
        for name, _, _, _, weights in self.benchmarks:
            if name == op:
                total.update(weights)
        return dict(total)

    def args(self, op):
        return [args for name, args, _, _, _ in self.benchmarks if name == op]


class Capture(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_program(self, *words, code=0, stdin=""):
        environment = os.environ | {"PYTHONPATH": str(PYTHONS), "OMP_NUM_THREADS": "1"}
        done = subprocess.run([str(w) for w in words], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=300, input=stdin)  # fmt: skip
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def capture(self, *words, flags=(), code=0):
        done = self.run_program(PLUMBLINE, "capture", *flags, "--", *words, code=code)
        return Suite((self.folder / "captured.yaml").read_text()), done

    def program(self, text):
        path = self.folder / "program.py"
        path.write_text(text)
        return sys.executable, path.name

    def test_a_training_step_by_phase(self):
        suite, _ = self.capture(sys.executable, PROGRAMS / "train.py", "8")
        self.assertIn("training: 3 recorded, 3 timed", suite.head)
        self.assertRegex(suite.text, r"training: \{phases: \[forward, backward, optimizer\], time: [\d.e-]+\}")
        # Two layers with four products each, and the head; backward computes two for each.
        self.assertEqual(suite.weights("aten::addmm"), {"forward": 9})
        self.assertEqual(suite.weights("aten::mm"), {"backward": 18})
        self.assertEqual(suite.weights("aten::native_layer_norm"), {"forward": 4})
        self.assertEqual(suite.weights("aten::gelu_backward"), {"backward": 2})
        self.assertEqual(suite.weights("aten::_foreach_norm.Scalar"), {"optimizer": 1})  # clipping
        self.assertEqual(suite.weights("aten::lerp_.Scalar"), {"optimizer": 27})  # one per parameter
        self.assertEqual(suite.weights("aten::view"), {})
        self.assertIn("view", suite.head)
        self.assertIn('mat2: "aten::as_strided(uniform[12288], [64, 192], [1, 64])"', suite.text)  # a transposed weight
        self.assertIn('indices: "aten::as_strided(randint(', suite.text)

    def test_steps_that_a_flag_asks_for(self):
        suite, _ = self.capture(sys.executable, PROGRAMS / "train.py", "6", flags=["--steps", "1"])
        self.assertIn("training: 1 recorded, 3 timed", suite.head)
        self.assertEqual(suite.weights("aten::addmm"), {"forward": 9})

    def test_marked_phases_and_the_program_s_own_exit_code_and_output(self):
        plain = self.run_program(sys.executable, PROGRAMS / "decode.py", "12", code=3)
        suite, done = self.capture(sys.executable, PROGRAMS / "decode.py", "12", code=3)
        self.assertEqual(done.stdout, plain.stdout)
        self.assertIn("decode: 3 recorded, 7 timed", suite.head)
        self.assertIn("prefill: the first one recorded", suite.head)
        self.assertEqual(suite.weights("aten::silu"), {"prefill": 2, "decode": 2})
        self.assertEqual(round(suite.weights("aten::bmm")["decode"], 3), 4)
        # The cache grows: each length is a case, called in one of three steps.
        growing = [w["decode"] for op, args, _, _, w in suite.benchmarks if op == "aten::bmm" and "decode" in w]
        self.assertEqual([round(w, 3) for w in growing], [0.667] * 6)
        self.assertEqual(suite.weights("aten::masked_fill.Scalar"), {"prefill": 2})
        self.assertIn("-3e+38", suite.args("aten::masked_fill.Scalar")[0])  # instead of -inf

    def test_input_folder_and_arguments_are_the_program_s(self):
        words = self.program("import os, sys, torch\ntorch.ones(3) + 1\nprint(sys.argv[1:], os.getcwd(), input())\n")
        plain = self.run_program(*words, "--steps", "", "-o x", stdin="typed")
        done = self.run_program(PLUMBLINE, "capture", "--", *words, "--steps", "", "-o x", stdin="typed")
        self.assertEqual(done.stdout, plain.stdout)
        self.assertIn("measure it: plumbline run captured.yaml", done.stderr)

    def test_in_inference_mode_operators_are_those_that_work(self):
        words = self.program("import torch\nwith torch.inference_mode():\n"
                             "    x = torch.nn.Linear(8, 16)(torch.ones(4, 8)).t().reshape(-1)\n")  # fmt: skip
        suite, _ = self.capture(*words)
        self.assertEqual(suite.weights("aten::addmm"), {"forward": 1})
        self.assertEqual(suite.weights("aten::clone"), {"forward": 1})  # what reshape copies
        self.assertIn("program: the first one recorded", suite.head)

    def test_what_a_suite_cannot_say_is_named_in_its_head(self):
        words = self.program("import torch\n"
                             "@torch.library.custom_op('mine::twice', mutates_args=())\n"
                             "def twice(x: torch.Tensor) -> torch.Tensor:\n    return x * 2\n"
                             "twice(torch.ones(3))\n"
                             "torch.ones(3, dtype=torch.complex64) * 2\n"
                             "torch.ones(3, 3)[:, torch.tensor([0])].sum().item()\n")  # fmt: skip
        suite, done = self.capture(*words)
        self.assertEqual(suite.weights("aten::index.Tensor"), {"forward": 1})
        for text in ("mine::twice (forward 1): is defined in Python", "aten::mul (forward 1): takes a tensor of complex64",
                     "aten::_local_scalar_dense (forward 1): waits"):
            self.assertIn("#   " + text, re.sub(r"aten::mul\.\w+", "aten::mul", suite.head))
            self.assertIn(text.partition(" ")[0], done.stderr)

    def test_values_stay_where_the_operator_takes_them(self):
        words = self.program("import torch\nx = torch.rand(8)\n(x + 1).sqrt()\n"
                             "torch.full((5,), 7, dtype=torch.int32).abs()\n"
                             "torch.nn.functional.cross_entropy(torch.ones(4, 7), torch.tensor([1, -100, 3, 2]))\n"
                             "torch.randn(3, generator=torch.Generator())\n")  # fmt: skip
        suite, _ = self.capture(*words)
        self.assertIn('self: "rand[8]"', suite.args("aten::sqrt")[0])
        self.assertIn('randint(7, 8, dtype=\\"int32\\")[5]', suite.args("aten::abs")[0])
        self.assertIn('target: "randint(0, 4)[4]"', suite.args("aten::nll_loss_forward")[0])
        self.assertIn('generator: "none"', suite.args("aten::randn.generator")[0])

    def test_inputs_are_kept_once_with_their_recordings_gaps_and_nan(self):
        words = self.program("import torch, plumbline_gpu as pl\n"
                             "x = torch.arange(12.).view(3, 4)\ny = x.clone()\n"
                             "for i in range(6):\n"
                             "    torch.exp(x[:, 1:3])\n    torch.exp(y[:, 1:3])\n"  # equal tensors in other memory
                             "    torch.nansum(torch.tensor([float('nan'), i]))\n    pl.step()\n")  # fmt: skip
        suite, _ = self.capture(*words, flags=["--inputs"])
        self.assertIn("file('captured.safetensors', 'exp.self')[10], [3, 2], [4, 1])", suite.args("aten::exp")[0])
        self.assertIn("file('captured.safetensors', 'nansum.self', nan=true)[2]", suite.args("aten::nansum")[0])
        content = (self.folder / "captured.safetensors").read_bytes()
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        self.assertEqual({name: entry["shape"] for name, entry in header.items()}, {"exp.self": [10], "nansum.self": [4, 2]})
        begin, end = header["nansum.self"]["data_offsets"]
        values = memoryview(content[len(content) - max(e["data_offsets"][1] for e in header.values()) :][begin:end]).cast("f")
        self.assertEqual(list(values)[1::2], [0.0, 1.0, 2.0, 3.0], "the first four contents, in their order")

    def test_steps_that_the_program_marks(self):
        words = self.program("import torch, plumbline_gpu as pl\nfor _ in range(9):\n    torch.ones(4).exp()\n    pl.step()\n")
        suite, _ = self.capture(*words)
        self.assertIn("step: 3 recorded, 4 timed", suite.head)
        self.assertEqual(suite.weights("aten::exp"), {"forward": 1})

    def test_numbers_that_change_from_step_to_step_make_no_new_cases(self):
        words = self.program("import torch, plumbline_gpu as pl\nfor i in range(6):\n    torch.ones(4).mul_(0.1 + i / 7)\n    pl.step()\n")
        suite, _ = self.capture(*words)
        self.assertEqual([w for op, *_, w in suite.benchmarks if op.startswith("aten::mul_")], [{"forward": 1.0}])

    def test_what_is_compiled_is_compiled_again_once_it_is_not_recorded(self):
        words = self.program("import torch, plumbline_gpu as pl\n"
                             "def backend(graph, inputs):\n    print('compiled')\n    return graph\n"
                             "wave = torch.compile(lambda x: x.sin() + 1, backend=backend)\n"
                             "for i in range(7):\n    print(i)\n    wave(torch.ones(4))\n    pl.step()\n")  # fmt: skip
        suite, done = self.capture(*words)
        self.assertEqual(done.stdout.split(), ["0", "1", "2", "3", "4", "compiled", "5", "6"])
        self.assertEqual(suite.weights("aten::sin"), {"forward": 1})

    def test_mistakes_are_told_before_the_program_starts(self):
        (self.folder / "mine.yaml").write_text("suite: mine\n")
        done = self.run_program(PLUMBLINE, "capture", "-o", "mine.yaml", "--", "touch", "started", code=2)
        self.assertIn("mine.yaml is there, and is no suite that capture wrote", done.stderr)
        self.assertFalse((self.folder / "started").exists())
        self.assertIn("no program is named", self.run_program(PLUMBLINE, "capture", code=2).stderr)
        self.assertIn("no operator was recorded", self.run_program(PLUMBLINE, "capture", "--", "true", code=2).stderr)
        words = self.program("import plumbline_gpu as pl\nwith pl.phase('backward'): pass\n")
        self.assertIn("phase 'backward'", self.run_program(*words, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
