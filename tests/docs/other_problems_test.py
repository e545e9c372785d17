"""docs/how-to/other-problems.md works as written: a problem of KernelBench, a definition of flashinfer-bench, a list of shapes."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PAGE = (ROOT / "docs" / "how-to" / "other-problems.md").read_text(encoding="utf-8")
PROBLEM = """
import torch

class Model(torch.nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.linear = torch.nn.Linear(width, classes)

    def forward(self, x):
        return torch.softmax(self.linear(x), dim=1)

def get_inputs():
    return [torch.rand(64, 256)]

def get_init_inputs():
    return [256, 128]
"""
SOLUTION = (
    PROBLEM.split("def get_inputs")[0]
    .replace("Model", "ModelNew")
    .replace("torch.softmax(self.linear(x), dim=1)", "self.linear(x).exp() / self.linear(x).exp().sum(1, keepdim=True)")
)
DEFINITION = {
    "name": "gemm_n64_k32",
    "op_type": "gemm",
    "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 64}, "K": {"type": "const", "value": 32}},
    "inputs": {
        "A": {"shape": ["M", "K"], "dtype": "float32"},
        "B": {"shape": ["N", "K"], "dtype": "float32"},
        "scale": {"shape": None, "dtype": "float32"},
    },
    "outputs": {"C": {"shape": ["M", "N"], "dtype": "float32"}},
    "reference": "import torch\n\ndef run(A, B, scale):\n    return torch.matmul(A, B.T) * scale",
}


def titled(name):
    [text] = re.findall(rf'^```\w+ title="{re.escape(name)}"\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL)
    return text


def workload(rows, kind="random"):
    inputs = {"A": {"type": kind}, "B": {"type": "random"}, "scale": {"type": "scalar", "value": 0.5}}
    made = {"uuid": f"{rows}", "axes": {"M": rows}, "inputs": inputs}
    return json.dumps({"definition": "gemm_n64_k32", "solution": None, "workload": made, "evaluation": None}) + "\n"


class OtherProblems(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def call(self, *command, code=0):
        environment = os.environ | {"PLUMBLINE_PYTHON": sys.executable, "PLUMBLINE_LOCKS": str(self.folder / "locks")}
        ran = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)
        self.assertEqual(ran.returncode, code, f"{command}\n{ran.stdout}{ran.stderr}")
        return ran.stdout + ran.stderr

    def flashinfer(self, definition, *workloads, code=0):
        (self.folder / "definition.json").write_text(json.dumps(definition))
        (self.folder / "workloads.jsonl").write_text("".join(workloads))
        script = str(ROOT / "scripts" / "flashinfer_suite")
        return self.call(sys.executable, script, "-o", "flashinfer", "definition.json", "workloads.jsonl", code=code)

    def test_problems_of_kernelbench_and_flashinfer_are_measured_and_a_wrong_solution_is_found(self):
        for name, text in (("problem.py", PROBLEM), ("solution.py", SOLUTION), ("adapter.py", titled("adapter.py")),
                           ("right.yaml", titled("kernelbench.yaml")),
                           ("wrong_solution.py", SOLUTION.replace("sum(1", "mean(1")),
                           ("wrong.py", titled("adapter.py").replace("import solution", "import wrong_solution as solution")),
                           ("wrong.yaml", titled("kernelbench.yaml").split("  - op")[0].replace("suite: ", "suite: wrong-")
                            + "  - op" + titled("kernelbench.yaml").split("  - op")[2].replace("adapter.py", "wrong.py"))):  # fmt: skip
            (self.folder / name).write_text(text)
        said = self.flashinfer(DEFINITION, workload(16), workload(48), workload(8, "custom"))
        self.assertIn("workloads.jsonl: line 3: left out: the input 'A' is custom of float32", said)
        suites = ["right.yaml", "wrong.yaml", "flashinfer/gemm_n64_k32.yaml"]
        self.call(str(BUILD / "bin" / "plumbline"), "run", *suites, "--device", "cpu", "--rounds", "1", "-o", "run", code=1)
        with open(self.folder / "run" / "results.csv", newline="") as file:
            found = {(row["suite"], row["case"]): row["status"] for row in csv.DictReader(file)}
        self.assertEqual(
            found,
            {
                ("kernelbench", "eager/custom/dtype=float32"): "OK",
                ("kernelbench", "generated/custom/dtype=float32"): "OK",
                ("wrong-kernelbench", "generated/custom/dtype=float32"): "WRONG",
                ("gemm_n64_k32", "gemm_n64_k32/custom/M=16/dtype=float32/scale=0.5"): "OK",
                ("gemm_n64_k32", "gemm_n64_k32/custom/M=48/dtype=float32/scale=0.5"): "OK",
            },
        )

    def test_a_list_of_shapes_is_shared(self):
        [command] = re.findall(r"^awk .*$", PAGE, re.MULTILINE)
        (self.folder / "shapes").mkdir()
        (self.folder / "problems.csv").write_text("m,n,k\n16,32,64\n8,8,8\n")
        (self.folder / "products.yaml").write_text(titled("products.yaml"))
        self.call("bash", "-c", command)
        listed = self.call(str(BUILD / "bin" / "plumbline"), "list", "products.yaml", "--device", "cpu")
        for case in ("k=64/m=16/n=32", "k=8/m=8/n=8"):
            self.assertIn(case, listed)

    def test_mistakes_of_a_definition_are_named(self):
        self.assertIn("definition.json: expected 'axes', dict", self.flashinfer(DEFINITION | {"axes": 3}, workload(1), code=2))
        self.assertIn("found the name '../x'", self.flashinfer(DEFINITION | {"name": "../x"}, workload(1), code=2))
        self.assertIn("line 1: not valid JSON", self.flashinfer(DEFINITION, "{", code=2))
        self.assertIn("found no workload of gemm_n64_k32", self.flashinfer(DEFINITION, workload(1, "custom"), code=1))


if __name__ == "__main__":
    unittest.main()
